"""How the host finds its code."""

import ast
import runpy
import sys
from pathlib import Path

import pytest

import lazydap_nvim

START = Path(lazydap_nvim.__file__).with_name("start.py")
CHECKOUT = START.parents[2]


def found_from(start: Path, path: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The search path after the start file has put it right."""
    put_right = runpy.run_path(str(start), run_name="start")["_find_our_code"]
    monkeypatch.setattr(sys, "path", path)
    put_right()
    return sys.path


def test_the_start_file_parses_on_old_pythons() -> None:
    ast.parse(START.read_text(), feature_version=(3, 4))


def test_in_a_checkout_the_roots_replace_the_start_files_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    path = found_from(START, [str(START.parent), "/usr/lib/python3"], monkeypatch)
    assert path == [str(CHECKOUT / "rplugin"), str(CHECKOUT), "/usr/lib/python3"]


def test_in_a_wheel_the_root_keeps_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("lazydap_core", "lazydap_nvim"):
        (tmp_path / package).mkdir()
    start = tmp_path / "lazydap_nvim" / "start.py"
    start.write_text(START.read_text())
    path = found_from(start, [str(start.parent), "/usr/lib/python3", str(tmp_path)], monkeypatch)
    assert path == ["/usr/lib/python3", str(tmp_path)]


def test_an_old_python_is_told_which_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    complain = runpy.run_path(str(START), run_name="start")["_complaint"]
    assert complain() is None
    monkeypatch.setattr(sys, "version_info", (3, 8, 1))
    assert "Python 3.11 or newer, this is 3.8" in complain()
