"""Owns `break-function`, `break-data`, `mute` and `unmute`: breakpoints at no line, and all of them off at once."""

from collections.abc import Callable
from typing import Any, TypeVar

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.results import Listing, Single
from lazydap_core.errors import BadRequest, UsageError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.additions import named
from lazydap_core.protocol.objects import ByIds, ByName, Everything, NamedSelector

Answer = TypeVar("Answer", responses.FunctionBreakpoints, responses.DataBreakpoints)


def add_function(call: Call) -> Listing:
    """Stop at the entry of a function."""
    wanted = named.NewFunctionBreakpoint(
        name=_name(call),
        condition=call.given("condition"),
        hit_condition=call.given("hit_condition"),
        enabled=not call.given("disabled"),
    )
    return _functions(call, requests.FunctionBreakpointAdd(breakpoint=wanted, dry_run=call.given("dry_run")))


def list_functions(call: Call) -> Listing:
    """List the project's function breakpoints."""
    return _functions(call, requests.FunctionBreakpointList())


def remove_functions(call: Call) -> Listing:
    """Forget function breakpoints."""
    return _functions(call, requests.FunctionBreakpointRemove(selector=_selector(call), dry_run=call.given("dry_run")))


def toggle_functions(call: Call) -> Listing:
    """Turn function breakpoints the other way."""
    return _functions(call, requests.FunctionBreakpointToggle(selector=_selector(call), dry_run=call.given("dry_run")))


def add_data(call: Call) -> Listing:
    """Stop when a value changes."""
    wanted = named.NewDataBreakpoint(
        name=_name(call),
        variables_reference=call.given("reference"),
        frame_id=call.given("frame"),
        access=call.given("access"),
        condition=call.given("condition"),
        hit_condition=call.given("hit_condition"),
        enabled=not call.given("disabled"),
    )
    with call.connect() as client:
        session.needs(client, "data_breakpoints", "watch values")
        request = requests.DataBreakpointAdd(
            session_id=session.current(client).session_id, breakpoint=wanted, dry_run=call.given("dry_run")
        )
        return _listing(session.asked(client, request, responses.DataBreakpoints), _data_cells)


def list_data(call: Call) -> Listing:
    """List what is watched in this session."""
    return _data(call, requests.DataBreakpointList())


def remove_data(call: Call) -> Listing:
    """Watch no longer."""
    return _data(call, requests.DataBreakpointRemove(selector=_selector(call), dry_run=call.given("dry_run")))


def toggle_data(call: Call) -> Listing:
    """Turn data breakpoints the other way."""
    return _data(call, requests.DataBreakpointToggle(selector=_selector(call), dry_run=call.given("dry_run")))


def mute(call: Call) -> Single:
    """All breakpoints off."""
    return _muted(call, muted=True)


def unmute(call: Call) -> Single:
    """All breakpoints on again, as each of them is."""
    return _muted(call, muted=False)


def _muted(call: Call, *, muted: bool) -> Single:
    with call.connect() as client:
        session.needs(client, "mute", "mute breakpoints")
        answer = session.asked(client, requests.Mute(muted=muted), responses.Muted)
    lines: list[tuple[str, object]] = [("muted", answer.muted), ("applied to session", answer.applied_to_session)]
    return Single(document(answer), lines)


def _name(call: Call) -> str:
    name = call.given("name")
    if not name.strip():
        raise UsageError("there is nothing to stop at: the name is empty", kind="InvalidValue")
    return name


def _selector(call: Call) -> NamedSelector:
    name, ids, everything = call.given("name"), call.given("id"), call.given("all")
    chosen = [name is not None, bool(ids), everything]
    if not any(chosen):
        raise UsageError("say which breakpoints: a name, `--id N`, or `--all`")
    if sum(chosen) > 1:
        raise UsageError("choose one of a name, `--id` or `--all`, not several")
    if everything:
        return Everything()
    return ByIds(ids=ids) if ids else ByName(name=name)


def _functions(call: Call, request: requests.Request) -> Listing:
    with call.connect() as client:
        session.needs(client, "function_breakpoints", "stop at functions")
        answer = session.asked(client, request, responses.FunctionBreakpoints)
    _check_found(call, answer)
    return _listing(answer, _function_cells)


def _data(call: Call, request: requests.Request) -> Listing:
    with call.connect() as client:
        session.needs(client, "data_breakpoints", "watch values")
        answer = session.asked(client, request, responses.DataBreakpoints)
    _check_found(call, answer)
    return _listing(answer, _data_cells)


def _check_found(call: Call, answer: responses.FunctionBreakpoints | responses.DataBreakpoints) -> None:
    """Raises BadRequest where what was named is not there at all. `break` answers with an empty list, by contract."""
    if answer.action not in ("removed", "toggled") or answer.breakpoints or call.given("all"):
        return
    named_ones = call.given("name") or ", ".join(map(str, call.given("id")))
    word = call.invocation.command.words[0]
    raise BadRequest(
        f"there is no such breakpoint: {named_ones} (`lazydap {word} list` shows them)",
        not_found=list(answer.not_found),
    )


def _function_cells(one: named.FunctionBreakpointStatus) -> tuple[object, ...]:
    return one.id, one.name, one.enabled, one.verified, one.condition


def _data_cells(one: named.DataBreakpointStatus) -> tuple[object, ...]:
    return one.id, f"{one.name} ({one.access})", one.enabled, one.verified, one.condition


def _listing(answer: Answer, cells: Callable[[Any], tuple[object, ...]]) -> Listing:
    return Listing(
        document(answer),
        documents(answer.breakpoints),
        [one.id for one in answer.breakpoints],
        ("id", "name", "enabled", "verified", "condition"),
        [cells(one) for one in answer.breakpoints],
        _note(answer),
    )


def _note(answer: responses.FunctionBreakpoints | responses.DataBreakpoints) -> str | None:
    notes = [f"{answer.action}, but this was a dry run"] if answer.dry_run and answer.action != "listed" else []
    if answer.not_found:
        notes.append(f"not found: {', '.join(map(str, answer.not_found))}")
    notes += [f"{one.id}: {one.message}" for one in answer.breakpoints if one.message]
    return "\n".join(notes) or None
