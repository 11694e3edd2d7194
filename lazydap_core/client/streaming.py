"""Owns one connection to a daemon for an async program, requests pipelined and events as they come; starts nothing."""

import math
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final, Self

import anyio
from anyio.abc import SocketStream

from lazydap_core.client.conversation import UNASKED_ID, Answer, Conversation
from lazydap_core.errors import DaemonUnreachable, LazydapError, ReplyTimedOut
from lazydap_core.protocol.events import Event
from lazydap_core.protocol.requests import Request
from lazydap_core.protocol.responses import Pong, Response

CONNECT_SECONDS: Final = 5.0
REPLY_SECONDS: Final = 60.0
WRITE_SECONDS: Final = 10.0
"""How long a request may take to be taken off our hands; a torn frame would cost the connection."""
KEPT_EVENTS: Final = 1024


class _Pending:
    """One request on its way: `arrived` is set when `outcome` is there."""

    __slots__ = ("arrived", "outcome")

    def __init__(self) -> None:
        self.arrived = anyio.Event()
        self.outcome: Response | LazydapError | None = None

    def settle(self, outcome: Response | LazydapError) -> None:
        self.outcome = outcome
        self.arrived.set()


class AsyncClient:
    """A greeted connection to a daemon of our version; made by `connected`.

    Requests may overlap: the daemon answers in order, each waiter gets its own. Events are kept until `events` takes
    them, the newest `KEPT_EVENTS`; `dropped_events` counts the others, so a reader that sees it grow asks for the
    state anew.
    """

    def __init__(self, stream: SocketStream, pong: Pong, conversation: Conversation) -> None:
        self._stream = stream
        self._conversation = conversation
        self._writing = anyio.Lock(fast_acquire=True)
        self._pending: dict[int, _Pending] = {}
        self._events: deque[Event] = deque()
        self._news = anyio.Event()
        self._broken: LazydapError | None = None
        self.pong = pong
        self.dropped_events = 0

    @classmethod
    @asynccontextmanager
    async def connected(cls, socket_path: Path, timeout: float = CONNECT_SECONDS) -> AsyncGenerator[Self]:  # noqa: ASYNC109
        """Connect and greet within `timeout` seconds; the connection is closed on leaving.

        Raises DaemonUnreachable when nobody answers there, VersionMismatch when the daemon speaks another version.
        Requests still waiting on leaving raise DaemonUnreachable.
        """
        with _reaching(socket_path), anyio.fail_after(timeout):
            stream = await anyio.connect_unix(socket_path)
            try:
                client = await cls._greeted(stream)
            except BaseException:
                await anyio.aclose_forcefully(stream)
                raise
        async with stream:
            with _alone_in_its_group():
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(client._read_all)  # noqa: SLF001  # our own class
                    try:
                        yield client
                    finally:
                        client._break(DaemonUnreachable("the connection to the daemon was closed"))  # noqa: SLF001
                        tasks.cancel_scope.cancel()

    @classmethod
    async def _greeted(cls, stream: SocketStream) -> Self:
        conversation = Conversation()
        await stream.send(conversation.greeting())
        while True:
            for heard in conversation.feed(await stream.receive()):
                if not isinstance(heard, Answer):
                    continue
                if isinstance(heard.outcome, Pong):
                    return cls(stream, heard.outcome, conversation)
                if isinstance(heard.outcome, LazydapError):
                    raise heard.outcome
                raise DaemonUnreachable("the daemon answered its greeting with something else")

    @property
    def features(self) -> frozenset[str]:
        """The additions beyond the contract that this daemon has announced."""
        return self._conversation.features

    async def request(self, request: Request, timeout: float | None = REPLY_SECONDS) -> Response:  # noqa: ASYNC109
        """The daemon's answer, waited for at most `timeout` seconds (None: as long as the connection lives).

        Raises the DaemonError that the daemon answered with, ReplyTimedOut when the time is over, DaemonUnreachable
        when the connection breaks. Cancelling gives up the waiting, not the request; the late answer is thrown away.
        """
        number, data = self._conversation.ask(request)
        pending = self._pending[number] = _Pending()
        try:
            with anyio.fail_after(math.inf if timeout is None else timeout):
                await self._send(data)
                await pending.arrived.wait()
        except TimeoutError:
            raise ReplyTimedOut("the daemon did not answer in time: `lazydap logs` says what it does") from None
        finally:
            del self._pending[number]
        outcome = pending.outcome
        assert outcome is not None  # noqa: S101  # `settle` sets both
        if isinstance(outcome, LazydapError):
            raise outcome
        return outcome

    async def events(self) -> AsyncIterator[Event]:
        """Every event as it comes, for one reader; raises DaemonUnreachable when the connection has broken."""
        while True:
            while self._events:
                yield self._events.popleft()
            if self._broken is not None:
                raise self._broken
            self._news = anyio.Event()
            await self._news.wait()

    async def _send(self, data: bytes) -> None:
        async with self._writing:
            if self._broken is not None:
                raise self._broken
            with _reaching():
                # A caller that is cancelled must not leave half a frame behind.
                with anyio.move_on_after(WRITE_SECONDS, shield=True):
                    await self._stream.send(data)
                    return
                self._break(DaemonUnreachable("the daemon takes no more requests: `lazydap logs` says what it does"))
                raise self._broken or AssertionError

    async def _read_all(self) -> None:
        try:
            with _reaching():
                while True:
                    self._take(self._conversation.feed(await self._stream.receive()))
        except LazydapError as error:
            self._break(error)

    def _take(self, heard: Iterable[Answer | Event]) -> None:
        for one in heard:
            if not isinstance(one, Answer):
                self._keep(one)
            elif one.id == UNASKED_ID and isinstance(one.outcome, LazydapError):
                # The daemon could not read the last frame and closes: nobody will get an answer.
                self._break(one.outcome)
            elif pending := self._pending.get(one.id):
                pending.settle(one.outcome)

    def _keep(self, event: Event) -> None:
        if len(self._events) == KEPT_EVENTS:
            self._events.popleft()
            self.dropped_events += 1
        self._events.append(event)
        self._news.set()

    def _break(self, error: LazydapError) -> None:
        if self._broken is None:
            self._broken = error
        for pending in self._pending.values():
            if not pending.arrived.is_set():
                pending.settle(self._broken)
        self._news.set()


@contextmanager
def _reaching(socket_path: Path | None = None) -> Generator[None]:
    try:
        yield
    except TimeoutError as error:
        raise ReplyTimedOut("the daemon did not answer in time: `lazydap logs` says what it does") from error
    except anyio.EndOfStream as error:
        raise DaemonUnreachable("the daemon closed the connection: `lazydap logs` says why") from error
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
        whom = f"no daemon answers on {socket_path}" if socket_path else "the daemon is gone"
        raise DaemonUnreachable(f"{whom} ({error}): `lazydap status` starts one") from error


@contextmanager
def _alone_in_its_group() -> Generator[None]:
    """What the body of our task group raised, without the group: the reader raises nothing, so there is only that."""
    try:
        yield
    except BaseExceptionGroup as group:
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from group.exceptions[0].__cause__
        raise
