"""Every kind of breakpoint on real adapters: where it stops, and what the gutter says of it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import ADAPTERS, SLOW, break_at, debuggee, expect_stop, launch
from tests.fixtures.debuggees import COUNTS, CRASHES, Pair
from tests.fixtures.programs import Program

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)

SPARSE = Pair(
    Program(
        "sparse.c",
        """\
#include <stdio.h>

int main(void) {
    int total = 1;  // @first
    // @nothing

    total += 1;  // @next
    printf("%d\\n", total);
    return 0;
}
""",
    ),
    Program(
        "sparse.py",
        """\
start = 1
total = start  # @first
# @nothing

total += 1  # @next
print(total)
""",
    ),
)
PLUG = Program(
    "plug.c",
    """\
int answer(int given) {
    int result = given + 1;  // @inside
    return result;
}
""",
)
LOADS = Program(
    "loads.c",
    """\
#include <dlfcn.h>

int main(void) {
    int given = 41;  // @first
    void *plug = dlopen("./plug.so", RTLD_NOW);
    int (*answer)(int) = (int (*)(int))dlsym(plug, "answer");
    return answer(given) - 42;
}
""",
)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_condition_a_count_and_a_text_are_changed_in_place_and_do_what_they_say(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, COUNTS, project)
    editor = start_editor(made.file)
    name = "i"
    break_at(editor, made.line("call"), f"if {name} == 1")
    editor.expect_sign(made.line("call"), "◆")
    launch(editor, made.command)
    expect_stop(editor, made.file, made.line("call"))
    editor.expect_sign(made.line("call"), "▶◆")
    editor.expect_virtual_text(made.line("call"), f"{name} = 1")
    # Its condition goes, a count of its own comes: it is still one breakpoint.
    editor.command(f"{made.line('call')}LazydapBreak if {name} == 3")
    editor.command("LazydapContinue")
    editor.expect_virtual_text(made.line("call"), f"{name} = 3")
    editor.command(f"{made.line('call')}LazydapBreak log at {{{name}}}")
    editor.expect_sign(made.line("call"), "▶■")
    editor.command(f"{made.line('call')}LazydapBreak!")
    break_at(editor, made.line("square"))
    editor.command("LazydapContinue")
    expect_stop(editor, made.file, made.line("square"))
    editor.command("LazydapStop")
    editor.expect_message("ended")
    assert editor.signs() == {made.line("square"): "●"}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_count_lets_the_first_times_pass_and_a_text_is_printed_where_nothing_stops(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, COUNTS, project)
    editor = start_editor(made.file)
    break_at(editor, made.line("call"), "hit 3")
    editor.expect_sign(made.line("call"), "◆")
    break_at(editor, made.line("print"), "log seen {i}")
    editor.expect_sign(made.line("print"), "■")
    break_at(editor, made.line("last"))
    launch(editor, made.command)
    expect_stop(editor, made.file, made.line("call"))
    editor.expect_virtual_text(made.line("call"), "i = 2")
    editor.command(f"{made.line('call')}LazydapBreak!")
    editor.command("LazydapContinue")
    expect_stop(editor, made.file, made.line("last"))
    editor.command("LazydapOutput")
    eventually(
        lambda: "\n".join(editor.pane("output")),
        lambda shown: all(f"seen {number}" in shown for number in range(5)),
        what="each pass is printed",
        seconds=SLOW,
    )


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_line_without_code_says_where_it_stops_instead_and_is_itself_again_afterwards(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, SPARSE, project)
    asked = made.line("nothing")
    editor = start_editor(made.file)
    break_at(editor, asked)
    launch(editor, made.command.replace("Launch", "Launch!"))
    moved = eventually(
        editor.signs,
        lambda signs: [at for at, sign in signs.items() if sign.endswith("●~")] not in ([], [asked]),
        what="the gutter tells where the adapter has put it",
    )
    (there,) = [at for at, sign in moved.items() if sign.endswith("●~")]
    editor.expect_virtual_text(there, f"line {asked}")
    editor.command("LazydapStop")
    eventually(editor.signs, lambda signs: signs == {asked: "●"}, what="it is as it was asked for", seconds=SLOW)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_function_stops_at_its_entry(start_editor: Start, project: Path, adapter: str) -> None:
    made = debuggee(adapter, COUNTS, project)
    editor = start_editor(made.file)
    editor.command("LazydapBreak squared if number == 2")
    editor.command("LazydapBreakpoints")
    editor.expect_quickfix("Lazydap breakpoints", ["function squared if number == 2"])
    editor.command("cclose")
    launch(editor, made.command)
    eventually(
        lambda: editor.lua("return (require('lazydap').state().frame or {}).name"),
        lambda name: name == "squared",
        what="it stops in the function",
        seconds=SLOW,
    )
    eventually(
        lambda: " ".join(editor.virtual_texts().values()),
        lambda shown: "number = 2" in shown,
        what="with the condition",
    )


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_what_is_changed_before_the_program_goes_on_is_changed_when_it_does(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, COUNTS, project)
    square, shown, last = (made.line(marker) for marker in ("square", "print", "last"))
    editor = start_editor(made.file)

    def at_once(*commands: str) -> None:
        editor.lua("for _, command in ipairs({ ... }) do vim.cmd(command) end", *commands)

    at_once(f"{square}LazydapBreak", "LazydapBreakpoints", "cclose", made.command)
    expect_stop(editor, made.file, square)
    at_once(f"{square}LazydapBreak", f"{shown}LazydapBreak", "LazydapContinue")
    expect_stop(editor, made.file, shown)
    at_once("LazydapSet total = 40", "LazydapContinue")
    eventually(
        lambda: " ".join(editor.virtual_texts().values()), lambda told: "total = 41" in told, what="the value was set"
    )
    at_once(f"{shown}LazydapDisable", f"{last}LazydapBreak", "LazydapContinue")
    expect_stop(editor, made.file, last)
    assert not any("no breakpoints" in line for line in editor.messages())


def test_a_native_program_stops_where_a_value_changes(start_editor: Start, project: Path) -> None:
    made = debuggee("lldb-dap", COUNTS, project)
    editor = start_editor(made.file)
    break_at(editor, made.line("call"))
    launch(editor, made.command)
    editor.command("LazydapBreakData total")
    editor.command("LazydapBreakpoints")
    eventually(
        lambda: [item["text"] for item in editor.quickfix()],
        lambda texts: "data total" in texts,
        what="the watched value is in the list",
    )
    editor.command("cclose")
    editor.command(f"{made.line('call')}LazydapDisable")
    editor.command("LazydapContinue")
    editor.expect_virtual_text(made.line("first") + 2, "total = 1")


def test_python_says_in_one_line_that_it_watches_no_values(start_editor: Start, project: Path) -> None:
    made = debuggee("debugpy", COUNTS, project)
    editor = start_editor(made.file)
    break_at(editor, made.line("call"))
    launch(editor, made.command)
    editor.command("LazydapBreakData total")
    editor.expect_message("debugpy")
    editor.expect_sign(made.line("call"), "▶●")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_exceptions_are_chosen_kept_and_shown_at_their_line_until_the_program_goes_on(
    start_editor: Start, project: Path, adapter: str
) -> None:
    made = debuggee(adapter, CRASHES, project)
    editor = start_editor(made.file)
    if adapter == "debugpy":
        launch(editor, f"{made.command}!")
        editor.command("LazydapExceptions raised")
        editor.command("LazydapContinue")
    else:
        launch(editor, made.command)
    expect_stop(editor, made.file, made.line("crash"))
    [(line, words)] = eventually(lambda: diagnostics(editor), lambda found: len(found) == 1, what="it is a diagnostic")
    assert line == made.line("crash")
    assert ("nothing here" if adapter == "debugpy" else "SIGSEGV") in words
    editor.command("LazydapContinue" if adapter == "lldb-dap" else "LazydapStop")
    editor.expect_message("ended")
    eventually(lambda: (diagnostics(editor), editor.signs()), lambda left: left == ([], {}), what="nothing is left")
    if adapter == "debugpy":
        kept = project / ".lazydap" / "state.toml"
        eventually(lambda: kept.exists() and "raised" in kept.read_text(), bool, what="the choice is in the file")


def diagnostics(editor: Editor) -> list[tuple[int, str]]:
    found = editor.lua("return vim.tbl_map(function(d) return { d.lnum + 1, d.message } end, vim.diagnostic.get(0))")
    return [(line, message) for line, message in found]


def test_a_breakpoint_in_code_that_is_not_loaded_yet_is_pending_and_not_refused_and_then_stops(
    start_editor: Start, project: Path
) -> None:
    plug, inside = PLUG.write(project), PLUG.line("inside")
    subprocess.run(["cc", "-g", "-O0", "-shared", "-fPIC", "-o", project / "plug.so", plug], check=True, timeout=60)
    program = LOADS.build(project)[1]
    editor = start_editor(plug)
    break_at(editor, inside)
    launch(editor, f"LazydapLaunch! {program}")
    editor.expect_sign(inside, "○?")
    editor.command("LazydapContinue")
    expect_stop(editor, plug, inside)
    editor.expect_sign(inside, "▶●")
    editor.expect_virtual_text(inside, "given = 41")
