"""Owns which answers wait until the project is saved, and what they say of that; knows no file and no session."""

from typing import Final, TypeVar

import msgspec

from lazydap_core.protocol import requests, responses
from lazydap_daemon.store.project import ProjectStore

_CHANGES: Final = (
    requests.BreakpointAdd,
    requests.BreakpointRemove,
    requests.BreakpointToggle,
    requests.BreakpointMove,
    requests.FunctionBreakpointAdd,
    requests.FunctionBreakpointRemove,
    requests.FunctionBreakpointToggle,
    requests.ExceptionFilterSet,
    requests.WatchAdd,
    requests.WatchRemove,
)
_TELLING: Final = (
    responses.Breakpoints,
    responses.FunctionBreakpoints,
    responses.ExceptionFilters,
    responses.Muted,
    responses.Watches,
    responses.Status,
)

Payload = TypeVar("Payload", bound=responses.Response)


def changes_project(request: requests.Request) -> bool:
    """Whether the request changes something that state.toml keeps."""
    return isinstance(request, requests.Mute) or (isinstance(request, _CHANGES) and not request.dry_run)


def as_saved(payload: Payload, project: ProjectStore) -> Payload:
    """The answer with what keeps the project from being saved, and with the ids that its new entries have now.

    Another daemon of the project may have given away the same id, and been faster to write it down.
    """
    if isinstance(payload, _TELLING) and project.not_saved is not None:
        payload = msgspec.structs.replace(payload, not_saved=project.not_saved)
    match payload:
        case responses.Breakpoints(action="added", dry_run=False, breakpoints=(one,)):
            ids = {entry.line: entry.id for entry in project.breakpoints_in(one.source)}
            changed = msgspec.structs.replace(one, id=ids.get(one.line, one.id))
            return msgspec.structs.replace(payload, breakpoints=(changed,))
        case responses.FunctionBreakpoints(action="added", dry_run=False, breakpoints=(one,)):
            ids = {entry.name: entry.id for entry in project.functions.entries}
            changed = msgspec.structs.replace(one, id=ids.get(one.name, one.id))
            return msgspec.structs.replace(payload, breakpoints=(changed,))
        case responses.Watches(action="added", dry_run=False, watches=(one,)):
            ids = {entry.expression: entry.id for entry in project.watches}
            changed = msgspec.structs.replace(one, id=ids.get(one.expression, one.id))
            return msgspec.structs.replace(payload, watches=(changed,))
        case _:
            return payload
