"""Owns every request of protocol version 10, one struct a variant, named as on the wire."""

from typing import Any

from lazydap_core.domain.words import AdapterKind, Channel, EvalContext, StepKind, VariableFilter
from lazydap_core.protocol.additions.exceptions import ExceptionFilterList, ExceptionFilterSet, ExceptionInfo
from lazydap_core.protocol.additions.following import BreakpointMove
from lazydap_core.protocol.additions.moving import AwaitStop, Goto, GotoTargets, RunTo, StepInTargets
from lazydap_core.protocol.additions.muting import Mute
from lazydap_core.protocol.additions.named import (
    DataBreakpointAdd,
    DataBreakpointList,
    DataBreakpointRemove,
    DataBreakpointToggle,
    FunctionBreakpointAdd,
    FunctionBreakpointList,
    FunctionBreakpointRemove,
    FunctionBreakpointToggle,
)
from lazydap_core.protocol.additions.sources import Source
from lazydap_core.protocol.additions.starting import Attach, CancelLaunch, Restart
from lazydap_core.protocol.additions.terminal import TerminalRead, TerminalResize, TerminalWrite
from lazydap_core.protocol.additions.values import Complete, SetExpression, SetVariable
from lazydap_core.protocol.objects import (
    I64,
    NULL,
    U32,
    U64,
    BreakpointSelector,
    NewBreakpoint,
    NewWatch,
    SessionId,
    WaitMode,
    WatchSelector,
    WireObject,
    check_u64,
)


class Ping(WireObject, frozen=True, kw_only=True):
    pass


class Status(WireObject, frozen=True, kw_only=True):
    pass


class Shutdown(WireObject, frozen=True, kw_only=True):
    """Frozen for all versions: it must never get a field."""


class Version(WireObject, frozen=True, kw_only=True):
    pass


class Doctor(WireObject, frozen=True, kw_only=True):
    """What to check; travels only before version 10, since then everything is checked."""

    check_adapters: bool = True
    check_state: bool = True


class Launch(WireObject, frozen=True, kw_only=True):
    """`options` is the feature `launch_options`; see `LaunchOptions` for its keys."""

    adapter: AdapterKind
    program: str
    args: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    stop_on_entry: bool
    adapter_command: str | None = None
    options: dict[str, Any] | None = None


class Disconnect(WireObject, frozen=True, kw_only=True):
    """`even_attached` is the feature `attach`: `terminate` also ends a program that was there before the session."""

    session_id: SessionId
    terminate: bool
    dry_run: bool
    even_attached: bool | None = None


class Continue(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    thread_id: I64 | None = NULL
    wait: WaitMode
    all_threads: bool


class Step(WireObject, frozen=True, kw_only=True):
    """`target_id` is the feature `step_in_targets`: the call that a step in is to enter."""

    session_id: SessionId
    thread_id: I64 | None = NULL
    kind: StepKind
    wait: WaitMode
    target_id: I64 | None = None


class Pause(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    thread_id: I64 | None = NULL
    wait: WaitMode


class Threads(WireObject, frozen=True, kw_only=True):
    session_id: SessionId


class StackTrace(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    thread_id: I64 | None = NULL
    start_frame: U32 | None = NULL
    levels: U32 | None = NULL


class Scopes(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    frame_id: I64 | None = NULL


class Variables(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    variables_reference: I64
    filter: VariableFilter
    start: U32 | None = NULL
    count: U32 | None = NULL
    max: U32 | None = NULL


class Eval(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    expression: str
    frame_id: I64 | None = NULL
    context: EvalContext


class Output(WireObject, frozen=True, kw_only=True):
    """`after_seq` is the feature `output_seq`: only chunks with a higher number."""

    session_id: SessionId
    since_ms: U64 | None = NULL
    after_seq: U64 | None = None

    def __post_init__(self) -> None:
        check_u64(self.since_ms)
        check_u64(self.after_seq)


class BreakpointList(WireObject, frozen=True, kw_only=True):
    pass


class BreakpointAdd(WireObject, frozen=True, kw_only=True):
    """`program_line` is the feature of that name: the line in the text that the program was made of, 0 for none."""

    breakpoint: NewBreakpoint
    dry_run: bool
    program_line: U32 | None = None


class BreakpointRemove(WireObject, frozen=True, kw_only=True):
    selector: BreakpointSelector
    dry_run: bool


class BreakpointToggle(WireObject, frozen=True, kw_only=True):
    selector: BreakpointSelector
    dry_run: bool


class Subscribe(WireObject, frozen=True, kw_only=True):
    channels: tuple[Channel, ...]


class WatchList(WireObject, frozen=True, kw_only=True):
    pass


class WatchAdd(WireObject, frozen=True, kw_only=True):
    watch: NewWatch
    dry_run: bool


class WatchRemove(WireObject, frozen=True, kw_only=True):
    selector: WatchSelector
    dry_run: bool


DaemonRequest = Ping | Status | Shutdown | Version | Doctor | Subscribe | WatchList | WatchAdd | WatchRemove
"""What concerns the daemon itself and the project's watches."""

MoveRequest = Continue | Step | Pause | RunTo | Goto
"""What moves or stops the program, one at a time."""

InspectRequest = (
    AwaitStop
    | Threads
    | StackTrace
    | Scopes
    | Variables
    | Eval
    | Output
    | SetVariable
    | SetExpression
    | Complete
    | GotoTargets
    | StepInTargets
    | ExceptionInfo
    | Source
)
"""What is asked about a session."""

BreakpointRequest = BreakpointList | BreakpointAdd | BreakpointRemove | BreakpointToggle | BreakpointMove
"""What concerns the project's breakpoints, with a session or without."""

NamedRequest = (
    FunctionBreakpointList
    | FunctionBreakpointAdd
    | FunctionBreakpointRemove
    | FunctionBreakpointToggle
    | DataBreakpointList
    | DataBreakpointAdd
    | DataBreakpointRemove
    | DataBreakpointToggle
)
"""What concerns breakpoints that are at no line."""

KeptRequest = ExceptionFilterList | ExceptionFilterSet | Mute | NamedRequest
"""What else the project keeps about stopping, with a session or without."""

TerminalRequest = TerminalRead | TerminalWrite | TerminalResize
"""What concerns the terminal of a session's program."""

StartRequest = Launch | Attach | Restart | CancelLaunch
"""What begins a session, or gives that up."""

SessionRequest = (
    StartRequest | Disconnect | MoveRequest | InspectRequest | BreakpointRequest | KeptRequest | TerminalRequest
)
"""What the session engine answers."""

Request = DaemonRequest | SessionRequest
