"""Pane windows: where they stand, and that the layout is what it was when they are gone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]


@pytest.fixture
def files(project: Path) -> tuple[Path, Path]:
    made = (project / "a.py", project / "b.py")
    for file in made:
        file.write_text("".join(f"line{number} = {number}\n" for number in range(1, 31)))
    return made


@pytest.fixture
def editor(start_editor: Start, stub: Any, files: tuple[Path, Path]) -> Editor:
    return start_editor(files[0], init=stub.init)


def names(editor: Editor) -> list[str]:
    """What each window shows, by the last part of its name."""
    found: list[str] = editor.eval("map(range(1, winnr('$')), 'bufname(winbufnr(v:val))')")
    return [name.rpartition("/")[2] for name in found]


def layout(editor: Editor) -> Any:
    return editor.lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }")


def live(root: Path, state: str = "running") -> dict[str, Any]:
    session: dict[str, Any] = {"root": str(root), "state": state, "session_id": "s", "launches": [], "connected": True}
    return {"generation": 1, "connected": True, "follow": True, "projects": [session]}


def test_the_usual_panes_open_and_close_and_the_layout_is_what_it_was(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.command(f"vsplit {files[1]} | vertical resize 23 | split | resize 5")
    before = layout(editor)
    editor.command("LazydapUI")
    assert sorted(names(editor)) == ["a.py", "b.py", "b.py", "output", "variables"]
    assert editor.cursor()[0] == str(files[1])
    editor.command("LazydapUI")
    assert layout(editor) == before


def test_panes_have_documented_names_filetypes_and_sizes(editor: Editor) -> None:
    editor.command("LazydapUI")
    shown = editor.lua(
        "return vim.tbl_map(function(w) local b = vim.api.nvim_win_get_buf(w) return { vim.api.nvim_buf_get_name(b),"
        " vim.bo[b].filetype, vim.bo[b].buftype } end, vim.api.nvim_tabpage_list_wins(0))"
    )
    assert ["lazydap://variables", "lazydap-variables", "nofile"] in shown
    assert ["lazydap://output", "lazydap-output", "nofile"] in shown
    assert editor.eval("winwidth(bufwinnr('lazydap://variables'))") == 40
    assert editor.eval("&equalalways") == 1


def test_panes_open_with_a_program_and_close_at_its_end(
    start_editor: Start, stub: Any, files: tuple[Path, Path]
) -> None:
    editor = start_editor(
        files[0], init=stub.init + "vim.g.lazydap = vim.tbl_extend('force', vim.g.lazydap, {ui='auto'})"
    )
    before = layout(editor)
    editor.apply(live(files[0].parent))
    eventually(lambda: sorted(names(editor)), lambda shown: shown == ["a.py", "output", "variables"], what="the panes")
    editor.apply(live(files[0].parent, "exited"))
    eventually(lambda: names(editor), lambda shown: shown == ["a.py"], what="the panes close")
    assert layout(editor) == before


def test_a_stop_goes_to_the_window_chosen_before_and_never_into_a_pane(
    editor: Editor, files: tuple[Path, Path]
) -> None:
    def jump(path: Path, token: int) -> None:
        target = {"token": token, "path": str(path), "line": 3, "reason": "stop"}
        editor.apply({"generation": token, "follow": True, "jump": target})

    editor.command("LazydapUI")
    jump(files[1], 1)
    editor.expect_cursor(files[1], 3)
    assert sorted(names(editor)) == ["b.py", "output", "variables"]
    editor.command("rightbelow vnew")
    jump(files[0], 2)
    editor.expect_cursor(files[0], 3)
    assert sorted(names(editor)) == ["", "a.py", "output", "variables"]
    editor.command("wincmd t")
    jump(files[1], 3)
    editor.expect_cursor(files[1], 3)
    assert sorted(names(editor)) == ["", "b.py", "output", "variables"]


def test_a_stop_with_nothing_but_panes_open_gets_a_window(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.command("LazydapUI | close")
    target = {"token": 1, "path": str(files[1]), "line": 3, "reason": "here"}
    editor.apply({"generation": 1, "follow": True, "jump": target})
    editor.expect_cursor(files[1], 3)
    assert sorted(names(editor)) == ["b.py", "output", "variables"]
    assert editor.eval("&winfixbuf") == 0
    assert editor.eval("&buflisted") == 1


def test_a_restored_session_has_its_panes_back_and_no_empty_file(
    editor: Editor, start_editor: Start, stub: Any, project: Path
) -> None:
    editor.command("LazydapUI")
    editor.command(f"mksession {project / 'Session.vim'}")
    again = start_editor("-S", project / "Session.vim", init=stub.init)
    eventually(lambda: sorted(names(again)), lambda shown: shown == ["a.py", "output", "variables"], what="the panes")
    kinds = again.lua(
        "return vim.tbl_map(function(w) return vim.bo[vim.api.nvim_win_get_buf(w)].filetype end,"
        " vim.api.nvim_tabpage_list_wins(0))"
    )
    assert {"lazydap-variables", "lazydap-output"} <= set(kinds)
    leftovers = again.lua(
        "return #vim.tbl_filter(function(b) return vim.api.nvim_buf_get_name(b):find('lazydap://') ~= nil end,"
        " vim.api.nvim_list_bufs())"
    )
    assert leftovers == 2
    again.command("LazydapUI")
    assert names(again) == ["a.py"]


def test_the_layout_survives_a_value_that_was_shown_when_the_panes_opened(editor: Editor) -> None:
    before = (layout(editor), editor.eval("&cmdheight"))
    shown = editor.lua(
        "return vim.api.nvim_open_win(0, false, {relative='cursor', row=1, col=0, width=10, height=1, style='minimal'})"
    )
    editor.command("LazydapUI")
    editor.lua("vim.api.nvim_win_close(..., true)", shown)
    editor.command("LazydapUI")
    assert (layout(editor), editor.eval("&cmdheight")) == before


def test_what_a_closed_quickfix_window_leaves_goes_to_the_text_and_not_to_the_panes(editor: Editor) -> None:
    editor.command("set lines=40 columns=160")
    editor.command("LazydapUI")
    before = layout(editor)
    editor.command("botright copen")
    editor.command("cclose")
    assert layout(editor) == before
    editor.command("botright vnew")
    editor.command("close")
    assert layout(editor) == before


def test_a_restored_session_asks_for_no_key(editor: Editor, start_editor: Start, stub: Any, project: Path) -> None:
    editor.command("LazydapUI")
    editor.command("LazydapConsole")
    editor.command(f"mksession {project / 'Session.vim'}")
    again = start_editor("-S", project / "Session.vim", init=stub.init, terminal=True)
    eventually(lambda: again.eval("bufwinnr('lazydap://variables') > 0"), bool, what="the panes")
    assert [line for line in again.messages() if "lazydap" in line] == []
    assert again.eval("&shortmess") == editor.eval("&shortmess")


SIZES = """
local found = {}
for _, name in ipairs({ 'variables', 'output', 'console', 'prompt' }) do
  local window = require('lazydap.panes').window(name)
  if window then found[name] = { vim.api.nvim_win_get_width(window), vim.api.nvim_win_get_height(window) } end
