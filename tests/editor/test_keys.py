"""Debug keys: taken only when asked for, and given back however the session ended."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]

WITH_KEYS = "vim.g.lazydap = vim.tbl_extend('force', vim.g.lazydap or {}, { debug_keys = true })\n"


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text("one\ntwo\n")
    return file


def session(path: Path, state: str, *, follow: bool = True) -> dict[str, Any]:
    return {"generation": 1, "follow": follow, "projects": [{"root": str(path.parent), "state": state}]}


def key(editor: Editor, name: str) -> str:
    return editor.eval(f"maparg('{name}', 'n')")


def test_no_key_is_taken_unless_it_was_asked_for(start_editor: Start, source: Path) -> None:
    editor = start_editor(source)
    editor.apply(session(source, "paused"))
    assert [key(editor, name) for name in ("<F5>", "<F9>", "<F10>", "K")] == ["", "", "", ""]


@pytest.mark.parametrize("ending", ["exited", "terminated", "adapter_died", "none"])
def test_keys_are_there_while_a_program_lives(start_editor: Start, source: Path, ending: str) -> None:
    editor = start_editor(source, init=WITH_KEYS)
    assert key(editor, "<F10>") == ""
    editor.apply(session(source, "running"))
    assert "LazydapStep over" in key(editor, "<F10>")
    assert "LazydapStop" in key(editor, "<F17>")
    editor.apply(session(source, ending))
    assert [key(editor, name) for name in ("<F5>", "<F9>", "<F10>", "<F11>", "<F12>", "<F17>")] == [""] * 6


def test_a_key_does_what_it_says(start_editor: Start, stub: StubHost, source: Path) -> None:
    editor = start_editor(source, init=stub.init + WITH_KEYS)
    editor.apply(session(source, "paused"))
    editor.type("3<F10>")
    assert stub.expect("step") == {"verb": "step", "kind": "over", "count": 3}
    editor.type("<F9>")
    assert stub.expect("break")["line"] == 1


def test_what_was_mapped_before_is_given_back(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init=WITH_KEYS)
    editor.command("nnoremap <buffer> <silent> <F10> :let g:mine = 1<CR>")
    editor.command("nnoremap <F9> :let g:everywhere = 1<CR>")
    editor.apply(session(source, "paused"))
    assert "LazydapStep" in key(editor, "<F10>")
    editor.apply(session(source, "exited"))
    editor.type("<F10><F9>")
    eventually(lambda: editor.eval("get(g:, 'mine') + get(g:, 'everywhere')"), lambda sum_: sum_ == 2, what="both ran")
    assert editor.eval("maparg('<F10>', 'n', 0, 1)")["silent"] == 1


def test_a_key_that_was_mapped_anew_meanwhile_is_left_alone(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init=WITH_KEYS)
    editor.apply(session(source, "paused"))
    editor.command("nnoremap <buffer> <F10> :let g:newer = 1<CR>")
    editor.apply(session(source, "exited"))
    assert "newer" in key(editor, "<F10>")


def test_files_opened_during_the_session_have_the_keys_and_others_never(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init=WITH_KEYS)
    editor.apply(session(source, "paused"))
    other = source.with_name("b.py")
    other.write_text("one\n")
    editor.edit(other)
    assert "LazydapStep" in key(editor, "<F10>")
    editor.command("new")
    assert key(editor, "<F10>") == ""
    editor.command("close")
    editor.apply(session(source, "exited"))
    assert key(editor, "<F10>") == ""


def test_an_editor_that_only_watches_takes_no_keys(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init=WITH_KEYS)
    editor.apply(session(source, "paused", follow=False))
    assert key(editor, "<F10>") == ""
    editor.apply(session(source, "paused"))
    assert key(editor, "<F10>") != ""


def test_keys_can_be_chosen_one_by_one(start_editor: Start, source: Path) -> None:
    init = "vim.g.lazydap = { debug_keys = { ['<Right>'] = 'LazydapStep over', ['gs'] = 'LazydapStack' } }"
    editor = start_editor(source, init=init)
    editor.apply(session(source, "paused"))
    assert "LazydapStep over" in key(editor, "<Right>")
    assert "LazydapStack" in key(editor, "gs")
    assert key(editor, "<F10>") == ""


def test_keys_are_given_back_when_the_host_dies(start_editor: Start, stub: StubHost, source: Path) -> None:
    editor = start_editor(source, init=stub.init + WITH_KEYS)
    editor.command("LazydapStatus")
    stub.expect("status")
    editor.apply(session(source, "paused"))
    pid = editor.host_pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: key(editor, "<F10>"), lambda right: right == "", what="the key is given back")


SERVER = """
_G.start_server = function(buffer)
  return vim.lsp.start({
    name = 'tiny',
    cmd = function()
      local is_closing = false
      return {
        request = function(method, _, answer)
          answer(nil, method == 'initialize' and { capabilities = { hoverProvider = true } } or vim.NIL)
          return true, 1
        end,
        notify = function(method) is_closing = is_closing or method == 'exit' return true end,
        is_closing = function() return is_closing end,
        terminate = function() is_closing = true end,
      }
    end,
    root_dir = vim.fn.getcwd(),
  }, { bufnr = buffer, reuse_client = function() return false end })
