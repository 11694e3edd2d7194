"""The wheel holds every package, and what Neovim reads lies where the host expects it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files of a wheel built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        capture_output=True,
        timeout=25,
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


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
