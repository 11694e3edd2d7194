"""Stack, scopes, variables, expressions and output of a session: gates, pages, handles and what is remembered."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.errors import BadRequest, DapProtocolError, SessionNotFound, SessionNotPaused, StaleHandle
from lazydap_core.protocol import events, objects, requests
from tests.daemon.rig import LOOP, NO_WAIT, STRAIGHT, Rig, hosted_rig
from tests.fakes.program import Line
from tests.fakes.scripted import answers, event, expect, reply

SLOW_LOOP = tuple(Line(line=line.line, locals=line.locals, seconds=0.005) for line in LOOP)
MANY = tuple(Line(line=number, locals={"big": list(range(1000)), "x": 1}) for number in (1, 2, 3))


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def stack(made: Rig, levels: int | None = None, start: int | None = None) -> Any:
    return await made.engine.handle(requests.StackTrace(session_id=made.session_id, levels=levels, start_frame=start))


async def scopes(made: Rig, frame_id: int | None = None) -> Any:
    return await made.engine.handle(requests.Scopes(session_id=made.session_id, frame_id=frame_id))


async def variables(made: Rig, reference: int, **window: Any) -> Any:
    return await made.engine.handle(
        requests.Variables(session_id=made.session_id, variables_reference=reference, filter="all", **window)
    )


async def evaluate(made: Rig, expression: str, frame_id: int | None = None) -> Any:
    return await made.engine.handle(
        requests.Eval(session_id=made.session_id, expression=expression, frame_id=frame_id, context="watch")
    )


async def locals_reference(made: Rig) -> int:
    return (await scopes(made)).scopes[0].variables_reference


async def settled(made: Rig) -> None:
    await made.until(lambda: any(d.stop.locals for d in made.of(events.StopDetail)))


async def test_the_stack_has_the_callers_and_their_lines(made: Rig) -> None:
    await made.add(3)
    await made.start()
    await made.resume()
    answer = await stack(made)
    assert [(frame.name, frame.line) for frame in answer.frames] == [("area", 3), ("main", 2)]
    assert (await stack(made, levels=1)).frames[0].line == 3


async def test_the_top_frame_and_the_locals_are_answered_without_asking_the_adapter_again(made: Rig) -> None:
    await made.start()
    await settled(made)
    asked = list(made.driver.requests())
    told = await stack(made, levels=1)
    assert (told.frames[0].line, told.total) == (1, 1)
    await variables(made, await locals_reference(made), max=50)
    assert made.driver.requests() == asked


async def test_an_evaluation_makes_the_daemon_forget_the_values_it_remembered(made: Rig) -> None:
    await made.start()
    await settled(made)
    reference = await locals_reference(made)
    await evaluate(made, "x")
    before = made.driver.requests().count("variables")
    await variables(made, reference)
    assert made.driver.requests().count("variables") == before + 1


async def test_a_value_of_any_kind_can_be_evaluated_and_a_bad_expression_fails(made: Rig) -> None:
    await made.start()
    assert (await evaluate(made, "x")).value == "5"
    with pytest.raises(DapProtocolError) as refused:
        await evaluate(made, "nosuch")
    assert refused.value.details["command"] == "evaluate"


async def test_a_window_of_a_container_is_exactly_the_rows_asked_for_and_says_when_there_are_more(made: Rig) -> None:
    await made.start(MANY)
    rows = (await variables(made, await locals_reference(made))).variables
    big = next(row.variables_reference for row in rows if row.name == "big")
    window = await variables(made, big, start=100, count=5)
    assert [row.value for row in window.variables] == ["100", "101", "102", "103", "104"]
    assert window.truncated
    default = await variables(made, big)
    assert (len(default.variables), default.truncated) == (200, True)
    everything = await variables(made, big, max=0)
    assert (len(everything.variables), everything.truncated) == (1000, False)
    assert len((await variables(made, big, max=10, count=0)).variables) == 10
    assert (await variables(made, big, start=998, count=50)).truncated is False


async def test_a_handle_of_an_earlier_stop_is_refused_rather_than_answered(made: Rig) -> None:
    await made.start(reuses_ids=True)
    old_frame = (await stack(made)).frames[0].id
    old_reference = await locals_reference(made)
    await made.step()
    with pytest.raises(StaleHandle) as stale:
        await scopes(made, old_frame)
    assert stale.value.details["kind"] == "frame id"
    with pytest.raises(StaleHandle):
        await variables(made, old_reference)
    with pytest.raises(BadRequest, match="never handed out"):
        await evaluate(made, "x", 999_999)


async def test_a_handle_of_an_ended_session_is_refused_by_the_next_one(made: Rig) -> None:
    await made.start()
    old_frame = (await stack(made)).frames[0].id
    await made.disconnect()
    await made.start()
    with pytest.raises(StaleHandle):
        await scopes(made, old_frame)


async def test_looking_at_a_running_program_is_refused_but_its_threads_can_be_listed(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    await made.resume(NO_WAIT)
    for look in (stack(made), scopes(made), variables(made, 1), evaluate(made, "x")):
        with pytest.raises(SessionNotPaused, match="pause it") as refused:
            await look
        assert refused.value.details == {"session_id": str(made.session_id), "state": "running"}
    threads: Any = await made.engine.handle(requests.Threads(session_id=made.session_id))
    assert [(thread.id, thread.name) for thread in threads.threads] == [(1, "main")]


async def test_looking_at_no_session_and_at_a_finished_one_are_told_apart(made: Rig) -> None:
    await made.start()
    finished = made.session_id
    await made.resume()
    with pytest.raises(BadRequest, match="ended"):
        await stack(made)
    await made.disconnect()
    with pytest.raises(SessionNotFound) as refused:
        await stack(made)
    assert refused.value.details == {"session_id": str(finished)}


async def test_an_answer_about_a_program_that_has_moved_on_is_not_given(made: Rig) -> None:
    await made.start(delays={"evaluate": 0.1})
    await settled(made)
    errors: list[SessionNotPaused] = []
    async with anyio.create_task_group() as group:

        async def look() -> None:
            try:
                await evaluate(made, "x")
            except SessionNotPaused as error:
                errors.append(error)

        group.start_soon(look)
        await made.until(lambda: "evaluate" in made.driver.requests())
        await made.step(wait=NO_WAIT)
    assert errors
    assert errors[0].details == {}


async def test_a_stop_in_a_library_names_the_nearest_frame_of_the_users_code(made: Rig) -> None:
    frames = [
        {"id": 10, "name": "strcmp", "line": 0, "column": 0, "source": {"sourceReference": 7}},
        {"id": 11, "name": "lookup", "line": 8, "column": 3, "source": {"path": made.source}},
    ]
    made.play(
        [
            expect("initialize"),
            reply({}),
            expect("launch"),
            event("initialized"),
            reply(to="launch"),
            event("stopped", {"reason": "exception", "threadId": 1, "description": "signal SIGSEGV"}),
            answers(
                {
                    "stackTrace": {"stackFrames": frames, "totalFrames": 2},
                    "scopes": {"scopes": [{"name": "Locals", "variablesReference": 5, "expensive": False}]},
                    "variables": {"variables": [{"name": "key", "value": "null", "variablesReference": 0}]},
                    "disconnect": {},
                }
            ),
            expect("never", within=60),
        ]
    )
    await made.launch(stop_on_entry=False)
    await settled(made)
    told = next(detail.stop for detail in made.of(events.StopDetail) if detail.stop.locals)
    assert told.frame is not None
    assert told.user_frame is not None
    assert told.locals is not None
    assert (told.frame.name, told.user_frame.name, told.user_frame.line) == ("strcmp", "lookup", 8)
    assert told.locals.frame_id == told.user_frame.id
    assert told.text == "signal SIGSEGV"


async def test_output_can_be_read_again_and_from_a_moment_on(made: Rig) -> None:
    await made.start()
    await made.resume()
    output: Any = await made.engine.handle(requests.Output(session_id=made.session_id))
    printed = [chunk for chunk in output.chunks if chunk.category == "stdout"]
    assert "".join(chunk.output for chunk in printed) == "one\ntwo\n"
    again: Any = await made.engine.handle(requests.Output(session_id=made.session_id))
    assert again == output
    later: Any = await made.engine.handle(
        requests.Output(session_id=made.session_id, since_ms=printed[-1].timestamp_ms + 1)
    )
    assert printed[-1] not in later.chunks


async def test_a_client_that_comes_back_reads_the_output_it_has_missed_once(made: Rig) -> None:
    await made.add(4)
    await made.start()
    stable = await made.resume()
    seen = max(chunk.seq for chunk in stable.captured_output)
    await made.resume()
    missed: Any = await made.engine.handle(requests.Output(session_id=made.session_id, after_seq=seen))
    assert [chunk.output for chunk in missed.chunks if chunk.category == "stdout"] == ["two\n"]
    broadcast = [event.chunk.seq or 0 for event in made.of(events.Output)]
    assert broadcast == sorted(set(broadcast))


async def test_the_adapter_is_asked_for_scopes_and_values_of_one_frame_as_a_unit_where_its_numbers_repeat(
    made: Rig,
) -> None:
    await made.add(3)
    await made.start(STRAIGHT, capabilities={"__lldb": {"version": "lldb version 19.1.7"}})
    await made.resume()
    frames = (await stack(made)).frames
    reference = (await scopes(made, frames[1].id)).scopes[0].variables_reference
    await scopes(made, frames[0].id)
    before = made.driver.requests()
    await variables(made, reference)
    assert made.driver.requests()[len(before) :] == ["scopes", "variables"]


async def test_a_session_shows_its_stop_in_its_summary(made: Rig) -> None:
    await made.start()
    await settled(made)
    summary = made.engine.summary()
    assert summary is not None
    assert isinstance(summary.stop, objects.Stop)
    assert summary.stop.frame is not None
    assert (summary.stop.generation, summary.stop.frame.line) == (1, 1)
