"""Launch, the one slot, the end of a session in all its ways, and what stays readable after it."""

import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import psutil
import pytest

from lazydap_core.errors import (
    AdapterCrashed,
    AdapterTimeout,
    BadRequest,
    DapProtocolError,
    InvalidLaunchConfig,
    SessionAlreadyActive,
    SessionNotFound,
)
from lazydap_core.protocol import events, objects, requests, responses
from tests.daemon.rig import LOOP, NO_WAIT, STRAIGHT, Rig, hosted_rig
from tests.fakes.program import Line
from tests.fakes.scripted import answers, event, expect, leave, refuse, reply, reverse, spawn_child

SLEEPER = (sys.executable, "-S", "-E", "-c", "import time; time.sleep(60)")
SLOW_LOOP = tuple(Line(line=line.line, locals=line.locals, seconds=0.005) for line in LOOP)
DEFAULTS = answers({"setBreakpoints": {"breakpoints": []}, "threads": {"threads": []}, "disconnect": {}})


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def test_a_launch_stopped_at_entry_says_so_and_knows_its_breakpoints(made: Rig) -> None:
    await made.add(4)
    await made.add(99)
    made.play(made.program())
    launched = await made.launch()
    assert (launched.state, launched.reason, launched.thread_id) == ("paused", "entry", 1)
    assert [(b.line, b.verified, b.message) for b in launched.breakpoints] == [
        (4, True, None),
        (99, False, "no code on this line"),
    ]
    kinds = [type(told).__name__ for told in made.published if not isinstance(told, events.BreakpointUpdated)]
    assert kinds[0] == "SessionStarted"
    assert "Stopped" not in kinds


async def test_an_entry_stop_by_signal_is_called_entry_and_keeps_the_adapters_word(made: Rig) -> None:
    made.play(made.program(sigstop=True))
    launched = await made.launch()
    assert (launched.reason, launched.raw_reason) == ("entry", "exception")


@pytest.mark.parametrize("moment", ["early", "late", "last"])
async def test_the_answer_to_launch_may_come_at_any_moment(made: Rig, moment: str) -> None:
    made.play(made.program(launch_answer=moment))
    assert (await made.launch()).state == "paused"


async def test_nothing_is_configured_before_the_adapter_is_initialized(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            reply({"supportsConfigurationDoneRequest": True}),
            expect("launch"),
            event("initialized", delay=0.1),
            expect("setBreakpoints"),
            reply({"breakpoints": [{"id": 1, "verified": True, "line": 4}]}),
            expect("configurationDone"),
            reply(),
            reply(to="launch"),
            DEFAULTS,
            expect("disconnect"),
            reply(),
        ]
    )
    await made.add(4)
    launched = await made.launch(stop_on_entry=False)
    assert launched.state == "running"
    assert launched.breakpoints[0].verified
    record = made.driver.record()
    assert [entry["command"] for entry in record if entry.get("type") == "request"][:4] == [
        "initialize",
        "launch",
        "setBreakpoints",
        "configurationDone",
    ]


async def test_a_refused_list_of_breakpoints_does_not_fail_the_launch(made: Rig) -> None:
    await made.add(4)
    made.play(made.program(refuses={"setBreakpoints": "no such file"}))
    launched = await made.launch()
    assert launched.state == "paused"
    assert (launched.breakpoints[0].verified, launched.breakpoints[0].message) == (False, "no such file")


async def test_a_refused_launch_frees_the_slot_and_names_the_cause(made: Rig) -> None:
    made.play(made.program(refuses={"launch": "no such program"}))
    with pytest.raises(DapProtocolError, match="no such program"):
        await made.launch()
    assert made.engine.summary() is None
    await made.start()
    assert made.state == "paused"


async def test_a_launch_that_fails_ends_the_program_that_was_started_already(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("launch"),
            spawn_child("/bin/sleep", "60", "60.25"),
            event("process", {"systemProcessId": "{child}", "isLocalProcess": True}),
            refuse("it was not to be", to="launch"),
            DEFAULTS,
        ]
    )
    with pytest.raises(DapProtocolError, match="it was not to be"):
        await made.launch()
    assert not [one for one in psutil.process_iter(["cmdline"]) if "60.25" in (one.info["cmdline"] or [])]
    assert made.engine.summary() is None


async def test_the_cause_in_the_launch_answer_is_preferred_to_a_general_refusal(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            reply({"supportsConfigurationDoneRequest": True}),
            expect("launch"),
            event("initialized"),
            expect("configurationDone"),
            refuse("something failed"),
            reply(to="launch", ok=False, message="'/nope' does not exist", delay=0.05),
            DEFAULTS,
        ]
    )
    with pytest.raises(DapProtocolError, match="/nope"):
        await made.launch()


