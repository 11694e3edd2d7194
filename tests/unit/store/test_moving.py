"""Breakpoints that go elsewhere keep what they are, and a line holds one."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_daemon.store.moving import moved


def _at(lines: Mapping[int, int]) -> dict[int, Breakpoint]:
    return {number: Breakpoint(id=number, source="/a.py", line=line) for number, line in lines.items()}


def _lines(present: Mapping[int, int], wanted: Mapping[int, int]) -> dict[int, int]:
    after = moved(_at(present), _at(wanted), lambda entry: entry.line)
    return {number: entry.line for number, entry in after.items()}


def test_a_block_that_is_pushed_down_goes_down_as_a_whole() -> None:
    assert _lines({1: 5, 2: 6, 3: 9}, {1: 6, 2: 7}) == {1: 6, 2: 7, 3: 9}


def test_two_may_change_places() -> None:
    assert _lines({1: 5, 2: 6}, {1: 6, 2: 5}) == {1: 6, 2: 5}


def test_one_whose_place_is_taken_stays_and_so_does_who_wanted_its_own() -> None:
    assert _lines({1: 5, 2: 6, 3: 7}, {2: 7, 1: 6}) == {1: 5, 2: 6, 3: 7}


def test_of_two_that_want_one_line_the_first_named_gets_it() -> None:
    assert _lines({1: 5, 2: 6}, {2: 9, 1: 9}) == {1: 5, 2: 9}


_places = st.dictionaries(st.integers(1, 6), st.integers(1, 8), max_size=6)


@given(_places, _places)
def test_no_two_ever_share_a_line(present: dict[int, int], wanted: dict[int, int]) -> None:
    present = {number: line for line, number in {line: number for number, line in present.items()}.items()}
    after = _lines(present, {number: line for number, line in wanted.items() if number in present})

    assert sorted(after) == sorted(present)
    assert len(set(after.values())) == len(after)
