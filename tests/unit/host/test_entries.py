"""How what stops a program beside breakpoints on lines stands in the list."""

from typing import Any

import pytest

from lazydap_core.protocol import events, objects
from lazydap_core.protocol.additions.exceptions import ExceptionFilter
from lazydap_core.protocol.additions.named import (
    DataBreakpointStatus,
    DataBreakpointUpdated,
    FunctionBreakpointStatus,
    FunctionBreakpointUpdated,
)
from lazydap_nvim import entries
from lazydap_nvim.model import Project, Stoppers
from lazydap_nvim.transitions import told
from tests.unit.host.building import NOW, OTHER_SESSION, SESSION, project, session, status


def function(**more: Any) -> FunctionBreakpointStatus:
    known: dict[str, Any] = {"id": 3, "name": "main", "enabled": True, "verified": False}
    return FunctionBreakpointStatus(**{**known, **more})


def data(**more: Any) -> DataBreakpointStatus:
    known: dict[str, Any] = {"id": 4, "name": "total", "access": "write", "enabled": True, "verified": True}
    return DataBreakpointStatus(**{**known, **more})


def exceptions(**more: Any) -> ExceptionFilter:
    known: dict[str, Any] = {"adapter": "debugpy", "filter": "raised", "label": "Raised", "default": False}
    known |= {"enabled": True, "chosen": True, "supports_condition": True}
    return ExceptionFilter(**{**known, **more})


def texts(told: Stoppers, *, is_live: bool = True, is_muted: bool = False) -> list[str]:
    one = project(stoppers=told, muted=is_muted, session=session() if is_live else None)
    return [entry["text"] for entry in entries.of_project(one)]


@pytest.mark.parametrize(
    ("more", "is_live", "is_muted", "text"),
    [
        ({}, False, False, "function main"),
        ({"condition": "x > 3", "hit_condition": ">=2"}, False, False, "function main if x > 3 hit >=2"),
        ({}, True, False, "[pending] function main"),
        ({"verified": True}, True, False, "function main"),
        ({"message": "not found"}, True, False, "[rejected] function main: not found"),
        ({"message": "not found"}, False, False, "function main"),
        ({"verified": True}, True, True, "[muted] function main"),
        ({"enabled": False, "verified": True}, True, True, "[disabled] function main"),
    ],
)
def test_a_function_has_one_state(more: dict[str, Any], text: str, *, is_live: bool, is_muted: bool) -> None:
    assert texts(Stoppers(functions=(function(**more),)), is_live=is_live, is_muted=is_muted) == [text]


def test_a_value_is_listed_while_its_program_lives_and_says_when_reading_stops_it_too() -> None:
    told = Stoppers(data=(data(), data(id=5, name="n", access="read_write")))
    assert texts(told) == ["data total", "data n (read or write)"]
    assert texts(told, is_live=False) == []


def test_exceptions_are_listed_where_they_stop_the_program_or_were_chosen() -> None:
    by_default = exceptions(filter="uncaught", default=True, chosen=False)
    turned_off = exceptions(filter="handled", enabled=False)
    told = Stoppers(filters=(exceptions(enabled=False, chosen=False), by_default, turned_off))
    assert texts(told) == ["exceptions uncaught", "[disabled] exceptions handled"]
    assert texts(told, is_live=False) == ["[disabled] exceptions handled (debugpy)"]


# --- what is heard of them


def watching() -> Project:
    return project(session=session(), stoppers=Stoppers(functions=(function(),), data=(data(),)))


def test_an_opinion_changes_the_one_that_it_is_of() -> None:
    opinion = objects.AdapterBreakpoint(id=4, verified=False, message="no room")
    outcome = told.heard(watching(), DataBreakpointUpdated(session_id=SESSION, breakpoint=opinion))
    assert outcome.effects == ("draw",)
    assert outcome.project.stoppers == Stoppers(
        functions=(function(),), data=(data(verified=False, message="no room"),)
    )
    late = told.heard(watching(), DataBreakpointUpdated(session_id=OTHER_SESSION, breakpoint=opinion))
    assert late.project == watching()


@pytest.mark.parametrize(
    "event",
    [
        FunctionBreakpointUpdated(breakpoint=objects.AdapterBreakpoint(id=9, verified=False)),
        DataBreakpointUpdated(breakpoint=objects.AdapterBreakpoint(id=9, verified=False)),
        events.ExceptionFiltersChanged(adapter="debugpy"),
    ],
)
def test_a_list_that_has_changed_is_read_again(event: events.Event) -> None:
    assert told.heard(watching(), event) == (watching(), ("stoppers",))


def test_a_daemon_that_knows_none_of_them_is_asked_for_none() -> None:
    plain = told.connected(watching(), frozenset(), status(), (), NOW)
    assert (plain.project.stoppers, "stoppers" in plain.effects) == (Stoppers(), False)
    able = told.connected(watching(), frozenset({"exceptions"}), status(), (), NOW)
    assert (able.project.stoppers, "stoppers" in able.effects) == (watching().stoppers, True)
