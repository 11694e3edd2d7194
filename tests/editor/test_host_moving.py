"""One program on each adapter, moved in every way there is: arrow, cursor, values and breakpoints after each."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import ADAPTERS, Debuggee, break_at, debuggee, expect_state, expect_stop, launch
from tests.fixtures.debuggees import Pair
from tests.fixtures.programs import Program

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

SESSION = "return require('lazydap').state().session_id"

WALKS = Pair(
    Program(
        "walks.c",
        """\
#include <stdio.h>
#include <unistd.h>

static int squared(int number) {
    int square = number * number;  // @square
    return square;
}

int main(void) {
    int total = 0, waits = 0;
    for (int i = 0; i < 5; i++) {
        total += squared(i);  // @call
        printf("i=%d\\n", i);  // @print
    }
    while (waits)
        usleep(1000);  // @wait
    return total;  // @last
}
""",
    ),
    Program(
        "walks.py",
        """\
import sys
import time


def squared(number):
    square = number * number  # @square
    return square


def main():
    total, waits = 0, 0
    for i in range(5):
        total += squared(i)  # @call
        print(f"i={i}")  # @print
    while waits:
        time.sleep(0.001)  # @wait
    return total  # @last


sys.exit(main())
""",
    ),
)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_frames_counts_the_cursor_a_jump_a_pause_and_a_restart_move_the_program_and_no_breakpoint(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, WALKS, project)
    square, last = made.line("square"), made.line("last")
    editor = start_editor(made.file)
    break_at(editor, square)
    break_at(editor, last)
    launch(editor, made.command)
    expect_stop(editor, made.file, square)
    first = editor.lua(SESSION)

    frames_are_listed_and_chosen(editor, made)
    editor.command("LazydapStepOut")
    expect_stop(editor, made.file, made.line("call"))
    editor.expect_no_sign(text="▷")
    nothing_stops_that_is_muted_but_what_was_asked_for(editor, made)
    a_jump_goes_back_or_says_that_it_cannot(editor, made, adapter)
    it_runs_until_it_is_paused(editor, made)
    editor.expect_virtual_text(made.line("call"), "total = 34" if adapter == "debugpy" else "total = 30")

    editor.command("LazydapEnable!")
    editor.expect_sign(last, "●")
    editor.command("LazydapRestart")
    expect_stop(editor, made.file, square)
    assert editor.lua(SESSION) != first
    assert editor.signs() == {square: "▶●", last: "●"}


def frames_are_listed_and_chosen(editor: Editor, made: Debuggee) -> None:
    call, square = made.line("call"), made.line("square")
    editor.command("LazydapStack")
    listed = eventually(editor.quickfix, lambda items: len(items) > 1, what="the frames")
    assert [(item["text"], item["line"]) for item in listed[:2]] == [("squared", square), ("main", call)]
    editor.type("j<CR>")
    editor.expect_cursor(made.file, call)
    editor.expect_sign(call, "▷")
    editor.expect_virtual_text(call, "total = 0")
    editor.command("cclose")
    editor.command("LazydapDown")
    editor.expect_cursor(made.file, square)
    editor.expect_no_sign(text="▷")
    editor.command("LazydapUp")
    editor.expect_sign(call, "▷")


def nothing_stops_that_is_muted_but_what_was_asked_for(editor: Editor, made: Debuggee) -> None:
    call, shown, square, last = (made.line(marker) for marker in ("call", "print", "square", "last"))
    editor.command("LazydapDisable!")
    eventually(editor.signs, lambda signs: signs == {square: "○-", call: "▶", last: "○-"}, what="all are off")
    editor.command("6LazydapStep")
    editor.expect_virtual_text(call, "i = 2")
    expect_stop(editor, made.file, call)
    editor.go_to(shown)
    editor.command("LazydapRunToCursor")
    expect_stop(editor, made.file, shown)
    assert editor.signs() == {square: "○-", shown: "▶", last: "○-"}


def a_jump_goes_back_or_says_that_it_cannot(editor: Editor, made: Debuggee, adapter: str) -> None:
    editor.command(f"{made.line('call')}LazydapJump")
    if adapter == "debugpy":
        expect_stop(editor, made.file, made.line("call"))
    else:
        editor.expect_message("lldb-dap cannot jump to another line: run to it, or set a breakpoint there")
        expect_stop(editor, made.file, made.line("print"))


def it_runs_until_it_is_paused(editor: Editor, made: Debuggee) -> None:
    editor.command("LazydapSet waits = 1")
    editor.expect_message("waits = 1")
    editor.command("LazydapContinue")
    expect_state(editor, "running")
    refused = "the program is running: :LazydapPause stops it"
    assert refused not in "".join(editor.messages())
    # A step that comes at once is one typed ahead, which the pause forgets.
    eventually(
        lambda: editor.command("LazydapStep") or editor.messages(),
        lambda said: f"lazydap: {refused}" in said,
        what=refused,
    )
    editor.command("LazydapPause")
    expect_state(editor, "paused")
    # Where it waits in the system's code, its own line is shown.
    wait = made.line("wait")
    eventually(editor.cursor, lambda cursor: cursor[1] in {wait - 1, wait}, what="the cursor is where it waits")
    editor.expect_sign(editor.cursor()[1], "▶")
