"""What a project remembers, and when and how it is written down."""

import os
import re
import threading
import time
import tomllib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from lazydap_core.errors import BadRequest, StateFileInvalid
from lazydap_core.protocol.additions.following import BreakpointPlace
from lazydap_core.protocol.objects import (
    ByExpression,
    ByIds,
    ByLocation,
    BySource,
    Everything,
    Location,
    NewBreakpoint,
    NewWatch,
)
from lazydap_core.state_file import parse_state, read_state
from lazydap_daemon.store import project as store_module
from lazydap_daemon.store.project import ProjectStore
from lazydap_daemon.store.reconciling import External
from lazydap_daemon.store.sources import stored_source

DEADLINE = 5.0


def _new(source: str, line: int = 1, condition: str | None = None) -> NewBreakpoint:
    return NewBreakpoint(source=source, line=line, condition=condition, enabled=True)


def _file(root: Path) -> Path:
    return root / ".lazydap" / "state.toml"


def _full_disk(_: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "p"
    (project / ".lazydap").mkdir(parents=True)
    return project.resolve()


@asynccontextmanager
async def _flushing(store: ProjectStore) -> AsyncGenerator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.run_flusher)
        yield
        tasks.cancel_scope.cancel()


async def _until_saved(store: ProjectStore) -> None:
    with anyio.fail_after(DEADLINE):
        while store.has_unsaved:  # noqa: ASYNC110  # the store has no event for it, on purpose
            await anyio.sleep(0.005)


# -- breakpoints and watches ------------------------------------------------------------------------------------------


def test_a_dry_run_shows_the_result_and_does_nothing(root: Path) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)
    before = store.breakpoints

    assert [entry.id for entry in store.add_breakpoint(_new("b.py"), dry_run=True).breakpoints] == [0]
    updated = store.add_breakpoint(_new("a.py", condition="x"), dry_run=True)
    assert (updated.action, updated.breakpoints[0].id, updated.breakpoints[0].condition) == ("updated", 1, "x")
    assert store.toggle_breakpoints(Everything(), dry_run=True).breakpoints[0].enabled is False
    assert store.remove_breakpoints(Everything(), dry_run=True).breakpoints == before
    assert [entry.id for entry in store.add_watch(NewWatch(expression="x"), dry_run=True).watches] == [0]
    assert (store.breakpoints, store.watches) == (before, ())


def test_an_identical_breakpoint_is_unchanged_and_needs_no_saving(root: Path) -> None:
    _file(root).write_text('[[breakpoints]]\nid = 1\nsource = "a.py"\nline = 1\n')
    store = ProjectStore.load(root)

    change = store.add_breakpoint(_new("a.py"), dry_run=False)

    assert (change.action, change.has_changed, store.has_unsaved) == ("unchanged", False, False)


def test_a_link_and_its_target_are_one_place(root: Path) -> None:
    (root / "real").mkdir()
    (root / "real" / "a.py").touch()
    (root / "link").symlink_to("real")
    store = ProjectStore.load(root)
    store.add_breakpoint(_new(str(root / "link" / "a.py")), dry_run=False)

    assert store.breakpoints[0].source == str(root / "real" / "a.py")
    assert store.add_breakpoint(_new("real/./a.py"), dry_run=False).action == "unchanged"
    assert len(store.breakpoints_in(str(root / "link" / "a.py"))) == 1
    location = ByLocation(location=Location(source=str(root / "link" / "a.py"), line=1))
    assert len(store.toggle_breakpoints(location, dry_run=False).breakpoints) == 1
    assert len(store.remove_breakpoints(BySource(source="link/a.py"), dry_run=False).breakpoints) == 1


def test_a_link_in_the_state_file_is_read_as_its_target(root: Path) -> None:
    (root / "a.py").touch()
    (root / "link.py").symlink_to("a.py")
    _file(root).write_text('[[breakpoints]]\nid = 1\nsource = "link.py"\nline = 1\n')

    assert ProjectStore.load(root).breakpoints[0].source == str(root / "a.py")


