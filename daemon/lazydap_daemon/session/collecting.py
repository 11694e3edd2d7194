"""Owns what a waiting execution request gathers until it settles; sees events only, no adapter and no clock."""

from collections.abc import Iterable
from typing import Final, assert_never

from lazydap_core.domain.words import WaitOutcome
from lazydap_core.protocol import events, objects
from lazydap_daemon.session.history import Numbered

MAX_CAPTURED_BYTES: Final = 1_000_000


class Collector:
    """Gathers the events of one wait (doc/protocol.md, "Waiting").

    `outcome` is None until a stop or an ending settles it. With `all_threads` only a stop that says all threads stand
    settles. Events numbered at or below `high_water` are already in, and are ignored when fed again.
    """

    def __init__(self, *, all_threads: bool) -> None:
        self._all_threads = all_threads
        self.outcome: WaitOutcome | None = None
        self.stop: events.Stopped | None = None
        self.all_threads_stopped = False
        self.additional_threads: list[int] = []
        self.exit_code: int | None = None
        self.chunks: list[objects.OutputChunk] = []
        self.is_truncated = False
        self.dropped_events = 0
        self.breakpoints: list[objects.AdapterBreakpoint] = []
        self.threads: list[objects.ThreadUpdate] = []
        self.high_water = 0
        self._captured_bytes = 0
        self._is_full = False

    def fold_backlog(self, backlog: Iterable[Numbered], *, lost: int, high_water: int) -> None:
        """Take in what no earlier wait delivered: output, breakpoint and thread changes, never a stop or an ending."""
        for _, event in backlog:
            if isinstance(event, events.Output | events.BreakpointUpdated | events.ThreadChanged):
                self._take(event)
        if lost:
            self.dropped_events += lost
            self.is_truncated = True
        self.high_water = high_water

    def adopt(self, event: events.Stopped | events.SessionEnded) -> None:
        """Settle on what came before this wait: the stop at which the program stands, or its ending."""
        self._take(event)

    def feed(self, numbered: Numbered) -> None:
        """Take in one live event; after the outcome is known it only adds to it."""
        if numbered.number <= self.high_water:
            return
        self.high_water = numbered.number
        self._take(numbered.event)

    def _take(self, event: events.Event) -> None:
        match event:
            case events.Output():
                self._take_output(event.chunk)
            case events.BreakpointUpdated():
                self._take_breakpoint(event.breakpoint)
            case events.ThreadChanged():
                self.threads.append(event.update)
            case events.Stopped():
                self._take_stop(event)
            case events.SessionEnded():
                self._take_ending(event.reason)
            case _:
                # Everything else is for subscribers alone.
                pass

    def _take_output(self, chunk: objects.OutputChunk) -> None:
        # What is kept is a prefix: once a chunk did not fit, none after it is taken.
        size = len(chunk.output.encode(errors="surrogatepass"))
        if self._is_full or self._captured_bytes + size > MAX_CAPTURED_BYTES:
            self._is_full = self.is_truncated = True
            return
        self._captured_bytes += size
        self.chunks.append(chunk)

    def _take_breakpoint(self, update: objects.AdapterBreakpoint) -> None:
        for index, known in enumerate(self.breakpoints):
            if is_same_breakpoint(known, update):
                self.breakpoints[index] = update
                return
        self.breakpoints.append(update)

    def _take_stop(self, stop: events.Stopped) -> None:
        self.all_threads_stopped = self.all_threads_stopped or stop.all_threads_stopped
        if self.stop is None:
            self.stop = stop
        elif (
            stop.thread_id is not None
            and stop.thread_id != self.stop.thread_id
            and stop.thread_id not in self.additional_threads
        ):
            self.additional_threads.append(stop.thread_id)
        if self.outcome is None and (not self._all_threads or stop.all_threads_stopped):
            self.outcome = "paused"

    def _take_ending(self, reason: objects.EndReason) -> None:
        outcome: WaitOutcome
        match reason:
            case objects.Exited():
                self.exit_code = reason.exit_code
                outcome = "exited"
            case objects.AdapterDied():
                outcome = "adapter_died"
            case "disconnected" | "terminated":
                outcome = "terminated"
            case _:
                assert_never(reason)
        # A program that stopped and ended within the coalescing window still stopped.
        if self.outcome is None:
            self.outcome = outcome


def is_same_breakpoint(known: objects.AdapterBreakpoint, update: objects.AdapterBreakpoint) -> bool:
    """Whether two updates speak of one breakpoint: equal adapter ids where both have one, else equal ids of ours."""
    if known.adapter_id is not None and update.adapter_id is not None:
        return known.adapter_id == update.adapter_id
    return known.id is not None and known.id == update.id
