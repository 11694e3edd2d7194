"""codelldb from its start to the last process gone: how it is reached, what it inherits, and every way it ends."""

import json
import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import psutil
import pytest

from lazydap_core.errors import AdapterCrashed, AdapterTimeout, DapProtocolError
from lazydap_core.protocol import events, objects
from lazydap_daemon.adapters import process as process_module
from lazydap_daemon.adapters.plan import LaunchPlan
from lazydap_daemon.session import owning
from lazydap_daemon.session.finding import find_driver
from tests.adapters.talking import session_members
from tests.daemon.codelldb_rig import codelldb_rig, commands, play, session_of, start
from tests.daemon.rig import NO_WAIT, Rig
from tests.fakes.codelldb_driver import FakeCodelldb
from tests.fakes.program import Line

SPIN = (Line(line=1), Line(line=2, seconds=0.005), Line(line=3, seconds=0.005))


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with codelldb_rig(tmp_path) as ready:
        yield ready


# The way to it.


async def test_it_calls_back_with_a_token_and_announces_nothing(made: Rig) -> None:
    driver = await start(made, prints="Content-Length: 5\r\n\r\nhello")
    (started,) = driver.starts()
    assert list(started["started"]) == ["--connect", "--auth-token"]
    assert len(started["started"]["--auth-token"]) == 32
    assert (await made.resume()).state == "exited"


async def test_two_launches_have_two_tokens(made: Rig) -> None:
    tokens: list[str] = []
    for _ in range(2):
        driver = await start(made)
        tokens.append(driver.starts()[-1]["started"]["--auth-token"])
        await made.disconnect()
    assert len(set(tokens)) == 2


async def test_strangers_are_turned_away(made: Rig) -> None:
    go = made.folder / "go"
    driver = play(made, calls_after=str(go))
    doors: list[tuple[str, int]] = []
    with socket.socket() as silent:

        async def call() -> None:
            await made.until(driver.starts)
            doors.append(("127.0.0.1", int(driver.starts()[0]["started"]["--connect"])))
            silent.connect(doors[0])
            for greeting in (b"Auth-Token: " + b"0" * 32 + b"\r\n", b"Content-Length: 2\r\n\r\n{}", b"\n"):
                assert await anyio.to_thread.run_sync(_call, doors[0], greeting) == b""
            go.touch()

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await made.launch()
        assert made.state == "paused"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(doors[0])


def _call(door: tuple[str, int], greeting: bytes) -> bytes:
    """What a stranger is told."""
    with socket.create_connection(door, timeout=5) as stranger:
        stranger.sendall(greeting)
        try:
            return stranger.recv(1)
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize(
    ("unknown", "used"), [(["--connect"], ["--port"]), (["--connect", "--port"], [])], ids=["port", "standard streams"]
)
async def test_an_older_one_is_reached_in_its_own_way(made: Rig, unknown: list[str], used: list[str]) -> None:
    driver = await start(made, unknown_options=unknown)
    assert list(driver.starts()[-1]["started"]) == used
    assert len(driver.starts()) == len(unknown) + 1
    assert (await made.step()).state == "paused"


async def test_one_that_is_found_on_the_path_is_driven(made: Rig) -> None:
    driver = play(made)
    words = " ".join(shlex.quote(word) for word in driver.command(LaunchPlan(kind="codelldb", program="")))
    wrapper = made.folder / "bin" / "codelldb"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    wrapper.chmod(0o755)
    environ = {**os.environ, "PATH": f"{wrapper.parent}:{os.environ['PATH']}", "HOME": str(made.folder)}
    plan = LaunchPlan(
        kind="codelldb", program=str(made.folder / "program"), options=objects.LaunchOptions(client_env=environ)
    )
    found = await find_driver(plan)
    assert (found.program, found.adapter_command) == ("codelldb", str(wrapper))
    made.driver = found
    await made.add(4)
    launched = await made.launch()
    assert (launched.reason, launched.adapter_command) == ("entry", str(wrapper))
    assert (await made.resume()).frame.line == 4
    await made.disconnect()
    # It was tried out once, over its standard streams, before it was used.
    assert [list(start["started"]) for start in driver.starts()] == [[], ["--connect", "--auth-token"]]
    assert driver.faults() == []


async def test_one_that_cannot_start_says_why(made: Rig) -> None:
    play(made, fails_to_start="liblldb.so: cannot open shared object file")
    with pytest.raises(AdapterCrashed, match=r"status 101: liblldb\.so: cannot open shared object file"):
        await made.launch()
    assert made.engine.summary() is None


async def test_one_that_never_calls_is_given_up(made: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "CONNECT_DEADLINE", 0.3)
    driver = play(made, never_connects=True)
    with anyio.fail_after(5), pytest.raises(AdapterCrashed, match="did not connect"):
        await made.launch()
    assert made.engine.summary() is None
    assert driver.requests() == []


# What it inherits.

DUMP = "import json, os, sys, time; json.dump(dict(os.environ), open(sys.argv[1], 'w')); time.sleep(1000)"


