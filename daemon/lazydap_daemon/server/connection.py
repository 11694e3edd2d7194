"""Owns one client's socket: frames in, one answer after another, events between them; knows no request's meaning.

It works on the bare socket and the loop's callbacks rather than on a stream. An event must be on its way to fifty
clients before the publisher's call returns, and a stream can only be written to by a task that is woken for it, one for
each client. For the same reason there is no reading task: waking it and registering the socket anew for each request
costs as much again as answering it.
"""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import anyio
import anyio.lowlevel
from anyio import CancelScope

from lazydap_core.errors import BadRequest, FrameTooLarge, LazydapError, Undecodable, Unencodable, VersionMismatch
from lazydap_core.protocol import codec, failures, requests, responses
from lazydap_core.protocol.dialect import NEWEST, OLDEST, is_spoken
from lazydap_core.protocol.framing import MAX_BODY, FrameDecoder, frame
from lazydap_core.protocol.objects import Wait
from lazydap_daemon.session.actor import ACTING

log = logging.getLogger("daemon.ipc")

KEPT_EVENTS: Final = 1024
"""Events that wait for a client which is busy or does not read; then the oldest go."""
KEPT_EVENT_BYTES: Final = 2 * MAX_BODY
READ_AHEAD: Final = 64 * 1024
"""Bytes of requests taken off the socket while one is being answered. More would only cost memory; less would hide a
hang-up behind a second request."""
RECEIVE_BYTES: Final = 64 * 1024
REPLY_SECONDS: Final = 60.0
"""How long a client may leave an answer unread before it is given up."""
NO_ID: Final = 0


class Reply(NamedTuple):
    """What answers a request; the connection is closed behind one that `is_last`."""

    payload: responses.Response | responses.Error
    is_last: bool = False


Answer = Callable[["Connection", codec.Envelope], Awaitable[Reply]]


