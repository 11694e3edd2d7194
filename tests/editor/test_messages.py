"""What is said at the bottom of the screen: one line, never a question."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]


@pytest.fixture
def editor(start_editor: Start, project: Path) -> Editor:
    file = project / "a.py"
    file.write_text("one\n")
    return start_editor(file, terminal=True, columns=60)


def say(editor: Editor, text: str, level: str = "info") -> None:
    editor.lua("require('lazydap.draw').message(...)", text, level)


def expect_on_screen(editor: Editor, part: str) -> None:
    screen = editor.screen
    assert screen is not None
    eventually(screen.text, lambda text: part in text, what=f"{part!r} is on the screen")


def test_a_message_wider_than_the_screen_asks_for_no_key(editor: Editor) -> None:
    say(editor, "the adapter says " + "very " * 50 + "much\nin two lines", "error")
    expect_on_screen(editor, "lazydap: the adapter says very very very very v")
    assert editor.eval("mode()") == "n"
    assert editor.messages() == ["lazydap: the adapter says " + "very " * 50 + "much in two lines"]


@pytest.mark.parametrize("height", [0, 1, 2])
def test_several_messages_at_once_ask_for_no_key(editor: Editor, height: int) -> None:
    editor.command(f"set cmdheight={height}")
    for number in range(5):
        say(editor, f"message {number}" + " and more" * 20)
    expect_on_screen(editor, "lazydap: message 4")
    assert editor.eval("mode()") == "n"
    whole = [f"lazydap: message {number}" + " and more" * 20 for number in range(5)]
    assert editor.messages() == whole or height == 0


def test_a_message_of_any_mode_leaves_the_options_as_they_were(editor: Editor) -> None:
    editor.command("set shortmess=filnx")
    say(editor, "normal")
    editor.type("v")
    eventually(editor.mode, lambda mode: mode == "v", what="visual mode")
    say(editor, "visual")
    assert (editor.eval("&shortmess"), editor.eval("&showmode")) == ("filnx", 1)


def test_a_message_is_seen_while_text_is_inserted(editor: Editor) -> None:
    editor.type("i")
    expect_on_screen(editor, "-- INSERT --")
    say(editor, "stopped meanwhile" + " and more" * 20)
    expect_on_screen(editor, "lazydap: stopped meanwhile and more and more an")
    assert editor.eval("&showmode") == 1


def test_a_message_waits_for_the_end_of_a_command_line(editor: Editor) -> None:
    editor.type(":let x = 1")
    expect_on_screen(editor, ":let x = 1")
    say(editor, "stopped meanwhile" + " and more" * 20)
    expect_on_screen(editor, ":let x = 1")
    editor.type("<CR>")
    expect_on_screen(editor, "lazydap: stopped meanwhile and more and more an")
    assert editor.eval("x") == 1


def test_a_long_answer_to_a_typed_command_asks_for_no_key(editor: Editor) -> None:
    editor.type(":LazydapFrame nonsense\r")
    editor.expect_message("which frame?")
    expect_on_screen(editor, "lazydap: which frame? :LazydapFrame N, 0 is")
    assert editor.eval("mode()") == "n"
    assert editor.is_free()


def test_the_cure_at_the_end_of_a_long_message_stays_on_the_screen(editor: Editor) -> None:
    say(
        editor, "the daemon of a project with a long name is gone" + " and more" * 9 + ": :LazydapLog says why", "error"
    )
    expect_on_screen(editor, "lazydap: the daemon of a …: :LazydapLog says why")
    assert editor.eval("mode()") == "n"


def test_a_cut_message_never_says_a_thing_twice_and_keeps_its_reason(editor: Editor) -> None:
    line = "p1: app.py is stopped at app.py:18 (breakpoint) with a long reason"
    say(editor, line)
    expect_on_screen(editor, "lazydap: p1: app.py is stopped at app.py:18 (br")
    say(editor, "daemon and program of p1 are gone: breakpoints are from the file, the next command starts it")
    expect_on_screen(editor, "lazydap: daemon and program of p1 are gone: br")
    assert editor.messages()[0] == f"lazydap: {line}"


def test_a_message_that_fits_two_rows_is_whole_where_two_are_kept(editor: Editor) -> None:
    editor.command("set cmdheight=2")
    say(editor, "the daemon of p1 is gone, and with it the program: the next command starts it")
    expect_on_screen(editor, "next command starts it")
    say(editor, "the adapter says " + "very " * 50 + "much: :LazydapLog says why")
    expect_on_screen(editor, "…: :LazydapLog says why")
    assert editor.eval("mode()") == "n"


def test_that_a_program_runs_is_taken_back_when_it_stops(editor: Editor, project: Path) -> None:
    say(editor, "app.py is running: :LazydapPause stops it where it is")
    expect_on_screen(editor, "lazydap: app.py is running: :LazydapPause stops")
    editor.apply({"generation": 1, "stops": [{"root": str(project), "path": str(project / "a.py"), "line": 1}]})
    screen = editor.screen
    assert screen is not None
    eventually(screen.text, lambda text: "LazydapPause" not in text, what="the line is gone")


def test_several_faults_at_the_first_command_ask_for_no_key(start_editor: Start, project: Path) -> None:
    (project / "a.py").write_text("one\n")
    init = "vim.g.lazydap = { python = '/nowhere/python', values = 'x', lists = 'y' }"
    editor = start_editor(project / "a.py", terminal=True, columns=60, init=init)
    editor.type(":LazydapStatus<CR>")
    editor.expect_message("which cannot be run")
    expect_on_screen(editor, "lazydap: option python names /nowhere/python, w…")
    assert editor.is_free()
    assert len([line for line in editor.messages() if "option" in line]) == 3
