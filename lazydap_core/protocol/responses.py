"""Owns every response of protocol version 10, one struct a variant, named as on the wire."""

from typing import Any

from lazydap_core.domain.words import BreakpointAction, ErrorCode, SessionState, WaitOutcome, WatchAction
from lazydap_core.protocol.additions.exceptions import ExceptionDetails, ExceptionFilters
from lazydap_core.protocol.additions.moving import GotoTargetList, StepInTargetList
from lazydap_core.protocol.additions.muting import Muted
from lazydap_core.protocol.additions.named import DataBreakpoints, FunctionBreakpoints
from lazydap_core.protocol.additions.sources import SourceText
from lazydap_core.protocol.additions.starting import LaunchCancelled
from lazydap_core.protocol.additions.terminal import TerminalShown
from lazydap_core.protocol.additions.values import Completed, VariableSet
from lazydap_core.protocol.objects import (
    I32,
    I64,
    NULL,
    U32,
    U64,
    AdapterBreakpoint,
    BreakpointStatus,
    Capabilities,
    Check,
    Locals,
    OutputChunk,
    Scope,
    SessionId,
    SessionSummary,
    StackFrame,
    Stop,
    TerminalState,
    ThreadInfo,
    ThreadUpdate,
    Variable,
    WatchStatus,
    WireObject,
    check_u64,
    normalise_reason,
)


class Pong(WireObject, frozen=True, kw_only=True):
    """`features` names the additions of ours that this daemon has; other daemons leave it out."""

    version: U32
    instance: str
    uptime_ms: U64
    features: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_u64(self.uptime_ms)


class Status(WireObject, frozen=True, kw_only=True):
    instance: str
    daemon_pid: U32
    uptime_ms: U64
    protocol_version: U32
    lazydap_version: str
    session: SessionSummary | None = NULL
    root: str | None = None
    muted: bool | None = None
    not_saved: str | None = None

    def __post_init__(self) -> None:
        check_u64(self.uptime_ms)


class Version(WireObject, frozen=True, kw_only=True):
    lazydap: str
    protocol: U32


class Doctor(WireObject, frozen=True, kw_only=True):
    ok: bool
    checks: tuple[Check, ...]


class Launched(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    state: SessionState
    reason: str | None = NULL
    raw_reason: str | None = NULL
    thread_id: I64 | None = NULL
    capabilities: Capabilities
    breakpoints: tuple[BreakpointStatus, ...]
    adapter_command: str | None = None
    stop: Stop | None = None
    terminal: TerminalState | None = None

    def __post_init__(self) -> None:
        normalise_reason(self, self.reason)


class Disconnected(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    dry_run: bool
    terminated_debuggee: bool


class ShuttingDown(WireObject, frozen=True, kw_only=True):
    sessions: tuple[SessionSummary, ...]
    not_saved: str | None = None


class Continued(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    thread_id: I64 | None = NULL
    already_running: bool


class Stepped(WireObject, frozen=True, kw_only=True):
    """What a waiting execution request came to: the stable state (doc/protocol.md, "Waiting").

    `disconnected` is the feature `await_stop`: true where a client ended the program, and not the program itself.
    """

    state: WaitOutcome
    reason: str | None = NULL
    raw_reason: str | None = NULL
    thread_id: I64 | None = NULL
    adapter_thread_id: I64 | None = NULL
    all_threads_stopped: bool
    additional_stopped_threads: tuple[I64, ...]
    hit_breakpoint_ids: tuple[U32, ...]
    exit_code: I32 | None = NULL
    frame: StackFrame | None = NULL
    user_frame: StackFrame | None = NULL
    locals: Locals | None = NULL
    captured_output: tuple[OutputChunk, ...]
    output_truncated: bool
    dropped_events: U64
    breakpoint_updates: tuple[AdapterBreakpoint, ...]
    thread_updates: tuple[ThreadUpdate, ...]
    elapsed_ms: U64
    disconnected: bool | None = None

    def __post_init__(self) -> None:
        normalise_reason(self, self.reason)
        check_u64(self.dropped_events, self.elapsed_ms)


class Threads(WireObject, frozen=True, kw_only=True):
    """On the wire the bare array."""

    threads: tuple[ThreadInfo, ...]


class StackTrace(WireObject, frozen=True, kw_only=True):
    frames: tuple[StackFrame, ...]
    total: U32 | None = NULL


class Scopes(WireObject, frozen=True, kw_only=True):
    """On the wire the bare array."""

    scopes: tuple[Scope, ...]


class Variables(WireObject, frozen=True, kw_only=True):
    """Before version 8 on the wire the bare array of `variables`."""

    variables: tuple[Variable, ...]
    truncated: bool


class Evaluated(WireObject, frozen=True, kw_only=True):
    value: str
    type_name: str | None = None
    variables_reference: I64


class Output(WireObject, frozen=True, kw_only=True):
    chunks: tuple[OutputChunk, ...]
    dropped: U64

    def __post_init__(self) -> None:
        check_u64(self.dropped)


class Breakpoints(WireObject, frozen=True, kw_only=True):
    action: BreakpointAction
    dry_run: bool
    breakpoints: tuple[BreakpointStatus, ...]
    not_found: tuple[U32, ...]
    applied_to_session: bool
    not_saved: str | None = None


class Watches(WireObject, frozen=True, kw_only=True):
    action: WatchAction
    dry_run: bool
    watches: tuple[WatchStatus, ...]
    not_found: tuple[U32, ...]
    not_saved: str | None = None


class Error(WireObject, frozen=True, kw_only=True):
    """The payload `Error`: `code` from a closed set, one line for a person, and free-form `details`."""

    code: ErrorCode
    message: str
    details: Any


Response = (
    Pong
    | Status
    | Version
    | Doctor
    | Launched
    | Disconnected
    | ShuttingDown
    | Continued
    | Stepped
    | Threads
    | StackTrace
    | Scopes
    | Variables
    | Evaluated
    | Output
    | Breakpoints
    | Watches
    | VariableSet
    | Completed
    | GotoTargetList
    | StepInTargetList
    | ExceptionFilters
    | ExceptionDetails
    | SourceText
    | TerminalShown
    | LaunchCancelled
    | Muted
    | FunctionBreakpoints
    | DataBreakpoints
)
