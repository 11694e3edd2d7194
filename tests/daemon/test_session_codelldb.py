"""What a person sees of a program under codelldb: nothing of the ways that are its own."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from lazydap_core.errors import BadRequest, DapProtocolError
from lazydap_core.protocol import events, requests, responses
from lazydap_core.protocol.additions.exceptions import ExceptionFilters, ExceptionFilterSet, FilterChange
from lazydap_daemon.session import pausing
from tests.daemon.codelldb_rig import codelldb_rig, commands, play, recite, session_of, start
from tests.daemon.rig import NO_WAIT, STRAIGHT, WAIT, Rig
from tests.fakes.codelldb_program import NO_SOURCE
from tests.fakes.program import Line
from tests.fakes.scripted import answers, event, expect, reply, sleep

SPIN = (Line(line=1), Line(line=2, seconds=0.005), Line(line=3, seconds=0.005))
CALL = (
    Line(line=1),
    Line(line=2),
    Line(line=8, depth=1, function="area"),
    Line(line=9, depth=1, function="area", output="in\n"),
    Line(line=3),
    Line(line=4, output="out\n"),
    Line(line=5),
)


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with codelldb_rig(tmp_path) as ready:
        yield ready


# Launch and entry.


async def test_a_signal_at_the_entry_is_called_entry(made: Rig) -> None:
    play(made)
    launched = await made.launch()
    assert (launched.state, launched.reason, launched.raw_reason) == ("paused", "entry", "exception")
    assert session_of(made).stop is not None


async def test_it_is_told_everything_it_needs_and_nothing_before_its_time(made: Rig) -> None:
    await made.add(4)
    driver = await start(made)
    assert commands(driver)[:4] == ["initialize", "launch", "setBreakpoints", "configurationDone"]
    launch = driver.requests("launch")[0]["arguments"]
    assert (launch["program"], launch["cwd"]) == (str(made.folder / "program"), str(made.folder))
    assert (launch["terminal"], launch["relativePathBase"]) == ("console", str(made.folder))
    assert (launch["sourceLanguages"], launch["stopOnEntry"]) == (["cpp"], True)
    assert launch["_adapterSettings"] == {"consoleMode": "evaluate"}


async def test_a_launch_without_a_stop_runs_to_its_breakpoint(made: Rig) -> None:
    added = await made.add(4)
    await start(made, entry=False)
    await made.until(lambda: made.state == "paused")
    stopped = made.of(events.Stopped)[0]
    assert (stopped.reason, stopped.hit_breakpoint_ids) == ("breakpoint", (added.breakpoints[0].id,))


@pytest.mark.parametrize(
    ("missing", "told"), [("program", "does not exist"), ("cwd", "chdir failed: No such file or directory")]
)
async def test_a_launch_that_fails_says_why_and_leaves_nothing(made: Rig, missing: str, told: str) -> None:
    driver = play(made)
    request = requests.Launch(
        adapter="codelldb",
        program=str(made.folder / ("nothing" if missing == "program" else "program")),
        args=(),
        cwd=str(made.folder / "nowhere") if missing == "cwd" else str(made.folder),
        env={},
        stop_on_entry=False,
    )
    with anyio.fail_after(5), pytest.raises(DapProtocolError, match=told):
        await made.engine.handle(request)
    assert made.engine.summary() is None
    assert "disconnect" not in commands(driver)


async def test_the_pid_is_learned_from_what_it_narrates(made: Rig) -> None:
    await start(made, (Line(line=1, output="Launched process 1 from '/sbin/init'\n"), Line(line=2)))
    debuggee = session_of(made).debuggee
    assert debuggee is not None
    first = debuggee.pid
    await made.step()
    assert session_of(made).debuggee is debuggee
    assert debuggee.pid == first != 1


async def test_its_narration_is_not_the_programs_output(made: Rig) -> None:
    await made.add(4)
    await start(made)
    stable = await made.resume()
    by_category: dict[str, str] = {}
    for chunk in stable.captured_output:
        by_category[chunk.category] = by_category.get(chunk.category, "") + chunk.output
    assert by_category["stdout"] == "one\r\n"
    assert "Stop reason: signal SIGSTOP" in by_category["console"]
    assert set(by_category) == {"stdout", "console"}


# Breakpoints.


async def test_a_breakpoint_that_has_moved_is_verified_without_a_word(made: Rig) -> None:
    await made.add(3)
    await made.add(17)
    play(made, moves={3: 4})
    launched = await made.launch()
    assert [(b.line, b.adapter_line, b.verified, b.message) for b in launched.breakpoints] == [
        (3, 4, True, None),
        (17, None, False, "Resolved locations: 0"),
    ]


async def test_a_program_without_debug_information_is_named_when_it_is_loaded(made: Rig) -> None:
    await made.add(4)
    loaded = {"path": str(made.folder / "program"), "name": "program", "symbolStatus": "Public symbols only"}
    unbound = {"id": 1, "verified": False, "message": "Resolved locations: 0"}
    told = event("module", {"reason": "new", "module": loaded})
    recite(made, [*_handshake(unbound), expect("pause"), reply(), told])
    await made.launch(stop_on_entry=False)
    made.published.clear()
    await made.pause(NO_WAIT)
    await made.until(lambda: made.of(events.BreakpointUpdated))
    updates = [(one.breakpoint.id, one.breakpoint.message) for one in made.of(events.BreakpointUpdated)]
    assert updates == [(1, "program has no debug information: compile it with -g")]


async def test_a_file_compiled_under_another_spelling_is_found_and_its_first_spelling_given_up(made: Rig) -> None:
    (made.folder / "link").symlink_to(made.folder)
    added = await made.add(4)
    other = str(made.folder / "link" / "program.c")
    driver = play(made, path=other)
    launched = await made.launch()
    assert launched.breakpoints[0].verified
    told = [
        (r["arguments"]["source"]["path"], r["arguments"]["breakpoints"]) for r in driver.requests("setBreakpoints")
    ]
    assert told == [(made.source, [{"line": 4}]), (made.source, []), (other, [{"line": 4}])]
    stable = await made.resume()
    assert (stable.reason, stable.hit_breakpoint_ids) == ("breakpoint", (added.breakpoints[0].id,))
    await made.add(5)
    assert driver.requests("setBreakpoints")[-1]["arguments"]["source"]["path"] == other


async def test_a_list_that_it_has_already_is_not_sent_again(made: Rig) -> None:
    await made.add(4, hit_condition="2")
    driver = await start(made)
    again = await made.add(4, hit_condition="2")
    assert again.action == "unchanged"
    assert len(driver.requests("setBreakpoints")) == 1
    assert driver.requests("setBreakpoints")[0]["arguments"]["breakpoints"] == [{"line": 4, "hitCondition": ">=2"}]


async def test_a_condition_of_lldb_itself_is_really_taken_away(made: Rig) -> None:
    await made.add(4, condition="/nat x == 99")
    driver = await start(made)
    await made.add(4)
    assert [r["arguments"]["breakpoints"] for r in driver.requests("setBreakpoints")] == [
        [{"line": 4, "condition": "/nat x == 99"}],
        [],
        [{"line": 4}],
    ]
    assert (await made.resume()).frame.line == 4


async def test_another_condition_is_replaced_in_one_request(made: Rig) -> None:
    await made.add(4, condition="x == 99")
    driver = await start(made)
    await made.add(4, condition="x == 6")
    assert len(driver.requests("setBreakpoints")) == 2
    assert (await made.resume()).frame.line == 4


async def test_a_log_text_that_would_end_it_is_refused_and_everything_else_stands(made: Rig) -> None:
    await made.add(2, log_message="x is {x}")
    await made.add(3, log_message="{w +}")
    await made.add(4)
    driver = play(made)
    launched = await made.launch()
    refused = launched.breakpoints[1]
    assert not refused.verified
    assert refused.message is not None
    assert "{w +}" in refused.message
    assert [entry["line"] for entry in driver.requests("setBreakpoints")[0]["arguments"]["breakpoints"]] == [2, 4]
    stable = await made.resume()
    assert (stable.state, stable.frame.line) == ("paused", 4)
    assert "x is 5\n" in [chunk.output for chunk in stable.captured_output]


async def test_many_places_of_a_line_are_one_breakpoint_and_one_update_at_most(made: Rig) -> None:
    await start(made, places={4: 5})
    made.published.clear()
    await made.add(4)
    await made.resume()
    of_session = [told for told in made.of(events.BreakpointUpdated) if told.session_id is not None]
    assert len(of_session) == 1


async def test_a_hot_condition_announces_one_run(made: Rig) -> None:
    await made.add(2, condition="x < 0")
    loop = (*(Line(line=2, locals={"x": 1}) for _ in range(30)), Line(line=3))
    await start(made, loop)
    made.published.clear()
    assert (await made.resume()).state == "exited"
    assert len(made.of(events.Continued)) == 1


# Moving.


async def test_steps_go_over_in_and_out(made: Rig) -> None:
    await made.add(2)
    await start(made, CALL)
    assert (await made.resume()).frame.line == 2
    assert (await made.step("in")).frame.line == 8
    assert (await made.step("over")).frame.line == 9
    out = await made.step("out")
    assert (out.reason, out.frame.line, out.frame.name) == ("step", 3, "main")


async def test_a_continue_does_not_stop_where_an_interrupted_step_would_have_ended(made: Rig) -> None:
    await made.add(2)
    inner = await made.add(9)
    last = await made.add(5)
    driver = await start(made, CALL)
    await made.resume()
    interrupted = await made.step("over")
    assert (interrupted.reason, interrupted.hit_breakpoint_ids) == ("breakpoint", (inner.breakpoints[0].id,))
    made.published.clear()
    stable = await made.resume()
    assert (stable.reason, stable.frame.line) == ("breakpoint", 5)
    assert stable.hit_breakpoint_ids == (last.breakpoints[0].id,)
    assert len(made.of(events.Stopped)) == len(made.of(events.Continued)) == 1
    assert commands(driver).count("continue") == 3


async def test_a_step_is_told_of_the_thread_that_was_stepped(made: Rig) -> None:
    trace = tuple(Line(line=number, thread=2, locals={"x": number}) for number in range(1, 6))
    await made.add(2)
    await start(made, trace, threads={1: "main", 2: "worker"}, names_first_thread=True)
    stopped = await made.resume()
    stepped = await made.step()
    assert (stepped.reason, stepped.thread_id) == ("step", stopped.thread_id)
    assert stepped.adapter_thread_id == stopped.thread_id - 1
    assert stepped.frame.line == 3


async def test_a_trap_of_another_thread_is_the_end_of_the_step(made: Rig) -> None:
    trace = tuple(Line(line=number, thread=2) for number in range(1, 6))
    await made.add(2)
    await start(made, trace, threads={1: "main", 2: "worker"}, traps=True)
    stopped = await made.resume()
    stepped = await made.step()
    assert (stepped.reason, stepped.raw_reason, stepped.thread_id) == ("step", "exception", stopped.thread_id)


async def test_a_step_past_the_end_ends_the_program(made: Rig) -> None:
    await made.add(5)
    trace = (*STRAIGHT, Line(line=26, function="__libc_start_call_main", path=NO_SOURCE, depth=-1))
    driver = await start(made, trace, exit_code=3)
    await made.resume()
    beyond = await made.step()
    assert (beyond.state, beyond.frame.source.path) == ("paused", None)
    ended = await made.step()
    assert (ended.state, ended.exit_code) == ("exited", 3)
    with pytest.raises(BadRequest, match="ended"):
        await made.resume()
    await made.until(session_of(made).gone.is_set)
    farewell = driver.requests("disconnect")
    assert [request["arguments"] for request in farewell] == [{"terminateDebuggee": True}]


async def test_a_program_that_never_stopped_can_be_paused(made: Rig) -> None:
    driver = await start(made, SPIN, loops=True, entry=False)
    paused = await made.pause()
    assert (paused.state, paused.reason, paused.raw_reason) == ("paused", "pause", "exception")
    debuggee = session_of(made).debuggee
    assert debuggee is not None
    assert paused.thread_id == debuggee.pid
    # On Linux by a signal: its own way takes longer, and may be waited for in vain.
    asked = [request["arguments"] for request in driver.requests("pause")]
    assert asked == ([] if sys.platform == "linux" else [{"threadId": 0}])


async def test_a_program_whose_process_is_not_known_is_paused_in_codelldbs_own_way(made: Rig) -> None:
    stop = event("stopped", {**_stopped("exception"), "description": "signal SIGSTOP"})
    driver = recite(made, [*_handshake(), expect("pause"), reply(), stop])
    await made.launch(stop_on_entry=False)
    paused = await made.pause()
    assert (paused.state, paused.reason, paused.raw_reason) == ("paused", "pause", "exception")
    assert driver.requests().count("pause") == 1


@pytest.fixture
def sleeper() -> Iterator[int]:
    """The pid of a process that nobody debugs."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process.pid
        process.kill()


