"""The import contracts of pyproject.toml catch what they are there for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The room a module is planted in, and what it imports there; the report must name both.
FORBIDDEN = (
    ("lazydap_core.client", "pynvim"),
    ("lazydap_core.client", "tomlkit"),
    ("lazydap_core.client", "lazydap_daemon.dap"),
    ("lazydap_core.discovery", "lazydap_core.client"),
    ("lazydap_core.domain", "pathlib"),
    ("lazydap_core.domain", "lazydap_core.paths"),
    ("lazydap_core.protocol", "anyio"),
    ("lazydap_core.protocol", "os"),
    ("lazydap_daemon.adapters", "lazydap_daemon.session"),
    ("lazydap_daemon.adapters", "lazydap_daemon.store"),
    ("lazydap_daemon.dap", "lazydap_core.errors"),
    ("lazydap_daemon.dap", "lazydap_daemon.adapters"),
    ("lazydap_daemon.server", "lazydap_daemon.adapters"),
    ("lazydap_daemon.server", "lazydap_daemon.dap"),
    ("lazydap_daemon.server", "platformdirs"),
    ("lazydap_daemon.session", "greenlet"),
    ("lazydap_daemon.session", "lazydap_daemon.server"),
    ("lazydap_daemon.store", "lazydap_daemon.dap"),
    ("lazydap_daemon.store", "lazydap_daemon.session"),
    ("lazydap_daemon.store", "socket"),
    ("lazydap_cli", "lazydap_daemon"),
    ("lazydap_cli", "pynvim"),
    ("lazydap_nvim", "lazydap_cli"),
    ("lazydap_nvim", "lazydap_daemon"),
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """What lint-imports says about a copy of the tree with everything forbidden planted in it."""
    copy = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for folder in ("lazydap_core", "daemon", "rplugin"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "python3"))
    roots = [copy, copy / "daemon", copy / "rplugin"]
    for number, (room, forbidden) in enumerate(FORBIDDEN):
        folder = next(place for root in roots if (place := root.joinpath(*room.split("."))).is_dir())
        (folder / f"planted_{number}.py").write_text(f"import {forbidden}\n")
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, roots))},
        capture_output=True,
        text=True,
        timeout=25,
        check=False,
    )


@pytest.mark.parametrize(
    ("number", "room", "forbidden"),
    [(number, *pair) for number, pair in enumerate(FORBIDDEN)],
    ids=[f"{room} imports {forbidden}" for room, forbidden in FORBIDDEN],
)
def test_a_forbidden_import_is_named(
    report: subprocess.CompletedProcess[str], number: int, room: str, forbidden: str
) -> None:
    assert f"{room}.planted_{number} -> {forbidden}" in " ".join(report.stdout.split()), report.stdout


def test_forbidden_imports_fail_the_check(report: subprocess.CompletedProcess[str]) -> None:
    assert report.returncode == 1
    assert " 0 kept" in report.stdout
