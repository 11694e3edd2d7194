"""The private Python environment: made, kept and renewed by `:LazydapInstall` and build.lua alike."""

import json
import os
import shutil
import subprocess
import sys
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


def copied_plugin(folder: Path) -> Path:
    """A plugin folder that wants nothing but pip, which each new environment has: so nothing is fetched."""
    for name in ("lua", "plugin"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "build.lua", folder)
    (folder / "constraints.txt").write_text("")
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder.resolve()


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Such a folder."""
    return copied_plugin(tmp_path / "plugin")


def stand_in(folder: Path, script: str, name: str = "uv") -> Path:
    """A folder for PATH with one program in it."""
    bin_ = folder / "bin"
    bin_.mkdir()
    (bin_ / name).write_text(script)
    (bin_ / name).chmod(0o755)
    return bin_


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


NIXOS = "lua local s = vim.uv.fs_stat vim.uv.fs_stat = function(p) return p == '/etc/NIXOS' and {} or s(p) end"
NIX_CURE = "on NixOS let Nix make the Python, see :help lazydap-nixos"
INSTALLED = ["installing 1 packages and what they need", "the Python environment is ready"]
# What an environment made by a stand-in has for a Python: real ones take seconds each.
LINKED = """\
for last; do :; done
    mkdir -p "$last/bin"
    printf '#!/bin/sh\\nexec {python} "$@"\\n' >"$last/bin/python"
    chmod +x "$last/bin/python"
"""
PYTHON = f"""\
#!/bin/sh
case "$*" in
  *"-m venv"*)
    {LINKED}
    exit ;;
esac
exec {{python}} "$@"
"""
UV = f"""\
#!/bin/sh
# Stands in for uv, and writes down what it was asked with.
echo "$*" >>{{log}}
env | sort | grep -E '^(UV_|PIP_|PYTHON|VIRTUAL_ENV)' >>{{log}}
{{fails}}
case $1 in
  venv)
    {LINKED} ;;