async def test_a_signal_that_no_stop_answers_is_taken_back_and_the_adapter_is_asked_to_pause(
    made: Rig, monkeypatch: pytest.MonkeyPatch, sleeper: int
) -> None:
    monkeypatch.setattr(pausing, "SIGNAL_PATIENCE", 0.05)
    told = event("output", {"category": "console", "output": f"Launched process {sleeper} from 'program'\n"})
    stop = event("stopped", {**_stopped("exception"), "description": "signal SIGSTOP"})
    driver = recite(made, [*_handshake(), told, expect("pause"), reply(), stop])
    await made.launch(stop_on_entry=False)
    await made.until(lambda: session_of(made).debuggee)
    paused = await made.pause()
    assert (paused.state, paused.reason) == ("paused", "pause")
    assert driver.requests().count("pause") == 1
    assert psutil.Process(sleeper).status() != psutil.STATUS_STOPPED


async def test_a_pause_that_nobody_waits_for_names_no_thread(made: Rig) -> None:
    await start(made, SPIN, loops=True, entry=False)
    answer = await made.pause(NO_WAIT)
    assert answer.thread_id is None
    await made.until(lambda: made.state == "paused")


async def test_the_threads_of_a_running_program_are_those_that_were_last_known(made: Rig) -> None:
    async def threads() -> list[str | None]:
        told = await made.engine.handle(requests.Threads(session_id=made.session_id))
        assert isinstance(told, responses.Threads)
        assert 0 not in [thread.id for thread in told.threads]
        return [thread.name for thread in told.threads]

    await start(made, SPIN, loops=True, entry=False, threads={1: "main", 2: "worker"})
    assert await threads() == []
    await made.pause()
    known = await threads()
    assert [str(name).partition('"')[2] for name in known] == ['main"', 'worker"']
    await made.resume(NO_WAIT)
    assert await threads() == known


