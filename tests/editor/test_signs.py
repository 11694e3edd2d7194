"""Signs as a person sees them, for every kind and state, alone and together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text("".join(f"line{number} = {number}\n" for number in range(1, 11)))
    return file


@pytest.fixture
def editor(start_editor: Start, source: Path) -> Editor:
    return start_editor(source)


def breakpoint_at(path: Path, asked: int, **more: Any) -> dict[str, Any]:
    return {"id": asked, "root": str(path.parent), "path": str(path), "line": asked, "asked_line": asked} | {
        "kind": "line",
        "state": "idle",
        **more,
    }


def stop_at(path: Path, line: int, **more: Any) -> dict[str, Any]:
    return {"root": str(path.parent), "path": str(path), "line": line, "thread_id": 1, "stop": 1} | more


@pytest.mark.parametrize(
    ("kind", "state", "sign"),
    [
        ("line", "idle", "●"),
        ("line", "verified", "●"),
        ("line", "pending", "○?"),
        ("line", "moved", "●~"),
        ("line", "rejected", "○!"),
        ("line", "disabled", "○-"),
        ("condition", "idle", "◆"),
        ("condition", "verified", "◆"),
        ("condition", "pending", "◇?"),
        ("condition", "rejected", "◇!"),
        ("condition", "disabled", "◇-"),
        ("log", "idle", "■"),
        ("log", "verified", "■"),
        ("log", "pending", "□?"),
        ("log", "moved", "■~"),
        ("log", "disabled", "□-"),
    ],
)
def test_a_breakpoint_shows_its_kind_and_its_state(
    editor: Editor, source: Path, kind: str, state: str, sign: str
) -> None:
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(source, 4, kind=kind, state=state)]})
    editor.expect_sign(4, sign)
    group = "" if state == "idle" else state.capitalize()
    (mark,) = editor.marks()
    assert (mark["group"], mark["number"], mark["priority"]) == (
        f"LazydapBreakpoint{group}",
        f"LazydapBreakpoint{group}",
        4100,
    )


def test_a_moved_breakpoint_stands_at_the_adapters_line_and_names_the_asked_one(editor: Editor, source: Path) -> None:
    moved = breakpoint_at(source, 4, line=6, state="moved", text="no code there")
    editor.apply({"generation": 1, "breakpoints": [moved]})
    editor.expect_sign(6, "●~")
    editor.expect_no_sign(4)
    editor.expect_virtual_text(6, "no code there (asked for line 4)")


def test_the_adapters_words_stand_behind_a_refused_breakpoint(editor: Editor, source: Path) -> None:
    refused = breakpoint_at(source, 4, state="rejected", text="no such\nfile")
    editor.apply({"generation": 1, "breakpoints": [refused]})
    editor.expect_virtual_text(4, "no such file")
    editor.apply({"generation": 2, "breakpoints": [refused | {"state": "verified"}]})
    editor.expect_no_virtual_text()


def test_beside_a_stop_stands_what_is_wrong_with_the_condition(editor: Editor, source: Path) -> None:
    words = "the condition cannot be tried: NameError: name 'nope' is not defined"
    bad = breakpoint_at(source, 7, state="verified", kind="condition", message=words)
    editor.apply({"generation": 1, "breakpoints": [bad], "stops": [stop_at(source, 7)]})
    editor.expect_virtual_text(7, words)
    assert "LazydapBreakpointRejected" in editor.groups(7)
    editor.apply({"generation": 2, "breakpoints": [bad | {"message": None}]})
    editor.expect_no_virtual_text("cannot be tried")


def test_the_arrow_marks_its_line_and_goes_with_the_stop(editor: Editor, source: Path) -> None:
    editor.apply({"generation": 1, "stops": [stop_at(source, 7)]})
    editor.expect_sign(7, "▶")
    (mark,) = editor.marks()
    assert (mark["priority"], mark["group"], mark["whole_line"]) == (4120, "LazydapStopped", "LazydapStoppedLine")
    editor.apply({"generation": 2, "stops": [stop_at(source, 8, stop=2)]})
    editor.expect_sign(8, "▶")
    assert editor.signs() == {8: "▶"}
    editor.apply({"generation": 3, "stops": []})
    editor.expect_no_sign()


def test_an_arrow_on_a_breakpoint_draws_both_and_gives_the_sign_back(editor: Editor, source: Path) -> None:
    point = breakpoint_at(source, 4, state="verified")
    editor.apply({"generation": 1, "breakpoints": [point], "stops": [stop_at(source, 4)]})
    editor.expect_sign(4, "▶●")
    numbers = [mark["number"] for mark in editor.marks()]
    assert "LazydapBreakpointVerified" in numbers
    editor.apply({"generation": 2, "stops": [stop_at(source, 5, stop=2)]})
    editor.expect_sign(4, "●")
    editor.expect_sign(5, "▶")


def test_a_chosen_frame_is_hollow_and_gives_way_to_the_arrow(editor: Editor, source: Path) -> None:
    point = breakpoint_at(source, 4, state="pending", kind="condition")
    editor.apply({"generation": 1, "breakpoints": [point], "frames": [stop_at(source, 4)]})
    editor.expect_sign(4, "▷◇")
    assert max(mark["priority"] for mark in editor.marks()) == 4110
    editor.apply({"generation": 2, "stops": [stop_at(source, 4)]})
    editor.expect_sign(4, "▶◇")


def test_of_two_breakpoints_on_one_line_the_bound_one_is_shown(editor: Editor, source: Path) -> None:
    moved = breakpoint_at(source, 3, line=4, state="moved", kind="log")
    editor.apply({"generation": 1, "breakpoints": [moved, breakpoint_at(source, 4, state="verified")]})
    editor.expect_sign(4, "●")
    assert [mark["text"] for mark in editor.marks() if mark["text"]] == ["● "]


def test_letters_stand_in_where_a_glyph_is_two_cells_wide(editor: Editor, source: Path) -> None:
    points = [
        breakpoint_at(source, 1),
        breakpoint_at(source, 2, kind="condition", state="pending"),
        breakpoint_at(source, 3, kind="log", state="disabled"),
        breakpoint_at(source, 4, state="moved"),
    ]
    editor.apply({"generation": 1, "breakpoints": points, "stops": [stop_at(source, 4)]})
    editor.expect_sign(4, "▶●")
    editor.command("set ambiwidth=double")
    editor.expect_sign(4, ">B")
    assert editor.signs() == {1: "B", 2: "c?", 3: "l-", 4: ">B"}
    editor.apply({"generation": 2, "stops": [], "frames": [stop_at(source, 2)]})
    editor.expect_sign(2, ")c")


def test_the_priority_is_an_option(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init="vim.g.lazydap = { sign_priority = 10 }")
    editor.apply(
        {"generation": 1, "breakpoints": [breakpoint_at(source, 1)], "stops": [stop_at(source, 2)], "frames": []}
    )
    assert sorted(mark["priority"] for mark in editor.marks()) == [10, 30]


def test_a_breakpoint_follows_its_text_through_later_batches(editor: Editor, source: Path) -> None:
    point = breakpoint_at(source, 4)
    editor.apply({"generation": 1, "breakpoints": [point]})
    editor.command("call append(0, ['new', 'lines'])")
    editor.expect_sign(6, "●")
    editor.apply({"generation": 2, "breakpoints": [point | {"state": "verified"}]})
    editor.expect_sign(6, "●")
    assert editor.signs() == {6: "●"}


def test_undo_brings_a_deleted_breakpoint_back_but_not_an_old_arrow(editor: Editor, source: Path) -> None:
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(source, 4)], "stops": [stop_at(source, 5)]})
    editor.command("4,5delete")
    editor.expect_sign(4, "○~")
    editor.expect_virtual_text(4, "its line is gone: undo brings it back")
    editor.apply({"generation": 2, "stops": [stop_at(source, 2, stop=2)]})
    editor.command("undo")
    editor.expect_sign(4, "●")
    assert editor.signs() == {2: "▶", 4: "●"}


def test_a_file_opened_later_shows_its_marks(editor: Editor, project: Path, source: Path) -> None:
    other = project / "b.py"
    other.write_text("one\ntwo\n")
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(other, 2)], "stops": [stop_at(other, 1)]})
    editor.expect_no_sign()
    editor.edit(other)
    assert editor.signs() == {1: "▶", 2: "●"}
    editor.command("bwipeout!")
    editor.edit(other)
    assert editor.signs() == {1: "▶", 2: "●"}
    assert source.exists()


def test_a_file_is_known_by_its_real_path(start_editor: Start, project: Path, source: Path) -> None:
    link = project / "link"
    link.symlink_to(source.parent)
    editor = start_editor(link / "a.py")
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(source, 4)]})
    editor.expect_sign(4, "●")


def test_a_breakpoint_past_the_end_is_shown_as_lost_on_the_last_line(editor: Editor, source: Path) -> None:
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(source, 99)]})
    editor.expect_sign(10, "○~")
    editor.expect_virtual_text(10, "line 99 is past the end of the file")
    editor.apply({"generation": 2, "breakpoints": [breakpoint_at(source, 99, state="pending")]})
    editor.expect_sign(10, "○~")


def test_a_person_sees_the_signs_in_the_gutter(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, terminal=True)
    editor.apply(
        {
            "generation": 1,
            "breakpoints": [breakpoint_at(source, 2), breakpoint_at(source, 4, kind="condition", state="verified")],
            "stops": [stop_at(source, 4, text="division by zero")],
        }
    )
    assert editor.screen is not None
    rows = eventually(
        editor.screen.rows, lambda rows: "▶◆line4 = 4  division by zero" in rows[3], what="the arrow is on the screen"
    )
    assert rows[0:3] == ["  line1 = 1", "● line2 = 2", "  line3 = 3"]
