"""User autocommands: what happened, told once, with data; and what Lua callers can ask."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor

Start = Callable[..., Editor]

RECORD = """
_G.events = {}
vim.api.nvim_create_autocmd('User', { pattern = 'Lazydap*', callback = function(event)
  table.insert(_G.events, { event.match, event.data })
end })
"""


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text("one\ntwo\n")
    return file


@pytest.fixture
def editor(start_editor: Start, source: Path) -> Editor:
    return start_editor(source, init=RECORD)


def events(editor: Editor) -> list[tuple[str, dict[str, Any]]]:
    return [(name, data) for name, data in editor.lua("local seen = _G.events _G.events = {} return seen")]


def names(editor: Editor) -> list[str]:
    return [name for name, _ in events(editor)]


def batch(source: Path, state: str, line: int | None = None, *, session: str = "s1", stop: int = 1) -> dict[str, Any]:
    root = str(source.parent)
    project = {"root": root, "state": state, "session_id": session, "program": str(source), "adapter": "debugpy"}
    stops = [{"root": root, "path": str(source), "line": line, "stop": stop, "reason": "step", "thread_id": 1}]
    return {"generation": 1, "projects": [project], "stops": stops if line else []}


def test_a_session_is_told_from_start_to_end(editor: Editor, source: Path) -> None:
    editor.apply(batch(source, "initialising"))
    assert names(editor) == ["LazydapSessionStarted"]
    editor.apply(batch(source, "paused", 1))
    ((name, data),) = events(editor)
    assert name == "LazydapStopped"
    assert (data["path"], data["line"], data["reason"], data["session_id"]) == (str(source), 1, "step", "s1")
    editor.apply(batch(source, "running"))
    assert names(editor) == ["LazydapContinued"]
    editor.apply(batch(source, "exited"))
    ((name, data),) = events(editor)
    assert (name, data["session_id"], data["state"]) == ("LazydapSessionEnded", "s1", "exited")


def test_the_same_state_is_told_once(editor: Editor, source: Path) -> None:
    editor.apply(batch(source, "paused", 1))
    assert names(editor) == ["LazydapSessionStarted", "LazydapStopped"]
    editor.apply(batch(source, "paused", 1))
    assert names(editor) == []
    editor.apply(batch(source, "paused", 1, stop=2))
    assert names(editor) == ["LazydapStopped"]


def test_one_session_after_another_ends_the_first(editor: Editor, source: Path) -> None:
    editor.apply(batch(source, "running"))
    events(editor)
    editor.apply(batch(source, "running", session="s2"))
    seen = events(editor)
    assert [(name, data["session_id"]) for name, data in seen] == [
        ("LazydapSessionEnded", "s1"),
        ("LazydapSessionStarted", "s2"),
    ]


def test_a_project_that_is_gone_has_ended(editor: Editor, source: Path) -> None:
    editor.apply(batch(source, "running"))
    events(editor)
    editor.apply({"generation": 2, "projects": [], "stops": []})
    assert names(editor) == ["LazydapSessionEnded"]


def test_changed_breakpoints_are_told_with_their_list(editor: Editor, source: Path) -> None:
    point = {"id": 1, "root": str(source.parent), "path": str(source), "line": 1, "kind": "line", "state": "idle"}
    editor.apply({"generation": 1, "breakpoints": []})
    assert names(editor) == []
    editor.apply({"generation": 2, "breakpoints": [point]})
    ((name, data),) = events(editor)
    assert (name, data["breakpoints"]) == ("LazydapBreakpointsChanged", [point])
    editor.apply({"generation": 3, "breakpoints": [point]})
    assert names(editor) == []


def test_an_autocommand_that_fails_does_not_stop_the_drawing(editor: Editor, source: Path) -> None:
    editor.lua(
        "vim.api.nvim_create_autocmd('User', { pattern = 'LazydapStopped', callback = function() error('x') end })"
    )
    editor.apply(batch(source, "paused", 1))
    editor.expect_sign(1, "▶")
    assert editor.lua("return require('lazydap').state().state") == "paused"
    editor.allow_errors = True


def test_the_state_can_be_asked_for(editor: Editor, source: Path) -> None:
    assert editor.lua("return require('lazydap').state().state") == "none"
    assert editor.lua("return require('lazydap').status()") == ""
    editor.apply(batch(source, "paused", 2) | {"generation": 7, "connected": True})
    state: dict[str, Any] = editor.lua("return require('lazydap').state()")
    assert (state["state"], state["session_id"], state["thread_id"], state["generation"], state["connected"]) == (
        "paused",
        "s1",
        1,
        7,
        True,
    )
    assert state["frame"]["line"] == 2
    assert editor.lua("return require('lazydap').status()") == "paused a.py:2"
    editor.apply(batch(source, "running"))
    assert editor.lua("return require('lazydap').status()") == "running a.py"
    editor.apply(batch(source, "exited"))
    assert editor.lua("return require('lazydap').status()") == ""


def test_a_library_that_was_stepped_into_is_told_of_as_the_program(editor: Editor, source: Path) -> None:
    library = source.parent.parent / "lib" / "lib.py"
    library.parent.mkdir()
    library.write_text("one\ntwo\n")
    told = batch(library, "paused", 2)
    root = str(source.parent)
    projects = [{**told["projects"][0], "root": root}, {"root": str(library.parent), "state": "none"}]
    stops = [{**told["stops"][0], "root": root}]
    editor.apply({**told, "projects": projects, "stops": stops})
    editor.edit(library)
    assert editor.lua("return require('lazydap').status()") == "paused lib.py:2"
    state = editor.lua("return require('lazydap').state()")
    assert (state["state"], state["frame"]["line"]) == ("paused", 2)
    # With a program of its own that lives, the stop in this window still decides.
    editor.apply({"generation": 3, "projects": [projects[0], {**projects[1], "state": "running", "last": True}]})
    assert editor.lua("return require('lazydap').state().state") == "paused"
    editor.edit(source)
    assert editor.lua("return require('lazydap').state().state") == "running"
