"""Real programs run to a line, changed, restarted, attached to and let go, under each real adapter."""

import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.real import dlv, lldb_dap
from tests.daemon.debugging import AdapterName, Debugging, debugging, frame_of, wait
from tests.daemon.going import going
from tests.daemon.real import eventually
from tests.fixtures.go_programs import built, warm
from tests.fixtures.waiting import WAITS, WAITS_IN_GO

# The Go program's library may have to be compiled first.
pytestmark = pytest.mark.timeout(300)

JUMPS = {"debugpy"}
CHOOSES = {"debugpy", "lldb-dap"}


async def run_to(made: Debugging, marker: str) -> Any:
    return await made.ask("RunTo", source=str(made.source), line=made.line(marker), wait=wait())


async def set_to(made: Debugging, expression: str, value: str) -> Any:
    return await made.ask("SetExpression", expression=expression, value=value)


async def go_round(made: Debugging) -> None:
    """Everything that needs no second program, in one session."""
    await made.add("square")
    await made.launch()
    assert (await run_to(made, "call"))["frame"]["line"] == made.line("call")
    assert (await set_to(made, "turns", "41"))["value"] == "41"
    assert (await made.evaluate("turns + 1"))["value"] == "42"
    # A breakpoint of the project ends the run before its line, and nothing is left at the line.
    stopped = await run_to(made, "sleep")
    assert (frame_of(stopped)[1], stopped["hit_breakpoint_ids"]) == (made.line("square"), [1])
    await made.remove()
    assert (await run_to(made, "turn"))["frame"]["line"] == made.line("turn")
    await look_for_targets(made)
    before = made.session_id
    restarted = await made.ask("Restart")
    assert (restarted["state"], restarted["session_id"] != before) == ("paused", True)
    made.session_id = restarted["session_id"]
    assert (await made.disconnect())["terminated_debuggee"] is True


async def look_for_targets(made: Debugging) -> None:
    """What the adapter can do is done; what it lacks is refused by its name."""
    place: Any = {"source": str(made.source), "line": made.line("sleep"), "wait": wait()}
    if made.adapter in JUMPS:
        jumped = await made.ask("Goto", **place)
        assert (jumped["reason"], jumped["frame"]["line"]) == ("goto", made.line("sleep"))
    else:
        refusal = await made.refused("Goto", **place)
        assert (refusal["code"], made.adapter in refusal["message"]) == ("Unsupported", True)
    await run_to(made, "call")
    if made.adapter in CHOOSES:
        labels = [target["label"] for target in (await made.ask("StepInTargets"))["targets"]]
        assert any("squared" in label for label in labels)
    else:
        assert (await made.refused("StepInTargets"))["code"] == "Unsupported"
    assert await made.state() == "paused"


async def attach_and_let_go(made: Debugging, program: "subprocess.Popen[bytes]", **target: Any) -> None:
    """Attach, bring the program to its end by a change of mind, and let it go there alone."""
    request = made.launch_request()["Launch"]
    parts = {key: request[key] for key in ("adapter", "adapter_command", "options") if key in request}
    attached = await made.peer.told({"Attach": parts | target | {"stop_on_entry": False}})
    made.session_id = attached["session_id"]
    assert attached["state"] == "running"
    assert (await made.peer.told("Status"))["session"]["attached"] is True
    assert (await made.pause())["state"] == "paused"
    assert (await run_to(made, "turn"))["frame"]["line"] == made.line("turn")
    await set_to(made, "turns", "2995")
    # `terminate` alone is not meant for what was there before.
    assert (await made.disconnect())["terminated_debuggee"] is False
    assert await eventually(lambda: program.poll() is not None, "the program does not go on to its end")
    assert program.returncode == 0


def free_port() -> int:
    """A port at which nobody listens now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextmanager
def running(*command: str | Path) -> Generator["subprocess.Popen[bytes]"]:
    """A program that nobody debugs yet; it does not outlive the test."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        try:
            yield program
        finally:
            program.kill()


