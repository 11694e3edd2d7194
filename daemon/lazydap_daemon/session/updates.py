"""Owns which of an adapter's words about single breakpoints become known, and when; sends nothing."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from lazydap_core.protocol import events, objects
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.book import Book, Kind

# Updates of breakpoints whose ids are not known yet, while they are being set.
EARLY_UPDATES: Final = 1000

EVENTS: Final[
    dict[
        Kind,
        type[events.BreakpointUpdated | events.FunctionBreakpointUpdated | events.DataBreakpointUpdated],
    ]
] = {
    "line": events.BreakpointUpdated,
    "function": events.FunctionBreakpointUpdated,
    "data": events.DataBreakpointUpdated,
}
"""What tells of the adapter's opinion on a breakpoint."""


class Updates:
    """Takes each `breakpoint` event into the book; `tell` is called where that changed what a client can see.

    LLDB reports a breakpoint once for each of its places, in equal words, and lldb-dap before the answer that
    introduces its id (doc/adapters.md, "Breakpoints"): such a word waits for the answer.
    """

    def __init__(self, book: Book, tell: Callable[[objects.AdapterBreakpoint], None]) -> None:
        self._book = book
        self._tell = tell
        self._pushes = 0
        self._early: list[dap.Breakpoint] = []

    def take(self, told: dap.Breakpoint) -> None:
        """One event of the adapter."""
        if self._book.is_filter(told.id) or self._book.is_guest(told.id):
            return
        if not self._book.knows(told.id):
            if self._pushes and len(self._early) < EARLY_UPDATES:
                self._early.append(told)
            else:
                self._tell(self._book.update(told))
            return
        before = self._book.told_of(told.id)
        update = self._book.update(told)
        if self._book.told_of(told.id) != before:
            self._tell(update)

    @contextmanager
    def held(self) -> Generator[None]:
        """While breakpoints are being set: what is told of unknown ones waits."""
        self._pushes += 1
        try:
            yield
        finally:
            self._pushes -= 1
            if not self._pushes:
                self.release()

    def release(self) -> None:
        """The answer to a `setBreakpoints` is in the book: take what was told before it."""
        early, self._early = self._early, []
        for told in early:
            if self._book.knows(told.id) or not self._pushes:
                self.take(told)
            else:
                self._early.append(told)
