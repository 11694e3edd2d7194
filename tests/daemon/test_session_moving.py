"""Continue, step and pause: who moves the program, what is sent, and what a waiting client is told."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.errors import AdapterTimeout, BadRequest, DapProtocolError, SessionNotPaused
from lazydap_core.protocol import events, objects
from lazydap_daemon.session import moving, pausing, session
from tests.daemon.rig import LOOP, NO_WAIT, STRAIGHT, WAIT, Rig, hosted_rig
from tests.fakes.program import Line
from tests.fakes.scripted import answers, batch, event, expect, refuse, reply

SLOW_LOOP = tuple(Line(line=line.line, locals=line.locals, seconds=0.005) for line in LOOP)


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def test_a_step_with_wait_says_where_the_program_stands_and_what_its_values_are(made: Rig) -> None:
    await made.start()
    stable = await made.step()
    assert (stable.state, stable.reason, stable.thread_id, stable.frame.line) == ("paused", "step", 1, 2)
    assert [(v.name, v.value) for v in stable.locals.variables if v.name == "x"] == [("x", "5")]
    assert stable.all_threads_stopped
    assert stable.exit_code is None


async def test_continuing_to_a_breakpoint_names_it(made: Rig) -> None:
    added = await made.add(4)
    await made.start()
    stable = await made.resume()
    assert (stable.state, stable.reason, stable.frame.line) == ("paused", "breakpoint", 4)
    assert stable.hit_breakpoint_ids == (added.breakpoints[0].id,)
    assert [chunk.output for chunk in stable.captured_output if chunk.category == "stdout"] == ["one\n"]


async def test_continuing_to_the_end_reports_the_exit_code_and_the_last_output(made: Rig) -> None:
    await made.start(exit_code=3)
    stable = await made.resume()
    assert (stable.state, stable.exit_code, stable.frame, stable.reason) == ("exited", 3, None, None)
    assert "".join(c.output for c in stable.captured_output if c.category == "stdout") == "one\ntwo\n"
    assert made.state == "exited"


async def test_an_exit_code_that_comes_after_the_end_turns_terminated_into_exited(made: Rig) -> None:
    await made.start(exit_code=7, ending=("terminated", "exited"))
    stable = await made.resume()
    assert (stable.state, stable.exit_code) == ("exited", 7)


async def test_a_program_without_an_exit_code_is_terminated(made: Rig) -> None:
    await made.start(ending=("terminated",))
    stable = await made.resume()
    assert (stable.state, stable.exit_code) == ("terminated", None)


async def test_a_program_that_never_stops_times_out_and_keeps_running(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    stable = await made.resume(objects.Wait(timeout_ms=60))
    assert (stable.state, stable.frame, stable.thread_id) == ("timeout", None, None)
    assert stable.elapsed_ms >= 60
    assert made.state == "running"


async def test_a_running_program_can_be_paused_after_a_timeout(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True, sigstop=True)
    await made.resume(objects.Wait(timeout_ms=20))
    stable = await made.pause()
    assert (stable.state, stable.reason, stable.raw_reason) == ("paused", "pause", "exception")
    assert stable.frame is not None


async def test_pausing_a_stopped_program_is_refused_and_says_so(made: Rig) -> None:
    await made.start()
    with pytest.raises(BadRequest, match="already stopped") as refused:
        await made.pause()
    assert refused.value.details == {"session_id": str(made.session_id), "state": "paused"}
    assert "pause" not in made.driver.requests()


RUNNING = (
    expect("initialize"),
    reply({}),
    expect("launch"),
    event("initialized"),
    reply(to="launch"),
    answers({"disconnect": {}, "stackTrace": {"stackFrames": []}}),
)
HIT = event("stopped", {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": True, "hitBreakpointIds": [7]})


@pytest.mark.parametrize("wait", [WAIT, NO_WAIT], ids=["waiting", "not waiting"])
async def test_a_pause_that_a_stop_has_overtaken_is_answered_with_that_stop(made: Rig, wait: objects.WaitMode) -> None:
    threads = answers({"threads": {"threads": [{"id": 1, "name": "main"}]}})
    made.play([*RUNNING, threads, expect("pause"), HIT, refuse("Process is already stopped.")])
    await made.launch(stop_on_entry=False)
    answer = await made.pause(wait)
    if isinstance(wait, objects.Wait):
        assert (answer.state, answer.reason, answer.thread_id) == ("paused", "breakpoint", 1)
    assert made.state == "paused"


async def test_a_pause_is_refused_where_the_program_stops_before_it_is_sent(made: Rig) -> None:
    threads = reply({"threads": [{"id": 1, "name": "main"}]})
    made.play([*RUNNING, expect("threads"), threads, expect("threads"), HIT, threads], like="lldb-dap")
    await made.launch(stop_on_entry=False)
    with pytest.raises(BadRequest, match="already stopped"):
        await made.pause()
    assert "pause" not in made.driver.requests()


async def test_a_step_of_a_running_program_is_refused_and_nothing_is_sent(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    await made.resume(NO_WAIT)
    with pytest.raises(SessionNotPaused, match="pause it"):
        await made.step()
    assert "next" not in made.driver.requests()


async def test_continuing_a_running_program_reports_it_and_sends_nothing(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    await made.resume(NO_WAIT)
    again = await made.resume(NO_WAIT)
    assert (again.already_running, again.thread_id) == (True, None)
    assert made.driver.requests().count("continue") == 1


async def test_a_wait_joins_a_program_that_is_already_running(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    await made.resume(NO_WAIT)
    results: list[Any] = []
    async with anyio.create_task_group() as group:

        async def join() -> None:
            results.append(await made.resume())

        group.start_soon(join)
        await anyio.wait_all_tasks_blocked()
        await made.add(3)
    assert (results[0].state, results[0].reason, results[0].frame.line) == ("paused", "breakpoint", 3)


async def test_two_waits_sent_at_once_run_one_after_the_other_and_both_get_an_answer(made: Rig) -> None:
    await made.add(4)
    await made.start()
    outcomes: list[str] = []
    async with anyio.create_task_group() as group:

        async def resume() -> None:
            outcomes.append((await made.resume()).state)

        group.start_soon(resume)
        group.start_soon(resume)
    assert outcomes == ["paused", "exited"]


async def test_a_client_that_hangs_up_while_waiting_does_not_block_the_next_one(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    with anyio.move_on_after(0.05):
        await made.resume(objects.Wait(timeout_ms=0))
    await made.add(3)
    await made.until(lambda: made.state == "paused")
    with anyio.fail_after(2):
        assert (await made.step()).state == "paused"


async def test_what_an_abandoned_wait_has_seen_is_given_to_the_next_one(made: Rig) -> None:
    trace = (Line(line=1), Line(line=2, output="early\n"), *SLOW_LOOP)
    await made.start(trace, loops=True)
    with anyio.move_on_after(0.05):
        await made.resume(objects.Wait(timeout_ms=0))
    stable = await made.pause()
    assert "early\n" in [chunk.output for chunk in stable.captured_output]


async def test_a_queued_step_does_not_bring_a_finished_program_back_to_life(made: Rig) -> None:
    await made.start()
    errors: list[BadRequest] = []
    async with anyio.create_task_group() as group:

        async def step_behind() -> None:
            try:
                await made.step()
            except BadRequest as error:
                errors.append(error)

        async def run_to_the_end() -> None:
            await made.resume()

        group.start_soon(run_to_the_end)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(step_behind)
    assert len(errors) == 1
    assert errors[0].details["state"] == "exited"
    assert made.state == "exited"


async def test_a_refused_step_leaves_the_program_where_it_stood(made: Rig) -> None:
    await made.start(refuses={"next": "not now"})
    with pytest.raises(DapProtocolError, match="not now") as refused:
        await made.step()
    assert refused.value.details == {"command": "next", "adapter_message": "not now"}
    assert made.state == "paused"
    summary = made.engine.summary()
    assert summary is not None
    assert summary.stop is not None
    assert (await made.step("in")).state == "paused"


async def test_a_step_that_is_never_answered_ends_the_adapter_instead_of_moving_twice(
    made: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "REQUEST_TIMEOUT", 0.1)
    await made.start(swallows=["next"])
    with pytest.raises(AdapterTimeout):
        await made.step()
    await made.until(lambda: made.state == "adapter_died")


async def test_an_adapter_that_answers_nothing_twice_is_ended(made: Rig) -> None:
    await made.start(swallows=["threads"])
    limit = 0.05
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    for _ in range(session.UNANSWERED_LIMIT):
        with pytest.raises(AdapterTimeout):
            await occupant.session.ask(dict[str, Any], "threads", {}, limit=limit)
    await made.until(lambda: made.state == "adapter_died")


async def test_pauses_that_are_never_answered_end_the_adapter(made: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pausing, "REQUEST_TIMEOUT", 0.05)
    await made.start(SLOW_LOOP, stop_on_entry=False, loops=True, swallows=["pause"])
    for _ in range(session.UNANSWERED_LIMIT):
        with pytest.raises(AdapterTimeout):
            await made.pause()
    await made.until(lambda: made.state == "adapter_died")


async def test_threads_that_stop_together_are_all_named(made: Rig) -> None:
    await made.add(4)
    await made.start(threads={1: "main", 2: "second", 3: "third"}, stops_per_stop=3)
    stable = await made.resume()
    named = {stable.thread_id, *stable.additional_stopped_threads}
    assert named == {1, 2, 3}
    assert len(stable.additional_stopped_threads) == 2


async def test_a_stop_that_comes_before_its_answer_is_not_lost(made: Rig) -> None:
    await made.start(events_first=True)
    for line in (2, 4, 5):
        stable = await made.step()
        assert (stable.state, stable.frame.line) == ("paused", line)


async def test_each_run_is_announced_once_also_by_adapters_that_never_say_so(made: Rig) -> None:
    await made.start(continued=False)
    await made.step()
    await made.step()
    kinds = [type(event).__name__ for event in made.published if isinstance(event, events.Continued | events.Stopped)]
    assert kinds == ["Continued", "Stopped", "Continued", "Stopped"]


async def test_a_step_by_a_second_client_waits_for_its_turn(made: Rig) -> None:
    await made.start()
    lines: list[int] = []
    async with anyio.create_task_group() as group:

        async def step() -> None:
            lines.append((await made.step()).frame.line)

        for _ in range(3):
            group.start_soon(step)
    assert lines == [2, 4, 5]


async def test_a_stop_is_announced_before_its_frame_is_known_and_detailed_twice(made: Rig) -> None:
    await made.start(delays={"stackTrace": 0.05})
    made.published.clear()
    await made.step(wait=NO_WAIT)
    await made.until(lambda: len(made.of(events.StopDetail)) == 2)
    names = [type(event).__name__ for event in made.published]
    assert names == ["Continued", "Stopped", "StopDetail", "StopDetail"]
    first, second = made.of(events.StopDetail)
    assert (first.stop.frame is not None, first.stop.locals) == (True, None)
    assert second.stop.locals is not None
    assert first.stop.generation == second.stop.generation == 2


async def test_details_of_a_stop_that_is_over_are_not_published(made: Rig) -> None:
    await made.start(STRAIGHT, delays={"scopes": 0.05})
    made.published.clear()
    for _ in range(3):
        await made.step(wait=NO_WAIT)
        await made.until(lambda: made.state == "paused")
    await made.until(lambda: any(d.stop.locals for d in made.of(events.StopDetail)))
    with_locals = [detail.stop.generation for detail in made.of(events.StopDetail) if detail.stop.locals]
    assert with_locals == [4]


async def test_the_early_end_of_the_window_loses_no_output_and_no_thread_change(made: Rig) -> None:
    await made.add(4)
    await made.start()
    first = await made.resume()
    rest = await made.resume()
    printed = [c.output for stable in (first, rest) for c in stable.captured_output if c.category == "stdout"]
    assert printed == ["one\n", "two\n"]
    assert first.elapsed_ms < 1000 * moving.COALESCING_WINDOW + 500


async def test_a_wait_of_zero_is_without_limit_and_null_is_thirty_seconds() -> None:
    class Fake:
        armed_at = 0.0

    assert moving._seconds(objects.Wait(timeout_ms=0), Fake()) is None  # pyright: ignore[reportPrivateUsage, reportArgumentType]
    assert WAIT.timeout_ms == 5000
    assert moving.DEFAULT_WAIT == 30.0


async def test_a_pause_that_the_adapter_refuses_only_for_a_moment_is_asked_for_again(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("launch"),
            event("initialized"),
            reply(to="launch"),
            answers({"threads": {"threads": [{"id": 1, "name": "main"}]}, "disconnect": {}}),
            expect("pause"),
            refuse("Process is not running."),
            expect("pause"),
            reply(),
            event("stopped", {"reason": "exception", "description": "signal SIGSTOP", "threadId": 1}),
            answers({"stackTrace": {"stackFrames": []}, "disconnect": {}}),
            expect("never", within=60),
        ]
    )
    await made.launch(stop_on_entry=False)
    stable = await made.pause()
    assert (stable.state, stable.reason) == ("paused", "pause")


async def test_a_late_word_of_a_run_that_a_stop_has_ended_already_changes_nothing(made: Rig) -> None:
    stop = event("stopped", {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": True})
    standing: dict[str, Any] = {"setBreakpoints": {"breakpoints": []}, "threads": {"threads": []}}
    late = batch(reply(to="continue"), stop, event("continued", {"threadId": 1, "allThreadsContinued": True}))
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("launch"),
            event("initialized"),
            answers({**standing, "stackTrace": {"stackFrames": []}, "disconnect": {}}),
            reply(to="launch"),
            stop,
            expect("continue"),
            late,
        ]
    )
    await made.launch(stop_on_entry=False)
    await made.until(lambda: made.state == "paused")
    made.published.clear()
    stable = await made.resume()
    assert (stable.state, stable.reason, made.state) == ("paused", "breakpoint", "paused")
    assert [type(told) for told in made.published if isinstance(told, events.Stopped | events.Continued)] == [
        events.Continued,
        events.Stopped,
    ]
