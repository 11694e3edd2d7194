"""How a program ends, as the editor tells it: by a signal, or because its adapter was killed."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.editor.editor import Editor, eventually
from tests.house.surroundings import Folders

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(150)
SLOW = 40.0


def ending(editor: Editor, words: str) -> str:
    said = eventually(editor.messages, lambda lines: any(words in line for line in lines), what=words, seconds=SLOW)
    return next(line for line in said if words in line)


def test_a_python_program_that_a_signal_ends_names_the_signal(start_editor: Start, project: Path) -> None:
    file = project / "app.py"
    file.write_text("import os\nos.kill(os.getpid(), 9)\n")
    editor = start_editor(file)
    editor.command("LazydapLaunch")
    assert "by SIGKILL" in ending(editor, "ended")


def test_an_adapter_that_is_killed_leaves_one_line_no_mark_and_the_next_command_works(
    start_editor: Start, project: Path, private_folders: Folders
) -> None:
    file = project / "app.py"
    file.write_text("one = 1\ntwo = 2\nprint(one)\n")
    editor = start_editor(file)
    editor.go_to(2)
    editor.command("LazydapBreak")
    editor.expect_sign(2, "●")
    editor.command("LazydapLaunch")
    eventually(editor.signs, lambda signs: signs.get(2) == "▶●", what="it stops", seconds=SLOW)
    (pid_file,) = private_folders.data.glob("**/*.pid")
    daemon = psutil.Process(int(pid_file.read_text().split()[0]))
    children = daemon.children()
    assert children, daemon.cmdline()
    for child in children:
        os.kill(child.pid, signal.SIGKILL)
    assert ":LazydapLaunch again" in ending(editor, "adapter died")
    editor.expect_sign(2, "●")
    editor.expect_no_virtual_text()
    editor.command("LazydapLaunch")
    eventually(editor.signs, lambda signs: signs.get(2) == "▶●", what="it stops again", seconds=SLOW)
    assert len([line for line in editor.messages() if "adapter died" in line]) == 1
