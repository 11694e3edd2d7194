"""Installed, updated and loaded by the real lazy.nvim, which `make test` fetches into .venv."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import ROOT, Editor, eventually, nvim_command
from tests.house.surroundings import Folders
from tests.house.test_install import UV, copied_plugin, stand_in

Start = Callable[..., Editor]

LAZY = Path(sys.prefix) / "lazy.nvim"
SETUP = """
vim.opt.runtimepath:prepend({lazy})
require('lazy').setup({{
  spec = {spec},
  rocks = {{ enabled = false }},
  change_detection = {{ enabled = false }},
}})
"""
KEPT = """\
version = 1
next_breakpoint_id = 2
next_watch_id = 1

[[breakpoints]]
id = 1
source = "a.py"
line = 2
enabled = true
"""

pytestmark = pytest.mark.skipif(not LAZY.exists(), reason="`make .venv/lazy.nvim/lua/lazy/init.lua` fetches lazy.nvim")


def setup(spec: str) -> str:
    """Lua that a person has in init.lua."""
    return SETUP.format(lazy=json.dumps(str(LAZY)), spec=spec)


def git(folder: Path, *words: str) -> None:
    person = ("-c", "user.name=a", "-c", "user.email=a@invalid", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *person, *words], cwd=folder, check=True, capture_output=True, timeout=30)


def said(init: Path, bin_: Path, *commands: str) -> list[str]:
    """Start Neovim with that init.lua, carry out the commands, return what was printed, line by line."""
    run = subprocess.run(
        [nvim_command(), "--headless", "-n", "-i", "NONE", "-u", init, *(f"+{line}" for line in commands), "+qa!"],
        env={**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return (run.stdout + run.stderr).splitlines()


def test_it_is_cloned_built_and_updated_with_the_packages_it_wants_then(
    tmp_path: Path, private_folders: Folders
) -> None:
    plugin = copied_plugin(tmp_path / "lazydap")
    (plugin / "doc").mkdir()
    shutil.copy(ROOT / "doc/lazydap.txt", plugin / "doc")
    git(plugin, "init", "--quiet", "--initial-branch=main")
    git(plugin, "add", "--all")
    git(plugin, "commit", "--quiet", "--message=One")
    log = private_folders.home / "log"
    bin_ = stand_in(private_folders.home, UV.format(log=log, python=sys.executable, fails=""))
    init = tmp_path / "init.lua"
    # As the README has it.
    init.write_text(setup(f"{{ {{ url = 'file://{plugin}', opts = {{ debug_keys = true }} }} }}"))
    there = private_folders.data / "nvim/lazy/lazydap"
    shown = (
        "lua print('\\n' .. vim.fn.exists(':LazydapBreak'), vim.g.lazydap.debug_keys, require('lazydap.host').root())"
    )

    lines = said(init, bin_, "help lazydap-quick-start", shown)
    for step in ("making a Python environment with uv", "the Python environment is ready"):
        assert any("build" in line and step in line for line in lines), lines
    assert f"2 true {there}" in lines
    assert not any(line.startswith("E1") for line in lines), lines
    assert (private_folders.data / "nvim/lazydap/venv/bin/python").exists()

    project = plugin / "pyproject.toml"
    project.write_text(project.read_text().replace('"pip>=1"', '"pip>=1.1"'))
    git(plugin, "commit", "--quiet", "--all", "--message=Two")
    assert any("the Python environment is ready" in line for line in said(init, bin_, "Lazy! update"))
    assert "pip>=1.1" in log.read_text()
    assert not any("build" in line for line in said(init, bin_))


@pytest.mark.parametrize("when", ["ft = 'python'", "event = 'VeryLazy'", "lazy = false"])
def test_breakpoints_are_seen_however_early_the_file_was_opened(
    start_editor: Start, stub: StubHost, project: Path, when: str
) -> None:
    file = project / "a.py"
    file.write_text("one = 1\ntwo = 2\n")
    (project / ".lazydap" / "state.toml").write_text(KEPT)
    options = stub.init.partition("=")[2]
    start_editor(file, init=setup(f"{{ {{ dir = {json.dumps(str(ROOT))}, {when}, opts = {options} }} }}")).command(
        "doautocmd User VeryLazy"
    )
    assert stub.expect("hello")["files"] == [str(file)]


def test_a_command_or_a_key_loads_it_and_is_carried_out_as_it_was_given(
    start_editor: Start, stub: StubHost, project: Path
) -> None:
    file = project / "a.py"
    file.write_text("one = 1\ntwo = 2\nthree = 3\n")
    options = stub.init.partition("=")[2]
    keys = "keys = { { '<F9>', '<Plug>(lazydap-break)' } }, cmd = { 'LazydapBreak', 'LazydapStep', 'Lazydap' }"
    spec = f"{{ {{ dir = {json.dumps(str(ROOT))}, opts = {options}, {keys} }} }}"
    editor = start_editor(file, init=setup(spec))
    assert editor.lua("return package.loaded['lazydap.host'] == nil and vim.g.loaded_lazydap == nil")
    editor.command("3LazydapBreak if two > 1 | 2")
    told = stub.expect("break")
    assert (told["line"], told["parts"]) == (3, {"condition": "two > 1 | 2"})
    other = start_editor(file, init=setup(spec))
    other.type("<F9>")
    assert stub.expect("break", count=2)["line"] == 1
    last = start_editor(file, init=setup(spec))
    last.command("2LazydapStep in")
    told = stub.expect("step")
    assert (told["kind"], told["count"]) == ("in", 2)


def test_a_pane_of_a_session_that_was_restored_before_it_was_loaded_is_no_empty_file_then(
    start_editor: Start, stub: StubHost, project: Path
) -> None:
    file = project / "a.py"
    file.write_text("one = 1\n")
    options = stub.init.partition("=")[2]
    spec = f"{{ {{ dir = {json.dumps(str(ROOT))}, opts = {options}, cmd = 'LazydapStatus' }} }}"
    editor = start_editor(file, init=setup(spec))
    editor.command("LazydapStatus")
    editor.command("LazydapVariables")
    editor.command(f"mksession {project / 'Session.vim'}")
    again = start_editor("-S", project / "Session.vim", init=setup(spec))
    kind = "getbufvar(bufnr('lazydap://variables'), '&filetype')"
    assert again.eval(kind) == ""
    again.command("LazydapStatus")
    eventually(lambda: again.eval(kind), lambda now: now == "lazydap-variables", what="the pane is rebuilt")
