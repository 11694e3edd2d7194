"""The program's terminal in an editor: keys go to the program, and it is still there when the editor has died."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import Editor, eventually
from tests.fixtures.terminal_programs import ASKS

StartEditor = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)
SLOW = 30.0

SHOWN = """
for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  local buffer = vim.api.nvim_win_get_buf(window)
  if vim.bo[buffer].filetype == 'lazydap-terminal' then
    return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n')
  end
end
return ''
"""
ENTER = """
for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  if vim.bo[vim.api.nvim_win_get_buf(window)].filetype == 'lazydap-terminal' then
    vim.api.nvim_set_current_win(window)
  end
end
"""


def until_shown(editor: Editor, text: str) -> None:
    """Wait until the terminal shows `text`."""
    eventually(lambda: editor.lua(SHOWN), lambda shown: text in shown, what=f"{text!r} is shown", seconds=SLOW)


def test_a_program_asks_in_the_editor_and_is_answered_in_the_next_one(start_editor: StartEditor, project: Path) -> None:
    file = ASKS.python.write(project)
    (project / ".vscode").mkdir()
    asks = {"name": "ask", "type": "debugpy", "request": "launch", "program": str(file)}
    told = {"configurations": [asks | {"console": "integratedTerminal"}]}
    (project / ".vscode" / "launch.json").write_text(json.dumps(told), encoding="utf-8")
    first = start_editor(file)
    first.command("LazydapLaunch ask")
    state = "return (require('lazydap').state() or {}).state"
    eventually(lambda: first.lua(state), lambda now: now == "running", what="it runs", seconds=SLOW)
    first.command("LazydapOutput")
    until_shown(first, "name?")
    assert "leaves it" not in first.lua(SHOWN)
    first.command("LazydapOutput")
    assert first.lua(SHOWN) == ""
    first.kill()

    second = start_editor(file)
    second.command("LazydapStatus")
    eventually(lambda: second.lua(state), lambda now: now == "running", what="it runs on", seconds=SLOW)
    second.command("LazydapOutput")
    until_shown(second, "name?")
    second.lua(ENTER)
    second.type("iana<CR>")
    until_shown(second, "1 hello ana")
    second.type("<C-c>")
    until_shown(second, "ended with exit code 4")

    # The open window goes along to the next program.
    eventually(lambda: second.lua(state), lambda now: now != "running", what="its end is known here", seconds=SLOW)
    second.type("<C-\\><C-n>")
    second.command("wincmd p")
    before = second.lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }")
    second.command("LazydapLaunch ask")
    eventually(
        lambda: second.lua(SHOWN),
        lambda shown: "name?" in shown and "ana" not in shown,
        what="the new one",
        seconds=SLOW,
    )
    assert second.lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }") == before
    second.lua(ENTER)
    second.type("ieva<CR>")
    until_shown(second, "1 hello eva")


def test_with_the_option_a_program_without_a_configuration_gets_a_terminal(
    start_editor: StartEditor, project: Path
) -> None:
    file = ASKS.python.write(project)
    editor = start_editor(file, init="vim.g.lazydap = { terminal = true }")
    editor.command("LazydapLaunch")
    said = eventually(
        editor.messages,
        lambda said: any("LazydapOutput" in line for line in said),
        what="where to type",
        seconds=SLOW,
    )
    assert "terminal" in said[-1]
    editor.command("LazydapOutput")
    until_shown(editor, "name?")


def with_terminal(root: Path, state: str = "running") -> dict[str, Any]:
    session: dict[str, Any] = {"root": str(root), "state": state, "session_id": "s", "launches": [], "terminal": True}
    return {"generation": 2, "connected": True, "follow": True, "projects": [session]}


WINDOWS = """
return vim.tbl_map(function(window)
  local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
  return name:match('[^/]*$')
end, vim.api.nvim_tabpage_list_wins(0))
"""


def test_a_program_that_runs_on_with_its_terminal_out_of_sight_says_once_where_it_is(
    start_editor: StartEditor, stub: StubHost, project: Path
) -> None:
    file = project / "a.py"
    file.write_text("pass\n")
    editor = start_editor(file, init=stub.init)
    for state in ("paused", "running"):
        editor.apply(with_terminal(project, state))
    editor.expect_message("is running: :LazydapOutput shows its terminal")


def test_a_terminal_that_is_gone_is_one_line_and_no_pane(
    start_editor: StartEditor, stub: StubHost, project: Path
) -> None:
    file = project / "a.py"
    file.write_text("pass\n")
    editor = start_editor(file, init=stub.init)
    editor.lua(f"require('lazydap.host').interpreter = function() return {{ path = {sys.executable!r} }} end")
    editor.apply(with_terminal(project, "exited"))
    editor.command("LazydapOutput")
    editor.expect_message("nothing is kept of the last program: :LazydapLaunch starts one")
    assert editor.lua(WINDOWS) == ["a.py"]


def test_the_usual_panes_of_a_program_with_a_terminal_have_that_in_place_of_the_output(
    start_editor: StartEditor, stub: StubHost, project: Path
) -> None:
    file = project / "a.py"
    file.write_text("pass\n")
    editor = start_editor(file, init=stub.init + "vim.g.lazydap = vim.tbl_extend('force', vim.g.lazydap, {ui='auto'})")
    before = editor.eval("winrestcmd()")
    untold = with_terminal(project)
    del untold["projects"][0]["terminal"]
    editor.apply(untold)
    eventually(lambda: sorted(editor.lua(WINDOWS)), lambda shown: "output" in shown, what="the output")
    editor.apply(with_terminal(project))
    wanted = ["a.py", "terminal", "variables"]
    eventually(lambda: sorted(editor.lua(WINDOWS)), lambda shown: shown == wanted, what="the terminal")
    editor.apply(with_terminal(project, "exited"))
    eventually(lambda: editor.lua(WINDOWS), lambda shown: shown == ["a.py"], what="the panes close")
    assert editor.eval("winrestcmd()") == before


def test_an_open_terminal_keeps_no_editor_from_leaving_and_goes_into_no_session(
    start_editor: StartEditor, project: Path
) -> None:
    file = ASKS.python.write(project)
    (project / ".vscode").mkdir()
    asks = {"name": "ask", "type": "debugpy", "request": "launch", "program": str(file)}
    told = {"configurations": [asks | {"console": "integratedTerminal"}]}
    (project / ".vscode" / "launch.json").write_text(json.dumps(told), encoding="utf-8")
    first = start_editor(file)
    first.command("LazydapLaunch ask")
    eventually(
        first.messages,
        lambda said: any("in its terminal: :LazydapOutput" in line for line in said),
        what="where to type",
        seconds=SLOW,
    )
    first.command("LazydapOutput")
    until_shown(first, "name?")
    assert first.eval("bufname(bufnr('lazydap://terminal'))") == "lazydap://terminal"
    assert [name for name in first.eval("map(getbufinfo(), 'v:val.name')") if name.startswith("term:")] == []
    first.command(f"mksession {project / 'Session.vim'}")
    first.leave()

    second = start_editor("-S", project / "Session.vim")
    eventually(lambda: second.lua(WINDOWS), lambda shown: shown == [file.name], what="no empty pane")
    second.command("LazydapStatus")
    second.expect_message("is running")
    second.command("LazydapOutput")
    until_shown(second, "name?")
    second.lua(ENTER)
    second.type("iana<CR>")
    until_shown(second, "1 hello ana")
    second.type("<C-c>")
    until_shown(second, "ended with exit code 4")


HOW = 'wants input: set "console": "integratedTerminal" in launch.json'


def test_a_python_program_that_asks_where_nobody_can_answer_is_told_how_it_gets_a_terminal(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "asks.py"
    file.write_text("print(input('name? '))\n")
    editor = start_editor(file)
    editor.command("LazydapLaunch")
    eventually(editor.messages, lambda said: any(HOW in line for line in said), what="how", seconds=SLOW)
