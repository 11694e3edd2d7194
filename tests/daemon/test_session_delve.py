"""What the session makes of a delve that tells things late, elsewhere or not at all; older ones do all of it."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import DapProtocolError
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.session import session
from tests.daemon.rig import Rig, hosted_rig
from tests.fakes.scripted import Step, answers, batch, event, expect, raw, refuse, reply, swallow

STOPPED_AT_ENTRY = event("stopped", {"reason": "entry", "threadId": 1, "allThreadsStopped": True})
FAREWELL = (
    event("output", {"category": "console", "output": "Process 7 has exited with status 5\n"}),
    event("output", {"category": "console", "output": "Detaching\n"}),
    reply(),
    event("terminated"),
)
FRAME = {"id": 1000, "name": "main.main", "line": 4, "source": {"name": "main.go", "path": "/m/main.go"}}


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


def launched(*steps: Step, entry: bool = True) -> list[Step]:
    """A launch, with these steps behind it."""
    return [
        expect("initialize"),
        reply({"supportsConfigurationDoneRequest": True, "supportsFunctionBreakpoints": True}),
        expect("launch"),
        event("initialized"),
        reply(),
        expect("configurationDone"),
        *([STOPPED_AT_ENTRY] if entry else []),
        reply(),
        answers({"threads": {"threads": []}, "scopes": {"scopes": []}}),
        *steps,
    ]


async def test_an_exit_code_that_only_the_farewell_tells_is_that_of_the_ending(made: Rig) -> None:
    driver = made.play(
        launched(expect("continue"), reply(), event("terminated"), expect("disconnect"), batch(*FAREWELL)), like="delve"
    )
    await made.launch()
    stable = await made.resume()
    assert (stable.state, stable.exit_code) == ("exited", 5)
    assert [event.reason for event in made.of(events.SessionEnded)] == [objects.Exited(exit_code=5)]
    assert driver.requests().count("disconnect") == 1


async def test_the_farewell_tells_it_for_a_program_that_ran_through_as_well(made: Rig) -> None:
    driver = made.play(launched(event("terminated"), expect("disconnect"), batch(*FAREWELL), entry=False), like="delve")
    await made.launch(stop_on_entry=False)
    await made.until(lambda: made.state == "exited")
    summary = made.engine.summary()
    assert summary is not None
    assert summary.exit_code == 5
    assert driver.requests().count("disconnect") == 1


async def test_a_farewell_that_is_not_answered_ends_the_session_all_the_same(
    made: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "FAREWELL_TIMEOUT", 0.1)
    made.play(launched(expect("continue"), reply(), swallow("disconnect"), event("terminated")), like="delve")
    await made.launch()
    stable = await made.resume()
    assert (stable.state, stable.exit_code) == ("terminated", None)


async def test_what_the_adapters_process_prints_is_the_programs_output(made: Rig) -> None:
    noise = "hall\u00f6 \u2603\n".encode()
    made.play(
        launched(
            expect("continue"),
            reply(),
            raw(noise[:5], stream="stderr"),
            raw(noise[5:], stream="stderr"),
            expect("pause"),
            reply(),
            event("stopped", {"reason": "pause", "allThreadsStopped": True}),
        ),
        like="delve",
    )
    await made.launch()
    await made.resume(objects.NoWait())
    await made.until(lambda: "".join(o.chunk.output for o in made.of(events.Output)) == noise.decode())
    assert {each.chunk.category for each in made.of(events.Output)} == {"stdout"}
    assert (await made.pause()).state == "paused"


@pytest.mark.parametrize(
    ("names", "chosen"),
    [(["[Go 1] main.main", "* [Go 7] main.work"], 7), (["[Go 1] main.main", "[Go 7] main.work"], 1)],
)
async def test_a_stop_without_a_goroutine_is_looked_up(made: Rig, names: list[str], chosen: int) -> None:
    threads = [{"id": number, "name": name} for number, name in zip((1, 7), names, strict=True)]
    driver = made.play(
        launched(
            answers({"threads": {"threads": threads}, "stackTrace": {"stackFrames": [FRAME], "totalFrames": 10_001}}),
            expect("continue"),
            reply(),
            event("stopped", {"reason": "pause", "allThreadsStopped": True}),
            expect("next"),
            reply(),
            event("stopped", {"reason": "step", "threadId": chosen, "allThreadsStopped": True}),
        ),
        like="delve",
    )
    await made.launch()
    stable = await made.resume()
    assert (stable.reason, stable.thread_id, stable.frame.name) == ("pause", chosen, "main.main")
    await made.step()
    asked: list[Any] = [each["arguments"]["threadId"] for each in driver.record() if each.get("command") == "next"]
    assert asked == [chosen]


async def test_a_stack_of_unknown_size_is_counted_by_nobody(made: Rig) -> None:
    made.play(
        launched(
            answers({"stackTrace": {"stackFrames": [FRAME], "totalFrames": 10_001}}),
            expect("continue"),
            reply(),
            event("stopped", {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": True}),
        ),
        like="delve",
    )
    await made.launch()
    await made.resume()
    for levels in (1, 20):
        asked = requests.StackTrace(session_id=made.session_id, thread_id=None, start_frame=0, levels=levels)
        answer = await made.engine.handle(asked)
        assert isinstance(answer, responses.StackTrace)
        assert answer.total is None


async def test_a_first_step_that_nothing_can_lead_is_refused_and_the_program_stands(made: Rig) -> None:
    driver = made.play(
        launched(
            expect("setFunctionBreakpoints"),
            reply({"breakpoints": [{"verified": False, "message": "could not find function main.main"}]}),
            expect("setFunctionBreakpoints"),
            reply({"breakpoints": []}),
            expect("setFunctionBreakpoints"),
            refuse("no"),
        ),
        like="delve",
    )
    await made.launch()
    for words in ("could not find function main.main", "refused setFunctionBreakpoints"):
        with pytest.raises(DapProtocolError, match=words):
            await made.step()
    assert made.state == "paused"
    assert "continue" not in driver.requests()
