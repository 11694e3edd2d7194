"""Owns the table of doc/adapters.md that says what each adapter can, written from what the tests of them all have met.

`python -m tests.adapters.tour.page` runs those tests and writes the table anew; they fail where it is not so any more.
"""

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

PAGE: Final = Path(__file__).parents[3] / "doc" / "adapters.md"
TESTS: Final = Path(__file__).parents[1] / "test_every_adapter.py"
PROPERTY: Final = "feature"
ADVICE: Final = "the page says otherwise: `python -m tests.adapters.tour.page` writes what is so"
COLUMNS: Final = ("debugpy", "lldb-dap", "codelldb", "delve")
FEATURES: Final = (
    "program or folder is missing",
    "entry",
    "line without code",
    "line behind the end",
    "condition",
    "condition that fails",
    "hit count",
    "hit count with a condition",
    "log point",
    "log point that fails",
    "step over, in, out",
    "pause",
    "pause while a condition is tried",
    "breakpoint in a running program",
    "threads",
    "stack of 300 frames",
    "100,000 elements",
    "names and texts of any language",
    "output",
    "standard input",
    "exit code",
    "crash",
    "adapter is killed",
    "program is killed",
    "disconnect",
    "leaving it running",
)
"""The rows, in order."""

_BLOCK: Final = re.compile(r"(?<=<!-- generated: features -->\n).*?(?=<!-- end -->\n)", re.DOTALL)


def cell(adapter: str, feature: str) -> str | None:
    """What the page says of a feature with that adapter; None where it says nothing."""
    return _cells().get((adapter, feature))


def shown() -> list[str]:
    """The features on the page, in order."""
    return list(dict.fromkeys(feature for _, feature in _cells()))


@cache
def _cells() -> dict[tuple[str, str], str]:
    found = _BLOCK.search(PAGE.read_text(encoding="utf-8"))
    rows = [
        [part.strip() for part in line.strip("|").split(" | ")] for line in (found[0] if found else "").splitlines()
    ]
    return {
        (adapter, feature): how for feature, *cells in rows[2:] for adapter, how in zip(COLUMNS, cells, strict=True)
    }


def _table(met: dict[tuple[str, str], str]) -> str:
    rows = [("feature", *COLUMNS), tuple("---" for _ in ("", *COLUMNS))]
    rows += [(feature, *(met.get((adapter, feature), "?") for adapter in COLUMNS)) for feature in FEATURES]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


class _Gatherer:
    """A plugin that gathers what the tests tell, whether or not the page has it."""

    def __init__(self) -> None:
        self.met: dict[tuple[str, str], str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        for name, told in report.user_properties:
            if name == PROPERTY:
                adapter, feature, how = told
                self.met[adapter, feature] = how


def main() -> int:
    """Write the table anew; 1 where a feature was not met by every adapter."""
    gatherer = _Gatherer()
    pytest.main(["-q", "-p", "no:randomly", "-n0", str(TESTS), *sys.argv[1:]], plugins=[gatherer])
    for adapter in COLUMNS:
        for feature in FEATURES:
            if (told := cell(adapter, feature)) is not None:
                gatherer.met.setdefault((adapter, feature), told)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_BLOCK.sub(lambda _: _table(gatherer.met), text), encoding="utf-8")
    return int(len(gatherer.met) < len(COLUMNS) * len(FEATURES))


if __name__ == "__main__":
    sys.exit(main())
