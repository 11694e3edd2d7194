"""What doc/compared.md says of lazydap, and each complaint that it answers, is held by tests that are there."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.claims import COMPARED, COMPLAINTS

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "doc" / "compared.md"


def claimed() -> Iterator[str]:
    """The rows in which lazydap is said to do it, at least in part."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 6 and cells[1].startswith(("yes", "part")):
            yield cells[0]


def missing(tests: tuple[str, ...]) -> list[str]:
    """Those of them that are not there."""
    return [test for test in tests if not is_there(test)]


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    path = TESTS / file if "/" in file else TESTS / "editor" / f"test_{file}.py"
    if not path.is_file():
        return False
    return (
        not name or re.search(rf"^(?:async )?def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE) is not None
    )


def test_each_row_that_lazydap_claims_is_held_by_a_test() -> None:
    rows = list(claimed())
    assert len(rows) == len(set(rows)) > 40
    assert set(rows) - COMPARED.keys() == set()
    assert COMPARED.keys() - set(rows) == set()
    assert all(COMPARED.values())
    gone = {row: missing(tests) for row, tests in COMPARED.items()}
    assert {row: tests for row, tests in gone.items() if tests} == {}


def test_each_complaint_is_answered_by_a_test_or_a_reason() -> None:
    assert len(COMPLAINTS) == 40
    gone = {complaint: missing(tests) for complaint, tests in COMPLAINTS.items() if not isinstance(tests, str)}
    assert {complaint: tests for complaint, tests in gone.items() if tests} == {}
    assert all(COMPLAINTS.values())
