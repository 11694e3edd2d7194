"""Waiting without moving the program: at once where it stands or has ended, else for that."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from lazydap_core.errors import SessionNotFound
from lazydap_core.protocol import objects
from tests.daemon.rig import LOOP, NO_WAIT, Rig, hosted_rig
from tests.fakes.program import Line

SLOW_LOOP = tuple(Line(line=line.line, locals=line.locals, seconds=0.005) for line in LOOP)


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def test_a_stop_after_a_wait_has_timed_out_is_met_by_the_next_one_and_not_run_past(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    timed_out = await made.resume(objects.Wait(timeout_ms=20))
    assert timed_out.state == "timeout"
    added = await made.add(3)
    await made.until(lambda: made.state == "paused")
    stable = await made.await_stop()
    assert (stable.state, stable.reason, stable.frame.line) == ("paused", "breakpoint", 3)
    assert stable.hit_breakpoint_ids == (added.breakpoints[0].id,)
    assert "x" in [variable.name for variable in stable.locals.variables]
    assert made.state == "paused"


async def test_a_running_program_is_waited_for(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    await made.resume(NO_WAIT)
    answers: list[Any] = []

    async def wait() -> None:
        answers.append(await made.await_stop())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.lowlevel.checkpoint()
        await made.pause(NO_WAIT)
    assert [(answer.state, answer.reason) for answer in answers] == [("paused", "pause")]


async def test_a_program_that_goes_on_running_ends_the_wait_as_a_timeout(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    await made.resume(NO_WAIT)
    assert (await made.await_stop(timeout_ms=20)).state == "timeout"
    assert made.state == "running"


async def test_the_stop_at_which_a_launch_ended_is_told_as_any_other(made: Rig) -> None:
    await made.start()
    stable = await made.await_stop()
    assert (stable.state, stable.reason, stable.thread_id) == ("paused", "entry", 1)


async def test_an_ending_that_nobody_waited_for_is_told_with_what_was_printed(made: Rig) -> None:
    await made.start(exit_code=3)
    await made.resume(NO_WAIT)
    await made.until(lambda: made.state == "exited")
    stable = await made.await_stop()
    assert (stable.state, stable.exit_code, stable.disconnected) == ("exited", 3, None)
    assert "".join(c.output for c in stable.captured_output if c.category == "stdout") == "one\ntwo\n"
    assert (await made.await_stop()).captured_output == ()


async def test_a_wait_that_another_client_ends_says_so(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    answers: list[Any] = []

    async def wait() -> None:
        answers.append(await made.resume())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await made.until(lambda: made.state == "running")
        await made.disconnect()
    assert [(answer.state in ("exited", "terminated"), answer.disconnected) for answer in answers] == [(True, True)]


async def test_there_is_nothing_to_wait_for_once_the_session_is_gone(made: Rig) -> None:
    await made.start()
    await made.disconnect()
    with pytest.raises(SessionNotFound):
        await made.await_stop()
