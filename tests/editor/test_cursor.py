"""Who moves the cursor: the following editor, in normal mode, in a window for files; otherwise it waits."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]
_tokens = itertools.count(1)


@pytest.fixture
def files(project: Path) -> tuple[Path, Path]:
    made = (project / "a.py", project / "b.py")
    for file in made:
        file.write_text("".join(f"    line{number} = {number}\n" for number in range(1, 31)))
    return made


@pytest.fixture
def editor(start_editor: Start, files: tuple[Path, Path]) -> Editor:
    return start_editor(files[0])


def jump(editor: Editor, path: Path, line: int, *, follow: bool = True, reason: str = "stop") -> None:
    token = next(_tokens)
    stop = {"root": str(path.parent), "path": str(path), "line": line, "stop": token}
    jump = {"token": token, "path": str(path), "line": line, "reason": reason}
    editor.apply({"generation": token, "follow": follow, "stops": [stop], "jump": jump})


def test_the_cursor_goes_to_the_stop_in_the_same_file(editor: Editor, files: tuple[Path, Path]) -> None:
    jump(editor, files[0], 20)
    editor.expect_cursor(files[0], 20)
    assert editor.eval("col('.')") == 5


def test_a_stop_in_another_file_opens_it_in_this_window(editor: Editor, files: tuple[Path, Path]) -> None:
    jump(editor, files[1], 3)
    editor.expect_cursor(files[1], 3)
    assert editor.eval("winnr('$')") == 1
    editor.expect_sign(3, "▶")
    editor.type("<C-o>")
    editor.expect_cursor(files[0], 1)


def test_a_window_that_shows_the_file_is_used(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.command(f"vsplit {files[1]}")
    editor.command("wincmd p")
    jump(editor, files[1], 3)
    editor.expect_cursor(files[1], 3)
    assert editor.eval("winnr('$')") == 2


def test_the_same_jump_is_made_once(editor: Editor, files: tuple[Path, Path]) -> None:
    batch = {"generation": 1, "jump": {"token": "t", "path": str(files[0]), "line": 9}}
    editor.apply(batch)
    editor.expect_cursor(files[0], 9)
    editor.go_to(1)
    editor.apply(batch)
    assert editor.cursor() == (str(files[0]), 1)


def test_an_editor_that_only_watches_draws_and_stays_where_it_is(editor: Editor, files: tuple[Path, Path]) -> None:
    jump(editor, files[0], 20, follow=False)
    editor.expect_sign(20, "▶")
    assert editor.cursor() == (str(files[0]), 1)
    jump(editor, files[0], 20, follow=False, reason="here")
    editor.expect_cursor(files[0], 20)


@pytest.mark.parametrize(
    ("enter", "mode", "leave"),
    [
        ("i", "i", "<Esc>"),
        ("v", "v", "<Esc>"),
        ("V", "V", "<Esc>"),
        ("R", "R", "<Esc>"),
        (":let x", "c", "<Esc>"),
        ("d", "no", "<Esc>"),
        ("q:", "n", ":q<CR>"),
        (":terminal sleep 20<CR>i", "t", r"<C-\><C-n>:bdelete!<CR>"),
    ],
)
def test_in_the_middle_of_something_the_jump_waits_and_one_line_says_so(
    editor: Editor, files: tuple[Path, Path], enter: str, mode: str, leave: str
) -> None:
    editor.type(enter)
    eventually(
        lambda: (editor.is_free(), editor.eval("mode(1)")), lambda now: now == (False, mode), what="the editor is busy"
    )
    jump(editor, files[0], 20)
    jump(editor, files[0], 25)
    # In a terminal the cursor is its own affair, as long as it stays in it.
    assert editor.eval("&buftype == 'terminal' || line('.', win_getid(winnr('$'))) == 1")
    editor.type(leave)
    editor.expect_cursor(files[0], 25)
    waiting = [line for line in editor.messages() if "the cursor follows in normal mode" in line]
    assert waiting == ["lazydap: a.py:20: the cursor follows in normal mode"]


def test_a_float_keeps_the_cursor_until_it_is_left(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.lua(
        "vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, "
        "{relative='editor', row=1, col=1, width=10, height=3})"
    )
    jump(editor, files[0], 20)
    editor.expect_message("the cursor follows in normal mode")
    assert editor.eval("line('.')") == 1
    editor.type("<C-w>c")
    editor.expect_cursor(files[0], 20)


def test_a_pinned_window_is_left_alone(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.command("setlocal winfixbuf")
    jump(editor, files[1], 3)
    editor.expect_cursor(files[1], 3)
    assert editor.eval("winnr('$')") == 2
    assert editor.eval("bufname(winbufnr(2))").endswith("a.py") or editor.eval("bufname(winbufnr(1))").endswith("a.py")


def test_the_window_of_a_commit_message_is_left_alone(editor: Editor, files: tuple[Path, Path], project: Path) -> None:
    (project / ".git").mkdir()
    message = project / ".git" / "COMMIT_EDITMSG"
    message.write_text("subject\n")
    editor.edit(message)
    jump(editor, files[1], 3)
    editor.expect_cursor(files[1], 3)
    assert editor.eval("len(win_findbuf(bufnr('COMMIT_EDITMSG')))") == 1


def test_a_quickfix_window_is_never_used_for_the_source(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.command("copen")
    jump(editor, files[1], 3)
    editor.expect_cursor(files[1], 3)
    assert editor.eval("getwininfo(getqflist({'winid': 0}).winid)[0].quickfix") == 1


def test_a_changed_buffer_is_not_lost_without_hidden(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.command("set nohidden")
    editor.command("call setline(1, 'changed')")
    jump(editor, files[1], 3)
    editor.expect_cursor(files[1], 3)
    assert editor.eval(f"getbufvar('{files[0]}', '&modified')") == 1


def test_a_stop_in_a_file_that_is_not_here_is_told(editor: Editor, files: tuple[Path, Path], project: Path) -> None:
    jump(editor, project / "gone.py", 3)
    editor.expect_message("gone.py is not readable here")
    assert editor.cursor() == (str(files[0]), 1)


def test_a_fold_over_the_stop_is_opened(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.command("set foldmethod=manual | 10,25fold | 1")
    jump(editor, files[0], 20)
    editor.expect_cursor(files[0], 20)
    assert editor.eval("foldclosed(20)") == -1


def test_a_stop_on_the_screen_scrolls_nothing_and_one_off_it_is_centred(
    start_editor: Start, stub: Any, project: Path
) -> None:
    file = project / "long.py"
    file.write_text("".join(f"line{number} = {number}\n" for number in range(1, 201)))
    editor = start_editor(file, init=stub.init)
    jump(editor, file, 15)
    editor.expect_cursor(file, 15)
    assert editor.eval("line('w0')") == 1
    jump(editor, file, 120)
    editor.expect_cursor(file, 120)
    assert abs(editor.eval("line('w0') + line('w$')") / 2 - 120) <= 1
