"""Owns the newest bytes of a stream that has no end, each known by its place in it; reads and writes nothing."""

from typing import Final

LIMIT: Final = 2**20
"""Bytes that are kept of one stream."""

_LONGEST_LINE: Final = 4096


class Ring:
    """The newest `limit` bytes of a stream; `start` is the place of the oldest, `end` that of the next to come."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._kept = bytearray()
        self.end = 0

    @property
    def start(self) -> int:
        """The place of the oldest byte that is kept; so many have been lost."""
        return self.end - len(self._kept)

    def append(self, data: bytes) -> None:
        """Take in what has come; the oldest give way."""
        self._kept += data
        self.end += len(data)
        del self._kept[: -self._limit]

    def since(self, place: int) -> tuple[int, bytes]:
        """What is kept from `place` on, and the place of its first byte.

        Where that is later than asked for, the bytes between are lost, and what is left begins with a line, so that
        nobody is given the rest of a torn escape sequence; only a line longer than a few thousand bytes is torn.
        """
        if place >= self.start:
            return min(place, self.end), bytes(self._kept[place - self.start :])
        line_end = self._kept.find(b"\n", 0, _LONGEST_LINE)
        return self.start + line_end + 1, bytes(self._kept[line_end + 1 :])
