"""Owns which of several breakpoints can go where they are wanted; knows no file and no text."""

from collections.abc import Callable, Hashable, Iterable, Mapping

from lazydap_core.domain.breakpoints import Breakpoint


def moved(
    present: Mapping[int, Breakpoint], wanted: Mapping[int, Breakpoint], place: Callable[[Breakpoint], Hashable]
) -> dict[int, Breakpoint]:
    """`present` with those of `wanted` in their new place, all at once, so that they may change places.

    A place is one breakpoint's: who wants that of one that stays, or of one named earlier, stays where it was.
    """
    going = dict(wanted)
    taken = {place(entry) for number, entry in present.items() if number not in going}
    # One that stays after all keeps a place that may be the wish of another: again until nobody is refused.
    while refused := _refused(going.values(), taken, place):
        for number in refused:
            del going[number]
            taken.add(place(present[number]))
    return {number: going.get(number, entry) for number, entry in present.items()}


def _refused(going: Iterable[Breakpoint], taken: set[Hashable], place: Callable[[Breakpoint], Hashable]) -> list[int]:
    seen = set(taken)
    refused: list[int] = []
    for entry in going:
        if place(entry) in seen:
            refused.append(entry.id)
        seen.add(place(entry))
    return refused
