"""What a wait answers, outcome by outcome: each field of the answer is as doc/protocol.md promises it."""

import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from lazydap_core.protocol import events, objects, responses
from tests.daemon.rig import LOOP, Rig, hosted_rig
from tests.fakes.program import Line
from tests.fakes.scripted import answers, event, expect, reply

SLOW_LOOP = tuple(Line(line=line.line, locals=line.locals, seconds=0.005) for line in LOOP)
LAUNCHED = (
    expect("initialize"),
    reply({}),
    expect("launch"),
    event("initialized"),
    reply(to="launch"),
    event("stopped", {"reason": "entry", "threadId": 1, "allThreadsStopped": True}),
    answers({"disconnect": {}, "stackTrace": {"stackFrames": []}, "threads": {"threads": [{"id": 1, "name": "main"}]}}),
)


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


def _says_nothing_of_a_stop(told: responses.Stepped) -> bool:
    return (told.reason, told.raw_reason, told.thread_id, told.adapter_thread_id, told.frame, told.user_frame) == (
        (None,) * 6
    ) and (told.all_threads_stopped, told.additional_stopped_threads, told.hit_breakpoint_ids, told.locals) == (
        False,
        (),
        (),
        None,
    )


async def test_a_stop_is_told_with_thread_breakpoint_and_frame_and_without_an_exit_code(made: Rig) -> None:
    added = await made.add(4)
    await made.start()
    told = await made.resume()
    assert (told.state, told.reason, told.raw_reason, told.exit_code) == ("paused", "breakpoint", None, None)
    assert (told.thread_id, told.all_threads_stopped, told.additional_stopped_threads) == (1, True, ())
    assert told.hit_breakpoint_ids == (added.breakpoints[0].id,)
    assert told.frame.line == 4


async def test_an_end_with_a_code_says_nothing_of_a_stop(made: Rig) -> None:
    await made.start(exit_code=3)
    told = await made.resume()
    assert (told.state, told.exit_code) == ("exited", 3)
    assert _says_nothing_of_a_stop(told)


async def test_an_end_without_a_code_says_nothing_of_a_stop(made: Rig) -> None:
    await made.start(ending=("terminated",))
    told = await made.resume()
    assert (told.state, told.exit_code) == ("terminated", None)
    assert _says_nothing_of_a_stop(told)


async def test_a_timeout_says_nothing_of_a_stop(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    told = await made.resume(objects.Wait(timeout_ms=40))
    assert (told.state, told.exit_code) == ("timeout", None)
    assert _says_nothing_of_a_stop(told)


@pytest.mark.parametrize("code", [None, 5])
async def test_a_dead_adapter_is_told_with_the_exit_code_that_it_had_still_told(made: Rig, code: int | None) -> None:
    exited = [] if code is None else [event("exited", {"exitCode": code})]
    made.play([*LAUNCHED, expect("continue"), reply({}), *exited, expect("threads")])
    await made.launch()
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    session = occupant.session
    found: list[responses.Stepped] = []
    async with anyio.create_task_group() as group:

        async def wait() -> None:
            found.append(await made.resume())

        group.start_soon(wait)
        await made.until(lambda: made.of(events.Continued) and session.exit_code == code)
        session.process.signal(signal.SIGKILL)
    (told,) = found
    assert (told.state, told.exit_code) == ("adapter_died", code)
    assert _says_nothing_of_a_stop(told)


async def test_what_a_stop_of_one_thread_said_stays_in_an_answer_that_waited_for_all_in_vain(made: Rig) -> None:
    stop = event("stopped", {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": False})
    made.play([*LAUNCHED, expect("continue"), reply({}), stop])
    await made.launch()
    told = await made.resume(objects.Wait(timeout_ms=200), all_threads=True)
    assert (told.state, told.reason, told.thread_id, told.all_threads_stopped) == ("timeout", "breakpoint", 1, False)
    assert (told.exit_code, told.frame) == (None, None)