class Connection:
    """One client, served until it hangs up, sends what cannot be read, or the daemon ends.

    Requests are answered one at a time in their order. While one is under way no event is written, so the answer that
    a client waits for comes before the events that its request has caused.
    """

    def __init__(self, client: socket.socket, number: int, answer: Answer) -> None:
        client.setblocking(False)
        self.number = number
        self.channels: frozenset[str] = frozenset()
        self.version = NEWEST
        self.client: str | None = None
        self.dropped_events = 0
        self._socket = client
        self._answer = answer
        self._inbox: deque[bytes] = deque()
        self._inbox_bytes = 0
        self._fault: LazydapError | None = None
        self._has_hung_up = False
        self._is_finishing = False
        self._is_answering = False
        self._decoder = FrameDecoder()
        self._is_reading = False
        self._waiting: CancelScope | None = None
        self._serving = CancelScope()
        self._events: deque[bytes] = deque()
        self._event_bytes = 0
        self._unsent: memoryview | None = None
        self._wake = asyncio.Event()

    async def serve(self) -> None:
        """Talk with the client until one side ends it; the socket is closed then."""
        try:
            with self._serving:
                self._read_on()
                await self._converse()
        finally:
            self._is_finishing = True
            self._pause_reading()
            self._socket.close()
            if self.dropped_events:
                log.warning(
                    "client %d was sent %d events too few: it read too slowly", self.number, self.dropped_events
                )

    def subscribe(self, channels: frozenset[str], version: int) -> None:
        """Replace what this client hears; events of the old subscription that still wait are dropped."""
        self.channels = channels
        self.version = version
        self._events.clear()
        self._event_bytes = 0

    def offer(self, data: bytes) -> None:
        """Send one framed event now if the client is idle, else keep it for later; the oldest give way."""
        if self._is_finishing:
            return
        if self._is_idle and not self._events:
            self._write(data)
            if self._unsent is not None:
                self._wake.set()
            return
        self._events.append(data)
        self._event_bytes += len(data)
        while len(self._events) > KEPT_EVENTS or self._event_bytes > KEPT_EVENT_BYTES:
            self._event_bytes -= len(self._events.popleft())
            if not self.dropped_events:
                log.warning("client %d reads too slowly: its oldest events are dropped", self.number)
            self.dropped_events += 1
        self._wake.set()

    def finish(self) -> None:
        """Close once the request under way is answered; at once when there is none, read or unread."""
        self._is_finishing = True
        if not self._is_answering:
            self._serving.cancel()

    def abandon(self) -> None:
        """Close now, whatever is under way."""
        self._is_finishing = True
        self._serving.cancel()

    # -- reading --------------------------------------------------------------------------------------------------

    def _read_on(self) -> None:
        if not self._is_reading and not self._has_hung_up and self._fault is None:
            asyncio.get_running_loop().add_reader(self._socket, self._receive)
            self._is_reading = True

    def _pause_reading(self) -> None:
        if self._is_reading:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._is_reading = False

    def _receive(self) -> None:
        try:
            data = self._socket.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(data)
        else:
            self._hang_up()
        if self._has_hung_up or self._fault is not None or self._inbox_bytes > READ_AHEAD:
            self._pause_reading()

    def _take(self, data: bytes) -> None:
        try:
            bodies = self._decoder.feed(data)
        except FrameTooLarge as error:
            bodies = error.complete
            self._fault = error
        self._inbox.extend(bodies)
        self._inbox_bytes += sum(map(len, bodies))
        self._wake.set()

    def _hang_up(self) -> None:
        if not self._decoder.is_between_frames:
            self._fault = Undecodable("the stream ended inside a frame: send header and body whole")
        self._has_hung_up = True
        self._wake.set()
        if self._waiting is not None:
            self._waiting.cancel()

    # -- answering ------------------------------------------------------------------------------------------------

    @property
    def _is_idle(self) -> bool:
        return not self._is_answering and not self._inbox and self._unsent is None

    async def _converse(self) -> None:
        while not self._is_finishing:
            if self._unsent is not None:
                await self._flush()
            elif self._inbox:
                await self._answer_next()
            elif self._fault is not None:
                await self._refuse(self._fault)
                return
            elif self._has_hung_up:
                return
            elif self._events:
                self._write_events()
            else:
                self._wake.clear()
                await self._wake.wait()

    async def _answer_next(self) -> None:
        body = self._inbox.popleft()
        self._inbox_bytes -= len(body)
        if self._inbox_bytes <= READ_AHEAD:
            self._read_on()
        try:
            envelope = codec.decode(body)
        except Undecodable as error:
            await self._misread(error)
            return
        self._is_answering = True
        try:
            await self._exchange(envelope)
        finally:
            self._is_answering = False
        if self._inbox:
            # Answers that need no waiting would else hold the loop until the inbox is empty.
            await anyio.lowlevel.checkpoint()

    async def _misread(self, error: Undecodable) -> None:
        if error.version is not None and error.id is not None and not is_spoken(error.version):
            # No wonder: it is of a version yet to come. Its writer can be told so by name.
            await self._send(_framed(error.id, failures.error_payload(version_mismatch(error.version)), NEWEST))
            return
        # Nothing behind an unreadable frame is trusted.
        self._inbox.clear()
        self._fault = error
        if error.version is not None:
            self.version = error.version

    async def _exchange(self, envelope: codec.Envelope) -> None:
        version = envelope.version if is_spoken(envelope.version) else NEWEST
        # Said once, in the first message that says it.
        self.client = self.client or envelope.client
        ACTING.set(self.client)
        if not self.channels:
            self.version = version
        reply = await self._awaited(envelope) if _waits(envelope.payload) else await self._answer(self, envelope)
        if reply is None:
            self._is_finishing = True
            return
        await self._send(_framed(envelope.id, reply.payload, version))
        self._is_finishing |= reply.is_last

    async def _awaited(self, envelope: codec.Envelope) -> Reply | None:
        """The answer to a request that waits for the program; None when the client hung up first.

        Other requests end by themselves, and a client that has closed its writing side may still read their answers.
        """
        if self._has_hung_up:
            return None
        reply = None
        with CancelScope() as scope:
            self._waiting = scope
            reply = await self._answer(self, envelope)
        self._waiting = None
        return reply

    async def _refuse(self, fault: LazydapError) -> None:
        error = failures.error_payload(BadRequest(fault.message))
        await self._send(_framed(NO_ID, error, self.version))

    # -- writing --------------------------------------------------------------------------------------------------

    def _write(self, data: bytes | memoryview) -> None:
        """Hand over what the socket takes at once; the rest is `_unsent`."""
        try:
            sent = self._socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            # The client is gone; the reader will notice and say so.
            return
        if sent < len(data):
            self._unsent = memoryview(data)[sent:]

    async def _flush(self) -> None:
        while self._unsent is not None:
            await anyio.wait_writable(self._socket)
            rest, self._unsent = self._unsent, None
            self._write(rest)

    def _write_events(self) -> None:
        batch = bytearray()
        while self._events and len(batch) < RECEIVE_BYTES:
            batch += self._events.popleft()
        self._event_bytes -= len(batch)
        self._write(bytes(batch))

    async def _send(self, data: bytes) -> None:
        # An event may be on its way in part; the answer goes behind it.
        if self._unsent is None:
            self._write(data)
            if self._unsent is None:
                return
            data = b""
        with anyio.move_on_after(REPLY_SECONDS) as limit:
            await self._flush()
            if data:
                self._write(data)
                await self._flush()
        if limit.cancelled_caught:
            log.warning("client %d did not read its answer in %.0f s: hung up", self.number, REPLY_SECONDS)
            self._is_finishing = True


def version_mismatch(version: int) -> VersionMismatch:
    """The error for a message of a `version` that is not spoken here."""
    return VersionMismatch(
        f"this daemon speaks protocol {OLDEST} to {NEWEST}, the request is of {version}: use a lazydap that fits,"
        " or end this one with `lazydap shutdown`",
        daemon_version=NEWEST,
        client_version=version,
    )


def _waits(payload: codec.Payload) -> bool:
    match payload:
        case requests.Continue() | requests.Step() | requests.Pause() | requests.RunTo() | requests.Goto():
            return isinstance(payload.wait, Wait)
        case _:
            return False


def _framed(number: int, payload: responses.Response | responses.Error, version: int) -> bytes:
    try:
        return frame(codec.encode(number, payload, version))
    except FrameTooLarge as error:
        refusal = BadRequest(
            f"the answer has {error.details['frame_bytes']} bytes, over the limit of 16 MiB: ask for less at once",
            max_frame_bytes=MAX_BODY,
        )
    except Unencodable as error:
        refusal = BadRequest(error.message)
    return frame(codec.encode(number, failures.error_payload(refusal), version))
