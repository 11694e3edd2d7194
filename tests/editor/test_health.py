"""`:checkhealth lazydap`: what is there, and for each thing that is not, what to type."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor
from tests.editor.scripted import StartDaemon
from tests.house.surroundings import Folders

Start = Callable[..., Editor]

OLD = "#!/bin/sh\necho 3.9.2\n"
BARE = '#!/bin/sh\nshift 3\necho 3.12.1\nfor name; do echo "missing $name"; done\n'
BROKEN = "#!/bin/sh\necho 'libpython3.12.so: cannot open shared object' >&2\nexit 127\n"
INSTALL = "take that option away and type :LazydapInstall"


def report(editor: Editor) -> str:
    """What the check says."""
    editor.command("checkhealth lazydap")
    return "\n".join(editor.eval("getline(1, '$')"))


def expect(told: str, *pairs: tuple[str, str]) -> None:
    """Each fault is there, and its cure in its line or below it."""
    for fault, cure in pairs:
        assert fault in told, (fault, told)
        after = told.partition(fault)[2]
        own = after.split("\n- ")[0]
        assert cure in own, (fault, cure, told)


def test_what_is_found_is_said(start_editor: Start) -> None:
    editor = start_editor(init="vim.g.lazydap = { nonsense = 1 }")
    told = report(editor)
    expect(told, ("unknown option nonsense", ":help |lazydap-options|"))
    assert "Python 3." in told
    assert "the host does not run" in told
    for check in ("adapter.debugpy", "state.file", "socket.path", "daemon", "interpreter"):
        assert f"OK {check}: " in told
    assert "ERROR" not in told


@pytest.mark.parametrize(
    ("script", "fault", "cure"),
    [
        (None, "cannot be run", INSTALL),
        (OLD, "Python 3.9.2 is too old, 3.11 or newer is needed", INSTALL),
        (BARE, "the package tomlkit is missing", "-m pip install tomlkit"),
        (BROKEN, "does not run: libpython3.12.so: cannot open shared object", INSTALL),
    ],
)
def test_what_is_wrong_with_a_python_is_said_with_what_to_type(
    start_editor: Start, project: Path, script: str | None, fault: str, cure: str
) -> None:
    python = project / "python"
    if script is not None:
        python.write_text(script)
        python.chmod(0o755)
    editor = start_editor(init=f"vim.g.lazydap = {{ python = {json.dumps(str(python))} }}")
    expect(report(editor), (fault, cure))


def test_what_is_wrong_with_editor_and_project_is_said_with_what_to_type(
    start_editor: Start, project: Path, private_folders: Folders
) -> None:
    state = project / ".lazydap" / "state.toml"
    state.write_text("= broken\n")
    config = private_folders.home / "config.toml"
    config.write_text("= broken\n")
    surroundings = {
        **os.environ,
        "LAZYDAP_CONFIG_PATH": str(config),
        "LAZYDAP_RUNTIME_DIR": str(private_folders.runtime / ("long" * 25)),
        "PATH": "/nowhere",
    }
    init = """
    local has, width = vim.fn.has, vim.fn.strdisplaywidth
    vim.fn.has = function(feature) return feature == 'nvim-0.10' and 0 or feature == 'win32' and 1 or has(feature) end
    vim.o.signcolumn = 'no'
    vim.o.ambiwidth = 'double'
    vim.g.lazydap = { host = 'remote-plugin' }
    """
    told = report(start_editor(environ=surroundings, init=init))
    expect(
        told,
        ("Neovim 0.10 or newer is needed", "install a newer Neovim"),
        ("Windows is not supported", "use Neovim inside WSL"),
        ("two cells wide here", "signs are letters"),
        ("signs cannot be seen", "set signcolumn=yes"),
        ("nothing is registered", ":UpdateRemotePlugins"),
        ("config.file: ", f"`mv {config} {config}.broken`"),
        ("state.file: ", f"`mv {state} {state}.broken`"),
        ("socket.path: the socket path", "export LAZYDAP_RUNTIME_DIR="),
        ("adapter.debugpy: ", "install Python 3.8 or newer as `python3`"),
        ("adapter.delve: ", "`go install github.com/go-delve/delve/cmd/dlv@latest`"),
        ("daemon: ", "type :LazydapLog"),
    )
    assert "`lazydap " not in told


def test_a_daemon_of_another_version_and_an_entry_of_another_host_are_said_with_what_to_type(
    start_editor: Start, start_daemon: StartDaemon, private_folders: Folders
) -> None:
    start_daemon({"version": 11})
    manifest = private_folders.home / "rplugin.vim"
    manifest.write_text("call remote#host#RegisterPlugin('python3', '/old/lazydap_rplugin.py', [])\n")
    told = report(start_editor(environ={**os.environ, "NVIM_RPLUGIN_MANIFEST": str(manifest)}))
    expect(told, ("daemon: the running daemon speaks protocol 11", ":Lazydap shutdown"))
    expect(told, ("registered as a remote plugin too, which is not used", "the option host says so"))


def test_a_private_environment_that_is_old_or_gone_is_said_with_what_to_type(
    start_editor: Start, private_folders: Folders
) -> None:
    editor = start_editor()
    plugin = private_folders.home / "plugin"
    plugin.mkdir()
    editor.lua("local root = ... require('lazydap.host').root = function() return root end", str(plugin))
    editor.lua("require('lazydap.host').start_file = function() return '' end")
    python = private_folders.data / "nvim/lazydap/venv/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    expect(report(editor), ("the plugin wants other packages since its last update", "type :LazydapInstall"))
    python.unlink()
    python.symlink_to("/nix/store/gone/bin/python3")
    gone = "the Python of the environment is gone (/nix/store/gone/bin/python3): type :LazydapInstall"
    expect(report(editor), (gone, ""))
    editor.command("LazydapStatus")
    editor.expect_message(gone)


def test_the_project_is_that_of_the_file_the_user_came_from(start_editor: Start, private_folders: Folders) -> None:
    other = private_folders.home / "q"
    (other / ".lazydap").mkdir(parents=True)
    file = other / "a.py"
    file.write_text("one\n")
    (other / ".lazydap" / "state.toml").write_text("breakpoints = 3\n")
    editor = start_editor(file)
    told = report(editor).splitlines()
    assert f"{other / '.lazydap'}" in "\n".join(line for line in told if "state.file" in line)
