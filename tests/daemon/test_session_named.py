"""Breakpoints of functions and of values, and all of them off at once: what is sent, kept, told and refused."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import BadRequest, DapProtocolError, SessionNotFound, Unsupported
from lazydap_core.protocol import events, objects, requests
from lazydap_core.protocol.additions import muting, named
from lazydap_daemon.store.project import ProjectStore
from tests.daemon.rig import LOOP, Rig, hosted_rig
from tests.fakes.program import Line

TRACE = (
    Line(line=1, function="main", locals={"n": 1}),
    Line(line=2, function="area", depth=1, locals={"n": 1}),
    Line(line=3, function="main", locals={"n": 2}),
    Line(line=4, function="main", locals={"n": 2}),
)
CAN: dict[str, Any] = {"supportsFunctionBreakpoints": True, "supportsDataBreakpoints": True}


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def start(made: Rig, trace: Any = TRACE, *, like: str = "lldb-dap", can: Any = None, **manners: Any) -> None:
    made.play(made.program(trace, capabilities=CAN if can is None else can, **manners), like=like)
    await made.launch(stop_on_entry=True)


async def at(made: Rig, name: str, *, dry_run: bool = False, **more: Any) -> named.FunctionBreakpoints:
    wanted = named.NewFunctionBreakpoint(name=name, enabled=True, **more)
    answer = await made.engine.handle(named.FunctionBreakpointAdd(breakpoint=wanted, dry_run=dry_run))
    assert isinstance(answer, named.FunctionBreakpoints)
    return answer


async def watch(made: Rig, name: str, *, access: Any = "write", **more: Any) -> named.DataBreakpoints:
    wanted = named.NewDataBreakpoint(name=name, access=access, enabled=True, **more)
    answer = await made.engine.handle(
        named.DataBreakpointAdd(session_id=made.session_id, breakpoint=wanted, dry_run=False)
    )
    assert isinstance(answer, named.DataBreakpoints)
    return answer


async def answer(made: Rig, request: Any) -> Any:
    return await made.engine.handle(request)


def sent(made: Rig, command: str) -> list[Any]:
    return [entry["arguments"]["breakpoints"] for entry in made.driver.record() if entry.get("command") == command]


# -- functions --------------------------------------------------------------------------------------------------------


async def test_a_function_breakpoint_set_with_nothing_running_stops_the_next_program(made: Rig) -> None:
    added = await at(made, "area", condition="n == 1")
    assert (added.action, added.applied_to_session, added.breakpoints[0].verified) == ("added", False, False)
    assert [one.session_id for one in made.of(named.FunctionBreakpointUpdated)] == [None]
    await start(made)
    assert sent(made, "setFunctionBreakpoints") == [[{"name": "area", "condition": "n == 1"}]]
    stepped = await made.resume()
    assert (stepped.reason, stepped.frame.line) == ("function_breakpoint", 2)
    assert stepped.hit_breakpoint_ids == (added.breakpoints[0].id,)
    (listed,) = (await answer(made, named.FunctionBreakpointList())).breakpoints
    assert (listed.verified, listed.line) == (True, 2)


async def test_functions_are_in_a_list_of_their_own_with_ids_of_the_one_counter(made: Rig) -> None:
    line = await made.add(4)
    function = await at(made, "area")
    assert (line.breakpoints[0].id, function.breakpoints[0].id) == (1, 2)
    assert [one.id for one in await made.listed()] == [1]
    assert await made.store.flush()
    assert [one.name for one in ProjectStore.load(made.folder).functions.entries] == ["area"]


async def test_functions_are_toggled_and_removed_in_a_live_session(made: Rig) -> None:
    await start(made)
    number = (await at(made, "area")).breakpoints[0].id
    await at(made, "main")
    toggled = await answer(made, named.FunctionBreakpointToggle(selector=objects.ByName(name="main"), dry_run=False))
    assert (toggled.breakpoints[0].enabled, toggled.applied_to_session) == (False, True)
    removed = await answer(made, named.FunctionBreakpointRemove(selector=objects.ByIds(ids=(number, 9)), dry_run=False))
    assert ([one.name for one in removed.breakpoints], removed.not_found) == (["area"], (9,))
    area, main = {"name": "area"}, {"name": "main"}
    assert sent(made, "setFunctionBreakpoints") == [[area], [area, main], [area], []]


async def test_a_dry_run_about_a_function_changes_nothing(made: Rig) -> None:
    await start(made)
    assert (await at(made, "area", dry_run=True)).breakpoints[0].id == 0
    assert (sent(made, "setFunctionBreakpoints"), made.of(named.FunctionBreakpointUpdated)) == ([], [])


async def test_an_adapter_without_function_breakpoints_is_named_and_nothing_is_kept(made: Rig) -> None:
    await start(made, can={})
    with pytest.raises(Unsupported, match="lldb-dap cannot stop at a function by its name"):
        await at(made, "area")
    assert made.store.functions.entries == ()


async def test_one_that_is_kept_is_listed_with_the_reason_where_the_adapter_has_none(made: Rig) -> None:
    await at(made, "area")
    await start(made, can={})
    (listed,) = (await answer(made, named.FunctionBreakpointList())).breakpoints
    assert not listed.verified
    assert "cannot stop at a function" in (listed.message or "")
    assert "setFunctionBreakpoints" not in made.driver.requests()


async def test_a_hit_count_that_the_adapter_cannot_count_is_told_with_its_breakpoint(made: Rig) -> None:
    await start(made)
    (told,) = (await at(made, "area", hit_condition="%3")).breakpoints
    assert (told.verified, "cannot count" in (told.message or "")) == (False, True)
    (told,) = (await at(made, "area", hit_condition=">=3")).breakpoints
    assert sent(made, "setFunctionBreakpoints") == [[{"name": "area", "hitCondition": "3"}]]


async def test_a_refused_function_is_kept_for_the_next_launch(made: Rig) -> None:
    await start(made, refuses={"setFunctionBreakpoints": "not today"})
    with pytest.raises(DapProtocolError, match=r"not today.*applies at the next launch") as refused:
        await at(made, "area")
    assert refused.value.details["recorded_breakpoint_ids"] == [1]
    assert [one.name for one in made.store.functions.entries] == ["area"]


async def test_the_first_step_of_a_go_program_leaves_the_project_s_functions_in_place(made: Rig) -> None:
    await at(made, "area")
    await start(made, like="delve")
    await made.step()
    await made.until(lambda: len(sent(made, "setFunctionBreakpoints")) == 3)
    area, entry = {"name": "area"}, {"name": "main.main"}
    assert sent(made, "setFunctionBreakpoints") == [[area], [area, entry], [area]]


# -- values -----------------------------------------------------------------------------------------------------------


async def test_a_program_stops_when_a_watched_value_has_changed(made: Rig) -> None:
    await start(made)
    added = await watch(made, "n")
    (told,) = added.breakpoints
    assert (added.action, added.applied_to_session, told.verified, told.access) == ("added", True, True, "write")
    stepped = await made.resume()
    assert (stepped.reason, stepped.frame.line) == ("data_breakpoint", 3)
    assert stepped.hit_breakpoint_ids == (told.id,)


async def test_watching_needs_a_value_that_there_is(made: Rig) -> None:
    await start(made)
    with pytest.raises(BadRequest, match="nowhere cannot be watched: no such variable"):
        await watch(made, "nowhere")
    assert (await answer(made, named.DataBreakpointList())).breakpoints == ()
    with pytest.raises(Unsupported, match="cannot watch that for read: choose from write"):
        await watch(made, "n", access="read")


async def test_an_adapter_that_watches_nothing_is_named(made: Rig) -> None:
    await start(made, can={})
    with pytest.raises(Unsupported, match="lldb-dap cannot watch a value: set a condition"):
        await watch(made, "n")
    assert "dataBreakpointInfo" not in made.driver.requests()


async def test_watched_values_are_toggled_and_removed_and_end_with_their_session(made: Rig) -> None:
    await start(made)
    await watch(made, "n", condition="n > 1")
    by_name = objects.ByName(name="n")
    await answer(made, named.DataBreakpointToggle(selector=by_name, dry_run=False))
    await answer(made, named.DataBreakpointToggle(selector=by_name, dry_run=False))
    entry = {"dataId": "n", "accessType": "write", "condition": "n > 1"}
    assert sent(made, "setDataBreakpoints") == [[entry], [], [entry]]
    assert [one.session_id for one in made.of(named.DataBreakpointUpdated) if one.session_id is None] == [None] * 3
    session_id = made.session_id
    await made.disconnect()
    assert (await answer(made, named.DataBreakpointList())).breakpoints == ()
    removed = await answer(made, named.DataBreakpointRemove(selector=objects.ByIds(ids=(1,)), dry_run=False))
    assert removed.not_found == (1,)
    made.session_id = session_id
    with pytest.raises(SessionNotFound):
        await watch(made, "n")


async def test_one_too_many_is_taken_out_again(made: Rig) -> None:
    await start(made, refuses={"setDataBreakpoints": "no registers left"})
    with pytest.raises(DapProtocolError, match="no registers left"):
        await watch(made, "n")
    assert (await answer(made, named.DataBreakpointList())).breakpoints == ()


# -- all off ----------------------------------------------------------------------------------------------------------


async def test_muted_breakpoints_stop_nothing_and_come_back_as_each_was(made: Rig) -> None:
    await made.add(4)
    await at(made, "area")
    await start(made)
    await watch(made, "n")
    assert (await answer(made, muting.Mute(muted=True))).applied_to_session
    assert [sent(made, f"set{kind}Breakpoints")[-1] for kind in ("", "Function", "Data")] == [[], [], []]
    assert (await made.listed())[0].enabled
    assert (await answer(made, muting.Mute(muted=False))).applied_to_session
    assert [len(sent(made, f"set{kind}Breakpoints")[-1]) for kind in ("", "Function", "Data")] == [1, 1, 1]
    assert made.of(muting.MuteChanged) == [muting.MuteChanged(muted=True), muting.MuteChanged(muted=False)]


async def test_what_was_muted_is_muted_for_the_next_program_and_the_next_daemon(made: Rig) -> None:
    await made.add(4)
    assert not (await answer(made, muting.Mute(muted=True))).applied_to_session
    await answer(made, muting.Mute(muted=True))
    assert len(made.of(muting.MuteChanged)) == 1
    await start(made, LOOP[:2])
    assert (await made.resume()).state == "exited"
    assert "setBreakpoints" not in made.driver.requests()
    assert await made.store.flush()
    assert ProjectStore.load(made.folder).is_muted


async def test_a_run_to_a_line_stops_there_although_breakpoints_are_muted(made: Rig) -> None:
    await made.add(3)
    await answer(made, muting.Mute(muted=True))
    await start(made)
    stepped = await answer(
        made, requests.RunTo(session_id=made.session_id, source=made.source, line=4, wait=objects.Wait(timeout_ms=5000))
    )
    assert stepped.frame.line == 4
    assert made.of(events.BreakpointUpdated)[0].session_id is None
