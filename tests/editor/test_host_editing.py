"""Edits while breakpoints are set and programs stand still, for real: everything follows its text, or says so."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import ADAPTERS, SLOW, break_at, debuggee, expect_stop, launch
from tests.fixtures.debuggees import COUNTS

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

FORMATTER = """
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
table.insert(lines, 1, (...))
vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
"""
COMMENT = {"debugpy": "# formatted", "lldb-dap": "// formatted"}


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, timeout=20)


def test_another_branch_takes_the_breakpoints_along_and_brings_them_back(start_editor: Start, project: Path) -> None:
    made = debuggee("debugpy", COUNTS, project)
    call = made.line("call")
    git(project, "init", "-q", "-b", "one")
    git(project, "add", made.file.name)
    git(project, "commit", "-q", "-m", "one")
    git(project, "checkout", "-q", "-b", "two")
    made.file.write_text("# a licence\n# of two lines\n" + made.program.source)
    git(project, "commit", "-q", "-a", "-m", "two")
    git(project, "checkout", "-q", "-b", "three")
    made.file.write_text("print('nothing is left of it')\n" * 30)
    git(project, "commit", "-q", "-a", "-m", "three")
    git(project, "checkout", "-q", "one")

    editor = start_editor(made.file, init="vim.o.autoread = true\n")
    break_at(editor, call)
    git(project, "checkout", "-q", "two")
    editor.command("checktime")
    eventually(editor.signs, lambda signs: signs == {call + 2: "●"}, what="it has gone down with its text")
    git(project, "checkout", "-q", "three")
    editor.command("checktime")
    eventually(editor.signs, lambda signs: signs == {call + 2: "○~"}, what="it says that its line is gone")
    editor.expect_virtual_text(call + 2, "its line is gone")
    git(project, "checkout", "-q", "one")
    editor.command("checktime")
    eventually(editor.signs, lambda signs: signs == {call: "●"}, what="it is back on its line")
    launch(editor, made.command)
    expect_stop(editor, made.file, call)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_undo_after_a_stop_leaves_the_arrow_where_the_program_is(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, COUNTS, project)
    call, shown = made.line("call"), made.line("print")
    editor = start_editor(made.file)
    break_at(editor, call)
    editor.lua(FORMATTER, COMMENT[adapter])
    editor.expect_sign(call + 1, "●")
    editor.command("silent undo")
    editor.expect_sign(call, "●")
    launch(editor, made.command)
    expect_stop(editor, made.file, call)
    editor.command("call setline(1, getline(1) . ' ')")
    editor.command("LazydapStep")
    expect_stop(editor, made.file, shown)
    editor.command("silent undo")
    eventually(editor.signs, lambda signs: signs == {call: "●", shown: "▶"}, what="the arrow is where it was")
    editor.lua(FORMATTER, COMMENT[adapter])
    eventually(editor.signs, lambda signs: signs == {call + 1: "●", shown + 1: "▶"}, what="both follow the formatter")
    editor.command("silent undo")
    eventually(editor.signs, lambda signs: signs == {call: "●", shown: "▶"}, what="and its undo")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_what_was_edited_and_saved_before_the_launch_stops_at_the_text_that_was_meant(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, COUNTS, project)
    last = made.line("last")
    editor = start_editor(made.file)
    break_at(editor, last)
    editor.lua(FORMATTER, COMMENT[adapter])
    editor.command("silent 2move 0 | silent undo | silent write")
    editor.expect_sign(last + 1, "●")
    if adapter == "lldb-dap":
        subprocess.run(["cc", "-g", "-O0", "-o", made.file.with_suffix(""), made.file], check=True, timeout=60)
    launch(editor, made.command)
    expect_stop(editor, made.file, last + 1)
    editor.expect_sign(last + 1, "▶●")


def test_a_renamed_file_stops_where_it_did(start_editor: Start, project: Path) -> None:
    made = debuggee("debugpy", COUNTS, project)
    editor = start_editor(made.file)
    break_at(editor, made.line("last"))
    renamed = project / "renamed.py"
    editor.command(f"silent saveas {renamed.name}")
    made.file.unlink()
    editor.command("silent write")
    editor.expect_sign(made.line("last"), "●")
    launch(editor, made.command)
    expect_stop(editor, renamed, made.line("last"))


def test_deleting_the_line_of_a_breakpoint_and_undoing_it_is_as_if_nothing_had_been(
    start_editor: Start, project: Path
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    call = made.line("call")
    editor = start_editor(made.file)
    break_at(editor, call)
    editor.command(f"{call}delete")
    editor.expect_sign(call, "○~")
    editor.command("silent undo")
    editor.expect_sign(call, "●")
    editor.command("silent write")
    launch(editor, made.command)
    eventually(editor.signs, lambda signs: signs.get(call) == "▶●", what="it stops there", seconds=SLOW)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_lines_put_in_while_the_program_stands_take_the_breakpoint_along_and_it_still_stops_there(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, COUNTS, project)
    call = made.line("call")
    editor = start_editor(made.file)
    break_at(editor, call)
    launch(editor, made.command)
    expect_stop(editor, made.file, call)
    comment = "//" if made.file.suffix == ".c" else "#"
    editor.command(f"call append(0, ['{comment} one', '{comment} two'])")
    editor.expect_sign(call + 2, "▶●")
    for turn in (1, 2):
        editor.command("LazydapContinue")
        editor.expect_virtual_text(call + 2, f"i = {turn}")
        eventually(editor.signs, lambda signs: signs == {call + 2: "▶●"}, what="it stands there", seconds=SLOW)

    # What is said of a line means the statement that stands on it now.
    shown = made.line("print")
    break_at(editor, shown + 2)
    eventually(editor.signs, lambda signs: signs.get(shown + 2) == "●", what="it is bound", seconds=SLOW)
    assert f"line = {shown + 2}\n" in (project / ".lazydap" / "state.toml").read_text()
    editor.command("LazydapContinue")
    expect_stop(editor, made.file, shown + 2)
    editor.command("LazydapContinue")
    expect_stop(editor, made.file, call + 2)
    if adapter == "lldb-dap":  # debugpy looks for code in the file that is there now (doc/adapters.md)
        editor.command("silent write")
    square = made.line("square")
    editor.command(f"{square + 2}LazydapRunToCursor")
    expect_stop(editor, made.file, square + 2)
    editor.command(f"{shown + 2}LazydapBreak if i < 9")
    eventually(editor.signs, lambda signs: signs.get(shown + 2) == "◆", what="it is conditional", seconds=SLOW)
    editor.command("LazydapContinue")
    expect_stop(editor, made.file, shown + 2)
    if adapter == "debugpy":  # lldb-dap cannot jump
        editor.command(f"{call + 2}LazydapJump")
        expect_stop(editor, made.file, call + 2)

    # And a line that the program does not have is not taken for another one.
    editor.command("1LazydapRunToCursor")
    editor.expect_message("this line is not in the running program")
    break_at(editor, 1)
    editor.expect_sign(1, "○?")
    editor.expect_virtual_text(1, "not in the running program: it holds from the next launch")
    editor.expect_message("the breakpoint holds from the next launch")
    assert "line = 1\n" in (project / ".lazydap" / "state.toml").read_text()


EDITED = "first = 1\nsecond = 2\nthird = 3\nfourth = 4\nfifth = 5\nprint(first)\n"
INSERT = """
local at = { line = 0, character = 0 }
local edit = { range = { start = at, ['end'] = at }, newText = '# from a language server\\n' }
vim.lsp.util.apply_text_edits({ edit }, vim.api.nvim_get_current_buf(), 'utf-16')
"""


def test_a_program_stops_at_the_statements_that_edits_have_moved(start_editor: Start, project: Path) -> None:
    program = project / "edited.py"
    program.write_text(EDITED)
    editor = start_editor(program)
    marked = ("second", "third", "fifth")
    for line in (2, 3, 5):
        break_at(editor, line)
    # A filter, a line above, one moved down by deleting and putting, and an edit as of a language server.
    editor.command("%!sed '1i import sys'")
    editor.command("execute 'normal! ggOimport os' | 1")
    editor.command("/third/")
    editor.type("ddp")
    editor.lua(INSERT)
    editor.command("write")
    lines = program.read_text().splitlines()
    order = ["second", "fourth", "third", "fifth"]
    assert [line.split()[0] for line in lines if line.split()[0] in order] == order
    where = [number for number, line in enumerate(lines, 1) if line.split()[0] in marked]
    for line in where:
        editor.expect_sign(line, "●")
    editor.command("LazydapLaunch")
    for line in where:
        expect_stop(editor, program, line)
        editor.command("LazydapContinue")
