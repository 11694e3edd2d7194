"""Panes, floats, console and output on real adapters: one program on each, looked at in every way there is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import ADAPTERS, SLOW, Debuggee, break_at, debuggee, expect_stop, launch
from tests.fixtures.debuggees import Pair
from tests.fixtures.programs import Program

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

HOLDS = Pair(
    Program(
        "holds.c",
        """\
#include <stdio.h>

struct box {
    int width, height;
};

int main(void) {
    int rows[250], total = 0;
    struct box box = {2, 3};
    for (int row = 0; row < 250; row++)
        rows[row] = row;
    printf("\\033[31mred\\033[0m and plain\\n");
    fflush(stdout);
    fprintf(stderr, "to stderr\\n");
    for (int turn = 0; turn < 3; turn++) {
        box.width += rows[1];
        total += box.width;  // @here
    }
    for (int line = 1; line <= 20000; line++)
        printf("line %d\\n", line);
    return 0;
}
""",
    ),
    Program(
        "holds.py",
        """\
import sys


class Box:
    def __init__(self):
        self.width, self.height = 2, 3


def main():
    rows, total = list(range(250)), 0
    box = Box()
    print("\\033[31mred\\033[0m and plain", flush=True)
    print("to stderr", file=sys.stderr)
    for turn in range(3):
        box.width += rows[1]
        total += box.width  # @here
    for line in range(1, 20001):
        print("line", line)


main()
""",
    ),
)
OUTPUT_GROUPS = """
local buffer = vim.fn.bufnr('^lazydap://output$')
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, -1, 0, -1, { details = true })) do
  local text = vim.api.nvim_buf_get_text(buffer, mark[2], mark[3], mark[4].end_row, mark[4].end_col, {})[1]
  found[text] = vim.api.nvim_get_hl(0, { name = mark[4].hl_group, link = true })
