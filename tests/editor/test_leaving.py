"""What becomes of a real program when its editor leaves: it lives on or is ended, as the option or a person says."""

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import SLOW, expect_state

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(150)

SPINS = """\
import os
import time
with open("pid.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid.new", "pid")
while True:
    time.sleep(0.05)
"""


def running(start_editor: Start, project: Path, option: str) -> tuple[Editor, psutil.Process]:
    """An editor on a screen, and the program that runs for it."""
    file = project / "spins.py"
    file.write_text(SPINS)
    editor = start_editor(file, terminal=True, init=f"vim.g.lazydap = {{ on_exit = '{option}' }}")
    editor.command("LazydapLaunch")
    expect_state(editor, "running")
    eventually((project / "pid").exists, bool, what="the program tells its pid", seconds=SLOW)
    return editor, psutil.Process(int((project / "pid").read_text()))


def expect_gone(pid: int, what: str) -> None:
    eventually(lambda: psutil.pid_exists(pid), lambda is_there: not is_there, what=what, seconds=SLOW)


def expect_asked(editor: Editor) -> None:
    screen = editor.screen
    assert screen is not None
    eventually(screen.text, lambda text: "spins.py is live." in text, what="it asks", seconds=SLOW)


def test_with_stop_the_program_ends_with_its_editor(start_editor: Start, project: Path) -> None:
    editor, program = running(start_editor, project, "stop")
    editor.type(":qa<CR>")
    expect_gone(editor.pid, "the editor ends")
    expect_gone(program.pid, "the program ends")


@pytest.mark.parametrize(("answer", "lives"), [("s", False), ("k", True), ("<CR>", True)])
def test_with_ask_the_answer_decides(start_editor: Start, project: Path, answer: str, *, lives: bool) -> None:
    editor, program = running(start_editor, project, "ask")
    editor.type(":qa<CR>")
    expect_asked(editor)
    assert program.is_running()
    editor.type(answer)
    expect_gone(editor.pid, "the editor ends")
    if not lives:
        expect_gone(program.pid, "the program ends")
        return
    # The next editor finds it where it is, and ends it.
    other = start_editor(project / "spins.py")
    other.command("LazydapStatus")
    expect_state(other, "running")
    assert program.is_running()
    other.command("LazydapStop")
    expect_gone(program.pid, "the program ends")
