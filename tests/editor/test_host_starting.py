"""Starting a program for real: by a configuration of VS Code's, by another plugin, by its pid."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import SLOW, break_at, debuggee, expect_state, expect_stop, launch
from tests.fixtures.debuggees import COUNTS, SPINS

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(150)

CHOOSE = """
vim.ui.select = function(items, options, done)
  vim.g.asked = vim.list_extend(vim.g.asked or {}, { options.prompt })
  for index, item in ipairs(items) do
    if tostring(item):find(vim.g.wanted, 1, true) then return done(item, index) end
  end
  done(nil, nil)
end
vim.ui.input = function(options, done)
  vim.g.asked = vim.list_extend(vim.g.asked or {}, { options.prompt })
  done(vim.g.wanted)
end
"""


def configured(project: Path, *configurations: dict[str, Any], **files: Any) -> None:
    folder = project / ".vscode"
    folder.mkdir(exist_ok=True)
    inputs = files.pop("inputs", [])
    launch_json = {"version": "0.2.0", "configurations": list(configurations), "inputs": inputs}
    comment = "// Use IntelliSense to learn about possible attributes.\n"
    (folder / "launch.json").write_text(comment + json.dumps(launch_json))
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def test_the_configuration_that_vs_code_writes_for_a_python_file_starts_as_it_is(
    start_editor: Start, project: Path
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    configured(
        project,
        {
            "name": "Python Debugger: Current File",
            "type": "debugpy",
            "request": "launch",
            "program": "${file}",
            "console": "integratedTerminal",
            "presentation": {"hidden": False},
        },
    )
    editor = start_editor(made.file)
    break_at(editor, made.line("call"))
    launch(editor, "LazydapLaunch Python Debugger: Current File")
    expect_stop(editor, made.file, made.line("call"))
    editor.command("LazydapStop")
    editor.expect_message("counts.py ended")
    # The last one again, without its name.
    launch(editor, "LazydapLaunch")
    expect_stop(editor, made.file, made.line("call"))


def test_the_configuration_that_vs_code_writes_for_c_builds_this_file_and_starts_it(
    start_editor: Start, project: Path
) -> None:
    file = COUNTS.c.write(project)
    name = "C/C++: cc build active file"
    configured(
        project,
        {
            "name": "build and debug",
            "type": "cppdbg",
            "request": "launch",
            "program": "${fileDirname}/${fileBasenameNoExtension}",
            "args": [],
            "stopAtEntry": False,
            "cwd": "${fileDirname}",
            "environment": [],
            "externalConsole": False,
            "MIMode": "gdb",
            "setupCommands": [{"text": "-enable-pretty-printing", "ignoreFailures": True}],
            "preLaunchTask": name,
            "miDebuggerPath": "/usr/bin/gdb",
        },
        tasks={
            "version": "2.0.0",
            "tasks": [
                {
                    "label": name,
                    "type": "cppbuild",
                    "command": shutil.which("cc"),
                    "args": [
                        "-fdiagnostics-color=always",
                        "-g",
                        "${file}",
                        "-o",
                        "${fileDirname}/${fileBasenameNoExtension}",
                    ],
                    "options": {"cwd": "${fileDirname}"},
                    "problemMatcher": ["$gcc"],
                    "group": {"kind": "build", "isDefault": True},
                }
            ],
        },
    )
    editor = start_editor(file, init=CHOOSE)
    editor.command("let g:wanted = 'build and debug'")
    break_at(editor, COUNTS.c.line("call"))
    launch(editor, "LazydapLaunch ?")
    assert editor.eval("g:asked") == ["Launch"]
    expect_stop(editor, file, COUNTS.c.line("call"))
    editor.command("LazydapStop")
    editor.expect_message("counts ended")
    # What does not compile is a list, and nothing starts.
    file.write_text(COUNTS.c.source + "#error nonsense\n")
    editor.command("silent edit! | LazydapLaunch")
    editor.expect_message("nothing was launched; what it printed is in the quickfix list")
    errors = [item for item in editor.quickfix() if item["line"]]
    assert [item["line"] for item in errors if "nonsense" in item["text"]] == [len(COUNTS.c.source.splitlines()) + 1]


def test_a_program_that_passes_a_breakpoint_over_says_at_its_end_why(start_editor: Start, project: Path) -> None:
    file = COUNTS.c.write(project)
    program = project / "nog"
    subprocess.run(["cc", "-o", program, file], check=True, timeout=60)
    editor = start_editor(file)
    break_at(editor, COUNTS.c.line("call"))
    editor.command("LazydapLaunch ./nog")
    eventually(
        editor.messages,
        lambda said: any(line.endswith("; nog has no debug information: compile it with -g") for line in said),
        what="why",
        seconds=SLOW,
    )


def test_a_configuration_asks_what_it_wants_to_know(start_editor: Start, project: Path) -> None:
    file = project / "echo.py"
    file.write_text("import sys\n\nwords = sys.argv[1:]\nprint(words)\n")
    configured(
        project,
        {
            "name": "ask",
            "type": "debugpy",
            "request": "launch",
            "program": "${file}",
            "args": ["${input:word}", "${lineNumber}", "${selectedText}"],
            "subProcess": True,
            "redirectOutput": True,
        },
        inputs=[{"id": "word", "type": "promptString", "description": "Which word", "default": "none"}],
    )
    editor = start_editor(file, init=CHOOSE)
    editor.command("let g:wanted = 'two words'")
    break_at(editor, 4)
    editor.type("1GVy4G")
    eventually(lambda: editor.cursor()[1], lambda line: line == 4, what="the cursor is on line 4")
    launch(editor, "LazydapLaunch ask")
    assert editor.eval("g:asked") == ["Which word: "]
    editor.expect_virtual_text(4, "words = ['two words', '4', 'import sys']")
    editor.command("LazydapStop")
    editor.expect_message("echo.py ended")
    launch(editor, "LazydapLaunch ask")
    assert len([line for line in editor.messages() if "does nothing here" in line]) <= 1


def test_a_configuration_of_another_plugin_is_started_in_its_own_shape(start_editor: Start, project: Path) -> None:
    made = debuggee("lldb-dap", COUNTS, project)
    editor = start_editor(made.file)
    break_at(editor, made.line("call"))
    editor.lua(
        "local program = ... require('lazydap').run({ name = 'test', type = 'codelldb', request = 'launch',"
        " cwd = vim.fn.getcwd(), program = function() return program end, args = function() return { 'one' } end })",
        str(made.file.with_suffix("")),
    )
    expect_stop(editor, made.file, made.line("call"))


def test_the_program_built_from_a_c_file_is_found(start_editor: Start, project: Path) -> None:
    build = project / "build"
    build.mkdir()
    source = COUNTS.c.write(project)
    subprocess.run(["cc", "-g", "-O0", "-o", build / "counts", source], check=True, timeout=60)
    editor = start_editor(source)
    break_at(editor, COUNTS.c.line("call"))
    launch(editor, "LazydapLaunch")
    expect_stop(editor, source, COUNTS.c.line("call"))


def test_a_program_older_than_its_source_is_said_so(start_editor: Start, project: Path) -> None:
    made = debuggee("lldb-dap", COUNTS, project)
    os.utime(made.file.with_suffix(""), (1, 1))
    editor = start_editor(made.file)
    break_at(editor, made.line("call"))
    launch(editor, made.command)
    editor.expect_message("counts is older than counts.c: build it, or lines may not fit")


@contextmanager
def running(command: list[str]) -> Generator[int]:
    """A program that runs on its own, by its process id, until the end of the block."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.mark.parametrize("how", ["configuration", "run"])
