"""Breakpoints go where their text goes, whatever edits it; one whose text is nowhere says so."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import Editor, end_daemons, eventually
from tests.house.surroundings import Folders

Start = Callable[..., Editor]
TEXT = "".join(f"def name{number}():\n    return {number}\n\n" for number in range(1, 11))
ASKED = 11
LSP_EDIT = (
    "local top = { line = 0, character = 0 } vim.lsp.util.apply_text_edits("
    "{ { newText = '#\\n#\\n', range = { start = top, ['end'] = top } } }, vim.api.nvim_get_current_buf(), 'utf-8')"
)
ANCHOR = "def name4():\nreturn 4\ndef name5():"


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text(TEXT)
    return file


@pytest.fixture
def editor(start_editor: Start, stub: StubHost, source: Path) -> Editor:
    """An editor with a breakpoint on `return 4`, line 11, that the host knows of."""
    editor = start_editor(source, init=stub.init + "vim.o.autoread = true\n")
    editor.command("LazydapStatus")
    stub.expect("status")
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(source, ASKED)]})
    editor.expect_sign(ASKED, "●")
    return editor


def breakpoint_at(path: Path, line: int, number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "root": str(path.parent),
        "path": str(path),
        "line": line,
        "asked_line": line,
        "kind": "line",
        "state": "idle",
        "anchor": ANCHOR,
        **more,
    }


def expect_told(stub: StubHost, line: int, number: int = 1) -> dict[str, Any]:
    """Wait until the last the host heard of that breakpoint is this line."""

    def last() -> dict[str, Any]:
        moves = [move for told in stub.heard() if told["verb"] == "moved" for move in told["moves"]]
        return next((move for move in reversed(moves) if move["id"] == number), dict[str, Any]())

    return eventually(last, lambda move: move.get("line") == line, what=f"the host hears of line {line}")


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ("call append(0, ['# one', '# two', '# three'])", 14),
        ("normal! 11GOx", 12),
        ("1,3delete", 8),
        ("11move 20", 20),
        ("normal! 11Gddp", 12),
        ("normal! 10GV2jd20Gp", 22),
        ("lua vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.api.nvim_buf_get_lines(0, 0, -1, false))", 11),
        ("%!sed -e 's/    /\\t/' -e '1i import os'", 12),
        ("%!awk 'NF'", 8),
        ("silent %!sed 's/return 4/return 44/'", 11),
        (f"lua {LSP_EDIT}", 13),
    ],
)
def test_a_breakpoint_follows_its_text(editor: Editor, stub: StubHost, source: Path, edit: str, line: int) -> None:
    editor.command(edit)
    editor.expect_sign(line, "●")
    assert editor.signs() == {line: "●"}
    editor.command("LazydapStatus")
    stub.expect("status", 2)
    if line != ASKED:
        expect_told(stub, line)
    editor.command("silent undo")
    editor.expect_sign(ASKED, "●")
    assert editor.signs() == {ASKED: "●"}
    editor.command("LazydapStatus")
    expect_told(stub, ASKED) if line != ASKED else stub.expect("status", 3)
    editor.command("silent redo")
    editor.expect_sign(line, "●")
    assert source.exists()


@pytest.mark.parametrize(("edit", "line"), [("%!cat", 12), ("%!sed '1i import os'", 13)])
def test_a_breakpoint_on_a_blank_line_stays_when_a_filter_replaces_the_buffer(
    editor: Editor, source: Path, edit: str, line: int
) -> None:
    editor.apply({"generation": 2, "breakpoints": [breakpoint_at(source, 12, anchor=None)]})
    editor.expect_sign(12, "●")
    editor.command(f"silent {edit}")
    eventually(editor.signs, lambda signs: signs == {line: "●"}, what=f"the breakpoint is on line {line}")
    editor.command("silent undo")
    eventually(editor.signs, lambda signs: signs == {12: "●"}, what="the breakpoint is back on line 12")


def test_a_deleted_line_leaves_its_breakpoint_where_it_was_and_undo_brings_it_back(
    editor: Editor, stub: StubHost
) -> None:
    editor.command("11delete")
    editor.expect_sign(11, "○~")
    editor.expect_virtual_text(11, "its line is gone: undo brings it back, :LazydapBreak! here takes it away")
    editor.command("undo")
    editor.expect_sign(11, "●")
    editor.expect_no_virtual_text()
    editor.command("LazydapStatus")
    stub.expect("status", 2)
    assert [told for told in stub.heard() if told["verb"] == "moved"] == []


BRACKETS = "int one(void) {{\n    if (x) {{\n        y();\n    }}\n    {text}\n}}\n"


@pytest.mark.parametrize(("other", "sign"), [("return 7;", "●"), ("return total;", "○~")])
def test_a_line_between_brackets_is_found_when_it_is_the_only_one_of_its_text(
    start_editor: Start, stub: StubHost, project: Path, other: str, sign: str
) -> None:
    file = project / "a.c"
    file.write_text(BRACKETS.format(text="return total;") + BRACKETS.format(text=other))
    editor = start_editor(file, init=stub.init)
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(file, 5, anchor="}\nreturn total;\n}")]})
    editor.expect_sign(5, "●")
    editor.command("silent %!sed '1i // by a formatter'")
    eventually(editor.signs, lambda signs: list(signs.values()) == [sign], what=f"the sign becomes {sign}")
    editor.command("silent undo")
    eventually(editor.signs, lambda signs: signs == {5: "●"}, what="it is back")


def test_a_breakpoint_whose_line_is_gone_can_be_taken_away(editor: Editor, stub: StubHost) -> None:
    editor.command("11delete")
    editor.expect_sign(11, "○~")
    editor.command("11LazydapBreak!")
    assert stub.expect("unbreak")["ids"] == [1]


def test_a_line_that_was_deleted_is_not_taken_for_one_like_it(editor: Editor, source: Path) -> None:
    anchor = "def name4():\nreturn 4\ndef name5():"
    editor.command("%s/return 7/return 4/")
    editor.apply({"generation": 2, "breakpoints": [breakpoint_at(source, ASKED, anchor=anchor)]})
    editor.command("11delete")
    editor.expect_sign(11, "○~")
    editor.command("undo")
    editor.expect_sign(11, "●")


def test_lines_that_become_one_keep_one_breakpoint_and_the_other_says_so(editor: Editor, source: Path) -> None:
    second = breakpoint_at(source, 10, 2, anchor="return 3\ndef name4():\nreturn 4")
    editor.apply({"generation": 2, "breakpoints": [breakpoint_at(source, ASKED), second]})
    editor.expect_sign(10, "●")
    editor.command("10join")
    editor.expect_sign(11, "○~")
    editor.expect_sign(10, "●")
    editor.command("undo")
    editor.expect_sign(11, "●")
    assert editor.signs() == {10: "●", 11: "●"}


def test_a_file_that_changed_on_disk_takes_its_breakpoints_along(editor: Editor, stub: StubHost, source: Path) -> None:
    source.write_text("# new\n# lines\n" + TEXT)
    editor.command("silent edit!")
    editor.expect_sign(13, "●")
    expect_told(stub, 13)
    editor.apply({"generation": 2, "breakpoints": [breakpoint_at(source, 13)]})
    # Another branch: the line is not there at all.
    replaced = "".join(f"other {number}\n" for number in range(30))
    source.write_text(replaced)
    editor.command("silent checktime")
    editor.expect_sign(13, "○~")
    editor.expect_virtual_text(13, "its line is gone")
    source.write_text("# new\n" + TEXT)
    editor.command("silent edit!")
    editor.expect_sign(12, "●")
    expect_told(stub, 12)


def test_a_file_that_is_opened_after_it_has_changed_shows_its_breakpoints_where_their_text_is(
    start_editor: Start, stub: StubHost, source: Path
) -> None:
    source.write_text("# new\n" + TEXT)
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    stub.expect("status")
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(source, ASKED)]})
    editor.expect_sign(12, "●")
    editor.command("write")
    assert expect_told(stub, 12)["anchor"] == ANCHOR
    # The host's answer leaves the mark alone.
    editor.command("call append(0, 'once more')")
    editor.apply({"generation": 2, "breakpoints": [breakpoint_at(source, 12)]})
    editor.expect_sign(13, "●")
    expect_told(stub, 13)


def test_saving_tells_the_text_by_which_a_breakpoint_is_found(editor: Editor, stub: StubHost) -> None:
    editor.command("11s/4/40/")
    editor.command("write")
    told = stub.expect("moved")
    assert told["saved"] is True
    assert told["moves"] == [{"id": 1, "line": 11, "anchor": "def name4():\nreturn 40\ndef name5():"}]


def test_what_another_editor_writes_does_not_pull_a_mark_off_its_text(
    editor: Editor, stub: StubHost, source: Path
) -> None:
    editor.apply({"generation": 2, "breakpoints": [breakpoint_at(source, 14)]})
    editor.expect_sign(11, "●")
    editor.command("LazydapStatus")
    stub.expect("status", 2)
    assert [told for told in stub.heard() if told["verb"] == "moved"] == []


def test_a_renamed_file_takes_its_breakpoints_along_and_a_copy_does_not(
    editor: Editor, stub: StubHost, source: Path
) -> None:
    editor.command("saveas copy.py")
    editor.expect_no_sign()
    editor.command("LazydapStatus")
    stub.expect("status", 2)
    assert [told for told in stub.heard() if told["verb"] == "moved"] == []
    source.unlink()
    editor.command("write")
    told = stub.expect("moved")
    assert told["moves"] == [{"id": 1, "line": 11, "anchor": ANCHOR, "source": str(source.parent / "copy.py")}]


def test_the_host_hears_where_breakpoints_are_before_it_is_asked_to_go_on(editor: Editor, stub: StubHost) -> None:
    editor.lua("vim.fn.append(0, { '# new' }); vim.cmd('LazydapStep'); vim.cmd('1delete'); vim.cmd('LazydapContinue')")
    stub.expect("continue")
    verbs = [told["verb"] for told in stub.heard()]
    assert verbs[-4:] == ["moved", "step", "moved", "continue"]


def test_a_new_breakpoint_comes_with_the_text_by_which_it_is_found(editor: Editor, stub: StubHost) -> None:
    editor.command("8LazydapBreak")
    stub.expect("break")
    assert stub.heard()[-1]["anchor"] == "def name3():\nreturn 3\ndef name4():"


def test_after_a_restart_of_editor_and_daemon_a_breakpoint_is_where_its_text_went(
    start_editor: Start, private_folders: Folders, source: Path
) -> None:
    state = source.parent / ".lazydap" / "state.toml"

    def kept() -> list[tuple[int, int]]:
        text = state.read_text() if state.exists() else ""
        return [(entry["id"], entry["line"]) for entry in tomllib.loads(text).get("breakpoints", [])]

    first = start_editor(source)
    first.command("11LazydapBreak")
    first.expect_sign(11, "●")
    first.command("call append(0, ['# one', '# two'])")
    first.command("write")
    eventually(kept, lambda found: found == [(1, 13)], what="the state file has the new line")
    first.close()
    assert end_daemons(private_folders.data) == []
    source.write_text("# three\n" + source.read_text())
    second = start_editor(source)
    second.expect_sign(14, "●")
    assert second.signs() == {14: "●"}
    assert kept() == [(1, 13)]


def test_a_first_line_that_says_little_is_found_where_it_was(
    start_editor: Start, stub: StubHost, project: Path
) -> None:
    file = project / "short.py"
    file.write_text("x = 1\nfor i in range(3):\n    pass\n")
    editor = start_editor(file, init=stub.init)
    anchor = "\nx = 1\nfor i in range(3):"
    editor.apply({"generation": 1, "breakpoints": [breakpoint_at(file, 1, anchor=anchor)]})
    editor.expect_sign(1, "●")


SEARCHES = """
local anchors = require('lazydap.anchors')
local function best(action)
  local least = math.huge
  for _ = 1, 7 do
    local start = vim.uv.hrtime()
    for line = 390, 19500, 390 do action(line) end
    least = math.min(least, vim.uv.hrtime() - start)
  end
  return least
