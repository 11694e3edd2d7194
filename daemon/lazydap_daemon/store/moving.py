"""Owns which of several entries can go where they are wanted; knows no file and no text."""

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


def moved(
    present: Mapping[Key, Entry], wanted: Mapping[Key, Entry], place: Callable[[Entry], Hashable]
) -> dict[Key, Entry]:
    """`present` with those of `wanted` in their new place, all at once, so that they may change places.

    A place is one entry's: who wants that of one that stays, or of one named earlier, stays where it was.
    """
    going = dict(wanted)
    taken = {place(entry) for number, entry in present.items() if number not in going}
    # One that stays after all keeps a place that may be the wish of another: again until nobody is refused.
    while refused := _refused(going, taken, place):
        for number in refused:
            del going[number]
            taken.add(place(present[number]))
    return {number: going.get(number, entry) for number, entry in present.items()}


def _refused(going: Mapping[Key, Entry], taken: set[Hashable], place: Callable[[Entry], Hashable]) -> list[Key]:
    seen = set(taken)
    refused: list[Key] = []
    for number, entry in going.items():
        if place(entry) in seen:
            refused.append(number)
        seen.add(place(entry))
    return refused
