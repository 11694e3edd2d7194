"""Owns one connection to a daemon for a program that waits for each answer; knows nothing of starting one."""

import socket
import time
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from lazydap_core.client.conversation import UNASKED_ID, Answer, Conversation, frozen_shutdown
from lazydap_core.errors import DaemonUnreachable, LazydapError, ReplyTimedOut
from lazydap_core.protocol.events import Event
from lazydap_core.protocol.requests import Request
from lazydap_core.protocol.responses import Pong, Response

CONNECT_SECONDS: Final = 5.0
REPLY_SECONDS: Final = 60.0
KEPT_EVENTS: Final = 4096
READ_BYTES: Final = 65536
BUSY_PAUSE: Final = 0.005


class BlockingClient:
    """A greeted connection to a daemon of our version; a context manager that closes it.

    One request at a time. Events that arrive while an answer is awaited are kept, the newest `KEPT_EVENTS` of them;
    `dropped_events` counts the others.
    """

    def __init__(self, stream: socket.socket, pong: Pong, conversation: Conversation) -> None:
        self._stream = stream
        self._conversation = conversation
        self._answers: deque[Answer] = deque()
        self._events: deque[Event] = deque()
        self.pong = pong
        self.dropped_events = 0

    @classmethod
    def connect(cls, socket_path: Path, timeout: float = CONNECT_SECONDS, *, called: str | None = None) -> Self:
        """Connect and greet within `timeout` seconds, as a client of the name `called`.

        Raises DaemonUnreachable when nobody answers there, VersionMismatch when its version is not spoken here.
        """
        deadline = time.monotonic() + timeout
        with _reaching(socket_path):
            stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                _connect(stream, socket_path, deadline)
                return cls._greeted(stream, deadline, Conversation(called))
            except (OSError, LazydapError):
                stream.close()
                raise

    @classmethod
    def _greeted(cls, stream: socket.socket, deadline: float, conversation: Conversation) -> Self:
        stream.sendall(conversation.greeting())
        while True:
            for heard in conversation.feed(_read(stream, deadline)):
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

    def request(self, request: Request, timeout: float | None = REPLY_SECONDS) -> Response:
        """The daemon's answer, waited for at most `timeout` seconds (None: as long as the connection lives).

        Raises the DaemonError that the daemon answered with, ReplyTimedOut when the time is over (a late answer is
        thrown away), DaemonUnreachable when the connection breaks.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        number, data = self._conversation.ask(request)
        with _reaching():
            self._send(data, timeout)
            while True:
                while self._answers:
                    answer = self._answers.popleft()
                    if answer.id not in (number, UNASKED_ID):
                        continue  # The answer to a request that was given up.
                    if isinstance(answer.outcome, LazydapError):
                        raise answer.outcome
                    return answer.outcome
                self._hear(deadline)

    def _send(self, data: bytes, timeout: float | None) -> None:
        self._stream.settimeout(timeout)
        try:
            self._stream.sendall(data)
        except TimeoutError:
            # Part of the frame may be under way: whatever came after it would be read as its rest.
            self.close()
            raise

    def fileno(self) -> int:
        """For `select`: readable when something has come; what was kept before is to be taken first."""
        return self._stream.fileno()

    def next_event(self, timeout: float) -> Event | None:
        """The oldest event not yet taken, waited for at most `timeout` seconds; None when none came."""
        deadline = time.monotonic() + timeout
        with _reaching():
            while not self._events:
                try:
                    self._hear(deadline)
                except TimeoutError:
                    return None
        return self._events.popleft()

    def events(self, timeout: float) -> Iterator[Event]:
        """The events of the next `timeout` seconds, each as it comes; those that were kept come first."""
        deadline = time.monotonic() + timeout
        while (event := self.next_event(max(0.0, deadline - time.monotonic()))) is not None:
            yield event

    def _hear(self, deadline: float | None) -> None:
        for heard in self._conversation.feed(_read(self._stream, deadline)):
            if isinstance(heard, Answer):
                self._answers.append(heard)
                continue
            if len(self._events) == KEPT_EVENTS:
                self._events.popleft()
                self.dropped_events += 1
            self._events.append(heard)

    def close(self) -> None:
        """Close the connection; the daemon gives up what it still does for it."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def send_shutdown(socket_path: Path, version: int, timeout: float = CONNECT_SECONDS) -> None:
    """Ask the daemon there, of whatever `version`, to end; returns when the request is written, not when it is gone.

    Raises DaemonUnreachable when nobody listens there.
    """
    with _reaching(socket_path), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        _connect(stream, socket_path, time.monotonic() + timeout)
        stream.sendall(frozen_shutdown(version))


def _connect(stream: socket.socket, socket_path: Path, deadline: float) -> None:
    stream.settimeout(max(0.001, deadline - time.monotonic()))
    while True:
        try:
            return stream.connect(str(socket_path))
        except BlockingIOError:  # The listener's queue is full; the system offers no way to wait for it.
            if time.monotonic() > deadline:
                raise TimeoutError from None
            time.sleep(BUSY_PAUSE)  # noqa: TID251  # this is the poll, and it has a deadline


def _read(stream: socket.socket, deadline: float | None) -> bytes:
    """What arrived, at least one byte; TimeoutError at `deadline`, DaemonUnreachable at the end of the stream."""
    if deadline is None:
        stream.settimeout(None)
    else:
        # A deadline that is over still takes what has already arrived; 0 would make the socket non-blocking.
        stream.settimeout(max(0.001, deadline - time.monotonic()))
    data = stream.recv(READ_BYTES)
    if not data:
        raise DaemonUnreachable("the daemon closed the connection before it answered: `lazydap logs` says why")
    return data


@contextmanager
def _reaching(socket_path: Path | None = None) -> Generator[None]:
    try:
        yield
    except TimeoutError as error:
        raise ReplyTimedOut("the daemon did not answer in time: `lazydap logs` says what it does") from error
    except OSError as error:
        whom = f"no daemon answers on {socket_path}" if socket_path else "the daemon is gone"
        raise DaemonUnreachable(f"{whom} ({error.strerror or error}): `lazydap status` starts one") from error
