"""Owns how all that a project keeps is compared and merged with what its file says; reads and writes nothing."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from lazydap_core.domain.breakpoints import Breakpoint, FilterChoice, FunctionBreakpoint, Watch
from lazydap_core.state_file import ProjectState
from lazydap_daemon.store.document import Content
from lazydap_daemon.store.merging import Merged, merged
from lazydap_daemon.store.sources import canonical_source, components, stored_source

Entry = TypeVar("Entry")


class External(msgspec.Struct, frozen=True):
    """What somebody else added, changed or removed in the file, noticed when we were about to write it."""

    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[Watch, ...] = ()
    function_breakpoints: tuple[FunctionBreakpoint, ...] = ()
    exception_filters: tuple[FilterChoice, ...] = ()
    has_mute_changed: bool = False


@dataclass(frozen=True)
class Reconciled:
    """What is to be kept from now on, what came from the file, and what of the file gave way."""

    content: Content
    external: External
    overruled: tuple[object, ...]


def reconciled(base: Content, ours: Content, theirs: Content) -> Reconciled:
    """Merge list by list (`store.merging`); a switch is theirs where we have left it alone."""
    sides = (base, ours, theirs)
    breakpoints = _merged([side.breakpoints for side in sides], lambda entry: entry.id, place_of)
    watches = _merged([side.watches for side in sides], lambda entry: entry.id, lambda entry: entry.expression)
    functions = _merged([side.function_breakpoints for side in sides], lambda entry: entry.id, lambda entry: entry.name)
    choices = _merged([side.exception_filters for side in sides], lambda choice: choice.key, lambda choice: choice.key)
    has_mute_changed = ours.is_muted == base.is_muted != theirs.is_muted
    return Reconciled(
        Content(
            max(ours.next_breakpoint_id, theirs.next_breakpoint_id),
            max(ours.next_watch_id, theirs.next_watch_id),
            breakpoints.entries,
            watches.entries,
            functions.entries,
            choices.entries,
            theirs.is_muted if has_mute_changed else ours.is_muted,
        ),
        External(breakpoints.external, watches.external, functions.external, choices.external, has_mute_changed),
        (*breakpoints.overruled, *watches.overruled, *functions.overruled, *choices.overruled),
    )


def content_of(state: ProjectState, root: Path) -> Content:
    """What a state file says, with its sources spelled as in memory."""
    breakpoints = tuple(
        msgspec.structs.replace(entry, source=canonical_source(entry.source, root)) for entry in state.breakpoints
    )
    return Content(
        state.next_breakpoint_id,
        state.next_watch_id,
        breakpoints,
        state.watches,
        state.function_breakpoints,
        state.exception_filters,
        state.breakpoints_muted,
    )


def holds(state: ProjectState, content: Content, root: Path) -> bool:
    """True when the text that gave `state` says `content`: guards a person's file against a fault in editing it."""

    def comparable(entries: Iterable[Breakpoint]) -> dict[int, object]:
        return {
            entry.id: (components(stored_source(entry.source, root)), msgspec.structs.replace(entry, source=""))
            for entry in entries
        }

    return (
        comparable(state.breakpoints) == comparable(content.breakpoints)
        and set(state.watches) == set(content.watches)
        and set(state.function_breakpoints) == set(content.function_breakpoints)
        and set(state.exception_filters) == set(content.exception_filters)
        and (state.next_breakpoint_id, state.next_watch_id, state.breakpoints_muted)
        == (content.next_breakpoint_id, content.next_watch_id, content.is_muted)
    )


def place_of(entry: Breakpoint) -> Hashable:
    """What a breakpoint is known by."""
    return components(entry.source), entry.line


def _merged(
    sides: Sequence[Iterable[Entry]], key: Callable[[Entry], Hashable], place: Callable[[Entry], Hashable]
) -> Merged[Entry]:
    base, ours, theirs = ({key(entry): entry for entry in side} for side in sides)
    return merged(base, ours, theirs, place)