async def test_a_program_is_run_to_lines_changed_and_restarted(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, WAITS, tmp_path) as made:
        await go_round(made)


async def test_a_native_program_is_attached_to_and_runs_on_to_its_end(tmp_path: Path) -> None:
    async with debugging("lldb-dap", WAITS, tmp_path) as made:
        with running(made.program) as program:
            await attach_and_let_go(made, program, pid=program.pid)


async def test_a_python_program_that_listens_is_attached_to_and_runs_on_to_its_end(tmp_path: Path) -> None:
    port = free_port()
    async with debugging("debugpy", WAITS, tmp_path) as made:
        with running(sys.executable, "-m", "debugpy", "--listen", f"127.0.0.1:{port}", made.program) as program:
            await eventually(lambda: _listens(port), "debugpy does not listen")
            await attach_and_let_go(made, program, port=port)


async def test_a_native_program_behind_a_port_runs_stops_and_is_run_to_its_lines(tmp_path: Path) -> None:
    async with debugging("lldb-dap", WAITS, tmp_path) as made:
        port = free_port()
        server = Path(lldb_dap()).with_name("lldb-server")
        with running(server, "gdbserver", f"127.0.0.1:{port}", "--", str(made.program)):
            assert await eventually(lambda: _listens(port), "lldb-server does not listen")
            request = made.launch_request()["Launch"]
            parts = {key: request[key] for key in ("adapter", "options")}
            attached = await made.peer.told({"Attach": parts | {"port": port, "stop_on_entry": False}})
            made.session_id = attached["session_id"]
            assert (attached["state"], attached["reason"]) == ("running", None)
            assert (await made.pause())["reason"] == "pause"
            for marker in ("turn", "call", "turn"):
                assert (await run_to(made, marker))["frame"]["line"] == made.line(marker)
            await set_to(made, "turns", "2995")
            assert (await made.disconnect())["terminated_debuggee"] is False
            assert await eventually(lambda: not made.running(), "the program does not go on to its end")


HEADLESS = {
    # How delve serves the program, and whether saying goodbye to it ends the program.
    "for many": (("exec", "--accept-multiclient"), False),
    "for one": (("exec",), True),
    "of somebody else": (("attach",), False),
}


@pytest.mark.parametrize("how", HEADLESS)
async def test_a_go_program_behind_a_port_is_set_free_or_said_to_end(tmp_path: Path, how: str) -> None:
    warm()
    source, program = built(tmp_path / "m", WAITS_IN_GO)
    (command, *options), ends = HEADLESS[how]
    async with going(WAITS_IN_GO, source, program, tmp_path) as made, AsyncExitStack() as stack:
        served = str(program)
        if command == "attach":
            served = str(stack.enter_context(running(program)).pid)
        port = free_port()
        listening = ("--headless", f"--listen=127.0.0.1:{port}")
        stack.enter_context(running(dlv(), command, served, *options, *listening))
        assert await eventually(lambda: _listens(port), "delve does not listen")
        await made.add("sleep")
        attached = await made.peer.told({"Attach": {"adapter": "delve", "port": port, "stop_on_entry": True}})
        made.session_id = attached["session_id"]
        assert (await made.resume())["frame"]["line"] == made.line("sleep")
        await set_to(made, "turns", "2995")
        # It stands at a breakpoint, which it would meet again.
        told = await made.ask("Disconnect", terminate=False, dry_run=True)
        assert told["terminated_debuggee"] is ends
        assert (await made.disconnect(terminate=False))["terminated_debuggee"] is ends
        assert await eventually(lambda: not made.running(), "the program was left standing")


def _listens(port: int) -> bool:
    """Whether somebody waits there, without calling: the first caller would be the debugger."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False


async def test_a_go_program_is_run_to_lines_changed_attached_to_and_let_go(tmp_path: Path) -> None:
    warm()
    source, built_program = built(tmp_path / "m", WAITS_IN_GO)
    async with going(WAITS_IN_GO, source, built_program, tmp_path) as made:
        await go_round(made)
        with running(built_program) as program:
            await attach_and_let_go(made, program, pid=program.pid)
