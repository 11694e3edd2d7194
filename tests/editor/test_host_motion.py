"""Attaching, restarting, running to the cursor, jumping and giving up a launch, with a scripted daemon."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.editor.conftest import StartDaemon
from tests.editor.editor import Editor, eventually
from tests.editor.scripted import SESSION, Json, detail, live_script, status, stop, stopped
from tests.fakes.daemon import FakeDaemon

StartEditor = Callable[..., Editor]
FEATURES = ["stop_detail", "launch_options", "attach", "restart", "run_to", "goto", "cancel_launch"]
OTHER = "22222222-2222-4333-8444-555555555555"
CAPABILITIES = {
    "supports_configuration_done_request": True,
    "supports_function_breakpoints": True,
    "supports_conditional_breakpoints": True,
    "supports_variable_paging": False,
}


def launched(program: Path, line: int, session: str = OTHER) -> Json:
    return {
        "Launched": {
            "session_id": session,
            "state": "paused",
            "reason": "entry",
            "raw_reason": None,
            "thread_id": 1,
            "capabilities": CAPABILITIES,
            "breakpoints": [],
            "stop": stop(program, line, 1, total="0"),
        }
    }


def requested(daemon: FakeDaemon, name: str) -> list[Any]:
    return [entry["request"][name] for entry in daemon.requests() if name in entry["request"]]


def answering(program: Path, line: int, generation: int) -> list[Json]:
    return [
        {"reply": {"Continued": {"session_id": SESSION, "thread_id": 1, "already_running": False}}},
        {"broadcast": stopped()},
        {"broadcast": detail(stop(program, line, generation, total="3"))},
    ]


def test_a_daemon_that_cannot_run_to_a_line_is_told_in_one_line(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(live_script(program, 1))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_sign(1, "▶")
    editor.command("LazydapRunToCursor")
    editor.expect_message("this daemon cannot run to a line: end it with :Lazydap shutdown, a newer one starts")


def test_a_launch_with_a_program_live_asks_and_can_restart_it(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    play = [{"reply": launched(program, 4)}]
    daemon = start_daemon({"features": FEATURES, **live_script(program, 2, Restart=[play])})
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_sign(2, "▶")
    editor.lua("vim.ui.select = function(items, options, go_on) vim.g.offered = items; go_on(items[1], 1) end")
    editor.command("LazydapLaunch %")
    editor.expect_sign(4, "▶")
    assert editor.lua("return vim.g.offered") == [
        "restart app.py",
        "stop app.py and go on",
        "leave everything as it is",
    ]
    assert "Launch" not in daemon.asked()


def test_a_process_is_attached_to_by_its_number(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    daemon = start_daemon({"features": FEATURES, "answers": {"Attach": [[{"reply": launched(program, 3)}]]}})
    editor = start_editor(program)
    editor.command(f"LazydapAttach {editor.pid}")
    editor.expect_sign(3, "▶")
    [request] = requested(daemon, "Attach")
    assert (request["pid"], request["stop_on_entry"]) == (editor.pid, False)
    assert "VIMRUNTIME" not in request["options"]["client_env"]


def test_a_target_that_means_nothing_is_told_in_one_line(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon({"features": FEATURES})
    editor = start_editor(program)
    editor.command("LazydapAttach nonsense")
    editor.expect_message("`nonsense` is neither a process id nor HOST:PORT")


def test_a_stop_gives_up_the_launch_that_is_under_way(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    cancelled: Json = {"error": {"code": "Cancelled", "message": "the launch was given up: stopped", "details": {}}}
    script = {
        "Status": [[{"reply": status(None)}]],
        "Launch": [[{"wait": 3.0}, cancelled]],
        "CancelLaunch": [[{"reply": {"LaunchCancelled": {"cancelled": True}}}]],
    }
    daemon = start_daemon({"features": FEATURES, "answers": script})
    editor = start_editor(program)
    editor.command("LazydapLaunch %")
    eventually(daemon.asked, lambda asked: "Launch" in asked, what="the launch")
    editor.command("LazydapStop")
    editor.expect_message("the launch was given up: stopped")
    assert "CancelLaunch" in daemon.asked()