def test_ids_that_match_nothing_are_named_as_they_were_asked(root: Path) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)
    store.add_watch(NewWatch(expression="x"), dry_run=False)

    change = store.remove_breakpoints(ByIds(ids=(9, 1, 9)), dry_run=True)
    assert (change.not_found, len(change.breakpoints)) == ((9, 9), 1)
    assert store.remove_watches(ByIds(ids=(7,)), dry_run=False).not_found == (7,)
    assert store.remove_watches(ByExpression(expression="y"), dry_run=False).has_changed is False


def test_a_moved_breakpoint_keeps_its_id_and_what_it_has_to_say(root: Path) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py", 5, condition="x > 1"), dry_run=False)
    moves = (BreakpointPlace(id=1, line=9, anchor="a\nb\nc"), BreakpointPlace(id=7, line=1))

    rehearsed = store.move_breakpoints(moves, dry_run=True)
    assert (rehearsed.action, rehearsed.breakpoints[0].line, store.breakpoints[0].line) == ("updated", 9, 5)
    change = store.move_breakpoints(moves, dry_run=False)

    assert (change.action, change.not_found, change.has_changed) == ("updated", (7,), True)
    (entry,) = store.breakpoints
    assert (entry.id, entry.line, entry.condition, entry.anchor) == (1, 9, "x > 1", "a\nb\nc")
    assert store.move_breakpoints(moves, dry_run=False).action == "unchanged"


def test_a_breakpoint_follows_its_file_to_another_name(root: Path) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py", 5), dry_run=False)

    change = store.move_breakpoints((BreakpointPlace(id=1, line=5, source="b.py"),), dry_run=False)

    assert store.breakpoints[0].source == str(root / "b.py")
    assert change.left == {str(root / "a.py")}


async def test_an_anchor_is_kept_in_a_table_of_its_own_and_read_again(root: Path) -> None:
    _file(root).write_text('# mine\n[[breakpoints]]\nid = 3\nsource = "a.py"\nline = 5\n')
    store = ProjectStore.load(root)

    change = store.move_breakpoints((BreakpointPlace(id=3, line=5, anchor='x\n"y"\nz'),), dry_run=False)
    await store.flush()

    assert (change.action, change.has_changed) == ("updated", False)
    text = _file(root).read_text()
    assert "# mine\n[[breakpoints]]" in text
    assert tomllib.loads(text)["anchors"] == [{"id": 3, "line": 5, "text": 'x\n"y"\nz'}]
    assert ProjectStore.load(root).breakpoints[0].anchor == 'x\n"y"\nz'


async def test_the_anchor_of_a_breakpoint_that_was_moved_by_hand_does_not_pull_it_back(root: Path) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py", 5), dry_run=False)
    store.move_breakpoints((BreakpointPlace(id=1, line=5, anchor="x\ny\nz"),), dry_run=False)
    await store.flush()

    _file(root).write_text(_file(root).read_text().replace('"a.py"\nline = 5', '"a.py"\nline = 20'))

    (entry,) = ProjectStore.load(root).breakpoints
    assert (entry.line, entry.anchor) == (20, None)


def test_a_project_that_has_used_up_its_ids_says_where_to_look(root: Path) -> None:
    _file(root).write_text(f"next_breakpoint_id = {2**32 - 1}\n")
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)

    with pytest.raises(BadRequest, match="next_breakpoint_id"):
        store.add_breakpoint(_new("b.py"), dry_run=False)
    assert len(store.breakpoints) == 1


