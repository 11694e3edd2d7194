"""Owns how bodies are cut out of a byte stream and put into one; knows nothing of what a body says."""

import struct
from typing import Final

from lazydap_core.errors import FrameTooLarge

MAX_BODY: Final = 16 * 2**20
_HEADER: Final = struct.Struct(">I")


def frame(body: bytes) -> bytes:
    """Header and body as one piece, ready to be written. Raises FrameTooLarge over `MAX_BODY` bytes."""
    if len(body) > MAX_BODY:
        raise _too_large(len(body))
    return _HEADER.pack(len(body)) + body


class FrameDecoder:
    """Split a byte stream into lazydap frames.

    Sans-I/O: `feed` takes whatever arrived and returns the bodies that are complete, in order. At most one partial
    frame is kept, never more than `MAX_BODY` bytes and a header (doc/protocol.md, "Framing").

    Raises FrameTooLarge from `feed` as soon as a header claims more than `MAX_BODY`, before any of that body is kept;
    bodies that were complete before it are in the error's `complete`. The decoder is then broken and every later
    `feed` raises again.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._broken: FrameTooLarge | None = None

    def feed(self, data: bytes | bytearray | memoryview) -> list[bytes]:
        """The bodies that `data` completes; empty while a frame is still partial."""
        if self._broken is not None:
            raise _too_large(self._broken.details["frame_bytes"])
        buffer = self._buffer
        buffer += data
        bodies: list[bytes] = []
        start = 0
        while len(buffer) - start >= _HEADER.size:
            (length,) = _HEADER.unpack_from(buffer, start)
            if length > MAX_BODY:
                buffer.clear()
                self._broken = _too_large(length)
                self._broken.complete = tuple(bodies)
                raise self._broken
            end = start + _HEADER.size + length
            if len(buffer) < end:
                break
            bodies.append(bytes(memoryview(buffer)[start + _HEADER.size : end]))
            start = end
        if start:
            del buffer[:start]
        return bodies

    @property
    def is_between_frames(self) -> bool:
        """Whether the stream may end here: false inside a header or body, and once broken."""
        return not self._buffer and self._broken is None


def _too_large(length: int) -> FrameTooLarge:
    return FrameTooLarge(
        f"a frame of {length} bytes is over the limit of {MAX_BODY}: ask for less at once",
        frame_bytes=length,
        max_frame_bytes=MAX_BODY,
    )
