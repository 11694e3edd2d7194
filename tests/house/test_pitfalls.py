"""Each test that doc/adapters.md names is there."""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "doc" / "adapters.md"


def test_every_test_that_the_page_of_adapters_names_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page.partition("## What goes wrong, and what holds it")[2]))
    there = {
        name
        for file in TESTS.rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert named
    assert named - there == set()
