"""Code that is no file on disk is shown as the adapter has it, under a number of ours that is good for one stop."""

from pathlib import Path

import pytest

from lazydap_core.errors import BadRequest, SessionNotPaused, StaleHandle
from lazydap_core.protocol import objects, responses
from tests.adapters.tour.seat import Seat, seated
from tests.fixtures.programs import Program

pytestmark = pytest.mark.timeout(300)

MADE = Program(
    "made.py",
    """\
def area(side):
    return side * side  # @area


exec(compile('def twice(side):\\n    return 2 * area(side)\\n', '<made>', 'exec'))
twice(3)
""",
)


async def made_frame(seat: Seat) -> objects.StackFrame:
    """The frame of the stop whose source has a text of the adapter's."""
    (frame,) = [each for each in (await seat.stack()).frames if reference(each) is not None]
    assert frame.source is not None
    assert frame.source.path is None
    return frame


def reference(frame: objects.StackFrame) -> int | None:
    return None if frame.source is None else frame.source.source_reference


def line_of(shown: responses.SourceText, frame: objects.StackFrame) -> str:
    return shown.text.splitlines()[frame.line - 1]


async def test_the_machine_code_of_a_function_without_source_is_shown_by_lldb(tmp_path: Path) -> None:
    async with seated("lldb-dap", tmp_path) as seat:
        await seat.add("first")
        await seat.launch("count", entry=False)
        await seat.locals_at_stop()
        frame = await made_frame(seat)
        shown = await seat.source(reference(frame))
        assert frame.name == "_start"
        assert shown.mime_type == "text/x-lldb.disassembly"
        # Where it returns to from main: behind the call.
        assert "call" in shown.text.splitlines()[frame.line - 2]
        assert line_of(shown, frame)


async def test_code_that_a_program_has_made_is_shown_by_debugpy(tmp_path: Path) -> None:
    program = MADE.write(tmp_path)
    async with seated("debugpy", tmp_path) as seat:
        await seat.add_line(MADE.line("area"), source=str(program))
        await seat.launch("", entry=False, program=str(program), options={"just_my_code": False})
        await seat.locals_at_stop()
        frame = await made_frame(seat)
        shown = await seat.source(reference(frame))
        assert frame.name == "twice"
        assert "area(side)" in shown.text
        assert shown.mime_type is None


async def test_a_source_reference_is_good_for_one_stop_and_of_one_kind(tmp_path: Path) -> None:
    async with seated("lldb-dap", tmp_path) as seat:
        await seat.add("first")
        await seat.launch("count", entry=False)
        await seat.locals_at_stop()
        frame = await made_frame(seat)
        for number in (frame.id, 10_000):
            refused = await seat.refusal("source", number)
            assert isinstance(refused, BadRequest)
            assert "a frame whose source has one" in refused.message
        await seat.step()
        assert isinstance(await seat.refusal("source", reference(frame)), StaleHandle)
        await seat.remove()
        await seat.resume()
        assert isinstance(await seat.refusal("source", reference(frame)), BadRequest)


async def test_a_running_program_shows_no_source(tmp_path: Path) -> None:
    async with seated("debugpy", tmp_path) as seat:
        await seat.launch("spin", entry=False)
        await seat.until_printed("spinning")
        assert isinstance(await seat.refusal("source", 1), SessionNotPaused)


async def test_a_frame_of_delve_has_no_text_but_its_file(tmp_path: Path) -> None:
    async with seated("delve", tmp_path) as seat:
        await seat.add("first")
        await seat.launch("count", entry=False)
        await seat.locals_at_stop()
        assert [reference(frame) for frame in (await seat.stack()).frames if reference(frame)] == []
        assert isinstance(await seat.refusal("source", 1), BadRequest)
