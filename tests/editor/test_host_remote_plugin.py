"""The classic way to the same host: registered by :UpdateRemotePlugins, run by Neovim's own Python provider."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import ROOT, Editor, nvim_command
from tests.house.surroundings import Folders

INIT = f"""
vim.g.loaded_python3_provider = nil
vim.g.python3_host_prog = {json.dumps(sys.executable)}
vim.g.lazydap = {{ host = 'remote-plugin' }}
"""


def test_the_remote_plugin_runs_the_same_host(
    start_editor: Callable[..., Editor], project: Path, private_folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = private_folders.home / "rplugin.vim"
    monkeypatch.setenv("NVIM_RPLUGIN_MANIFEST", str(manifest))
    register = private_folders.home / "register.lua"
    register.write_text(f"{INIT}vim.opt.runtimepath:prepend({json.dumps(str(ROOT))})\n")
    subprocess.run(
        [nvim_command(), "--headless", "-n", "-u", register, "+UpdateRemotePlugins", "+qa!"],
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=20,
    )
    assert "_LazydapHost" in manifest.read_text()
    (project / ".lazydap" / "state.toml").write_text('[[breakpoints]]\nid = 1\nsource = "app.py"\nline = 2\n')
    program = project / "app.py"
    program.write_text("a = 1\nb = 2\n")
    editor = start_editor(program, init=INIT)
    editor.command("LazydapStatus")
    editor.expect_message("p: no daemon runs; 1 breakpoint")
    editor.expect_sign(2, "●")
    assert editor.host_pid() is None
