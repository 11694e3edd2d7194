"""Running to a line, jumping and choosing what to step into, on the scripted adapter."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import BadRequest, DapProtocolError, SessionNotPaused, StaleHandle, Unsupported
from lazydap_core.protocol import events, requests
from tests.daemon.rig import NO_WAIT, STRAIGHT, WAIT, Rig, hosted_rig
from tests.fakes.program import Line

JUMPS = {"supportsGotoTargetsRequest": True}
CHOOSES = {"supportsStepInTargetsRequest": True}
SLOW = (Line(line=1), Line(line=2, seconds=0.2), Line(line=3), Line(line=4))


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def run_to(made: Rig, line: int, wait: Any = WAIT) -> Any:
    return await made.engine.handle(
        requests.RunTo(session_id=made.session_id, source=made.source, line=line, wait=wait)
    )


async def goto(made: Rig, line: int, target_id: int | None = None) -> Any:
    return await made.engine.handle(
        requests.Goto(session_id=made.session_id, source=made.source, line=line, target_id=target_id, wait=WAIT)
    )


def planted(made: Rig) -> list[list[int]]:
    """The lines of each list of breakpoints that the adapter was sent."""
    lists = [
        each["arguments"]["breakpoints"] for each in made.driver.record() if each.get("command") == "setBreakpoints"
    ]
    return [[entry["line"] for entry in entries] for entries in lists]


async def test_the_program_runs_to_the_line_and_the_line_keeps_no_breakpoint(made: Rig) -> None:
    await made.start()
    stepped = await run_to(made, 4)
    assert (stepped.state, stepped.frame.line, stepped.hit_breakpoint_ids) == ("paused", 4, ())
    await made.until(lambda: planted(made) == [[4], []])
    assert await made.listed() == ()
    assert (await made.resume()).state == "exited"


async def test_the_project_keeps_its_breakpoints_through_a_run_to_a_line(made: Rig) -> None:
    await made.add(2)
    await made.start()
    first = await run_to(made, 4)
    assert (first.frame.line, first.hit_breakpoint_ids) == (2, (1,))
    await made.until(lambda: planted(made) == [[2], [2, 4], [2]])
    assert [(one.line, one.verified) for one in await made.listed()] == [(2, True)]


async def test_a_run_that_another_breakpoint_ended_leaves_nothing_for_the_next(made: Rig) -> None:
    await made.add(2)
    await made.start()
    await run_to(made, 4)
    assert (await made.resume()).state == "exited"


async def test_a_breakpoint_of_the_project_on_that_line_serves(made: Rig) -> None:
    await made.add(4)
    await made.start()
    assert (await run_to(made, 4)).hit_breakpoint_ids == (1,)
    assert planted(made) == [[4]]


async def test_a_condition_on_that_line_counts_for_nothing_and_is_back_afterwards(made: Rig) -> None:
    await made.add(4, condition="x > 100")
    await made.start()
    assert (await run_to(made, 4)).frame.line == 4
    await made.until(lambda: len(planted(made)) == 3)
    conditions = [
        [entry.get("condition") for entry in each["arguments"]["breakpoints"]]
        for each in made.driver.record()
        if each.get("command") == "setBreakpoints"
    ]
    assert conditions == [["x > 100"], [None], ["x > 100"]]
    assert [one.condition for one in await made.listed()] == ["x > 100"]


async def test_a_line_without_code_is_refused_and_the_program_stays(made: Rig) -> None:
    await made.add(2)
    await made.start()
    with pytest.raises(BadRequest, match=r"cannot run to .*program.c:19: no code on this line"):
        await run_to(made, 19)
    assert made.state == "paused"
    assert planted(made) == [[2], [2, 19], [2]]


async def test_an_adapter_that_refuses_to_run_keeps_no_temporary_breakpoint(made: Rig) -> None:
    await made.start(refuses={"continue": "not now"})
    with pytest.raises(DapProtocolError, match="not now"):
        await run_to(made, 4)
    assert (made.state, planted(made)) == ("paused", [[4], []])


async def test_a_breakpoint_set_during_the_run_does_not_end_it_early(made: Rig) -> None:
    await made.start(SLOW)
    await run_to(made, 4, NO_WAIT)
    await made.add(1)
    await made.until(lambda: made.state == "paused")
    assert planted(made)[:2] == [[4], [1, 4]]
    await made.until(lambda: planted(made)[-1] == [1])


async def test_the_end_of_the_program_takes_the_temporary_breakpoint_along(made: Rig) -> None:
    await made.start(moves={9: 1})
    assert (await run_to(made, 9)).state == "exited"


async def test_a_running_program_is_not_run_to_a_line(made: Rig) -> None:
    await made.start(SLOW, stop_on_entry=False, loops=True)
    with pytest.raises(SessionNotPaused, match="pause it before running to a line"):
        await run_to(made, 4)
    with pytest.raises(SessionNotPaused, match="pause it before jumping"):
        await goto(made, 4)


@pytest.mark.parametrize("is_silent", [False, True])
async def test_a_jump_makes_a_line_the_next_one(made: Rig, *, is_silent: bool) -> None:
    await made.start(capabilities=JUMPS, silent_jump=is_silent)
    stepped = await goto(made, 4)
    assert (stepped.state, stepped.reason, stepped.frame.line) == ("paused", "goto", 4)
    assert [event.reason for event in made.of(events.Stopped)] == ["goto"]
    assert (await made.step()).frame.line == 5


async def test_the_places_of_a_line_are_listed_and_one_of_them_is_taken(made: Rig) -> None:
    await made.start(capabilities=JUMPS)
    listed: Any = await made.engine.handle(requests.GotoTargets(session_id=made.session_id, source=made.source, line=4))
    (target,) = listed.targets
    assert (target.line, target.label) == (4, "line 4")
    assert (await goto(made, 4, target.id)).frame.line == 4
    with pytest.raises(StaleHandle):
        await goto(made, 4, target.id)


async def test_a_jump_to_a_line_without_code_is_refused_and_the_program_stays(made: Rig) -> None:
    await made.start(capabilities=JUMPS)
    with pytest.raises(BadRequest, match=r"there is no code at .*:19 to go to"):
        await goto(made, 19)
    assert made.state == "paused"


async def test_a_jump_that_the_adapter_refuses_leaves_the_program_where_it_stands(made: Rig) -> None:
    await made.start(capabilities=JUMPS, refuses={"goto": "another function"})
    with pytest.raises(DapProtocolError, match="another function"):
        await goto(made, 4)
    assert made.state == "paused"
    assert (await made.step()).reason == "step"


async def test_a_jump_to_a_file_that_the_adapter_would_not_look_at_is_refused(made: Rig) -> None:
    other = str(made.folder / "other.py")
    await made.start(capabilities=JUMPS, like="debugpy")
    assert (await goto(made, 4)).frame.line == 4
    for request in (
        requests.GotoTargets(session_id=made.session_id, source=other, line=3),
        requests.Goto(session_id=made.session_id, source=other, line=3, wait=WAIT),
    ):
        with pytest.raises(BadRequest, match=rf"stands in {made.source}, and cannot leave it by a jump"):
            await made.engine.handle(request)
    assert made.driver.requests().count("gotoTargets") == 1
    assert made.state == "paused"


async def test_an_adapter_that_cannot_jump_is_named(made: Rig) -> None:
    await made.start()
    with pytest.raises(Unsupported, match="lldb-dap cannot jump to another line: run to it"):
        await goto(made, 4)


async def calls(made: Rig) -> Any:
    return await made.engine.handle(requests.StepInTargets(session_id=made.session_id))


async def test_a_step_enters_the_call_that_was_chosen(made: Rig) -> None:
    await made.start(STRAIGHT, capabilities=CHOOSES)
    targets = (await calls(made)).targets
    assert [target.label for target in targets] == ["area"]
    await made.engine.handle(requests.Step(session_id=made.session_id, kind="in", target_id=targets[0].id, wait=WAIT))
    (sent,) = [each["arguments"] for each in made.driver.record() if each.get("command") == "stepIn"]
    assert sent == {"threadId": 1, "targetId": 3}


async def test_only_a_step_in_has_a_target(made: Rig) -> None:
    await made.start(STRAIGHT, capabilities=CHOOSES)
    chosen = (await calls(made)).targets[0].id
    with pytest.raises(BadRequest, match="only a step in has one"):
        await made.engine.handle(requests.Step(session_id=made.session_id, kind="over", target_id=chosen, wait=WAIT))


async def test_an_adapter_that_steps_into_the_first_call_only_is_named(made: Rig) -> None:
    await made.start()
    with pytest.raises(Unsupported, match="lldb-dap cannot choose what to step into"):
        await calls(made)
    with pytest.raises(Unsupported, match="lldb-dap cannot choose what to step into"):
        await made.engine.handle(requests.Step(session_id=made.session_id, kind="in", target_id=1, wait=WAIT))
