"""Owns what a program's terminal has shown, and when that is told; knows no protocol and no session."""

import asyncio
from collections.abc import Callable
from typing import Final

from lazydap_daemon.terminal.pty import COLUMNS, ROWS, Pty
from lazydap_daemon.terminal.ring import Ring

BATCH_SECONDS: Final = 0.01
"""What comes within so long after something was told is told together."""

MAX_BATCH: Final = 256 * 1024
"""Bytes that are told at once at most; of more, the newest. The rest can be read as long as it is kept."""


class Terminal:
    """One program's terminal, written and shown.

    `on_batch` is called with the place of the first byte and the bytes, soon after they came, often enough for a person
    who types and seldom enough for a flood; a place that is beyond the end of the last batch means that bytes in
    between were not told.
    """

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self.pty = Pty(columns, rows)
        self.ring = Ring()
        self.on_batch: Callable[[int, bytes], None] = _tell_nobody
        self._told = 0
        self._due: asyncio.TimerHandle | None = None
        self._told_at = 0.0
        self.pty.on_output = self._take

    def catch_up(self) -> None:
        """Take and tell everything that the program has written so far."""
        self.pty.catch_up()
        self._tell()

    def close(self) -> None:
        """Take and tell what is left, and close the terminal; what it has shown stays readable."""
        self.pty.close()
        self._tell()

    def _take(self, data: bytes) -> None:
        self.ring.append(data)
        if self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_at(max(loop.time(), self._told_at + BATCH_SECONDS), self._tell)

    def _tell(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if self._told == self.ring.end:
            return
        place, data = self.ring.since(max(self._told, self.ring.end - MAX_BATCH))
        self._told = self.ring.end
        self._told_at = asyncio.get_running_loop().time()
        self.on_batch(place, data)


def _tell_nobody(place: int, data: bytes) -> None:
    del place, data
