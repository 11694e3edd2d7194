"""Exception filters and what an exception says: listed, chosen, sent at once, kept, and refused by name."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import BadRequest, DapProtocolError, SessionNotPaused, Unsupported
from lazydap_core.protocol.additions.exceptions import (
    ExceptionDetails,
    ExceptionFilterList,
    ExceptionFilters,
    ExceptionFiltersChanged,
    ExceptionFilterSet,
    ExceptionInfo,
    FilterChange,
)
from lazydap_daemon.store.project import ProjectStore
from tests.daemon.rig import LOOP, NO_WAIT, Rig, hosted_rig
from tests.fakes.program import Line

RAISED, UNCAUGHT = "raised", "uncaught"
OF_DEBUGPY: dict[str, Any] = {
    "exceptionBreakpointFilters": [
        {"filter": "raised", "label": "Raised Exceptions", "default": False},
        {"filter": "uncaught", "label": "Uncaught Exceptions", "default": True},
    ]
}
OF_LLDB: dict[str, Any] = {
    "exceptionBreakpointFilters": [
        {"filter": "cpp_throw", "label": "C++ Throw", "supportsCondition": True},
        {"filter": "cpp_catch", "label": "C++ Catch", "supportsCondition": True},
    ],
    "supportsExceptionFilterOptions": True,
}
TELLS: dict[str, Any] = {"supportsExceptionInfoRequest": True}
FAILS = (Line(line=1), Line(line=2, function="area", raises="ValueError: nothing here"))


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def start(made: Rig, like: str = "debugpy", trace: Any = LOOP, **capabilities: Any) -> None:
    made.play(made.program(trace, loops=trace is LOOP, capabilities=capabilities), like=like)
    await made.launch(stop_on_entry=True)


async def listed(made: Rig, adapter: str | None = None) -> dict[tuple[str, str], Any]:
    answer = await made.engine.handle(ExceptionFilterList(adapter=adapter))
    assert isinstance(answer, ExceptionFilters)
    return {(one.adapter, one.filter): one for one in answer.filters}


async def choose(
    made: Rig,
    name: str,
    *,
    on: bool | None = True,
    condition: str | None = None,
    adapter: str | None = None,
    dry_run: bool = False,
) -> ExceptionFilters:
    change = FilterChange(filter=name, enabled=on, condition=condition)
    answer = await made.engine.handle(ExceptionFilterSet(adapter=adapter, filters=(change,), dry_run=dry_run))
    assert isinstance(answer, ExceptionFilters)
    return answer


async def explained(made: Rig) -> ExceptionDetails:
    answer = await made.engine.handle(ExceptionInfo(session_id=made.session_id))
    assert isinstance(answer, ExceptionDetails)
    return answer


def sent(made: Rig) -> list[Any]:
    return [entry["arguments"] for entry in made.driver.record() if entry.get("command") == "setExceptionBreakpoints"]


async def test_with_nothing_running_the_filters_of_every_adapter_are_listed(made: Rig) -> None:
    known = await listed(made)
    assert {adapter for adapter, _ in known} == {"codelldb", "debugpy", "delve", "lldb-dap"}
    on = {name for (_, name), one in known.items() if one.enabled}
    assert on == {"uncaught", "rust_panic", "unrecovered-panic", "runtime-fatal-throw"}
    assert not any(one.chosen for one in known.values())


async def test_what_is_uncaught_stops_unasked_and_nothing_else_is_set(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    assert sent(made) == [{"filters": ["uncaught"]}]
    assert {key: (one.default, one.enabled) for key, one in (await listed(made)).items()} == {
        ("debugpy", "raised"): (False, False),
        ("debugpy", "uncaught"): (True, True),
    }


async def test_an_adapter_without_filters_is_told_of_none(made: Rig) -> None:
    await start(made)
    assert sent(made) == []
    assert await listed(made) == {}
    with pytest.raises(BadRequest, match="it has none to choose from"):
        await choose(made, RAISED)


async def test_a_choice_of_a_live_session_is_sent_at_once_announced_and_kept(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    answer = await choose(made, RAISED)
    assert (answer.action, answer.applied_to_session) == ("changed", True)
    assert [(one.filter, one.enabled, one.chosen) for one in answer.filters] == [("raised", True, True)]
    await choose(made, UNCAUGHT, on=False)
    assert sent(made)[1:] == [{"filters": ["raised", "uncaught"]}, {"filters": ["raised"]}]
    assert made.of(ExceptionFiltersChanged) == [ExceptionFiltersChanged(adapter="debugpy")] * 2
    assert await made.store.flush()
    assert ProjectStore.load(made.folder).filter_choices == made.store.filter_choices


async def test_a_choice_made_with_nothing_running_applies_to_the_next_launch(made: Rig) -> None:
    answer = await choose(made, RAISED)
    assert [(one.adapter, answer.applied_to_session) for one in answer.filters] == [("debugpy", False)]
    await start(made, **OF_DEBUGPY)
    assert sent(made) == [{"filters": ["raised", "uncaught"]}]


async def test_a_choice_taken_back_leaves_the_default(made: Rig) -> None:
    await choose(made, UNCAUGHT, on=False)
    await start(made, **OF_DEBUGPY)
    assert sent(made) == []
    answer = await choose(made, UNCAUGHT, on=None)
    assert [(one.enabled, one.chosen) for one in answer.filters] == [(True, False)]
    assert sent(made) == [{"filters": ["uncaught"]}]
    assert made.store.filter_choices == ()


async def test_a_choice_that_changes_nothing_is_neither_sent_nor_announced(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    await choose(made, UNCAUGHT, on=None)
    assert (len(sent(made)), made.of(ExceptionFiltersChanged)) == (1, [])


async def test_a_dry_run_only_tells(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    answer = await choose(made, RAISED, dry_run=True)
    assert (answer.dry_run, answer.applied_to_session, answer.filters[0].enabled) == (True, False, True)
    assert (len(sent(made)), made.store.filter_choices) == (1, ())


async def test_a_condition_travels_where_the_adapter_takes_one(made: Rig) -> None:
    await start(made, "lldb-dap", **OF_LLDB)
    await choose(made, "cpp_catch")
    await choose(made, "cpp_throw", condition="n > 3")
    assert sent(made)[-1] == {
        "filters": ["cpp_catch"],
        "filterOptions": [{"filterId": "cpp_throw", "condition": "n > 3"}],
    }
    assert (await listed(made))["lldb-dap", "cpp_throw"].condition == "n > 3"


async def test_a_condition_is_refused_where_the_adapter_takes_none(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    with pytest.raises(Unsupported, match="raised takes no condition"):
        await choose(made, RAISED, condition="n > 3")
    assert made.store.filter_choices == ()


async def test_a_filter_that_the_adapter_does_not_have_is_refused_with_those_it_has(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    with pytest.raises(BadRequest, match="debugpy has no exception filter 'cpp_throw': choose from") as refused:
        await choose(made, "cpp_throw")
    assert refused.value.details == {"adapter": "debugpy", "filters": ["raised", "uncaught"]}
    with pytest.raises(BadRequest, match="there is no adapter 'gdb': name one of codelldb"):
        await choose(made, "raised", adapter="gdb")
    assert (len(sent(made)), made.store.filter_choices) == (1, ())


async def test_another_adapter_can_be_meant_than_the_one_that_runs(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    answer = await choose(made, "cpp_throw", adapter="lldb-dap")
    assert ([one.adapter for one in answer.filters], answer.applied_to_session) == (["lldb-dap"], False)
    assert len(sent(made)) == 1


async def test_filters_that_were_seen_are_known_when_the_session_is_gone(made: Rig) -> None:
    await start(made, **OF_DEBUGPY)
    assert ("debugpy", "userUnhandled") not in await listed(made)
    await made.disconnect()
    assert {name for adapter, name in await listed(made) if adapter == "debugpy"} == {"raised", "uncaught"}


async def test_a_refusal_leaves_the_choice_for_the_next_launch_and_says_so(made: Rig) -> None:
    made.play(
        made.program(LOOP, loops=True, capabilities=OF_DEBUGPY, refuses={"setExceptionBreakpoints": "not today"}),
        like="debugpy",
    )
    assert (await made.launch()).state == "paused"
    with pytest.raises(DapProtocolError, match=r"not today.*applies at the next launch"):
        await choose(made, RAISED)
    assert [choice.filter for choice in made.store.filter_choices] == ["raised"]
    assert made.state == "paused"


async def test_an_exception_is_told_with_type_text_and_traceback(made: Rig) -> None:
    await start(made, trace=FAILS, **OF_DEBUGPY, **TELLS)
    stepped = await made.resume()
    assert (stepped.state, stepped.reason) == ("paused", "exception")
    told = await explained(made)
    assert (told.thread_id, told.type_name, told.message) == (1, "ValueError", "nothing here")
    assert (told.break_mode, told.stack_trace) == ("unhandled", "in area")


async def test_where_the_adapter_cannot_be_asked_the_text_of_the_stop_is_told(made: Rig) -> None:
    await start(made, trace=FAILS)
    await made.resume()
    told = await explained(made)
    assert (told.type_name, told.description) == (None, "ValueError: ValueError: nothing here")
    assert "exceptionInfo" not in made.driver.requests()


async def test_at_a_stop_for_another_reason_there_is_no_exception_to_ask_for(made: Rig) -> None:
    await start(made, **TELLS)
    with pytest.raises(BadRequest, match=r"another reason \(entry\)"):
        await made.engine.handle(ExceptionInfo(session_id=made.session_id))
    assert "exceptionInfo" not in made.driver.requests()


async def test_a_running_program_has_no_exception(made: Rig) -> None:
    made.play(made.program(tuple(Line(line=line.line, seconds=0.005) for line in LOOP), loops=True), like="debugpy")
    await made.launch(stop_on_entry=True)
    await made.resume(NO_WAIT)
    with pytest.raises(SessionNotPaused):
        await made.engine.handle(ExceptionInfo(session_id=made.session_id))
