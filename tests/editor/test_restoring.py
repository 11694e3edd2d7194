"""What a breakpoint had is shown where it is asked for, and comes back from the command history, with a real daemon."""

from collections.abc import Callable
from pathlib import Path

from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]

ASK = """
vim.g.asked = {}
vim.ui.input = function(options, done)
  vim.g.asked = vim.list_extend(vim.g.asked, { { options.prompt, options.default } })
  done(options.default)
end
vim.ui.select = function(items, _, done) done(items[1], 1) end
"""


def test_a_part_without_text_of_a_function_shows_the_old_one_and_enter_keeps_it(
    start_editor: Start, program: Path
) -> None:
    editor = start_editor(program, init=ASK)
    editor.command("LazydapBreak total if x > 3 hit >=2")
    editor.expect_message("breakpoint on total")
    editor.command("LazydapBreak total if hit")
    asked = [["Stop if: ", "x > 3"], ["Stop at hit (3, >=3, %2): ", ">=2"]]
    eventually(lambda: editor.eval("g:asked"), lambda told: told == asked, what="both are asked for")
    editor.command("LazydapBreakpoints")
    editor.expect_quickfix("Lazydap breakpoints", ["function total if x > 3 hit >=2"])


def test_a_functions_breakpoint_that_is_taken_away_comes_back_from_the_history(
    start_editor: Start, program: Path
) -> None:
    editor = start_editor(program)
    editor.command("LazydapBreak total if x > 3")
    editor.expect_message("breakpoint on total")
    editor.command("LazydapBreak total")
    editor.expect_message("no breakpoint on total any more")
    assert editor.eval("histget(':', -1)") == "LazydapBreak total if x > 3"


def test_all_that_is_cleared_comes_back_from_the_history(start_editor: Start, program: Path, project: Path) -> None:
    editor = start_editor(program, init=ASK)
    editor.command("LazydapBreak total if x > 3")
    editor.expect_message("breakpoint on total")
    editor.command("2LazydapBreak")
    editor.command("3LazydapBreak log got {total}")
    editor.expect_sign(3, "■")
    editor.command("Lazydap clear")
    editor.expect_no_sign()
    history = [editor.eval(f"histget(':', -{back})") for back in (1, 2)]
    assert sorted(history) == ["LazydapBreak app.py:3 log got {total}", "LazydapBreak total if x > 3"]
    assert "total" not in (project / ".lazydap" / "state.toml").read_text()
