"""The arrow and the values stay with the program's line, whatever replaces the text around it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]
TEXT = "".join(f"def name{number}():\n    result = {number}\n    return result\n\n" for number in range(1, 11))
STOP = 15
"""`return result` of `name4`."""


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text(TEXT)
    return file


@pytest.fixture
def editor(start_editor: Start, source: Path) -> Editor:
    """An editor whose program stands in `name4`, with its values."""
    editor = start_editor(source, init="vim.o.autoread, vim.o.lines = true, 60\n")
    place = {"root": str(source.parent), "path": str(source), "line": STOP}
    editor.apply(
        {
            "generation": 1,
            "stops": [place | {"stop": 1, "reason": "step"}],
            "values": [place | {"name": "name4", "stop": 1, "variables": [["result", "4", "int"]]}],
        }
    )
    editor.expect_sign(STOP, "▶")
    editor.expect_virtual_text(STOP, "result = 4")
    return editor


def here(source: Path, token: int = 1) -> dict[str, Any]:
    return {"generation": 2, "jump": {"token": token, "path": str(source), "line": STOP, "reason": "here"}}


def expect_at(editor: Editor, line: int) -> None:
    editor.expect_sign(line, "▶")
    eventually(editor.virtual_texts, lambda texts: texts == {line: "result = 4"}, what=f"the value is on line {line}")
    assert editor.signs() == {line: "▶"}


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ("%!cat", STOP),
        ('%!sed "s/^def/\\n\\ndef/"', STOP + 8),
        ("%!awk 'NF'", STOP - 3),
        ("%!sed -e 's/    /\\t/' -e '1i import os'", STOP + 1),
        ("lua vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.api.nvim_buf_get_lines(0, 0, -1, false))", STOP),
    ],
)
def test_the_arrow_and_the_values_stay_when_a_filter_replaces_the_buffer(editor: Editor, edit: str, line: int) -> None:
    editor.command(f"silent {edit}")
    expect_at(editor, line)
    editor.command("silent undo")
    expect_at(editor, STOP)
    editor.command("silent redo")
    expect_at(editor, line)


def test_the_arrow_stays_away_while_its_line_is_deleted_and_comes_back_with_undo(editor: Editor) -> None:
    editor.command(f"{STOP}delete")
    editor.expect_no_sign()
    editor.command("silent %!cat")
    editor.expect_no_sign()
    editor.command("silent undo")
    editor.expect_no_sign()
    editor.command("silent undo")
    expect_at(editor, STOP)


def test_here_draws_an_arrow_again_whose_line_is_gone(editor: Editor, source: Path) -> None:
    editor.command(f"{STOP}delete")
    editor.expect_no_sign()
    editor.apply(here(source))
    editor.expect_sign(STOP, "▶")


def test_here_goes_to_the_line_as_it_stands_now(editor: Editor, source: Path) -> None:
    editor.command("silent %!sed '1i import os'")
    editor.expect_sign(STOP + 1, "▶")
    editor.apply(here(source))
    editor.expect_cursor(source, STOP + 1)


@pytest.mark.parametrize("reread", ["checktime", "edit!"])
def test_the_arrow_follows_its_text_when_the_file_is_read_again(editor: Editor, source: Path, reread: str) -> None:
    source.write_text("import os\n" + TEXT)
    editor.command(reread)
    expect_at(editor, STOP + 1)
    source.write_text("import os\nimport sys\n" + TEXT)
    editor.command("edit!")
    expect_at(editor, STOP + 2)
