"""Breakpoints set with the mouse and from a shell, handled in their list, and what Lua hears of a real session."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import Debuggee, debuggee, expect_stop, launch, shell
from tests.fixtures.debuggees import COUNTS

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

INIT = """
vim.o.mouse = 'a'
vim.o.statuscolumn = "%@v:lua.require'lazydap'.click@%s%l %T"
_G.events = {}
vim.api.nvim_create_autocmd('User', { pattern = 'Lazydap*', callback = function(event)
  table.insert(_G.events, { event.match, event.data })
end })
"""
STATUS = "return require('lazydap').status()"
TITLE = "Lazydap breakpoints"


def told(editor: Editor, name: str) -> list[dict[str, Any]]:
    """The data of each event of that name."""
    return [data for match, data in editor.lua("return _G.events") if match == name]


def test_breakpoints_of_mouse_and_shell_are_handled_in_the_list_and_lua_hears_of_all(
    start_editor: Start, project: Path
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    editor = start_editor(made.file, init=INIT, terminal=True)
    assert editor.lua(STATUS) == ""
    a_click_and_the_shell_set_breakpoints(editor, made, project)
    the_list_disables_changes_and_removes(editor, made)
    a_session_is_told_to_lua_and_the_statusline(editor, made)


def a_click_and_the_shell_set_breakpoints(editor: Editor, made: Debuggee, project: Path) -> None:
    square, call = made.line("square"), made.line("call")
    editor.command("redraw")
    editor.lua("vim.api.nvim_input_mouse('left', 'press', '', 0, ..., 0)", square - 1)
    editor.expect_sign(square, "●")
    shell(project, "break", f"{made.file.name}:{call}")
    eventually(editor.signs, lambda signs: signs == {square: "●", call: "●"}, what="the shell's is drawn")
    eventually(lambda: len(told(editor, "LazydapBreakpointsChanged")[-1]["breakpoints"]), lambda n: n == 2, what="told")


def the_list_disables_changes_and_removes(editor: Editor, made: Debuggee) -> None:
    square, call = made.line("square"), made.line("call")
    editor.command("LazydapBreak main")
    editor.command("LazydapBreakpoints")
    here = ["square = number * number  # @square", "total += squared(i)  # @call"]
    editor.expect_quickfix(TITLE, [*here, "function main"])
    editor.type("Gdd")
    editor.expect_quickfix(TITLE, here)
    editor.type("ggt")
    editor.expect_quickfix(TITLE, ["[disabled]", here[1]])
    editor.type("jci > 1<CR>")
    editor.expect_quickfix(TITLE, ["[disabled]", "if i > 1"])
    editor.command("wincmd p")
    eventually(editor.signs, lambda signs: signs == {square: "○-", call: "◆"}, what="the gutter says the same")
    editor.command("wincmd p")
    editor.type("ggdd")
    editor.expect_quickfix(TITLE, ["if i > 1"])
    editor.command("cclose")
    assert editor.signs() == {call: "◆"}


def a_session_is_told_to_lua_and_the_statusline(editor: Editor, made: Debuggee) -> None:
    call = made.line("call")
    launch(editor, made.command)
    expect_stop(editor, made.file, call)
    editor.expect_virtual_text(call, "i = 2")
    assert editor.lua(STATUS) == f"paused {made.file.name}:{call}"
    stop = told(editor, "LazydapStopped")[0]
    assert (stop["path"], stop["line"], stop["name"], stop["reason"]) == (str(made.file), call, "main", "breakpoint")
    editor.command("LazydapDisable!")
    editor.expect_sign(call, "▶◇")
    editor.command("LazydapContinue")
    editor.expect_message("ended: exit code 30")
    eventually(lambda: told(editor, "LazydapSessionEnded"), lambda ended: len(ended) == 1, what="its end is told")
    session = told(editor, "LazydapSessionStarted")[0]["session_id"]
    assert {data["session_id"] for data in (stop, *told(editor, "LazydapContinued"))} == {session}
    assert told(editor, "LazydapSessionEnded")[0]["exit_code"] == 30
    assert editor.lua(STATUS) == ""