def test_a_process_that_is_picked_is_attached_to_and_left_running(start_editor: Start, project: Path, how: str) -> None:
    made = debuggee("lldb-dap", SPINS, project)
    attach = {"name": "pick", "type": "lldb", "request": "attach", "pid": "${command:pickProcess}"}
    configured(project, attach)
    editor = start_editor(made.file, init=CHOOSE)
    break_at(editor, made.line("tick"))
    with running([str(made.file.with_suffix(""))]) as pid:
        editor.lua("vim.g.wanted = ...", str(pid))
        if how == "configuration":
            editor.command("LazydapLaunch pick")
        else:
            editor.lua("require('lazydap').run(...)", attach)
        expect_state(editor, "paused")
        editor.command("LazydapContinue")
        expect_stop(editor, made.file, made.line("tick"))
        editor.command("LazydapStop")
        editor.expect_message("was attached to and runs on")
        os.kill(pid, 0)


def test_a_python_program_that_listens_is_attached_to_over_the_network_and_left_running(
    start_editor: Start, project: Path
) -> None:
    made = debuggee("debugpy", SPINS, project)
    editor = start_editor(made.file)
    break_at(editor, made.line("tick"))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with running([sys.executable, "-m", "debugpy", "--listen", f"127.0.0.1:{port}", str(made.file)]) as pid:
        eventually(lambda: listens(port), lambda is_there: is_there, what="it listens", seconds=SLOW)
        editor.command(f"LazydapAttach 127.0.0.1:{port}")
        expect_stop(editor, made.file, made.line("tick"))
        editor.command("LazydapStop")
        editor.expect_message("was attached to and runs on")
        editor.expect_no_sign(text="▶")
        os.kill(pid, 0)


def listens(port: int) -> bool:
    """Whether somebody waits there, without calling: the first caller would be the debugger."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False
