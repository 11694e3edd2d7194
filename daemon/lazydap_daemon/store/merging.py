"""Owns the three-way merge of one list of state.toml with what is in memory; knows no file and no format.

`base` is what the file said when we last read or wrote it, `ours` the memory, `theirs` the file now.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import msgspec

from lazydap_daemon.store.moving import moved

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry", bound=msgspec.Struct)


@dataclass(frozen=True)
class Merged(Generic[Entry]):
    """`entries` in order; `external` those that change here with it; `overruled` what of the file gave way."""

    entries: tuple[Entry, ...]
    external: tuple[Entry, ...]
    overruled: tuple[Entry, ...]


@dataclass(frozen=True)
class Kind(Generic[Key, Entry]):
    """What a list is of.

    Two entries in one `place` are one; `where` are the fields that say and describe it, `parts` the others, in groups
    that are changed together. `numbered` is an entry under another key, `fresh` a key that nobody has had.
    """

    key: Callable[[Entry], Key]
    place: Callable[[Entry], Hashable]
    where: Sequence[str]
    parts: Sequence[Sequence[str]]
    numbered: Callable[[Entry, Key], Entry]
    fresh: Callable[[], Key]


def merged(
    kind: Kind[Key, Entry],
    base: Mapping[Key, Entry],
    ours: Mapping[Key, Entry],
    theirs: Mapping[Key, Entry],
    *,
    taken: Collection[Key] = (),
) -> Merged[Entry]:
    """Merge by key, part by part of each entry; where both sides changed one part, ours stands.

    Additions and removals in the file are taken over; what we removed stays removed. What was added here is added
    anew to what the file has: in a place that somebody else took, theirs becomes as ours; under a number that somebody
    else gave away, or that is in `taken`, ours gets a fresh one.
    """
    known = {number: our for number, our in ours.items() if number in base}
    found, overruled = _settled(kind, base, known, theirs)
    places = {kind.place(entry): number for number, entry in found.items()}
    added = {number: their for number, their in theirs.items() if number not in base}
    for number, their in added.items():
        if kind.place(their) in places:
            overruled.append(their)
        else:
            found[number] = their
            places[kind.place(their)] = number
    for number, our in ours.items():
        if number in known:
            continue
        there = places.get(kind.place(our))
        if there is not None:
            one = kind.numbered(our, there)
            if there in added and one != added[there]:
                overruled.append(added[there])
        else:
            one = kind.numbered(our, kind.fresh()) if number in found or number in taken else our
        found[kind.key(one)] = one
        places[kind.place(one)] = kind.key(one)
    return _told(ours, found, overruled)


def _settled(
    kind: Kind[Key, Entry], base: Mapping[Key, Entry], ours: Mapping[Key, Entry], theirs: Mapping[Key, Entry]
) -> tuple[dict[Key, Entry], list[Entry]]:
    """What becomes of the entries that both sides began with, and what of the file gives way."""
    staying: dict[Key, Entry] = {}
    going: dict[Key, Entry] = {}
    overruled: dict[Key, Entry] = {}
    for number, our in ours.items():
        their = theirs.get(number)
        if their is None and our == base[number]:
            continue
        if their is None:
            staying[number] = our
            continue
        combined = _combined(kind, base[number], our, their)
        staying[number] = combined.entry
        if combined.moved is not None:
            going[number] = combined.moved
        if combined.gives_way:
            overruled[number] = their
    found = moved(staying, going, kind.place)
    for number, wanted in going.items():
        if kind.place(found[number]) != kind.place(wanted):
            overruled[number] = theirs[number]
    return found, list(overruled.values())


class _Combined(NamedTuple, Generic[Entry]):
    """`entry` in our place, `moved` in theirs where they have moved it; `gives_way` when both changed one part."""

    entry: Entry
    moved: Entry | None
    gives_way: bool


def _combined(kind: Kind[Key, Entry], base: Entry, our: Entry, their: Entry) -> _Combined[Entry]:
    theirs: dict[str, object] = {}
    gives_way = False
    for names in kind.parts:
        if _all_equal(names, their, base) or _all_equal(names, their, our):
            continue
        if _all_equal(names, our, base):
            theirs |= {name: getattr(their, name) for name in names}
        else:
            gives_way = True
    entry = msgspec.structs.replace(our, **theirs)
    where = {name: getattr(their, name) for name in kind.where}
    has_moved = kind.place(their) != kind.place(base)
    if has_moved and kind.place(our) == kind.place(base):
        return _Combined(entry, msgspec.structs.replace(entry, **where), gives_way)
    if not has_moved and _all_equal(kind.where, our, base):
        # A note about the place alone.
        return _Combined(msgspec.structs.replace(entry, **where), None, gives_way)
    return _Combined(entry, None, gives_way or (has_moved and kind.place(their) != kind.place(our)))


def _all_equal(names: Sequence[str], one: Entry, other: Entry) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _told(ours: Mapping[Key, Entry], found: dict[Key, Entry], overruled: list[Entry]) -> Merged[Entry]:
    # In the order of the memory; what it did not have comes last.
    entries = {number: found[number] for number in ours if number in found} | found
    changed = [entries.get(number, our) for number, our in ours.items() if entries.get(number) != our]
    changed += [entry for number, entry in entries.items() if number not in ours]
    return Merged(tuple(entries.values()), tuple(changed), tuple(overruled))