async def test_an_adapter_that_goes_away_during_the_launch_is_reported_at_once(made: Rig) -> None:
    made.play([expect("initialize"), reply({}), expect("launch"), leave(3)])
    with anyio.fail_after(3), pytest.raises(AdapterCrashed):
        await made.launch()
    assert made.engine.summary() is None


async def test_a_launch_that_is_never_finished_ends_at_its_own_limit(made: Rig) -> None:
    made.play([expect("initialize"), reply({}), expect("launch"), expect("never", within=30)])
    with pytest.raises(AdapterTimeout):
        await made.launch(timeout_ms=150)
    assert made.engine.summary() is None


async def test_an_unknown_launch_option_is_refused_by_name(made: Rig) -> None:
    made.play(made.program())
    with pytest.raises(InvalidLaunchConfig, match="warp"):
        await made.launch(warp=9)


async def test_a_second_launch_is_refused_while_a_program_lives(made: Rig) -> None:
    await made.start()
    with pytest.raises(SessionAlreadyActive, match="stop it first") as refused:
        await made.launch()
    assert refused.value.details == {"session_id": str(made.session_id), "state": "paused"}


async def test_a_launch_under_way_takes_the_slot_without_showing_itself(made: Rig) -> None:
    made.play(made.program(delays={"initialize": 0.2}))
    async with anyio.create_task_group() as group:
        group.start_soon(made.launch)
        await made.until(made.driver.requests)
        assert made.engine.summary() is None
        with pytest.raises(SessionAlreadyActive) as refused:
            await made.launch()
        assert refused.value.details["state"] == "launching"


async def test_a_client_that_hangs_up_during_a_launch_does_not_take_the_program_along(made: Rig) -> None:
    made.play(made.program(delays={"initialize": 0.2}))
    with anyio.move_on_after(0.05):
        await made.launch()
    await made.until(lambda: made.state == "paused")


async def test_a_program_that_ends_during_its_launch_is_reported_with_its_exit_code(made: Rig) -> None:
    made.play(made.program(exit_code=5))
    launched = await made.launch(stop_on_entry=False)
    await made.until(lambda: made.state == "exited")
    assert launched.state in {"running", "exited"}
    assert [type(told).__name__ for told in made.published if not isinstance(told, events.Output)][:1] == [
        "SessionStarted"
    ]
    assert made.of(events.SessionEnded)[0].reason == objects.Exited(exit_code=5)


async def test_output_of_the_launch_is_kept_but_not_broadcast(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            reply({}),
            event("output", {"category": "console", "output": "starting\n"}),
            expect("launch"),
            event("initialized"),
            reply(to="launch"),
            DEFAULTS,
            expect("disconnect"),
            reply(),
        ]
    )
    await made.launch(stop_on_entry=False)
    assert not made.of(events.Output)
    output = await made.engine.handle(requests.Output(session_id=made.session_id))
    assert isinstance(output, responses.Output)
    assert [chunk.output for chunk in output.chunks] == ["starting\n"]


async def test_what_an_adapter_tells_its_maker_is_nobodys_output(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            event("output", {"category": "telemetry", "output": "debugpy", "data": {"packageVersion": "1"}}),
            reply({}),
            expect("launch"),
            event("output", {"category": "Telemetry", "output": "statistics"}),
            event("output", {"category": "stdout", "output": "the program's\n"}),
            event("initialized"),
            reply(to="launch"),
            DEFAULTS,
            expect("disconnect"),
            reply(),
        ]
    )
    await made.launch(stop_on_entry=False)
    output = await made.engine.handle(requests.Output(session_id=made.session_id))
    assert isinstance(output, responses.Output)
    assert [chunk.output for chunk in output.chunks] == ["the program's\n"]


async def test_a_reverse_request_is_refused_by_name_and_does_not_end_the_session(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("launch"),
            reverse("runInTerminal", {"args": ["x"]}),
            event("initialized"),
            reply(to="launch"),
            DEFAULTS,
            expect("disconnect"),
            reply(),
        ]
    )
    assert (await made.launch(stop_on_entry=False)).state == "running"


async def test_a_finished_session_stays_readable_until_the_next_launch(made: Rig) -> None:
    await made.start(exit_code=4)
    await made.resume()
    summary = made.engine.summary()
    assert summary is not None
    assert (summary.state, summary.exit_code) == ("exited", 4)
    with pytest.raises(BadRequest, match="ended") as refused:
        await made.step()
    assert refused.value.details["state"] == "exited"
    first = made.session_id
    await made.start()
    assert made.session_id != first
    with pytest.raises(SessionNotFound):
        await made.engine.handle(requests.Threads(session_id=first))


async def test_an_adapter_whose_program_ended_by_itself_is_let_go(made: Rig) -> None:
    await made.start()
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    pid = occupant.session.process.pid
    await made.resume()
    await made.until(lambda: not psutil.pid_exists(pid))
    assert made.driver.requests().count("disconnect") == 1