def test_a_state_file_that_is_a_folder_is_refused_in_one_line(root: Path) -> None:
    _file(root).mkdir()

    with pytest.raises(StateFileInvalid) as caught:
        ProjectStore.load(root)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("source", "stored"),
    [
        ("/proj/a.py", "a.py"),
        ("/proj", ""),
        ("/project/a.py", "/project/a.py"),
        ("/pro", "/pro"),
        ("//proj/./x//y.py/", "x//y.py"),
        ("/proj/x/.", "x"),
        ("/proj/../out.py", "../out.py"),
        ("proj/a.py", "proj/a.py"),
    ],
)
def test_a_path_below_the_root_is_stored_relative_to_it(source: str, stored: str) -> None:
    assert stored_source(source, Path("/proj")) == stored


# -- saving -----------------------------------------------------------------------------------------------------------


async def test_a_burst_of_changes_shares_its_writes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    replace = store_module.replace_text

    def counted(path: Path, text: str, *, expected: str | None) -> None:
        written.append(text)
        replace(path, text, expected=expected)

    monkeypatch.setattr(store_module, "replace_text", counted)
    store = ProjectStore.load(root)
    async with _flushing(store):
        for line in range(20):
            store.add_breakpoint(_new("a.py", line), dry_run=False)
            await anyio.lowlevel.checkpoint()
        await _until_saved(store)

    assert len(written) <= 2
    assert len(read_state(root).breakpoints) == 20


async def test_an_answer_waits_until_its_change_is_saved(root: Path) -> None:
    store = ProjectStore.load(root)
    async with _flushing(store):
        for line in (1, 2, 3):
            store.add_breakpoint(_new("a.py", line), dry_run=False)
            await store.saved()
            # So a daemon that is killed behind its answer gives no id away twice.
            assert ProjectStore.load(root).claim_breakpoint_id() == line + 1


async def test_an_answer_does_not_wait_for_a_disk_that_hangs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on = threading.Event()
    replace = store_module.replace_text

    def hanging(path: Path, text: str, *, expected: str | None) -> None:
        assert may_go_on.wait(DEADLINE)
        replace(path, text, expected=expected)

    monkeypatch.setattr(store_module, "replace_text", hanging)
    store = ProjectStore.load(root)
    async with _flushing(store):
        store.add_breakpoint(_new("a.py"), dry_run=False)
        with anyio.fail_after(DEADLINE / 2):
            await store.saved()
        assert store.has_unsaved
        may_go_on.set()
        await _until_saved(store)


async def test_a_change_during_a_write_is_saved_by_the_next(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProjectStore.load(root)
    began, may_go_on = threading.Event(), threading.Event()
    replace = store_module.replace_text

    def slow(path: Path, text: str, *, expected: str | None) -> None:
        began.set()
        assert may_go_on.wait(DEADLINE)
        replace(path, text, expected=expected)

    monkeypatch.setattr(store_module, "replace_text", slow)
    async with _flushing(store):
        store.add_breakpoint(_new("a.py"), dry_run=False)
        assert await anyio.to_thread.run_sync(began.wait, DEADLINE)
        store.add_breakpoint(_new("b.py"), dry_run=False)
        may_go_on.set()
        await _until_saved(store)

    assert [entry.source for entry in read_state(root).breakpoints] == [str(root / "a.py"), str(root / "b.py")]


async def test_a_failed_write_stays_unsaved_and_is_tried_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_module, "RETRY_DELAYS", (0.01,))
    store = ProjectStore.load(root)
    _file(root).mkdir()
    async with _flushing(store):
        store.add_breakpoint(_new("a.py"), dry_run=False)
        with anyio.fail_after(DEADLINE):
            while len(caplog.records) < 2:  # noqa: ASYNC110  # another thread fails, nobody tells
                await anyio.sleep(0.005)
        assert store.has_unsaved
        _file(root).rmdir()
        await _until_saved(store)

    assert "not saved" in caplog.text
    assert len(read_state(root).breakpoints) == 1


async def test_a_write_that_fails_halfway_leaves_the_old_file_and_no_rest(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)
    assert await store.flush()
    before = _file(root).read_text()

    monkeypatch.setattr(os, "fsync", _full_disk)
    store.add_breakpoint(_new("b.py"), dry_run=False)

    assert not await store.flush()
    assert _file(root).read_text() == before
    assert [path.name for path in _file(root).parent.iterdir()] == ["state.toml"]


