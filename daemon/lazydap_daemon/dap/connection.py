"""Owns one conversation with a debug adapter over a byte stream; knows the protocol, not what is said in it."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NoReturn, TypeVar, cast

import anyio
import msgspec

from lazydap_daemon.dap.codec import MessageDecoder, encode, repaired
from lazydap_daemon.dap.errors import BodyMalformed, RequestRefused, RequestTimedOut, StreamBroken
from lazydap_daemon.dap.wire import Wire

T = TypeVar("T")

WRITE_DEADLINE: Final = 10.0
"""Seconds within which an adapter must take a message from its pipe; a longer wait breaks the stream."""

_ABSENT: Final = (b"", b"null")

_log: Final = logging.getLogger("dap")


class Body:
    """The body of an answer or an event, decoded when asked for."""

    __slots__ = ("command", "raw")

    def __init__(self, command: str, raw: msgspec.Raw) -> None:
        self.command = command
        self.raw = raw

    def decode(self, shape: type[T]) -> T:
        """The body as `shape`; an absent body, or null, reads as `{}`. Raises BodyMalformed."""
        return self._decoded_by(_decoder(shape))

    def plain(self) -> Any:
        """The body as plain JSON values; `{}` when it is absent or null. Raises BodyMalformed."""
        value = self._decoded_by(_plain_decoder)
        return {} if value is None else value

    def _decoded_by(self, decoder: msgspec.json.Decoder[T]) -> T:
        try:
            return decoder.decode(self.raw)
        except msgspec.DecodeError as error:
            return self._decoded_with_care(decoder, error)

    def _decoded_with_care(self, decoder: msgspec.json.Decoder[T], error: msgspec.DecodeError) -> T:
        raw = bytes(self.raw)
        if raw in _ABSENT:
            raw = b"{}"
        elif isinstance(error, msgspec.ValidationError):
            raise BodyMalformed(self.command, str(error)) from error
        try:
            return decoder.decode(repaired(raw))
        except ValueError as worse:
            raise BodyMalformed(self.command, str(worse)) from worse


class Event:
    """An event of the adapter: its name, and its body."""

    __slots__ = ("body", "name")

    def __init__(self, name: str, body: Body) -> None:
        self.name = name
        self.body = body

    def decode(self, shape: type[T]) -> T:
        """As `Body.decode`."""
        return self.body.decode(shape)

    def plain(self) -> Any:
        """As `Body.plain`."""
        return self.body.plain()


class ReverseRequest:
    """A request of the adapter, to be answered once, by `accept` or `refuse`, now or later."""

    __slots__ = ("_answer", "arguments", "command")

    def __init__(self, command: str, arguments: Body, answer: Callable[[Mapping[str, Any]], None]) -> None:
        self.command = command
        self.arguments = arguments
        self._answer = answer

    def accept(self, body: Mapping[str, Any]) -> None:
        """It is done; on a broken stream nobody hears it."""
        self._answer({"success": True, "body": body})

    def refuse(self, reason: str) -> None:
        """It is not done, in one line; on a broken stream nobody hears it."""
        self._answer({"success": False, "message": reason})


Arguments = Mapping[str, Any] | msgspec.Struct | None
OnEvent = Callable[[Event], None]
OnBody = Callable[[Body], None]
OnRequest = Callable[[ReverseRequest], bool]
Trace = Callable[[Literal["<", ">"], bytes], None]


class Pending:
    """A request that was written; `reply` waits for its answer, and abandoning that wait abandons nothing else."""

    __slots__ = ("_answer", "_answered", "_on_body", "command", "seq")

    def __init__(self, command: str, seq: int, on_body: OnBody | None) -> None:
        self.command = command
        self.seq = seq
        self._on_body = on_body
        self._answer: Body | RequestRefused | StreamBroken | None = None
        self._answered = anyio.Event()

    @property
    def is_answered(self) -> bool:
        """True once `reply` would return at once."""
        return self._answer is not None

    async def answered(self) -> None:
        """Return once it is."""
        if self._answer is None:
            await self._answered.wait()

    async def reply(self, timeout: float) -> Body:  # noqa: ASYNC109 - the wait of the protocol, not of the caller
        """The answer's body. Raises RequestRefused, StreamBroken, or RequestTimedOut after `timeout` seconds."""
        if self._answer is None:
            with anyio.move_on_after(timeout):
                await self._answered.wait()
        answer = self._answer
        if answer is None:
            raise RequestTimedOut(self.command, timeout)
        if isinstance(answer, Body):
            return answer
        raise answer

    def settle(self, answer: Body | RequestRefused | StreamBroken) -> None:
        """Called by the connection, once: the hook first, then whoever waits."""
        self._answer = answer
        try:
            if self._on_body is not None and isinstance(answer, Body):
                self._on_body(answer)
        finally:
            self._answered.set()