async def test_the_program_has_its_clients_environment_and_nothing_of_ours(made: Rig) -> None:
    dumped = made.folder / "environ.json"
    client = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": "/client",
        "LLDB_DEBUGSERVER_PATH": "/client/server",
        "CODELLDB_STARTUP": "quit",
        "RUST_LOG": "trace",
        "LINES": "77",
        "MINE": "ä",
        # Python would add one of its own where there is none.
        "LC_ALL": "C.UTF-8",
    }
    driver = play(made, child=(sys.executable, "-S", "-E", "-c", DUMP, str(dumped)))
    await made.launch(client_env=client)
    await made.until(lambda: dumped.exists() and dumped.read_text(encoding="utf-8").endswith("}"))
    assert json.loads(dumped.read_text(encoding="utf-8")) == client
    (started,) = driver.starts()
    assert started["environ"] == {name: client[name] for name in ("PATH", "MINE", "LC_ALL")}
    assert started["cwd"] == str(made.folder)


# Ends.


async def test_a_disconnect_ends_the_program_and_everything_with_it(made: Rig) -> None:
    driver = await start(made, SPIN, loops=True)
    await made.resume(NO_WAIT)
    process, debuggee = session_of(made).process, session_of(made).debuggee
    assert debuggee is not None
    answer = await made.disconnect()
    assert answer.terminated_debuggee
    assert not debuggee.is_alive()
    assert process.exit_status == 0
    assert session_members(process.pid) == []
    assert [request["arguments"] for request in driver.requests("disconnect")] == [{"terminateDebuggee": True}]


@pytest.mark.parametrize("running", [True, False], ids=["running", "standing"])
async def test_a_program_that_is_left_running_is_not_told_of_as_one_that_has_failed(
    made: Rig, *, running: bool
) -> None:
    await start(made, SPIN, loops=True)
    debuggee = session_of(made).debuggee
    assert debuggee is not None
    outcomes: list[Any] = []
    answers: list[Any] = []
    try:
        async with anyio.create_task_group() as group:

            async def wait() -> None:
                outcomes.append(await made.resume())

            if running:
                group.start_soon(wait)
                await made.until(lambda: made.state == "running")
            answers.append(await made.disconnect(terminate=False))
        assert [answer.terminated_debuggee for answer in answers] == [False]
        assert debuggee.is_alive()
        assert [told.reason for told in made.of(events.SessionEnded)] == ["disconnected"]
        assert not [told for told in made.of(events.Output) if "exited with code" in told.chunk.output]
        assert [(outcome.state, outcome.exit_code) for outcome in outcomes] == [("terminated", None)] * running
    finally:
        debuggee.kill()


@pytest.mark.parametrize("running", [True, False], ids=["running", "standing"])
async def test_a_killed_adapter_takes_its_program_along_and_says_so(made: Rig, *, running: bool) -> None:
    await start(made, SPIN, loops=True)
    debuggee, process = session_of(made).debuggee, session_of(made).process
    assert debuggee is not None
    if running:
        await made.resume(NO_WAIT)
    os.kill(process.pid, signal.SIGKILL)
    await made.until(lambda: made.state == "adapter_died")
    await made.until(session_of(made).gone.is_set)
    assert not debuggee.is_alive()
    assert session_members(process.pid) == []
    reason = made.of(events.SessionEnded)[0].reason
    assert isinstance(reason, objects.AdapterDied)
    assert "killed" in reason.detail


async def test_one_unanswered_request_is_the_end_of_it(made: Rig) -> None:
    await start(made)
    session = session_of(made)
    expression = {"expression": "/py while True: pass", "frameId": 1001, "context": "watch"}
    with pytest.raises(AdapterTimeout):
        await session.ask(dict[str, Any], "evaluate", expression, limit=0.2)
    await made.until(lambda: made.state == "adapter_died")
    await made.until(session.gone.is_set)


async def test_a_program_whose_end_was_not_told_is_noticed(made: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owning, "PROGRAM_POLL", 0.02)
    monkeypatch.setattr(owning, "LOST_END_GRACE", 0.1)
    await start(made, SPIN, loops=True, loses_ending=True)
    debuggee = session_of(made).debuggee
    assert debuggee is not None
    await made.resume(NO_WAIT)
    debuggee.kill()
    await made.until(lambda: made.state == "terminated")
    await made.until(session_of(made).gone.is_set)


async def test_an_unfinished_launch_is_ended_by_a_signal_at_once(made: Rig) -> None:
    driver = play(made, swallows=["launch"])
    began = time.monotonic()
    with pytest.raises(AdapterTimeout):
        await made.launch(timeout_ms=500)
    assert time.monotonic() - began < 0.5 + process_module.EXIT_GRACE
    # Only a launch could still be finished by that, and the program would run.
    assert commands(driver) == ["initialize", "launch"]


async def test_a_refused_launch_is_ended_by_a_signal_at_once(made: Rig) -> None:
    driver = play(made)
    (made.folder / "program").chmod(0o600)
    with pytest.raises(DapProtocolError, match="not a valid executable"):
        await made.launch()
    assert _left(driver) == []


def _left(driver: FakeCodelldb) -> list[int]:
    return [
        process.pid
        for process in psutil.process_iter()
        if str(driver.adapter_command) in " ".join(_command_line(process)) and "codelldb.py" in _command_line(process)
    ]


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
