"""Function breakpoints, exception filters and the mute switch are kept and merged as the breakpoints are."""

from pathlib import Path

import pytest

from lazydap_core.domain.breakpoints import FilterChoice, FunctionBreakpoint
from lazydap_core.errors import StateFileInvalid
from lazydap_core.protocol.objects import ByIds, ByName, Everything, NewBreakpoint
from lazydap_core.state_file import parse_state, state_path
from lazydap_daemon.store.project import ProjectStore
from lazydap_daemon.store.reconciling import External

RAISED = FilterChoice(adapter="debugpy", filter="raised", condition="x")


def at(name: str, **more: object) -> FunctionBreakpoint:
    return FunctionBreakpoint(id=0, name=name, **more)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def store(tmp_path: Path) -> ProjectStore:
    return ProjectStore.load(tmp_path)


async def edited(store: ProjectStore, old: str, new: str) -> list[External]:
    """What the store says was edited, when it writes next."""
    told: list[External] = []
    store.on_external = told.append
    path = state_path(store.root)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    store.toggle_breakpoints(Everything(), dry_run=False)
    assert await store.flush()
    return told


async def filled(store: ProjectStore) -> None:
    store.add_breakpoint(NewBreakpoint(source="/p/a.py", line=3, enabled=True), dry_run=False)
    store.functions.add(at("main.run", condition="n > 1"), dry_run=False)
    store.choose_filter(RAISED)
    store.mute(muted=True)
    assert await store.flush()


async def test_what_was_kept_is_there_for_the_next_daemon(store: ProjectStore) -> None:
    await filled(store)
    again = ProjectStore.load(store.root)
    assert again.functions.entries == (FunctionBreakpoint(id=2, name="main.run", condition="n > 1"),)
    assert (again.filter_choices, again.is_muted) == ((RAISED,), True)


async def test_the_file_says_it_in_tables_of_its_own(store: ProjectStore) -> None:
    await filled(store)
    assert state_path(store.root).read_text() == (
        "version = 1\nnext_breakpoint_id = 3\nnext_watch_id = 1\nbreakpoints_muted = true\n\n"
        '[[breakpoints]]\nid = 1\nsource = "/p/a.py"\nline = 3\nenabled = true\n\n'
        '[[function_breakpoints]]\nid = 2\nname = "main.run"\ncondition = "n > 1"\nenabled = true\n\n'
        '[[exception_filters]]\nadapter = "debugpy"\nfilter = "raised"\nenabled = true\ncondition = "x"\n'
    )


async def test_a_file_that_somebody_has_touched_keeps_what_is_theirs(store: ProjectStore) -> None:
    await filled(store)
    path = state_path(store.root)
    path.write_text(f"# ours\n{path.read_text()}colour = 'red'\n".replace("[[exc", "# mind\n[[exc"))
    store.mute(muted=False)
    store.choose_filter(FilterChoice(adapter="debugpy", filter="raised", enabled=False))
    store.choose_filter(FilterChoice(adapter="delve", filter="unrecovered-panic", enabled=False))
    store.functions.remove(Everything(), dry_run=False)
    assert await store.flush()
    text = path.read_text()
    assert all(words in text for words in ("# ours", "# mind", "colour = 'red'", "breakpoints_muted = false"))
    state = parse_state(text, store.root)
    assert (state.breakpoints_muted, state.function_breakpoints) == (False, ())
    assert [(one.key, one.enabled, one.condition) for one in state.exception_filters] == [
        (("debugpy", "raised"), False, None),
        (("delve", "unrecovered-panic"), False, None),
    ]


async def test_what_is_edited_by_hand_is_taken_over(store: ProjectStore) -> None:
    await filled(store)
    (external,) = await edited(store, "breakpoints_muted = true", "breakpoints_muted = false")
    assert (external.has_mute_changed, store.is_muted) == (True, False)
    (external,) = await edited(store, 'condition = "n > 1"', "")
    assert external.function_breakpoints == store.functions.entries == (FunctionBreakpoint(id=2, name="main.run"),)
    (external,) = await edited(store, 'filter = "raised"', 'filter = "userUnhandled"')
    assert [choice.filter for choice in store.filter_choices] == ["userUnhandled"]
    assert {choice.filter for choice in external.exception_filters} == {"raised", "userUnhandled"}


async def test_a_condition_changed_by_hand_and_a_switch_changed_here_come_together(store: ProjectStore) -> None:
    await filled(store)
    store.functions.toggle(ByIds(ids=(2,)), dry_run=False)
    await edited(store, 'condition = "n > 1"', 'condition = "n > 2"')
    assert store.functions.entries == (FunctionBreakpoint(id=2, name="main.run", condition="n > 2", enabled=False),)


async def test_an_id_that_somebody_else_gave_to_a_function_is_not_ours_to_give_to_a_line(store: ProjectStore) -> None:
    await filled(store)
    mine = store.add_breakpoint(NewBreakpoint(source="/p/b.py", line=3, enabled=True), dry_run=False).breakpoints[0].id
    await edited(
        store, "[[exception_filters]]", f'[[function_breakpoints]]\nid = {mine}\nname = "f"\n\n[[exception_filters]]'
    )
    assert [one.name for one in store.functions.entries if one.id == mine] == ["f"]
    assert mine not in [one.id for one in store.breakpoints]
    assert "/p/b.py" in [one.source for one in store.breakpoints]


def test_functions_and_lines_share_one_counter(store: ProjectStore) -> None:
    ids = [store.functions.add(at(name), dry_run=False).breakpoints[0].id for name in ("f", "g")]
    line = store.add_breakpoint(NewBreakpoint(source="/p/a.py", line=3, enabled=True), dry_run=False)
    assert [*ids, line.breakpoints[0].id] == [1, 2, 3]


def test_a_function_has_one_breakpoint_whose_parts_change(store: ProjectStore) -> None:
    actions = [
        store.functions.add(wanted, dry_run=dry_run).action
        for wanted, dry_run in ((at("f"), True), (at("f"), False), (at("f"), False), (at("f", condition="x"), False))
    ]
    assert actions == ["added", "added", "unchanged", "updated"]
    assert store.functions.entries == (FunctionBreakpoint(id=1, name="f", condition="x"),)


def test_a_selector_tells_what_it_did_not_find(store: ProjectStore) -> None:
    store.functions.add(at("f"), dry_run=False)
    change = store.functions.toggle(ByIds(ids=(1, 7)), dry_run=True)
    assert ([one.enabled for one in change.breakpoints], change.not_found, change.has_changed) == ([False], (7,), False)
    assert store.functions.remove(ByName(name="g"), dry_run=False).breakpoints == ()
    assert store.functions.remove(ByName(name="f"), dry_run=False).breakpoints == (FunctionBreakpoint(id=1, name="f"),)


def test_a_choice_taken_back_and_a_switch_that_is_there_already_save_nothing(store: ProjectStore) -> None:
    store.forget_filter("debugpy", "raised")
    assert not store.mute(muted=False)
    assert not store.has_unsaved


def test_an_entry_without_its_name_makes_the_file_unreadable_and_is_named(tmp_path: Path) -> None:
    with pytest.raises(StateFileInvalid, match=r"function_breakpoints\[0\]"):
        parse_state("[[function_breakpoints]]\nid = 3\n", tmp_path)