end
local reading = best(function(line) vim.api.nvim_buf_get_lines(0, math.max(line - 200, 0), line + 201, false) end)
local lost = best(function(line) anchors.find(0, line, 'alpha(1)\\nbeta_lost(2)\\ngamma(3)') end)
local gap = { above = 'alpha(1)', below = 'beta(2)' }
local gaps = best(function(line) anchors.recover(0, { told = line, gap = gap }, true) end)
return { lost / reading, gaps / reading }
"""


def test_lost_lines_are_looked_for_in_little_more_than_it_takes_to_read_the_text(
    start_editor: Start, stub: StubHost, project: Path
) -> None:
    file = project / "long.py"
    file.write_text("".join(f'    value_{n} = compute(value_{n - 1}, "x", {n})\n' for n in range(20_000)))
    editor = start_editor(file, init=stub.init)
    lost, gaps = editor.lua(SEARCHES)
    # Taking each line apart takes eighty times as long.
    assert lost < 12
    assert gaps < 12


TURNS = """
local recover, turn = require('lazydap.anchors').recover, 0
local following = require('lazydap.following')
local changed = following.changed
_G.turns, _G.clock = {}, 0
vim.uv.hrtime = function()
  _G.clock = _G.clock + 6e5
  return _G.clock
end
following.changed = function(buffer)
  turn = turn + 1
  changed(buffer)
