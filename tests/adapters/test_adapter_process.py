"""The owner of an adapter's process, with the scripted adapter: nothing is left, whatever the adapter does."""

import logging
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import psutil
import pytest

from lazydap_core.errors import AdapterCrashed
from lazydap_daemon.adapters import process as process_module
from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.adapters.process import Debuggee, started, sweep
from tests.adapters.talking import PATIENCE, session_members, talking
from tests.fakes.scripted import ScriptedLldb, close, event, leave, raw, sleep, spawn_child

PLAN = LaunchPlan(kind="codelldb", program="/program", cwd="/")


class Shell(ScriptedLldb):
    """A shell command in the adapter's place."""

    def __init__(self, command: str, folder: Path) -> None:
        super().__init__([], folder)
        self._shell = command

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        del plan
        return ("/bin/sh", "-c", self._shell)


@pytest.fixture(autouse=True)
def _long_graces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpreters are slow to start on a busy machine."""
    monkeypatch.setattr(process_module, "EXIT_GRACE", PATIENCE)


@pytest.fixture
def short_graces(monkeypatch: pytest.MonkeyPatch) -> None:
    """For adapters that do not end by themselves."""
    monkeypatch.setattr(process_module, "EXIT_GRACE", 0.3)
    monkeypatch.setattr(process_module, "TERMINATE_GRACE", 0.3)


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process of nobody's session."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


async def test_an_adapter_that_ends_at_the_end_of_its_input_is_not_signalled(tmp_path: Path) -> None:
    async with talking(ScriptedLldb([], tmp_path), PLAN) as talk:
        pass
    assert talk.process.exit_status == 0
    assert talk.process.ending() == "the adapter exited with status 0"


async def test_it_leads_a_session_of_its_own(tmp_path: Path) -> None:
    async with talking(ScriptedLldb([], tmp_path), PLAN) as talk:
        assert os.getsid(talk.process.pid) == talk.process.pid != os.getsid(0)


@pytest.mark.usefixtures("short_graces")
@pytest.mark.parametrize(
    ("command", "status"),
    [("exec sleep 1000", -signal.SIGTERM), ("trap '' TERM; while :; do sleep 0.01; done", -signal.SIGKILL)],
)
async def test_an_adapter_that_stays_is_ended_by_force(tmp_path: Path, command: str, status: int) -> None:
    async with started(Shell(command, tmp_path), PLAN) as process:
        pass
    assert process.exit_status == status
    assert session_members(process.pid) == []


async def test_an_adapter_with_a_full_output_can_still_end(tmp_path: Path) -> None:
    script = [raw(b"Content-Length: 2\r\n\r\n{}", times=100_000)]
    async with started(ScriptedLldb(script, tmp_path), PLAN) as process:
        pass
    assert process.exit_status == 0


async def test_what_is_left_of_its_session_is_killed_and_nothing_else(
    tmp_path: Path, stranger: subprocess.Popen[bytes]
) -> None:
    script = [spawn_child("sleep", "1000"), event("process", {"systemProcessId": "{child}"})]
    async with talking(ScriptedLldb(script, tmp_path), PLAN) as talk:
        child = (await talk.expect("process")).plain()["systemProcessId"]
        assert sorted(session_members(talk.process.pid)) == sorted([talk.process.pid, child])
    assert session_members(talk.process.pid) == []
    assert stranger.poll() is None


async def test_a_program_to_keep_survives_with_its_children(tmp_path: Path) -> None:
    command = "sleep 1000 & echo $!; sleep 1000 & wait"
    script = [spawn_child("sh", "-c", command), event("process", {"systemProcessId": "{child}"})]
    async with talking(ScriptedLldb(script, tmp_path), PLAN) as talk:
        child = (await talk.expect("process")).plain()["systemProcessId"]
        with anyio.fail_after(PATIENCE):
            while len(psutil.Process(child).children()) < 2:  # noqa: ASYNC110
                await anyio.sleep(0.01)
        os.kill(child, signal.SIGSTOP)
        talk.process.keep = child
    kept = session_members(talk.process.pid)
    assert len(kept) == 3
    assert psutil.Process(child).status() != psutil.STATUS_STOPPED
    await sweep(talk.process.pid)
    assert session_members(talk.process.pid) == []


async def test_an_error_of_the_block_leaves_it_as_it_is(tmp_path: Path) -> None:
    pids: list[int] = []

    async def fails() -> None:
        async with started(ScriptedLldb([], tmp_path), PLAN) as process:
            pids.append(process.pid)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as raised:
        await fails()
    assert raised.value.__context__ is None
    assert session_members(pids[0]) == []


@pytest.mark.usefixtures("short_graces")
async def test_a_cancelled_block_still_ends_the_adapter(tmp_path: Path) -> None:
    pid = 0
    with anyio.move_on_after(0.1) as scope:
        async with started(Shell("exec sleep 1000", tmp_path), PLAN) as process:
            pid = process.pid
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert session_members(pid) == []


async def test_an_early_exit_is_told_with_the_last_line_of_stderr(tmp_path: Path) -> None:
    script = [raw(b"one\nliblldb.so: cannot open\n\n", stream="stderr"), leave(101)]
    async with talking(ScriptedLldb(script, tmp_path), PLAN) as talk:
        assert await talk.expect_broken() == "the adapter closed its stream"
        assert await talk.process.last_words() == "the adapter exited with status 101: liblldb.so: cannot open"


async def test_a_flood_on_stderr_that_is_no_text_blocks_nothing(tmp_path: Path) -> None:
    script = [raw(b"\xff" * 1024, stream="stderr", times=1024), raw(b"\nlast\n", stream="stderr"), event("ready")]
    async with talking(ScriptedLldb(script, tmp_path), PLAN) as talk:
        await talk.expect("ready")
    lines = talk.process.stderr_tail.splitlines()
    assert lines[-1] == "last"
    assert all(len(line) <= 4096 for line in lines)


async def test_stderr_goes_to_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "dap.adapter.stderr"):
        async with talking(ScriptedLldb([raw(b"a complaint\r\n", stream="stderr")], tmp_path), PLAN):
            pass
    assert "a complaint" in caplog.messages


@pytest.mark.usefixtures("short_graces")
async def test_an_adapter_that_closes_its_output_and_lives_is_ended(tmp_path: Path) -> None:
    async with talking(ScriptedLldb([close(), sleep(1000)], tmp_path), PLAN) as talk:
        await talk.expect_broken()
        assert talk.process.ending() == "the adapter still runs"
    assert talk.process.exit_status == -signal.SIGTERM


@pytest.mark.parametrize(
    ("command", "reason"),
    [("/nowhere/adapter", "No such file or directory"), ("/", "Permission denied"), ("a\0b", "embedded null byte")],
)
async def test_what_cannot_be_started_is_said_in_one_line(tmp_path: Path, command: str, reason: str) -> None:
    class Unstartable(ScriptedLldb):
        def command(self, plan: LaunchPlan) -> tuple[str, ...]:
            del plan
            return (command,)

    with pytest.raises(AdapterCrashed) as raised:
        async with started(Unstartable([], tmp_path), PLAN):
            pytest.fail("it was started")
    assert str(raised.value) == f"lldb-dap could not be started from {command}: {reason}"


def test_a_program_is_known_by_its_start(stranger: subprocess.Popen[bytes]) -> None:
    known = Debuggee.of(stranger.pid)
    assert known is not None
    assert (known.pid, known.is_alive()) == (stranger.pid, True)
    assert known.kill()
    stranger.wait()
    assert not known.is_alive()
    assert not known.kill()


def test_a_process_that_has_another_start_time_is_not_killed(
    stranger: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Debuggee.of(stranger.pid)
    assert known is not None
    # As after the pid has gone round: the same number, another process.
    monkeypatch.setattr(vars(known)["_process"], "_ident", (stranger.pid, known.start_time - 100))
    assert not known.kill()
    assert stranger.poll() is None


@pytest.mark.parametrize("pid", [-1, 2**30])
def test_no_process_is_no_program(pid: int) -> None:
    assert Debuggee.of(pid) is None
