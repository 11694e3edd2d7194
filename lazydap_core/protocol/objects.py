"""Owns the objects that requests, responses and events share, in the shape of protocol version 10.

Key order is declaration order. A field with `= NULL` is written as null when absent; a field with `= None` is left out
when absent (doc/protocol.md, "Absent values").
"""

from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from lazydap_core.domain.words import AdapterKind, SessionState, ThreadChange, output_category, pause_reason

U64_MAX: Final = 2**64 - 1

U32 = Annotated[int, Meta(ge=0, le=2**32 - 1)]
# msgspec's bounds end at 2**63: who has such a field checks it in `__post_init__`.
U64 = Annotated[int, Meta(ge=0)]
I32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
I64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
SessionId = UUID
Cells = Annotated[int, Meta(ge=1, le=9999)]
"""Columns or rows of a terminal."""


def _null() -> None:
    return None


# omit_defaults leaves out a plain `None`; a factory's value is never left out.
NULL: Any = msgspec.field(default_factory=_null)


class WireObject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of everything that travels; never sent itself."""


def check_u64(*numbers: int | None) -> None:
    """Raises ValueError, which a decoder reports as its own, when a number needs more than 64 bits."""
    for number in numbers:
        if number is not None and number > U64_MAX:
            raise ValueError(f"Expected `int` <= {U64_MAX}")


def normalise_reason(struct: msgspec.Struct, reason: str | None) -> None:
    """Replaces the `reason` of a struct that is being made by lazydap's spelling of that word."""
    if reason is not None:
        word = pause_reason(reason)
        if word is not reason:
            msgspec.structs.force_setattr(struct, "reason", word)


class Source(WireObject, frozen=True, kw_only=True):
    name: str | None = None
    path: str | None = None
    source_reference: I64 | None = None


class StackFrame(WireObject, frozen=True, kw_only=True):
    id: I64
    name: str
    source: Source | None = None
    line: U32
    column: U32


class Scope(WireObject, frozen=True, kw_only=True):
    name: str
    variables_reference: I64
    expensive: bool
    named_variables: U32 | None = None
    indexed_variables: U32 | None = None


class Variable(WireObject, frozen=True, kw_only=True):
    name: str
    value: str
    type_name: str | None = None
    evaluate_name: str | None = None
    variables_reference: I64
    named_variables: U32 | None = None
    indexed_variables: U32 | None = None


class ThreadInfo(WireObject, frozen=True, kw_only=True):
    id: I64
    name: str | None = None


class ThreadUpdate(WireObject, frozen=True, kw_only=True):
    thread_id: I64
    kind: ThreadChange
    name: str | None = None


class OutputChunk(WireObject, frozen=True, kw_only=True):
    """`category` is one of `OUTPUT_CATEGORIES` however the other side spells it, or the adapter's own word.

    `seq` is the feature `output_seq`: the number of the chunk in its session, which only grows.
    """

    category: str
    output: str
    timestamp_ms: U64
    seq: U64 | None = None

    def __post_init__(self) -> None:
        word = output_category(self.category)
        if word is not self.category:
            msgspec.structs.force_setattr(self, "category", word)
        check_u64(self.timestamp_ms)
        check_u64(self.seq)


class Capabilities(WireObject, frozen=True, kw_only=True):
    supports_configuration_done_request: bool
    supports_function_breakpoints: bool
    supports_conditional_breakpoints: bool
    supports_variable_paging: bool


class NewBreakpoint(WireObject, frozen=True, kw_only=True):
    """`anchor` is the feature `breakpoint_move`: the text around the line, by which it is found again."""

    source: str
    line: U32
    column: U32 | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None
    enabled: bool
    anchor: str | None = None


class BreakpointStatus(WireObject, frozen=True, kw_only=True):
    id: U32
    source: str
    line: U32
    column: U32 | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None
    enabled: bool
    verified: bool
    adapter_line: U32 | None = None
    message: str | None = None
    anchor: str | None = None


class AdapterBreakpoint(WireObject, frozen=True, kw_only=True):
    id: U32 | None = None
    adapter_id: I64 | None = None
    verified: bool
    line: U32 | None = None
    message: str | None = None


class NewWatch(WireObject, frozen=True, kw_only=True):
    expression: str
    label: str | None = None


class WatchStatus(WireObject, frozen=True, kw_only=True):
    id: U32
    expression: str
    label: str | None = None


