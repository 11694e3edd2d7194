"""The private Python environment: made, kept and renewed by `:LazydapInstall` and build.lua alike."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.editor.editor import ROOT, nvim_command
from tests.house.surroundings import Folders

PROJECT = """\
[project]
dependencies = [
  "pip>=1",
]

[project.optional-dependencies]
lldb = ["pip>=2; sys_platform != 'none'"]

"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A plugin folder that wants nothing but pip, which each new environment has: so nothing is fetched."""
    folder = tmp_path / "plugin"
    for name in ("lua", "plugin"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "build.lua", folder)
    (folder / "constraints.txt").write_text("")
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder.resolve()


def said(plugin: Path, *commands: str, **variables: str) -> list[str]:
    """Start Neovim with the plugin, carry out the commands, return what it said; none of them may fail."""
    init = plugin / "init.lua"
    init.write_text(f"vim.opt.runtimepath:prepend({json.dumps(str(plugin))})\nvim.o.columns = 200\n")
    run = subprocess.run(
        [nvim_command(), "--headless", "-n", "-i", "NONE", "-u", init, *(f"+{line}" for line in commands), "+qa!"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return [line for line in run.stderr.replace("lazydap: ", "\n").splitlines() if line.strip()]


@pytest.mark.timeout(150)
def test_a_broken_environment_is_made_anew_and_kept_from_then_on(plugin: Path, private_folders: Folders) -> None:
    venv = private_folders.data / "nvim/lazydap/venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to("/gone")
    project = plugin / "pyproject.toml"
    good = project.read_text()

    project.write_text(good.replace("pip>=1", "./missing"))
    assert said(plugin, "LazydapInstall")[-1].startswith("pip could not install the packages: ")
    assert (venv / "bin/python").exists()
    (venv / "kept").touch()

    project.write_text(good)
    installed = ["installing 1 packages and what they need", "the Python environment is ready"]
    assert said(plugin, "LazydapInstall") == installed
    build = f"luafile {plugin}/build.lua"
    assert said(plugin, build) == ["the Python environment is up to date"]

    (plugin / "constraints.txt").write_text("pip>=2\n")
    assert said(plugin, build) == installed
    assert (venv / "kept").exists()

    # An extra is added, and stays wanted.
    assert said(plugin, "LazydapInstall lldb") == [
        "installing 2 packages and what they need",
        "the Python environment is ready",
    ]
    assert said(plugin, build) == ["the Python environment is up to date"]

    # A plugin manager runs build.lua in a coroutine and shows what it yields.
    steps = f"lua for step in coroutine.wrap(loadfile('{plugin}/build.lua')) do print('step: ' .. step) end"
    assert said(plugin, steps) == ["step: the Python environment is up to date"]


def test_an_unknown_extra_is_refused(plugin: Path) -> None:
    assert said(plugin, "LazydapInstall gdb") == ["there is no extra gdb: lldb is one"]


def test_without_a_usable_python_one_line_says_what_to_do(plugin: Path) -> None:
    last = said(plugin, "LazydapInstall", PATH="/nowhere")[-1]
    assert last.startswith("no Python 3.11 or newer with venv was found: install one")
