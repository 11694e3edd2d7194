"""Owns when an answer's own time begins where an adapter works at one request at a time; sends nothing."""

import time

import anyio

from lazydap_daemon.dap.connection import Pending
from lazydap_daemon.session.racing import first_of


class Turns:
    """Gives each request its own time, which begins when those before it are answered, or have had theirs."""

    def __init__(self) -> None:
        self._asked: list[tuple[Pending, float]] = []

    async def begun(self, pending: Pending, seconds: float) -> None:
        """Return when the adapter can be at work at `pending`, which may itself take `seconds`; at once if it is."""
        now = time.monotonic()
        self._asked = [(other, due) for other, due in self._asked if not other.is_answered]
        before = [(other, due) for other, due in self._asked if other.seq < pending.seq]
        over = max((due for _, due in before), default=now)
        self._asked.append((pending, max(over, now) + seconds))
        if before:
            last = max((other for other, _ in before), key=lambda other: other.seq)
            with anyio.move_on_after(over - now):
                await first_of(last.answered, pending.answered)
