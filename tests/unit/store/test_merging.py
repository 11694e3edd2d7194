"""Two sides change one list: nobody's work is lost without a word."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.domain.breakpoints import Watch
from lazydap_daemon.store.merging import Merged, merged


def _watch(number: int, expression: str = "x", label: str | None = None) -> Watch:
    return Watch(id=number, expression=f"{expression}{number}", label=label)


def _merge(base: list[Watch], ours: list[Watch], theirs: list[Watch]) -> Merged[Watch]:
    by_id = [{entry.id: entry for entry in side} for side in (base, ours, theirs)]
    return merged(by_id[0], by_id[1], by_id[2], lambda entry: entry.expression)


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


def test_an_entry_moved_by_hand_stays_where_it_is_known() -> None:
    moved = _watch(1, expression="moved")

    assert _merge([_watch(1)], [_watch(1)], [moved]) == Merged((_watch(1),), external=(), overruled=(moved,))


def test_an_addition_by_hand_in_a_place_that_is_taken_is_not_doubled() -> None:
    doubled = msgspec.structs.replace(_watch(1), id=2)

    assert _merge([], [_watch(1)], [doubled]) == Merged((_watch(1),), external=(), overruled=(doubled,))


_sides = st.lists(
    st.builds(_watch, st.integers(1, 5), st.sampled_from("xy"), st.sampled_from([None, "a", "b"])),
    unique_by=lambda entry: entry.id,
    max_size=5,
)


@given(_sides, _sides)
def test_a_file_that_nobody_else_changed_changes_nothing(base: list[Watch], ours: list[Watch]) -> None:
    assert _merge(base, ours, base) == Merged(tuple(ours), external=(), overruled=())


@given(_sides, _sides)
def test_without_changes_of_ours_the_file_is_taken_over_but_for_moved_entries(
    base: list[Watch], theirs: list[Watch]
) -> None:
    found = _merge(base, base, theirs)

    assert {entry.id for entry in found.entries} | {entry.id for entry in found.overruled} == {
        entry.id for entry in theirs
    }


@given(_sides, _sides, _sides)
def test_everything_that_changes_here_is_announced(base: list[Watch], ours: list[Watch], theirs: list[Watch]) -> None:
    found = _merge(base, ours, theirs)
    before, after = set(ours), set(found.entries)

    assert {entry.id for entry in before ^ after} == {entry.id for entry in found.external}
