"""Owns how long an answer may take where an adapter works at one request at a time; sends nothing."""

import time

from lazydap_daemon.dap.connection import Pending


class Turns:
    """Gives each request its own time, which begins when those before it have had theirs."""

    def __init__(self) -> None:
        self._due: list[tuple[Pending, float]] = []

    def limit(self, pending: Pending, seconds: float) -> float:
        """In how many seconds from now `pending` must be answered, if it may itself take `seconds`."""
        now = time.monotonic()
        self._due = [(other, due) for other, due in self._due if not other.is_answered]
        begins = max((due for other, due in self._due if other.seq < pending.seq), default=now)
        due = max(begins, now) + seconds
        self._due.append((pending, due))
        return due - now
