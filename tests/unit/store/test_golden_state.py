"""The store does to state.toml what the older implementation does, but for comments and order, which it keeps."""

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lazydap_core.errors import StateFileInvalid
from lazydap_core.protocol.objects import (
    BreakpointSelector,
    ByExpression,
    ByIds,
    ByLocation,
    BySource,
    Everything,
    Location,
    NewBreakpoint,
    NewWatch,
    WatchSelector,
)
from lazydap_core.state_file import read_state
from lazydap_daemon.store.project import Change, ProjectStore, WatchChange
from tests.contract.golden_data import golden_lines

# What somebody else did to the file is lost there, and is not here (doc/protocol.md, "Differences").
_KEPT_HERE = {
    "edit: entry changed by hand, we did not": {1: "a.py:1", 2: "b.py:22", 3: "c.py:3"},
    "edit: id collision": {1: "a.py:1", 2: "b.py:2", 3: "hand.py:4", 4: "c.py:3"},
}
LINES = [line for file in ("both", "v10") for line in golden_lines(f"{file}/state.jsonl")]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["case"])
async def test_the_store_agrees_with_the_older_implementation(line: dict[str, Any], tmp_path: Path) -> None:
    root = tmp_path / "proj"
    file = root / ".lazydap" / "state.toml"
    file.parent.mkdir(parents=True)
    _put(file, _here(line["initial"], root))
    if not line["ok"]:
        with pytest.raises(StateFileInvalid):
            ProjectStore.load(root)
        return

    store = ProjectStore.load(root)
    assert _plain(store) == _rooted(line["loaded"], root)
    for action, expected in zip(line["actions"], line["results"], strict=True):
        await _act(store, file, _here(action, root), expected, root, is_ours_alone=_is_ours_alone(line))

    if (kept := _KEPT_HERE.get(line["case"])) is not None:
        assert {one.id: f"{Path(one.source).name}:{one.line}" for one in store.breakpoints} == kept
        assert set(read_state(root).breakpoints) == set(store.breakpoints)
        return
    assert _by_id(_plain(store)) == _by_id(_rooted(line["final_breakpoints"], root))
    assert _document(_text(file)) == _document(_here(line["final_file"], root))


def _is_ours_alone(line: dict[str, Any]) -> bool:
    return line["initial"] is None and not any("edit" in action for action in line["actions"])


async def _act(
    store: ProjectStore, file: Path, action: dict[str, Any], expected: Any, root: Path, *, is_ours_alone: bool
) -> None:
    ((name, argument),) = action.items()
    match name:
        case "edit":
            _put(file, argument)
        case "flush":
            assert await store.flush() == (expected["flush"] == "ok")
            if is_ours_alone:
                assert _text(file) == _here(expected["file"], root)
        case "add":
            change = store.add_breakpoint(msgspec.convert(argument, NewBreakpoint), dry_run=False)
            assert _shown(change.breakpoints) == _rooted([expected["breakpoint"]], root)
            assert (
                change.action
                == {"Created": "added", "Updated": "updated", "Unchanged": "unchanged"}[expected["outcome"]]
            )
        case "watch_add":
            watched = store.add_watch(msgspec.convert(argument, NewWatch), dry_run=False)
            assert _shown(watched.watches) == [expected["watch"]]
        case _:
            _agree(_remove_or_toggle(store, name, argument), expected, root)


def _remove_or_toggle(store: ProjectStore, name: str, argument: Any) -> Change | WatchChange:
    match name:
        case "remove":
            return store.remove_breakpoints(_selector(argument), dry_run=False)
        case "toggle":
            return store.toggle_breakpoints(_selector(argument), dry_run=False)
        case "watch_remove":
            return store.remove_watches(_watch_selector(argument), dry_run=False)
        case _:
            raise AssertionError(f"unknown action {name}")


def _agree(change: Change | WatchChange, expected: dict[str, Any], root: Path) -> None:
    assert list(change.not_found) == expected["not_found"]
    if isinstance(change, Change):
        assert _by_id(_shown(change.breakpoints)) == _by_id(_rooted(expected["breakpoints"], root))
    else:
        assert _shown(change.watches) == expected["watches"]


def _selector(told: Any) -> BreakpointSelector:
    match told:
        case "All":
            return Everything()
        case {"Ids": ids}:
            return ByIds(ids=tuple(ids))
        case {"Source": source}:
            return BySource(source=source)
        case {"Location": location}:
            return ByLocation(location=msgspec.convert(location, Location))
        case _:
            raise AssertionError(f"unknown selector {told}")


def _watch_selector(told: Any) -> WatchSelector:
    return ByExpression(expression=told["Expression"]) if "Expression" in told else ByIds(ids=tuple(told["Ids"]))


def _here(told: Any, root: Path) -> Any:
    """The same with the golden project's root replaced by `root`."""
    if isinstance(told, str):
        return re.sub(r"/proj(?=[/\"]|$)", str(root), told)
    if isinstance(told, dict):
        return {key: _here(value, root) for key, value in told.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(told, list):
        return [_here(value, root) for value in told]  # pyright: ignore[reportUnknownVariableType]
    return told


def _rooted(rows: list[dict[str, Any]], root: Path) -> list[dict[str, Any]]:
    """Golden breakpoints as ours are: sources are absolute; a path is the same whatever its spelling."""
    return [{**row, "source": root / _here(row["source"], root)} for row in rows]


def _shown(entries: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = msgspec.to_builtins(entries)
    return [
        {key: Path(value) if key == "source" else value for key, value in row.items() if value is not None}
        for row in rows
    ]


def _plain(store: ProjectStore) -> list[dict[str, Any]]:
    return _shown(store.breakpoints)


def _by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["id"])


def _document(text: str | None) -> dict[str, Any] | None:
    """What a state file says, without its order, without what only a foreign writer put into our entries."""
    if text is None:
        return None
    document = tomllib.loads(text.removeprefix("\ufeff"))
    for name in ("breakpoints", "watches"):
        if name in document:
            rows = [{"enabled": True, **row} if name == "breakpoints" else row for row in document[name]]
            document[name] = _by_id([{key: row[key] for key in row if key != "colour"} for row in rows])
    return document


def _put(file: Path, text: str | None) -> None:
    if text is None:
        file.unlink(missing_ok=True)
    else:
        file.write_bytes(text.encode())


def _text(file: Path) -> str | None:
    return file.read_bytes().decode() if file.exists() else None