end
return found
"""


def test_panes_that_a_small_screen_squeezed_grow_with_it(editor: Editor) -> None:
    editor.command("set lines=24 columns=60")
    editor.command("LazydapUI")
    editor.command("LazydapConsole")
    editor.command("stopinsert")
    squeezed = editor.lua(SIZES)
    assert squeezed["variables"][0] == 30
    editor.command("set lines=60 columns=160")
    eventually(lambda: editor.lua(SIZES)["output"][1], lambda rows: rows == 12, what="the output has its rows")
    assert editor.lua(SIZES)["variables"][0] == 40
    editor.command("set lines=24")
    editor.command("set lines=60")
    eventually(lambda: editor.lua(SIZES)["output"][1], lambda rows: rows == 12, what="it has them again")


def test_a_size_that_a_person_gave_a_pane_is_kept_on_a_larger_screen(editor: Editor) -> None:
    editor.command("set lines=40 columns=160")
    editor.command("LazydapUI")
    editor.lua("vim.api.nvim_win_set_height(require('lazydap.panes').window('output'), 7)")
    editor.lua("vim.cmd.redraw() vim.api.nvim_exec_autocmds('WinResized', {})")
    editor.command("set lines=60")
    assert editor.lua(SIZES)["output"][1] == 7


def test_windows_have_their_part_of_a_screen_that_has_changed_under_the_panes(
    editor: Editor, files: tuple[Path, Path]
) -> None:
    editor.command("set lines=24 columns=80")
    editor.command(f"split {files[1]} | resize 5")
    editor.command("LazydapUI")
    editor.command("set lines=48")
    editor.command("LazydapUI")
    eventually(lambda: editor.eval("winheight(1)"), lambda rows: 10 <= rows <= 14, what="twice the rows for it")
    assert editor.eval("winheight(2)") > 20
    assert editor.eval("&cmdheight") == 1
