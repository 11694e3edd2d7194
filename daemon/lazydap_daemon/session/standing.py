"""Owns the record of one stop: why the program stands, where, and what has been read of it so far."""

from typing import NamedTuple

import anyio

from lazydap_core.protocol import events, objects
from lazydap_daemon.dap import messages as dap


class Page(NamedTuple):
    """The first rows of a container; `is_whole` when there are no more."""

    rows: tuple[dap.Variable, ...]
    is_whole: bool


class Standing:
    """One stop of one session, from the adapter's `stopped` until the program moves.

    `stopped` is how it was told, `generation` counts the stops of the session from 1. `frame_known` and `locals_known`
    are set when the daemon's own reading has come that far, whether or not it found anything.
    """

    def __init__(self, stopped: events.Stopped, *, generation: int, motion: int, text: str | None) -> None:
        self.stopped = stopped
        self.generation = generation
        self.motion = motion
        self.thread_id = stopped.thread_id
        self.reason = stopped.reason
        self.raw_reason = stopped.raw_reason
        self.text = text
        self.top: dap.StackFrame | None = None
        self.frame_count: int | None = None
        self.user: dap.StackFrame | None = None
        self.frame: objects.StackFrame | None = None
        self.user_frame: objects.StackFrame | None = None
        self.locals: objects.Locals | None = None
        self.frames: dict[int, dap.StackFrame] = {}
        self.scopes: dict[int, tuple[dap.Scope, ...]] = {}
        self.pages: dict[int, Page] = {}
        self.containers: dict[tuple[int, str], Page] = {}
        self.sizes: dict[int, tuple[int, int]] = {}
        self.frame_known = anyio.Event()
        self.locals_known = anyio.Event()

    def told(self) -> objects.Stop:
        """The stop as clients of `stop_detail` see it now."""
        return objects.Stop(
            generation=self.generation,
            thread_id=self.thread_id,
            reason=self.reason,
            text=self.text,
            frame=self.frame,
            user_frame=self.user_frame,
            locals=self.locals,
        )

    def forget_values(self) -> None:
        """Drop what an evaluation may have changed."""
        self.scopes.clear()
        self.pages.clear()
        self.containers.clear()