end
"""
ATTACHED = "return #vim.lsp.get_clients({ bufnr = 0 })"


def attach_server(editor: Editor) -> None:
    """Attach one more language server to the current buffer."""
    before = editor.lua(ATTACHED)
    editor.lua("_G.server = _G.start_server(0)")
    eventually(lambda: editor.lua(ATTACHED), lambda count: count == before + 1, what="the server is attached")


def what_k_does(editor: Editor) -> str:
    """The description of what `K` is mapped to here, by whom ever."""
    return editor.eval("get(maparg('K', 'n', 0, 1), 'desc', '')")


def expect_k(editor: Editor, does: str) -> None:
    eventually(lambda: what_k_does(editor), lambda now: now == does, what=f"K does {does!r}")


OURS = "lazydap: LazydapHover"
SERVERS = "vim.lsp.buf.hover()"


@pytest.mark.parametrize("when", ["before", "during", "after"])
def test_the_servers_k_is_there_again_whenever_it_was_attached(start_editor: Start, source: Path, when: str) -> None:
    editor = start_editor(source, init=WITH_KEYS + SERVER)
    if when == "before":
        attach_server(editor)
        expect_k(editor, SERVERS)
    editor.apply(session(source, "paused"))
    expect_k(editor, OURS)
    if when == "during":
        attach_server(editor)
        expect_k(editor, OURS)
    editor.apply(session(source, "exited"))
    if when == "after":
        expect_k(editor, "")
        attach_server(editor)
    expect_k(editor, SERVERS)


def test_a_file_opened_during_the_session_gets_the_servers_k_afterwards(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init=WITH_KEYS + SERVER)
    editor.apply(session(source, "paused"))
    other = source.with_name("b.py")
    other.write_text("one\n")
    editor.edit(other)
    attach_server(editor)
    expect_k(editor, OURS)
    editor.edit(source)
    editor.apply(session(source, "exited"))
    expect_k(editor, "")
    editor.edit(other)
    expect_k(editor, SERVERS)


def test_a_key_that_a_persons_own_lines_map_when_a_server_comes_is_ours_until_the_end(
    start_editor: Start, source: Path
) -> None:
    own = (
        "vim.api.nvim_create_autocmd('LspAttach', { callback = function(event) "
        "vim.keymap.set('n', 'K', 'G', { buffer = event.buf, desc = 'my own' }) end })\n"
    )
    editor = start_editor(source, init=WITH_KEYS + SERVER + own)
    editor.apply(session(source, "paused"))
    attach_server(editor)
    expect_k(editor, OURS)
    editor.apply(session(source, "exited"))
    expect_k(editor, "my own")


def test_a_server_that_goes_during_the_session_leaves_no_k_behind(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init=WITH_KEYS + SERVER)
    attach_server(editor)
    editor.apply(session(source, "paused"))
    editor.lua("vim.lsp.buf_detach_client(0, _G.server)")
    eventually(lambda: editor.lua(ATTACHED), lambda count: count == 0, what="the server is gone")
    expect_k(editor, OURS)
    editor.apply(session(source, "exited"))
    expect_k(editor, "")


def test_a_file_that_is_closed_and_opened_again_has_the_keys(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init=WITH_KEYS)
    editor.command("nnoremap <buffer> <F10> :let g:mine = 1<CR>")
    editor.apply(session(source, "paused"))
    editor.command("new | bdelete a.py")
    editor.edit(source)
    assert "LazydapStep" in key(editor, "<F10>")
    editor.apply(session(source, "exited"))
    assert key(editor, "<F10>") == ""


def test_a_commit_message_keeps_its_keys(start_editor: Start, source: Path) -> None:
    (source.parent / ".git").mkdir()
    message = source.parent / ".git/COMMIT_EDITMSG"
    message.write_text("subject\n")
    editor = start_editor(source, init=WITH_KEYS)
    editor.command(f"split {message}")
    editor.apply(session(source, "paused"))
    assert [key(editor, name) for name in ("K", "+", "-", "<F10>")] == [""] * 4
    editor.command("wincmd p")
    expect_k(editor, OURS)