end
require('lazydap.anchors').recover = function(...)
  _G.turns[turn] = (_G.turns[turn] or 0) + 1
  return recover(...)
end
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
table.insert(lines, 1, '# a licence')
vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
vim.cmd.doautocmd('TextChanged')
"""


def test_many_lines_that_went_at_once_are_looked_for_in_turns_between_which_the_editor_lives(
    start_editor: Start, stub: StubHost, project: Path
) -> None:
    file = project / "long.py"
    file.write_text("".join(f"value_{n} = {n}\n" for n in range(20_000)))
    editor = start_editor(file, init=stub.init)
    editor.command("LazydapStatus")
    stub.expect("status")
    numbers = range(1, 51)
    editor.apply(
        {"generation": 1, "breakpoints": [breakpoint_at(file, 390 * n, number=n, anchor=None) for n in numbers]}
    )
    eventually(editor.signs, lambda signs: len(signs) == len(numbers), what="all are drawn")
    editor.lua(TURNS)
    eventually(editor.signs, lambda signs: signs == {390 * n + 1: "●" for n in numbers}, what="all are found")
    searches = editor.lua("return vim.tbl_values(_G.turns)")
    # The clock goes on by more than half a turn at each look.
    assert sum(searches) == len(numbers)
    assert max(searches) <= 3
