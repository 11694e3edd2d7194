"""The command line on each program of doc/examples, with nothing configured."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.debugging import launch, resume, set_break
from tests.cli.shell import Shell
from tests.fixtures.go_programs import shared_folder, warm

pytestmark = pytest.mark.timeout(300)

EXAMPLES = Path(__file__).resolve().parents[2] / "doc/examples"


@dataclass(frozen=True)
class Example:
    """A program: how it is built, where it is stopped, and what is seen of its mistake there."""

    source: str
    code: str
    seen: Mapping[str, str]
    build: tuple[str, ...] = field(default=())

    @property
    def line(self) -> int:
        """The number of the line with `code`."""
        lines = (EXAMPLES / self.source).read_text(encoding="utf-8").splitlines()
        (found,) = (number for number, line in enumerate(lines, start=1) if self.code in line)
        return found


SHOWN = {
    "python": Example("python/invoice.py", "return subtotal * (1 - discount)", {"subtotal": "53.55"}),
    "c": Example("c/postage.c", "cents += steps * 25;", {"steps": "2"}, ("cc", "-g", "-O0")),
    "cpp": Example("cpp/temperatures.cpp", "return name;", {"highest": "0"}, ("c++", "-g", "-O0")),
    "rust": Example("rust/stock.rs", "println!", {"changes": "size=3", "stock": "size=2"}, ("rustc", "-g")),
    "go": Example("go/words.go", "found = word", {"word": '"Öööö"', "length": "8"}),
}


def built(example: Example) -> Path:
    """The example in a folder of its own, built where it is not run as it is."""
    folder = shared_folder("example")
    source = Path(shutil.copy(EXAMPLES / example.source, folder))
    if not example.build:
        return source
    program = source.with_suffix("")
    subprocess.run([*example.build, "-o", program, source], check=True, cwd=folder, timeout=120)
    return program


@pytest.mark.parametrize("language", SHOWN)
def test_an_example_is_debugged_without_any_configuration(shell: Shell, language: str) -> None:
    example = SHOWN[language]
    if language == "go":
        warm()
    program = built(example)
    set_break(shell, program.parent / Path(example.source).name, example.line)
    launched = launch(shell, program)
    assert [each["verified"] for each in launched["breakpoints"]] == [True]
    stop = resume(shell)
    assert (stop["reason"], stop["frame"]["line"]) == ("breakpoint", example.line)
    rows = {row["name"]: row["value"].split(" {")[0] for row in stop["locals"]["variables"]}
    assert {name: rows[name] for name in example.seen} == dict(example.seen)
