"""One program under every adapter: it is launched, stopped, moved, looked at and ended alike, or the page says how not.

What an adapter does in its own way is told to `seat.tells`, and has to be what doc/adapters.md says ("What each can").
`python -m tests.adapters.tour.page` writes that table from these tests.
"""

import os
import re
import signal
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.errors import AdapterCrashed, BadRequest, DapProtocolError, InvalidLaunchConfig, SessionNotPaused
from lazydap_core.protocol import events, objects
from tests.adapters.tour import page
from tests.adapters.tour.programs import DEEP, EXIT_CODE, LONG, SAID, TURNS, WORKERS
from tests.adapters.tour.seat import ADAPTERS, NO_WAIT, Seat, is_gone, left_of, place, seated, value

# The first that needs Go waits until its standard library is compiled.
pytestmark = pytest.mark.timeout(300)

SOON = objects.Wait(timeout_ms=150)


@pytest.fixture(params=ADAPTERS)
async def seat(
    request: pytest.FixtureRequest, tmp_path: Path, record_property: Callable[[str, object], None]
) -> AsyncGenerator[Seat]:
    """One adapter after the other; what it tells of itself must stand on the page."""
    async with seated(request.param, tmp_path) as ready:
        yield ready
    for feature, how in ready.told.items():
        record_property(page.PROPERTY, (ready.adapter, feature, how))
    assert {feature: page.cell(ready.adapter, feature) for feature in ready.told} == ready.told, page.ADVICE


# -- stops ------------------------------------------------------------------------------------------------------------


async def test_a_program_stops_where_it_is_told_steps_and_is_looked_at(seat: Seat) -> None:
    blank, behind = await seat.add("first", below=1), await seat.add_line(9999)
    call = await seat.add("call", condition="i == 2")
    printing = await seat.add("print", log_message="seen {i}")
    assert not any(each.verified for each in (blank, behind, call, printing))
    launched = await seat.launch("count")
    assert (launched.state, launched.reason) == ("paused", "entry")
    has_stack = not isinstance(await _maybe(seat.stack), DapProtocolError)
    raw = f", told as `{launched.raw_reason}`" if launched.raw_reason else ""
    seat.tells("entry", "yes" + raw + ("" if has_stack else ", before there is a stack"))
    told = {each.id: each for each in launched.breakpoints}
    assert told[call.id].verified
    assert told[call.id].message is None
    seat.tells("line without code", _moved(told[blank.id]))
    seat.tells("line behind the end", _moved(told[behind.id]))
    await seat.remove(blank.id, behind.id)

    stop = await seat.resume()
    assert (stop.reason, stop.raw_reason, stop.hit_breakpoint_ids) == ("breakpoint", None, (call.id,))
    assert place(stop) == ("count", seat.text.line("call"))
    assert (stop.frame.source.name, stop.frame.source.path) == (seat.text.name, str(seat.built.source))
    assert (value(stop, "i"), value(stop, "total")) == ("2", "13")
    assert (await seat.evaluate("total + i")).value == "15"
    assert (await seat.stack(levels=1)).frames == (stop.frame,)
    refused = await seat.refusal("evaluate", "no_such_name")
    assert "\n" not in refused.message
    seat.tells("condition", "yes")
    seat.tells("log point", "yes" if "seen 1" in await seat.printed("stdout", "console") else "no")

    inside = await seat.step("in")
    assert place(inside)[0] == "squared"
    if place(inside)[1] != seat.text.line("square"):
        inside = await seat.step()
    assert (place(inside), value(inside, "number")) == (("squared", seat.text.line("square")), "2")
    assert place(await seat.step("out"))[0] == "count"
    stop = await seat.step_to("count", "two")
    assert value(stop, "total") == "18"
    seat.tells("step over, in, out", "yes")

    one = await seat.add("one", condition="i == 5")
    changed = await seat.add("one", condition="i == 7")
    assert (one.id, one.verified, changed.id) == (changed.id, True, one.id)
    stop = await seat.resume()
    assert (value(stop, "i"), stop.hit_breakpoint_ids) == ("7", (one.id,))
    await seat.remove()
    ended = await seat.resume()
    assert (ended.state, ended.exit_code) == ("exited", EXIT_CODE)
    lines = re.findall(r"i=\d", await seat.printed("stdout"))
    assert lines == [f"i={number}" for number in range(TURNS)]
    seat.tells("exit code", "yes")


async def test_a_log_text_names_what_it_cannot_show_and_keeps_the_rest(seat: Seat) -> None:
    await seat.add("print", log_message="50% at {i}, {no_such_name} and {total}.")
    await seat.add("last")
    await seat.launch("count")
    await seat.resume()
    printed = await seat.printed("stdout", "console")
    told = re.search(r"50% at 1, [{<].*?no_such_name.*?[}>] and 13\.\n", printed, re.DOTALL)
    assert told is not None, printed
    seat.tells("log point that fails", "the error in its place" + (", over lines" if "\n" in told[0][:-1] else ""))


