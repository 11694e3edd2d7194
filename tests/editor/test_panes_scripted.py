"""Floats and panes with values, between a real editor and a scripted daemon."""

import os
import signal
from pathlib import Path
from typing import Any

from tests.editor.editor import Editor, eventually
from tests.editor.scripted import Json, StartDaemon, StartEditor, live_script, stepping_to


def variable(name: str, value: str, reference: int = 0, **more: Any) -> Json:
    return {"name": name, "value": value, "type_name": "int", "variables_reference": reference, **more}


def page(*variables: Json, truncated: bool = False) -> list[Json]:
    return [{"reply": {"Variables": {"variables": list(variables), "truncated": truncated}}}]


def evaluated(value: str, reference: int = 0) -> list[Json]:
    return [{"reply": {"Evaluated": {"value": value, "type_name": "list", "variables_reference": reference}}}]


def scopes(*names: str) -> list[Json]:
    listed = [
        {"name": name, "variables_reference": number, "expensive": name == "Globals"}
        for number, name in enumerate(names, 11)
    ]
    return [{"reply": {"Scopes": listed}}]


def standing(start_editor: StartEditor, program: Path, **options: Any) -> Editor:
    editor = start_editor(program, **options)
    editor.command("LazydapHere")
    editor.expect_sign(1, "▶")
    return editor