class Connection:
    """One conversation: requests out, answers and events in.

    `run` is the only reader. Messages are dispatched synchronously in the order of their arrival, from the event loop's
    own callback: an answer runs its `on_body` hook and then wakes whoever waits for it, an event goes to `on_event`;
    both must return at once. Answers are matched by `request_seq` alone. A request of the adapter goes to `on_request`,
    which says whether it will answer it; any other is refused at once, by name.

    `on_noise` receives bytes that are no message (doc/adapters.md, "Noise"), `trace` every body with its direction.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        on_event: OnEvent,
        on_request: OnRequest | None = None,
        on_noise: Callable[[bytes], None] | None = None,
        trace: Trace | None = None,
    ) -> None:
        self._wire = wire
        self._on_request = on_request
        self._on_event = on_event
        self._on_noise = on_noise or _log_noise
        self._trace = trace
        self._decoder = MessageDecoder()
        self._last_seq = 0
        self._pending: dict[int, Pending] = {}
        self._broken: str | None = None
        self._running = anyio.CancelScope()

    @property
    def broken(self) -> str | None:
        """What happened to the stream, once nothing more can be sent; None before."""
        return self._broken

    async def run(self) -> NoReturn:
        """Read until the stream ends.

        Raises StreamBroken, after every pending request has failed with the same. Cancelling it fails them too.
        """
        detail = "the conversation with the adapter was given up"
        try:
            with self._running:
                detail = self._ending(await self._wire.pump(self._receive))
        except StreamBroken as error:
            detail = error.detail
        finally:
            self._broken = self._broken or detail
            self._fail_pending(self._broken)
        raise StreamBroken(self._broken)

    def send_nowait(self, command: str, arguments: Arguments = None, *, on_body: OnBody | None = None) -> Pending:
        """Write a request without waiting for anything; the answer is waited for with `Pending.reply`.

        `on_body` sees the body of a successful answer in the reader, before anything that came after it, and also when
        nobody waits any more. Raises StreamBroken.
        """
        self._last_seq += 1
        pending = Pending(command, self._last_seq, on_body)
        self._write(_request(pending.seq, command, arguments))
        self._pending[pending.seq] = pending
        return pending

    async def send(self, command: str, arguments: Arguments = None, *, on_body: OnBody | None = None) -> Pending:
        """As `send_nowait`, and wait until the adapter has taken the request. The request is sent whole in any case."""
        pending = self.send_nowait(command, arguments, on_body=on_body)
        await self._until_taken()
        return pending

    async def request(
        self,
        command: str,
        arguments: Arguments = None,
        *,
        timeout: float,  # noqa: ASYNC109 - the wait of the protocol, not of the caller
        on_body: OnBody | None = None,
    ) -> Body:
        """Send and wait: the answer's body. Raises RequestRefused, RequestTimedOut, StreamBroken."""
        return await self.send_nowait(command, arguments, on_body=on_body).reply(timeout)

    async def request_as(
        self,
        shape: type[T],
        command: str,
        arguments: Arguments = None,
        *,
        timeout: float,  # noqa: ASYNC109 - the wait of the protocol, not of the caller
        on_body: OnBody | None = None,
    ) -> T:
        """As `request`, the body as `shape`; raises BodyMalformed as well."""
        return (await self.request(command, arguments, timeout=timeout, on_body=on_body)).decode(shape)

    async def notify(self, command: str, arguments: Arguments = None) -> None:
        """Write a request whose answer is of no interest and may never come (`cancel`). Raises StreamBroken."""
        self._last_seq += 1
        self._write(_request(self._last_seq, command, arguments))
        await self._until_taken()

    def _write(self, message: Mapping[str, Any]) -> None:
        if self._broken is not None:
            raise StreamBroken(self._broken)
        frame = encode(message)
        if self._trace is not None:
            self._trace(">", frame)
        try:
            self._wire.write(frame)
        except StreamBroken as error:
            # Reading goes on: what the adapter said last may still be on its way.
            self._broken = f"the adapter {error.detail}"
            raise StreamBroken(self._broken) from error

    async def _until_taken(self) -> None:
        with anyio.move_on_after(WRITE_DEADLINE) as scope:
            await self._wire.drained()
        if scope.cancelled_caught:
            self._broken = f"the adapter has read nothing for {WRITE_DEADLINE:g} s"
            self._running.cancel()
            raise StreamBroken(self._broken)

    def _receive(self, data: bytes) -> None:
        for body in self._decoder.feed(data):
            self._dispatch(body)
        if self._decoder.has_noise:
            self._on_noise(self._decoder.take_noise())
        if self._decoder.failure is not None:
            raise _not_dap(self._decoder.failure)

    def _ending(self, detail: str) -> str:
        within = "" if self._decoder.finish() else " in the middle of a message"
        if self._decoder.has_noise:
            self._on_noise(self._decoder.take_noise())
        return f"the adapter {detail}{within}"

    def _dispatch(self, body: bytes) -> None:
        if self._trace is not None:
            self._trace("<", body)
        try:
            message = _envelope(body)
        except ValueError as error:
            raise _not_dap(error) from error
        match message.type:
            case "event":
                self._on_event(Event(message.event, Body(message.event, message.body)))
            case "response":
                self._settle(message)
            case "request":
                self._take_request(message)
            case _:
                raise _not_dap(f"message type {message.type!r}")

    def _settle(self, message: "Envelope") -> None:
        pending = self._pending.pop(message.request_seq, None)
        if pending is None:
            _log.debug("an answer that nobody waits for: request_seq %d", message.request_seq)
        elif message.success:
            pending.settle(Body(pending.command, message.body))
        else:
            pending.settle(_refusal(pending.command, message))

    def _fail_pending(self, detail: str) -> None:
        while self._pending:
            _, pending = self._pending.popitem()
            pending.settle(StreamBroken(detail))

    def _take_request(self, message: "Envelope") -> None:
        def answer(outcome: Mapping[str, Any]) -> None:
            self._last_seq += 1
            head = {"seq": self._last_seq, "type": "response", "request_seq": message.seq, "command": message.command}
            try:
                self._write({**head, **outcome})
            except StreamBroken as error:
                _log.info("the answer to %s cannot be sent: %s", message.command, error)

        request = ReverseRequest(message.command, Body(message.command, message.arguments), answer)
        if self._on_request is None or not self._on_request(request):
            _log.info("the adapter asks for %s, which is refused", message.command)
            request.refuse(f"lazydap does not support {message.command}")


