"""Real programs that raise what nobody catches, through a real daemon: where they stop, and what is told of it."""

from pathlib import Path

import pytest

from tests.daemon.debugging import debugging, frame_of, value_of
from tests.daemon.real import Json
from tests.fixtures.debuggees import CRASHES
from tests.fixtures.programs import Program

pytestmark = pytest.mark.timeout(90)


async def test_an_uncaught_exception_stops_where_it_was_raised_and_then_ends_the_program(tmp_path: Path) -> None:
    async with debugging("debugpy", CRASHES, tmp_path) as made:
        await made.launch()
        stepped = await made.resume()
        assert (stepped["state"], stepped["reason"]) == ("paused", "exception")
        assert frame_of(stepped) == ("fail", made.line("crash"))
        assert value_of(stepped, "number") == "3"
        told = await made.ask("ExceptionInfo")
        assert (told["type_name"], told["message"], told["break_mode"]) == ("ValueError", "nothing here", "unhandled")
        assert "in fail" in told["stack_trace"]
        ended = await made.resume()
        assert (ended["state"], ended["exit_code"]) == ("exited", 1)
        errors = [chunk["output"] for chunk in ended["captured_output"] if chunk["category"] == "stderr"]
        assert "ValueError: nothing here" in "".join(errors)


async def test_an_uncaught_exception_ends_the_program_where_the_project_wants_that(tmp_path: Path) -> None:
    async with debugging("debugpy", CRASHES, tmp_path) as made:
        change: Json = {"filters": [{"filter": "uncaught", "enabled": False}], "dry_run": False}
        await made.peer.told({"ExceptionFilterSet": change})
        await made.launch(stop_on_entry=False)
        await made.until_ended()
        assert (await made.peer.told("Status"))["session"]["exit_code"] == 1


async def test_what_python_cannot_read_or_find_just_ends_and_a_broken_import_stops(
    tmp_path: Path,
) -> None:
    broken, null = Program("broken.py", "total = = 3\n"), Program("null.py", "total = 3\0\n")
    async with debugging("debugpy", broken, tmp_path) as made:
        for program in (broken, null):
            await made.launch(stop_on_entry=False, program=str(program.write(tmp_path)))
            await made.until_ended()
            assert (await made.peer.told("Status"))["session"]["exit_code"] == 1
        await made.launch(stop_on_entry=False, program="absent", options={"module": "absent"})
        await made.until_ended()
        assert "No module named absent" in await made.printed()
        importing = Program("importing.py", "import broken\n").write(tmp_path)
        await made.launch(stop_on_entry=False, program=str(importing))
        await made.until_paused()
        assert (await made.peer.told("Status"))["session"]["stop"]["frame"]["source"]["path"] == str(importing)


# -- output -----------------------------------------------------------------------------------------------------------
