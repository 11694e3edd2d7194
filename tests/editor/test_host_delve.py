"""The whole way with a real Go program: editor, plugin host, daemon and delve."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import Editor, eventually
from tests.fixtures.go_programs import SPLIT, module, warm

StartEditor = Callable[..., Editor]

# The first of them waits until the standard library is compiled.
pytestmark = pytest.mark.timeout(300)
SLOW = 45.0
"""Seconds: a compiler and an adapter take their time on a busy machine."""

MAIN = SPLIT[0]


def test_a_go_file_is_launched_as_it_is_and_a_line_without_code_is_refused_with_a_reason(
    start_editor: StartEditor, project: Path
) -> None:
    warm()
    program = module(project, *SPLIT)
    editor = start_editor(program)
    editor.go_to(MAIN.line("print"))
    editor.command("LazydapBreak")
    editor.command("1LazydapBreak")
    editor.expect_sign(1, "●")
    editor.command("LazydapLaunch")
    state = "return (require('lazydap').state() or {}).state"
    eventually(lambda: editor.lua(state), lambda now: now == "paused", what="the program stops", seconds=SLOW)
    editor.expect_sign(MAIN.line("print"), "▶●")
    editor.expect_sign(1, "○!")
    editor.expect_virtual_text(1, "could not find statement")
    editor.command("LazydapContinue")
    editor.expect_message("ended: exit code 0")
    eventually(editor.signs, lambda signs: signs == {1: "●", MAIN.line("print"): "●"}, what="both are as they were")
