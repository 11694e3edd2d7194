"""Owns how what stops a program beside breakpoints on lines reads in the list of breakpoints; asks nobody."""

from typing import Any, Final

from lazydap_core.protocol.additions.exceptions import ExceptionFilter
from lazydap_core.protocol.additions.named import DataBreakpointStatus, FunctionBreakpointStatus
from lazydap_nvim.model import Project, one_line

ACCESS: Final = {"write": "", "read": "(read)", "read_write": "(read or write)"}
ON_FUNCTION: Final = "one on a function prints nothing: put `log` on its first line"
ON_DATA: Final = "a watched value prints nothing: put a breakpoint with log on the lines that change it"
NO_HITS: Final = "exceptions are not counted: put a breakpoint with a hit count on a line"
NO_LOG: Final = "an exception prints nothing: put a breakpoint with log on a line"

Json = Any


def of_project(project: Project) -> list[Json]:
    """Its entries without a place, with what the keys of the list need; `refused` says why a part makes no sense."""
    told = project.stoppers
    return [
        *(_function(one, project) for one in told.functions),
        *(_data(one, project) for one in told.data if project.live is not None),
        *(_exceptions(one, project) for one in told.filters if _is_listed(one, project)),
    ]


def _is_listed(one: ExceptionFilter, project: Project) -> bool:
    # With nothing live the defaults of each adapter there is would fill the list.
    return one.chosen or (one.enabled and project.live is not None)


def _function(one: FunctionBreakpointStatus, project: Project) -> Json:
    words = ["function", one.name, *_parts(one)]
    return _named(one, project, words) | {"kind": "function", "refused": {"log_message": ON_FUNCTION}}


def _data(one: DataBreakpointStatus, project: Project) -> Json:
    words = ["data", one.name, ACCESS[one.access], *_parts(one)]
    return _named(one, project, words) | {"kind": "data", "refused": {"log_message": ON_DATA}}


def _parts(one: FunctionBreakpointStatus | DataBreakpointStatus) -> list[str]:
    condition = "" if one.condition is None else f"if {one.condition}"
    return [condition, "" if one.hit_condition is None else f"hit {one.hit_condition}"]


def _named(one: FunctionBreakpointStatus | DataBreakpointStatus, project: Project, words: list[str]) -> dict[str, Json]:
    state = _state(one, project)
    told = one.message if one.message and project.live is not None else ""
    return {
        "id": one.id,
        "root": project.root,
        "name": one.name,
        "text": _text(state, words, told),
        "enabled": one.enabled,
        "condition": one.condition,
        "hit_condition": one.hit_condition,
    }


def _state(one: FunctionBreakpointStatus | DataBreakpointStatus, project: Project) -> str:
    if not one.enabled:
        return "disabled"
    if project.muted:
        return "muted"
    if project.live is None or one.verified:
        return ""
    return "rejected" if one.message else "pending"


def _exceptions(one: ExceptionFilter, project: Project) -> Json:
    condition = "" if one.condition is None else f"if {one.condition}"
    # With nothing live the choices for several adapters stand side by side.
    adapter = "" if project.live is not None else f"({one.adapter})"
    refused = {"hit_condition": NO_HITS, "log_message": NO_LOG}
    if not one.supports_condition:
        refused["condition"] = f"{one_line(one.filter, 60)} takes no condition with {one.adapter}"
    return {
        "root": project.root,
        "text": _text("" if one.enabled else "disabled", ["exceptions", one.filter, adapter, condition]),
        "kind": "exceptions",
        "adapter": one.adapter,
        "filter": one.filter,
        "enabled": one.enabled,
        "condition": one.condition,
        "refused": refused,
    }


def _text(state: str, words: list[str], told: str = "") -> str:
    said = " ".join(word for word in (f"[{state}]" if state else "", *words) if word)
    return one_line(f"{said}: {told}" if told else said)
