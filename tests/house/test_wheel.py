"""The wheel holds every package, and what Neovim reads lies where the host expects it."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        capture_output=True,
        timeout=25,
        check=True,
    )
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def names(wheel: zipfile.ZipFile) -> set[str]:
    """The files in it."""
    return set(wheel.namelist())


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("lazydap_core", "lazydap_core"),
        ("daemon/lazydap_daemon", "lazydap_daemon"),
        ("daemon/lazydap_cli", "lazydap_cli"),
        ("rplugin/lazydap_nvim", "lazydap_nvim"),
        ("rplugin/python3", "lazydap_nvim/runtime/rplugin/python3"),
        ("plugin", "lazydap_nvim/runtime/plugin"),
        ("lua", "lazydap_nvim/runtime/lua"),
        ("doc", "lazydap_nvim/runtime/doc"),
    ],
)
def test_a_room_is_in_its_place(names: set[str], source: str, place: str) -> None:
    room = ROOT / source
    files = [path.relative_to(room) for path in room.rglob("*") if path.suffix in {".py", ".lua", ".txt", ".md"}]
    assert files
    assert {f"{place}/{file}" for file in files} <= names


def test_nothing_else_is_in_the_wheel(names: set[str]) -> None:
    packages = ("lazydap_core/", "lazydap_daemon/", "lazydap_cli/", "lazydap_nvim/")
    assert [name for name in names if not name.startswith(packages) and ".dist-info/" not in name] == []


def test_the_command_of_an_installed_wheel_runs_the_code_of_that_wheel(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    site = tmp_path / "site"
    wheel.extractall(site)
    project = tmp_path / "project"
    (project / ".lazydap").mkdir(parents=True)
    (project / "some.py").write_text("x = 1\n")

    def run(*words: str) -> str:
        code = (
            f"import sys; sys.path.insert(0, {str(site)!r}); from lazydap_cli.main import console_main; console_main()"
        )
        return subprocess.run(
            [sys.executable, "-c", code, *words], cwd=project, capture_output=True, text=True, timeout=25, check=True
        ).stdout

    assert run("skill").startswith("#")
    try:
        run("break", "some.py:1")
        status = json.loads(run("status", "--format", "json"))
        command = psutil.Process(status["daemon_pid"]).cmdline()
    finally:
        run("shutdown")
    assert str(site / "lazydap_daemon/start.py") in command