def _not_dap(reason: object) -> StreamBroken:
    return StreamBroken(f"the adapter does not speak the debug adapter protocol: {reason}")


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """Any message of an adapter, its body still as bytes."""

    type: str
    seq: int = 0
    request_seq: int = -1
    success: bool = False
    command: str = ""
    event: str = ""
    message: Any = None
    body: msgspec.Raw = msgspec.Raw()
    arguments: msgspec.Raw = msgspec.Raw()


_plain_decoder: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder()
_envelope_decoder: Final = msgspec.json.Decoder(Envelope)
_decoders: Final[dict[Any, msgspec.json.Decoder[Any]]] = {}


def _decoder(shape: type[T]) -> msgspec.json.Decoder[T]:
    decoder = _decoders.get(shape)
    if decoder is None:
        decoder = _decoders[shape] = msgspec.json.Decoder(shape)
    return decoder


def _envelope(body: bytes) -> Envelope:
    try:
        return _envelope_decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return _envelope_decoder.decode(repaired(body))


def _request(seq: int, command: str, arguments: Arguments) -> dict[str, Any]:
    request: dict[str, Any] = {"seq": seq, "type": "request", "command": command}
    if arguments is not None:
        request["arguments"] = arguments
    return request


def _refusal(command: str, message: Envelope) -> RequestRefused:
    try:
        body = Body(command, message.body).plain()
    except BodyMalformed:
        body = None
    return RequestRefused(command, error_text(body, message.message), body)


def error_text(body: Any, message: Any) -> str:
    """The adapter's own words for a refusal: `body.error.format` with its variables, else `message`, else empty.

    That order because lldb-dap sends no `message` at all and delve's says nothing (doc/adapters.md, "Error texts").
    """
    match body:
        case {"error": {"format": str(text), **rest}} if text.strip():
            variables = rest.get("variables")
            for name, value in cast("dict[str, Any]", variables).items() if isinstance(variables, dict) else ():
                text = text.replace("{" + name + "}", str(value))
            return text.strip()
        case _:
            return message.strip() if isinstance(message, str) else ""


def _log_noise(noise: bytes) -> None:
    _log.warning("not a message, on the adapter's output: %s", noise[:1000].decode("utf-8", "backslashreplace"))