esac
"""


@pytest.fixture
def quick_python(private_folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    """The only Python on PATH makes its environments at once."""
    bin_ = stand_in(private_folders.home, PYTHON.format(python=sys.executable), "python3.12")
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")


@pytest.fixture(autouse=True)
def _without_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    # One that a person has installed would be used.
    folders = os.environ["PATH"].split(":")
    monkeypatch.setenv("PATH", ":".join(folder for folder in folders if not (Path(folder) / "uv").exists()))


@pytest.mark.usefixtures("quick_python")
def test_a_broken_environment_is_made_anew_and_kept_from_then_on(plugin: Path, private_folders: Folders) -> None:
    venv = private_folders.data / "nvim/lazydap/venv"
    (venv / "bin").mkdir(parents=True)
    # Its interpreter has been uninstalled.
    (venv / "bin/python").symlink_to("/gone")
    (venv / "old").touch()
    project = plugin / "pyproject.toml"
    good = project.read_text()

    project.write_text(good.replace("pip>=1", "pip @ file:///missing"))
    assert said(plugin, "LazydapInstall")[-1].startswith("pip could not install the packages: ")
    assert (venv / "old").exists()

    project.write_text(good)
    first, *rest = said(plugin, "LazydapInstall")
    assert first == "making a Python environment with python3.12"
    assert rest == INSTALLED
    assert (venv / "bin/python").exists()
    assert not (venv / "old").exists()
    build = f"luafile {plugin}/build.lua"
    assert said(plugin, build) == ["the Python environment is up to date"]

    # Other packages are wanted, and cannot be had: what works stays as it is.
    (venv / "works").touch()
    project.write_text(good.replace("pip>=1", "pip @ file:///missing"))
    assert said(plugin, "LazydapInstall")[-1].startswith("pip could not install the packages: ")
    assert (venv / "works").exists()
    assert sorted(file.name for file in venv.parent.iterdir()) == ["venv"]
    project.write_text(good)

    # An extra is added, and stays wanted.
    assert said(plugin, "LazydapInstall lldb")[1:] == ["installing 2 packages and what they need", INSTALLED[1]]
    assert said(plugin, build) == ["the Python environment is up to date"]

    # A plugin manager runs build.lua in a coroutine and shows what it yields.
    steps = f"lua for step in coroutine.wrap(loadfile('{plugin}/build.lua')) do print('step: ' .. step) end"
    assert said(plugin, steps) == ["step: the Python environment is up to date"]


def test_uv_is_used_where_there_is_one_with_the_index_that_is_set_for_pip(
    plugin: Path, private_folders: Folders
) -> None:
    log = private_folders.home / "log"
    bin_ = stand_in(private_folders.home, UV.format(log=log, python=sys.executable, fails=""))
    lines = said(
        plugin,
        "LazydapInstall",
        PATH=f"{bin_}:{os.environ['PATH']}",
        PIP_INDEX_URL="https://index.invalid/simple",
        PIP_FIND_LINKS="/wheels /more",
        PYTHONPATH="/others",
        VIRTUAL_ENV="/others",
    )
    assert lines == ["making a Python environment with uv", *INSTALLED]
    told = log.read_text().splitlines()
    new = private_folders.data / "nvim/lazydap/venv.new"
    assert told[0] == f"venv --quiet --python >=3.11 {new}"
    assert any(line.startswith(f"pip install --quiet --python {new}/bin/python --constraint ") for line in told)
    assert "UV_DEFAULT_INDEX=https://index.invalid/simple" in told
    assert "UV_FIND_LINKS=/wheels,/more" in told
    assert "PIP_USER=0" in told
    assert not any(line.startswith(("PYTHONPATH", "VIRTUAL_ENV")) for line in told)


@pytest.mark.timeout(150)
def test_where_uv_does_not_succeed_pip_does(plugin: Path, private_folders: Folders) -> None:
    script = UV.format(log="/dev/null", python=sys.executable, fails="echo no such index >&2; exit 2")
    bin_ = stand_in(private_folders.home, script)
    lines = said(plugin, "LazydapInstall", PATH=f"{bin_}:{os.environ['PATH']}")
    assert lines[1] == "uv did not succeed (no such index): trying without it"
    assert lines[-1] == "the Python environment is ready"


@pytest.mark.usefixtures("quick_python")
def test_without_a_network_the_line_says_what_can_be_set(plugin: Path) -> None:
    project = plugin / "pyproject.toml"
    project.write_text(project.read_text().replace("pip>=1", "nothing-of-that-name>=1"))
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": "", "PIP_RETRIES": "0"}
    last = said(plugin, "LazydapInstall", **nowhere)[-1]
    assert last.startswith("the package index cannot be reached: look at the network and proxy")
    assert "PIP_FIND_LINKS" in last
    assert last.endswith(":LazydapInstall")


def test_a_python_without_ensurepip_is_named_with_the_package_to_install(
    plugin: Path, private_folders: Folders
) -> None:
    python = f"""#!/bin/sh\ncase "$*" in *ensurepip*) exit 1 ;; esac\nexec {sys.executable} "$@"\n"""
    bin_ = stand_in(private_folders.home, python, "python3.12")
    last = said(plugin, "LazydapInstall", PATH=str(bin_))[-1]
    assert last.startswith("python3.12 cannot make environments: install venv and ensurepip for it (Debian")
    assert "apt install python3.12-venv" in last
    # On NixOS nothing of that kind can be installed.
    assert said(plugin, NIXOS, "LazydapInstall", PATH=str(bin_))[-1].endswith(NIX_CURE)


def test_a_python_whose_venv_fails_is_named_with_what_it_said_and_the_package_to_install(
    plugin: Path, private_folders: Folders
) -> None:
    python = f"""#!/bin/sh
case "$*" in *"-m venv"*) echo 'Error: ensurepip returned 1' >&2; exit 1 ;; esac
exec {sys.executable} "$@"
"""
    bin_ = stand_in(private_folders.home, python, "python3.12")
    last = said(plugin, "LazydapInstall", PATH=str(bin_))[-1]
    assert last.startswith("python3.12 could not make an environment (Error: ensurepip returned 1): install venv and")
    assert "apt install python3.12-venv" in last
    assert said(plugin, NIXOS, "LazydapInstall", PATH=str(bin_))[-1].endswith(NIX_CURE)