async def test_a_refresh_wakes_nobody_and_makes_what_was_read_out_of_date(made: Rig) -> None:
    driver = recite(made, [*_handshake(), *_stop("breakpoint"), expect("next"), reply(), *_refresh(), *_stop("step")])
    await made.launch(stop_on_entry=False)
    await made.until(lambda: made.state == "paused")
    made.published.clear()
    stable = await made.step()
    assert (stable.state, stable.reason) == ("paused", "step")
    assert [told.reason for told in made.of(events.Stopped)] == ["step"]
    assert driver.requests().count("next") == 1


async def test_a_pause_that_meets_a_stop_is_answered_by_that_stop(made: Rig) -> None:
    again = event("stopped", _stopped("breakpoint"))
    recite(made, [*_handshake(), expect("pause"), *_stop("breakpoint"), again, reply(to="pause")])
    await made.launch(stop_on_entry=False)
    stable = await made.pause()
    assert (stable.state, stable.reason) == ("paused", "breakpoint")
    assert len(made.of(events.Stopped)) == 1


async def test_a_pause_that_meets_the_end_of_an_old_step_is_a_pause(made: Rig) -> None:
    script = [*_handshake(), *_stop("breakpoint"), expect("continue"), reply(), expect("pause"), *_stop("step")]
    driver = recite(made, [*script, reply(to="pause")])
    await made.launch(stop_on_entry=False)
    await made.until(lambda: made.state == "paused")
    await made.resume(NO_WAIT)
    stable = await made.pause()
    assert (stable.state, stable.reason, stable.raw_reason) == ("paused", "pause", "step")
    assert driver.requests().count("continue") == 1


