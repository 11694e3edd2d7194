"""What becomes of a real session when the machine sleeps, is tidied up or updated under it: one line, no stale mark."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.editor.editor import ROOT, Editor, eventually
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


STARTED = ("debugpy_adapter.py", "debugpy_launcher.py", "foreground.py", "relay.py")
"""What runs as a program of its own, where the newer version is as good."""


def copied_plugin(folder: Path) -> Path:
    """A plugin folder of its own, as a clone has it."""
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    for name in ("lua", "plugin", "rplugin", "lazydap_core", "daemon"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return folder.resolve()


def overwrite(folder: Path, pattern: str, text: str) -> dict[Path, str]:
    """Replace the files as an update does, by ones that fail when they are loaded; returns what they were."""
    before = {file: file.read_text() for file in folder.rglob(pattern)}
    for file in before:
        file.unlink()
        file.write_text(text)
    return before


def test_an_update_of_the_files_under_everything_that_runs_mixes_no_old_code_with_new(
    start_editor: Start, project: Path, private_folders: Folders
) -> None:
    plugin = copied_plugin(private_folders.home / "plugin")
    made = debuggee("debugpy", COUNTS, project)
    call, end = made.line("call"), made.line("print")
    options = f"vim.g.lazydap = {{ python = {json.dumps(sys.executable)} }}\n"
    rtp = (
        f"vim.opt.runtimepath:remove({json.dumps(str(ROOT))}) vim.opt.runtimepath:prepend({json.dumps(str(plugin))})\n"
    )
    editor = start_editor(made.file, init=rtp + options)
    break_at(editor, call)
    log = Path(editor.lua("return require('lazydap.host').log_path()"))
    eventually(lambda: log.exists() and "all code is loaded" in log.read_text(), bool, what="the host has all its code")
    held = "return package.loaded['lazydap.walking'] ~= nil or package.preload['lazydap.walking'] ~= nil"
    eventually(lambda: editor.lua(held), bool, what="the editor has all its code")
    overwrite(plugin / "lua", "*.lua", "error('a newer version')\n")
    before = overwrite(plugin, "*.py", "raise RuntimeError('a newer version')\n")
    for file in [file for file in before if file.name in STARTED]:
        file.write_text(before.pop(file))

    launch(editor, made.command)
    expect_stop(editor, made.file, call)
    editor.command("LazydapUI")
    eventually(lambda: "\n".join(editor.pane("variables")), lambda shown: "total = 0" in shown, what="the variables")
    editor.command("LazydapConsole")
    editor.type("total + 41<CR>")
    eventually(lambda: editor.pane("console"), lambda shown: shown[-1:] == ["41"], what="the answer")
    editor.type("<Esc>")
    editor.command("LazydapConsole | LazydapUI | LazydapStack | cclose")
    editor.command("LazydapStep")
    expect_stop(editor, made.file, end)
    editor.command("LazydapBreakpoints | cclose")
    assert [line for line in editor.messages() if "newer version" in line] == []

    # The new host is of the new version, and the editor of the old one.
    for file, text in before.items():
        file.write_text(text)
    os.kill(editor.host_pid() or 0, signal.SIGKILL)
    editor.expect_message("host ended")
    editor.expect_no_sign(text="▶")
    editor.command("LazydapStep")
    editor.expect_message("lazydap was updated: restart Neovim to use the new version")
    # To the head of the loop, and on.
    editor.expect_sign(made.line("call") - 1, "▶")
    editor.command("LazydapStep")
    expect_stop(editor, made.file, call)
    assert len([line for line in editor.messages() if "was updated" in line]) == 1
