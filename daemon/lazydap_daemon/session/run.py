"""Owns what clients have been told of the run under way."""

import asyncio
from collections.abc import Callable
from typing import Final

import anyio

from lazydap_core.protocol import events

# A step is mostly over sooner than this. What is told while it is under way makes clients run when the adapter needs
# the processor, so it waits for the end of the step, but no longer (doc/decisions.md, "The way of a step").
UNTOLD: Final = 0.01


class Run:
    """The run of a program between two stops.

    `is_announced` while nothing more has to be said of it, `is_expected` while the adapter's own word on a movement of
    ours may still come.
    """

    def __init__(self, emit: Callable[[events.Event], object]) -> None:
        self.is_announced = True
        self.is_expected = False
        self._emit = emit
        self._untold: events.Continued | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._told = anyio.Event()

    def begin(self, *, is_ours: bool) -> None:
        """The program starts to move."""
        self.is_announced = False
        self.is_expected |= is_ours

    def end(self) -> None:
        """It stands, or has never moved: there is nothing more to announce."""
        self.is_announced = True

    def announce(self, event: events.Continued) -> None:
        """Tell that it runs, once; within `UNTOLD` seconds, and before anything else that is told."""
        if not self.is_announced:
            self.is_announced = True
            self._untold = event
            self._told = anyio.Event()
            self._timer = asyncio.get_running_loop().call_later(UNTOLD, self.tell)

    def tell(self) -> None:
        """Tell now what has been announced."""
        untold, self._untold = self._untold, None
        if untold is not None:
            if self._timer is not None:
                self._timer.cancel()
            self._emit(untold)
            self._told.set()

    async def told(self) -> None:
        """Return when what has been announced has been told."""
        if self._untold is not None:
            await self._told.wait()
