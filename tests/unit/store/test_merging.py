"""Two sides change one list: nobody's work is lost without a word."""

from itertools import count

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.domain.breakpoints import Breakpoint, Watch
from lazydap_daemon.store.merging import Kind, Merged, merged

FRESH = 100


def _watch(number: int, expression: str = "x", label: str | None = None) -> Watch:
    return Watch(id=number, expression=f"{expression}{number}", label=label)


def _merge(base: list[Watch], ours: list[Watch], theirs: list[Watch]) -> Merged[Watch]:
    numbers = count(FRESH)
    kind = Kind[int, Watch](
        key=lambda entry: entry.id,
        place=lambda entry: entry.expression,
        where=("expression",),
        parts=[("label",)],
        numbered=lambda entry, number: msgspec.structs.replace(entry, id=number),
        fresh=lambda: next(numbers),
    )
    by_id = [{entry.id: entry for entry in side} for side in (base, ours, theirs)]
    return merged(kind, *by_id)


def _on(line: int, number: int = 1, anchor: str | None = None, condition: str | None = None) -> Breakpoint:
    return Breakpoint(id=number, source="/a.py", line=line, anchor=anchor, condition=condition)


def _merge_lines(base: list[Breakpoint], ours: list[Breakpoint], theirs: list[Breakpoint]) -> Merged[Breakpoint]:
    numbers = count(FRESH)
    kind = Kind[int, Breakpoint](
        key=lambda entry: entry.id,
        place=lambda entry: entry.line,
        where=("line", "anchor"),
        parts=[("condition",), ("enabled",)],
        numbered=lambda entry, number: msgspec.structs.replace(entry, id=number),
        fresh=lambda: next(numbers),
    )
    by_id = [{entry.id: entry for entry in side} for side in (base, ours, theirs)]
    return merged(kind, *by_id)


def test_an_addition_by_hand_is_adopted() -> None:
    found = _merge([_watch(1)], [_watch(1)], [_watch(1), _watch(2)])

    assert found == Merged((_watch(1), _watch(2)), external=(_watch(2),), overruled=())


def test_a_removal_by_hand_is_honoured() -> None:
    assert _merge([_watch(1), _watch(2)], [_watch(1), _watch(2)], [_watch(2)]) == Merged(
        (_watch(2),), external=(_watch(1),), overruled=()
    )


def test_what_we_removed_stays_removed_though_the_file_still_has_it() -> None:
    assert _merge([_watch(1)], [], [_watch(1)]) == Merged((), external=(), overruled=())


def test_what_we_changed_survives_a_removal_by_hand() -> None:
    ours = _watch(1, label="ours")

    assert _merge([_watch(1)], [ours], []) == Merged((ours,), external=(), overruled=())


def test_a_change_by_hand_of_what_we_left_alone_is_taken_over() -> None:
    theirs = _watch(1, label="theirs")

    assert _merge([_watch(1)], [_watch(1)], [theirs]) == Merged((theirs,), external=(theirs,), overruled=())


def test_where_both_changed_ours_stands_and_theirs_is_named() -> None:
    ours, theirs = _watch(1, label="ours"), _watch(1, label="theirs")

    assert _merge([_watch(1)], [ours], [theirs]) == Merged((ours,), external=(), overruled=(theirs,))


def test_what_each_side_changed_of_one_entry_is_put_together() -> None:
    theirs = msgspec.structs.replace(_on(9, anchor="new"), enabled=False)

    found = _merge_lines([_on(5, anchor="old")], [_on(5, anchor="old", condition="x")], [theirs])

    assert found.entries == (msgspec.structs.replace(theirs, condition="x"),)
    assert found.overruled == ()


def test_a_move_by_somebody_else_is_taken_over_whatever_note_we_have_made_of_the_old_place() -> None:
    found = _merge_lines([_on(5)], [_on(5, anchor="ours")], [_on(9)])

    assert found == Merged((_on(9),), external=(_on(9),), overruled=())


def test_where_both_moved_an_entry_it_stays_where_we_put_it_and_theirs_is_named() -> None:
    assert _merge_lines([_on(5)], [_on(7)], [_on(9)]) == Merged((_on(7),), external=(), overruled=(_on(9),))


def test_a_block_moved_by_somebody_else_moves_as_a_whole() -> None:
    base = [_on(5), _on(6, 2)]
    theirs = [_on(6), _on(7, 2)]

    assert _merge_lines(base, base, theirs) == Merged(tuple(theirs), external=tuple(theirs), overruled=())


def test_a_move_onto_the_place_of_another_gives_way() -> None:
    base = [_on(5), _on(6, 2)]
    ours, theirs = [_on(5), _on(8, 2)], [_on(8), _on(6, 2)]

    assert _merge_lines(base, ours, theirs) == Merged(tuple(ours), external=(), overruled=(_on(8),))


def test_an_id_that_both_sides_gave_away_stays_with_what_is_in_the_file_and_ours_gets_a_fresh_one() -> None:
    found = _merge_lines([], [_on(5)], [_on(9)])

    assert found == Merged((_on(9), _on(5, FRESH)), external=(_on(9), _on(5, FRESH)), overruled=())


def test_a_place_that_both_sides_took_is_one_entry_under_the_files_id_with_our_modifiers() -> None:
    found = _merge_lines([], [_on(5, 3, condition="x")], [_on(5, 1)])

    assert found.entries == (_on(5, 1, condition="x"),)
    assert found.overruled == (_on(5, 1),)


def test_a_removal_of_ours_stays_one_though_the_others_changed_what_we_removed() -> None:
    assert _merge([_watch(1)], [], [_watch(1, label="theirs")]).entries == ()


_sides = st.lists(
    st.builds(
        Watch, id=st.integers(1, 5), expression=st.sampled_from("vwxyz"), label=st.sampled_from([None, "a", "b"])
    ),
    unique_by=(lambda entry: entry.id, lambda entry: entry.expression),
    max_size=5,
)


@given(_sides, _sides)
def test_a_file_that_nobody_else_changed_changes_nothing(base: list[Watch], ours: list[Watch]) -> None:
    assert _merge(base, ours, base) == Merged(tuple(ours), external=(), overruled=())


@given(_sides, _sides)
def test_without_changes_of_ours_the_file_is_taken_over_as_it_is(base: list[Watch], theirs: list[Watch]) -> None:
    found = _merge(base, base, theirs)

    assert set(found.entries) == set(theirs)
    assert found.overruled == ()


@given(_sides, _sides, _sides)
def test_no_place_and_no_id_is_given_twice(base: list[Watch], ours: list[Watch], theirs: list[Watch]) -> None:
    found = _merge(base, ours, theirs)

    assert len({entry.id for entry in found.entries}) == len(found.entries)
    assert len({entry.expression for entry in found.entries}) == len(found.entries)


@given(_sides, _sides, _sides)
def test_what_either_side_added_is_there(base: list[Watch], ours: list[Watch], theirs: list[Watch]) -> None:
    before = {entry.id for entry in base}
    added = {entry.expression for side in (ours, theirs) for entry in side if entry.id not in before}

    assert added <= {entry.expression for entry in _merge(base, ours, theirs).entries}


@given(_sides, _sides, _sides)
def test_everything_that_changes_here_is_announced(base: list[Watch], ours: list[Watch], theirs: list[Watch]) -> None:
    found = _merge(base, ours, theirs)
    before, after = set(ours), set(found.entries)

    assert {entry.id for entry in before ^ after} == {entry.id for entry in found.external}