async def test_a_reader_never_sees_a_half_written_file(root: Path) -> None:
    store = ProjectStore.load(root)
    seen: list[int] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.append(len(read_state(root).breakpoints))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for line in range(60):
            store.add_breakpoint(_new("a.py", line), dry_run=False)
            assert await store.flush()
    finally:
        stop.set()
        reader.join()
    assert seen == sorted(seen)


async def test_remains_of_a_daemon_that_died_while_writing_are_swept(root: Path) -> None:
    old, young = (_file(root).with_name(f"state.toml.tmp.{number}") for number in (1, 2))
    old.touch()
    young.touch()
    hour_ago = time.time() - 3700
    os.utime(old, (hour_ago, hour_ago))
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)

    assert await store.flush()

    assert sorted(path.name for path in _file(root).parent.iterdir()) == ["state.toml", young.name]


async def test_the_state_folder_is_made_with_the_first_breakpoint(tmp_path: Path) -> None:
    store = ProjectStore.load(tmp_path)
    assert await store.flush()
    assert not _file(tmp_path).parent.exists()
    store.add_breakpoint(_new("a.py"), dry_run=False)

    assert await store.flush()

    assert len(read_state(tmp_path).breakpoints) == 1


# -- others write the file too ----------------------------------------------------------------------------------------


async def test_edits_by_hand_are_adopted_at_the_next_write_and_told(root: Path) -> None:
    store = ProjectStore.load(root)
    for line in (1, 2, 3):
        store.add_breakpoint(_new("a.py", line), dry_run=False)
    store.add_watch(NewWatch(expression="x"), dry_run=False)
    assert await store.flush()
    told: list[External] = []
    store.on_external = told.append
    text = _file(root).read_text()
    text = text.replace('id = 1\nsource = "a.py"\nline = 1\n', 'id = 1\nsource = "a.py"\nline = 1\ncondition = "i"\n')
    text = text.replace('[[breakpoints]]\nid = 2\nsource = "a.py"\nline = 2\nenabled = true\n', "")
    text += '# by hand\n[[watches]]\nid = 8\nexpression = "y"\n'
    _file(root).write_text(text)

    store.add_breakpoint(_new("b.py"), dry_run=False)
    assert await store.flush()

    assert [(entry.id, entry.condition) for entry in store.breakpoints] == [(1, "i"), (3, None), (4, None)]
    assert [entry.id for entry in store.watches] == [1, 8]
    assert [[entry.id for entry in external.breakpoints] for external in told] == [[1, 2]]
    assert [[entry.id for entry in external.watches] for external in told] == [[8]]
    assert "# by hand" in _file(root).read_text()
    assert store.add_watch(NewWatch(expression="z"), dry_run=False).watches[0].id == 9


async def test_what_was_adopted_and_then_removed_stays_removed_though_a_write_failed_between(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ProjectStore.load(root)
    _file(root).write_text('[[breakpoints]]\nid = 5\nsource = "hand.py"\nline = 1\n')
    store.add_breakpoint(_new("a.py"), dry_run=False)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _full_disk)
        assert not await store.flush()
    assert [entry.id for entry in store.breakpoints] == [1, 5]

    store.remove_breakpoints(ByIds(ids=(5,)), dry_run=False)
    assert await store.flush()

    assert [entry.id for entry in read_state(root).breakpoints] == [1]


async def test_a_removal_not_yet_written_survives_an_edit_by_hand(root: Path) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)
    assert await store.flush()
    store.remove_breakpoints(Everything(), dry_run=False)
    _file(root).write_text(_file(root).read_text() + "\n[ui]\nx = 1\n")

    assert await store.flush()

    assert store.breakpoints == ()
    assert "[ui]\nx = 1" in _file(root).read_text()


