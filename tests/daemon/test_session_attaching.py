"""Attaching to a program that runs already, restarting one, and giving up a launch, on the scripted adapter."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from lazydap_core.errors import (
    AdapterCrashed,
    AdapterTimeout,
    Cancelled,
    DapProtocolError,
    InvalidLaunchConfig,
    SessionAlreadyActive,
    SessionNotFound,
    Unsupported,
)
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.adapters import attaching, launchers
from lazydap_daemon.session import owning
from tests.daemon.rig import LOOP, Rig, hosted_rig
from tests.fakes.scripted import answers, batch, event, expect, reply, spawn_child, swallow

PYTHON = os.path.realpath(sys.executable)
Process = subprocess.Popen[bytes]


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


@pytest.fixture
def other() -> Iterator[Process]:
    """A process that nobody debugs."""
    process = subprocess.Popen([sys.executable, "-S", "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    assert process.stdin is not None
    process.stdin.close()


async def attach(made: Rig, pid: int | None, *, stop_on_entry: bool = True, **parts: Any) -> responses.Launched:
    answer = await made.engine.handle(
        requests.Attach(adapter="codelldb", pid=pid, stop_on_entry=stop_on_entry, **parts)
    )
    assert isinstance(answer, responses.Launched)
    made.session_id = answer.session_id
    return answer


def summary(made: Rig) -> objects.SessionSummary:
    found = made.engine.summary()
    assert found is not None
    return found


async def end(made: Rig, *, even_attached: bool | None = None, dry_run: bool = False) -> bool:
    answer = await made.engine.handle(
        requests.Disconnect(session_id=made.session_id, terminate=True, dry_run=dry_run, even_attached=even_attached)
    )
    assert isinstance(answer, responses.Disconnected)
    return answer.terminated_debuggee


async def test_a_number_that_is_told_from_behind_a_port_is_no_process_of_this_machine(
    made: Rig, other: Process
) -> None:
    process = event("process", {"systemProcessId": other.pid, "isLocalProcess": True})
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("attach"),
            batch(process, event("initialized"), reply(to="attach")),
            answers({"stackTrace": {"stackFrames": []}, "threads": {"threads": [{"id": 1}]}, "disconnect": {}}),
            expect("pause"),
            reply(),
            event("stopped", {"reason": "pause", "threadId": 1, "allThreadsStopped": True}),
        ]
    )
    made.driver.pauses_by_signal = True
    await attach(made, None, port=4711, stop_on_entry=False)
    assert (await made.pause()).state == "paused"
    assert await end(made, even_attached=True)
    assert other.poll() is None
    assert psutil.Process(other.pid).status() != psutil.STATUS_STOPPED


async def test_a_stop_on_the_way_into_a_program_that_is_to_run_is_none(made: Rig) -> None:
    arrival = {"reason": "exception", "description": "signal SIGSTOP", "threadId": 1, "allThreadsStopped": True}
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("attach"),
            batch(
                event("initialized"),
                event("stopped", arrival),
                reply(to="attach"),
                event("continued", {"threadId": 1, "allThreadsContinued": True}),
            ),
            answers({"threads": {"threads": [{"id": 1}]}, "disconnect": {}}),
            expect("never", within=60),
        ]
    )
    launched = await attach(made, None, port=4711, stop_on_entry=False)
    assert (launched.state, launched.reason) == ("running", None)
    assert made.of(events.Stopped) == []
    await end(made)


async def test_a_process_is_attached_to_with_the_breakpoints_of_the_project(made: Rig, other: Process) -> None:
    await made.add(2)
    made.play(made.program())
    launched = await attach(made, other.pid)
    assert (launched.state, launched.reason, launched.breakpoints[0].verified) == ("paused", "entry", True)
    (sent,) = [each["arguments"] for each in made.driver.record() if each.get("command") == "attach"]
    assert (sent["pid"], sent["stopOnEntry"]) == (other.pid, True)
    assert (summary(made).attached, summary(made).program) == (True, PYTHON)
    assert (await made.resume()).hit_breakpoint_ids == (1,)


async def test_the_end_of_the_session_leaves_an_attached_program_running(made: Rig, other: Process) -> None:
    made.play(made.program())
    await attach(made, other.pid)
    assert await end(made, dry_run=True) is False
    assert await end(made) is False
    (sent,) = [each["arguments"] for each in made.driver.record() if each.get("command") == "disconnect"]
    assert sent == {"terminateDebuggee": False}
    assert other.poll() is None


async def test_an_attached_program_is_ended_when_that_is_meant(made: Rig, other: Process) -> None:
    made.play(made.program())
    await attach(made, other.pid)
    assert await end(made, even_attached=True) is True
    assert other.wait(5) != 0


async def test_the_end_of_the_daemon_leaves_an_attached_program_running(made: Rig, other: Process) -> None:
    made.play(made.program())
    await attach(made, other.pid)
    await made.engine.shutdown()
    assert other.poll() is None


async def test_an_adapter_that_dies_leaves_an_attached_program_running(made: Rig, other: Process) -> None:
    made.play(made.program(dies_on={"threads": 3}))
    await attach(made, other.pid)
    with pytest.raises(AdapterCrashed):
        await made.engine.handle(requests.Threads(session_id=made.session_id))
    await made.until(lambda: made.state == "adapter_died")
    assert other.poll() is None


async def test_an_attach_that_the_adapter_refuses_leaves_the_program_and_the_slot_as_they_were(
    made: Rig, other: Process
) -> None:
    made.play(made.program(refuses={"attach": "it will not have it"}))
    with pytest.raises(DapProtocolError, match="it will not have it"):
        await attach(made, other.pid)
    assert other.poll() is None
    assert made.engine.summary() is None
    await made.start()


async def test_a_process_that_is_gone_is_named(made: Rig, other: Process) -> None:
    other.kill()
    await made.until(lambda: psutil.Process(other.pid).status() == psutil.STATUS_ZOMBIE)
    made.play(made.program())
    with pytest.raises(InvalidLaunchConfig, match=f"process {other.pid} has ended"):
        await attach(made, other.pid)
    other.wait()
    with pytest.raises(InvalidLaunchConfig, match=f"there is no process {other.pid}"):
        await attach(made, other.pid)
    assert made.driver.record() == []


async def test_the_daemon_does_not_debug_itself(made: Rig) -> None:
    made.play(made.program())
    with pytest.raises(InvalidLaunchConfig, match="it cannot debug itself"):
        await attach(made, os.getpid())


async def test_a_process_of_somebody_else_is_refused(
    made: Rig, other: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.play(made.program())
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    with pytest.raises(InvalidLaunchConfig, match=f"process {other.pid} belongs to .*: attach as that user"):
        await attach(made, other.pid)


async def test_a_process_that_is_debugged_already_is_refused_with_the_name_of_its_debugger(
    made: Rig, other: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.play(made.program())
    monkeypatch.setattr(attaching, "tracer_of", lambda _pid: os.getpid())  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]
    with pytest.raises(InvalidLaunchConfig, match=rf"is debugged already, by process {os.getpid()} \("):
        await attach(made, other.pid)


@pytest.mark.parametrize(("scope", "who"), [("1", "only a parent"), ("2", "only root"), ("3", "nobody")])
async def test_the_setting_that_forbids_an_attach_is_named(  # noqa: PLR0917 - fixtures
    made: Rig, other: Process, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scope: str, who: str
) -> None:
    setting = tmp_path / "ptrace_scope"
    setting.write_text(f"{scope}\n")
    monkeypatch.setattr(attaching, "_PTRACE_SCOPE", setting)
    owner = os.getuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner or 54321)
    monkeypatch.setattr(attaching, "check", lambda _target, _kind: None)  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]
    made.play(made.program(refuses={"attach": "Operation not permitted"}))
    expected = rf"Operation not permitted; the setting kernel\.yama\.ptrace_scope is {scope} \({who}"
    with pytest.raises(DapProtocolError, match=expected) as refused:
        await attach(made, other.pid)
    assert refused.value.details["ptrace_scope"] == int(scope)


@pytest.mark.parametrize("parts", [{}, {"port": 5, "wait_for": "x"}])
async def test_what_to_attach_to_is_said_once(made: Rig, parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidLaunchConfig, match="say once what to attach to"):
        await attach(made, None, **parts)


async def test_a_way_that_the_adapter_does_not_know_is_refused_before_anything_starts(made: Rig) -> None:
    made.play(made.program(), like="delve")
    with pytest.raises(Unsupported, match="delve cannot wait for a process by its name"):
        await attach(made, None, wait_for="server")
    made.play(made.program(), like="debugpy")
    with pytest.raises(Unsupported, match="debugpy cannot stop a program when it attaches"):
        await attach(made, None, port=5678)
    assert made.driver.record() == []


async def test_a_name_is_waited_for_until_the_deadline(made: Rig) -> None:
    made.play(made.program(swallows=["attach"], launch_answer="early"))
    with pytest.raises(AdapterTimeout, match=re.escape("was not attached to within 0.2 s")):
        await attach(made, None, wait_for="server", options={"timeout_ms": 200})


async def restart(made: Rig) -> responses.Launched:
    answer = await made.engine.handle(requests.Restart(session_id=made.session_id))
    assert isinstance(answer, responses.Launched)
    made.session_id = answer.session_id
    return answer


async def test_a_restart_launches_the_same_once_more(made: Rig) -> None:
    await made.start()
    first = made.session_id
    await made.step()
    await made.add(2)
    launched = await restart(made)
    assert launched.session_id != first
    assert (launched.state, launched.reason, launched.breakpoints[0].verified) == ("paused", "entry", True)
    (ended,) = [at for at, event in enumerate(made.published) if isinstance(event, events.SessionEnded)]
    began = made.published.index(events.SessionStarted(session_id=launched.session_id, adapter="codelldb"))
    assert ended < began
    with pytest.raises(SessionNotFound):
        await made.engine.handle(requests.Restart(session_id=first))


async def test_a_program_that_has_ended_is_restarted(made: Rig) -> None:
    await made.start()
    assert (await made.resume()).state == "exited"
    assert (await restart(made)).state == "paused"


async def test_a_restart_that_fails_leaves_an_empty_slot(made: Rig) -> None:
    await made.start()
    made.play(made.program(refuses={"launch": "it is being built"}))
    with pytest.raises(DapProtocolError, match="it is being built"):
        await restart(made)
    assert made.engine.summary() is None
    await made.start()


async def test_what_was_attached_to_is_not_restarted(made: Rig, other: Process) -> None:
    made.play(made.program())
    await attach(made, other.pid)
    with pytest.raises(Unsupported, match="the program was attached to, not launched"):
        await restart(made)
    assert made.state == "paused"


async def test_a_python_that_ends_at_once_is_noticed_long_before_the_deadline(
    made: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launchers, "HEAD_START", 0.01)
    monkeypatch.setattr(launchers, "CHILDLESS", 0.1)
    conversation = [expect("initialize"), reply({}), expect("launch"), spawn_child("/bin/sleep", "60"), swallow()]
    made.play(conversation, like="debugpy")
    with pytest.raises(InvalidLaunchConfig, match="ended before the program began: see that it starts at all"):
        await made.launch()
    assert made.engine.summary() is None


async def cancel(made: Rig) -> bool:
    answer = await made.engine.handle(requests.CancelLaunch())
    assert isinstance(answer, responses.LaunchCancelled)
    return answer.cancelled


async def test_a_launch_is_given_up_and_the_slot_is_free(made: Rig) -> None:
    made.play(made.program(swallows=["configurationDone"]))
    failures: list[Cancelled] = []

    async def launch() -> None:
        with pytest.raises(Cancelled, match="the launch was given up: somebody has stopped it") as caught:
            await made.launch()
        failures.append(caught.value)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(launch)
        await made.until(lambda: "configurationDone" in made.driver.requests())
        with pytest.raises(SessionAlreadyActive, match="wait for it, or stop it"):
            await made.launch()
        assert await cancel(made)
    assert len(failures) == 1
    assert made.published == []
    await made.start(LOOP)


async def test_an_attach_that_is_given_up_half_way_leaves_the_program_running(
    made: Rig, other: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owning, "ATTACH_GRACE", 0.2)
    made.play(made.program(swallows=["configurationDone"]))

    async def attach_in_vain() -> None:
        with pytest.raises(Cancelled, match="given up"):
            await attach(made, other.pid)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(attach_in_vain)
        await made.until(lambda: "configurationDone" in made.driver.requests())
        assert await cancel(made)
    (sent,) = [each["arguments"] for each in made.driver.record() if each.get("command") == "disconnect"]
    assert sent == {"terminateDebuggee": False}
    assert other.poll() is None


async def test_a_stopped_python_is_to_be_continued_before_it_is_attached_to(made: Rig, other: Process) -> None:
    other.send_signal(signal.SIGSTOP)
    await made.until(lambda: psutil.Process(other.pid).status() == psutil.STATUS_STOPPED)
    with pytest.raises(InvalidLaunchConfig, match=f"process {other.pid} is stopped: `kill -CONT {other.pid}`"):
        await made.engine.handle(requests.Attach(adapter="debugpy", pid=other.pid, stop_on_entry=False))
    assert other.poll() is None


async def test_without_a_launch_there_is_nothing_to_give_up(made: Rig) -> None:
    assert not await cancel(made)
    await made.start()
    assert not await cancel(made)
    assert made.state == "paused"
