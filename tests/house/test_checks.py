"""The small checks of `make check` see what they are there for, and nothing else."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.house import pins, tracked_files, vimdoc

NVIM = shutil.which("nvim", path=str(Path(sys.executable).parent)) or "nvim"


@pytest.mark.parametrize(
    "line",
    [
        "root = '/" + "work/main'",
        "HOME=/" + "root/x",
        "index = https://files." + "pythonhosted.org/packages",
        "pip install --index-" + "url=somewhere",
        "<" * 7 + " ours",
    ],
)
def test_a_line_that_names_a_machine_or_a_registry_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "some.txt").write_text(f"fine\n{line}\n")
    found = list(tracked_files.complaints(tmp_path, ["some.txt", "gone.txt"]))
    assert len(found) == 1
    assert found[0].startswith("some.txt:2: names")


@pytest.mark.parametrize("line", ["~/work/x", "frame/work/load", "https://microsoft.github.io/debug-adapter-protocol"])
def test_ordinary_lines_are_left_alone(tmp_path: Path, line: str) -> None:
    (tmp_path / "some.txt").write_text(line)
    assert list(tracked_files.complaints(tmp_path, ["some.txt"])) == []


def test_pins_are_compared_with_what_is_installed() -> None:
    pinned = pins.pins("# why\nWheel-Axle.runtime==0.0.13\nanyio==4.0 # old\nonly-on-macos==1\n")
    installed = {"wheel-axle-runtime": "0.0.13", "anyio": "4.1", "surprise": "1", "lazydap": "0.1.0"}
    assert list(pins.complaints(pinned, installed)) == [
        "constraints.txt: anyio is pinned to 4.0, and 4.1 is installed; run make setup",
        "constraints.txt: surprise is installed (1) and not pinned",
    ]


def test_a_loose_pin_is_refused() -> None:
    with pytest.raises(ValueError, match="anyio>=4"):
        pins.pins("anyio>=4\n")


def test_a_good_help_file_passes(tmp_path: Path) -> None:
    text = "*some.txt*  *some-tag*\nSee |some-tag| and |:help|; `a |nothing| b`. >\n    |code|\n<\n vim:ft=help:\n"
    (tmp_path / "some.txt").write_text(text)
    assert vimdoc.complaints(tmp_path, NVIM) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("*a-tag*\n|no-such-tag|\n vim:ft=help:\n", "|no-such-tag| leads nowhere"),
        ("*a-tag*\n*a-tag*\n vim:ft=help:\n", "E154"),
        ("*a-tag*\n" + "x" * 79 + "\n vim:ft=help:\n", "some.txt:2: is longer than 78 columns"),
        ("*a-tag*\n", "modeline"),
    ],
)
def test_a_fault_in_the_help_file_is_named(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "some.txt").write_text(text)
    found = vimdoc.complaints(tmp_path, NVIM)
    assert len(found) == 1
    assert fault in found[0]
