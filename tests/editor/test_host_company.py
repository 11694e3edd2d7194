"""Beside a program that stops and goes on: a second editor, a commit message, somebody who types, a library."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, end_daemons, eventually
from tests.editor.real import SLOW, break_at, debuggee, expect_state, expect_stop, launch, shell
from tests.fixtures.debuggees import COUNTS
from tests.house.surroundings import Folders

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

WITH_KEYS = "vim.g.lazydap = { debug_keys = true }\n"
LIBRARY = "def doubled(number):\n    twice = number * 2\n    return twice\n"
USES = """\
import lib_of_others

total = 0
for number in range(3):
    total += lib_of_others.doubled(number)
print(total)
"""


def layout(editor: Editor) -> Any:
    return editor.lua("return { vim.fn.winlayout(), vim.fn.winrestcmd(), vim.fn.tabpagenr('$') }")


def keys(editor: Editor) -> list[str]:
    return [editor.eval(f"maparg('{name}', 'n')") for name in ("K", "+", "-", "<F5>", "<F10>")]


def test_a_second_editor_draws_and_nothing_in_it_moves_or_is_taken(start_editor: Start, project: Path) -> None:
    made = debuggee("debugpy", COUNTS, project)
    call, shown = made.line("call"), made.line("print")
    first = start_editor(made.file, init=WITH_KEYS)
    break_at(first, call)
    other = project / "other.py"
    other.write_text("one = 1\ntwo = 2\n")
    second = start_editor(made.file, init=WITH_KEYS)
    second.expect_sign(call, "●")
    second.command(f"vsplit {other}")
    second.go_to(2)
    before = layout(second)
    launch(first, made.command)
    expect_stop(first, made.file, call)
    assert all(keys(first))
    first.command("LazydapStep")
    expect_stop(first, made.file, shown)
    second.command("wincmd p")
    second.expect_sign(shown, "▶")
    second.command("wincmd p")
    assert second.cursor() == (str(other), 2)
    assert layout(second) == before
    assert not any(keys(second))


def test_an_editor_follows_whoever_moves_the_program_until_another_editor_gives_a_command(
    start_editor: Start, project: Path
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    call, shown = made.line("call"), made.line("print")
    first = start_editor(made.file, init=WITH_KEYS)
    break_at(first, call)
    launch(first, made.command)
    expect_stop(first, made.file, call)
    shell(project, "step", "--wait")
    expect_stop(first, made.file, shown)
    second = start_editor(made.file, init=WITH_KEYS)
    second.expect_sign(shown, "▶")
    second.command("Lazydap follow")
    eventually(lambda: keys(second), all, what="the second editor follows")
    shell(project, "step", "--wait")
    expect_state(second, "paused")
    eventually(second.cursor, lambda now: now[1] != 1, what="the second editor's cursor follows the command line")
    assert all(keys(first)), "two that were told to follow both do"
    second.command("LazydapContinue")
    expect_stop(second, made.file, call)
    first.expect_sign(call, "▶●")
    assert first.cursor() != (str(made.file), call)
    assert not any(keys(first))


def test_an_editor_for_a_commit_message_stays_out_of_it(start_editor: Start, project: Path) -> None:
    made = debuggee("debugpy", COUNTS, project)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    message = project / ".git" / "COMMIT_EDITMSG"
    message.write_text("subject\n\n# comment\n")
    first = start_editor(made.file)
    break_at(first, made.line("call"))
    launch(first, made.command)
    writing = start_editor(message, init=WITH_KEYS)
    first.command("LazydapStep")
    expect_stop(first, made.file, made.line("print"))
    assert writing.host_pid() is None
    assert writing.cursor() == (str(message), 1)
    assert not any(keys(writing))
    assert writing.messages() == []


def test_somebody_who_types_while_the_program_stops_finds_every_letter_where_it_was_meant(
    start_editor: Start, project: Path
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    notes = project / "notes.txt"
    notes.write_text("\n")
    editor = start_editor(made.file, init=WITH_KEYS)
    break_at(editor, made.line("call"))
    launch(editor, made.command)
    expect_stop(editor, made.file, made.line("call"))
    editor.edit(notes)
    before = layout(editor)
    editor.type("ibefore ")
    eventually(editor.mode, lambda mode: mode == "i", what="insert mode")
    shell(project, "step", "--wait")
    editor.type("K+-")
    shell(project, "step", "--wait")
    editor.type(" after")
    eventually(lambda: editor.eval("getline(1)"), lambda line: line == "before K+- after", what="every letter")
    assert (editor.mode(), layout(editor), editor.cursor()) == ("i", before, (str(notes), 1))
    assert made.file.read_text() == made.program.source
    editor.type("<Esc>:let g:half = 1")
    eventually(editor.mode, lambda mode: mode == "c", what="a command line")
    shell(project, "continue", "--wait")
    editor.type("2<CR>")
    eventually(lambda: editor.eval("get(g:, 'half')"), lambda half: half == 12, what="the command is whole")


@pytest.fixture
def library(private_folders: Folders) -> Path:
    """A package folder outside the project, with a marker of its own as a checkout of it would have."""
    folder = private_folders.home / "lib"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'lib'\n")
    file = folder / "lib_of_others.py"
    file.write_text(LIBRARY)
    return file.resolve()


def test_a_breakpoint_in_a_library_that_was_stepped_into_belongs_to_the_program(
    start_editor: Start, project: Path, library: Path
) -> None:
    program = project / "app.py"
    program.write_text(USES)
    editor = start_editor(program)
    editor.command(f"let $PYTHONPATH = '{library.parent}'")
    break_at(editor, 5)
    config = {"type": "python", "request": "launch", "name": "app", "program": str(program), "justMyCode": False}
    editor.lua("require('lazydap').run(...)", config)
    expect_stop(editor, program, 5)
    session = editor.lua("return require('lazydap').state().session_id")
    editor.command("LazydapStepIn")
    expect_stop(editor, library, 2)
    expect_state(editor, "paused")
    assert editor.lua("return require('lazydap').status()") == "paused lib_of_others.py:2"
    break_at(editor, 3)
    editor.command("LazydapContinue")
    expect_stop(editor, library, 3)
    editor.expect_sign(3, "▶●")
    editor.command("LazydapContinue")
    expect_stop(editor, program, 5)
    assert editor.lua("return require('lazydap').state().session_id") == session
    assert not (library.parent / ".lazydap").exists()
    kept = project / ".lazydap" / "state.toml"
    eventually(kept.read_text, lambda text: str(library) in text, what="the project keeps it")


def test_a_program_in_a_project_behind_a_link_stops_where_it_was_asked_to(
    start_editor: Start, project: Path, private_folders: Folders
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    link = private_folders.home / "link"
    link.symlink_to(project)
    editor = start_editor(link / made.file.name, cwd=link)
    break_at(editor, made.line("call"))
    launch(editor, made.command)
    expect_stop(editor, made.file, made.line("call"))
    editor.expect_sign(made.line("call"), "▶●")
    expect_state(editor, "paused")
    eventually(
        lambda: editor.eval("bufname()"), lambda name: name.endswith("counts.py"), what="one buffer", seconds=SLOW
    )
    assert editor.eval("len(getbufinfo({'buflisted': 1}))") == 1


def test_a_watch_outlives_editor_and_daemon(start_editor: Start, project: Path, private_folders: Folders) -> None:
    made = debuggee("debugpy", COUNTS, project)
    first = start_editor(made.file)
    break_at(first, made.line("call"))
    first.command("LazydapWatch total * 2 + 1")
    kept = project / ".lazydap" / "state.toml"
    eventually(lambda: kept.exists() and "total * 2 + 1" in kept.read_text(), bool, what="the project keeps the watch")
    first.kill()
    assert end_daemons(private_folders.data) == []
    second = start_editor(made.file)
    launch(second, made.command)
    second.command("LazydapVariables")
    eventually(
        lambda: "\n".join(second.pane("variables")),
        lambda shown: "total * 2 + 1 = 1" in shown,
        what="its value is shown",
        seconds=SLOW,
    )


def test_two_editors_agree_though_the_socket_was_cleared_away_between_them(
    start_editor: Start, project: Path, private_folders: Folders
) -> None:
    file = project / "a.py"
    file.write_text("one = 1\ntwo = 2\nthree = 3\n")
    first = start_editor(file)
    break_at(first, 1)
    [socket] = private_folders.runtime.glob("**/*.sock")
    [kept] = private_folders.data.glob("**/*.pid")
    daemon = kept.read_text()
    socket.unlink()
    second = start_editor(file)
    second.expect_sign(1, "●")
    second.command("2LazydapBreak")
    first.expect_sign(2, "●")
    first.command("3LazydapBreak")
    second.expect_sign(3, "●")
    assert kept.read_text() == daemon


def test_two_projects_in_one_editor_each_have_their_own_program(
    start_editor: Start, project: Path, private_folders: Folders
) -> None:
    here = debuggee("debugpy", COUNTS, project)
    other = private_folders.home / "q"
    (other / ".lazydap").mkdir(parents=True)
    there = debuggee("debugpy", COUNTS, other.resolve())
    call, shown = here.line("call"), here.line("print")
    editor = start_editor(here.file)
    break_at(editor, call)
    launch(editor, here.command)
    expect_stop(editor, here.file, call)
    editor.command(f"split {there.file}")
    break_at(editor, call)
    launch(editor, there.command)
    expect_stop(editor, there.file, call)
    editor.command("LazydapStep")
    expect_stop(editor, there.file, shown)
    editor.command("wincmd p")
    assert editor.signs() == {call: "▶●"}
    editor.command("LazydapStep")
    expect_stop(editor, here.file, shown)
    editor.command("LazydapStop")
    editor.expect_no_sign(text="▶")
    editor.command("wincmd p")
    assert editor.signs() == {call: "●", shown: "▶"}
