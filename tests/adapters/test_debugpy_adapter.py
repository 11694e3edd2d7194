"""A real debugpy, at the level of its adapter: what the driver promises is what happens."""

import json
import os
import signal
import statistics
import sys
import time
import venv
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.errors import AdapterCrashed, InvalidLaunchConfig
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.dap.errors import RequestRefused
from lazydap_daemon.dap.messages import ExitedBody, ProcessBody, VariablesBody
from tests.adapters.talking import PATIENCE, Talk, session_members, talking
from tests.fixtures.programs import (
    PY_ENVIRONMENT,
    PY_LOOP,
    PY_RAISE,
    PY_SPIN,
    PY_STUBBORN,
    PY_SYNTAX,
    Program,
)

pytestmark = pytest.mark.timeout(90)

DRIVER = DebugpyDriver(interpreter=sys.executable)


def plan(program: Path, **more: Any) -> LaunchPlan:
    return LaunchPlan(kind="debugpy", program=str(program), cwd=str(program.parent), **more)


async def program_pid(talk: Talk) -> int:
    body = (await talk.expect("process")).decode(ProcessBody)
    assert body.system_process_id is not None
    return body.system_process_id


async def local_values(talk: Talk) -> dict[str, str]:
    frame = await talk.top_frame(1)
    scopes = (await talk.request("scopes", frameId=frame.id))["scopes"]
    arguments = {"variablesReference": scopes[0]["variablesReference"]}
    rows = (await talk.request_as(VariablesBody, "variables", arguments)).variables
    return {row.name: row.value for row in rows}


async def test_a_program_stops_at_its_entry_steps_and_ends_with_its_code(tmp_path: Path) -> None:
    program = PY_LOOP.write(tmp_path)
    async with talking(DRIVER, plan(program, stop_on_entry=True)) as talk:
        opinions = await talk.launch({str(program): [{"line": PY_LOOP.line("call")}]})
        assert [(each.id, each.verified, each.line) for each in opinions[str(program)]] == [
            (0, True, PY_LOOP.line("call"))
        ]
        entry = await talk.stopped()
        assert (entry.reason, entry.thread_id) == ("entry", 1)
        assert (await talk.top_frame(1)).line == 1
        hit = await talk.move("continue", 1)
        assert (hit.reason, hit.hit_breakpoint_ids) == ("breakpoint", (0,))
        assert (await local_values(talk))["total"] == "0"
        inside = await talk.move("stepIn", 1)
        frame = await talk.top_frame(1)
        assert (inside.reason, frame.name, frame.line) == ("step", "area", PY_LOOP.line("square"))
        assert frame.source is not None
        assert frame.source.file == str(program)
        out = await talk.move("stepOut", 1)
        assert (out.reason, (await talk.top_frame(1)).name) == ("step", "<module>")
        await talk.set_breakpoints(str(program), [])
        await talk.request("continue", threadId=1)
        assert (await talk.expect("exited")).decode(ExitedBody).exit_code == 7
        await talk.expect("terminated")
        assert talk.output("stdout") == "total 30\n"
        assert talk.output("stderr") == ""


def await_terminated(talk: Talk) -> Any:
    """The event itself."""
    return next(event for event in talk.events if event.name == "terminated")


async def test_an_uncaught_exception_is_told_with_its_type(tmp_path: Path) -> None:
    program = PY_RAISE.write(tmp_path)
    async with talking(DRIVER, plan(program, stop_on_entry=True)) as talk:
        await talk.launch()
        await talk.stopped()
        await talk.request("setExceptionBreakpoints", filters=["uncaught"])
        stop = await talk.move("continue", 1)
        told = DRIVER.normalise_stop(stop, entry_expected=False, pause_outstanding=False, step_thread=None)
        assert (told.reason, told.text) == ("exception", "ValueError: no 3")
        await talk.request("continue", threadId=1)
        assert (await talk.expect("exited")).plain()["exitCode"] == 1


async def test_the_program_sees_the_clients_environment_and_nothing_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAEMON_ONLY", "1")
    program, answer = PY_ENVIRONMENT.write(tmp_path), tmp_path / "answer.json"
    client = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(tmp_path / "client"),
        "PYTHONHASHSEED": "3",
        "DEBUGPY_ADAPTER_ENDPOINTS": str(tmp_path / "endpoints"),
        "ODD": "a=b c\udcff",
    }
    launch = plan(
        program,
        args=(str(answer), "an argument", ""),
        env={"MINE": "yes", "PATH": "/nowhere"},
        options=LaunchOptions(client_env=client),
    )
    async with talking(DRIVER, launch) as talk:
        await talk.launch()
        await talk.expect("terminated")
    told = json.loads(answer.read_text())
    # What debugpy adds by itself, doc/adapters.md, "Environment".
    added = {
        "DEBUGPY_RUNNING": "true",
        "PYDEVD_USE_FRAME_EVAL": "NO",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUNBUFFERED": "1",
    }
    assert told["env"] == client | added | {"MINE": "yes", "PATH": "/nowhere"}
    assert (told["cwd"], told["args"], told["python"]) == (str(tmp_path), ["an argument", ""], sys.executable)
    assert not (tmp_path / "endpoints").exists()


