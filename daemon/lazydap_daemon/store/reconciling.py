"""Owns how all that a project keeps is compared and merged with what its file says; reads and writes nothing."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from lazydap_core.domain.breakpoints import Breakpoint, FilterChoice, FunctionBreakpoint, Watch
from lazydap_core.errors import StateFileInvalid
from lazydap_core.state_file import ProjectState
from lazydap_daemon.store.document import Content
from lazydap_daemon.store.merging import Kind, Merged, merged
from lazydap_daemon.store.sources import canonical_source, components, stored_source

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry", bound=msgspec.Struct)

LARGEST_ID: Final = 2**32 - 1


class External(msgspec.Struct, frozen=True):
    """What somebody else added, changed or removed in the file, and what got another number by that.

    `left` are the files of breakpoints that are not what they were.
    """

    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[Watch, ...] = ()
    function_breakpoints: tuple[FunctionBreakpoint, ...] = ()
    exception_filters: tuple[FilterChoice, ...] = ()
    has_mute_changed: bool = False
    left: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reconciled:
    """What is to be kept from now on, what came from the file, and what of the file gave way."""

    content: Content
    external: External
    overruled: tuple[object, ...]


def reconciled(base: Content, ours: Content, theirs: Content) -> Reconciled:
    """Merge list by list (`store.merging`); a switch is theirs where we have left it alone.

    Raises StateFileInvalid when an id is needed and the project has used up all.
    """
    ids = _Ids(max(ours.next_breakpoint_id, theirs.next_breakpoint_id), "breakpoint")
    watch_ids = _Ids(max(ours.next_watch_id, theirs.next_watch_id), "watch")
    sides = (base, ours, theirs)
    # Breakpoints of lines and of functions have their ids of one counter: somebody may have given ours to the others.
    breakpoints = _merged(
        [side.breakpoints for side in sides],
        Kind(
            _id, place_of, _WHERE, _apart("condition", "hit_condition", "log_message", "enabled"), _numbered, ids.next
        ),
        taken=_new_ids(base.function_breakpoints, theirs.function_breakpoints),
    )
    functions = _merged(
        [side.function_breakpoints for side in sides],
        Kind(
            _id, lambda one: one.name, ("name",), _apart("condition", "hit_condition", "enabled"), _numbered, ids.next
        ),
        taken=_new_ids(base.breakpoints, theirs.breakpoints),
    )
    watches = _merged(
        [side.watches for side in sides],
        Kind(_id, lambda one: one.expression, ("expression",), _apart("label"), _numbered, watch_ids.next),
    )
    choices = _merged([side.exception_filters for side in sides], _CHOICES)
    has_mute_changed = ours.is_muted == base.is_muted != theirs.is_muted
    return Reconciled(
        Content(
            ids.upcoming,
            watch_ids.upcoming,
            breakpoints.entries,
            watches.entries,
            functions.entries,
            choices.entries,
            theirs.is_muted if has_mute_changed else ours.is_muted,
        ),
        External(
            breakpoints.external,
            watches.external,
            functions.external,
            choices.external,
            has_mute_changed,
            frozenset(one.source for one in set(ours.breakpoints).difference(breakpoints.entries)),
        ),
        (*breakpoints.overruled, *watches.overruled, *functions.overruled, *choices.overruled),
    )


class _Ids:
    """The ids that nobody has had, by both counters."""

    def __init__(self, upcoming: int, kind: str) -> None:
        self.upcoming = upcoming
        self._kind = kind

    def next(self) -> int:
        if self.upcoming > LARGEST_ID:
            raise StateFileInvalid(f"no {self._kind} id is left: lower next_{self._kind}_id", path="")
        self.upcoming += 1
        return self.upcoming - 1


Numbered = TypeVar("Numbered", Breakpoint, FunctionBreakpoint, Watch)


def _id(entry: Breakpoint | FunctionBreakpoint | Watch) -> int:
    return entry.id


def _numbered(entry: Numbered, number: int) -> Numbered:
    return msgspec.structs.replace(entry, id=number)


def _new_ids(
    base: Iterable[Breakpoint | FunctionBreakpoint], theirs: Iterable[Breakpoint | FunctionBreakpoint]
) -> frozenset[int]:
    return frozenset(map(_id, theirs)).difference(map(_id, base))


def _apart(*names: str) -> Sequence[Sequence[str]]:
    """Fields that are changed each by itself."""
    return [(name,) for name in names]


_WHERE: Final = ("source", "line", "column", "anchor")


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


def _never() -> tuple[str, str]:
    raise AssertionError("a choice is known by its filter, and needs no number")


_CHOICES: Final = Kind[tuple[str, str], FilterChoice](
    key=lambda choice: choice.key,
    place=lambda choice: choice.key,
    where=(),
    parts=_apart("enabled", "condition"),
    numbered=lambda choice, _: choice,
    fresh=_never,
)


def _merged(sides: Sequence[Iterable[Entry]], kind: Kind[Key, Entry], *, taken: Collection[Key] = ()) -> Merged[Entry]:
    base, ours, theirs = ({kind.key(entry): entry for entry in side} for side in sides)
    return merged(kind, base, ours, theirs, taken=taken)
