"""The whole way: editor, plugin host, daemon and adapter, with a real Python program and a real one of C."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.fixtures.programs import Program
from tests.house.surroundings import Folders

StartEditor = Callable[..., Editor]

pytestmark = pytest.mark.timeout(90)
SLOW = 30.0
"""Seconds: an adapter takes its time on a busy machine."""

PYTHON = Program(
    "shapes.py",
    """\
def area(width, height):
    result = width * height  # @inside
    return result


total = 0
for size in (1, 2, 3):
    total += area(size, 2)  # @call
    half = total / 2  # @after
print(total)  # @end
""",
)

C = Program(
    "shapes.c",
    """\
#include <stdio.h>

static int area(int width, int height) {
    int result = width * height;  // @inside
    return result;
}

int main(void) {
    int total = 0, half = 0;
    for (int size = 1; size <= 3; size++) {
        total += area(size, 2);  // @call
        half = total / 2;  // @after
    }
    printf("%d %d\\n", total, half);  // @end
    return 0;
}
""",
)


@pytest.fixture
def program(project: Path) -> Path:
    return PYTHON.write(project)


def launch(editor: Editor, command: str = "LazydapLaunch") -> None:
    """Launch and wait for the first stop."""
    editor.command(command)
    state = "return (require('lazydap').state() or {}).state"
    eventually(lambda: editor.lua(state), lambda now: now == "paused", what="the program stops", seconds=SLOW)


@pytest.mark.parametrize("language", [PYTHON, C], ids=["debugpy", "lldb-dap"])
def test_break_launch_step_and_end(start_editor: StartEditor, project: Path, language: Program) -> None:
    file, program = language.write(project), ""
    if language is C:
        program = str(language.build(project)[1])
    call, inside, after, end = (language.line(marker) for marker in ("call", "inside", "after", "end"))
    editor = start_editor(file)
    for number in (call, end):
        editor.go_to(number)
        editor.command("LazydapBreak")
        editor.expect_sign(number, "●")

    launch(editor, f"LazydapLaunch {program}")
    editor.expect_sign(call, "▶●")
    editor.expect_cursor(file, call)
    editor.expect_virtual_text(call, "total = 0")
    editor.command("LazydapStepIn")
    editor.expect_cursor(file, inside)
    editor.expect_virtual_text(inside, "height = 2")
    editor.command("LazydapStepOver")
    editor.expect_sign(inside + 1, "▶")
    editor.expect_virtual_text(inside + 1, "result = 2")
    editor.command("LazydapStepOut")
    editor.expect_sign(call, "▶●")
    editor.command("LazydapStepOver")
    editor.expect_sign(after, "▶")
    editor.go_to(call)
    editor.command("LazydapDisable")
    editor.expect_sign(call, "○-")
    editor.command("LazydapContinue")
    editor.expect_sign(end, "▶●")

    editor.command("LazydapContinue")
    editor.expect_message("ended: exit code 0")
    editor.expect_sign(call, "○-")
    editor.expect_sign(end, "●")


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
    again.expect_message("shapes.py is stopped at shapes.py:6: :LazydapHere goes there")
    assert again.cursor()[1] == 1
    again.command("LazydapHere")
    again.expect_cursor(program, 6)


def test_a_daemon_that_is_killed_is_started_again_by_the_next_command(
    start_editor: StartEditor, program: Path, private_folders: Folders
) -> None:
    editor = start_editor(program)
    editor.go_to(PYTHON.line("call"))
    editor.command("LazydapBreak")
    editor.expect_sign(PYTHON.line("call"), "●")
    [pid_file] = private_folders.data.glob("**/*.pid")
    state = program.parent / ".lazydap" / "state.toml"
    eventually(state.exists, lambda there: there, what="the breakpoint is in the file")
    os.kill(int(pid_file.read_text()), signal.SIGKILL)
    editor.expect_message("p: the daemon is gone")
    editor.expect_sign(PYTHON.line("call"), "●")
    launch(editor)
    editor.expect_sign(PYTHON.line("call"), "▶●")
    editor.command("LazydapStop")
    editor.expect_message("shapes.py ended")
    assert not any("exit code" in line for line in editor.messages())
    editor.expect_sign(PYTHON.line("call"), "●")
