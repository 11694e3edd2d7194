"""Owns the framing of the debug adapter protocol, bytes to bodies and back; does no I/O and reads no body."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from lazydap_daemon.dap.errors import FramingBroken

MAX_BODY: Final = 256 * 2**20
"""Bytes of the largest body that is believed; checked on the header, before anything is kept."""

MAX_HEADER: Final = 64 * 2**10
"""Bytes of the largest header block, and of the longest line that may precede one."""

_END_OF_HEADER: Final = b"\r\n\r\n"
_LENGTH_LINE: Final = re.compile(rb"content-length[ \t]*:[ \t]*([^\r\n]*)\r\n", re.IGNORECASE)
_HEADER_LINES: Final = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)*")
_MAX_DIGITS: Final = 20

_encoder: Final = msgspec.json.Encoder()


def encode(message: Mapping[str, Any]) -> bytes:
    """One message, header and body in one bytes object, so that it leaves in one write (doc/adapters.md, "Latency").

    Text that is no Unicode (a lone surrogate, as Python makes of undecodable bytes) is sent with replacements.
    """
    try:
        body = _encoder.encode(message)
    except UnicodeEncodeError:
        body = _encoder.encode(_presentable(msgspec.to_builtins(message)))
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def repaired(body: bytes) -> bytes:
    """`body` as JSON that every reader takes: bad UTF-8, halves of surrogate pairs and the like are replaced.

    For the rare body that a strict reader has refused: debugpy passes on whatever text a program makes. Raises
    ValueError when it is no JSON at all.
    """
    return _encoder.encode(_presentable(json.loads(body.decode("utf-8", "replace"))))


def _presentable(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            pairs = cast("dict[Any, Any]", value).items()
            return {_presentable(key): _presentable(item) for key, item in pairs}
        case list() | tuple():
            return [_presentable(item) for item in cast("list[Any]", value)]
        case _:
            return value


class MessageDecoder:
    """Split a byte stream into the bodies of DAP messages.

    Sans-I/O: `feed` takes whatever arrived and returns the bodies that are complete, in order. Header names may be
    written in any case, other headers are read over. Bytes between messages that are no header (an adapter's own
    prints on its stdout) are skipped up to the next `Content-Length` line and kept for `take_noise`, at most
    `MAX_HEADER` of them.

    The stream is broken when a length is no number or over `MAX_BODY`, or a header block does not end within
    `MAX_HEADER` bytes. Bodies that were complete before are still returned; `failure` is set from then on, and every
    later `feed` raises it.
    """

    def __init__(self) -> None:
        self.failure: FramingBroken | None = None
        self._buffer = bytearray()
        self._wanted: int | None = None
        self._noise = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that `data` completes; raises FramingBroken when the decoder was broken before."""
        if self.failure is not None:
            raise self.failure
        self._buffer += data
        bodies: list[bytes] = []
        try:
            start = self._take_bodies(bodies)
        except FramingBroken as error:
            self.failure = error
            self._buffer.clear()
            return bodies
        del self._buffer[:start]
        return bodies

    def finish(self) -> bool:
        """To be called at the end of the stream: True when it ended between two messages.

        What came after the last message and is no part of one is then in `take_noise`.
        """
        if self._wanted is None:
            self._keep_noise(bytes(self._buffer))
            self._buffer.clear()
            return True
        return False

    @property
    def has_noise(self) -> bool:
        """Whether `take_noise` has something to give."""
        return bool(self._noise)

    def take_noise(self) -> bytes:
        """What was skipped since the last call, oldest first; empty when every byte belonged to a message."""
        noise = bytes(self._noise)
        self._noise.clear()
        return noise

    def _take_bodies(self, bodies: list[bytes]) -> int:
        """Appends what is complete; returns where the unread rest begins."""
        start = 0
        while True:
            if self._wanted is None:
                start = self._read_header(start)
            if self._wanted is None:
                return start
            end = start + self._wanted
            if len(self._buffer) < end:
                return start
            bodies.append(bytes(memoryview(self._buffer)[start:end]))
            self._wanted = None
            start = end

    def _read_header(self, start: int) -> int:
        """Sets `_wanted` when a header is complete; returns where the unread rest begins."""
        line = _LENGTH_LINE.search(self._buffer, start)
        if line is None:
            return self._skip_noise(start)
        # Copied out of the match at once: a match that is alive keeps the buffer from being resized.
        line_start, line_end, length = line.start(), line.end(), bytes(line.group(1))
        del line
        end = self._buffer.find(_END_OF_HEADER, line_end - 2)
        if end < 0:
            if len(self._buffer) - line_end > MAX_HEADER:
                raise FramingBroken(f"a header does not end within {MAX_HEADER} bytes")
            return start
        self._wanted = _length(length)
        skipped = bytes(self._buffer[start:line_start])
        if not _HEADER_LINES.fullmatch(skipped):
            self._keep_noise(skipped)
        return end + len(_END_OF_HEADER)

    def _skip_noise(self, start: int) -> int:
        """Gives up the bytes that can no longer be the beginning of a header."""
        if len(self._buffer) - start <= MAX_HEADER:
            return start
        kept_from = max(self._buffer.rfind(b"\n", start) + 1, len(self._buffer) - MAX_HEADER // 2)
        self._keep_noise(bytes(self._buffer[start:kept_from]))
        return kept_from

    def _keep_noise(self, noise: bytes) -> None:
        self._noise += noise[: MAX_HEADER - len(self._noise)]


def _length(text: bytes) -> int:
    digits = text.strip()
    if not digits.isdigit():
        raise FramingBroken(f"a header names the length {digits[:_MAX_DIGITS]!r}, which is no number")
    if len(digits) > _MAX_DIGITS or int(digits) > MAX_BODY:
        raise FramingBroken(f"a header names a length of {digits[:_MAX_DIGITS].decode()}, more than {MAX_BODY} bytes")
    return int(digits)