FORMS = {"3": "N", ">=4": ">=N", "> 8": ">N", "==2": "==N", "%4": "%N", "<2": "<N"}


async def test_hits_are_counted_alike_or_not_at_all(seat: Seat) -> None:
    counted: list[str] = []
    for forms in (("3", ">=4", "> 8"), ("==2", "%4", "<2")):
        lines = dict(zip(("call", "one", "two"), forms, strict=True))
        wanted = {marker: await seat.add(marker, hit_condition=form) for marker, form in lines.items()}
        launched = await seat.launch("count")
        told = {each.id: each for each in launched.breakpoints}
        taken = {marker: form for marker, form in lines.items() if told[wanted[marker].id].verified}
        counted += [FORMS[form] for form in taken.values()]
        for marker in lines.keys() - taken.keys():
            assert lines[marker].replace(" ", "") in str(told[wanted[marker].id].message).replace(" ", "")
        met: list[tuple[str, str]] = []
        while (stop := await seat.resume()).state == "paused":
            met.append((_marker(seat, stop), value(stop, "i")))
        assert met == [
            (marker, str(hit - 1)) for hit in range(1, TURNS + 1) for marker in taken if _counts(taken[marker], hit)
        ]
        await seat.remove()
    assert counted[:3] == list(FORMS.values())[:3]
    rest = set(FORMS.values()) - set(counted)
    seat.tells("hit count", "all of them" if not rest else "`N`, `>=N`, `>N`; others refused by name")


async def test_hits_of_a_condition_are_those_for_which_it_holds_or_not_counted(seat: Seat) -> None:
    both = await seat.add("call", condition="i > 3", hit_condition="2")
    launched = await seat.launch("count")
    (told,) = launched.breakpoints
    assert told.id == both.id
    if told.verified:
        assert value(await seat.resume(), "i") == "5"
        assert value(await seat.resume(), "i") == "6"
        seat.tells("hit count with a condition", "counts where the condition holds")
    else:
        assert seat.adapter in str(told.message)
        seat.tells("hit count with a condition", "refused by name")


async def test_a_condition_that_cannot_be_tried_says_so_in_one_line(seat: Seat) -> None:
    bad = await seat.add("call", condition="no_such_name > 1")
    await seat.launch("count")
    stop = await seat.resume()
    assert (stop.state, place(stop)) == ("paused", ("count", seat.text.line("call")))
    standing = seat.session.stop
    assert standing is not None
    if stop.reason == "breakpoint":
        await seat.until(lambda: any(told.breakpoint.message for told in seat.of_kind(events.BreakpointUpdated)))
    told = (await seat.listed())[bad.id].message if stop.reason == "breakpoint" else standing.text
    assert told is not None
    assert "no_such_name" in told
    assert "\n" not in told
    seat.tells("condition that fails", f"stops, as `{stop.reason}`, and says why")
    # A breakpoint that is changed has no trouble any more.
    if stop.reason == "breakpoint":
        assert (await seat.add("call", condition="i == 4")).message is None
    assert value(await seat.resume(), "i") == ("4" if stop.reason == "breakpoint" else "1")


# -- running ----------------------------------------------------------------------------------------------------------


async def test_a_running_program_is_paused_and_met_by_new_breakpoints(seat: Seat) -> None:
    launched = await seat.launch("spin", entry=False)
    assert (launched.state, launched.reason, launched.thread_id) == ("running", None, None)
    assert (await seat.resume(NO_WAIT)).already_running is True
    await seat.until_printed("spinning\n")
    assert (await seat.resume(SOON)).state == "timeout"
    assert isinstance(await seat.refusal("step"), SessionNotPaused)
    assert isinstance(await seat.refusal("stack"), SessionNotPaused)
    for thread in await seat.threads():
        assert thread.id > 0
        assert thread.name != ""
    paused: list[Any] = []
    async with anyio.create_task_group() as group:
        # Two at once stop it once.
        group.start_soon(_maybe, seat.pause)
        paused.append(await seat.pause())
    (stop,) = paused
    assert (stop.state, stop.reason) == ("paused", "pause")
    assert place(stop)[1] > 0
    seat.tells("pause", f"yes, told as `{stop.raw_reason}`" if stop.raw_reason else "yes")
    assert isinstance(await seat.refusal("pause"), BadRequest)
    assert await seat.threads()

    assert (await seat.resume(NO_WAIT)).already_running is False
    tick = await seat.add("tick")
    assert tick.verified
    stop = await seat.resume()
    assert (stop.reason, place(stop), stop.hit_breakpoint_ids) == (
        "breakpoint",
        ("spin", seat.text.line("tick")),
        (tick.id,),
    )
    assert [told.reason for told in seat.of_kind(events.Stopped)].count("pause") == 1
    seat.tells("breakpoint in a running program", "yes")

    await seat.add("tick", condition="ticks == -5")
    for _ in range(3):
        assert (await seat.resume(SOON)).state == "timeout"
        stop = await seat.pause()
        assert (stop.state, stop.reason) == ("paused", "pause")
    seat.tells("pause while a condition is tried", "yes")
    assert (await seat.disconnect()).terminated_debuggee is True


