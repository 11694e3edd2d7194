"""What the host makes of events and orders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from lazydap_core.protocol import events, objects, responses
from lazydap_nvim.model import Project, Queue, Session
from lazydap_nvim.transitions import effects, ordered, points, stops, told
from lazydap_nvim.transitions.effects import Jump, Outcome, StepAgain
from lazydap_nvim.transitions.told import heard
from tests.unit.host.building import (
    DETAIL,
    FILE,
    NOW,
    OTHER_SESSION,
    SESSION,
    breakpoint_at,
    continued_event,
    detail_event,
    ended_event,
    frame,
    launched,
    page,
    placed_event,
    project,
    session,
    status,
    stop,
    stopped_event,
    valued_event,
    variable,
)

OURS, THEIRS = "Neovim 1", "Neovim 22"


def after(start: Project, *happened: events.Event) -> Outcome:
    """The project after these events, with the effects of the last one."""
    outcome = Outcome(start)
    for event in happened:
        outcome = heard(outcome.project, event, OURS)
    return outcome


def live(outcome: Outcome | Project) -> Session:
    found = (outcome.project if isinstance(outcome, Outcome) else outcome).live
    assert found is not None
    return found


def standing(line: int = 4, generation: int = 1) -> Project:
    """A project of ours whose program stands, its values known."""
    before = project(session=session(), is_following=True)
    return after(before, stopped_event(), detail_event(stop(generation, line, locals=page(x="1", y="2")))).project


def test_a_stop_is_drawn_when_its_detail_comes_and_the_cursor_follows() -> None:
    first = after(project(session=session(), is_following=True), stopped_event())
    assert first.effects == ("dwell",)
    second = heard(first.project, detail_event(stop(1, 7)))
    assert second.effects == ("draw", "dwell", Jump(FILE, 7, "stop"))
    assert live(second).state == "paused"


def test_the_locals_come_with_a_second_detail_and_move_no_cursor() -> None:
    outcome = after(
        project(session=session(), is_following=True),
        stopped_event(),
        detail_event(stop(1, 7)),
        detail_event(stop(1, 7, locals=page(x="1"))),
    )
    assert outcome.effects == ("draw",)
    values = live(outcome).values
    assert values is not None
    assert [(row.name, row.value) for row in values.rows] == [("x", "1")]


def test_a_value_that_differs_from_the_stop_before_is_marked_and_stays_marked_when_told_again() -> None:
    moved = ordered.set_moving(standing(), 1).project
    told = detail_event(stop(2, 5, locals=page(x="2", y="2", new="0")))
    once = after(moved, stopped_event(), told)
    twice = heard(once.project, told)
    for outcome in (once, twice):
        values = live(outcome).values
        assert values is not None
        assert [(row.name, row.is_changed) for row in values.rows] == [("x", True), ("y", False), ("new", False)]


def test_values_of_another_function_are_not_compared() -> None:
    moved = ordered.set_moving(standing(), 1).project
    inside = detail_event(stop(2, 1, frame=frame(1, name="area"), locals=page(x="9")))
    values = live(after(moved, stopped_event(), inside)).values
    assert values is not None
    assert not values.rows[0].is_changed


def test_the_groups_that_debugpy_lists_among_locals_are_left_out() -> None:
    rows = objects.Locals(
        frame_id=1,
        variables_reference=2,
        variables=(variable("special variables", "", variables_reference=9), variable("x", "1")),
        truncated=False,
    )
    outcome = after(project(session=session()), stopped_event(), detail_event(stop(1, locals=rows)))
    values = live(outcome).values
    assert values is not None
    assert [row.name for row in values.rows] == ["x"]


def test_what_a_python_file_imports_and_defines_is_not_shown_as_a_value() -> None:
    told = (
        variable("sys", "<module 'sys' (built-in)>", type_name="module"),
        variable("area", "<function area at 0x7f00>", type_name="function"),
        variable("Shape", "<class '__main__.Shape'>", type_name="type"),
        variable("x", "1"),
    )
    rows = objects.Locals(frame_id=1, variables_reference=2, variables=told, truncated=False)
    values = live(after(project(session=session()), stopped_event(), detail_event(stop(1, locals=rows)))).values
    assert values is not None
    assert [row.name for row in values.rows] == ["x"]


def test_long_and_many_lined_values_are_cut_to_one_line() -> None:
    huge = objects.Locals(
        frame_id=1, variables_reference=2, variables=(variable("s", "a\nb" + "x" * 5000),), truncated=False
    )
    outcome = after(project(session=session()), stopped_event(), detail_event(stop(1, locals=huge)))
    values = live(outcome).values
    assert values is not None
    assert len(values.rows[0].value) == 200
    assert values.rows[0].value.startswith("a⏎bxxx")
    assert values.rows[0].value.endswith("…")


def test_a_detail_that_comes_after_our_step_is_dropped() -> None:
    moved = ordered.set_moving(standing(generation=3), 1).project
    late = heard(moved, detail_event(stop(3, locals=page(x="5"))))
    assert late == Outcome(moved)


def test_a_detail_of_a_stop_that_was_stepped_over_is_dropped() -> None:
    # The second of two counted steps is sent before the first stop's detail has come.
    moved = ordered.set_moving(standing(), 1, Queue("over", 1)).project
    stopped = heard(moved, stopped_event())
    assert stopped.effects == (StepAgain("over", None),)
    again = ordered.set_moving(stopped.project, 2).project
    assert heard(again, detail_event(stop(2, 5))) == Outcome(again)
    outcome = after(again, stopped_event(), detail_event(stop(3, 6)))
    assert Jump(FILE, 6, "stop") in outcome.effects


def test_counted_steps_end_at_a_breakpoint() -> None:
    moved = ordered.set_moving(standing(), 1, Queue("in", 5)).project
    outcome = heard(moved, stopped_event(reason="breakpoint"))
    assert outcome.effects == ("dwell",)
    assert live(outcome).queued is None


def test_while_a_step_is_on_its_way_the_arrow_stays_for_a_moment_and_then_goes() -> None:
    moved = ordered.set_moving(standing(), 1)
    assert moved.effects == ("dwell",)
    assert live(moved).stop is not None
    over = stops.dwelt(moved.project)
    assert over.effects == ("draw",)
    assert live(over).stop is None
    values = live(over).values
    assert values is not None
    assert values.is_stale


def test_the_moment_changes_nothing_for_a_program_that_has_stopped_again() -> None:
    moved = ordered.set_moving(standing(), 1).project
    stopped = after(moved, stopped_event(), detail_event(stop(2, 5, locals=page(x="1")))).project
    assert stops.dwelt(stopped).project == stopped


def test_values_that_do_not_come_are_dimmed_after_the_moment() -> None:
    moved = ordered.set_moving(standing(), 1).project
    over = stops.dwelt(after(moved, stopped_event(), detail_event(stop(2, 5))).project)
    values = live(over).values
    assert values is not None
    assert values.is_stale
    assert live(over).stop == stop(2, 5)


def test_an_arrow_whose_successor_is_not_placed_goes_after_the_moment() -> None:
    moved = ordered.set_moving(standing(), 1).project
    over = stops.dwelt(heard(moved, stopped_event()).project)
    assert live(over).stop is None
    assert live(over).state == "paused"


@pytest.mark.parametrize("by", ["command line", "a script", None, OURS])
def test_what_no_other_editor_has_ordered_leaves_the_cursor_following(by: str | None) -> None:
    outcome = after(standing(), continued_event(by=by), stopped_event(by=by), detail_event(stop(2, 9)))
    assert outcome.project.is_following
    assert Jump(FILE, 9, "stop") in outcome.effects


@pytest.mark.parametrize("is_told_to_run", [True, False])
def test_the_command_of_another_editor_is_drawn_and_takes_following_over(*, is_told_to_run: bool) -> None:
    run = [continued_event(by=THEIRS)] if is_told_to_run else []
    outcome = after(standing(), *run, stopped_event(by=THEIRS), detail_event(stop(2, 9)))
    assert not outcome.project.is_following
    assert not any(isinstance(effect, Jump) for effect in outcome.effects)
    assert live(outcome).stop == stop(2, 9)


def test_following_taken_back_while_another_editors_command_is_under_way_lasts_to_its_stop() -> None:
    running = after(standing(), continued_event(by=THEIRS)).project
    asked = replace(running, is_following=True)
    outcome = after(asked, stopped_event("breakpoint", by=THEIRS), detail_event(stop(2, 9)))
    assert Jump(FILE, 9, "stop") in outcome.effects


def test_a_pause_by_another_editor_takes_following_over() -> None:
    running = after(standing(), continued_event()).project
    assert not after(running, stopped_event("pause", by=THEIRS)).project.is_following


def test_our_own_movement_gives_the_cursor_back() -> None:
    watching = replace(standing(), is_following=False)
    moved = ordered.set_moving(watching, 1).project
    outcome = after(moved, continued_event(), stopped_event(), detail_event(stop(2, 9)))
    assert outcome.project.is_following
    assert Jump(FILE, 9, "stop") in outcome.effects


def test_a_pause_of_ours_is_followed() -> None:
    running = project(session=session())
    outcome = after(ordered.set_pausing(running).project, stopped_event("pause"), detail_event(stop(1, 3)))
    assert Jump(FILE, 3, "stop") in outcome.effects


def test_a_refused_movement_puts_the_stop_back_and_asks_how_it_is() -> None:
    moved = ordered.set_moving(standing(), 8).project
    refused = ordered.move_refused(moved, 8)
    assert refused.effects == ("draw", "status")
    assert live(refused).state == "paused"


def test_the_refusal_of_a_movement_that_is_over_changes_nothing() -> None:
    moved = ordered.set_moving(standing(), 8).project
    stopped = after(moved, stopped_event()).project
    assert ordered.move_refused(stopped, 8) == Outcome(stopped)


def test_a_second_thread_stopping_changes_no_generation() -> None:
    start = standing(generation=1)
    again = after(start, stopped_event())
    assert live(again).stop == live(start).stop
    assert live(heard(again.project, detail_event(stop(1, locals=page(x="1"))))).seen == 1


def test_where_the_top_frame_has_no_source_the_cursor_goes_to_the_caller_that_has_one() -> None:
    told = stop(1, frame=frame(0, "nanosleep", path=None), user_frame=frame(12))
    outcome = after(project(session=session(), is_following=True), stopped_event(), detail_event(told))
    assert Jump(FILE, 12, "stop") in outcome.effects


def test_the_caller_that_the_daemon_names_is_shown_even_where_the_top_frame_has_a_source() -> None:
    told = stop(1, frame=frame(1456, "runtime.fatalpanic", path="/go/src/runtime/panic.go"), user_frame=frame(12))
    outcome = after(project(session=session(), is_following=True), stopped_event(), detail_event(told))
    assert Jump(FILE, 12, "stop") in outcome.effects


def test_a_stop_without_any_source_is_told() -> None:
    told = stop(1, frame=frame(0, "nanosleep", path=None))
    outcome = after(project(session=session(), is_following=True), stopped_event(), detail_event(told))
    assert outcome.effects[-1] == effects.Say("stopped in nanosleep, which has no source here")


def test_the_end_takes_stop_and_values_away_and_is_told_once() -> None:
    outcome = heard(standing(), ended_event(objects.Exited(exit_code=3)))
    ended = outcome.project.session
    assert ended is not None
    assert (ended.state, ended.exit_code, ended.stop, ended.values) == ("exited", 3, None, None)
    assert outcome.effects == ("draw", effects.Ended(ended))
    assert heard(outcome.project, ended_event("terminated")) == Outcome(outcome.project)


def test_events_of_another_session_are_not_ours() -> None:
    start = standing()
    for event in (
        stopped_event(session_id=OTHER_SESSION),
        continued_event(OTHER_SESSION),
        detail_event(stop(9), OTHER_SESSION),
        ended_event("terminated", OTHER_SESSION),
    ):
        assert heard(start, event).project == start


def test_a_stop_of_a_session_nobody_told_of_makes_us_ask() -> None:
    assert heard(project(), stopped_event()).effects == ("status",)


# --- launching


def started_event() -> events.SessionStarted:
    return events.SessionStarted(session_id=SESSION, adapter="debugpy")


def test_our_launch_that_stops_at_once_is_followed_whichever_word_comes_first() -> None:
    answer = launched("paused", reason="entry", thread_id=1, stop=stop(1, 2), breakpoints=(breakpoint_at(2),))
    launching = ordered.launching(project(), FILE, NOW).project
    by_answer = ordered.launched(launching, answer, "debugpy", FILE)
    assert Jump(FILE, 2, "stop") in by_answer.effects
    late = after(by_answer.project, started_event(), detail_event(stop(1, 2)))
    by_event = after(launching, started_event(), detail_event(stop(1, 2)))
    assert Jump(FILE, 2, "stop") in by_event.effects
    late_answer = ordered.launched(by_event.project, answer, "debugpy", FILE)
    assert not any(isinstance(effect, Jump) for effect in late_answer.effects)
    for outcome in (late, late_answer):
        assert outcome.project.is_following
        assert outcome.project.launching is None
        assert live(outcome).stop == stop(1, 2)
        assert outcome.project.breakpoints == (breakpoint_at(2),)


def test_a_launch_whose_program_is_over_already_is_told_by_the_event_only() -> None:
    launching = ordered.launching(project(), FILE, NOW).project
    ended = after(launching, started_event(), ended_event(objects.Exited(exit_code=1)))
    answered = ordered.launched(ended.project, launched("exited"), "debugpy", FILE)
    assert answered.effects == ("draw",)
    kept = answered.project.session
    assert kept is not None
    assert (kept.state, kept.exit_code) == ("exited", 1)


def test_a_session_started_by_another_client_is_asked_for_and_not_followed() -> None:
    outcome = heard(project(is_following=True), started_event())
    assert outcome.effects == ("draw", "status", "list")
    assert not outcome.project.is_following


def test_a_failed_launch_leaves_the_project_as_it_is_with_the_daemon() -> None:
    failed = ordered.launch_failed(ordered.launching(project(), FILE, NOW).project)
    assert failed.project == project()
    assert failed.effects == ("draw", "status", "list")


# --- snapshots


def test_a_link_that_comes_up_draws_a_stop_it_finds_and_moves_nothing() -> None:
    found = status(stop=stop(5, 3, locals=page(x="1")))
    outcome = told.connected(project(), DETAIL, found, (breakpoint_at(3),), NOW)
    assert live(outcome).stop is not None
    assert live(outcome).values is not None
    assert not any(isinstance(effect, Jump) for effect in outcome.effects)
    assert outcome.project.breakpoints == (breakpoint_at(3),)


def test_a_snapshot_brings_back_a_stop_whose_events_were_lost() -> None:
    moved = ordered.set_moving(standing(), 1).project
    outcome = told.snapshot(moved, status(stop=stop(2, 8)), NOW)
    assert live(outcome).stop == stop(2, 8)
    assert live(outcome).moving == 0
    assert Jump(FILE, 8, "stop") in outcome.effects


def test_a_snapshot_without_a_session_takes_it_away() -> None:
    assert told.snapshot(standing(), status(), NOW).project.session is None


def test_a_lost_daemon_leaves_the_breakpoints_of_the_file() -> None:
    outcome = told.lost(standing(), (breakpoint_at(9),))
    assert outcome.project.session is None
    assert not outcome.project.is_connected
    assert outcome.project.breakpoints == (breakpoint_at(9),)
    assert told.lost(outcome.project, (breakpoint_at(9),)).effects == ()


def test_a_launch_that_starts_the_daemon_is_ours_although_no_daemon_answered_at_first() -> None:
    launching = ordered.launching(project(), FILE, NOW).project
    unlinked = told.lost(launching, ()).project
    linked = told.connected(unlinked, DETAIL, status(), (), NOW).project
    started = heard(linked, events.SessionStarted(session_id=SESSION, adapter="debugpy")).project
    assert started.is_following


# --- a daemon without our features


def test_without_stop_details_the_place_is_asked_for() -> None:
    old = project(session=session(), features=frozenset[str](), is_following=True)
    outcome = heard(old, stopped_event("breakpoint"))
    assert "frame" in outcome.effects
    asked = live(outcome)
    assert asked.stop is not None
    told = stops.stop_told(outcome.project, replace(asked.stop, frame=frame(6)))
    assert Jump(FILE, 6, "stop") in told.effects
    moved = ordered.set_moving(told.project, 1).project
    assert stops.stop_told(moved, replace(asked.stop, frame=frame(6), locals=page(x="1"))) == Outcome(moved)


def test_without_stop_details_a_launch_that_stops_is_asked_for() -> None:
    launching = ordered.launching(project(features=frozenset[str]()), FILE, NOW).project
    outcome = ordered.launched(launching, launched("paused", reason="entry", thread_id=1), "debugpy", FILE)
    assert "frame" in outcome.effects


def test_without_stop_details_a_paused_session_found_on_connecting_is_asked_for() -> None:
    outcome = told.connected(project(), frozenset(), status(state="paused"), (), NOW)
    assert "frame" in outcome.effects


# --- the list of breakpoints


def answer(action: str, *changed: objects.BreakpointStatus) -> responses.Breakpoints:
    return responses.Breakpoints(
        action=action,  # type: ignore[arg-type]
        dry_run=False,
        breakpoints=changed,
        not_found=(),
        applied_to_session=False,
    )


@pytest.mark.parametrize(
    ("done", "left"),
    [
        (answer("added", breakpoint_at(9, id=2)), (breakpoint_at(4), breakpoint_at(9, id=2))),
        (answer("removed", breakpoint_at(4)), ()),
        (answer("toggled", breakpoint_at(4, enabled=False)), (breakpoint_at(4, enabled=False),)),
        (answer("updated", breakpoint_at(4, condition="x")), (breakpoint_at(4, condition="x"),)),
    ],
)
def test_an_edit_of_ours_shows_at_once(done: responses.Breakpoints, left: tuple[objects.BreakpointStatus, ...]) -> None:
    outcome = points.edited(project(breakpoints=(breakpoint_at(4),)), done)
    assert outcome.project.breakpoints == left
    assert outcome.effects == ("draw",)


def test_an_opinion_of_our_session_changes_the_breakpoint() -> None:
    before = replace(standing(), breakpoints=(breakpoint_at(4), breakpoint_at(8, id=2)))
    opinion = objects.AdapterBreakpoint(id=1, adapter_id=0, verified=True, line=5)
    outcome = heard(before, events.BreakpointUpdated(session_id=SESSION, breakpoint=opinion))
    assert outcome.project.breakpoints[0] == breakpoint_at(4, verified=True, adapter_line=5)
    assert outcome.project.breakpoints[1] == breakpoint_at(8, id=2)


def test_what_is_wrong_with_the_condition_of_a_breakpoint_that_binds_is_kept_until_it_is_mended() -> None:
    before = replace(standing(), breakpoints=(breakpoint_at(4, condition="nope > 1"),))
    opinion = objects.AdapterBreakpoint(id=1, verified=True, message="the condition cannot be tried: NameError")
    told = heard(before, events.BreakpointUpdated(session_id=SESSION, breakpoint=opinion)).project
    assert told.breakpoints[0].message == "the condition cannot be tried: NameError"
    mended = events.BreakpointUpdated(session_id=SESSION, breakpoint=replace(opinion, message=None))
    assert heard(told, mended).project.breakpoints[0].message is None


def test_an_opinion_of_another_session_or_without_an_id_changes_nothing() -> None:
    before = replace(standing(), breakpoints=(breakpoint_at(4),))
    ours = objects.AdapterBreakpoint(verified=True, line=5)
    theirs = objects.AdapterBreakpoint(id=1, verified=True, line=5)
    assert heard(before, events.BreakpointUpdated(session_id=SESSION, breakpoint=ours)).project == before
    assert heard(before, events.BreakpointUpdated(session_id=OTHER_SESSION, breakpoint=theirs)).project == before


def test_a_change_of_the_projects_list_makes_us_read_it() -> None:
    opinion = objects.AdapterBreakpoint(id=1, verified=False, line=4)
    assert heard(project(), events.BreakpointUpdated(breakpoint=opinion)).effects == ("list",)


# --- frames


def test_an_outer_frame_is_looked_at_until_the_program_moves() -> None:
    stack = (frame(4, "area", id=1), frame(20, "main", id=2))
    told = stops.frames_told(standing(generation=1), 1, stack).project
    chosen = stops.frame_chosen(told, 1)
    assert chosen.effects == ("draw", Jump(FILE, 20, "frame"))
    valued = stops.values_told(chosen.project, 1, 1, page(z="3"))
    values = live(valued).values
    assert values is not None
    assert (values.function, values.line) == ("main", 20)
    moved = ordered.set_moving(valued.project, 1).project
    there = after(moved, stopped_event(), detail_event(stop(2)))
    assert live(there).chosen == 0
    assert live(there).frames == ()


def test_a_stack_or_values_of_an_earlier_stop_are_dropped() -> None:
    start = standing(generation=2)
    assert stops.frames_told(start, 1, (frame(1),)) == Outcome(start)
    assert stops.values_told(start, 1, 0, page(x="1")) == Outcome(start)


# --- whatever happens


any_event = st.one_of(
    st.just(stopped_event()),
    st.just(stopped_event("breakpoint")),
    st.just(continued_event()),
    st.just(started_event()),
    st.just(ended_event(objects.Exited(exit_code=0))),
    st.just(stopped_event(session_id=OTHER_SESSION)),
    st.builds(placed_event, st.integers(0, 6), st.integers(1, 9)),
    st.builds(valued_event, st.integers(0, 6), st.text(max_size=3)),
)


@given(st.lists(any_event, max_size=30))
def test_no_order_of_events_brings_an_old_stop_back(happened: list[events.Event]) -> None:
    now = project(session=session(), is_following=True)
    newest = -1
    for event in happened:
        now = heard(now, event).project
        if now.live is not None and now.live.stop is not None:
            assert now.live.stop.generation >= newest
            newest = now.live.stop.generation
        if now.live is None:
            newest = -1
            assert now.session is None or (now.session.stop is None and now.session.values is None)


def test_the_stop_is_looked_at_again_after_another_frame_or_thread() -> None:
    told = stops.frames_told(standing(), 1, (frame(4), frame(9, "caller", id=2))).project
    chosen = stops.frame_chosen(told, 1).project
    back = live(stops.stop_chosen(stops.values_told(chosen, 1, 1, page(z="5")).project))
    assert (back.chosen, back.thread, len(back.frames)) == (0, None, 2)
    assert back.values is not None
    assert [row.name for row in back.values.rows] == ["x", "y"]
    other = stops.thread_chosen(told, 1, 7, (frame(20, "waits", id=3),)).project
    again = live(stops.stop_chosen(other))
    assert (again.chosen, again.thread, again.frames) == (0, None, ())
