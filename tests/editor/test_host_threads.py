"""Programs of several threads on real adapters: which is looked at, which one a step moves, what the lists show."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import ADAPTERS, Debuggee, break_at, debuggee, expect_stop, launch
from tests.fixtures.debuggees import Pair
from tests.fixtures.programs import Program

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

WORKS = Pair(
    Program(
        "works.c",
        """\
#include <pthread.h>

volatile int ready;

static void *work(void *given) {
    volatile int own = *(int *)given, turn = 0;
    ready++;
    while (ready) {
        turn += own;  // @turn
        if (own == 1)
            turn += 2;  // @one
        turn %= 1000;  // @next
    }
    return 0;
}

int main(void) {
    pthread_t thread[2];
    int given[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, work, &given[i]);
    while (ready < 2)
        ;
    ready = 3;  // @both
    pthread_join(thread[0], 0);
    return 0;
}
""",
    ),
    Program(
        "works.py",
        """\
import threading

ready = []


def work(own):
    turn = 0
    ready.append(own)
    while ready:
        turn += own  # @turn
        if own == 1:
            turn += 2  # @one
        turn %= 1000  # @next


def main():
    for own in (1, 2):
        threading.Thread(target=work, args=(own,), daemon=True).start()
    while len(ready) < 2:
        pass
    ready.append(0)  # @both
    threading.Event().wait()


main()
""",
    ),
)
STATE = "return require('lazydap').state()"


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_another_thread_is_chosen_in_the_list_and_steps_move_that_one_and_no_other(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, WORKS, project)
    one, both = made.line("one"), made.line("both")
    body = range(made.line("turn") - 1, made.line("next") + 1)
    editor = start_editor(made.file)
    break_at(editor, both)
    launch(editor, made.command)
    expect_stop(editor, made.file, both)
    main = editor.lua(STATE)["thread_id"]
    editor.command("LazydapThread 9999999")
    editor.expect_message("there is no thread 9999999: there are")

    # Each thread where it stands; return chooses one, and all that is looked at is its own.
    editor.command("LazydapThreads")
    listed = eventually(editor.quickfix, lambda items: len(items) == 3, what="the threads")
    assert listed[0]["text"].startswith(f"▶ {main} ")
    assert [item["text"].rpartition(": ")[2] for item in listed] == ["main", "work", "work"]
    assert [item["line"] in body for item in listed] == [False, True, True]
    other = listed[2]["id"]
    editor.type("2j<CR>")
    editor.expect_cursor(made.file, listed[2]["line"])
    editor.expect_sign(listed[2]["line"], "▷")
    has_own_value = "its values are shown"
    eventually(lambda: " ".join(editor.virtual_texts().values()), lambda shown: "own = 2" in shown, what=has_own_value)
    assert editor.signs()[both] == "▶●"
    assert editor.lua(STATE)["thread_id"] == other

    # The stack is that thread's, kept current while it is shown; each step moves that thread.
    editor.command("LazydapStack")
    eventually(editor.quickfix_title, lambda title: title == "Lazydap stack", what="the stack")
    editor.command("wincmd p")
    for _ in range(2):
        line = stepped(editor, made)
        assert line in body
        assert editor.lua(STATE)["thread_id"] == other
    eventually(lambda: " ".join(editor.virtual_texts().values()), lambda shown: "own = 2" in shown, what=has_own_value)

    # Then one that nobody looked at stops: it is that one which steps move now.
    break_at(editor, one)
    editor.command("LazydapContinue")
    eventually(lambda: editor.lua(STATE).get("thread_id"), lambda now: now not in {None, other}, what="another stops")
    expect_stop(editor, made.file, one)
    editor.command("LazydapStep")
    expect_stop(editor, made.file, made.line("next"))
    assert editor.lua(STATE)["thread_id"] not in {main, other}
    eventually(lambda: " ".join(editor.virtual_texts().values()), lambda shown: "own = 1" in shown, what=has_own_value)


def stepped(editor: Editor, made: Debuggee) -> int:
    """Where the thread stands after a step: arrow, cursor and the list of the stack agree on it."""
    before = editor.cursor()[1]
    editor.command("LazydapStep")
    line = eventually(editor.cursor, lambda cursor: cursor[1] != before, what="the step")[1]
    expect_stop(editor, made.file, line)
    eventually(lambda: editor.quickfix()[0]["line"], lambda shown: shown == line, what="the stack follows")
    return line
