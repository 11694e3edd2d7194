"""Owns the messages of `function_breakpoints` and `data_breakpoints`: breakpoints that are at no line of a file."""

from lazydap_core.domain.words import BreakpointAction, DataAccess
from lazydap_core.protocol.objects import (
    I64,
    NULL,
    U32,
    AdapterBreakpoint,
    NamedSelector,
    SessionId,
    WireObject,
)


class NewFunctionBreakpoint(WireObject, frozen=True, kw_only=True):
    name: str
    condition: str | None = None
    hit_condition: str | None = None
    enabled: bool


class FunctionBreakpointStatus(WireObject, frozen=True, kw_only=True):
    """`source` and `line` are where the function begins, where the adapter tells."""

    id: U32
    name: str
    condition: str | None = None
    hit_condition: str | None = None
    enabled: bool
    verified: bool
    source: str | None = None
    line: U32 | None = None
    message: str | None = None


class FunctionBreakpointList(WireObject, frozen=True, kw_only=True):
    pass


class FunctionBreakpointAdd(WireObject, frozen=True, kw_only=True):
    breakpoint: NewFunctionBreakpoint
    dry_run: bool


class FunctionBreakpointRemove(WireObject, frozen=True, kw_only=True):
    selector: NamedSelector
    dry_run: bool


class FunctionBreakpointToggle(WireObject, frozen=True, kw_only=True):
    selector: NamedSelector
    dry_run: bool


class FunctionBreakpoints(WireObject, frozen=True, kw_only=True):
    action: BreakpointAction
    dry_run: bool
    breakpoints: tuple[FunctionBreakpointStatus, ...]
    not_found: tuple[U32, ...]
    applied_to_session: bool
    not_saved: str | None = None


class FunctionBreakpointUpdated(WireObject, frozen=True, kw_only=True):
    """As `BreakpointUpdated`."""

    session_id: SessionId | None = NULL
    breakpoint: AdapterBreakpoint


class NewDataBreakpoint(WireObject, frozen=True, kw_only=True):
    """`name` is an expression in a frame, or with `variables_reference` a row of that container."""

    name: str
    variables_reference: I64 | None = None
    frame_id: I64 | None = None
    access: DataAccess
    condition: str | None = None
    hit_condition: str | None = None
    enabled: bool


class DataBreakpointStatus(WireObject, frozen=True, kw_only=True):
    """`description` is what the adapter says is watched."""

    id: U32
    name: str
    description: str | None = None
    access: DataAccess
    condition: str | None = None
    hit_condition: str | None = None
    enabled: bool
    verified: bool
    message: str | None = None


class DataBreakpointList(WireObject, frozen=True, kw_only=True):
    pass


class DataBreakpointAdd(WireObject, frozen=True, kw_only=True):
    session_id: SessionId
    breakpoint: NewDataBreakpoint
    dry_run: bool


class DataBreakpointRemove(WireObject, frozen=True, kw_only=True):
    selector: NamedSelector
    dry_run: bool


class DataBreakpointToggle(WireObject, frozen=True, kw_only=True):
    selector: NamedSelector
    dry_run: bool


class DataBreakpoints(WireObject, frozen=True, kw_only=True):
    action: BreakpointAction
    dry_run: bool
    breakpoints: tuple[DataBreakpointStatus, ...]
    not_found: tuple[U32, ...]
    applied_to_session: bool


class DataBreakpointUpdated(WireObject, frozen=True, kw_only=True):
    """As `BreakpointUpdated`."""

    session_id: SessionId | None = NULL
    breakpoint: AdapterBreakpoint
