"""The program's terminal in an editor: keys go to the program, and it is still there when the editor has died."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

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
