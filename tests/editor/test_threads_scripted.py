"""Threads and stack between a real editor and a scripted daemon."""

from pathlib import Path

from tests.editor.editor import Editor, eventually
from tests.editor.scripted import Json, StartDaemon, StartEditor, live_script, stepping_to

THREADS: list[Json] = [{"reply": {"Threads": [{"id": 1, "name": "MainThread"}, {"id": 7, "name": "worker"}]}}]


def stack(program: Path, *frames: tuple[str, int | None]) -> list[Json]:
    listed = [
        {
            "id": 100 + (line or 0),
            "name": name,
            "line": line or 0,
            "column": 1,
            **({} if line is None else {"source": {"path": str(program)}}),
        }
        for name, line in frames
    ]
    return [{"reply": {"StackTrace": {"frames": listed, "total": len(listed)}}}]


def standing(start_editor: StartEditor, program: Path) -> Editor:
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_sign(1, "▶")
    return editor


def test_the_stack_is_kept_current_while_it_can_be_seen_and_only_then(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    steps = [stepping_to(program, line, line, total="0") for line in (2, 3)]
    stacks = [stack(program, ("first", 1)), stack(program, ("second", 2))]
    daemon = start_daemon(live_script(program, 1, StackTrace=stacks, Step=steps))
    editor = standing(start_editor, program)
    editor.command("LazydapStack")
    editor.expect_quickfix("Lazydap stack", ["first"])
    editor.command("wincmd p")
    editor.command("LazydapStep")
    editor.expect_quickfix("Lazydap stack", ["second"])
    assert editor.cursor() == (str(program), 2)
    editor.command("cclose")
    editor.command("LazydapStep")
    editor.expect_sign(3, "▶")
    assert daemon.asked().count("StackTrace") == 2


def test_a_frame_without_source_is_said_so_and_its_values_can_be_seen(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(
        live_script(
            program,
            1,
            StackTrace=[stack(program, ("main", 1), ("native", None))],
            Scopes=[[{"reply": {"Scopes": []}}]],
        )
    )
    editor = standing(start_editor, program)
    editor.command("LazydapStack")
    editor.expect_quickfix("Lazydap stack", ["main", "native (no source here)"])
    editor.command("LazydapFrame 1")
    editor.expect_message("native has no source here: :LazydapVariables shows its values")
    eventually(editor.is_free, lambda is_free: is_free, what="no question stands")
