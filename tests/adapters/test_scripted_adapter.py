"""The scripted adapter itself: what the daemon's tests rely on, seen through the real process and connection."""

from pathlib import Path

import pytest

from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.dap.errors import RequestRefused
from tests.adapters.talking import talking
from tests.fakes.program import Line, ProgramSpec
from tests.fakes.scripted import (
    ScriptedDebugpy,
    ScriptedLldb,
    answers,
    batch,
    event,
    expect,
    leave,
    raw,
    refuse,
    reply,
    reverse,
    split,
)

FILE = "/program/loop.py"
TRACE = (
    Line(line=1, locals={"total": 0}),
    Line(line=2, locals={"total": 0, "items": [1, 2, 3]}),
    Line(line=10, function="area", depth=1),
    Line(line=11, function="area", depth=1, output="in area\n"),
    Line(line=3, locals={"total": 7}),
)


def plan(*, stop_on_entry: bool = False) -> LaunchPlan:
    return LaunchPlan(kind="debugpy", program=FILE, cwd="/", stop_on_entry=stop_on_entry)


async def test_a_program_stops_at_its_entry_steps_and_ends(tmp_path: Path) -> None:
    driver = ScriptedDebugpy(ProgramSpec(path=FILE, trace=TRACE, exit_code=7), tmp_path)
    async with talking(driver, plan(stop_on_entry=True)) as talk:
        opinions = await talk.launch({FILE: [{"line": 11}, {"line": 99}]})
        assert [(each.id, each.verified) for each in opinions[FILE]] == [(0, True), (1, False)]
        assert (await talk.stopped()).reason == "entry"
        assert (await talk.move("next", 1)).reason == "step"
        frame = await talk.top_frame(1)
        assert (frame.line, frame.name) == (2, "main")
        hit = await talk.move("next", 1)
        assert (hit.reason, hit.hit_breakpoint_ids) == ("breakpoint", (0,))
        assert (await talk.top_frame(1)).name == "area"
        out = await talk.move("stepOut", 1)
        assert (out.reason, (await talk.top_frame(1)).line) == ("step", 3)
        assert talk.output("stdout") == "in area\n"
        await talk.request("continue", threadId=1)
        assert (await talk.expect("exited")).plain() == {"exitCode": 7}
        await talk.expect("terminated")
    assert driver.requests()[:4] == ["initialize", "launch", "setBreakpoints", "configurationDone"]


async def test_variables_are_paged_and_evaluated(tmp_path: Path) -> None:
    driver = ScriptedDebugpy(ProgramSpec(path=FILE, trace=TRACE), tmp_path)
    async with talking(driver, plan()) as talk:
        await talk.launch({FILE: [{"line": 2}]})
        await talk.stopped()
        frame = await talk.top_frame(1)
        (scope,) = (await talk.request("scopes", frameId=frame.id))["scopes"]
        rows = (await talk.request("variables", variablesReference=scope["variablesReference"]))["variables"]
        assert [row["name"] for row in rows] == ["executed", "total", "items"]
        page = await talk.request("variables", variablesReference=rows[2]["variablesReference"], start=1, count=1)
        assert [row["value"] for row in page["variables"]] == ["2"]
        assert (await talk.request("evaluate", expression="total + 5", frameId=frame.id))["result"] == "5"
        with pytest.raises(RequestRefused, match="NameError"):
            await talk.request("evaluate", expression="nothing", frameId=frame.id)


async def test_a_running_program_can_be_paused(tmp_path: Path) -> None:
    spec = ProgramSpec(path=FILE, trace=(Line(line=1, seconds=0.01),), loops=True, sigstop=True)
    async with talking(ScriptedLldb(spec, tmp_path), plan()) as talk:
        await talk.launch()
        await talk.request("pause", threadId=1)
        stop = await talk.stopped()
        assert (stop.reason, stop.description) == ("exception", "signal SIGSTOP")


async def test_a_script_is_played_in_order(tmp_path: Path) -> None:
    script = [
        answers({"setBreakpoints": {"breakpoints": [{"id": -1, "verified": True}]}}),
        expect("initialize"),
        raw(b"a line of noise\r\nand a piece"),
        split(1),
        reply({"supportsConfigurationDoneRequest": True}),
        split(0),
        expect("launch"),
        event("initialized"),
        expect("configurationDone"),
        batch(reply(), reply(to="launch"), event("stopped", {"reason": "entry", "threadId": 0})),
        reverse("runInTerminal", {"args": ["x"]}),
        expect("threads"),
        refuse(error_body={"id": 1, "format": "no {what}", "variables": {"what": "threads"}}),
        leave(3),
    ]
    driver = ScriptedLldb(script, tmp_path)
    async with talking(driver, plan()) as talk:
        opinions = await talk.launch({FILE: [{"line": 1}]})
        assert opinions[FILE][0].id == -1
        assert (await talk.stopped()).thread_id == 0
        with pytest.raises(RequestRefused) as refused:
            await talk.request("threads")
        assert refused.value.text == "no threads"
        await talk.expect_broken()
        await talk.process.exited.wait()
        assert talk.process.exit_status == 3
        assert talk.noise == b"a line of noise\r\nand a piece"
    (answer,) = [entry for entry in driver.record() if entry.get("type") == "response"]
    assert (answer["success"], answer["message"]) == (False, "lazydap does not support runInTerminal")


async def test_a_surprise_ends_the_scripted_adapter(tmp_path: Path) -> None:
    driver = ScriptedLldb([expect("initialize"), reply({}), expect("launch")], tmp_path)
    async with talking(driver, plan()) as talk:
        await talk.request("initialize")
        await talk.connection.notify("threads")
        await talk.expect_broken()
        await talk.process.exited.wait()
        assert talk.process.exit_status == 70
    assert driver.record()[-1]["surprise"] == "threads"
