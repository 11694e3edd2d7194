"""What goes beyond stepping and looking, on the fake codelldb: as the real one does it."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from lazydap_core.errors import BadRequest, DapProtocolError
from lazydap_core.protocol import requests
from lazydap_core.protocol.additions.exceptions import ExceptionFilterSet, FilterChange
from lazydap_core.protocol.additions.named import NewDataBreakpoint, NewFunctionBreakpoint
from lazydap_daemon.adapters.codelldb import CodelldbDriver
from lazydap_daemon.adapters.plan import AttachTarget, LaunchPlan
from tests.daemon.codelldb_rig import codelldb_rig, commands, play, start
from tests.daemon.rig import WAIT, Rig
from tests.fakes.codelldb_program import NO_SOURCE
from tests.fakes.program import Line

TOUR = (
    Line(line=1, function="main", locals={"total": 0, "side": 3}),
    Line(line=2, function="main", locals={"total": 0, "side": 3}),
    Line(line=7, function="area", depth=1, locals={"side": 3}),
    Line(line=9, function="half", depth=1, locals={"side": 3}),
    Line(line=3, function="main", locals={"total": 9, "side": 3}),
    Line(line=4, function="main", locals={"total": 9, "side": 3}, output="9\n"),
)


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with codelldb_rig(tmp_path) as ready:
        yield ready


async def ask(made: Rig, request: Any, /, **parts: Any) -> Any:
    return await made.engine.handle(request(session_id=made.session_id, **parts))


async def add_function(made: Rig, name: str) -> Any:
    wanted = requests.FunctionBreakpointAdd(breakpoint=NewFunctionBreakpoint(name=name, enabled=True), dry_run=False)
    answer: Any = await made.engine.handle(wanted)
    return answer.breakpoints[0]


async def watch(made: Rig, name: str) -> Any:
    wanted = NewDataBreakpoint(name=name, access="write", enabled=True)
    return (await ask(made, requests.DataBreakpointAdd, breakpoint=wanted, dry_run=False)).breakpoints[0]


async def until_main(made: Rig) -> Any:
    """To the first line of the program: at its entry codelldb stands in the loader."""
    return await ask(made, requests.RunTo, source=made.source, line=1, wait=WAIT)


async def test_a_function_is_stopped_at_whatever_knows_it_only_later(made: Rig) -> None:
    known, unknown = await add_function(made, "area"), await add_function(made, "nowhere")
    driver = await start(made, TOUR)
    listed: Any = await made.engine.handle(requests.FunctionBreakpointList())
    assert [(each.id, each.verified) for each in listed.breakpoints] == [(known.id, True), (unknown.id, False)]
    stop = await made.resume()
    assert (stop.reason, stop.frame.name, stop.hit_breakpoint_ids) == ("breakpoint", "area", (known.id,))
    assert commands(driver).count("setFunctionBreakpoints") == 1


async def test_a_change_of_a_value_stops_the_program_and_says_which(made: Rig) -> None:
    await start(made, TOUR)
    await until_main(made)
    watched = await watch(made, "total")
    assert (watched.verified, "(total)" in str(watched.description)) == (True, True)
    stop = await made.resume()
    assert (stop.reason, stop.frame.line, stop.hit_breakpoint_ids) == ("data_breakpoint", 3, (watched.id,))
    assert "new value: 9" in "".join(chunk.output for chunk in stop.captured_output)


async def test_what_cannot_be_watched_is_told_in_llvms_own_words_on_one_line(made: Rig) -> None:
    await start(made, TOUR)
    await until_main(made)
    with pytest.raises(DapProtocolError, match="use of undeclared identifier 'missing'") as told:
        await watch(made, "missing")
    assert "\n" not in told.value.message
    assert made.state == "paused"


async def test_a_jump_is_a_stop_without_a_reason_of_its_own(made: Rig) -> None:
    await start(made, TOUR)
    await until_main(made)
    jumped = await ask(made, requests.Goto, source=made.source, line=4, wait=WAIT)
    assert (jumped.state, jumped.reason, jumped.frame.line) == ("paused", "goto", 4)
    with pytest.raises(BadRequest, match="there is no code"):
        await ask(made, requests.Goto, source=made.source, line=88, wait=WAIT)
    assert (await made.resume()).state == "exited"


async def test_a_step_into_one_call_stops_before_it_is_answered(made: Rig) -> None:
    await start(made, TOUR)
    await ask(made, requests.RunTo, source=made.source, line=2, wait=WAIT)
    first, second = (await ask(made, requests.StepInTargets)).targets
    assert (first.label, second.label) == ("area", "half")
    stop = await ask(made, requests.Step, kind="in", target_id=second.id, wait=WAIT)
    assert (stop.state, stop.reason, stop.frame.name) == ("paused", "step", "half")
    assert (await made.step("over")).reason == "step"


async def test_a_row_is_set_and_what_cannot_be_is_refused_in_its_words(made: Rig) -> None:
    await start(made, TOUR)
    await until_main(made)
    (scope, *_) = (await ask(made, requests.Scopes)).scopes
    row: Any = {"variables_reference": scope.variables_reference}
    assert (await ask(made, requests.SetVariable, **row, name="total", value="7")).value == "7"
    with pytest.raises(DapProtocolError, match="'abc' is not a valid integer string value"):
        await ask(made, requests.SetVariable, **row, name="total", value="abc")
    with pytest.raises(DapProtocolError, match="Could not set variable value"):
        await ask(made, requests.SetVariable, **row, name="nope", value="1")
    assert (await ask(made, requests.SetExpression, expression="total", value="8")).value == "8"


async def test_a_command_of_the_debugger_is_completed_behind_its_backtick(made: Rig) -> None:
    await start(made, TOUR)
    await until_main(made)
    (offer,) = (await ask(made, requests.Complete, text="`fr", column=4)).items
    assert (offer.text, offer.start, offer.length) == ("frame", 2, 2)
    assert (await ask(made, requests.Complete, text="fr", column=3)).items == ()


async def test_a_crash_is_explained_and_another_stop_is_not(made: Rig) -> None:
    signal = "signal SIGSEGV: address not mapped to object (fault address=0x0)"
    await start(made, (Line(line=1), Line(line=2, raises=signal)))
    with pytest.raises(BadRequest, match="stands for another reason"):
        await ask(made, requests.ExceptionInfo)
    await made.resume()
    told = await ask(made, requests.ExceptionInfo)
    assert (told.type_name, told.description) == ("Signal", signal)


async def test_a_filter_with_a_condition_is_sent_as_one(made: Rig) -> None:
    change = FilterChange(filter="cpp_throw", enabled=True, condition="code == 3")
    await made.engine.handle(ExceptionFilterSet(adapter="codelldb", filters=(change,), dry_run=False))
    driver = await start(made, TOUR)
    assert driver.requests("setExceptionBreakpoints")[0]["arguments"] == {
        "filters": [],
        "filterOptions": [{"filterId": "cpp_throw", "condition": "code == 3"}],
    }


async def test_machine_code_is_shown_for_a_frame_without_a_source(made: Rig) -> None:
    await start(made, (Line(line=1), Line(line=12, function="strcmp", path=NO_SOURCE, raises="signal SIGSEGV: x")))
    await made.resume()
    frame = (await ask(made, requests.StackTrace)).frames[0]
    assert frame.source.path is None
    shown = await ask(made, requests.Source, source_reference=frame.source.source_reference)
    assert (shown.mime_type, shown.text.startswith("; Symbol:")) == ("text/x-lldb.disassembly", True)


# -- attaching --------------------------------------------------------------------------------------------------------


@pytest.fixture
def other() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that nobody debugs."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


async def attach(made: Rig, *, stop_on_entry: bool, trace: Sequence[Line] = TOUR, **target: Any) -> Any:
    play(made, trace, loops=True)
    attached: Any = await made.engine.handle(requests.Attach(adapter="codelldb", stop_on_entry=stop_on_entry, **target))
    made.session_id = attached.session_id
    return attached


async def test_a_process_is_attached_to_stopped_and_left_as_it_was(made: Rig, other: "subprocess.Popen[bytes]") -> None:
    launched = await attach(made, stop_on_entry=True, pid=other.pid)
    assert (launched.state, launched.reason) == ("paused", "entry")
    assert (await made.disconnect()).terminated_debuggee is False
    assert made.driver.requests("disconnect")[0]["arguments"] == {"terminateDebuggee": False}
    assert psutil.Process(other.pid).status() == psutil.STATUS_SLEEPING


async def test_an_attached_process_that_runs_is_paused_by_a_signal(made: Rig, other: "subprocess.Popen[bytes]") -> None:
    spin = (Line(line=1, seconds=0.02), Line(line=2, seconds=0.02))
    launched = await attach(made, stop_on_entry=False, trace=spin, pid=other.pid)
    assert launched.state == "running"
    stop = await made.pause()
    assert (stop.state, stop.reason) == ("paused", "pause")
    assert "pause" not in commands(made.driver)
    assert (await made.disconnect(terminate=False)).terminated_debuggee is False
    assert psutil.Process(other.pid).status() == psutil.STATUS_SLEEPING


def test_what_runs_behind_a_port_needs_a_target_without_a_name() -> None:
    plan = LaunchPlan(kind="codelldb", program="127.0.0.1:4711")
    arguments = CodelldbDriver(executable=("codelldb",)).attach_arguments(plan, AttachTarget(port=4711))
    assert arguments["targetCreateCommands"] == ['target create ""']
    assert arguments["processCreateCommands"] == ["gdb-remote 127.0.0.1:4711"]


async def test_a_program_gets_the_daemons_terminal_by_its_device_and_is_typed_to(made: Rig) -> None:
    echoes = "import sys\nfor line in sys.stdin: print('heard', line, flush=True)"
    driver = play(made, loops=True, child=(sys.executable, "-S", "-E", "-c", echoes))
    await made.launch(stop_on_entry=False, terminal=True)
    assert driver.requests("initialize")[0]["arguments"]["supportsRunInTerminalRequest"] is True
    assert driver.requests("launch")[0]["arguments"]["terminal"].startswith("/dev/")
    await ask(made, requests.TerminalWrite, data=b"tea\n")

    async def is_heard() -> bool:
        return b"heard tea" in (await ask(made, requests.TerminalRead)).data

    await made.eventually(is_heard)
    assert (await made.disconnect()).terminated_debuggee is True


async def test_without_a_terminal_codelldb_is_not_told_that_it_may_ask_for_one(made: Rig) -> None:
    driver = await start(made, TOUR)
    told = driver.requests("initialize")[0]["arguments"]["supportsRunInTerminalRequest"]
    assert (told, driver.requests("launch")[0]["arguments"]["terminal"]) == (False, "console")
