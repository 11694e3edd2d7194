"""A source that changed since the program was started: the arrow stays true, and it is said once."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]
TEXT = "".join(f"value{number} = {number}\n" for number in range(1, 21))
LAUNCHED = 1_700_000_000.0
RESTART = ":LazydapRestart runs it as it is now"


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text(TEXT)
    os.utime(file, (LAUNCHED - 60, LAUNCHED - 60))
    return file


class Debugged:
    """An editor with a program that stops where it is told."""

    def __init__(self, editor: Editor, source: Path, **session: Any) -> None:
        self.editor = editor
        self._source = source
        self._stops = 0
        self._project: dict[str, Any] = {
            "root": str(source.parent),
            "state": "paused",
            "session_id": "s",
            "launches": [],
            "launched": LAUNCHED,
            "program": str(source),
            **session,
        }

    def stop(self, line: int, **more: Any) -> None:
        self._stops += 1
        place = {"root": str(self._source.parent), "path": str(self._source), "line": line, "stop": self._stops}
        jump = {"token": self._stops, "path": str(self._source), "line": line, "reason": "stop"}
        self.editor.apply(
            {
                "generation": self._stops,
                "follow": True,
                "projects": [self._project],
                "stops": [place | {"reason": "step"} | more],
                "jump": jump,
            }
        )

    def run(self) -> None:
        self.editor.apply({"generation": 1, "follow": True, "projects": [self._project | {"state": "running"}]})

    def said(self) -> list[str]:
        return [line for line in self.editor.messages() if "has changed since" in line]


@pytest.fixture
def debugged(start_editor: Start, source: Path) -> Debugged:
    return Debugged(start_editor(source, init="vim.o.autoread = true\n"), source)


def test_lines_put_in_before_the_stop_move_the_arrow_and_the_cursor(debugged: Debugged, source: Path) -> None:
    debugged.stop(3)
    debugged.editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'import os', 'import sys' })")
    debugged.stop(10)
    debugged.editor.expect_sign(12, "▶")
    debugged.editor.expect_cursor(source, 12)
    assert debugged.editor.virtual_texts() == {}
    debugged.editor.command("write")
    debugged.stop(11)
    debugged.editor.expect_sign(13, "▶")
    debugged.editor.expect_virtual_text(13, "changed since launch")


def test_that_a_source_has_changed_is_said_once(debugged: Debugged) -> None:
    debugged.run()
    debugged.editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'import os' })")
    debugged.editor.command("write")
    debugged.stop(10)
    debugged.editor.expect_message(f"a.py has changed since the launch: {RESTART}")
    debugged.stop(11)
    debugged.editor.expect_sign(12, "▶")
    assert len(debugged.said()) == 1


@pytest.mark.parametrize(
    ("edit", "line", "words"),
    [
        ("10delete", 10, "its line is gone since launch"),
        ("10s/=.*/= 77/", 10, "this line has changed since launch"),
        ("2,5delete", 6, ""),
        ("%s/^/    /", 10, ""),
        ("12,14delete", 10, ""),
    ],
)
def test_a_stop_on_a_line_that_is_another_one_now_says_so(debugged: Debugged, edit: str, line: int, words: str) -> None:
    debugged.editor.command(f"silent {edit}")
    debugged.stop(10)
    debugged.editor.expect_sign(line, "▶")
    eventually(debugged.editor.virtual_texts, lambda texts: texts.get(line, "") == words, what=f"{words!r} is shown")


def test_what_another_program_wrote_after_a_stop_in_it_moves_the_arrow_too(debugged: Debugged, source: Path) -> None:
    debugged.stop(3)
    source.write_text("import os\n" + TEXT)
    debugged.editor.command("checktime")
    debugged.stop(10)
    debugged.editor.expect_sign(11, "▶")
    debugged.editor.expect_message(RESTART)


@pytest.mark.parametrize("is_stopped_first", [True, False])
def test_a_file_written_by_another_program_under_a_modified_buffer_leaves_the_arrow_at_its_statement(
    debugged: Debugged, source: Path, *, is_stopped_first: bool
) -> None:
    if is_stopped_first:
        debugged.stop(3)
    else:
        debugged.run()
    debugged.editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'import os' })")
    source.write_text("# git\n# checkout\n# of another branch\n" + TEXT)
    debugged.editor.command("silent! checktime")
    debugged.stop(10)
    debugged.editor.expect_sign(11, "▶")
    debugged.editor.expect_virtual_text(11, "changed since launch")


def test_where_the_older_text_is_known_to_nobody_the_arrow_says_that_it_may_be_wrong(
    debugged: Debugged, source: Path
) -> None:
    source.write_text("import os\n" + TEXT)
    debugged.editor.command("checktime")
    debugged.stop(10)
    debugged.editor.expect_sign(10, "▶")
    debugged.editor.expect_virtual_text(10, "changed since launch: this may not be the line")


def test_a_source_newer_than_the_program_built_of_it_is_told_to_be_built(
    start_editor: Start, source: Path, project: Path
) -> None:
    program = project / "prog"
    program.write_text("")
    os.utime(program, (LAUNCHED - 120, LAUNCHED - 120))
    debugged = Debugged(start_editor(source), source, program=str(program), is_built=True)
    debugged.stop(3)
    debugged.editor.expect_message("a.py has changed since prog was built: build it, then :LazydapRestart")
    again = Debugged(start_editor(source), source, program=str(program), is_built=True, aged=str(source))
    again.stop(3)
    again.editor.expect_virtual_text(3, "changed since launch")
    assert again.said() == []


def test_an_exception_is_shown_where_its_line_is_now(debugged: Debugged) -> None:
    debugged.editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'import os' })")
    debugged.stop(10, reason="exception", text="ValueError: no")
    shown = "return vim.tbl_map(function(d) return { d.lnum + 1, d.message } end, vim.diagnostic.get(0))"
    eventually(lambda: debugged.editor.lua(shown), lambda now: now == [[11, "ValueError: no"]], what="the diagnostic")


def test_the_text_under_a_program_changes_and_the_arrow_of_a_real_one_stays_true(
    start_editor: Start, project: Path
) -> None:
    file = project / "app.py"
    file.write_text("one = 1\ntwo = 2\nthree = 3\nfour = 4\nprint(one)\n")
    editor = start_editor(file)
    editor.go_to(2)
    editor.command("LazydapBreak")
    editor.expect_sign(2, "●")
    editor.command("LazydapLaunch")
    eventually(editor.signs, lambda signs: signs.get(2) == "▶●", what="it stops", seconds=30)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# a', '# b' })")
    eventually(editor.signs, lambda signs: signs.get(4) == "▶●", what="the arrow goes along")
    editor.command("LazydapStep")
    editor.expect_sign(5, "▶")
    editor.expect_cursor(file, 5)
    editor.command("write")
    assert file.stat().st_mtime <= time.time()
    editor.command("LazydapStep")
    editor.expect_sign(6, "▶")
    editor.expect_message(f"app.py has changed since the launch: {RESTART}")
    editor.command("LazydapRestart")
    eventually(editor.signs, lambda signs: signs.get(4) == "▶●", what="the new text runs", seconds=30)
    editor.expect_no_virtual_text("changed since")
