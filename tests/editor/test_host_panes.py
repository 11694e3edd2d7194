"""Panes, floats and the console on real adapters."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(90)

PYTHON = """\
import sys

rows = list(range(250))
names = {"a": [1, 2], "b": [3]}
print("\\033[31mred\\033[0m and plain")
print("to stderr", file=sys.stderr)
total = 0  # @here
total += 1
print(total)
"""


def expect_line(editor: Editor, name: str, part: str) -> int:
    """Wait until a line of the pane contains `part`; returns its number."""
    lines = eventually(
        lambda: editor.pane(name),
        lambda shown: any(part in line for line in shown),
        what=f"{part!r} is in the pane {name}",
        seconds=20,
    )
    return next(number for number, line in enumerate(lines, 1) if part in line)


@pytest.fixture
def editor(start_editor: Start, project: Path) -> Editor:
    program = project / "app.py"
    program.write_text(PYTHON)
    editor = start_editor(program)
    editor.command("LazydapBreak :7")
    editor.expect_sign(7, "●")
    editor.command("LazydapLaunch")
    eventually(lambda: editor.signs().get(7), lambda sign: sign == "▶●", what="the stop", seconds=40)
    return editor


def test_the_panes_of_a_python_program_tell_what_it_holds_and_prints(editor: Editor) -> None:
    editor.command("LazydapUI")
    expect_line(editor, "output", "red and plain")
    expect_line(editor, "output", "to stderr")
    number = expect_line(editor, "variables", "▸ rows = ")
    editor.command("wincmd h")
    editor.go_to(number)
    editor.type("<CR>")
    expect_line(editor, "variables", "… after 100: more")
    editor.type("<CR>")
    eventually(lambda: len(editor.pane("variables")) < 30, lambda is_closed: is_closed, what="rows is closed again")
    editor.command("LazydapStep")
    total = expect_line(editor, "variables", "total = 0")
    editor.command("wincmd h")
    editor.go_to(total)
    editor.type("s<C-u>41<CR>")
    expect_line(editor, "variables", "total = 41")
    editor.command("LazydapStep")
    expect_line(editor, "variables", "total = 42")
    editor.command("LazydapContinue")
    expect_line(editor, "output", "42")


def test_a_python_value_is_hovered_and_a_block_evaluated(editor: Editor) -> None:
    editor.go_to(4)
    editor.command("LazydapHover")
    shown = eventually(editor.float, lambda lines: len(lines) > 2, what="the float")
    assert shown[0].startswith("▾ names = {'a': [1, 2], 'b': [3]}")
    editor.command("LazydapConsole")
    editor.type("for n in names:<CR>    rows.append(n)<CR><CR>")
    expect_line(editor, "console", "» for n in names:")
    editor.type("rows[-2:]<CR>")
    expect_line(editor, "console", "['a', 'b']")
    editor.type("name<Tab>")
    eventually(lambda: editor.eval("pumvisible()"), lambda is_shown: is_shown == 1, what="completion")
