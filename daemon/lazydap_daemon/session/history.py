"""Owns the numbered record of what one session has emitted, and what of it a waiting client was already given."""

from collections import deque
from typing import Final, NamedTuple

from lazydap_core.protocol import events, objects

MAX_EVENTS: Final = 4096
MAX_OUTPUT_BYTES: Final = 8 * 2**20


class Numbered(NamedTuple):
    """An event and its number in the session, counted from 1."""

    number: int
    event: events.Event


class History:
    """The last events of a session, at most `MAX_EVENTS` and `MAX_OUTPUT_BYTES` of output; the oldest fall out.

    `delivered` is the highest number that a waiting reply has carried; it never goes back.
    """

    def __init__(self) -> None:
        self._ring: deque[Numbered] = deque()
        self._output_bytes = 0
        self.last_number = 0
        self.delivered = 0
        self.dropped = 0
        self.output_count = 0

    def __len__(self) -> int:
        return len(self._ring)

    def append(self, event: events.Event) -> Numbered:
        """Number the event and keep it."""
        self.last_number += 1
        numbered = Numbered(self.last_number, event)
        self._ring.append(numbered)
        if isinstance(event, events.Output):
            self.output_count += 1
            self._output_bytes += len(event.chunk.output)
        while len(self._ring) > MAX_EVENTS or (self._output_bytes > MAX_OUTPUT_BYTES and len(self._ring) > 1):
            self._drop_oldest()
        return numbered

    def _drop_oldest(self) -> None:
        oldest = self._ring.popleft().event
        self.dropped += 1
        if isinstance(oldest, events.Output):
            self.output_count -= 1
            self._output_bytes -= len(oldest.chunk.output)

    def since(self, number: int) -> tuple[Numbered, ...]:
        """The kept events numbered above `number`, oldest first."""
        return tuple(kept for kept in self._ring if kept.number > number)

    def lost_since(self, number: int) -> int:
        """How many events numbered above `number` have fallen out."""
        first_kept = self._ring[0].number if self._ring else self.last_number + 1
        return max(0, first_kept - number - 1)

    def mark_delivered(self, number: int) -> None:
        """Remember that a reply carried everything up to `number`."""
        self.delivered = max(self.delivered, number)

    def output(self) -> tuple[objects.OutputChunk, ...]:
        """The kept output, oldest first."""
        return tuple(event.chunk for _, event in self._ring if isinstance(event, events.Output))
