"""Starting a program by way of Continue and Restart, with a scripted daemon: all that Launch does is done."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import StartDaemon
from tests.editor.editor import Editor, eventually
from tests.editor.scripted import Json, status, summary
from tests.editor.test_host_motion import FEATURES, launched, requested
from tests.fakes.daemon import FakeDaemon

StartEditor = Callable[..., Editor]

BROKEN: Json = {"code": "AdapterCrashed", "message": "it broke", "details": {}}
CHOOSE = """
vim.ui.select = function(items, options, done)
  vim.g.asked = options.prompt
  done(items[vim.g.answer], vim.g.answer > 0 and vim.g.answer or nil)
end
"""


def expect_requests(daemon: FakeDaemon, name: str, count: int) -> None:
    eventually(lambda: len(requested(daemon, name)), lambda asked: asked == count, what=f"{count} of {name} are asked")


def ended(program: Path, **more: Any) -> Json:
    """A daemon whose program has ended."""
    told = [{"reply": status(summary(program, state="exited", exit_code=0))}]
    play = [{"reply": launched(program, 2)}]
    answers = {"Subscribe": [told], "Status": [told], "Launch": [play], "Restart": [play], **more}
    return {"features": FEATURES, "answers": answers}


@pytest.mark.parametrize("command", ["LazydapContinue", "LazydapLaunch", "LazydapRestart"])
@pytest.mark.parametrize("answer", [1, 2, 0])
def test_whatever_starts_a_program_asks_about_changed_files_first(
    start_daemon: StartDaemon,
    start_editor: StartEditor,
    program: Path,
    command: str,
    answer: int,
) -> None:
    before = program.read_text()
    daemon = start_daemon(ended(program))
    editor = start_editor(program, init=CHOOSE + f"vim.g.answer = {answer}\n")
    editor.command("set hidden | %delete _ | call setline(1, \"print('new')\")")
    editor.command(command)
    eventually(lambda: editor.eval("get(g:, 'asked')"), lambda asked: asked == "app.py not saved:", what="it asks")
    name = "Restart" if command == "LazydapRestart" else "Launch"
    if answer:
        expect_requests(daemon, name, 1)
    else:
        editor.command("LazydapStatus")
        editor.expect_message("lazydap: ")
        assert requested(daemon, name) == []
    assert program.read_text() == ("print('new')\n" if answer == 1 else before)


def test_continue_with_nothing_live_brings_what_only_the_editor_knows(
    start_daemon: StartDaemon, start_editor: StartEditor, project: Path
) -> None:
    file = project / "tool"
    file.write_text("print(1)\nprint(2)\n")
    (project / ".vscode").mkdir()
    words = ["${lineNumber}", "${columnNumber}", "${selectedText}"]
    entry = {"name": "it", "type": "debugpy", "request": "launch", "program": "${file}", "args": words}
    (project / ".vscode" / "launch.json").write_text(json.dumps({"configurations": [entry]}))
    daemon = start_daemon(ended(file, Launch=[[{"error": BROKEN}]]))
    editor = start_editor(file, init=CHOOSE)
    editor.command("let g:answer = 1")
    editor.command("set filetype=python")
    editor.command("LazydapLaunch it")
    expect_requests(daemon, "Launch", 1)
    editor.command("normal! 2Gviw")
    editor.command("normal! \x1b")
    editor.command("LazydapContinue")
    expect_requests(daemon, "Launch", 2)
    last = requested(daemon, "Launch")[-1]
    assert (last["program"], last["args"]) == (str(file), ["2", "5", "print"])


def test_continue_launches_a_python_file_of_any_name(
    start_daemon: StartDaemon, start_editor: StartEditor, project: Path
) -> None:
    file = project / "tool"
    file.write_text("print(1)\n")
    daemon = start_daemon(ended(file))
    editor = start_editor(file)
    editor.command("set filetype=python")
    editor.command("LazydapContinue")
    expect_requests(daemon, "Launch", 1)
    assert requested(daemon, "Launch")[0]["adapter"] == "debugpy"


def test_a_restart_runs_the_task_before_the_program_again(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path, project: Path
) -> None:
    (project / ".vscode").mkdir()
    entry = {"name": "it", "type": "debugpy", "request": "launch", "program": "${file}", "preLaunchTask": "count"}
    (project / ".vscode" / "launch.json").write_text(json.dumps({"configurations": [entry]}))
    task = {"label": "count", "type": "shell", "command": "echo ran >> ran"}
    (project / ".vscode" / "tasks.json").write_text(json.dumps({"tasks": [task]}))
    daemon = start_daemon(ended(program))
    editor = start_editor(program)
    editor.command("LazydapLaunch it")
    editor.expect_sign(2, "▶")
    editor.command("LazydapRestart")
    expect_requests(daemon, "Restart", 1)
    assert (project / "ran").read_text() == "ran\nran\n"
