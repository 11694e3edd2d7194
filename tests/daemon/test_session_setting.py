"""Values of a stopped program are set, and what is typed is completed, on the scripted adapter."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import BadRequest, DapProtocolError, SessionNotPaused, StaleHandle, Unsupported
from lazydap_core.protocol import events, requests, responses
from tests.daemon.rig import Rig, hosted_rig
from tests.fakes.program import Line

NESTED = tuple(Line(line=number, locals={"x": 5, "box": {"side": 2, "rows": [1, 2]}}) for number in (1, 2, 3))
TURNING = tuple(replace(line, seconds=0.01) for line in NESTED)


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


async def start(made: Rig, like: str, capabilities: Mapping[str, bool] | None = None, **manners: Any) -> None:
    made.play(
        made.program(
            TURNING if like == "delve" else NESTED, capabilities=capabilities or {}, loops=like == "delve", **manners
        ),
        like=like,
    )
    await made.launch(stop_on_entry=like != "delve")
    if like == "delve":
        # At the entry of its programs there is no stack.
        await made.pause()
    await made.until(lambda: any(detail.stop.locals for detail in made.of(events.StopDetail)))


async def reference_of_locals(made: Rig) -> int:
    answer: Any = await made.engine.handle(requests.Scopes(session_id=made.session_id))
    return answer.scopes[0].variables_reference


async def set_row(made: Rig, reference: int, name: str, value: str) -> Any:
    return await made.engine.handle(
        requests.SetVariable(session_id=made.session_id, variables_reference=reference, name=name, value=value)
    )


async def set_expression(made: Rig, expression: str, value: str) -> Any:
    return await made.engine.handle(
        requests.SetExpression(session_id=made.session_id, expression=expression, value=value)
    )


def told(made: Rig) -> dict[str, str]:
    """The locals as they were told last."""
    known = [detail.stop.locals for detail in made.of(events.StopDetail) if detail.stop.locals]
    return {row.name: row.value for row in known[-1].variables}


async def test_a_variable_is_set_and_every_editor_hears_of_its_new_value(made: Rig) -> None:
    await start(made, "lldb-dap")
    reference = await reference_of_locals(made)
    assert await set_row(made, reference, "x", "7") == responses.VariableSet(value="7", variables_reference=0)
    await made.until(lambda: told(made)["x"] == "7")


async def test_a_value_that_the_adapter_refuses_leaves_the_program_where_it_stands(made: Rig) -> None:
    await start(made, "lldb-dap", refuses={"setVariable": "x cannot be assigned to"})
    with pytest.raises(DapProtocolError, match="x cannot be assigned to"):
        await set_row(made, await reference_of_locals(made), "x", "7")
    assert made.state == "paused"


async def test_a_reference_of_an_earlier_stop_is_stale(made: Rig) -> None:
    await start(made, "lldb-dap")
    reference = await reference_of_locals(made)
    await made.step()
    with pytest.raises(StaleHandle):
        await set_row(made, reference, "x", "7")


async def test_a_running_program_is_not_changed(made: Rig) -> None:
    await made.start(tuple(Line(line=2, seconds=0.01) for _ in range(2)), stop_on_entry=False, loops=True)
    with pytest.raises(SessionNotPaused):
        await set_expression(made, "x", "7")


async def test_an_adapter_without_set_variable_is_named(made: Rig) -> None:
    await start(made, "delve", {"supportsSetVariable": False})
    with pytest.raises(Unsupported, match="delve cannot set a variable by its reference: assign"):
        await set_row(made, await reference_of_locals(made), "x", "7")
    with pytest.raises(Unsupported, match="delve cannot set a value"):
        await set_expression(made, "x", "7")


async def test_an_expression_is_set_by_the_request_that_is_made_for_it(made: Rig) -> None:
    await start(made, "debugpy", {"supportsSetExpression": True})
    answer = await set_expression(made, "x", "7")
    assert answer.value == "7"
    (sent,) = [each["arguments"] for each in made.driver.record() if each.get("command") == "setExpression"]
    assert (sent["expression"], sent["value"]) == ("x", "7")
    assert "frameId" in sent


async def test_lldb_is_sent_an_assignment(made: Rig) -> None:
    await start(made, "lldb-dap", refuses={"evaluate": "no such thing"})
    with pytest.raises(DapProtocolError, match="no such thing"):
        await set_expression(made, "box.side", "7")
    (sent,) = [each["arguments"] for each in made.driver.record() if each.get("command") == "evaluate"]
    assert sent["expression"] == "box.side = 7"


async def test_an_adapter_that_sets_rows_only_is_led_to_the_row(made: Rig) -> None:
    await start(made, "delve", named_paths=True)
    assert (await set_expression(made, "box.rows[1]", "9")).value == "9"
    await made.until(lambda: told(made)["box"] == "{'side': 2, 'rows': [1, 9]}")


async def test_what_names_no_variable_is_refused_by_name(made: Rig) -> None:
    await start(made, "delve", named_paths=True)
    with pytest.raises(BadRequest, match=r"there is no variable 'box\.depth' here"):
        await set_expression(made, "box.depth", "9")


async def complete(made: Rig, text: str, column: int | None = None) -> Any:
    return await made.engine.handle(
        requests.Complete(session_id=made.session_id, text=text, column=column or len(text) + 1)
    )


async def test_a_text_is_completed_in_place_of_what_stands_there(made: Rig) -> None:
    await start(made, "debugpy", {"supportsCompletionsRequest": True})
    (item,) = (await complete(made, "1 + bo")).items
    assert (item.text, item.start, item.length, item.kind) == ("box", 5, 2, "variable")


@pytest.mark.parametrize("counted_from", [0, 1])
@pytest.mark.parametrize(("typed", "kept"), [("box.", "box."), ("box.bo", "box.")])
async def test_a_name_behind_a_dot_leaves_the_dot_where_it_is(
    made: Rig, typed: str, kept: str, counted_from: int
) -> None:
    await start(made, "debugpy", {"supportsCompletionsRequest": True}, offers_from=counted_from)
    item = next(one for one in (await complete(made, typed)).items if one.text == "box")
    assert typed[: item.start - 1] + item.text + typed[item.start - 1 + item.length :] == f"{kept}box"


async def test_a_column_that_is_not_in_the_text_is_refused(made: Rig) -> None:
    await start(made, "debugpy", {"supportsCompletionsRequest": True})
    with pytest.raises(BadRequest, match="the text has no column 9"):
        await complete(made, "bo", 9)


async def test_an_adapter_that_completes_nothing_is_named(made: Rig) -> None:
    await start(made, "delve")
    with pytest.raises(Unsupported, match="delve cannot complete expressions"):
        await complete(made, "bo")