# Looking.


async def test_a_container_is_asked_for_once_however_many_pages_are_looked_at(made: Rig) -> None:
    rows = list(range(1000))
    await made.add(2)
    driver = await start(made, (Line(line=1), Line(line=2, locals={"big": rows}), Line(line=3)))
    stable = await made.resume()
    reference = next(v.variables_reference for v in stable.locals.variables if v.name == "big")

    async def page(**window: Any) -> tuple[list[str], bool]:
        told = await made.engine.handle(
            requests.Variables(session_id=made.session_id, variables_reference=reference, filter="all", **window)
        )
        assert isinstance(told, responses.Variables)
        return [row.name for row in told.variables], told.truncated

    before = len(driver.requests("variables"))
    assert await page(start=100, count=5) == ([f"[{n}]" for n in range(100, 105)], True)
    assert (await page())[0][-1] == "[199]"
    assert await page(start=995, count=100) == ([f"[{n}]" for n in range(995, 1000)], False)
    assert len((await page(max=0))[0]) == 1000
    assert len(driver.requests("variables")) == before + 1


async def test_a_container_that_takes_it_too_long_is_given_as_far_as_it_came_and_called_cut(made: Rig) -> None:
    await made.add(2)
    await start(made, (Line(line=1), Line(line=2, locals={"big": list(range(50))}), Line(line=3)), rows_in_time=20)
    stable = await made.resume()
    reference = next(v.variables_reference for v in stable.locals.variables if v.name == "big")
    for window, names in (({"max": 0}, range(20)), ({"start": 15, "count": 10}, range(15, 20))):
        told = await made.engine.handle(
            requests.Variables(session_id=made.session_id, variables_reference=reference, filter="all", **window)
        )
        assert isinstance(told, responses.Variables)
        assert ([row.name for row in told.variables], told.truncated) == ([f"[{n}]" for n in names], True)


