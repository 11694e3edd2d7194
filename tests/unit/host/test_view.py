"""What a model looks like as a batch."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from lazydap_core.protocol.objects import BreakpointStatus
from lazydap_nvim import view
from lazydap_nvim.model import Item, Jump, Listing, Model, Project
from lazydap_nvim.transitions import ordered, points, stops, told
from tests.unit.host.building import (
    FILE,
    ROOT,
    SESSION,
    breakpoint_at,
    continued_event,
    detail_event,
    frame,
    page,
    placed_event,
    project,
    session,
    stop,
    stopped_event,
    valued_event,
)


def model_of(*projects: Project, **more: Any) -> Model:
    return Model(projects={one.root: one for one in projects}, **more)


def drawn(model: Model) -> dict[str, Any]:
    """The full batch of a model, as the editor decodes it."""
    return json.loads(view.batch(1, view.picture(model), None))


def stopped_project(**more: Any) -> Project:
    standing = stop(3, 7, text="boom", locals=page(x="1"))
    start = project(session=session(), is_following=True, **more)
    return told.heard(told.heard(start, stopped_event()).project, detail_event(standing)).project


def test_an_empty_model_has_every_section() -> None:
    assert drawn(Model()) == {
        "generation": 1,
        "connected": False,
        "projects": [],
        "breakpoints": [],
        "texts": [],
        "stops": [],
        "frames": [],
        "values": [],
        "follow": False,
        "jump": None,
        "lists": {},
        "panes": {},
    }


@pytest.mark.parametrize(
    ("breakpoint_", "is_live", "state"),
    [
        (breakpoint_at(4), False, "idle"),
        (breakpoint_at(4, verified=True), False, "idle"),
        (breakpoint_at(4, enabled=False), False, "disabled"),
        (breakpoint_at(4, enabled=False, verified=True, adapter_line=5), True, "disabled"),
        (breakpoint_at(4), True, "pending"),
        (breakpoint_at(4, message="Resolved locations: 0"), True, "pending"),
        (breakpoint_at(4, message="no such file"), True, "rejected"),
        (breakpoint_at(4, verified=True), True, "verified"),
        (breakpoint_at(4, verified=True, adapter_line=4), True, "verified"),
        (breakpoint_at(4, verified=True, adapter_line=6), True, "moved"),
        (breakpoint_at(4, adapter_line=6), True, "pending"),
    ],
)
def test_a_breakpoint_has_one_state(breakpoint_: BreakpointStatus, is_live: bool, state: str) -> None:
    assert view.breakpoint_state(breakpoint_, is_live=is_live) == state


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ({}, "line"),
        ({"condition": "x"}, "condition"),
        ({"hit_condition": "3"}, "condition"),
        ({"condition": "x", "log_message": "m"}, "log"),
    ],
)
def test_a_breakpoint_has_one_kind(parts: dict[str, Any], kind: str) -> None:
    assert view.breakpoint_kind(breakpoint_at(4, **parts)) == kind


def test_a_moved_breakpoint_is_drawn_where_it_went_and_names_the_line_that_was_asked_for() -> None:
    live = project(session=session(), breakpoints=(breakpoint_at(4, verified=True, adapter_line=6, condition="x"),))
    [entry] = drawn(model_of(live))["breakpoints"]
    assert entry == {
        "id": 1,
        "root": ROOT,
        "path": FILE,
        "line": 6,
        "asked_line": 4,
        "kind": "condition",
        "state": "moved",
        "enabled": True,
        "message": None,
        "condition": "x",
        "hit_condition": None,
        "log_message": None,
        "anchor": None,
    }


def test_what_the_adapter_said_is_drawn_only_while_its_session_lives() -> None:
    refused = breakpoint_at(4, message="no such file\nreally")
    live = drawn(model_of(project(session=session(), breakpoints=(refused,))))["breakpoints"][0]
    over = drawn(model_of(project(session=session(state="exited"), breakpoints=(refused,))))["breakpoints"][0]
    assert (live["state"], live["message"]) == ("rejected", "no such file⏎really")
    assert (over["state"], over["message"]) == ("idle", None)


def test_a_stop_says_where_and_why() -> None:
    [entry] = drawn(model_of(stopped_project()))["stops"]
    assert entry == {
        "root": ROOT,
        "session_id": str(SESSION),
        "path": FILE,
        "line": 7,
        "thread_id": 1,
        "reason": "step",
        "text": "boom",
        "name": "main",
        "inner": None,
        "stop": 3,
    }


def test_a_stop_in_code_without_source_is_drawn_at_its_caller() -> None:
    told = stop(1, frame=frame(0, "nanosleep", path=None), user_frame=frame(12))
    [entry] = drawn(model_of(project(session=session(state="paused", stop=told))))["stops"]
    assert (entry["path"], entry["line"], entry["name"], entry["inner"]) == (FILE, 12, "main", "nanosleep")


def test_a_stop_whose_place_is_unknown_has_none() -> None:
    [entry] = drawn(model_of(project(session=session(state="paused", stop=stop(1, frame=None)))))["stops"]
    assert (entry["path"], entry["line"]) == (None, None)


def test_values_are_rows_of_name_value_type_and_change() -> None:
    [entry] = drawn(model_of(stopped_project()))["values"]
    assert entry["variables"] == [["x", "1", "int", False]]
    assert (entry["name"], entry["line"], entry["stale"], entry["stop"]) == ("main", 7, False, 3)


def test_a_chosen_frame_is_drawn_beside_the_stop() -> None:
    start = stopped_project()
    told = stops.frames_told(start, 3, (frame(7, "area"), frame(20, "main"))).project
    chosen = stops.frame_chosen(told, 1).project
    batch = drawn(model_of(chosen))
    assert [(f["line"], f["name"], f["number"]) for f in batch["frames"]] == [(20, "main", 1)]
    assert [s["line"] for s in batch["stops"]] == [7]
    assert batch["frames"][0]["thread_id"] == batch["stops"][0]["thread_id"] is not None


def test_the_state_changes_together_with_the_arrow() -> None:
    moved = ordered.set_moving(stopped_project(), 1).project
    assert drawn(model_of(moved))["projects"][0]["state"] == "paused"
    assert drawn(model_of(stops.dwelt(moved).project))["projects"][0]["state"] == "running"


@pytest.mark.parametrize(
    ("given_project", "state"),
    [
        (project(), "none"),
        (project(launching=FILE), "launching"),
        (project(launching=FILE, session=session(state="exited")), "launching"),
        (project(session=session(state="initialising")), "initialising"),
        (project(session=session(state="exited", exit_code=1)), "exited"),
    ],
)
def test_a_project_has_one_state(given_project: Project, state: str) -> None:
    assert drawn(model_of(given_project))["projects"][0]["state"] == state


@pytest.mark.parametrize(
    ("kind", "command", "name"),
    [
        ("codelldb", "/usr/bin/lldb-dap-19", "lldb-dap-19"),
        ("codelldb", None, "codelldb"),
        ("debugpy", "/usr/bin/python3", "debugpy"),
    ],
)
def test_the_adapter_is_named_by_what_a_person_calls_it(kind: Any, command: str | None, name: str) -> None:
    one = project(session=session(adapter=kind, adapter_command=command))
    assert drawn(model_of(one))["projects"][0]["adapter"] == name


def test_the_cursor_follows_the_program_that_was_last_commanded() -> None:
    ours = project(root="/p", session=session(), is_following=True)
    other = project(root="/q", session=session(), is_following=False)
    assert drawn(model_of(ours, other, last="/p"))["follow"] is True
    assert drawn(model_of(ours, other, last="/q"))["follow"] is False
    assert drawn(model_of(ours, other))["follow"] is True


def test_lists_are_sent_once_they_were_asked_for_and_breakpoints_are_of_one_project() -> None:
    stack = Listing(
        title="Lazydap stack", items=(Item(path=FILE, line=4, text="main", id=2), Item(text="more")), open=5
    )
    live = project(session=session(), breakpoints=(breakpoint_at(4, condition="x > 1", enabled=False),))
    other = project(root="/q", breakpoints=(breakpoint_at(7, path="/q/b.py"),))
    lists = drawn(model_of(live, other, stack=stack, breakpoint_list=6, breakpoint_root=ROOT))["lists"]
    assert lists["stack"] == {
        "title": "Lazydap stack",
        "items": [
            {"path": FILE, "line": 4, "text": "main", "id": 2},
            {"path": None, "line": None, "text": "more", "id": None},
        ],
        "open": 5,
    }
    assert lists["breakpoints"]["items"] == [
        {"path": FILE, "line": 4, "text": "[disabled] if x > 1", "id": 1, "root": ROOT}
    ]


def test_a_jump_is_a_place_under_a_token() -> None:
    jump = Jump(token=4, path=FILE, line=9, reason="here")
    assert drawn(Model(jump=jump))["jump"] == {"token": 4, "path": FILE, "line": 9, "reason": "here"}


# --- what is left out


def changed_sections(before: Model, after: Model) -> set[str]:
    known = view.picture(before)
    text = view.batch(2, view.picture(after, known), known)
    return set(json.loads(text)) - {"generation"}


def test_a_step_sends_the_stop_and_then_the_values_and_nothing_else() -> None:
    many = tuple(breakpoint_at(line, id=line) for line in range(1, 200))
    first = stopped_project(breakpoints=many)
    stopped = told.heard(ordered.set_moving(first, 1).project, stopped_event()).project
    placed = told.heard(stopped, detail_event(stop(4, 8, text="boom"))).project
    valued = told.heard(placed, detail_event(stop(4, 8, text="boom", locals=page(x="2")))).project
    assert changed_sections(model_of(first), model_of(placed)) == {"stops"}
    assert changed_sections(model_of(placed), model_of(valued)) == {"values"}


def test_the_breakpoints_are_not_made_again_for_a_step() -> None:
    first = stopped_project(breakpoints=(breakpoint_at(1),))
    known = view.picture(model_of(first))
    moved = ordered.set_moving(first, 1).project
    assert view.picture(model_of(moved), known)["breakpoints"] is known["breakpoints"]


def test_the_end_of_a_session_makes_its_breakpoints_idle() -> None:
    live = project(session=session(), breakpoints=(breakpoint_at(1, verified=True),))
    over = replace(live, session=session(state="exited"))
    assert "breakpoints" in changed_sections(model_of(live), model_of(over))


# --- any model, by any way


moves = st.lists(
    st.one_of(
        st.just(stopped_event()),
        st.just(continued_event()),
        st.builds(placed_event, st.integers(0, 5), st.integers(1, 9)),
        st.builds(valued_event, st.integers(0, 5), st.text(max_size=3)),
    ),
    max_size=12,
)
breakpoint_lists = st.lists(
    st.builds(breakpoint_at, st.integers(1, 50), id=st.integers(1, 9), condition=st.none() | st.text(max_size=4)),
    max_size=4,
).map(tuple)


@given(st.lists(st.tuples(moves, breakpoint_lists), max_size=6), st.booleans())
def test_a_batch_depends_on_the_model_alone(turns: list[Any], is_lost: bool) -> None:
    """Reused sections equal sections made anew, and an editor fed with differences shows what a new one would."""
    now = project(session=session(), is_following=True)
    shown: dict[str, Any] = {}
    picture: view.Picture | None = None
    for happened, breakpoints in turns:
        for event in happened:
            now = told.heard(now, event).project
        now = points.listed(now, breakpoints).project
        model = model_of(now)
        made = view.picture(model, picture)
        assert {name: one.text for name, one in made.items()} == {
            name: one.text for name, one in view.picture(model).items()
        }
        known = None if is_lost else picture
        shown.update(json.loads(view.batch(1, made, known)))
        assert shown == drawn(model)
        assert view.is_same(made, made)
        picture = made


@given(st.text(), st.text())
def test_whatever_a_program_calls_things_the_batch_is_one_json_text(name: str, value: str) -> None:
    told = stop(1, locals=page(**{name: value}), text=value, frame=frame(1, name))
    live = stops.stop_told(project(session=session(state="paused")), told).project
    [entry] = drawn(model_of(live))["stops"]
    assert "\n" not in entry["name"]
