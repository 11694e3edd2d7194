"""What becomes of a real session when the machine sleeps, is tidied up or updated under it: one line, no stale mark."""

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import break_at, debuggee, expect_stop, launch
from tests.editor.scripted import StartDaemon
from tests.fixtures.debuggees import COUNTS
from tests.house.surroundings import Folders

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(150)


def daemon_of(folders: Folders) -> psutil.Process:
    """The one daemon that runs for the test's project."""
    [pid_file] = folders.data.glob("**/*.pid")
    return psutil.Process(int(pid_file.read_text()))


def test_a_program_is_found_again_though_its_socket_was_cleared_away_while_nobody_looked(
    start_editor: Start, project: Path, private_folders: Folders
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    call, end = made.line("call"), made.line("print")
    first = start_editor(made.file)
    break_at(first, call)
    launch(first, made.command)
    expect_stop(first, made.file, call)
    daemon = daemon_of(private_folders)
    [socket] = private_folders.runtime.glob("**/*.sock")
    # As what tidies /tmp does, or the end of a login; the editor has crashed meanwhile.
    socket.unlink()
    first.kill()
    second = start_editor(made.file)
    second.command("LazydapBreak")
    second.expect_sign(1, "●")
    second.expect_sign(call, "▶●")
    assert daemon_of(private_folders) == daemon
    second.command("LazydapStep")
    expect_stop(second, made.file, end)


def test_a_daemon_of_another_version_is_named_by_each_command_and_can_be_ended(
    start_editor: Start, start_daemon: StartDaemon, program: Path, private_folders: Folders
) -> None:
    daemon = start_daemon({"version": 11})
    editor = start_editor(program)
    told = ""
    for command in ("LazydapStatus", "LazydapStep", "LazydapBreak"):

        def said(command: str = command) -> list[str]:
            # Again and again: the same words are not said twice within a second.
            editor.command(command)
            return editor.messages()

        eventually(said, lambda lines: any("speaks protocol 11" in line for line in lines), what=f"{command} says it")
        assert all("speaks protocol 11" in line for line in editor.messages())
        told = editor.messages()[-1]
        editor.command("messages clear")
    assert "or end it with :Lazydap shutdown, which also ends its program" in told
    assert daemon.process.poll() is None
    editor.command("Lazydap shutdown")
    editor.expect_message("p: the daemon was told to end: the next command starts another")
    daemon.process.wait(5)
    editor.command("LazydapBreak")
    editor.expect_sign(1, "●")
    assert daemon_of(private_folders).is_running()
    editor.command("Lazydap shutdown")
    editor.expect_message("p: the daemon is gone: the next command starts it")
    editor.expect_sign(1, "●")
    editor.command("Lazydap shutdown")
    editor.expect_message("p: no daemon runs")
