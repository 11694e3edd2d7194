"""Owns one connection to a daemon for an async program, requests pipelined and events as they come; starts nothing."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final, Self

import anyio

from lazydap_core.client.conversation import UNASKED_ID, Answer, Conversation
from lazydap_core.errors import DaemonUnreachable, LazydapError, ReplyTimedOut
from lazydap_core.protocol.events import Event
from lazydap_core.protocol.requests import Ping, Request
from lazydap_core.protocol.responses import Pong, Response

CONNECT_SECONDS: Final = 5.0
REPLY_SECONDS: Final = 60.0
CLOSE_SECONDS: Final = 1.0
LARGEST_BACKLOG: Final = 2**20
"""Bytes of requests that a daemon may leave unread before it is given up."""
KEPT_EVENTS: Final = 1024


class Pending:
    """One request on its way, written already; `answer` waits for what comes of it."""

    __slots__ = ("_arrived", "_outcome")

    def __init__(self) -> None:
        self._arrived = anyio.Event()
        self._outcome: Response | LazydapError | None = None

    def settle(self, outcome: Response | LazydapError) -> None:
        """Say what came of it; the first word counts."""
        if self._outcome is None:
            self._outcome = outcome
            self._arrived.set()

    async def answer(self, timeout: float | None = REPLY_SECONDS) -> Response:  # noqa: ASYNC109
        """As `AsyncClient.request`."""
        try:
            with anyio.fail_after(math.inf if timeout is None else timeout):
                await self._arrived.wait()
        except TimeoutError:
            raise ReplyTimedOut("the daemon did not answer in time: `lazydap logs` says what it does") from None
        outcome = self._outcome
        assert outcome is not None  # noqa: S101  # `settle` sets both
        if isinstance(outcome, LazydapError):
            raise outcome
        return outcome


class AsyncClient(asyncio.Protocol):
    """A greeted connection to a daemon of our version; made by `connected`.

    Requests may overlap: the daemon answers in order, each waiter gets its own. Events are kept until `events` takes
    them, the newest `KEPT_EVENTS`; `dropped_events` counts the others, so a reader that sees it grow asks for the
    state anew. With `deliver_to` they are not kept but handed over as they are read.

    An asyncio protocol and not a stream of anyio: what is asked is on its way, and what is heard is handed over, within
    the turn of the loop in which that happens (doc/decisions.md, "The way of a step").
    """

    def __init__(self, called: str | None = None) -> None:
        self._transport: asyncio.Transport | None = None
        self._conversation = Conversation(called)
        self._pending: dict[int, Pending] = {}
        self._events: deque[Event] = deque()
        self._listener: Callable[[Event], None] | None = None
        self._news = anyio.Event()
        self._closed = anyio.Event()
        self._broken: LazydapError | None = None
        self.dropped_events = 0

    @classmethod
    @asynccontextmanager
    async def connected(
        cls,
        socket_path: Path,
        timeout: float = CONNECT_SECONDS,  # noqa: ASYNC109
        *,
        called: str | None = None,
    ) -> AsyncGenerator[Self]:
        """Connect and greet within `timeout` seconds, as a client of the name `called`; closed on leaving.

        Raises DaemonUnreachable when nobody answers there, VersionMismatch when its version is not spoken here.
        Requests still waiting on leaving raise DaemonUnreachable.
        """
        loop = asyncio.get_running_loop()
        with _reaching(socket_path), anyio.fail_after(timeout):
            _, client = await loop.create_unix_connection(lambda: cls(called), str(socket_path))
            try:
                await client._greet()  # noqa: SLF001  # our own class
            except BaseException:
                await client._close()  # noqa: SLF001
                raise
        try:
            yield client
        finally:
            await client._close()  # noqa: SLF001

    async def _greet(self) -> None:
        if not isinstance(await self.request(_GREETING, None), Pong):
            raise DaemonUnreachable("the daemon answered its greeting with something else")

    async def _close(self) -> None:
        self._break(DaemonUnreachable("the connection to the daemon was closed"))
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await self._closed.wait()

    @property
    def pong(self) -> Pong:
        """The daemon's answer to the greeting."""
        pong = self._conversation.pong
        assert pong is not None  # noqa: S101  # `connected` has greeted
        return pong

    @property
    def features(self) -> frozenset[str]:
        """The additions beyond the contract that this daemon has announced."""
        return self._conversation.features

    def post(self, request: Request) -> Pending:
        """Write a request at once; what comes of it is in the answer. Raises DaemonUnreachable on a broken connection.

        The answer to one that nobody waits for any more is thrown away.
        """
        if self._broken is not None or self._transport is None:
            raise self._broken or DaemonUnreachable("the connection to the daemon was closed")
        number, data = self._conversation.ask(request)
        pending = self._pending[number] = Pending()
        self._transport.write(data)
        if self._transport.get_write_buffer_size() > LARGEST_BACKLOG:
            self._break(DaemonUnreachable("the daemon takes no more requests: `lazydap logs` says what it does"))
        return pending

    async def request(self, request: Request, timeout: float | None = REPLY_SECONDS) -> Response:  # noqa: ASYNC109
        """The daemon's answer, waited for at most `timeout` seconds (None: as long as the connection lives).

        Raises the DaemonError that the daemon answered with, ReplyTimedOut when the time is over, DaemonUnreachable
        when the connection breaks. Cancelling gives up the waiting, not the request; the late answer is thrown away.
        """
        return await self.post(request).answer(timeout)

    def deliver_to(self, listener: Callable[[Event], None]) -> None:
        """Hand every event to `listener` as it is read, beginning with those that were kept; it must not raise."""
        self._listener = listener
        while self._events:
            listener(self._events.popleft())

    async def broken(self) -> None:
        """Wait for the end of the connection, and raise its reason."""
        while self._broken is None:
            self._news = anyio.Event()
            await self._news.wait()
        raise self._broken

    async def events(self) -> AsyncIterator[Event]:
        """Every event as it comes, for one reader; raises DaemonUnreachable when the connection has broken."""
        while True:
            while self._events:
                yield self._events.popleft()
            if self._broken is not None:
                raise self._broken
            self._news = anyio.Event()
            await self._news.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The loop's word: connected."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  # a socket's
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """The loop's word: bytes."""
        try:
            self._take(self._conversation.feed(data))
        except LazydapError as error:
            self._break(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """The loop's word: over."""
        why = "the daemon closed the connection" if exc is None else f"the daemon is gone ({exc})"
        self._break(DaemonUnreachable(f"{why}: `lazydap logs` says why"))
        self._closed.set()

    def _take(self, heard: Iterable[Answer | Event]) -> None:
        for one in heard:
            if not isinstance(one, Answer):
                self._keep(one)
            elif one.id == UNASKED_ID and isinstance(one.outcome, LazydapError):
                # The daemon could not read the last frame and closes: nobody will get an answer.
                self._break(one.outcome)
            elif pending := self._pending.pop(one.id, None):
                pending.settle(one.outcome)

    def _keep(self, event: Event) -> None:
        if self._listener is not None:
            self._listener(event)
            return
        if len(self._events) == KEPT_EVENTS:
            self._events.popleft()
            self.dropped_events += 1
        self._events.append(event)
        self._news.set()

    def _break(self, error: LazydapError) -> None:
        if self._broken is None:
            self._broken = error
            if self._transport is not None:
                self._transport.abort()
        for pending in self._pending.values():
            pending.settle(self._broken)
        self._pending.clear()
        self._news.set()


_GREETING: Final = Ping()


@contextmanager
def _reaching(socket_path: Path) -> Generator[None]:
    try:
        yield
    except TimeoutError as error:
        raise ReplyTimedOut("the daemon did not answer in time: `lazydap logs` says what it does") from error
    except OSError as error:
        raise DaemonUnreachable(f"no daemon answers on {socket_path} ({error}): `lazydap status` starts one") from error