async def test_the_program_runs_under_its_own_interpreter_which_needs_no_debugpy(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    program, answer = PY_ENVIRONMENT.write(tmp_path), tmp_path / "answer.json"
    async with talking(DebugpyDriver(interpreter=str(python)), plan(program, args=(str(answer),))) as talk:
        await talk.launch()
        await talk.expect("terminated")
        assert talk.output("stderr") == ""
    assert json.loads(answer.read_text())["python"] == str(python)


async def test_a_stack_ends_in_the_program_and_its_path_is_what_python_alone_gives(tmp_path: Path) -> None:
    (tmp_path / "asks.py").write_text("import json, sys\nprint(json.dumps(sys.path))\nend = 1\n")
    program = tmp_path / "asks.py"
    alone = await anyio.run_process([sys.executable, str(program)])
    async with talking(DRIVER, plan(program)) as talk:
        await talk.launch({str(program): [{"line": 3}]})
        await talk.stopped()
        frames = (await talk.request("stackTrace", threadId=1))["stackFrames"]
        assert [(frame["name"], frame["source"]["path"]) for frame in frames] == [("<module>", str(program))]
        await talk.request("continue", threadId=1)
        await talk.expect("terminated")
        assert json.loads(talk.output("stdout")) == json.loads(alone.stdout)


async def test_files_beside_the_program_do_not_reach_the_adapter(tmp_path: Path) -> None:
    program = PY_LOOP.write(tmp_path)
    for name in ("debugpy", "runpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    async with talking(DRIVER, plan(program, options=LaunchOptions(client_env=environment))) as talk:
        talk.capabilities = await talk.request("initialize", **DRIVER.initialize_arguments())
        assert talk.capabilities["supportsConfigurationDoneRequest"]


async def test_a_module_is_launched_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    inner = Program("__main__.py", PY_LOOP.source).write(tmp_path / "package")
    options = LaunchOptions(module="package")
    launch = LaunchPlan(kind="debugpy", program="package", cwd=str(tmp_path), options=options)
    DRIVER.check(launch)
    async with talking(DRIVER, launch) as talk:
        await talk.launch({str(inner): [{"line": PY_LOOP.line("call")}]})
        assert (await talk.stopped()).reason == "breakpoint"


async def test_a_syntax_error_is_the_programs_output_and_ends_it(tmp_path: Path) -> None:
    program = PY_SYNTAX.write(tmp_path)
    async with talking(DRIVER, plan(program, stop_on_entry=True)) as talk:
        await talk.launch()
        assert (await talk.expect("exited")).plain()["exitCode"] == 1
        await talk.expect("terminated")
        assert "SyntaxError: invalid syntax" in talk.output("stderr")
        assert not [event for event in talk.events if event.name == "stopped"]


def test_a_missing_program_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(InvalidLaunchConfig, match=r"missing\.py is no file"):
        DRIVER.check(plan(tmp_path / "missing.py"))


async def test_an_interpreter_that_does_not_exist_is_told_by_the_launch(tmp_path: Path) -> None:
    program = PY_LOOP.write(tmp_path)
    async with talking(DebugpyDriver(interpreter="/nowhere/python"), plan(program)) as talk:
        await talk.request("initialize", **DRIVER.initialize_arguments())
        launch = DebugpyDriver(interpreter="/nowhere/python").launch_arguments(talk.plan)
        with pytest.raises(RequestRefused, match="/nowhere/python"):
            await talk.connection.request("launch", launch, timeout=PATIENCE)


@pytest.mark.parametrize("state", ["running", "paused"])
async def test_leaving_ends_the_program_without_a_disconnect(tmp_path: Path, state: str) -> None:
    program = PY_SPIN.write(tmp_path)
    asked = [{"line": PY_SPIN.line("tick")}] if state == "paused" else []
    async with talking(DRIVER, plan(program)) as talk:
        await talk.launch({str(program): asked})
        pid = await program_pid(talk)
        if asked:
            await talk.stopped()
        session = talk.process.pid
        assert {session, pid} <= set(session_members(session))
    assert session_members(session) == []
    assert talk.process.exit_status == 0


async def test_leaving_sweeps_what_the_program_left_in_the_session(tmp_path: Path) -> None:
    program = PY_STUBBORN.write(tmp_path)
    async with talking(DRIVER, plan(program)) as talk:
        await talk.launch()
        await talk.expect("output", lambda event: "child" in event.plain()["output"])
        session = talk.process.pid
        assert len(session_members(session)) == 4
        await talk.request("disconnect")
    assert session_members(session) == []


async def test_a_killed_adapter_takes_its_program_with_it(tmp_path: Path) -> None:
    program = PY_SPIN.write(tmp_path)
    async with talking(DRIVER, plan(program)) as talk:
        await talk.launch()
        await program_pid(talk)
        os.kill(talk.process.pid, signal.SIGKILL)
        assert await talk.expect_broken() == "the adapter closed its stream"
        await talk.process.exited.wait()
        assert talk.process.exit_status == -signal.SIGKILL
        assert talk.process.ending() == "the adapter was ended by SIGKILL"
        session = talk.process.pid
    assert session_members(session) == []


async def test_an_adapter_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    class Missing(DebugpyDriver):
        def command(self, plan: LaunchPlan) -> tuple[str, ...]:
            del plan
            return ("/nowhere/adapter",)

    with pytest.raises(AdapterCrashed, match="debugpy could not be started from /nowhere/adapter: No such file"):
        async with talking(Missing(interpreter=None), plan(PY_LOOP.write(tmp_path))):
            pytest.fail("it was started")


@pytest.mark.linux
async def test_a_step_does_not_wait_for_a_delayed_acknowledgement(tmp_path: Path) -> None:
    program = PY_SPIN.write(tmp_path)
    async with talking(DRIVER, plan(program, stop_on_entry=True)) as talk:
        await talk.launch()
        await talk.stopped()
        times: list[float] = []
        for _ in range(31):
            begun = time.monotonic()
            await talk.move("next", 1)
            times.append(time.monotonic() - begun)
        # With delayed acknowledgements it is 44 ms, on an idle machine as well.
        assert statistics.median(times) < 0.035
