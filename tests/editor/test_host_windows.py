"""Where a real program's stops are shown: panes, quickfix list, pinned windows and layout stay as they were."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import ADAPTERS, SLOW, break_at, debuggee, expect_stop, launch
from tests.editor.test_keys import OURS, SERVER, SERVERS, attach_server, expect_k
from tests.fixtures.debuggees import COUNTS

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

PART = "def doubled(number):\n    twice = number * 2\n    return twice\n"
MAIN = "import part\n\ntotal = 0\nfor number in range(3):\n    total += part.doubled(number)\nprint(total)\n"
AUTO = "vim.g.lazydap = { ui = 'auto' }\n"


def layout(editor: Editor) -> Any:
    return editor.lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }")


def names(editor: Editor) -> list[str]:
    """What each window shows, by the last part of its name; the quickfix window has none."""
    found: list[str] = editor.eval("map(range(1, winnr('$')), 'bufname(winbufnr(v:val))')")
    return sorted(name.rpartition("/")[2] for name in found)


def test_stops_go_to_one_window_and_panes_lists_and_pinned_windows_stay_as_they_are(
    start_editor: Start, project: Path
) -> None:
    part = project / "part.py"
    part.write_text(PART)
    notes = project / "notes.txt"
    notes.write_text("mine\n")
    main = project / "main.py"
    main.write_text(MAIN)
    editor = start_editor(main, init=AUTO)
    editor.command("set lines=50 columns=160")
    break_at(editor, 5)
    editor.command(f"leftabove vsplit {notes} | vertical resize 30 | setlocal winfixbuf winfixwidth | wincmd p")
    editor.command("cgetexpr ['main.py:1:1:mine'] | copen | wincmd p")
    before = layout(editor)
    launch(editor)
    expect_stop(editor, main, 5)
    expect_shown(editor, "main.py")

    # Into another file with the cursor in the quickfix list, and out of it with the cursor in the pinned window.
    editor.command("copen")
    editor.command("LazydapStepIn")
    expect_stop(editor, part, 2)
    expect_shown(editor, "part.py")
    editor.command(f"call win_gotoid(bufwinid('{notes}'))")
    editor.command("LazydapStepOut")
    expect_stop(editor, main, 5)
    expect_shown(editor, "main.py")
    editor.command("call win_gotoid(bufwinid('^lazydap://output$'))")
    editor.command("2LazydapStep")
    expect_stop(editor, main, 5)
    editor.command("LazydapStepIn")
    expect_stop(editor, part, 2)
    expect_shown(editor, "part.py")
    assert [item["text"] for item in editor.quickfix()] == ["mine"]

    # A buffer that is closed takes no breakpoint along.
    editor.command("bwipeout main.py")
    editor.command("LazydapContinue")
    expect_stop(editor, main, 5)
    editor.expect_sign(5, "▶●")
    expect_shown(editor, "main.py")

    # At the end the panes close, and all is as it was.
    editor.command("LazydapStop")
    editor.expect_message("main.py ended")
    eventually(lambda: names(editor), lambda shown: shown == ["", "main.py", "notes.txt"], what="the panes close")
    assert layout(editor) == before
    assert editor.signs() == {5: "●"}
    editor.expect_no_virtual_text()


def expect_shown(editor: Editor, source: str) -> None:
    """Wait until the windows are those of the start and the panes, with this source in the one for sources."""
    wanted = sorted(["", "notes.txt", "output", source, "variables"])
    eventually(lambda: names(editor), lambda shown: shown == wanted, what=f"the windows, with {source}")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_killed_editor_is_restored_from_its_session_with_program_panes_and_keys(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, COUNTS, project)
    call = made.line("call")
    first = start_editor(made.file)
    first.command("set lines=50 columns=160")
    break_at(first, call)
    launch(first, made.command)
    expect_stop(first, made.file, call)
    first.command("LazydapUI")
    first.command("LazydapConsole")
    first.command("stopinsert | wincmd t")
    shown = names(first)
    assert {"variables", "output", "console", "prompt"} <= set(shown)
    first.command(f"mksession {project / 'Session.vim'}")
    first.kill()

    keys = "vim.g.lazydap = { debug_keys = true }\n"
    second = start_editor("-S", project / "Session.vim", init=keys + SERVER)
    eventually(lambda: names(second), lambda now: now == shown, what="every window is there", seconds=SLOW)
    second.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(...))", str(made.file))
    attach_server(second)
    second.command("LazydapHere")
    expect_stop(second, made.file, call)
    second.command("LazydapStep")
    eventually(lambda: second.cursor()[1], lambda line: line != call, what="it is stepped", seconds=SLOW)
    expect_k(second, OURS)
    eventually(
        lambda: second.pane("variables"),
        lambda lines: any("total" in line for line in lines),
        what="the restored pane shows the program",
        seconds=SLOW,
    )
    second.command("LazydapStop")
    eventually(second.signs, lambda signs: signs == {call: "●"}, what="breakpoint alone is left", seconds=SLOW)
    expect_k(second, SERVERS)
