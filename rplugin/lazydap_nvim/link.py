"""Owns one project's connections to its daemon, made again whenever they break; knows no model and no editor."""

import math
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

import anyio

from lazydap_core.client.starting import ensure_daemon
from lazydap_core.client.streaming import AsyncClient, Pending
from lazydap_core.domain.words import Channel
from lazydap_core.errors import DaemonInternalError, DaemonUnreachable, LazydapError, ReplyTimedOut, StateFileInvalid
from lazydap_core.paths import Places
from lazydap_core.protocol import events, requests, responses
from lazydap_core.protocol.objects import BreakpointStatus
from lazydap_core.state_file import read_state, state_path
from lazydap_nvim.kept import Kept, kept
from lazydap_nvim.threads import in_thread

FIRST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 4.0
READY_SECONDS: Final = 15.0
ASK_SECONDS: Final = 30.0
MOVE_SECONDS: Final = 15.0
SNAPSHOT_SECONDS: Final = 5.0

CHANNELS: Final = ("session_started", "session_ended", "stopped", "continued", "breakpoint_updated")
OURS: Final[tuple[tuple[str, Channel], ...]] = (
    ("stop_detail", "stop_detail"),
    ("state_file", "state_file"),
    ("mute", "mute_changed"),
    ("function_breakpoints", "function_breakpoint_updated"),
    ("data_breakpoints", "data_breakpoint_updated"),
    ("exceptions", "exception_filters_changed"),
)
"""By the feature that has it: a channel that only our daemon knows."""

R = TypeVar("R", bound=responses.Response)


class Listener(Protocol):
    """Who is told what happens on a link; nothing in it may wait."""

    @property
    def called(self) -> str | None:
        """Under which name the daemon is spoken to."""
        ...

    def linked(
        self,
        link: "Link",
        features: frozenset[str],
        status: responses.Status,
        breakpoints: tuple[BreakpointStatus, ...],
    ) -> None:
        """A daemon answers; events follow."""
        ...

    def unlinked(self, link: "Link", kept: Kept | None, *, was_linked: bool) -> None:
        """No daemon answers (any more), and this is what the file has; told again when the file changes.

        None for a file that cannot be read.
        """
        ...

    def heard(self, link: "Link", event: events.Event) -> None:
        """An event of the daemon, in order."""
        ...

    def missed(self, link: "Link") -> None:
        """Events were lost: the state is to be read anew."""
        ...

    def refused(self, link: "Link", error: LazydapError) -> None:
        """A daemon is there that cannot be used, or the state file cannot be read; told once for the same words."""
        ...


class _Lines(NamedTuple):
    """The three connections: a movement never waits behind a question, an event behind neither."""

    events: AsyncClient
    movement: AsyncClient
    inspection: AsyncClient