async def test_a_file_that_was_emptied_or_removed_takes_nothing_from_the_daemon(root: Path) -> None:
    _file(root).write_text("# ours\n[ui]\nx = 1\n")
    store = ProjectStore.load(root)
    for text in ("", None):
        store.add_breakpoint(_new("a.py", len(store.breakpoints)), dry_run=False)
        if text is None:
            _file(root).unlink()
        else:
            _file(root).write_text(text)
        assert await store.flush()

        found = _file(root).read_text()
        assert len(parse_state(found, root).breakpoints) == len(store.breakpoints)
        assert "# ours" in found
        assert "x = 1" in found


async def test_a_file_broken_by_hand_is_left_alone_until_it_is_mended(root: Path) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)
    _file(root).write_text("not = = toml")

    assert not await store.flush()
    assert _file(root).read_text() == "not = = toml"

    _file(root).write_text("x = 1\n")
    assert await store.flush()
    assert "x = 1" in _file(root).read_text()
    assert len(read_state(root).breakpoints) == 1


async def test_an_edit_between_reading_and_replacing_is_not_lost(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py"), dry_run=False)
    rendered = store_module.rendered
    edits = ['[[breakpoints]]\nid = 5\nsource = "hand.py"\nline = 1\n']

    def edited_meanwhile(*arguments: object) -> str:
        if edits:
            _file(root).write_text(edits.pop())
        return rendered(*arguments)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(store_module, "rendered", edited_meanwhile)

    assert await store.flush()
    assert sorted(entry.id for entry in read_state(root).breakpoints) == [1, 5]
    assert sorted(entry.id for entry in store.breakpoints) == [1, 5]


# -- a file that cannot be used ---------------------------------------------------------------------------------------


def _malformed(root: Path) -> None:
    _file(root).write_text("[[breakpoints]\n")


def _folder_became_a_file(root: Path) -> None:
    (root / ".lazydap").rename(root / "aside")
    (root / ".lazydap").write_text("")


def _not_text(root: Path) -> None:
    _file(root).write_bytes(b"\xff\xfe")


def _a_folder_in_its_place(root: Path) -> None:
    _file(root).unlink(missing_ok=True)
    _file(root).mkdir()


def _mended(root: Path) -> None:
    if (root / "aside").exists():
        (root / ".lazydap").unlink()
        (root / "aside").rename(root / ".lazydap")
    elif _file(root).is_dir():
        _file(root).rmdir()
    else:
        _file(root).write_text('[[breakpoints]]\nid = 1\nsource = "a.py"\nline = 1\n# mine\n')


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_malformed, "is malformed: .*; mend or remove it"),
        (_folder_became_a_file, r"cannot be written \(Not a directory\): move what is in the folder's place away"),
        (_not_text, "is not UTF-8: mend or remove it"),
        (_a_folder_in_its_place, r"cannot be written \(Is a directory\): move that folder away"),
    ],
)
async def test_a_file_that_cannot_be_used_is_told_with_the_change_and_nothing_is_lost_once_it_is_mended(
    root: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None], words: str
) -> None:
    monkeypatch.setattr(store_module, "RETRY_DELAYS", (0.01,))
    store = ProjectStore.load(root)
    store.add_breakpoint(_new("a.py", 1), dry_run=False)
    await store.flush()
    told: list[str | None] = []
    store.on_health = lambda _: told.append(store.not_saved)

    spoil(root)
    async with _flushing(store):
        store.catch_up()
        store.add_breakpoint(_new("a.py", 2), dry_run=False)
        await store.saved()
        assert store.not_saved is not None
        assert re.search(f"^breakpoints and watches are not saved: .*state.toml {words}$", store.not_saved)
        store.add_breakpoint(_new("a.py", 3), dry_run=False)
        _mended(root)
        await _until_saved(store)

    assert store.not_saved is None
    assert [words is None for words in told] == [False, True]
    assert {entry.line for entry in read_state(root).breakpoints} == {1, 2, 3}


