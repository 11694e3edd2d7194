"""Where lazydap answers otherwise than the recordings on purpose, each under its name in doc/protocol.md."""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from tests.daemon.recordings import Exchange, Json, Recording, is_object

UNKNOWN_HANDLE = 424242
_FOLDER = "special variables"


class Difference(NamedTuple):
    """`amend` makes of a recorded exchange the one we hold, wherever `applies`."""

    situation: str
    applies: Callable[[Recording, Exchange], bool]
    amend: Callable[[Exchange], None]


def amended(recorded: Recording) -> set[str]:
    """Change a recording into what we hold on purpose; the situations that it has."""
    met: set[str] = set()
    for exchange in recorded.exchanges:
        for difference in DIFFERENCES:
            if difference.applies(recorded, exchange):
                met.add(difference.situation)
                difference.amend(exchange)
    return met


def _refuse(exchange: Exchange, code: str, **details: object) -> None:
    exchange.answer = {"Error": {"code": code, "message": "", "details": details}}


def _response(exchange: Exchange) -> Json:
    """What the response holds, where that is an object; else nothing."""
    response = exchange.answer.get("Response")
    held = next(iter(response.values())) if is_object(response) else None
    return held if is_object(held) else {}


# A program that stands or runs, and is asked to do that.


def _steps_while_running(recorded: Recording, exchange: Exchange) -> bool:
    return recorded.name == "errors" and exchange.name == "Step" and exchange.body["wait"] == "NoWait"


def _refuse_step(exchange: Exchange) -> None:
    _refuse(exchange, "SessionNotPaused", session_id=exchange.body["session_id"], state="running")


def _pauses_while_stopped(recorded: Recording, exchange: Exchange) -> bool:
    return recorded.version == 4 and exchange.name == "Pause" and _response(exchange).get("frame", {}).get("line") == 1


def _refuse_pause(exchange: Exchange) -> None:
    _refuse(exchange, "BadRequest", session_id=exchange.body["session_id"], state="paused")


def _continues_while_running(recorded: Recording, exchange: Exchange) -> bool:
    is_unwaited = exchange.body.get("wait") == "NoWait" and not exchange.error
    return (recorded.version, recorded.name) == (4, "errors") and exchange.name == "Continue" and is_unwaited


def _name_no_thread(exchange: Exchange) -> None:
    _response(exchange)["thread_id"] = None


# Looking.


def _asks_for_unknown_handle(recorded: Recording, exchange: Exchange) -> bool:
    return recorded.version == 4 and UNKNOWN_HANDLE in exchange.body.values()


def _refuse_handle(exchange: Exchange) -> None:
    kind = "variables reference" if exchange.name == "Variables" else "frame id"
    _refuse(exchange, "BadRequest", handle=UNKNOWN_HANDLE, kind=kind, stale=False)


def _shows_nameless_sources(recorded: Recording, exchange: Exchange) -> bool:
    return recorded.version == 4 and '"source": {"path"' in json.dumps(exchange.answer)


def _name_sources(exchange: Exchange) -> None:
    # Frames only: a breakpoint's source is a path.
    text = re.sub(
        r'(?<="source": \{)"path": "([^"]*/)([^"/]+)"', r'"name": "\2", "path": "\1\2"', json.dumps(exchange.answer)
    )
    exchange.answer = json.loads(text)


def _asks_for_a_page(recorded: Recording, exchange: Exchange) -> bool:
    return recorded.version == 4 and exchange.body.get("count") is not None


def _cut_page(exchange: Exchange) -> None:
    start, count = exchange.body["start"] or 0, exchange.body["count"]
    response = exchange.answer["Response"]
    response["Variables"] = response["Variables"][start : start + count]


def _shows_folders(recorded: Recording, exchange: Exchange) -> bool:
    del recorded
    return f'"{_FOLDER}"' in json.dumps(exchange.answer)


