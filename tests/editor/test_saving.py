"""What is not saved when a program is started: written with 'autowrite', else asked about."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import Editor

Start = Callable[..., Editor]

ANSWER = (
    "vim.ui.select = function(items, _, done) done(items[vim.g.answer], vim.g.answer > 0 and vim.g.answer or nil) end"
)


@pytest.fixture
def editor(start_editor: Start, stub: StubHost, project: Path) -> Editor:
    (project / "a.py").write_text("one\n")
    editor = start_editor(project / "a.py", init=stub.init)
    editor.lua(ANSWER)
    editor.command("call setline(1, 'changed') | set hidden")
    return editor


def starts(editor: Editor, stub: StubHost) -> bool:
    """Whether the host, which is about to start a program, is told to."""
    # A person's command starts the host.
    editor.command("LazydapStatus")
    stub.expect("status")
    editor.lua("require('lazydap.draw').save(...)", 7)
    answer = stub.expect("chosen")
    assert answer["token"] == 7
    return answer.get("index") == 1


@pytest.mark.parametrize(("answer", "text"), [(1, "changed\n"), (2, "one\n")])
def test_a_changed_file_is_asked_about(editor: Editor, stub: StubHost, project: Path, answer: int, text: str) -> None:
    editor.command(f"let g:answer = {answer}")
    assert starts(editor, stub)
    assert (project / "a.py").read_text() == text


def test_a_question_that_is_left_starts_nothing(editor: Editor, stub: StubHost) -> None:
    editor.command("let g:answer = 0")
    assert not starts(editor, stub)


def test_with_autowrite_it_is_saved_without_a_word(editor: Editor, stub: StubHost, project: Path) -> None:
    editor.command("set autowrite")
    assert starts(editor, stub)
    assert (project / "a.py").read_text() == "changed\n"
