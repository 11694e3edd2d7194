"""Owns `break`: setting, listing, moving, removing and toggling breakpoints."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from lazydap_cli import session
from lazydap_cli.anchoring import anchor_at, last_line
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.locations import read_location
from lazydap_cli.results import Listing
from lazydap_cli.stops import near
from lazydap_core.errors import BadRequest, UsageError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.additions.following import BreakpointMove, BreakpointPlace
from lazydap_core.protocol.objects import (
    BreakpointSelector,
    BreakpointStatus,
    ByIds,
    ByLocation,
    Everything,
    NewBreakpoint,
)

if TYPE_CHECKING:
    from lazydap_core.client.blocking import BlockingClient

COLUMNS = ("id", "location", "enabled", "verified", "condition")


def run(call: Call) -> Listing:
    """Carry out one of the five; which one, and on what, is settled before a daemon is asked."""
    request = _request(call)
    with call.connect() as client:
        if isinstance(request, BreakpointMove) and "breakpoint_move" not in client.features:
            answer = _moved_by_hand(call, client, request)
        else:
            answer = session.asked(client, _worded_for(client, request), responses.Breakpoints)
    if isinstance(request, BreakpointMove) and not answer.breakpoints:
        raise _unknown(request.moves[0].id)
    return breakpoint_listing(answer, call.folder)


def _request(call: Call) -> requests.Request:
    dry_run = call.given("dry_run")
    if call.given("list"):
        return requests.BreakpointList()
    if call.given("remove"):
        return requests.BreakpointRemove(selector=_selector(call), dry_run=dry_run)
    if call.given("toggle"):
        return requests.BreakpointToggle(selector=_selector(call), dry_run=dry_run)
    if call.given("location") is None:
        raise UsageError("`lazydap break` needs a location, as `file:line`, or `--list` to see the ones you have")
    where = read_location(call.given("location"), call.folder)
    if call.given("move") is not None:
        place = BreakpointPlace(id=call.given("move"), line=where.line, source=where.source, anchor=anchor_at(where))
        return BreakpointMove(moves=(place,), dry_run=dry_run)
    breakpoint_ = NewBreakpoint(
        source=where.source,
        line=where.line,
        condition=call.given("condition"),
        hit_condition=call.given("hit_condition"),
        log_message=call.given("log"),
        enabled=not call.given("disabled"),
        anchor=anchor_at(where),
    )
    return requests.BreakpointAdd(breakpoint=breakpoint_, dry_run=dry_run)


def _worded_for(client: "BlockingClient", request: requests.Request) -> requests.Request:
    """The request without what the daemon has no word for: it need not forgive a key that it does not know."""
    if isinstance(request, requests.BreakpointAdd) and "breakpoint_move" not in client.features:
        return replace(request, breakpoint=replace(request.breakpoint, anchor=None))
    return request


def _moved_by_hand(call: Call, client: "BlockingClient", request: BreakpointMove) -> responses.Breakpoints:
    """The move with a daemon that has no word for it: what is lost is the id, and that is said."""
    (place,) = request.moves
    present = session.asked(client, requests.BreakpointList(), responses.Breakpoints).breakpoints
    old = next((each for each in present if each.id == place.id), None)
    source = place.source or ""
    if old is None:
        raise _unknown(place.id)
    if any((each.source, each.line) == (source, place.line) and each is not old for each in present):
        raise BadRequest(f"{source}:{place.line} has a breakpoint already: remove that first", source=source)
    new = NewBreakpoint(
        source=source,
        line=place.line,
        column=old.column,
        condition=old.condition,
        hit_condition=old.hit_condition,
        log_message=old.log_message,
        enabled=old.enabled,
    )
    # The new one first: a failure between the two leaves one too many, not one too few.
    added = session.asked(
        client, requests.BreakpointAdd(breakpoint=new, dry_run=request.dry_run), responses.Breakpoints
    )
    if (old.source, old.line) != (source, place.line):
        removal = requests.BreakpointRemove(selector=ByIds(ids=(old.id,)), dry_run=request.dry_run)
        session.asked(client, removal, responses.Breakpoints)
        if not request.dry_run:
            call.warn(f"the daemon is of another build: breakpoint {old.id} is {added.breakpoints[0].id} now")
    return added


def _unknown(number: int) -> BadRequest:
    return BadRequest(f"there is no breakpoint {number}: `lazydap break --list` shows them", id=number)


def _selector(call: Call) -> BreakpointSelector:
    chosen = [bool(call.given("location")), bool(call.given("id")), bool(call.given("all"))]
    if not any(chosen):
        raise UsageError("say which breakpoints: a `file:line`, `--id N`, or `--all`")
    if sum(chosen) > 1:
        raise UsageError("choose one of a location, `--id` or `--all`, not several")
    if call.given("all"):
        return Everything()
    if call.given("id"):
        return ByIds(ids=call.given("id"))
    return ByLocation(location=read_location(call.given("location"), call.folder))


def breakpoint_listing(answer: responses.Breakpoints, folder: Path) -> Listing:
    """The breakpoints of an answer, with a note on what was not as it may seem."""
    return Listing(
        document(answer),
        documents(answer.breakpoints),
        [each.id for each in answer.breakpoints],
        COLUMNS,
        [_cells(each, folder) for each in answer.breakpoints],
        _note(answer),
    )


def _cells(status: BreakpointStatus, folder: Path) -> tuple[object, ...]:
    line = status.line if status.adapter_line is None else status.adapter_line
    return status.id, f"{near(status.source, folder)}:{line}", status.enabled, status.verified, status.condition


def _beyond(status: BreakpointStatus) -> int | None:
    """The last line of the file, where the breakpoint is behind it."""
    last = last_line(status.source)
    return last if last is not None and status.line > last else None


def _note(answer: responses.Breakpoints) -> str | None:
    notes = [f"{answer.action}, but this was a dry run"] if answer.dry_run and answer.action != "listed" else []
    if answer.not_found:
        notes.append(f"not found: {', '.join(map(str, answer.not_found))}")
    notes += [f"{each.id}: {each.message}" for each in answer.breakpoints if each.message]
    if answer.action in ("added", "updated", "unchanged"):
        notes += [f"{each.id}: the file ends at line {last}" for each in answer.breakpoints if (last := _beyond(each))]
    if not answer.breakpoints and answer.action == "listed":
        notes.append("no breakpoints; `lazydap break FILE:LINE` sets one")
    return "\n".join(notes) or None