def _put_folders_last(exchange: Exchange) -> None:
    response = exchange.answer["Response"]
    if stepped := response.get("Stepped"):
        stepped["locals"]["variables"] = [row for row in stepped["locals"]["variables"] if row["name"] != _FOLDER]
        return
    variables = response["Variables"]
    rows: list[Json] = variables["variables"] if is_object(variables) else variables
    rows.sort(key=lambda row: row["name"] == _FOLDER)
    for row in rows:
        if row["name"] == _FOLDER:
            row["evaluate_name"] = None


# Adding what is there already.


def _shows_old_breakpoint(recorded: Recording, exchange: Exchange) -> bool:
    """Whether it shows the breakpoint that had been given a condition when it was there already."""
    so_far = recorded.exchanges[: recorded.exchanges.index(exchange) + 1]
    has_condition = any(each.body.get("breakpoint", {}).get("condition") == "a == 1" for each in so_far)
    shown = _response(exchange).get("breakpoints", [])
    return recorded.version == 4 and has_condition and any(each["id"] == 1 for each in shown)


def _add_condition(exchange: Exchange) -> None:
    for shown in _response(exchange)["breakpoints"]:
        if shown["id"] == 1:
            shown["condition"] = "a == 1"


def _adds_again(recorded: Recording, exchange: Exchange) -> bool:
    if exchange.name not in ("BreakpointAdd", "WatchAdd") or not exchange.heard:
        return False
    before = recorded.exchanges[: recorded.exchanges.index(exchange)]
    return _added(exchange) in [_added(each) for each in before if each.name == exchange.name]


def _added(exchange: Exchange) -> tuple[object, ...]:
    new: Json = exchange.body.get("breakpoint") or exchange.body["watch"]
    return (exchange.body["dry_run"], *(new.get(key) for key in ("source", "line", "expression")))


def _tell_nobody(exchange: Exchange) -> None:
    exchange.heard = {}


# A condition beside a hit condition: either would do for debugpy, which stops before the condition holds.


def _stops_for_either(recorded: Recording, exchange: Exchange) -> bool:
    has_stopped = recorded.name == "breakpoints" and exchange.name == "Continue"
    return has_stopped and _response(exchange).get("hit_breakpoint_ids") == [2]


def _stop_for_both(exchange: Exchange) -> None:
    stepped = _response(exchange)
    stepped["hit_breakpoint_ids"] = [5]
    stepped["frame"]["line"] = 13
    variables: list[Json] = stepped["locals"]["variables"] if stepped.get("locals") else []
    for row in variables:
        if row["name"] == "result":
            row["value"] = "1"


DIFFERENCES = (
    Difference("`Step` on a running program", _steps_while_running, _refuse_step),
    Difference("`Pause` on a stopped program, version 4", _pauses_while_stopped, _refuse_pause),
    Difference("`Continue` on a running program, version 4", _continues_while_running, _name_no_thread),
    Difference(
        "a frame id or variables reference that was never handed out, version 4",
        _asks_for_unknown_handle,
        _refuse_handle,
    ),
    Difference("the source of a frame, version 4", _shows_nameless_sources, _name_sources),
    Difference("a page of `Variables` that the adapter does not cut, version 4", _asks_for_a_page, _cut_page),
    Difference("what debugpy puts into folders", _shows_folders, _put_folders_last),
    Difference("adding a breakpoint where there is one, version 4", _shows_old_breakpoint, _add_condition),
    Difference("adding a breakpoint or watch that is there already", _adds_again, _tell_nobody),
    Difference("a condition and a hit condition of one breakpoint, debugpy", _stops_for_either, _stop_for_both),
)

ADDED = (
    "what the adapter makes of a breakpoint that was changed",
    "what a function has just returned",
    "output of the category `telemetry`, by which an adapter tells its maker about itself",
)
"""Situations in which we tell more, or less; recordings.py leaves that out of what it compares."""
