"""Owns what can be done to a list of breakpoints that are known by a name: a function's, or that of a value.

Their ids are of the same counter as those of lines. It knows no file and no session.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import msgspec

from lazydap_core.domain.breakpoints import NamedBreakpoint
from lazydap_core.domain.words import BreakpointAction
from lazydap_core.protocol.objects import ByIds, ByName, Everything, NamedSelector

Entry = TypeVar("Entry", bound=NamedBreakpoint)


class NamedChange(msgspec.Struct, Generic[Entry], frozen=True):
    """What became of a request: for a removal those removed, else their new values; as `store.project.Change`."""

    action: BreakpointAction
    breakpoints: tuple[Entry, ...]
    not_found: tuple[int, ...] = ()
    has_changed: bool = False


class NamedList(Generic[Entry]):
    """Breakpoints by id, in the order of their creation.

    `claim` gives the next id and may raise BadRequest; `touch` is called with each change.
    """

    def __init__(self, entries: Iterable[Entry], *, claim: Callable[[], int], touch: Callable[[], None]) -> None:
        self._entries = {entry.id: entry for entry in entries}
        self._claim = claim
        self._touch = touch

    @property
    def by_id(self) -> dict[int, Entry]:
        """All, by id; not to be changed."""
        return self._entries

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All."""
        return tuple(self._entries.values())

    def replace(self, entries: Iterable[Entry]) -> None:
        """Have these from now on, without a word to anybody."""
        self._entries = {entry.id: entry for entry in entries}

    def add(self, wanted: Entry, *, dry_run: bool) -> NamedChange[Entry]:
        """Add one; where there is one of that name already, it keeps its id and becomes as `wanted`.

        The action is `added`, `updated`, or `unchanged`. A new one of a dry run has id 0.
        """
        present = next((entry for entry in self._entries.values() if entry.name == wanted.name), None)
        action: BreakpointAction = "updated" if present else "added"
        if present is not None:
            wanted = msgspec.structs.replace(wanted, id=present.id)
            if present == wanted:
                return NamedChange("unchanged", (wanted,))
        if dry_run:
            return NamedChange(action, (wanted,))
        if present is None:
            wanted = msgspec.structs.replace(wanted, id=self._claim())
        self._entries[wanted.id] = wanted
        self._touch()
        return NamedChange(action, (wanted,), has_changed=True)

    def remove(self, selector: NamedSelector, *, dry_run: bool) -> NamedChange[Entry]:
        """Remove what `selector` matches; matching nothing is no error."""
        found, not_found = self._matching(selector)
        if found and not dry_run:
            for entry in found:
                del self._entries[entry.id]
            self._touch()
        return NamedChange("removed", found, not_found, has_changed=bool(found) and not dry_run)

    def toggle(self, selector: NamedSelector, *, dry_run: bool) -> NamedChange[Entry]:
        """Enable what of the matches is disabled, disable the others."""
        found, not_found = self._matching(selector)
        flipped = tuple(msgspec.structs.replace(entry, enabled=not entry.enabled) for entry in found)
        if flipped and not dry_run:
            self._entries.update((entry.id, entry) for entry in flipped)
            self._touch()
        return NamedChange("toggled", flipped, not_found, has_changed=bool(flipped) and not dry_run)

    def _matching(self, selector: NamedSelector) -> tuple[tuple[Entry, ...], tuple[int, ...]]:
        match selector:
            case ByIds(ids=ids):
                found = tuple(entry for entry in self._entries.values() if entry.id in ids)
                return found, tuple(number for number in ids if number not in self._entries)
            case ByName(name=name):
                return tuple(entry for entry in self._entries.values() if entry.name == name), ()
            case Everything():
                return self.entries, ()
