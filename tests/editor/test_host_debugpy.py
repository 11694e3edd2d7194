"""The whole way: editor, plugin host, daemon and debugpy, with a real Python program."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.house.surroundings import Folders

StartEditor = Callable[..., Editor]

pytestmark = pytest.mark.timeout(90)
SLOW = 30.0
"""Seconds: an adapter takes its time on a busy machine."""

PROGRAM = """\
def area(width, height):
    result = width * height  # @inside
    return result


total = 0
for size in (1, 2, 3):
    total += area(size, 2)  # @call
print(total)  # @end
"""


def line(marker: str, text: str = PROGRAM) -> int:
    """The line that carries the comment `# @marker`."""
    return next(number for number, one in enumerate(text.splitlines(), 1) if one.endswith(f"# @{marker}"))


@pytest.fixture
def program(project: Path) -> Path:
    file = project / "shapes.py"
    file.write_text(PROGRAM)
    return file


def launch(editor: Editor, command: str = "LazydapLaunch") -> None:
    """Launch and wait for the first stop."""
    editor.command(command)
    state = "return (require('lazydap').state() or {}).state"
    eventually(lambda: editor.lua(state), lambda now: now == "paused", what="the program stops", seconds=SLOW)


def test_break_launch_step_and_end(start_editor: StartEditor, program: Path) -> None:
    editor = start_editor(program)
    editor.go_to(line("call"))
    editor.command("LazydapBreak")
    editor.expect_sign(line("call"), "●")
    launch(editor)
    editor.expect_sign(line("call"), "▶●")
    editor.expect_cursor(program, line("call"))
    editor.expect_virtual_text(line("call"), "total = 0")
    editor.command("LazydapStepIn")
    editor.expect_cursor(program, line("inside"))
    editor.expect_virtual_text(line("inside"), "height = 2, width = 1")
    editor.command("LazydapStepOut")
    editor.expect_sign(line("call"), "▶●")
    editor.command("LazydapBreak")
    editor.command("LazydapContinue")
    editor.expect_message("shapes.py ended: exit code 0")
    editor.expect_no_sign()


def test_a_syntax_error_is_the_programs_last_word(start_editor: StartEditor, project: Path) -> None:
    broken = project / "broken.py"
    broken.write_text("x = = 1\n")
    editor = start_editor(broken)
    editor.command("LazydapLaunch")
    said = eventually(
        editor.messages, lambda lines: any("ended" in line for line in lines), what="it ends", seconds=SLOW
    )
    assert any("broken.py ended: exit code 1: SyntaxError" in line for line in said)


def test_a_second_editor_draws_and_the_one_that_steps_moves(start_editor: StartEditor, program: Path) -> None:
    first = start_editor(program)
    launch(first, "LazydapLaunch!")
    first.expect_sign(1, "▶")
    second = start_editor(program)
    second.command("LazydapStatus")
    second.expect_sign(1, "▶")
    second.go_to(3)
    first.command("LazydapStep")
    first.expect_cursor(program, 6)
    second.expect_sign(6, "▶")
    assert second.cursor()[1] == 3
    second.command("LazydapStep")
    second.expect_cursor(program, 7)
    first.expect_sign(7, "▶")
    assert first.cursor()[1] == 6


def test_an_editor_that_is_killed_and_opened_again_shows_the_arrow_on_the_same_line(
    start_editor: StartEditor, program: Path
) -> None:
    editor = start_editor(program)
    launch(editor, "LazydapLaunch!")
    editor.expect_sign(1, "▶")
    editor.command("LazydapStep")
    editor.expect_sign(6, "▶")
    editor.kill()
    again = start_editor(program)
    again.command("LazydapStatus")
    again.expect_sign(6, "▶")
    again.expect_message("shapes.py is stopped at shapes.py:6")


def test_a_daemon_that_is_killed_is_started_again_by_the_next_command(
    start_editor: StartEditor, program: Path, private_folders: Folders
) -> None:
    editor = start_editor(program)
    editor.go_to(line("call"))
    editor.command("LazydapBreak")
    editor.expect_sign(line("call"), "●")
    [pid_file] = private_folders.data.glob("**/*.pid")
    state = program.parent / ".lazydap" / "state.toml"
    eventually(state.exists, lambda there: there, what="the breakpoint is in the file")
    os.kill(int(pid_file.read_text()), signal.SIGKILL)
    editor.expect_message("the daemon of p is gone")
    editor.expect_sign(line("call"), "●")
    launch(editor)
    editor.expect_sign(line("call"), "▶●")
    editor.command("LazydapStop")
    editor.expect_message("shapes.py ended")
    assert not any("exit code" in line for line in editor.messages())
    editor.expect_sign(line("call"), "●")
