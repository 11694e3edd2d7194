"""A program that was built, or runs, in another folder than its sources have here, for real."""

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import SLOW, break_at, expect_stop
from tests.fixtures.debuggees import COUNTS

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(150)


def configured(project: Path, **keys: object) -> None:
    (project / ".vscode").mkdir()
    whole = {"configurations": [{"name": "elsewhere", **keys}]}
    (project / ".vscode" / "launch.json").write_text(json.dumps(whole))


def stops_here(editor: Editor, file: Path, line: int) -> None:
    """The breakpoint is bound, the program stops at it, and the local file is what is shown."""
    break_at(editor, line)
    editor.command("LazydapLaunch elsewhere")
    expect_stop(editor, file, line)
    assert editor.signs() == {line: "▶●"}
    editor.command("LazydapStack")
    eventually(editor.quickfix, lambda items: len(items) > 1, what="the stack is listed", seconds=SLOW)
    assert editor.quickfix()[0]["path"] == str(file)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def listens(port: int) -> bool:
    # Not by connecting: debugpy would take that for its client.
    return any(
        line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
    )


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="asks the kernel who listens")
@pytest.mark.parametrize("remote_root", ["there", "."])
def test_a_python_program_of_another_folder_is_attached_to_and_shown_here(
    start_editor: Start, project: Path, tmp_path: Path, remote_root: str
) -> None:
    file = COUNTS.python.write(project)
    there = tmp_path / "app"
    there.mkdir()
    shutil.copy(file, there)
    port = free_port()
    remote = str(there) if remote_root == "there" else remote_root
    configured(
        project,
        type="debugpy",
        request="attach",
        connect={"host": "localhost", "port": port},
        pathMappings=[{"localRoot": "${workspaceFolder}", "remoteRoot": remote}],
    )
    command = [sys.executable, "-m", "debugpy", "--listen", f"127.0.0.1:{port}", "--wait-for-client", there / file.name]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=there) as program:
        try:
            eventually(lambda: listens(port), bool, what="debugpy listens", seconds=SLOW)
            stops_here(start_editor(file), file, COUNTS.python.line("call"))
        finally:
            program.kill()


@pytest.mark.parametrize("key", ["sourceMap", "sourceFileMap"])
def test_a_native_program_that_was_built_in_another_folder_is_shown_here(
    start_editor: Start, project: Path, key: str
) -> None:
    file = COUNTS.c.write(project)
    binary = file.with_suffix("")
    prefix = f"-fdebug-prefix-map={project}=/build/of/somebody"
    subprocess.run(["cc", "-g", "-O0", prefix, "-o", binary, file], check=True, cwd=project, timeout=60)
    configured(
        project,
        type="lldb",
        request="launch",
        program=str(binary),
        **{key: {"/build/of/somebody": "${workspaceFolder}"}},
    )
    stops_here(start_editor(file), file, COUNTS.c.line("call"))
