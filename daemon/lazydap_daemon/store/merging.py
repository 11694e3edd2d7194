"""Owns the three-way merge of one list of state.toml with what is in memory; knows no file and no format.

`base` is what the file said when we last read or wrote it, `ours` the memory, `theirs` the file now.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Merged(Generic[Entry]):
    """`entries` in order; `external` those that somebody else added, changed or removed; `overruled` what they lost."""

    entries: tuple[Entry, ...]
    external: tuple[Entry, ...]
    overruled: tuple[Entry, ...]


def merged(
    base: Mapping[Key, Entry],
    ours: Mapping[Key, Entry],
    theirs: Mapping[Key, Entry],
    place: Callable[[Entry], Hashable],
) -> Merged[Entry]:
    """Merge by key, the id where there is one; where both sides changed an entry, ours stands.

    Additions and removals in the file are taken over, as are changes to an entry that we left alone; a change of its
    `place` is not, because the place is what an entry is known by. What we removed stays removed.
    """
    entries: list[Entry] = []
    external: list[Entry] = []
    overruled: list[Entry] = []
    for number, our in ours.items():
        is_untouched = base.get(number) == our
        their = theirs.get(number)
        if their is None and is_untouched:
            external.append(our)
        elif their is None or their == our or their == base.get(number):
            entries.append(our)
        elif is_untouched and place(their) == place(our):
            entries.append(their)
            external.append(their)
        else:
            entries.append(our)
            overruled.append(their)
    places = {place(entry) for entry in entries}
    for number, their in theirs.items():
        if number in ours or number in base:
            continue
        if place(their) in places:
            overruled.append(their)
        else:
            entries.append(their)
            external.append(their)
    return Merged(tuple(entries), tuple(external), tuple(overruled))
