"""Owns every event of protocol version 10 and of our features, one struct a variant, named as on the wire."""

from typing import Final

from lazydap_core.domain.words import AdapterKind, Channel
from lazydap_core.protocol.additions.exceptions import ExceptionFiltersChanged
from lazydap_core.protocol.additions.muting import MuteChanged
from lazydap_core.protocol.additions.named import DataBreakpointUpdated, FunctionBreakpointUpdated
from lazydap_core.protocol.additions.state_file import StateFile
from lazydap_core.protocol.additions.terminal import Terminal
from lazydap_core.protocol.objects import (
    I64,
    NULL,
    U32,
    AdapterBreakpoint,
    EndReason,
    OutputChunk,
    SessionId,
    Stop,
    ThreadUpdate,
    WireObject,
    normalise_reason,
)


class SessionStarted(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    adapter: AdapterKind
    by: str | None = None


class SessionEnded(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    reason: EndReason
    by: str | None = None


class Stopped(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    thread_id: I64 | None = NULL
    adapter_thread_id: I64 | None = NULL
    reason: str
    raw_reason: str | None = NULL
    all_threads_stopped: bool
    hit_breakpoint_ids: tuple[U32, ...]
    by: str | None = None

    def __post_init__(self) -> None:
        normalise_reason(self, self.reason)


class Continued(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    thread_id: I64 | None = NULL
    all_threads_continued: bool
    by: str | None = None


class Output(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    chunk: OutputChunk


class BreakpointUpdated(WireObject, frozen=True, kw_only=True):
    """With a session id: its adapter's opinion. Without: the project's list changed, read it again."""

    session_id: SessionId | None = NULL
    breakpoint: AdapterBreakpoint


class ThreadChanged(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    update: ThreadUpdate


class WatchUpdated(WireObject, frozen=True, kw_only=True):
    watch_id: U32


class StopDetail(WireObject, frozen=True, kw_only=True):
    """Feature `stop_detail`: follows `Stopped` when the frame is known, again with the locals."""

    session_id: SessionId
    stop: Stop


Event = (
    SessionStarted
    | SessionEnded
    | Stopped
    | Continued
    | Output
    | BreakpointUpdated
    | ThreadChanged
    | WatchUpdated
    | StopDetail
    | ExceptionFiltersChanged
    | StateFile
    | Terminal
    | MuteChanged
    | FunctionBreakpointUpdated
    | DataBreakpointUpdated
)

CHANNELS: Final[dict[type[Event], Channel]] = {
    SessionStarted: "session_started",
    SessionEnded: "session_ended",
    Stopped: "stopped",
    Continued: "continued",
    Output: "output",
    BreakpointUpdated: "breakpoint_updated",
    ThreadChanged: "thread_changed",
    WatchUpdated: "watch_updated",
    StopDetail: "stop_detail",
    ExceptionFiltersChanged: "exception_filters_changed",
    StateFile: "state_file",
    Terminal: "terminal",
    MuteChanged: "mute_changed",
    FunctionBreakpointUpdated: "function_breakpoint_updated",
    DataBreakpointUpdated: "data_breakpoint_updated",
}
