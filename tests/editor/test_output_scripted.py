"""The program's output and the console, between a real editor and a scripted daemon."""

from pathlib import Path
from typing import Any

from tests.editor.editor import Editor, eventually
from tests.editor.scripted import SESSION, Json, StartDaemon, StartEditor, live_script


def printed(*chunks: tuple[str, str], first: int = 1) -> list[Json]:
    listed = [
        {"category": category, "output": output, "timestamp_ms": 1, "seq": number}
        for number, (category, output) in enumerate(chunks, first)
    ]
    return [{"reply": {"Output": {"chunks": listed, "dropped": 0}}}]


def news(text: str) -> Json:
    chunk = {"category": "stdout", "output": text, "timestamp_ms": 1, "seq": 9}
    return {"Output": {"session_id": SESSION, "chunk": chunk}}


def opened(start_editor: StartEditor, program: Path, command: str, **options: Any) -> Editor:
    editor = start_editor(program, **options)
    editor.command("LazydapHere")
    editor.expect_sign(1, "▶")
    # The jump may come a moment behind the arrow, and would take the keys away from a pane.
    editor.expect_message("app.py is stopped at app.py:1")
    editor.expect_cursor(program, 1)
    editor.command(command)
    return editor


def test_a_pane_of_output_that_is_closed_hears_nothing_and_shows_all_when_it_comes_back(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    told = [printed(("stdout", "one\n")), printed(), printed(("stdout", "one\ntwo\n")), printed()]
    daemon = start_daemon(live_script(program, 1, Output=told))
    editor = opened(start_editor, program, "LazydapOutput")
    editor.expect_pane("output", ["one", ""])
    eventually(lambda: daemon.asked().count("Output"), lambda count: count == 2, what="the second question")
    editor.command("LazydapOutput")
    editor.expect_pane("output", [])
    daemon.broadcast(news("two"))
    editor.command("LazydapOutput")
    editor.expect_pane("output", ["one", "two", ""])


def test_output_scrolled_back_stays_where_it_is(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    lines = "".join(f"{number}\n" for number in range(1, 101))
    told = [printed(("stdout", lines)), printed(), printed(("stdout", "more\n"), first=9), printed()]
    daemon = start_daemon(live_script(program, 1, Output=told))
    editor = opened(start_editor, program, "LazydapOutput")
    eventually(lambda: len(editor.pane("output")), lambda count: count == 101, what="a hundred lines")
    editor.command("wincmd j")
    assert editor.eval("line('.')") == 101
    editor.go_to(7)
    eventually(lambda: daemon.asked().count("Output"), lambda count: count == 2, what="the second question")
    daemon.broadcast(news("more"))
    eventually(lambda: len(editor.pane("output")), lambda count: count == 102, what="another line")
    assert editor.eval("line('.')") == 7


def test_output_that_the_daemon_no_longer_has_is_counted(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    chunk = {"category": "stdout", "output": "late\n", "timestamp_ms": 1, "seq": 8}
    told: list[Json] = [{"reply": {"Output": {"chunks": [chunk], "dropped": 7}}}]
    empty: list[Json] = [{"reply": {"Output": {"chunks": [], "dropped": 7}}}]
    start_daemon(live_script(program, 1, Output=[told, empty]))
    editor = opened(start_editor, program, "LazydapOutput")
    lost = "… 7 pieces of output were printed faster than they are kept"
    editor.expect_pane("output", ["", lost, "late", ""])


def test_output_with_nothing_live_says_how_to_start(start_editor: StartEditor, program: Path) -> None:
    editor = start_editor(program)
    editor.command("LazydapOutput")
    editor.expect_pane("output", ["nothing has run yet: :LazydapLaunch starts a program"])


def evaluated(value: str) -> list[Json]:
    return [{"reply": {"Evaluated": {"value": value, "type_name": "int", "variables_reference": 0}}}]


def test_the_console_completes_where_the_daemon_offers_it(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    items = [{"label": name, "text": name, "start": 5, "length": 2} for name in ("total", "total_price")]
    script = live_script(program, 1, Complete=[[{"reply": {"Completed": {"items": items}}}]])
    daemon = start_daemon({**script, "features": ["stop_detail", "complete"]})
    editor = opened(start_editor, program, "LazydapConsole")
    editor.type("ä + to<Tab>")
    eventually(lambda: editor.eval("pumvisible()"), lambda shown: shown == 1, what="the menu")
    editor.type("<C-y>")
    editor.expect_pane("prompt", ["ä + total"])
    asked = next(entry["request"]["Complete"] for entry in daemon.requests() if "Complete" in entry["request"])
    assert (asked["text"], asked["column"]) == ("ä + to", 7)


def test_the_console_is_one_pane_of_two_windows(start_editor: StartEditor, program: Path) -> None:
    editor = start_editor(program)
    editor.command("LazydapConsole")
    assert editor.eval("winnr('$')") == 3
    editor.command("stopinsert")
    editor.command("close")
    eventually(lambda: editor.eval("winnr('$')"), lambda count: count == 1, what="both are gone")


def test_a_value_is_set_by_a_command(start_daemon: StartDaemon, start_editor: StartEditor, program: Path) -> None:
    answer: list[Json] = [{"reply": {"VariableSet": {"value": "5", "type_name": "int", "variables_reference": 0}}}]
    script = live_script(program, 1, SetExpression=[answer])
    daemon = start_daemon({**script, "features": ["stop_detail", "set_variable"]})
    editor = opened(start_editor, program, "LazydapSet d['a=b'] = f(x=1) == 2")
    editor.expect_message("d['a=b'] = 5")
    asked = next(
        entry["request"]["SetExpression"] for entry in daemon.requests() if "SetExpression" in entry["request"]
    )
    assert (asked["expression"], asked["value"]) == ("d['a=b']", "f(x=1) == 2")


def test_a_daemon_that_cannot_set_values_is_said_so(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(live_script(program, 1))
    editor = opened(start_editor, program, "LazydapSet total = 5")
    editor.expect_message("this daemon cannot set values")