class Location(WireObject, frozen=True, kw_only=True):
    source: str
    line: U32


class ByIds(WireObject, frozen=True, kw_only=True):
    """Selects by id; `{"Ids":[…]}`."""

    ids: tuple[U32, ...]


class ByLocation(WireObject, frozen=True, kw_only=True):
    """Selects the breakpoint of one line; `{"Location":{…}}`."""

    location: Location


class BySource(WireObject, frozen=True, kw_only=True):
    """Selects the breakpoints of one file; `{"Source":"…"}`."""

    source: str


class ByExpression(WireObject, frozen=True, kw_only=True):
    """Selects the watch with exactly this text; `{"Expression":"…"}`."""

    expression: str


class ByName(WireObject, frozen=True, kw_only=True):
    """Selects the breakpoint of exactly this function or value; `{"Name":"…"}`."""

    name: str


class Everything(WireObject, frozen=True, kw_only=True):
    """Selects all; the bare string `"All"`."""


BreakpointSelector = ByIds | ByLocation | BySource | Everything
WatchSelector = ByIds | ByExpression | Everything
NamedSelector = ByIds | ByName | Everything


class NoWait(WireObject, frozen=True, kw_only=True):
    """Answer as soon as the adapter has accepted; the bare string `"NoWait"`."""


class Wait(WireObject, frozen=True, kw_only=True):
    """Answer at the next stop or ending; null is 30 s, 0 is no limit (milliseconds)."""

    timeout_ms: U32 | None = NULL


WaitMode = NoWait | Wait


class Locals(WireObject, frozen=True, kw_only=True):
    """The first page of a frame's local variables, at most 100 rows; `truncated` when there are more."""

    frame_id: I64
    variables_reference: I64
    variables: tuple[Variable, ...]
    truncated: bool


class Stop(WireObject, frozen=True, kw_only=True):
    """Feature `stop_detail`: where and why the program stands; `generation` counts the stops of one session.

    `frame` is the top frame, `user_frame` the nearest one with a source where the top frame has none. `locals` belongs
    to `user_frame` if present, else to `frame`, and is null until known.
    """

    generation: U64
    thread_id: I64 | None = NULL
    reason: str | None = NULL
    text: str | None = NULL
    frame: StackFrame | None = NULL
    user_frame: StackFrame | None = NULL
    locals: Locals | None = NULL

    def __post_init__(self) -> None:
        check_u64(self.generation)


class TerminalState(WireObject, frozen=True, kw_only=True):
    """Feature `terminal`: the program has a terminal, which has shown `shown` bytes; open while somebody can type."""

    columns: U32
    rows: U32
    shown: U64
    is_open: bool

    def __post_init__(self) -> None:
        check_u64(self.shown)


class SessionSummary(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    adapter: AdapterKind
    program: str
    state: SessionState
    exit_code: I32 | None = NULL
    buffered_events: U64
    captured_output_chunks: U64
    dropped_events: U64
    uptime_ms: U64
    adapter_command: str | None = None
    stop: Stop | None = None
    terminal: TerminalState | None = None
    attached: bool | None = None

    def __post_init__(self) -> None:
        check_u64(self.buffered_events, self.captured_output_chunks, self.dropped_events, self.uptime_ms)


class Check(WireObject, frozen=True, kw_only=True):
    name: str
    ok: bool
    detail: str


class Exited(WireObject, frozen=True, kw_only=True):
    """`{"exited":{"exit_code":n|null}}`."""

    exit_code: I32 | None = NULL


class AdapterDied(WireObject, frozen=True, kw_only=True):
    """`{"adapter_died":{"detail":"…"}}`."""

    detail: str


EndReason = Literal["disconnected", "terminated"] | Exited | AdapterDied


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Feature `launch_options`: the keys of `Launch.options` (doc/protocol.md, "launch_options").

    `client_env` is the client's whole environment, `timeout_ms` bounds the launch, `adapter` names the program that
    serves a `codelldb` launch (`codelldb` or `lldb-dap`), `python` is the debuggee's interpreter. `terminal` gives the
    program a terminal, of the size `terminal_size` (columns, rows).
    """

    python: str | None = None
    module: str | None = None
    mode: str | None = None
    just_my_code: bool | None = None
    timeout_ms: int | None = None
    client_env: dict[str, str] | None = None
    source_map: dict[str, str] | None = None
    adapter: str | None = None
    terminal: bool | None = None
    terminal_size: tuple[Cells, Cells] | None = None