async def test_what_waits_behind_a_large_container_does_not_count_as_unanswered(made: Rig) -> None:
    slow = [expect("variables"), sleep(0.4), reply({"variables": []})]
    recite(made, [*_handshake(), *_stop("breakpoint"), *slow, expect("scopes"), reply({"scopes": []})])
    await made.launch(stop_on_entry=False)
    await made.until(lambda: made.state == "paused")
    session = session_of(made)

    async def read() -> None:
        await session.ask(dict[str, Any], "variables", {"variablesReference": 1}, limit=5)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await anyio.wait_all_tasks_blocked()
        await session.ask(dict[str, Any], "scopes", {"frameId": 1}, limit=0.2)
    assert made.state == "paused"


async def test_registers_and_globals_are_called_expensive_and_never_read_unasked(made: Rig) -> None:
    await made.add(2)
    driver = await start(made)
    await made.resume()
    told = await made.engine.handle(requests.Scopes(session_id=made.session_id, frame_id=None))
    assert isinstance(told, responses.Scopes)
    assert [(scope.name, scope.expensive) for scope in told.scopes] == [
        ("Local", False),
        ("Static", False),
        ("Global", True),
        ("Registers", True),
    ]
    await made.until(lambda: driver.requests("variables"))
    # One scope of each stop, and the entry may have been read as well.
    assert len(driver.requests("variables")) <= len(driver.requests("scopes"))


async def test_a_deep_stack_is_given_whole(made: Rig) -> None:
    await made.add(3)
    await start(made, extra_frames=60)
    await made.resume()
    told = await made.engine.handle(
        requests.StackTrace(session_id=made.session_id, thread_id=None, start_frame=10, levels=0)
    )
    assert isinstance(told, responses.StackTrace)
    assert len(told.frames) > 50


async def test_the_nearest_frame_with_a_source_is_told_too(made: Rig) -> None:
    library = Line(line=10, depth=1, function="__strcmp_evex", path=NO_SOURCE, raises="signal SIGSEGV: address 0x0")
    await start(made, (Line(line=1), Line(line=2, locals={"s": 0}), library))
    stable = await made.resume()
    assert (stable.frame.name, stable.frame.source.path) == ("__strcmp_evex", None)
    assert (stable.user_frame.line, stable.user_frame.source.path) == (2, made.source)
    assert "s" in [variable.name for variable in stable.locals.variables]


async def _evaluated(made: Rig, expression: str, context: Any = "watch") -> Any:
    return await made.engine.handle(
        requests.Eval(session_id=made.session_id, expression=expression, frame_id=None, context=context)
    )


async def test_an_error_that_looks_like_a_value_is_an_error(made: Rig) -> None:
    await made.add(2)
    hidden = {"ghost": "<error: invalid value object>", "*s": "<parent is NULL>"}
    await start(made, hidden=hidden)
    await made.resume()
    with pytest.raises(DapProtocolError, match="invalid value object") as failed:
        await _evaluated(made, "ghost")
    assert failed.value.details["adapter_message"] == "<error: invalid value object>"
    assert (await _evaluated(made, "*s")).value == "<parent is NULL>"
    assert (await _evaluated(made, "x")).value == "5"
    with pytest.raises(DapProtocolError, match="Syntax error"):
        await _evaluated(made, "x.f()")


async def test_a_command_for_the_debugger_is_carried_out_in_the_console(made: Rig) -> None:
    await made.add(2)
    await start(made)
    await made.resume()
    assert (await _evaluated(made, "`frame variable x", "repl")).value == ""


# The end.


async def test_an_exit_code_and_the_last_line_are_told(made: Rig) -> None:
    await start(made, exit_code=3)
    ended = await made.resume()
    assert (ended.state, ended.exit_code) == ("exited", 3)
    assert "".join(c.output for c in ended.captured_output if c.category == "stdout") == "one\r\ntwo\r\n"


