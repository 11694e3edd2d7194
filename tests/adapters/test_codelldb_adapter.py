"""codelldb's process and the socket to it, with the fake: who is let in, and that nothing is left in any ending."""

import logging
import signal
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import psutil
import pytest

from lazydap_core.errors import AdapterCrashed
from lazydap_daemon.adapters import process as process_module
from lazydap_daemon.adapters import reaching
from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.adapters.process import Debuggee, started
from lazydap_daemon.adapters.reaching import Doorway
from lazydap_daemon.dap.wire import SocketWire
from tests.adapters.talking import PATIENCE, Talk, session_members, talking
from tests.fakes.codelldb_driver import FakeCodelldb
from tests.fakes.codelldb_program import CodelldbSpec
from tests.fakes.program import Line, ProgramSpec

SPIN = (Line(line=1), Line(line=2, seconds=1000.0))


@asynccontextmanager
async def launched(folder: Path, **manners: Any) -> AsyncGenerator[tuple[Talk, Debuggee]]:
    """A conversation with the fake whose program runs, and that program."""
    async with talking(fake(folder, **manners), plan(folder)) as talk:
        await talk.launch()
        talk.process.has_launched = True
        told = await talk.expect("output", lambda e: talk.driver.pid_in_output(e.plain()["output"]) is not None)
        pid = talk.driver.pid_in_output(told.plain()["output"])
        program = Debuggee.of(pid or 0)
        assert program is not None
        yield talk, program


def fake(folder: Path, **manners: Any) -> FakeCodelldb:
    (folder / "program").touch(0o755)
    program = ProgramSpec(path=str(folder / "program.c"), trace=SPIN, swallows=manners.pop("swallows", ()))
    return FakeCodelldb(CodelldbSpec(program=program, **manners), folder)


def plan(folder: Path) -> LaunchPlan:
    return LaunchPlan(kind="codelldb", program=str(folder / "program"), cwd=str(folder))


async def test_it_ends_with_its_program_when_its_stream_is_closed(tmp_path: Path) -> None:
    async with launched(tmp_path) as (talk, program):
        members = session_members(talk.process.pid)
        assert sorted(members) == sorted([talk.process.pid, program.pid])
    assert talk.process.exit_status == 0
    assert not program.is_alive()
    assert session_members(talk.process.pid) == []


async def test_before_its_launch_is_finished_only_a_signal_ends_it_and_at_once(tmp_path: Path) -> None:
    async with talking(fake(tmp_path), plan(tmp_path)) as talk:
        await talk.request("initialize", **talk.driver.initialize_arguments())
        await talk.connection.send("launch", talk.driver.launch_arguments(talk.plan))
        await talk.expect("initialized")
        leaving = time.monotonic()
    assert talk.process.exit_status == -signal.SIGTERM
    assert time.monotonic() - leaving < process_module.EXIT_GRACE


async def test_one_that_answers_nothing_any_more_is_ended_by_a_signal_soon(tmp_path: Path) -> None:
    async with launched(tmp_path, swallows=["threads"]) as (talk, program):
        await talk.connection.send("threads")
        leaving = time.monotonic()
    assert time.monotonic() - leaving < process_module.EXIT_GRACE
    assert talk.process.exit_status == -signal.SIGTERM
    # It could not end its program any more.
    assert not program.is_alive()


async def test_a_program_that_is_to_go_on_is_all_that_is_left(tmp_path: Path) -> None:
    async with launched(tmp_path) as (talk, program):
        talk.process.keep = program.pid
        await talk.request("disconnect", terminateDebuggee=False)
    try:
        assert session_members(talk.process.pid) == [program.pid]
    finally:
        program.kill()


