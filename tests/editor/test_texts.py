"""Frames of code that is no file on disk: shown as the adapter has it, with the arrow in it."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.scripted import SESSION, StartDaemon, live_script, status, stop, summary

StartEditor = Callable[..., Editor]

pytestmark = pytest.mark.timeout(150)
SLOW = 40.0
FEATURES = ["stop_detail", "launch_options", "source"]
TEXT = "push rbp\nmov rbp, rsp\nret\n"

C_MAIN = """\
int twice(int);
int main(void) {
  int made = twice(4);
  return made - 8;
}
"""
C_PLAIN = """\
int twice(int side) {
  return 2 * side;
}
"""
PYTHON = """\
def area(side):
    return side * side


exec(compile('def twice(side):\\n    return 2 * area(side)\\n', '<made>', 'exec'))
twice(3)
"""


def shown(editor: Editor) -> tuple[str, int]:
    """The name of the current buffer and the line of the cursor."""
    return editor.eval("bufname()"), editor.eval("line('.')")


def expect_shown(editor: Editor, name: str, line: int) -> None:
    eventually(lambda: shown(editor), lambda now: now == (f"lazydap://source/{name}", line), what=f"{name} is shown")


def native(line: int, reference: int = 7, number: int = 1, name: str = "puts") -> dict[str, Any]:
    source = {"name": name, "source_reference": reference}
    return {"id": number, "name": name, "source": source, "line": line, "column": 0}


def text() -> dict[str, Any]:
    return {"reply": {"SourceText": {"text": TEXT, "mime_type": "text/x-lldb.disassembly"}}}


def test_a_program_that_is_met_in_code_without_a_file_is_shown_by_here(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    place = stop(program, 1, 1) | {"frame": native(2)}
    told = [{"reply": status(summary(program, stop=place))}]
    answers: dict[str, Any] = {"Subscribe": [told], "Status": [told], "Source": [[text()]]}
    start_daemon({"features": FEATURES, "answers": answers})
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_message("stopped")
    windows = editor.eval("winnr('$')")
    editor.command("LazydapHere")
    expect_shown(editor, "puts", 2)
    editor.expect_sign(2, "▶")
    options = editor.eval("[&buftype, &modifiable, &buflisted, &filetype, &modified]")
    assert options == ["nofile", 0, 0, "asm", 0]
    assert editor.eval("getline(1, '$')") == TEXT.splitlines()
    assert editor.eval("winnr('$')") == windows
    editor.command("LazydapBreak")
    editor.expect_message("breakpoints go into files")


def test_a_step_into_it_opens_it_and_a_step_out_leaves_the_window_to_the_file(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    inside = {"generation": 2, "thread_id": 1, "reason": "step", "text": None, "frame": native(3)}
    outside = stop(program, 4, 3)

    def to(place: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"reply": {"Continued": {"session_id": SESSION, "thread_id": 1, "already_running": False}}},
            {
                "broadcast": {
                    "Stopped": {
                        "session_id": SESSION,
                        "thread_id": 1,
                        "reason": "step",
                        "raw_reason": None,
                        "all_threads_stopped": True,
                        "hit_breakpoint_ids": [],
                    }
                }
            },
            {"broadcast": {"StopDetail": {"session_id": SESSION, "stop": place}}},
        ]

    script = live_script(program, 1, Step=[to(inside), to(outside)], Source=[[text()]])
    start_daemon({"features": FEATURES, **script})
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_sign(1, "▶")
    editor.command("LazydapStep in")
    expect_shown(editor, "puts", 3)
    editor.expect_sign(3, "▶")
    windows = editor.eval("winnr('$')")
    editor.command("LazydapStep out")
    editor.expect_cursor(program, 4)
    assert editor.eval("winnr('$')") == windows
    eventually(lambda: editor.eval("bufexists('lazydap://source/puts')"), lambda there: there == 0, what="it goes")


def test_code_that_the_adapter_cannot_show_after_all_is_said_so(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    place = stop(program, 1, 1) | {"frame": native(2)}
    told = [{"reply": status(summary(program, stop=place))}]
    refused = {"error": {"DapProtocolError": {"message": "no code"}}}
    answers: dict[str, Any] = {"Subscribe": [told], "Status": [told], "Source": [[refused]]}
    start_daemon({"features": FEATURES, "answers": answers})
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_message("stopped")
    editor.command("LazydapHere")
    editor.expect_message("stopped in puts, which has no source here")
    assert shown(editor)[0].endswith("app.py")


def test_the_machine_code_of_a_c_function_without_debug_information_is_shown(
    start_editor: StartEditor, project: Path
) -> None:
    (project / "main.c").write_text(C_MAIN)
    (project / "plain.c").write_text(C_PLAIN)
    for name, flags in (("main", ["-g"]), ("plain", [])):
        subprocess.run(["cc", *flags, "-O0", "-c", f"{name}.c", "-o", f"{name}.o"], cwd=project, check=True)
    subprocess.run(["cc", "main.o", "plain.o", "-o", "prog"], cwd=project, check=True)
    editor = start_editor(project / "main.c")
    editor.command("LazydapBreak twice")
    editor.expect_message("breakpoint on twice")
    editor.command("LazydapLaunch ./prog")
    eventually(editor.virtual_texts, lambda texts: "in twice" in texts.get(3, ""), what="it stops", seconds=SLOW)
    editor.command("LazydapStack")
    eventually(editor.quickfix_title, lambda title: title == "Lazydap stack", what="the stack")
    assert editor.quickfix()[0]["text"] == "twice (no file: <CR> shows its code)"
    editor.command("LazydapFrame 0")
    eventually(lambda: shown(editor)[0], lambda name: name.startswith("lazydap://source/"), what="the code is shown")
    assert "twice" in shown(editor)[0]
    editor.expect_sign(shown(editor)[1], "▷")
    assert editor.eval("&filetype") == "asm"
    editor.command("LazydapUp")
    editor.expect_cursor(project / "main.c", 3)


def test_a_compiled_program_at_its_entry_leaves_the_window_to_the_file_and_gives_it_back_at_the_end(
    start_editor: StartEditor, project: Path
) -> None:
    source = project / "main.c"
    source.write_text("int main(void) {\n  return 0;\n}\n")
    subprocess.run(["cc", "-g", "-O0", "main.c", "-o", "prog"], cwd=project, check=True)
    editor = start_editor(source)
    editor.go_to(2)
    editor.command("LazydapLaunch! ./prog")
    eventually(
        editor.messages,
        lambda said: any("stopped at the entry" in line for line in said),
        what="it stops",
        seconds=SLOW,
    )
    assert editor.cursor() == (str(source), 2)
    editor.command("LazydapHere")
    eventually(lambda: shown(editor)[0], lambda name: name.startswith("lazydap://source/"), what="the code is shown")
    editor.command("LazydapStop")
    eventually(editor.cursor, lambda at: at == (str(source), 2), what="the file is back", seconds=SLOW)


def test_code_that_a_python_program_has_made_is_shown(start_editor: StartEditor, project: Path) -> None:
    file = project / "made.py"
    file.write_text(PYTHON)
    (project / ".vscode").mkdir()
    (project / ".vscode" / "launch.json").write_text(
        '{"configurations": [{"name": "all", "type": "debugpy", "request": "launch", "program": "made.py",'
        ' "justMyCode": false}]}'
    )
    editor = start_editor(file)
    editor.go_to(2)
    editor.command("LazydapBreak")
    editor.expect_sign(2, "●")
    editor.command("LazydapLaunch all")
    eventually(editor.signs, lambda signs: signs.get(2) == "▶●", what="it stops", seconds=SLOW)
    editor.command("LazydapUp")
    eventually(lambda: shown(editor)[0], lambda name: "made" in name and "source" in name, what="the code is shown")
    assert editor.eval("&filetype") == "python"
    assert "area(side)" in editor.eval("getline('.')")
    editor.expect_sign(shown(editor)[1], "▷")