def test_a_data_folder_that_cannot_be_written_is_named(plugin: Path, private_folders: Folders) -> None:
    (private_folders.data / "nvim").mkdir(parents=True, exist_ok=True)
    (private_folders.data / "nvim/lazydap").write_text("in the way")
    # The folder's name ends as the prefix of a line does, at which they are parted.
    last = "lazydap: ".join(said(plugin, "LazydapInstall"))
    assert last.startswith(
        f"the environment has no place (Cannot create directory {private_folders.data}/nvim/lazydap:"
    )
    assert last.endswith("make that folder writable, or set the option python")


def test_a_plugin_folder_that_is_only_to_be_read_is_enough(plugin: Path, private_folders: Folders) -> None:
    before = sorted(plugin.rglob("*"))
    bin_ = stand_in(private_folders.home, UV.format(log="/dev/null", python=sys.executable, fails=""))
    assert said(plugin, "LazydapInstall", PATH=f"{bin_}:{os.environ['PATH']}")[-1] == "the Python environment is ready"
    # As a store of packages has it: nothing is put there. The init.lua is the test's own.
    assert sorted(path for path in plugin.rglob("*") if path != plugin / "init.lua") == before


@pytest.mark.usefixtures("quick_python")
def test_packages_that_do_not_run_here_are_named_with_a_way_out(plugin: Path) -> None:
    project = plugin / "pyproject.toml"
    # It is there under another name, as a compiled package that cannot be loaded is.
    project.write_text(project.read_text().replace("pip>=1", "pip-x; python_version < '3'"))
    last = said(plugin, "LazydapInstall")[-1]
    assert last.startswith("the packages are installed and do not run: ModuleNotFoundError: No module named 'pip_x'")
    assert last.endswith("option python to a Python that has them")
    assert said(plugin, NIXOS, "LazydapInstall")[-1].endswith(NIX_CURE)


def test_an_unknown_extra_is_refused(plugin: Path) -> None:
    assert said(plugin, "LazydapInstall gdb") == ["there is no extra gdb: lldb is one"]


def test_without_a_usable_python_one_line_says_what_to_do(plugin: Path) -> None:
    last = said(plugin, "LazydapInstall", PATH="/nowhere")[-1]
    assert last.startswith("no Python 3.11 or newer was found: install one")
    assert said(plugin, NIXOS, "LazydapInstall", PATH="/nowhere")[-1].endswith(NIX_CURE)


@pytest.mark.parametrize(
    ("place", "load"),
    [
        # A clone; what vim.pack does. The real lazy.nvim is tried in tests/editor/test_lazy_nvim.py.
        ("pack/debug/start/lazydap", ""),
        ("pack/core/opt/lazydap", "packadd lazydap"),
    ],
)
def test_the_plugin_works_wherever_it_is_laid(
    plugin: Path, private_folders: Folders, place: str, load: str, tmp_path: Path
) -> None:
    there = private_folders.data / "nvim/site" / place
    shutil.copytree(plugin, there)
    shutil.copytree(ROOT / "doc", there / "doc", ignore=shutil.ignore_patterns("examples", "pictures"))
    bin_ = stand_in(private_folders.home, UV.format(log="/dev/null", python=sys.executable, fails=""))
    init = tmp_path / "plain.lua"
    init.write_text("vim.o.columns = 200\n")
    commands = [load, f"helptags {there}/doc", "LazydapInstall gdb", f"luafile {there}/build.lua"]
    shown = "lua print('\\n' .. vim.fn.exists(':LazydapBreak') .. ' ' .. require('lazydap.host').root())"
    run = subprocess.run(
        [
            nvim_command(),
            *("--headless", "-n", "-i", "NONE", "-u", init),
            *(f"+{line}" for line in (*commands, "help lazydap-quick-start", shown) if line),
            "+qa!",
        ],
        env={**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    lines = [line.removeprefix("lazydap: ") for line in run.stderr.replace("lazydap: ", "\n").splitlines()]
    assert "there is no extra gdb: lldb is one" in lines
    assert "the Python environment is ready" in lines
    assert f"2 {there.resolve()}" in lines
    assert not any(line.startswith("E1") for line in lines), lines