end
return found
"""
ENTER = "vim.api.nvim_set_current_win(vim.fn.bufwinid('^lazydap://' .. ... .. '$'))"


def expect_line(editor: Editor, name: str, part: str, seconds: float = SLOW) -> int:
    """Wait until a line of the pane contains `part`; returns its number."""
    lines = eventually(
        lambda: editor.pane(name),
        lambda shown: any(part in line for line in shown),
        what=f"{part!r} is in the pane {name}",
        seconds=seconds,
    )
    return next(number for number, line in enumerate(lines, 1) if part in line)


def on_line(editor: Editor, name: str, part: str, keys: str) -> None:
    """Type keys on the line of the pane that contains `part`, and go back to the window before."""
    number = expect_line(editor, name, part)
    editor.lua(ENTER, name)
    editor.go_to(number)
    editor.type(keys)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_what_a_program_holds_and_prints_is_looked_at_set_watched_and_evaluated(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, HOLDS, project)
    here = made.line("here")
    editor = start_editor(made.file)
    break_at(editor, here)
    launch(editor, made.command)
    expect_stop(editor, made.file, here)
    before = windows(editor)
    editor.command("LazydapUI")
    assert editor.cursor() == (str(made.file), here)

    output_is_shown_in_its_colours(editor, adapter)
    what_was_opened_stays_open_and_what_changed_is_marked(editor, made)
    a_big_array_comes_page_by_page(editor)
    a_watch_and_a_new_value_are_given_in_the_pane(editor)
    values_stand_in_a_float_under_the_cursor_and_of_a_selection(editor, made)
    the_console_evaluates_remembers_and_completes(editor, adapter)
    to_the_source(editor, made)
    editor.command("LazydapSet total = box.width")
    editor.expect_message("total = 4")
    expect_line(editor, "variables", "total = 4")
    panes_are_searched_and_say_where_to_type(editor, made)
    a_flood_of_output_is_kept_to_its_bound(editor)
    editor.command("LazydapUI")
    assert windows(editor) == before


def windows(editor: Editor) -> Any:
    return editor.lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }")


def to_the_source(editor: Editor, made: Debuggee) -> None:
    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(...))", str(made.file))


def output_is_shown_in_its_colours(editor: Editor, adapter: str) -> None:
    expect_line(editor, "output", "red and plain")
    expect_line(editor, "output", "to stderr")
    groups = editor.lua(OUTPUT_GROUPS)
    assert groups["red"]["ctermfg"] == 1
    if adapter == "debugpy":
        assert groups["to stderr"]["link"] == "DiagnosticError"


def what_was_opened_stays_open_and_what_changed_is_marked(editor: Editor, made: Debuggee) -> None:
    on_line(editor, "variables", "▸ box", "<CR>")
    expect_line(editor, "variables", "      width = 3")
    to_the_source(editor, made)
    editor.command("LazydapContinue")
    expect_line(editor, "variables", "      width = 4")
    expect_line(editor, "variables", "▾ box")
    editor.expect_virtual_text(made.line("here"), "total = 3")
    assert "LazydapValueChanged" in editor.groups(made.line("here"))


def a_big_array_comes_page_by_page(editor: Editor) -> None:
    on_line(editor, "variables", "▸ rows", "<CR>")
    expect_line(editor, "variables", "… after 100: more")
    assert len(editor.pane("variables")) < 120
    on_line(editor, "variables", "… after 100: more", "<CR>")
    eventually(
        lambda: "\n".join(editor.pane("variables")),
        lambda shown: "… after 100" not in shown and ("… after 200: more" in shown or "[100:250]" in shown),
        what="the next page",
    )
    on_line(editor, "variables", "▾ rows", "<CR>")
    eventually(lambda: len(editor.pane("variables")), lambda count: count < 30, what="it is closed again")


def a_watch_and_a_new_value_are_given_in_the_pane(editor: Editor) -> None:
    editor.command("LazydapWatch total * 2")
    expect_line(editor, "variables", "total * 2 = 6")
    on_line(editor, "variables", "    total = ", "s<C-u>41<CR>")
    expect_line(editor, "variables", "    total = 41")
    expect_line(editor, "variables", "total * 2 = 82")
    on_line(editor, "variables", "total * 2", "y")
    eventually(lambda: editor.eval('@"'), lambda text: text == "total * 2", what="the expression is copied")
    editor.type("dd")
    eventually(lambda: editor.pane("variables")[0], lambda first: "Locals" in first, what="it is watched no longer")


def values_stand_in_a_float_under_the_cursor_and_of_a_selection(editor: Editor, made: Debuggee) -> None:
    to_the_source(editor, made)
    editor.go_to(made.line("here"))
    editor.command("normal! ^")
    editor.command("LazydapHover")
    editor.expect_float(["  total = 41  int"])
    editor.command("normal! fbv8l\x1b")
    editor.command("'<,'>LazydapEval")
    editor.expect_float(["  box.width = 4  int"])
    editor.type("$")
    editor.expect_float([])


def the_console_evaluates_remembers_and_completes(editor: Editor, adapter: str) -> None:
    editor.command("LazydapConsole")
    editor.type("total + 1<CR>")
    expect_line(editor, "console", "42")
    editor.type("nope<CR>")
    expect_line(editor, "console", "nope'")
    editor.type("<Up><Up>")
    editor.expect_pane("prompt", ["total + 1"])
    editor.type("<C-u>1 + tot<Tab>")
    editor.expect_pane("prompt", ["1 + total"])
    editor.type("<C-u>")
    if adapter == "debugpy":
        editor.type("for row in rows[:3]:<CR>    box.height += row<CR><CR>")
        expect_line(editor, "console", "» for row in rows[:3]:")
        editor.type("box.height<CR>")
        eventually(lambda: editor.pane("console")[-1], lambda last: last == "6", what="the block has been carried out")
    editor.type("<Esc>")
    editor.command("LazydapConsole")


def panes_are_searched_and_say_where_to_type(editor: Editor, made: Debuggee) -> None:
    editor.lua(ENTER, "variables")

    def searched() -> Any:
        # Its rows may still be on their way.
        editor.type("gg/total =<CR>")
        return editor.eval("getline('.')")

    eventually(searched, lambda line: "total =" in line, what="the row is found")
    editor.type("i")
    editor.expect_message("no text here: s sets a value")
    editor.lua(ENTER, "output")
    editor.type("gg/stderr<CR>")
    assert "stderr" in editor.eval("getline('.')")
    editor.type("i")
    editor.expect_message("no input here")
    to_the_source(editor, made)


def a_flood_of_output_is_kept_to_its_bound(editor: Editor) -> None:
    editor.command("LazydapDisable!")
    editor.command("LazydapContinue")
    editor.expect_no_sign(text="▶")
    expect_line(editor, "output", "line 20000")
    shown = editor.pane("output")
    assert len(shown) <= 10_001
    # Which of the two that keep it has let go of the rest depends on how fast it came.
    lost = [line for line in shown if "lines were dropped here" in line or "printed faster than they are kept" in line]
    assert lost, shown[:3]
