"""Owns what a client says and hears on one connection, without any I/O; knows no socket and no clock."""

from collections.abc import Iterator
from typing import Final

import msgspec

from lazydap_core.errors import (
    DaemonUnreachable,
    FrameTooLarge,
    LazydapError,
    Undecodable,
    Unencodable,
    Unsupported,
    VersionMismatch,
)
from lazydap_core.protocol import codec, events, failures, requests, responses
from lazydap_core.protocol.dialect import is_spoken
from lazydap_core.protocol.framing import FrameDecoder, frame

GREETING_ID: Final = 1
UNASKED_ID: Final = 0
"""The id of events, and of the last answer to a frame that the daemon could not read."""

_EVENTS: Final[frozenset[type[events.Event]]] = frozenset(events.CHANNELS)


class Answer(msgspec.Struct, frozen=True):
    """What the daemon said to request `id`; with `UNASKED_ID` that it could not read the last frame."""

    id: int
    outcome: responses.Response | LazydapError


class Conversation:
    """One connection's side of the protocol: ids from 1, the greeting first, answers and events in order of arrival.

    `greeting` is sent before anything else; `pong` is None until its answer has come, and then says which daemon this
    is and what `features` it has beyond the contract. From then on it is spoken to in its own `version`. `called` names
    this client to those who look on (feature `actor`).
    """

    def __init__(self, called: str | None = None) -> None:
        self._called = called
        self._decoder = FrameDecoder()
        self._last_id = UNASKED_ID
        self.version = codec.NEWEST
        self.pong: responses.Pong | None = None

    @property
    def features(self) -> frozenset[str]:
        """The additions this daemon has announced; empty before the greeting is answered."""
        return frozenset(self.pong.features or ()) if self.pong else frozenset()

    def greeting(self) -> bytes:
        """The bytes that open the connection."""
        return self.ask(requests.Ping())[1]

    def ask(self, request: requests.Request) -> tuple[int, bytes]:
        """A new id and the bytes that ask `request` under it.

        Raises FrameTooLarge when they do not fit, Unencodable for text that is not valid Unicode, Unsupported when the
        daemon is older than the request; no id is used then.
        """
        number = self._last_id + 1
        name = self._called if number == GREETING_ID else None
        try:
            body = codec.encode(number, request, self.version, client=name)
        except Unencodable as error:
            if self.version == codec.NEWEST:
                raise
            raise Unsupported(
                f"the running daemon is of an older lazydap ({error.message.partition(':')[0]}): end it with"
                " `lazydap shutdown`, which also ends its program, to use this"
            ) from error
        data = frame(body)
        self._last_id = number
        return number, data

    def feed(self, data: bytes) -> Iterator[Answer | events.Event]:
        """What has been heard in full with these bytes, one by one; what came before a fault is heard before it.

        Raises VersionMismatch when the greeting's answer shows a daemon of a version that is not spoken here, and
        DaemonUnreachable when the bytes are no conversation; nothing more can then be heard.
        """
        try:
            bodies = self._decoder.feed(data)
        except FrameTooLarge as error:
            yield from map(self._heard, error.complete)
            raise _unreadable(error) from error
        yield from map(self._heard, bodies)

    def _heard(self, body: bytes) -> Answer | events.Event:
        try:
            envelope = codec.decode(body)
        except Undecodable as error:
            raise _unreadable(error) from error
        payload = envelope.payload
        if type(payload) in _EVENTS:
            return payload  # type: ignore[return-value]  # membership by class is what a union of structs is
        if isinstance(payload, responses.Error):
            return Answer(envelope.id, failures.error_from(payload))
        if isinstance(payload, responses.Pong) and self.pong is None:
            self._greeted(payload)
        if not isinstance(payload, responses.Response):
            raise DaemonUnreachable("the peer on the daemon's socket asks questions: it is not a lazydap daemon")
        return Answer(envelope.id, payload)

    def _greeted(self, pong: responses.Pong) -> None:
        if not is_spoken(pong.version):
            raise version_mismatch(pong.version)
        self.version = pong.version
        self.pong = pong


def version_mismatch(daemon_version: int) -> VersionMismatch:
    """The error for a daemon whose version this client does not speak."""
    return VersionMismatch(
        f"the running daemon speaks protocol {daemon_version}, this lazydap {codec.OLDEST} to {codec.NEWEST}: use the"
        " lazydap that started it, or end it with `lazydap shutdown`, which also ends its program",
        client_version=codec.NEWEST,
        daemon_version=daemon_version,
    )


def _unreadable(error: LazydapError) -> DaemonUnreachable:
    return DaemonUnreachable(f"the daemon sent something unreadable: {error.message}")


def frozen_shutdown(version: int) -> bytes:
    """The bytes that ask a daemon of any `version` to end; the one request that never changes."""
    body = f'{{"version":{version},"id":{GREETING_ID},"payload":{{"Request":"Shutdown"}}}}'
    return frame(body.encode())