async def test_what_scripts_print_goes_to_the_log_and_not_into_the_conversation(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    noise = "Content-Length: 3\r\n\r\n{}}" + "x" * 200_000 + "\n"
    with caplog.at_level(logging.DEBUG, "dap.adapter.stderr"):
        async with launched(tmp_path, prints=noise) as (talk, _):
            await talk.expect("module", lambda e: e.plain()["module"]["name"].startswith("libc"))
            await talk.request("threads")
    assert talk.noise == b""
    assert "Content-Length: 3" in caplog.messages


async def test_what_is_written_is_not_held_back(tmp_path: Path) -> None:
    async with launched(tmp_path) as (talk, _):
        wire = talk.process.stream
        assert isinstance(wire, SocketWire)
        connected: socket.socket = vars(wire)["_socket"]
        assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_a_start_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    driver = fake(tmp_path, never_connects=True)
    with anyio.move_on_after(0.3) as scope:
        async with started(driver, plan(tmp_path)):
            pytest.fail("it was connected")
    assert scope.cancelled_caught
    assert [one for one in psutil.process_iter(["cmdline"]) if str(tmp_path) in str(one.info)] == []


async def test_a_program_that_is_none_is_named(tmp_path: Path) -> None:
    class Nothing(FakeCodelldb):
        def command(self, plan: LaunchPlan) -> tuple[str, ...]:
            del plan
            return ("/nowhere/codelldb",)

    (tmp_path / "program").touch()
    spec = CodelldbSpec(program=ProgramSpec(path="", trace=SPIN))
    with pytest.raises(AdapterCrashed, match="codelldb could not be started from /nowhere/codelldb: No such file"):
        async with started(Nothing(spec, tmp_path), plan(tmp_path)):
            pytest.fail("it was started")


# The doorway.


@pytest.mark.parametrize("header", ["Auth-Token: {}\r\n", "auth-token:{}\n", "AUTH-TOKEN :  {} \r\n"])
async def test_whoever_shows_the_token_is_let_in_and_what_follows_is_left_unread(header: str) -> None:
    doorway = Doorway()
    try:
        with socket.create_connection(("127.0.0.1", doorway.port)) as calling:
            calling.sendall((header.format(doorway.token) + "Content-Length: 2\r\n\r\n{}").encode())
            with anyio.fail_after(PATIENCE):
                caller = await doorway.caller()
            with caller:
                assert caller.recv(100) == b"Content-Length: 2\r\n\r\n{}"
    finally:
        doorway.close()


async def test_a_token_may_come_byte_by_byte() -> None:
    doorway = Doorway()
    callers: list[socket.socket] = []

    async def let_in() -> None:
        callers.append(await doorway.caller())

    try:
        with socket.create_connection(("127.0.0.1", doorway.port)) as calling, anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as group:
                group.start_soon(let_in)
                for byte in f"Auth-Token: {doorway.token}\r\n".encode():
                    calling.sendall(bytes([byte]))
                    await anyio.lowlevel.checkpoint()
        callers[0].close()
    finally:
        doorway.close()


async def test_a_crowd_of_silent_strangers_does_not_keep_the_adapter_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "GREETING_DEADLINE", 0.05)
    doorway = Doorway()
    crowd = [socket.create_connection(("127.0.0.1", doorway.port)) for _ in range(reaching.MAX_CALLERS)]
    callers: list[socket.socket] = []

    async def let_in() -> None:
        callers.append(await doorway.caller())

    try:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as group:
                group.start_soon(let_in)
                crowd.append(await anyio.to_thread.run_sync(socket.create_connection, ("127.0.0.1", doorway.port)))
                crowd[-1].sendall(f"Auth-Token: {doorway.token}\r\n".encode())
        assert callers[0].getpeername() == crowd[-1].getsockname()
        callers[0].close()
    finally:
        doorway.close()
        for each in crowd:
            each.close()


@pytest.mark.parametrize("greeting", [b"", b"Auth-Token: \r\n", b"Auth-Token: x\r\n", b"Host: x\r\n", b"x" * 1000])
async def test_everybody_else_is_not(greeting: bytes) -> None:
    doorway = Doorway()
    try:
        with socket.create_connection(("127.0.0.1", doorway.port)) as calling:
            calling.sendall(greeting)
            calling.shutdown(socket.SHUT_WR)
            with anyio.move_on_after(0.2) as scope:
                await doorway.caller()
            assert scope.cancelled_caught
            calling.settimeout(PATIENCE)
            try:
                assert calling.recv(1) == b""
            except ConnectionResetError:
                assert greeting
    finally:
        doorway.close()
