"""The text by which a breakpoint is found again."""

from lazydap_core.domain.anchors import LONGEST_LINE, anchor_of

LINES = ["def f():", "", "    x = 1  ", "", "    return x"]


def test_an_anchor_is_the_line_between_its_neighbours_without_blanks() -> None:
    assert anchor_of(LINES, 3) == "def f():\nx = 1\nreturn x"
    assert anchor_of(LINES, 1) == "\ndef f():\nx = 1"
    assert anchor_of(LINES, 5) == "x = 1\nreturn x\n"


def test_a_blank_line_and_one_that_is_not_there_have_none() -> None:
    assert [anchor_of(LINES, line) for line in (0, 2, 6)] == [None, None, None]


def test_a_line_of_any_length_makes_a_short_anchor() -> None:
    assert anchor_of(["x" * 1_000_000], 1) == f"\n{'x' * LONGEST_LINE}\n"