async def test_each_thread_is_listed_with_its_stack(seat: Seat) -> None:
    await seat.add("work")
    await seat.launch("crowd", entry=False)
    met: set[int] = set()
    while (stop := await seat.resume()).state == "paused" and stop.reason == "breakpoint":
        assert place(stop) == ("work", seat.text.line("work"))
        threads = {thread.id for thread in await seat.threads()}
        assert len(threads) > 1
        others = stop.additional_stopped_threads
        assert stop.thread_id not in others
        assert {stop.thread_id, *others} <= threads
        for thread in threads:
            assert (await seat.stack(thread_id=thread, levels=1)).frames
        met |= {stop.thread_id, *others}
    assert stop.state == "exited"
    printed = (await seat.printed("stdout")).splitlines()
    assert sorted(printed) == [f"worker {number}" for number in range(WORKERS)]
    assert 1 <= len(met) <= WORKERS
    seat.tells("threads", "yes")


# -- values -----------------------------------------------------------------------------------------------------------


async def test_a_long_container_is_paged_and_names_may_be_of_any_language(seat: Seat) -> None:
    await seat.add("look")
    await seat.launch("values", entry=False)
    rows = {row.name: row for row in await seat.locals_at_stop()}
    assert "snö ☃" in rows["größe"].value
    assert "snö ☃" in (await seat.evaluate("größe")).value
    seat.tells("names and texts of any language", "yes")
    reference = rows["big"].variables_reference
    first = await seat.rows(reference, count=5)
    assert [_number(row) for row in first.variables[-3:]] == [4, 6, 8] or seat.adapter == "debugpy"
    assert first.truncated
    far = await seat.rows(reference, start=LONG - 3, count=10)
    if far.variables:
        assert [_number(row) for row in far.variables[:3]] == [2 * number for number in range(LONG - 3, LONG)]
        assert far.truncated is False
        seat.tells("100,000 elements", "any part")
    else:
        assert [_number(row) for row in (await seat.rows(reference, start=97, count=3)).variables]
        part = await seat.rows((await seat.evaluate(f"big[{LONG - 3}:]")).variables_reference)
        assert [_number(row) for row in part.variables if row.name.isdigit()][:3] == [
            2 * number for number in range(LONG - 3, LONG)
        ]
        seat.tells("100,000 elements", "the first 100; a slice that is evaluated")


async def test_a_deep_stack_is_told_whole(seat: Seat) -> None:
    await seat.add("bottom")
    await seat.launch("deep")
    stop = await seat.resume()
    assert place(stop)[0] == "sink"
    frames = (await seat.stack()).frames
    places = [(frame.name.partition("(")[0].removeprefix("main."), frame.line) for frame in frames]
    assert [name for name, _ in places[: DEEP + 1]] == ["sink"] * (DEEP + 1)
    assert len((await seat.stack(levels=0)).frames) == len(frames)
    (third,) = (await seat.stack(start_frame=2, levels=1)).frames
    assert (third.name, third.line) == (frames[2].name, frames[2].line)
    seat.tells("stack of 300 frames", "yes")


# -- output -----------------------------------------------------------------------------------------------------------


async def test_output_comes_whole_in_order_and_before_the_stop_behind_it(seat: Seat) -> None:
    await seat.add("said")
    await seat.launch("chat", entry=False)
    await seat.locals_at_stop()
    assert "".join(SAID) == await seat.printed("stdout")
    ended = await seat.resume()
    assert (ended.state, ended.exit_code) == ("exited", 0)
    is_apart = "all said" in await seat.printed("stderr")
    assert (await seat.printed()).replace("all said\n", "") == "".join(SAID)
    seat.tells("output", "in order, both streams apart" if is_apart else "in order, both streams as one")


async def test_a_program_that_reads_its_input(seat: Seat) -> None:
    await seat.launch("ask", entry=False)
    # Only codelldb leaves its program waiting; what is slow is no such case.
    waits = objects.Wait(timeout_ms=500 if seat.adapter == "codelldb" else 20_000)
    if seat.session.is_live:
        await seat.resume(waits)
    if seat.session.is_live:
        seat.tells("standard input", "never comes")
        await seat.disconnect()
    else:
        assert "nothing" in await seat.printed()
        seat.tells("standard input", "ends at once")


