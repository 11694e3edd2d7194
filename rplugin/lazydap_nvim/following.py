"""Owns telling a daemon where breakpoints have gone with their text; looks into no buffer."""

from msgspec.structs import replace

from lazydap_core.protocol import objects, requests, responses
from lazydap_core.protocol.additions.following import BreakpointMove, BreakpointPlace
from lazydap_core.protocol.objects import BreakpointStatus
from lazydap_nvim import older
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.transitions import points
from lazydap_nvim.verbs import Moved

FEATURE = "breakpoint_move"


async def follow(host: Host, verb: Moved) -> None:
    """Tell the daemon of what is unsaid. Where none runs that waits for one, unless the file was saved."""
    link = host.link_to(verb.root)
    await link.settled()
    known = {breakpoint_.id: breakpoint_ for breakpoint_ in host.project(verb.root).breakpoints}
    unsaid = host.unsaid.get(verb.root, {})
    if verb.saved and any(_is_elsewhere(move, known.get(move.id)) for move in unsaid.values()):
        # The project's list is not of the files that are there now: it is changed as by a command.
        await link.ready(start=True)
    if link.is_up:
        await deliver(host, link)


def _is_elsewhere(move: BreakpointPlace, known: BreakpointStatus | None) -> bool:
    return known is not None and (move.line != known.line or move.source not in (None, known.source))


async def deliver(host: Host, link: Link) -> None:
    """Tell the daemon what has not been told yet; returns when it knows. Raises LazydapError."""
    async with host.edits(link.root):
        places = dict(host.unsaid.get(link.root, {}))
        if not places:
            return
        if FEATURE in host.project(link.root).features:
            is_told = older.FEATURE in host.project(link.root).features
            moves = tuple(place if is_told else replace(place, program_line=None) for place in places.values())
            request = BreakpointMove(moves=moves, dry_run=False)
            answer = await link.ask(request, responses.Breakpoints)
            host.apply(points.edited(host.project(link.root), answer))
        else:
            await _by_hand(host, link, places)
        _forget(host, link.root, places)


def _forget(host: Host, root: str, told: dict[int, BreakpointPlace]) -> None:
    # What came meanwhile stays to be told.
    left = {number: place for number, place in host.unsaid.get(root, {}).items() if told.get(number) is not place}
    if left:
        host.unsaid[root] = left
    else:
        host.unsaid.pop(root, None)


def as_new(breakpoint_: BreakpointStatus) -> objects.NewBreakpoint:
    """The request for a breakpoint like this one."""
    return objects.NewBreakpoint(
        source=breakpoint_.source,
        line=breakpoint_.line,
        column=breakpoint_.column,
        condition=breakpoint_.condition,
        hit_condition=breakpoint_.hit_condition,
        log_message=breakpoint_.log_message,
        enabled=breakpoint_.enabled,
    )


async def _by_hand(host: Host, link: Link, places: dict[int, BreakpointPlace]) -> None:
    """The same with a daemon that has no word for it: nothing is lost but the ids, which nobody here goes by."""
    there = host.project(link.root).breakpoints
    going = [b for b in there if b.id in places and _is_elsewhere(places[b.id], b)]
    if not going:
        return
    removal = requests.BreakpointRemove(selector=objects.ByIds(ids=tuple(b.id for b in going)), dry_run=False)
    removed = await link.ask(removal, responses.Breakpoints)
    host.apply(points.edited(host.project(link.root), removed))
    taken = {(b.source, b.line) for b in there if b not in going}
    for breakpoint_ in going:
        place = places[breakpoint_.id]
        wanted = replace(as_new(breakpoint_), line=place.line, source=place.source or breakpoint_.source)
        if (wanted.source, wanted.line) in taken:
            # Its place is another's: it stays where it was.
            wanted = as_new(breakpoint_)
        taken.add((wanted.source, wanted.line))
        added = await link.ask(requests.BreakpointAdd(breakpoint=wanted, dry_run=False), responses.Breakpoints)
        host.apply(points.edited(host.project(link.root), added))
