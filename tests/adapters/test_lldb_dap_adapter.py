"""A real lldb-dap, at the level of its adapter: what the driver promises is what happens."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.protocol.objects import LaunchOptions
from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver, major_version
from lazydap_daemon.adapters.plan import Normalised
from lazydap_daemon.dap.errors import RequestRefused
from lazydap_daemon.dap.messages import ExitedBody, ModuleBody, ProcessBody, StoppedBody, VariablesBody
from tests.adapters.real import lldb_dap
from tests.adapters.talking import PATIENCE, Talk, session_members, talking
from tests.fixtures.programs import C_ENVIRONMENT, C_LOOP, C_SPIN

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(name="driver", scope="module")
def _driver() -> LldbDapDriver:
    return LldbDapDriver(executable=(lldb_dap(),))


def plan(program: Path, **more: Any) -> LaunchPlan:
    return LaunchPlan(kind="codelldb", program=str(program), cwd=str(program.parent), **more)


async def program_pid(talk: Talk) -> int:
    body = (await talk.expect("process")).decode(ProcessBody)
    assert body.system_process_id is not None
    return body.system_process_id


async def local_values(talk: Talk, thread: int | None) -> dict[str, str]:
    frame = await talk.top_frame(thread)
    scopes = (await talk.request("scopes", frameId=frame.id))["scopes"]
    arguments = {"variablesReference": scopes[0]["variablesReference"]}
    rows = (await talk.request_as(VariablesBody, "variables", arguments)).variables
    return {row.name: row.value for row in rows}


async def pause(talk: Talk, thread: int | None) -> None:
    """Ask until it is accepted; every refusal must be one that passes."""
    with anyio.fail_after(PATIENCE):
        while True:
            try:
                await talk.request("pause", threadId=thread)
            except RequestRefused as refused:
                if not talk.driver.refuses_only_for_now("pause", refused.text):
                    raise
                await anyio.sleep(0.01)
            else:
                return


def normalised(talk: Talk, body: StoppedBody, *, entry: bool = False, pause: bool = False) -> Normalised:
    return talk.driver.normalise_stop(body, entry_expected=entry, pause_outstanding=pause, step_thread=None)


async def test_a_program_stops_at_its_entry_steps_and_ends_with_its_code(driver: LldbDapDriver, tmp_path: Path) -> None:
    source, program = C_LOOP.build(tmp_path)
    async with talking(driver, plan(program, stop_on_entry=True)) as talk:
        opinions = await talk.launch({str(source): [{"line": C_LOOP.line("call")}]})
        (opinion,) = opinions[str(source)]
        assert (opinion.verified, opinion.line) == (True, C_LOOP.line("call"))
        entry = await talk.stopped()
        assert normalised(talk, entry, entry=True).reason == "entry"
        hit = await talk.move("continue", entry.thread_id)
        assert normalised(talk, hit).hit_ids == (opinion.id,)
        assert normalised(talk, hit).text is None
        assert (await local_values(talk, hit.thread_id))["total"] == "0"
        inside = await talk.move("stepIn", hit.thread_id)
        frame = await talk.top_frame(inside.thread_id)
        assert (inside.reason, frame.name, frame.line) == ("step", "area", C_LOOP.line("square"))
        assert frame.source is not None
        assert frame.source.file == str(source)
        out = await talk.move("stepOut", inside.thread_id)
        assert (out.reason, (await talk.top_frame(out.thread_id)).name) == ("step", "main")
        await talk.set_breakpoints(str(source), [])
        await talk.request("continue", threadId=out.thread_id)
        assert (await talk.expect("exited")).decode(ExitedBody).exit_code == 7
        await talk.expect("terminated")
        assert talk.output("stdout") == "total 30\r\n"


async def test_the_entry_has_no_file_of_its_own(driver: LldbDapDriver, tmp_path: Path) -> None:
    _, program = C_LOOP.build(tmp_path)
    async with talking(driver, plan(program, stop_on_entry=True)) as talk:
        await talk.launch()
        entry = await talk.stopped()
        frame = await talk.top_frame(entry.thread_id)
        assert frame.source is None or frame.source.file is None


async def test_it_names_its_version_and_what_it_can_do(driver: LldbDapDriver, tmp_path: Path) -> None:
    _, program = C_LOOP.build(tmp_path)
    async with talking(driver, plan(program)) as talk:
        await talk.launch()
        version = major_version(talk.capabilities)
        assert version is not None
        assert driver.one_scope_transaction(talk.capabilities) is (version < 22)
        assert driver.keeps_debuggee(talk.capabilities, is_attached=False)


@pytest.mark.parametrize("has_debug_info", [True, False])
async def test_it_tells_whether_the_program_has_debug_information(
    driver: LldbDapDriver, tmp_path: Path, *, has_debug_info: bool
) -> None:
    _, program = C_LOOP.build(tmp_path, has_debug_info=has_debug_info)
    async with talking(driver, plan(program, stop_on_entry=True)) as talk:
        await talk.launch()
        await talk.stopped()
        told = [event.decode(ModuleBody).module for event in talk.events if event.name == "module"]
        expected = has_debug_info if sys.platform == "linux" else None
        assert {driver.has_debug_info(one) for one in told if one.path == str(program)} == {expected}


async def test_the_program_sees_the_clients_environment_and_nothing_of_ours(
    driver: LldbDapDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAEMON_ONLY", "1")
    (tmp_path / ".lldbinit").write_text("settings set target.env-vars FROM_LLDBINIT=1\n")
    _, program = C_ENVIRONMENT.build(tmp_path)
    answer = tmp_path / "answer"
    client = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONHOME": "/nowhere",
        "PYTHONPATH": str(tmp_path / "client"),
        "LLDB_DEBUGSERVER_PATH": "/nowhere/lldb-server",
        "ODD": "a=b c",
        "LINES": "7",
    }
    launch = plan(
        program,
        args=(str(answer), "an argument", ""),
        env={"MINE": "yes", "PATH": "/nowhere"},
        options=LaunchOptions(client_env=client),
    )
    async with talking(driver, launch) as talk:
        await talk.launch()
        await talk.expect("terminated")
        assert talk.output("stdout") == f"argument an argument\r\nargument \r\ndirectory {tmp_path}\r\n"
    entries = (entry.partition("=") for entry in answer.read_text().removesuffix("\0").split("\0"))
    told = {name: value for name, _, value in entries}
    assert told == client | {"MINE": "yes", "PATH": "/nowhere"}


@pytest.mark.parametrize("missing", ["program", "cwd"])
async def test_what_is_missing_is_told_by_the_launch(driver: LldbDapDriver, tmp_path: Path, missing: str) -> None:
    _, program = C_LOOP.build(tmp_path)
    launch = {
        "program": plan(tmp_path / "nothing"),
        "cwd": LaunchPlan(kind="codelldb", program=str(program), cwd=str(tmp_path / "nothing")),
    }[missing]
    async with talking(driver, launch) as talk:
        await talk.request("initialize", **driver.initialize_arguments())
        pending = await talk.connection.send("launch", driver.launch_arguments(launch))
        await talk.expect("initialized")
        with pytest.raises(RequestRefused):
            await talk.request("configurationDone")
        with pytest.raises(RequestRefused) as refused:
            await pending.reply(PATIENCE)
        assert {"program": str(tmp_path / "nothing"), "cwd": "chdir failed"}[missing] in refused.value.text


@pytest.mark.parametrize("state", ["running", "paused"])
async def test_leaving_ends_the_program_without_a_disconnect(driver: LldbDapDriver, tmp_path: Path, state: str) -> None:
    source, program = C_SPIN.build(tmp_path)
    asked = [{"line": C_SPIN.line("tick")}] if state == "paused" else []
    async with talking(driver, plan(program)) as talk:
        await talk.launch({str(source): asked})
        pid = await program_pid(talk)
        if asked:
            await talk.stopped()
        session = talk.process.pid
        assert {session, pid} <= set(session_members(session))
    assert session_members(session) == []


async def test_a_program_that_stands_and_is_kept_runs_on(driver: LldbDapDriver, tmp_path: Path) -> None:
    source, program = C_SPIN.build(tmp_path)
    async with talking(driver, plan(program)) as talk:
        await talk.launch({str(source): [{"line": C_SPIN.line("tick")}]})
        pid = await program_pid(talk)
        await talk.stopped()
        talk.process.keep = pid
        await talk.request("disconnect", terminateDebuggee=False)
        session = talk.process.pid
    assert session_members(session) == [pid]
    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("state", ["running", "paused"])
async def test_a_killed_adapter_leaves_nothing(driver: LldbDapDriver, tmp_path: Path, state: str) -> None:
    source, program = C_SPIN.build(tmp_path)
    asked = [{"line": C_SPIN.line("tick")}] if state == "paused" else []
    async with talking(driver, plan(program)) as talk:
        await talk.launch({str(source): asked})
        await program_pid(talk)
        if asked:
            await talk.stopped()
        os.kill(talk.process.pid, signal.SIGKILL)
        assert await talk.expect_broken() == "the adapter closed its stream"
        session = talk.process.pid
    assert talk.process.exit_status == -signal.SIGKILL
    assert session_members(session) == []
