"""Owns why a breakpoint's condition cannot be tried, which adapters narrate before or after they act; asks nothing."""

from collections.abc import Callable, Sequence
from typing import Final

MOST: Final = 4000
"""Characters of narration that are looked through."""


class Troubles:
    """Pairs what an adapter narrates with the breakpoints that it has just set, or at which the program stops.

    `read` finds the words about a condition in a narration; `tell` is called with our ids and these words, in one line.
    """

    def __init__(self, read: Callable[[str], str | None], tell: Callable[[Sequence[int], str], None]) -> None:
        self._read = read
        self._tell = tell
        self._narration = ""
        self._hit: Sequence[int] = ()

    def narrated(self, text: str) -> None:
        """The adapter said something, of the stop that the program stands at or of one that is to come."""
        self._narration = (self._narration + text)[-MOST:]
        self._match()

    def met(self, our_ids: Sequence[int]) -> None:
        """The program stands at these breakpoints of ours, or they have just been set."""
        self._hit = our_ids
        self._match()

    def begin(self) -> None:
        """What is narrated from here on is of another stop, or of breakpoints that are about to be set."""
        self._narration, self._hit = "", ()

    def _match(self) -> None:
        if self._hit and (words := self._read(self._narration)) is not None:
            line = "; ".join(part for part in map(str.strip, words.splitlines()) if part)
            self._tell(self._hit, f"the condition cannot be tried: {line}")