async def test_a_line_changed_by_hand_and_here_gives_way_and_is_told(root: Path) -> None:
    store = ProjectStore.load(root)
    for line in (1, 2):
        store.add_breakpoint(_new("a.py", line), dry_run=False)
    await store.flush()
    overruled: list[str | None] = []
    store.on_health = overruled.append

    _file(root).write_text(
        _file(root).read_text().replace("line = 2\n", "line = 22\n").replace("line = 1\n", "line = 9\n")
    )
    store.move_breakpoints((BreakpointPlace(id=1, line=12),), dry_run=False)
    await store.flush()

    assert {entry.id: entry.line for entry in store.breakpoints} == {1: 12, 2: 22}
    assert overruled == ["an edit of state.toml gave way to what the daemon had: breakpoint 1, a.py:9"]


# -- two daemons of one project ---------------------------------------------------------------------------------------


async def test_two_daemons_that_began_with_the_same_file_lose_nothing_of_each_other(root: Path) -> None:
    first, second = ProjectStore.load(root), ProjectStore.load(root)
    first.add_breakpoint(_new("a.py", 1), dry_run=False)
    first.add_watch(NewWatch(expression="x"), dry_run=False)
    second.add_breakpoint(_new("b.py", 1), dry_run=False)
    second.add_watch(NewWatch(expression="y"), dry_run=False)

    assert await first.flush()
    assert await second.flush()

    assert {one.id: Path(one.source).name for one in read_state(root).breakpoints} == {1: "a.py", 2: "b.py"}
    assert {one.id: one.expression for one in read_state(root).watches} == {1: "x", 2: "y"}


async def test_a_move_and_a_removal_in_one_daemon_are_not_undone_by_another(root: Path) -> None:
    first = ProjectStore.load(root)
    for line in (1, 2):
        first.add_breakpoint(_new("a.py", line), dry_run=False)
    await first.flush()
    second = ProjectStore.load(root)

    first.move_breakpoints((BreakpointPlace(id=1, line=11),), dry_run=False)
    first.remove_breakpoints(ByIds(ids=(2,)), dry_run=False)
    await first.flush()
    second.add_breakpoint(_new("b.py", 3), dry_run=False)
    await second.flush()

    assert {one.id: one.line for one in read_state(root).breakpoints} == {1: 11, 3: 3}


async def test_what_another_daemon_has_written_is_known_before_the_next_change(root: Path) -> None:
    first, second = ProjectStore.load(root), ProjectStore.load(root)
    first.add_breakpoint(_new("a.py", 1), dry_run=False)
    await first.flush()

    second.catch_up()

    assert second.add_breakpoint(_new("a.py", 1), dry_run=True).action == "unchanged"
    assert second.add_breakpoint(_new("b.py", 1), dry_run=False).breakpoints[0].id == 2
    assert second.remove_breakpoints(ByIds(ids=(1,)), dry_run=False).not_found == ()


async def test_two_daemons_that_change_one_project_at_the_same_time_end_with_the_work_of_both(root: Path) -> None:
    stores = [ProjectStore.load(root) for _ in range(2)]

    async def work(store: ProjectStore, source: str) -> None:
        for line in range(1, 16):
            store.catch_up()
            store.add_breakpoint(_new(source, line), dry_run=False)
            await store.saved()
            # Neither keeps the other from writing.
            assert store.not_saved is None

    async with anyio.create_task_group() as tasks:
        for store in stores:
            tasks.start_soon(store.run_flusher)
        async with anyio.create_task_group() as working:
            for store, source in zip(stores, ("a.py", "b.py"), strict=True):
                working.start_soon(work, store, source)
        for store in stores:
            await _until_saved(store)
        tasks.cancel_scope.cancel()

    found = read_state(root).breakpoints
    assert {(Path(one.source).name, one.line) for one in found} == {
        (source, line) for source in ("a.py", "b.py") for line in range(1, 16)
    }
    assert len({one.id for one in found}) == 30