def test_the_same_evaluation_a_second_time_goes_into_the_window_and_another_one_does_not(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    daemon = start_daemon(live_script(program, 1, Eval=[evaluated("1"), evaluated("2")]))
    editor = standing(start_editor, program)
    editor.command("LazydapEval total")
    editor.expect_float(["  total = 1  list"])
    editor.command("LazydapEval total + 1")
    editor.expect_float(["  total + 1 = 2  list"])
    editor.command("LazydapEval total + 1")
    assert editor.lua("return vim.api.nvim_win_get_config(0).relative") != ""
    assert daemon.asked().count("Eval") == 2


def test_what_failed_is_off_the_screen_with_the_next_command(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    refused: list[Json] = [{"error": {"code": "DapProtocolError", "message": "NameError: no nope", "details": {}}}]
    start_daemon(live_script(program, 1, Eval=[refused, evaluated("1")]))
    editor = standing(start_editor, program, terminal=True)
    screen = editor.screen
    assert screen is not None
    editor.lua("require('lazydap.looking').ask('nope', 'watch')")
    eventually(screen.text, lambda text: "NameError: no nope" in text, what="the failure is on the screen")
    editor.lua("require('lazydap.looking').ask('total', 'watch')")
    editor.expect_float(["  total = 1  list"])
    eventually(screen.text, lambda text: "NameError" not in text, what="the failure is off the screen")
    assert any("NameError: no nope" in line for line in editor.messages())


def test_a_value_with_parts_opens_part_by_part(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    first = page(variable("0", "[5, 6]", 21), variable("1", "7"))
    second = page(variable("0", "5"), variable("1", "6"))
    daemon = start_daemon(live_script(program, 1, Eval=[evaluated("[[5, 6], 7]", 20)], Variables=[first, second]))
    editor = standing(start_editor, program)
    editor.command("LazydapEval rows")
    editor.expect_float(["▾ rows = [[5, 6], 7]  list", "  ▸ 0 = [5, 6]  int", "    1 = 7  int"])
    assert daemon.asked().count("Variables") == 1
    editor.command("LazydapHover")
    editor.type("j<CR>")
    editor.expect_float(
        [
            "▾ rows = [[5, 6], 7]  list",
            "  ▾ 0 = [5, 6]  int",
            "      0 = 5  int",
            "      1 = 6  int",
            "    1 = 7  int",
        ],
    )
    editor.type("<CR>")
    editor.expect_float(["▾ rows = [[5, 6], 7]  list", "  ▸ 0 = [5, 6]  int", "    1 = 7  int"])
    assert daemon.asked().count("Variables") == 2
    editor.type("q")
    editor.expect_float([])


def test_a_value_is_gone_when_the_program_has_moved(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(live_script(program, 1, Eval=[evaluated("0")], Step=[stepping_to(program, 2, 2, total="0")]))
    editor = standing(start_editor, program)
    editor.command("LazydapHover")
    editor.expect_float(["  total = 0  list"])
    editor.command("LazydapStep")
    editor.expect_sign(2, "▶")
    editor.expect_float([])


def test_a_refused_expression_is_one_line(start_daemon: StartDaemon, start_editor: StartEditor, program: Path) -> None:
    refused: list[Json] = [{"error": {"code": "DapProtocolError", "message": "NameError: no nope", "details": {}}}]
    start_daemon(live_script(program, 1, Eval=[refused]))
    editor = standing(start_editor, program)
    editor.command("LazydapEval nope")
    editor.expect_message("NameError: no nope")
    editor.expect_float([])


def test_a_pane_that_was_closed_asks_for_nothing(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    steps = [stepping_to(program, 2, 2, total="0"), stepping_to(program, 3, 3, total="0")]
    daemon = start_daemon(
        live_script(program, 1, Scopes=[scopes("Locals")], Variables=[page(variable("x", "1"))], Step=steps)
    )
    editor = standing(start_editor, program)
    editor.command("LazydapVariables")
    editor.expect_pane("variables", ["▾ Locals", "    x = 1  int"])
    editor.command("LazydapVariables")
    editor.expect_pane("variables", [])
    asked = len(daemon.requests())
    editor.command("LazydapStep")
    editor.expect_sign(2, "▶")
    editor.command("LazydapStep")
    editor.expect_sign(3, "▶")
    assert [name for name in daemon.asked()[asked:] if name != "Step"] == []


def test_a_pane_with_nothing_live_says_how_to_start(start_editor: StartEditor, program: Path) -> None:
    editor = start_editor(program)
    editor.command("LazydapVariables")
    editor.expect_pane("variables", ["nothing is live: :LazydapLaunch starts a program"])


def test_a_host_that_dies_takes_the_float_along_and_the_pane_comes_back_with_the_next_command(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(
        live_script(
            program,
            1,
            Eval=[evaluated("0")],
            Scopes=[scopes("Locals")],
            Variables=[page(variable("x", "1")), page(variable("x", "2"))],
        )
    )
    editor = standing(start_editor, program)
    editor.command("LazydapVariables")
    editor.expect_pane("variables", ["▾ Locals", "    x = 1  int"])
    editor.command("LazydapHover")
    editor.expect_float(["  total = 0  list"])
    pid = editor.host_pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    editor.expect_float([])
    editor.expect_message("the next command restarts it")
    editor.command("LazydapStatus")
    editor.expect_sign(1, "▶")
    editor.expect_pane("variables", ["▾ Locals", "    x = 2  int"])


def test_an_answer_that_comes_after_the_cursor_has_gone_is_a_line_and_no_window(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    slow: list[Json] = [{"wait": 0.4}, *evaluated("0")]
    start_daemon(live_script(program, 1, Eval=[slow]))
    editor = standing(start_editor, program)
    editor.command("LazydapHover")
    editor.go_to(3)
    editor.expect_message("total = 0")
    editor.expect_float([])
    assert editor.cursor() == (str(program), 3)


def test_a_long_value_is_wrapped_in_its_window(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(live_script(program, 1, Eval=[evaluated("x" * 500)]))
    editor = standing(start_editor, program)
    editor.command("LazydapEval total")
    shown = eventually(editor.float, lambda lines: lines != [], what="the float")
    assert shown == ["  total = " + "x" * 500 + "  list"]
    size = editor.lua(
        "local w = vim.fn.win_getid(vim.fn.winnr('$')) return { vim.api.nvim_win_get_width(w), "
        "vim.api.nvim_win_get_height(w), vim.wo[w].wrap }"
    )
    assert size == [76, 7, True]
