"""The lists of stack and breakpoints: one a kind, reused, never in the way of another list."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text("".join(f"line{number} = {number}\n" for number in range(1, 31)))
    return file


@pytest.fixture
def editor(start_editor: Start, source: Path) -> Editor:
    return start_editor(source)


def stack(path: Path, *names: str, opened: int | None = None) -> dict[str, Any]:
    items: list[dict[str, Any]] = [
        {"path": str(path), "line": number, "text": name, "id": 100 + number} for number, name in enumerate(names, 1)
    ]
    content: dict[str, Any] = {"title": "Lazydap stack", "items": items}
    return {"generation": 1, "lists": {"stack": content | ({} if opened is None else {"open": opened})}}


def test_a_list_opens_when_it_was_asked_for_and_carries_ids(editor: Editor, source: Path) -> None:
    editor.apply(stack(source, "inner", "outer"))
    assert editor.quickfix() == []
    editor.apply(stack(source, "inner", "outer", opened=1))
    editor.expect_quickfix("Lazydap stack", ["inner", "outer"])
    assert [(item["path"], item["line"], item["id"]) for item in editor.quickfix()] == [
        (str(source), 1, 101),
        (str(source), 2, 102),
    ]
    assert editor.eval("&buftype") == "quickfix"


def test_one_list_is_used_again_and_keeps_the_place_in_it(editor: Editor, source: Path) -> None:
    editor.apply(stack(source, "a", "b", "c", opened=1))
    editor.command("cc 2 | copen")
    editor.apply(stack(source, "x", "y", "z", opened=1))
    editor.expect_quickfix("Lazydap stack", ["x", "y", "z"])
    assert editor.eval("getqflist({'idx': 0}).idx") == 2
    assert editor.eval("getqflist({'nr': '$'}).nr") == 1
    editor.command("cclose")
    editor.apply(stack(source, "x", "y", opened=2))
    editor.expect_quickfix("Lazydap stack", ["x", "y"])
    assert editor.eval("getqflist({'nr': '$'}).nr") == 1


def test_a_list_of_somebody_else_stays_current_until_ours_is_asked_for(editor: Editor, source: Path) -> None:
    editor.apply(stack(source, "a", opened=1))
    editor.command("call setqflist([{'bufnr': bufnr(), 'lnum': 1, 'text': 'mine'}], ' ')")
    editor.apply(stack(source, "b", opened=1))
    assert [item["text"] for item in editor.quickfix()] == ["mine"]
    editor.command("colder | copen")
    editor.expect_quickfix("Lazydap stack", ["b"])
    editor.command("cnewer")
    editor.apply(stack(source, "c", opened=2))
    editor.expect_quickfix("Lazydap stack", ["c"])


def test_a_closed_list_is_brought_up_to_date_when_it_is_looked_at(editor: Editor, source: Path) -> None:
    editor.apply(stack(source, "a", opened=1))
    editor.command("cclose")
    editor.apply(stack(source, "b", opened=1))
    assert [item["text"] for item in editor.quickfix()] == ["a"]
    editor.command("copen")
    editor.expect_quickfix("Lazydap stack", ["b"])


def test_a_list_that_fell_off_the_end_is_made_anew(editor: Editor, source: Path) -> None:
    editor.apply(stack(source, "a", opened=1))
    for _ in range(10):
        editor.command("call setqflist([], ' ')")
    editor.apply(stack(source, "b", opened=2))
    editor.expect_quickfix("Lazydap stack", ["b"])


def test_stack_and_breakpoints_are_two_lists(editor: Editor, source: Path) -> None:
    editor.apply(stack(source, "a", opened=1))
    points = {"title": "Lazydap breakpoints", "items": [{"path": str(source), "line": 4, "text": "● x > 3", "id": 7}]}
    editor.apply({"generation": 2, "lists": {"breakpoints": points | {"open": 2}}})
    editor.expect_quickfix("Lazydap breakpoints", ["● x > 3"])
    editor.command("colder")
    assert editor.quickfix_title() == "Lazydap stack"


def test_an_entry_without_words_shows_its_line(editor: Editor, source: Path) -> None:
    items = [{"path": str(source), "line": 4, "text": "", "id": 7}]
    editor.apply({"generation": 1, "lists": {"stack": {"title": "Lazydap stack", "items": items, "open": 1}}})
    editor.expect_quickfix("Lazydap stack", ["line4 = 4"])


def test_entries_without_a_file_are_headings(editor: Editor) -> None:
    items = [{"text": "Thread 1"}]
    editor.apply({"generation": 1, "lists": {"stack": {"title": "Lazydap stack", "items": items, "open": 1}}})
    editor.expect_quickfix("Lazydap stack", ["Thread 1"])
    assert editor.eval("getqflist()[0].valid") == 0


def test_the_list_waits_while_text_is_inserted(editor: Editor, source: Path) -> None:
    editor.type("i")
    eventually(editor.is_free, lambda is_free: not is_free, what="insert mode")
    editor.apply(stack(source, "a", opened=1))
    assert editor.quickfix() == []
    editor.type("<Esc>")
    editor.expect_quickfix("Lazydap stack", ["a"])


def test_location_lists_are_an_option(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init="vim.g.lazydap = { lists = 'loclist' }")
    editor.apply(stack(source, "a", opened=1))
    eventually(lambda: editor.eval("&buftype"), lambda kind: kind == "quickfix", what="the list opens")
    assert editor.quickfix() == []
    assert [item["text"] for item in editor.eval("getloclist(0)")] == ["a"]
    editor.apply(stack(source, "b", opened=1))
    assert [item["text"] for item in editor.eval("getloclist(0)")] == ["b"]
    editor.command("lclose")
    editor.apply(stack(source, "c", opened=2))
    eventually(lambda: editor.eval("&buftype"), lambda kind: kind == "quickfix", what="the list opens again")
    assert [item["text"] for item in editor.eval("getloclist(0)")] == ["c"]


def test_a_breakpoint_whose_line_is_gone_says_so_in_the_list_until_it_is_back(editor: Editor, source: Path) -> None:
    point = {"id": 1, "root": str(source.parent), "path": str(source), "line": 4, "asked_line": 4, "kind": "line"}
    item = {"path": str(source), "line": 4, "text": "if x > 1", "id": 1, "root": str(source.parent)}
    content = {"title": "Lazydap breakpoints", "items": [item], "open": 1}
    points = [{**point, "state": "idle", "enabled": True}]
    editor.apply({"generation": 1, "breakpoints": points, "lists": {"breakpoints": content}})
    editor.expect_quickfix("Lazydap breakpoints", ["if x > 1"])
    editor.command("wincmd p")
    editor.type("4Gdd")
    editor.expect_quickfix("Lazydap breakpoints", ["[lost] if x > 1 (its line is gone)"])
    editor.type("u")
    editor.expect_quickfix("Lazydap breakpoints", ["if x > 1"])