# -- ends -------------------------------------------------------------------------------------------------------------


async def test_a_crash_is_told_and_then_ends_the_program(seat: Seat) -> None:
    await seat.launch("crash")
    stop = await seat.resume()
    assert (stop.reason, place(stop)) == ("exception", ("crash", seat.text.line("crash")))
    await seat.until_printed("before\n")
    standing = seat.session.stop
    assert standing is not None
    ended = await seat.resume()
    assert ended.state == "exited"
    seat.tells("crash", f"stops: {str(standing.text).partition(':')[0]}; exit code {ended.exit_code}")


async def test_a_killed_adapter_takes_its_program_along(seat: Seat) -> None:
    await seat.launch("spin", entry=False)
    pid, process = await seat.program_pid(), seat.session.process
    os.kill(process.pid, signal.SIGKILL)
    await seat.until(lambda: seat.session.state == "adapter_died")
    await seat.until(seat.session.gone.is_set)
    assert is_gone(pid)
    assert left_of(process.pid) == []
    (ending,) = seat.of_kind(events.SessionEnded)
    assert isinstance(ending.reason, objects.AdapterDied)
    seat.tells("adapter is killed", "ends, and the program with it")
    assert (await seat.launch("count")).state == "paused"


async def test_a_killed_program_ends_its_session(seat: Seat) -> None:
    await seat.launch("spin", entry=False)
    pid, process = await seat.program_pid(), seat.session.process
    await seat.until_printed("spinning")
    os.kill(pid, signal.SIGKILL)
    await seat.until(lambda: not seat.session.is_live)
    await seat.until(seat.session.gone.is_set)
    assert left_of(process.pid) == []
    code = seat.session.exit_code
    seat.tells("program is killed", "ends without a code" if code is None else f"ends; exit code {code}")


@pytest.mark.parametrize("part", ["running", "standing"])
async def test_a_disconnect_ends_the_program(seat: Seat, part: str) -> None:
    await seat.launch("spin", entry=part == "standing")
    pid, process = await seat.program_pid(), seat.session.process
    assert (await seat.disconnect()).terminated_debuggee is True
    assert is_gone(pid)
    assert left_of(process.pid) == []
    assert len(seat.of_kind(events.SessionEnded)) == 1
    seat.tells("disconnect", "ends the program")


async def test_a_program_is_left_running_or_that_is_said_to_be_impossible(seat: Seat) -> None:
    await seat.launch("spin", entry=False)
    pid, process = await seat.program_pid(), seat.session.process
    await seat.until_printed("spinning")
    ends = (await seat.disconnect(terminate=False)).terminated_debuggee
    assert is_gone(pid) is ends
    assert left_of(process.pid) == ([] if ends else [pid])
    assert seat.of_kind(events.Stopped) == []
    if not ends:
        os.kill(pid, signal.SIGKILL)
    seat.tells("leaving it running", "not possible: it is ended, and that is said" if ends else "yes")


async def test_a_launch_that_cannot_be_is_refused_and_leaves_nothing(seat: Seat) -> None:
    nowhere = str(seat.built.source.parent / "nowhere")
    for parts in ({"program": nowhere}, {"cwd": nowhere}):
        refused = await seat.refusal("launch", "count", **parts)
        assert isinstance(refused, DapProtocolError | InvalidLaunchConfig | AdapterCrashed)
        assert "\n" not in refused.message
        assert "nowhere" in refused.message or "chdir" in refused.message or seat.adapter == "debugpy"
    assert (await seat.launch("count")).state == "paused"
    seat.tells("program or folder is missing", "refused in words")


# ---------------------------------------------------------------------------------------------------------------------


async def _maybe(ask: Callable[[], Any]) -> Any:
    try:
        return await ask()
    except (BadRequest, DapProtocolError) as error:
        return error


def _moved(told: objects.BreakpointStatus) -> str:
    if not told.verified:
        return "refused in words" if told.message and "locations: 0" not in told.message else "not bound"
    if told.adapter_line is None:
        return "bound there"
    if told.line > 1000:
        return "moves to the last line"
    return "moves forward" if told.adapter_line > told.line else "moves backward"


def _marker(seat: Seat, stop: Any) -> str:
    return next(marker for marker in ("call", "one", "two") if seat.text.line(marker) == place(stop)[1])


def _counts(form: str, hit: int) -> bool:
    sign, count = form.rstrip("0123456789").strip(), int(form.lstrip("<>=% "))
    checks = {"": hit >= count, ">=": hit >= count, ">": hit > count, "==": hit == count, "<": hit < count}
    return hit % count == 0 if sign == "%" else checks[sign]


def _number(row: objects.Variable) -> int:
    return int(row.value)