class Link:
    """One project's link, kept up by `run`; its root is fixed when it is made.

    Without a daemon the breakpoints are read from the project's file; only `ready(start=True)` starts one.
    """

    def __init__(self, places: Places, environ: Mapping[str, str], listener: Listener) -> None:
        self.places = places
        self.events_heard = 0
        self._environ = environ
        self._listener = listener
        self._lines: _Lines | None = None
        self._scope: anyio.CancelScope | None = None
        self._poke = anyio.Event()
        self._attempt = anyio.Event()
        self._settled = anyio.Event()
        self._failure: LazydapError | None = None
        self._complaint = ""

    @property
    def root(self) -> str:
        """The project's root, as the model names it."""
        return str(self.places.root)

    @property
    def is_up(self) -> bool:
        """Whether a daemon answers."""
        return self._lines is not None

    @property
    def refusal(self) -> LazydapError | None:
        """Why the daemon that is there cannot be used; None where none is there, or it answers."""
        return None if self._failure is None or _is_silence(self._failure) else self._failure

    async def run(self) -> None:
        """Keep the link up until cancelled."""
        pause = FIRST_PAUSE
        seen: tuple[int, int] | None = None
        while True:
            was_up = await self._attempt_once()
            now = await in_thread(_stamp, self.places.root)
            if was_up or now != seen:
                seen = now
                await self._read_file(was_linked=was_up)
            self._settled.set()
            if was_up:
                pause = FIRST_PAUSE
            with anyio.move_on_after(pause):
                await self._poke.wait()
                pause = FIRST_PAUSE / 2
            self._poke = anyio.Event()
            pause = min(LONGEST_PAUSE, pause * 2)

    async def _attempt_once(self) -> bool:
        """Connect and listen until the link breaks; whether it had been up."""
        was_up = False
        try:
            with anyio.CancelScope() as self._scope:
                async with self._connected() as lines:
                    await self._listen(lines)
        except LazydapError as error:
            self._complain_if_refused(error)
            self._failure = error
        finally:
            was_up = self.is_up
            self._lines, self._scope = None, None
            self._turn()
        return was_up

    def _complain_if_refused(self, error: LazydapError) -> None:
        if not _is_silence(error) and self._complaint != error.message:
            self._complaint = error.message
            self._listener.refused(self, error)

    def _turn(self) -> None:
        self._attempt.set()
        self._attempt = anyio.Event()

    def _client(self) -> AbstractAsyncContextManager[AsyncClient]:
        return AsyncClient.connected(self.places.socket, called=self._listener.called)

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[_Lines]:
        async with AsyncExitStack() as stack:
            yield _Lines(*[await stack.enter_async_context(self._client()) for _ in range(3)])

    async def _listen(self, lines: _Lines) -> None:
        features = lines.events.features
        channels: tuple[Channel, ...] = (*CHANNELS, *(channel for feature, channel in OURS if feature in features))
        status = _expected(
            responses.Status,
            await lines.events.request(requests.Subscribe(channels=channels), SNAPSHOT_SECONDS),
        )
        if status.root is not None and Path(status.root) != self.places.root:
            raise WrongRootError(
                f"the daemon {status.instance!r} serves {status.root}, not {self.places.root}: unset LAZYDAP_INSTANCE"
            )
        listed = _expected(
            responses.Breakpoints,
            await lines.inspection.request(requests.BreakpointList(), SNAPSHOT_SECONDS),
        )
        self._lines, self._failure, self._complaint = lines, None, ""
        self._listener.linked(self, features, status, listed.breakpoints)
        self._settled.set()
        self._turn()
        lines.events.deliver_to(self._heard)
        if lines.events.dropped_events:
            self._listener.missed(self)
        await lines.events.broken()

    def _heard(self, event: events.Event) -> None:
        self.events_heard += 1
        self._listener.heard(self, event)

    async def _read_file(self, *, was_linked: bool) -> None:
        try:
            state = await in_thread(read_state, self.places.root)
        except StateFileInvalid as error:
            if self._complaint != error.message:
                self._complaint = error.message
                self._listener.refused(self, error)
            self._listener.unlinked(self, None, was_linked=was_linked)
            return
        self._listener.unlinked(self, kept(state), was_linked=was_linked)

    async def ready(self, *, start: bool) -> None:
        """Return when a daemon answers; with `start` one is started if need be.

        Raises what stood in the way: DaemonUnreachable, VersionMismatch, or the daemon's own last words.
        """
        if self.is_up:
            return
        if start:
            await in_thread(self._start_daemon)
        with anyio.move_on_after(READY_SECONDS):
            for _ in range(3):
                # The link may have come up while the daemon was being started, for another command's sake.
                if self.is_up:
                    return
                # An attempt that was on its way before the daemon came up fails for a reason that has passed.
                attempt = self._attempt
                self._poke.set()
                await attempt.wait()
        if self.is_up:
            return
        raise self._failure or DaemonUnreachable(f"no daemon answers for {self.root}: `lazydap logs` says why")

    async def settled(self) -> None:
        """Return when it is known whether a daemon answers, and the file has been read if none does."""
        with anyio.move_on_after(READY_SECONDS):
            await self._settled.wait()
            if self.refusal is not None:
                # It may have gone since.
                attempt = self._attempt
                self._poke.set()
                await attempt.wait()

    def _start_daemon(self) -> None:
        ensure_daemon(self.places, self._environ, called=self._listener.called).close()

    async def ask(self, request: requests.Request, expected: type[R], timeout: float = ASK_SECONDS) -> R:  # noqa: ASYNC109
        """The answer to a question, which may wait behind others. Raises LazydapError."""
        return _expected(expected, await self._request(request, timeout))

    def post_movement(self, request: requests.Request) -> Pending:
        """Send a movement that does not wait for its stop, at once; see `moved`. Raises DaemonUnreachable."""
        if self._lines is None:
            raise self._failure or DaemonUnreachable(f"no daemon answers for {self.root}: give the command again")
        return self._lines.movement.post(request)

    async def moved(self, pending: Pending) -> responses.Continued:
        """The answer to a posted movement. Raises LazydapError."""
        lines = self._lines
        with self._losing(lines):
            return _expected(responses.Continued, await pending.answer(MOVE_SECONDS))

    async def move(self, request: requests.Request) -> responses.Continued:
        """A movement that does not wait for its stop, sent and answered. Raises LazydapError."""
        return await self.moved(self.post_movement(request))

    async def aside(self, request: requests.Request, expected: type[R], timeout: float = math.inf) -> R:  # noqa: ASYNC109
        """The answer to a request that may take long, on a connection of its own. Raises LazydapError."""
        async with self._client() as client:
            return _expected(expected, await client.request(request, timeout))

    async def _request(self, request: requests.Request, seconds: float) -> responses.Response:
        lines = self._lines
        if lines is None:
            raise self._failure or DaemonUnreachable(f"no daemon answers for {self.root}: give the command again")
        with self._losing(lines):
            return await lines.inspection.request(request, seconds)

    @contextmanager
    def _losing(self, lines: _Lines | None) -> Generator[None]:
        try:
            yield
        except ReplyTimedOut:
            raise
        except DaemonUnreachable as error:
            # One of the three is broken: all are made again.
            if self._lines is lines and self._scope is not None:
                self._scope.cancel()
            raise LinkLostError(error.message) from error


class LinkLostError(DaemonUnreachable):
    """The link broke under a request; the listener is told as well."""


class WrongRootError(LazydapError):
    """The daemon on this project's socket serves another project."""

    code = "DaemonUnreachable"


def _is_silence(error: LazydapError) -> bool:
    """Whether nobody listens, which is the normal state of a project that is not being debugged."""
    return isinstance(error, DaemonUnreachable) and not isinstance(error, ReplyTimedOut)


def _expected(kind: type[R], answer: responses.Response) -> R:
    if not isinstance(answer, kind):
        raise DaemonInternalError(
            f"the daemon answered with {type(answer).__name__}, not {kind.__name__}: `lazydap logs` says more"
        )
    return answer


def _stamp(root: Path) -> tuple[int, int]:
    try:
        found = state_path(root).stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
