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
    expect_on_screen(editor, "lazydap: the adapter s... very much in two lines")
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
    expect_on_screen(editor, "lazydap: stopped meanw... more and more")
    assert editor.eval("&showmode") == 1


def test_a_message_waits_for_the_end_of_a_command_line(editor: Editor) -> None:
    editor.type(":let x = 1")
    expect_on_screen(editor, ":let x = 1")
    say(editor, "stopped meanwhile" + " and more" * 20)
    expect_on_screen(editor, ":let x = 1")
    editor.type("<CR>")
    expect_on_screen(editor, "lazydap: stopped meanw... more and more")
    assert editor.eval("x") == 1


def test_a_long_answer_to_a_typed_command_asks_for_no_key(editor: Editor) -> None:
    editor.type(":LazydapFrame nonsense\r")
    editor.expect_message("which frame?")
    expect_on_screen(editor, "lazydap: which frame?")
    assert editor.eval("mode()") == "n"
    assert editor.is_free()
