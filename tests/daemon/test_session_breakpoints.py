"""Breakpoints of the project on a live session: what is sent, when it is announced, what the adapter makes of it."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.errors import BadRequest, DapProtocolError
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_core.protocol.additions import named
from lazydap_core.protocol.additions.following import NOT_IN_PROGRAM, BreakpointMove, BreakpointPlace
from lazydap_daemon.store.project import ProjectStore
from tests.daemon.rig import LOOP, NO_WAIT, Rig, hosted_rig
from tests.fakes.program import Line
from tests.fakes.scripted import Step, answers, batch, event, expect, reply

SLOW_LOOP = tuple(Line(line=line.line, locals=line.locals, seconds=0.005) for line in LOOP)
LAUNCHED: list[Step] = [
    expect("initialize"),
    reply({}),
    expect("launch"),
    event("initialized"),
    reply(to="launch"),
]


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def remove(made: Rig, *ids: int, dry_run: bool = False) -> Any:
    return await made.engine.handle(requests.BreakpointRemove(selector=objects.ByIds(ids=ids), dry_run=dry_run))


def sent(made: Rig) -> list[list[int]]:
    return [
        [one["line"] for one in entry["arguments"]["breakpoints"]]
        for entry in made.driver.record()
        if entry.get("command") == "setBreakpoints"
    ]


async def test_a_breakpoint_set_with_nothing_running_is_announced_and_applies_to_the_next_launch(made: Rig) -> None:
    added = await made.add(4)
    assert (added.action, added.applied_to_session) == ("added", False)
    told = made.of(events.BreakpointUpdated)
    assert [(t.session_id, t.breakpoint.id, t.breakpoint.line) for t in told] == [(None, 1, 4)]
    await made.start()
    assert sent(made) == [[4]]
    assert (await made.listed())[0].verified


async def test_a_dry_run_announces_nothing_because_nothing_happened(made: Rig) -> None:
    answer = await made.add(4, dry_run=True)
    assert (answer.dry_run, answer.breakpoints[0].id) == (True, 0)
    assert not made.published
    assert await made.listed() == ()


async def test_the_whole_list_of_a_file_is_sent_in_line_order_and_an_empty_one_after_the_last_removal(
    made: Rig,
) -> None:
    await made.start()
    for line in (4, 2, 3):
        await made.add(line)
    ids = {one.line: one.id for one in await made.listed()}
    answer = await remove(made, ids[2], ids[3])
    assert answer.applied_to_session
    assert all(not one.verified for one in answer.breakpoints)
    await remove(made, ids[4])
    assert sent(made) == [[4], [2, 4], [2, 3, 4], [4], []]


async def test_a_program_without_debug_information_is_named_where_a_breakpoint_does_not_bind(made: Rig) -> None:
    await made.add(4)
    module = {"path": str(made.folder / "program"), "symbolStatus": "Symbols loaded."}
    library = {"path": "/lib/libc.so.6", "debugInfoSize": "3.6MB"}
    made.play(
        [
            *LAUNCHED[:3],
            batch(
                event("module", {"reason": "new", "module": module}),
                event("module", {"reason": "new", "module": library}),
                event("initialized"),
            ),
            expect("setBreakpoints"),
            reply({"breakpoints": [{"id": 1, "verified": False, "line": 4}]}),
            reply(to="launch"),
            answers({"disconnect": {}}),
        ]
    )
    launched = await made.launch(stop_on_entry=False)
    assert [(one.verified, one.message) for one in launched.breakpoints] == [
        (False, "program has no debug information: compile it with -g")
    ]


@pytest.mark.parametrize("module", [{"path": "/lib/libc.so.6"}, {"debugInfoSize": "1KB"}, {"path": None}])
async def test_nothing_is_said_of_debug_information_that_is_there_or_of_a_librarys(
    made: Rig, module: dict[str, Any]
) -> None:
    await made.add(4)
    loaded = {"path": str(made.folder / "program"), **module}
    made.play(
        [
            *LAUNCHED[:3],
            batch(event("module", {"reason": "new", "module": loaded}), event("initialized")),
            expect("setBreakpoints"),
            reply({"breakpoints": [{"id": 1, "verified": False, "line": 4}]}),
            reply(to="launch"),
            answers({"disconnect": {}}),
        ]
    )
    launched = await made.launch(stop_on_entry=False)
    assert [(one.verified, one.message) for one in launched.breakpoints] == [(False, None)]


async def test_a_disabled_breakpoint_is_not_sent_but_stays_listed(made: Rig) -> None:
    await made.start()
    added = await made.add(4)
    await made.engine.handle(
        requests.BreakpointToggle(selector=objects.ByIds(ids=(added.breakpoints[0].id,)), dry_run=False)
    )
    assert sent(made) == [[4], []]
    assert [(one.line, one.enabled) for one in await made.listed()] == [(4, False)]


async def test_a_condition_added_to_an_existing_breakpoint_keeps_its_id_and_reaches_the_debugger(made: Rig) -> None:
    await made.start(LOOP, loops=True)
    first = await made.add(4)
    again = await made.add(4, condition="executed > 7")
    assert (again.action, again.breakpoints[0].id) == ("updated", first.breakpoints[0].id)
    stable = await made.resume()
    assert int(next(v.value for v in stable.locals.variables if v.name == "executed")) > 7
    assert (await made.add(4, condition="executed > 7")).action == "unchanged"


async def test_a_breakpoint_can_be_set_while_the_program_runs(made: Rig) -> None:
    await made.start(SLOW_LOOP, loops=True)
    await made.resume(NO_WAIT)
    assert (await made.add(3)).applied_to_session
    await made.until(lambda: made.state == "paused")


async def test_a_change_the_adapter_refuses_is_announced_and_said_to_be_recorded(made: Rig) -> None:
    await made.start(refuses={"setBreakpoints": "not here"})
    made.published.clear()
    with pytest.raises(DapProtocolError, match="recorded") as refused:
        await made.add(4)
    assert refused.value.details["recorded_breakpoint_ids"] == [1]
    assert refused.value.details["applied_to_session"] is False
    assert [t.session_id for t in made.of(events.BreakpointUpdated)] == [None]
    assert [one.line for one in await made.listed()] == [4]


async def test_a_moved_breakpoint_keeps_its_line_and_names_the_one_it_moved_to(made: Rig) -> None:
    await made.start(moves={3: 4})
    added = await made.add(3)
    status = added.breakpoints[0]
    assert (status.line, status.adapter_line, status.verified) == (3, 4, True)
    stable = await made.resume()
    assert stable.hit_breakpoint_ids == (status.id,)


async def move(made: Rig, number: int, line: int, **more: Any) -> Any:
    place = BreakpointPlace(id=number, line=line, **more)
    return await made.engine.handle(BreakpointMove(moves=(place,), dry_run=False))


async def test_a_breakpoint_that_goes_along_with_its_text_stays_where_it_is_in_the_running_program(made: Rig) -> None:
    await made.start(LOOP, loops=True)
    await made.add(3, anchor="a\nb\nc")
    await made.add(1)
    made.published.clear()
    answer = await move(made, 1, 5, anchor="new\nb\nc")
    (status,) = answer.breakpoints
    assert (status.id, status.line, status.verified, status.adapter_line) == (1, 5, True, None)
    assert sorted(sent(made)[-1]) == [1, 3]
    await made.engine.handle(requests.BreakpointToggle(selector=objects.ByIds(ids=(2,)), dry_run=False))
    assert sent(made)[-1] == [3]
    stable = await made.resume()
    assert (stable.frame.line, stable.hit_breakpoint_ids) == (3, (1,))
    told = [t.breakpoint.line for t in made.of(events.BreakpointUpdated) if t.session_id and t.breakpoint.id == 1]
    assert set(told) <= {5}
    await made.disconnect()
    # The next program is made of the text of now.
    await made.start(LOOP, loops=True)
    assert sent(made)[-1] == [5]


async def test_a_breakpoint_that_is_moved_keeps_its_id_and_stops_at_its_new_line(made: Rig) -> None:
    await made.start(LOOP, loops=True)
    added = await made.add(3, condition="executed > 0")
    made.published.clear()
    answer = await move(made, added.breakpoints[0].id, 4, anchor="a\nb\nc")
    (status,) = answer.breakpoints
    assert (answer.action, answer.applied_to_session) == ("updated", True)
    assert (status.id, status.line, status.condition, status.verified) == (1, 4, "executed > 0", True)
    assert (status.adapter_line, status.anchor) == (None, "a\nb\nc")
    assert sent(made) == [[3], [4]]
    assert next((t.session_id, t.breakpoint.line) for t in made.of(events.BreakpointUpdated)) == (None, 4)
    stable = await made.resume()
    assert (stable.frame.line, stable.hit_breakpoint_ids) == (4, (1,))


async def test_a_breakpoint_of_a_renamed_file_leaves_the_old_one(made: Rig) -> None:
    await made.start()
    await made.add(4)
    await move(made, 1, 4, source=str(made.folder / "other.c"))
    lists = [
        (Path(entry["arguments"]["source"]["path"]).name, [one["line"] for one in entry["arguments"]["breakpoints"]])
        for entry in made.driver.record()
        if entry.get("command") == "setBreakpoints"
    ]
    assert sorted(lists[1:]) == [("other.c", [4]), ("program.c", [])]


async def test_a_new_anchor_alone_is_nobodys_news(made: Rig) -> None:
    await made.add(4)
    made.published.clear()
    assert (await move(made, 1, 4, anchor="a\nb\nc")).action == "updated"
    assert made.published == []
    assert (await made.listed())[0].anchor == "a\nb\nc"


async def test_a_disabled_breakpoint_that_moves_is_shown_where_it_is(made: Rig) -> None:
    await made.start()
    await made.add(3)
    await made.engine.handle(requests.BreakpointToggle(selector=objects.ByIds(ids=(1,)), dry_run=False))
    (status,) = (await move(made, 1, 4)).breakpoints
    assert (status.line, status.adapter_line, status.enabled) == (4, None, False)


async def test_other_clients_learn_what_the_adapter_made_of_a_new_breakpoint(made: Rig) -> None:
    await made.start()
    made.published.clear()
    added = await made.add(4)
    told = made.of(events.BreakpointUpdated)
    assert [(t.session_id, t.breakpoint.id, t.breakpoint.verified) for t in told] == [
        (None, added.breakpoints[0].id, False),
        (made.session_id, added.breakpoints[0].id, True),
    ]


async def test_an_update_right_behind_the_answer_carries_our_id(made: Rig) -> None:
    made.play(
        [
            *LAUNCHED,
            expect("setBreakpoints"),
            batch(
                reply({"breakpoints": [{"id": 41, "verified": False}]}),
                event("breakpoint", {"reason": "changed", "breakpoint": {"id": 41, "verified": True, "line": 4}}),
            ),
            answers({"disconnect": {}}),
            expect("never", within=60),
        ]
    )
    await made.launch(stop_on_entry=False)
    await made.add(4)
    await made.until(lambda: any(t.breakpoint.adapter_id == 41 and t.breakpoint.line for t in told_of(made)))
    assert {t.breakpoint.id for t in told_of(made)} == {1}


async def test_an_update_before_the_answer_carries_our_id_too(made: Rig) -> None:
    made.play(
        [
            *LAUNCHED,
            expect("setBreakpoints"),
            batch(
                event("breakpoint", {"reason": "changed", "breakpoint": {"id": 41, "verified": True, "line": 4}}),
                reply({"breakpoints": [{"id": 41, "verified": False}]}),
            ),
            answers({"disconnect": {}}),
            expect("never", within=60),
        ]
    )
    await made.launch(stop_on_entry=False)
    await made.add(4)
    assert {t.breakpoint.id for t in told_of(made)} == {1}
    assert (await made.listed())[0].verified


def told_of(made: Rig) -> list[events.BreakpointUpdated]:
    return [t for t in made.of(events.BreakpointUpdated) if t.session_id is not None]


async def test_a_breakpoint_set_during_a_launch_is_not_forgotten(made: Rig) -> None:
    made.play(made.program(delays={"launch": 0.1}, launch_answer="last"))
    async with anyio.create_task_group() as group:
        group.start_soon(made.launch)
        await made.until(lambda: "launch" in made.driver.requests())
        await made.add(4)
    assert sent(made)[-1] == [4]
    assert (await made.listed())[0].verified


async def test_a_file_known_to_the_adapter_under_another_name_is_sent_again_under_that_name(made: Rig) -> None:
    link = made.folder / "other"
    link.symlink_to(made.folder)
    there = str(link / "program.c")
    hint = f"Breakpoint at {made.source}:4 could not be resolved, but a valid location was found at {there}:4"
    made.play(
        [
            *LAUNCHED,
            expect("setBreakpoints"),
            reply({"breakpoints": [{"id": 1, "verified": False, "message": hint}]}),
            expect("setBreakpoints"),
            reply({"breakpoints": []}),
            expect("setBreakpoints"),
            reply({"breakpoints": [{"id": 2, "verified": True, "line": 4}]}),
            answers({"disconnect": {}}),
            expect("never", within=60),
        ]
    )
    await made.launch(stop_on_entry=False)
    added = await made.add(4)
    assert added.breakpoints[0].verified
    assert added.breakpoints[0].source == made.source
    paths = [
        entry["arguments"]["source"]["path"]
        for entry in made.driver.record()
        if entry.get("command") == "setBreakpoints"
    ]
    assert paths == [made.source, made.source, there]


async def test_a_hit_count_the_adapter_cannot_keep_is_refused_with_its_reason(made: Rig) -> None:
    await made.start()
    added = await made.add(4, hit_condition="% 2")
    status = added.breakpoints[0]
    assert not status.verified
    assert status.message is not None
    assert "lldb-dap" in status.message
    assert sent(made) == [[]]


async def test_removing_an_unknown_id_names_it_and_is_no_error(made: Rig) -> None:
    await made.add(4)
    answer = await remove(made, 9, 1, 9)
    assert (answer.not_found, [one.id for one in answer.breakpoints]) == ((9, 9), [1])


@pytest.mark.parametrize("line", [0, 2**31, 2**32 - 1])
async def test_a_line_that_no_file_has_is_refused_and_changes_nothing(made: Rig, line: int) -> None:
    await made.add(3)
    with pytest.raises(BadRequest, match=f"there is no line {line}"):
        await made.add(line)
    move = BreakpointPlace(id=1, line=line)
    with pytest.raises(BadRequest, match=f"there is no line {line}"):
        await made.engine.handle(requests.BreakpointMove(moves=(move,), dry_run=False))
    assert [one.line for one in await made.listed()] == [3]


async def test_a_breakpoint_of_no_file_and_a_function_of_no_name_are_refused(made: Rig) -> None:
    nowhere = objects.NewBreakpoint(source=" ", line=1, enabled=True)
    with pytest.raises(BadRequest, match="no file"):
        await made.engine.handle(requests.BreakpointAdd(breakpoint=nowhere, dry_run=True))
    nameless = named.NewFunctionBreakpoint(name=" ", enabled=True)
    with pytest.raises(BadRequest, match="no name"):
        await made.engine.handle(requests.FunctionBreakpointAdd(breakpoint=nameless, dry_run=False))
    assert made.store.functions.entries == ()


async def test_a_breakpoint_that_another_daemon_has_written_reaches_the_session_with_the_next_change(made: Rig) -> None:
    await made.start()
    made.store.on_external = made.engine.follow
    other = ProjectStore.load(made.folder)
    other.add_breakpoint(objects.NewBreakpoint(source=made.source, line=4, enabled=True), dry_run=False)
    await other.flush()

    made.store.catch_up()

    async def is_bound() -> bool:
        return [(one.line, one.verified) for one in await made.listed()] == [(4, True)]

    await made.eventually(is_bound)


async def add_in_older_text(made: Rig, line: int, program_line: int) -> objects.BreakpointStatus:
    wanted = objects.NewBreakpoint(source=made.source, line=line, enabled=True, anchor="a\nb\nc")
    request = requests.BreakpointAdd(breakpoint=wanted, dry_run=False, program_line=program_line)
    answer = await made.engine.handle(request)
    assert isinstance(answer, responses.Breakpoints)
    return answer.breakpoints[0]


async def test_a_breakpoint_set_in_an_edited_text_is_where_its_line_is_in_the_programs(made: Rig) -> None:
    await made.start(LOOP, loops=True)
    status = await add_in_older_text(made, 9, 3)
    assert (status.line, status.verified, status.adapter_line) == (9, True, None)
    assert sent(made)[-1] == [3]
    stable = await made.resume()
    assert (stable.frame.line, stable.hit_breakpoint_ids) == (3, (1,))
    # Changing it and moving it along with its text leave the adapter's line alone.
    await made.add(9, condition="executed >= 0")
    await move(made, 1, 11, program_line=3, anchor="a\nb = 2\nc")
    assert sent(made)[-1] == [3]
    assert [one.line for one in await made.listed()] == [one.line for one in made.store.breakpoints] == [11]
    await made.disconnect()
    await made.start(LOOP, loops=True)
    assert sent(made)[-1] == [11]


async def test_a_breakpoint_on_a_line_that_the_program_does_not_have_waits_for_the_next_launch(made: Rig) -> None:
    await made.start(LOOP, loops=True)
    made.published.clear()
    status = await add_in_older_text(made, 2, 0)
    assert (status.line, status.verified, status.message) == (2, False, NOT_IN_PROGRAM)
    assert [t.breakpoint.message for t in told_of(made) if t.session_id] == [NOT_IN_PROGRAM]
    assert all(lines == [] for lines in sent(made))
    # Its line is one of the program's again, as after an undo.
    await move(made, 1, 3, program_line=3)
    assert sent(made)[-1] == [3]
    assert (await made.listed())[0].verified
    await move(made, 1, 4, program_line=0, anchor="a\nanother\nc")
    assert sent(made)[-1] == []
    await made.disconnect()
    await made.start(LOOP, loops=True)
    assert sent(made)[-1] == [4]


async def test_a_breakpoint_that_was_off_when_the_program_started_is_where_its_text_is_in_it(made: Rig) -> None:
    await made.add(3, anchor="a\nb\nc")
    await made.engine.handle(requests.BreakpointToggle(selector=objects.ByIds(ids=(1,)), dry_run=False))
    await made.start(LOOP, loops=True)
    await move(made, 1, 5, anchor="new\nb\nc")
    await made.engine.handle(requests.BreakpointToggle(selector=objects.ByIds(ids=(1,)), dry_run=False))
    assert sent(made)[-1] == [3]
