"""Owns how the model changes with what stops the program: breakpoints of every kind, and whether they are saved."""

from typing import TypeVar

from msgspec.structs import replace

from lazydap_core.protocol import events, objects, responses
from lazydap_core.protocol.additions.named import (
    DataBreakpointStatus,
    DataBreakpointUpdated,
    FunctionBreakpointStatus,
    FunctionBreakpointUpdated,
)
from lazydap_core.protocol.additions.state_file import StateFile
from lazydap_core.protocol.objects import BreakpointStatus
from lazydap_nvim.model import Project, Stoppers
from lazydap_nvim.transitions.effects import Effect, Outcome, Say

SAVED_AGAIN = "breakpoints and watches are saved again"


def heard(project: Project, event: events.Event) -> Outcome:
    """What an event about breakpoints means; any other changes nothing."""
    match event:
        case events.BreakpointUpdated():
            return _breakpoint_updated(project, event)
        case FunctionBreakpointUpdated() | DataBreakpointUpdated():
            return _named_updated(project, event)
        case events.ExceptionFiltersChanged():
            return Outcome(project, ("stoppers",))
        case events.MuteChanged():
            return muted(project, is_muted=event.muted)
        case _:
            # Not asked for.
            return Outcome(project)


def state_file_told(project: Project, event: StateFile) -> Outcome:
    """Whether what the user has set is kept; each change of that is said once."""
    effects: tuple[Effect, ...] = ()
    if event.not_saved != project.not_saved:
        effects = (Say(SAVED_AGAIN) if event.not_saved is None else Say(event.not_saved, "error"),)
    if event.overruled is not None:
        effects += (Say(event.overruled, "warn"),)
    return Outcome(replace(project, not_saved=event.not_saved), effects)


def muted(project: Project, *, is_muted: bool) -> Outcome:
    """All breakpoints are off, or as each of them is."""
    return Outcome(replace(project, muted=is_muted), ("draw",))


def listed(project: Project, breakpoints: tuple[BreakpointStatus, ...]) -> Outcome:
    """The project's breakpoints as the daemon has them now."""
    if breakpoints == project.breakpoints:
        return Outcome(project)
    return Outcome(replace(project, breakpoints=breakpoints), ("draw",))


def edited(project: Project, answer: responses.Breakpoints) -> Outcome:
    """What a change of ours came to."""
    changed = {b.id: b for b in answer.breakpoints}
    if answer.action == "removed":
        return listed(project, tuple(b for b in project.breakpoints if b.id not in changed))
    kept = tuple(changed.pop(b.id, b) for b in project.breakpoints)
    return listed(project, (*kept, *changed.values()))


def _breakpoint_updated(project: Project, event: events.BreakpointUpdated) -> Outcome:
    if event.session_id is None:
        return Outcome(project, ("list",))
    opinion = event.breakpoint
    if not project.has_session(event.session_id) or opinion.id is None:
        return Outcome(project)
    return listed(project, tuple(_judged(b, opinion) if b.id == opinion.id else b for b in project.breakpoints))


def _judged(breakpoint_: BreakpointStatus, opinion: objects.AdapterBreakpoint) -> BreakpointStatus:
    line = opinion.line if opinion.line is not None else breakpoint_.adapter_line
    return replace(
        breakpoint_,
        verified=opinion.verified,
        adapter_line=None if line == breakpoint_.line else line,
        message=opinion.message or (None if opinion.verified else breakpoint_.message),
    )


def stoppers_told(project: Project, stoppers: Stoppers) -> Outcome:
    """What stops the program beside lines, as the daemon has it now."""
    return Outcome(project) if stoppers == project.stoppers else Outcome(replace(project, stoppers=stoppers), ("draw",))


def _named_updated(project: Project, event: FunctionBreakpointUpdated | DataBreakpointUpdated) -> Outcome:
    if event.session_id is None:
        return Outcome(project, ("stoppers",))
    opinion, told = event.breakpoint, project.stoppers
    if not project.has_session(event.session_id):
        return Outcome(project)
    functions = tuple(_found(one, opinion) if one.id == opinion.id else one for one in told.functions)
    data = tuple(_found(one, opinion) if one.id == opinion.id else one for one in told.data)
    return stoppers_told(project, replace(told, functions=functions, data=data))


_Named = TypeVar("_Named", FunctionBreakpointStatus, DataBreakpointStatus)


def _found(one: _Named, opinion: objects.AdapterBreakpoint) -> _Named:
    return replace(
        one, verified=opinion.verified, message=opinion.message or (None if opinion.verified else one.message)
    )