async def test_a_crash_is_told_with_its_signal_and_ends_with_its_number(made: Rig) -> None:
    signal = "signal SIGSEGV: address not mapped to object (fault address=0x0)"
    await start(made, (Line(line=1), Line(line=2, locals={"p": 0}, raises=signal)))
    crashed = await made.resume()
    stop = session_of(made).stop
    assert (crashed.reason, crashed.raw_reason, crashed.frame.line) == ("exception", None, 2)
    assert stop is not None
    assert stop.text == signal
    ended = await made.resume()
    assert (ended.state, ended.exit_code) == ("exited", 11)


async def test_a_filter_of_codelldb_is_on_only_where_it_is_chosen_whatever_it_calls_default(made: Rig) -> None:
    driver = await start(made)
    assert "setExceptionBreakpoints" not in commands(driver)
    change = FilterChange(filter="cpp_throw", enabled=True)
    answer = await made.engine.handle(ExceptionFilterSet(filters=(change,), dry_run=False))
    assert isinstance(answer, ExceptionFilters)
    assert answer.applied_to_session
    assert driver.requests("setExceptionBreakpoints")[0]["arguments"] == {"filters": ["cpp_throw"]}


async def test_a_panic_of_rust_stops_the_program_as_an_exception(made: Rig) -> None:
    (made.folder / "Cargo.toml").touch()
    driver = await start(made, (Line(line=1), Line(line=2, raises="panic")))
    assert driver.requests("launch")[0]["arguments"]["sourceLanguages"] == ["rust", "cpp"]
    assert driver.requests("setExceptionBreakpoints")[0]["arguments"] == {"filters": ["rust_panic"]}
    made.published.clear()
    stopped = await made.resume()
    stop = session_of(made).stop
    assert (stopped.reason, stopped.raw_reason, stopped.hit_breakpoint_ids) == ("exception", "breakpoint", ())
    assert stop is not None
    assert stop.text == "Rust: on panic"
    assert not [told for told in made.of(events.BreakpointUpdated) if told.breakpoint.id is None]
    assert (await made.resume()).exit_code == 101


# Scripts.


def _handshake(*breakpoints: dict[str, Any]) -> list[dict[str, Any]]:
    standing: dict[str, Any] = {
        "setBreakpoints": {"breakpoints": list(breakpoints)},
        "threads": {"threads": [{"id": 7, "name": "1: main"}]},
        "stackTrace": {"stackFrames": []},
        "disconnect": {},
    }
    return [
        expect("initialize"),
        reply({"supportsConfigurationDoneRequest": True, "supportTerminateDebuggee": True}),
        expect("launch"),
        event("initialized"),
        answers(standing),
        expect("configurationDone"),
        reply(to="launch"),
        reply(),
        event("continued", {"allThreadsContinued": True, "threadId": 0}),
    ]


def _stopped(reason: str) -> dict[str, Any]:
    return {"allThreadsStopped": True, "reason": reason, "threadId": 7}


def _stop(reason: str) -> list[dict[str, Any]]:
    return [event("stopped", _stopped(reason))]


def _refresh() -> list[dict[str, Any]]:
    return [event("invalidated", {"threadId": 7}), event("stopped", _stopped(""))]


# Setting, running to a line, attaching.


async def test_a_run_to_a_line_leaves_the_breakpoints_of_the_project(made: Rig) -> None:
    await made.add(3)
    driver = await start(made)
    run = requests.RunTo(session_id=made.session_id, source=made.source, line=2, wait=WAIT)
    stepped: Any = await made.engine.handle(run)
    assert (stepped.state, stepped.frame.line, stepped.hit_breakpoint_ids) == ("paused", 2, ())
    await made.until(lambda: commands(driver).count("setBreakpoints") == 3)
    lists = [request["arguments"]["breakpoints"] for request in driver.requests("setBreakpoints")]
    assert [[entry["line"] for entry in each] for each in lists] == [[3], [3, 2], [3]]


async def test_a_value_is_set_by_an_assignment_of_lldbs_own(made: Rig) -> None:
    driver = await start(made)
    answer: Any = await made.engine.handle(
        requests.SetExpression(session_id=made.session_id, expression="x", value="7")
    )
    assert answer.value == "7"
    (sent,) = driver.requests("evaluate")
    assert sent["arguments"]["expression"] == "/nat x = 7"
    assert made.state == "paused"