async def test_a_disconnect_ends_the_program_once_and_frees_the_slot(made: Rig) -> None:
    await made.start(child=SLEEPER)
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    assert occupant.session.debuggee is not None
    program = occupant.session.debuggee
    answer = await made.disconnect()
    assert (answer.terminated_debuggee, answer.dry_run) == (True, False)
    assert not program.is_alive()
    assert made.engine.summary() is None
    assert len(made.of(events.SessionEnded)) == 1
    assert made.driver.requests().count("disconnect") == 1


async def test_a_dry_run_of_a_disconnect_predicts_and_changes_nothing(made: Rig) -> None:
    await made.start()
    assert (await made.disconnect(dry_run=True)).terminated_debuggee is True
    assert (await made.disconnect(terminate=False, dry_run=True)).terminated_debuggee is False
    assert made.state == "paused"


async def test_a_program_that_is_to_go_on_survives_the_disconnect(made: Rig) -> None:
    await made.start(child=SLEEPER)
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    assert occupant.session.debuggee is not None
    program = occupant.session.debuggee
    try:
        answer = await made.disconnect(terminate=False)
        assert answer.terminated_debuggee is False
        assert program.is_alive()
    finally:
        program.kill()


async def test_a_program_that_cannot_be_left_running_is_said_to_be_ended(made: Rig) -> None:
    made.play(made.program(capabilities={"supportTerminateDebuggee": False}))
    await made.launch()
    answer = await made.disconnect(terminate=False)
    assert answer.terminated_debuggee is True


async def test_who_waits_while_another_client_disconnects_is_told_that_the_program_was_ended(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    outcomes: list[tuple[str, int | None]] = []
    async with anyio.create_task_group() as group:

        async def wait() -> None:
            told = await made.resume()
            outcomes.append((told.state, told.exit_code))

        group.start_soon(wait)
        await made.until(lambda: made.state == "running")
        await made.disconnect()
    assert outcomes == [("terminated", None)]
    # Subscribers hear what became of the program.
    (ended,) = made.of(events.SessionEnded)
    assert ended.reason == objects.Exited(exit_code=9)


async def test_an_adapter_that_dies_takes_its_program_along_and_says_so(made: Rig) -> None:
    await made.start(child=SLEEPER, dies_on={"threads": 9})
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    assert occupant.session.debuggee is not None
    program = occupant.session.debuggee
    with pytest.raises(AdapterCrashed):
        await made.engine.handle(requests.Threads(session_id=made.session_id))
    await made.until(lambda: made.state == "adapter_died")
    await made.until(lambda: not program.is_alive())
    reason = made.of(events.SessionEnded)[0].reason
    assert isinstance(reason, objects.AdapterDied)
    assert "killed" in reason.detail


async def test_a_wait_ends_when_the_adapter_dies(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    pid = occupant.session.process.pid
    outcomes: list[str] = []
    async with anyio.create_task_group() as group:

        async def wait() -> None:
            outcomes.append((await made.resume()).state)

        group.start_soon(wait)
        # Not before the adapter has agreed: the wait would fail with the request.
        await made.until(lambda: made.of(events.Continued))
        os.kill(pid, 9)
    assert outcomes == ["adapter_died"]


async def test_a_stop_reported_while_disconnecting_wakes_nobody(made: Rig) -> None:
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("launch"),
            event("initialized"),
            reply(to="launch"),
            DEFAULTS,
            expect("disconnect"),
            event("stopped", {"reason": "pause", "threadId": 1}),
            reply(),
        ]
    )
    await made.launch(stop_on_entry=False)
    await made.disconnect()
    assert not made.of(events.Stopped)


async def test_shutting_down_ends_the_session_and_reports_it(made: Rig) -> None:
    await made.start(child=SLEEPER)
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    assert occupant.session.debuggee is not None
    program = occupant.session.debuggee
    summaries = await made.engine.shutdown()
    assert [summary.session_id for summary in summaries] == [made.session_id]
    assert not program.is_alive()


async def test_shutting_down_during_a_launch_gives_it_up(made: Rig) -> None:
    made.play([expect("initialize"), reply({}), expect("launch"), expect("never", within=30)])
    failures: list[Exception] = []
    async with anyio.create_task_group() as group:

        async def launch() -> None:
            try:
                await made.launch()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at below
                failures.append(error)

        group.start_soon(launch)
        await made.until(lambda: "launch" in made.driver.requests())
        with anyio.fail_after(5):
            assert await made.engine.shutdown() == ()
    assert "shutting down" in str(failures[0])


async def test_a_stop_without_a_thread_is_looked_up(made: Rig) -> None:
    await made.start(STRAIGHT)
    made.published.clear()
    await made.step(wait=NO_WAIT)
    await made.until(lambda: made.of(events.Stopped))
    assert made.of(events.Stopped)[0].thread_id == 1
