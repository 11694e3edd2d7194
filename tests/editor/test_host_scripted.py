"""The plugin host between a real editor and a scripted daemon."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import eventually
from tests.editor.scripted import (
    CAPABILITIES,
    SESSION,
    Json,
    StartDaemon,
    StartEditor,
    accepted,
    breakpoint_at,
    live_script,
    report,
    status,
    stepping_to,
    stop,
    summary,
)
from tests.fakes.daemon import FakeDaemon


def test_a_step_moves_arrow_cursor_and_values(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    steps = [stepping_to(program, 2, 2, total="0"), stepping_to(program, 3, 3, total="1", i="1")]
    daemon = start_daemon(live_script(program, 1, Step=steps))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_sign(1, "▶")
    editor.command("LazydapStep")
    editor.expect_cursor(program, 2)
    editor.command("LazydapStepIn")
    editor.expect_cursor(program, 3)
    editor.expect_sign(3, "▶")
    editor.expect_no_sign(1)
    editor.expect_virtual_text(3, "total = 1")
    kinds = [entry["request"]["Step"]["kind"] for entry in daemon.requests() if "Step" in entry["request"]]
    assert kinds == ["over", "in"]


def test_a_step_that_the_daemon_refuses_is_told_and_the_arrow_stays(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    refusal: list[Json] = [
        {"error": {"code": "AdapterTimeout", "message": "the adapter did not answer: step again", "details": {}}}
    ]
    start_daemon(live_script(program, 2, Step=[refusal]))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_cursor(program, 2)
    editor.command("LazydapStep")
    editor.expect_message("the adapter did not answer: step again")
    editor.expect_sign(2, "▶")


def test_a_daemon_that_is_killed_takes_its_stop_along_and_leaves_the_breakpoints_of_the_file(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path, project: Path
) -> None:
    (project / ".lazydap" / "state.toml").write_text('[[breakpoints]]\nid = 1\nsource = "app.py"\nline = 2\n')
    listed = [{"reply": report("listed", breakpoint_at(program, 3))}]
    daemon = start_daemon(live_script(program, 1, BreakpointList=[listed]))
    editor = start_editor(program)
    editor.expect_sign(1, "▶")
    daemon.process.kill()
    editor.expect_message("p: daemon and program are gone: :LazydapLaunch again")
    editor.expect_no_sign(1)
    editor.expect_sign(2, "●")
    editor.expect_no_sign(3)
    assert len([line for line in editor.messages() if "are gone" in line]) == 1


def test_an_editor_finds_a_daemon_that_comes_later(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path, project: Path
) -> None:
    (project / ".lazydap" / "state.toml").write_text('[[breakpoints]]\nid = 1\nsource = "app.py"\nline = 2\n')
    editor = start_editor(program)
    editor.expect_sign(2, "●")
    start_daemon(live_script(program, 3))
    editor.expect_sign(3, "▶")


def test_a_launch_takes_the_words_and_the_environment_of_the_editor(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path, project: Path
) -> None:
    answer: Json = {
        "session_id": SESSION,
        "state": "paused",
        "reason": "entry",
        "raw_reason": None,
        "thread_id": 1,
        "capabilities": CAPABILITIES,
        "breakpoints": [],
        "stop": stop(program, 1, 1, total="0"),
    }
    daemon = start_daemon({"answers": {"Launch": [[{"reply": {"Launched": answer}}]]}})
    editor = start_editor(program)
    editor.command("let $COLOUR = 'blue'")
    editor.command("LazydapLaunch! % 'one two' three")
    editor.expect_sign(1, "▶")
    [request] = [entry["request"]["Launch"] for entry in daemon.requests() if "Launch" in entry["request"]]
    assert request["program"] == str(program)
    assert request["args"] == ["one two", "three"]
    assert request["adapter"] == "debugpy"
    assert request["cwd"] == str(project)
    assert request["stop_on_entry"] is True
    assert request["options"]["client_env"]["COLOUR"] == "blue"
    assert "VIMRUNTIME" not in request["options"]["client_env"]
    assert Path(request["adapter_command"]).name.startswith("python")
    editor.lua("vim.ui.select = function(items, options, go_on) go_on(items[3], 3) end")
    editor.command("LazydapLaunch")
    editor.expect_message("a program is already live: :LazydapStop first")


def test_a_configuration_is_launched_by_its_name(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path, project: Path
) -> None:
    (project / ".vscode").mkdir()
    configuration = {"name": "the app", "type": "debugpy", "request": "launch", "program": "app.py", "args": ["-q"]}
    (project / ".vscode" / "launch.json").write_text(json.dumps({"configurations": [configuration]}))
    daemon = start_daemon(
        {"answers": {"Launch": [[{"error": {"code": "AdapterCrashed", "message": "it broke", "details": {}}}]]}}
    )
    editor = start_editor(program)
    editor.command("LazydapStatus")
    names = "return (require('lazydap.state').get().projects[1] or {}).launches"
    eventually(lambda: editor.lua(names), lambda known: known == ["the app"], what="the names are known")
    editor.command("LazydapLaunch the app")
    editor.expect_message("it broke")
    [request] = [entry["request"]["Launch"] for entry in daemon.requests() if "Launch" in entry["request"]]
    assert (request["program"], request["args"]) == (str(program), ["-q"])


def test_a_program_that_is_not_there_is_told_before_anything_is_asked(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    daemon = start_daemon({})
    editor = start_editor(program)
    editor.command("LazydapLaunch ./nowhere")
    editor.expect_message("there is no program")
    assert "Launch" not in daemon.asked()


@pytest.mark.parametrize("version", [4, 10])
def test_a_daemon_without_our_features_is_asked_for_the_place_and_the_values(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path, version: int
) -> None:
    paused = [{"reply": status(summary(program))}]
    frames = [{"id": 5, "name": "main", "source": {"path": str(program)}, "line": 3, "column": 1}]
    scopes = [{"name": "Locals", "variables_reference": 8, "expensive": False}]
    rows = [{"name": "total", "value": "7", "variables_reference": 0}]
    page = rows if version == 4 else {"variables": rows, "truncated": False}
    daemon = start_daemon(
        {
            "version": version,
            "features": [],
            "answers": {
                "Subscribe": [paused],
                "Status": [paused],
                "StackTrace": [[{"reply": {"StackTrace": {"frames": frames, "total": None}}}]],
                "Scopes": [[{"reply": {"Scopes": scopes}}]],
                "Variables": [[{"reply": {"Variables": page}}]],
            },
        }
    )
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_sign(3, "▶")
    editor.expect_virtual_text(3, "total = 7")
    subscribed = [entry["request"]["Subscribe"] for entry in daemon.requests() if "Subscribe" in entry["request"]]
    assert "stop_detail" not in subscribed[0]["channels"]


def disconnected(is_ended: bool, *, is_dry_run: bool = False) -> dict[str, Any]:
    return {"Disconnected": {"session_id": SESSION, "terminated_debuggee": is_ended, "dry_run": is_dry_run}}


def test_a_program_that_its_adapter_would_end_is_not_left_but_that_is_said(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(live_script(program, 2, Disconnect=[[{"reply": disconnected(True, is_dry_run=True)}]]))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_cursor(program, 2)
    editor.command("LazydapDisconnect")
    editor.expect_message("this adapter ends the program when it lets go of it: nothing done, :LazydapStop ends it")
    editor.expect_sign(2, "▶")


@pytest.mark.parametrize(
    "deed",
    [
        ("LazydapDisconnect", False, "app.py runs on without the debugger"),
        ("LazydapStop", False, "app.py was attached to and runs on"),
        ("LazydapStop", True, "app.py ended"),
    ],
)
def test_it_is_said_once_whether_the_program_ended_or_runs_on(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path, deed: tuple[str, bool, str]
) -> None:
    command, is_ended, line = deed
    over = {"SessionEnded": {"session_id": SESSION, "reason": "disconnected"}}
    asked = [] if command == "LazydapStop" else [[{"reply": disconnected(is_ended, is_dry_run=True)}]]
    ended = [{"broadcast": over}, {"reply": disconnected(is_ended)}]
    start_daemon(live_script(program, 2, Disconnect=[*asked, ended]))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_cursor(program, 2)
    editor.command(command)
    editor.expect_message(line)
    editor.expect_no_sign(2)
    assert [said for said in editor.messages() if "ended" in said or "runs on" in said] == [f"lazydap: {line}"]


def test_a_step_that_starts_a_new_host_says_nothing_of_where_the_program_stood_before(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(live_script(program, 1, Step=[stepping_to(program, 2, 2, total="0")]))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_cursor(program, 1)
    editor.expect_message("app.py is stopped at app.py:1")
    editor.command("messages clear")
    host = editor.host_pid()
    assert host is not None
    os.kill(host, signal.SIGKILL)
    eventually(editor.host_pid, lambda pid: pid is None, what="the host is gone")
    editor.command("LazydapStep")
    editor.expect_sign(2, "▶")
    assert [said for said in editor.messages() if "is stopped at" in said] == []


def test_a_program_that_fails_ends_in_one_line_with_its_last_words(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    output = {"chunks": [{"category": "stderr", "output": "ValueError: bad\n", "timestamp_ms": 1}], "dropped": 0}
    ended = {"SessionEnded": {"session_id": SESSION, "reason": {"exited": {"exit_code": 1}}}}
    answers = {"Continue": [[accepted(), {"broadcast": ended}]], "Output": [[{"reply": {"Output": output}}]]}
    start_daemon(live_script(program, 2, **answers))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_cursor(program, 2)
    editor.command("LazydapContinue")
    editor.expect_message("app.py ended: exit code 1: ValueError: bad")
    editor.expect_no_sign(2)
    editor.expect_no_virtual_text()


def test_a_key_that_is_held_steps_and_leaves_no_backlog(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    slow = [[accepted(), {"wait": 0.3}, *stepping_to(program, 1 + number % 4, number + 2)[1:]] for number in range(60)]
    daemon = start_daemon(live_script(program, 1, Step=slow))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_sign(1, "▶")
    editor.lua("for _ = 1, 60 do vim.cmd('LazydapStep') end")
    # One step was on its way and one was typed ahead; what was typed after those is forgotten.
    editor.expect_sign(2, "▶")
    editor.command("LazydapStep")
    editor.expect_sign(3, "▶")
    assert daemon.asked().count("Step") == 3
    assert [line for line in editor.messages() if "running" in line] == []


def test_nonsense_from_a_daemon_ends_the_link_and_not_the_host(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    nonsense = {"raw": "00000003" + "7b7d7d"}
    daemon = start_daemon(live_script(program, 2, Threads=[[nonsense]], StackTrace=[[nonsense]]))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_cursor(program, 2)
    pid = editor.host_pid()
    editor.command("LazydapStack")
    editor.expect_message("p: daemon and program are gone")
    eventually(lambda: daemon.asked().count("Subscribe"), lambda count: count >= 2, what="the link comes back")
    editor.expect_sign(2, "▶")
    assert editor.host_pid() == pid


def test_a_word_the_host_does_not_know_is_answered_in_one_line(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon({})
    editor = start_editor(program)
    editor.lua("require('lazydap.host').send({ verb = 'dance' })")
    editor.expect_message("the plugin host does not understand the editor")
    assert editor.host_pid() is not None


def test_a_daemon_of_another_project_on_our_socket_is_refused_in_one_line(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    told = status(None)
    told["Status"]["root"] = "/elsewhere"
    start_daemon({"answers": {"Subscribe": [[{"reply": told}]]}})
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_message("serves /elsewhere")
    assert not any("no daemon runs" in line for line in editor.messages())
    assert len([line for line in editor.messages() if "serves /elsewhere" in line]) == 1


def test_a_state_file_that_cannot_be_read_is_told_in_one_line(
    start_editor: StartEditor, program: Path, project: Path
) -> None:
    (project / ".lazydap" / "state.toml").write_text("[[breakpoints]\n")
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_message("state.toml is malformed")
    editor.expect_message("no daemon runs; 0 breakpoints")


def test_frames_are_chosen_and_their_values_drawn(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    frames = [
        {"id": 5, "name": "inner", "source": {"path": str(program)}, "line": 3, "column": 1},
        {"id": 6, "name": "outer", "source": {"path": str(program)}, "line": 4, "column": 1},
    ]
    scopes = [{"name": "Locals", "variables_reference": 8, "expensive": False}]
    rows = [{"name": "total", "value": "42", "variables_reference": 0}]
    answers = {
        "StackTrace": [[{"reply": {"StackTrace": {"frames": frames, "total": 2}}}]],
        "Scopes": [[{"reply": {"Scopes": scopes}}]],
        "Variables": [[{"reply": {"Variables": {"variables": rows, "truncated": False}}}]],
    }
    start_daemon(live_script(program, 3, **answers))
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_cursor(program, 3)
    editor.lua("require('lazydap.host').send({ verb = 'up', count = 1 })")
    editor.expect_cursor(program, 4)
    editor.expect_sign(4, "▷")
    editor.expect_virtual_text(4, "total = 42")
    editor.lua("require('lazydap.host').send({ verb = 'up', count = 1 })")
    editor.expect_message("this is the outermost frame")
    editor.lua("require('lazydap.host').send({ verb = 'down', count = 1 })")
    editor.expect_cursor(program, 3)
    editor.expect_no_sign(4)


def test_all_breakpoints_are_turned_off_and_their_number_said(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    both = [breakpoint_at(program, 2), breakpoint_at(program, 3, id=2)]
    off = [{**one, "enabled": False} for one in both]
    start_daemon(
        {
            "answers": {
                "BreakpointList": [[{"reply": report("listed", *both)}]],
                "BreakpointToggle": [[{"reply": report("toggled", *off)}]],
            }
        }
    )
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_sign(2, "●")
    editor.command("LazydapDisable!")
    editor.expect_sign(2, "○-")
    editor.expect_sign(3, "○-")
    editor.expect_message("disabled 2 breakpoints")


def moved(daemon: FakeDaemon) -> list[Json]:
    """The moves the daemon was asked for, one after the other."""
    asked = [entry["request"]["BreakpointMove"] for entry in daemon.requests() if "BreakpointMove" in entry["request"]]
    return [move for request in asked for move in request["moves"]]


def test_the_daemon_knows_where_a_breakpoint_is_before_the_program_moves_on(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    there = breakpoint_at(program, 4, anchor="total += i\nprint(total)\n")
    answers = {
        "BreakpointList": [[{"reply": report("listed", there)}]],
        "BreakpointMove": [[{"wait": 0.3}, {"reply": report("updated", {**there, "line": 5})}]],
        "Continue": [[accepted()]],
    }
    daemon = start_daemon({**live_script(program, 1, **answers), "features": ["stop_detail", "breakpoint_move"]})
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_sign(4, "○?")
    editor.lua("vim.fn.append(1, { '# new' }); vim.cmd('LazydapContinue')")
    eventually(daemon.asked, lambda asked: "Continue" in asked, what="the program goes on")
    assert [name for name in daemon.asked() if name in ("BreakpointMove", "Continue")] == ["BreakpointMove", "Continue"]
    assert moved(daemon) == [{"id": 1, "line": 5, "anchor": "total += i\nprint(total)\n"}]
    editor.expect_sign(5, "○?")


def test_an_older_daemon_gets_the_breakpoint_anew_with_all_its_parts_and_nothing_is_said(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    parts = {"condition": "i > 1", "hit_condition": ">2", "log_message": "hi", "enabled": False}
    there = breakpoint_at(program, 4, **parts)
    new = breakpoint_at(program, 5, id=2, **parts)
    daemon = start_daemon(
        {
            "features": [],
            "answers": {
                "BreakpointList": [[{"reply": report("listed", there)}]],
                "BreakpointRemove": [[{"reply": report("removed", there)}]],
                "BreakpointAdd": [[{"reply": report("added", new)}]],
            },
        }
    )
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_sign(4, "□-")
    editor.expect_message("nothing is live")
    said = editor.messages()
    editor.command("call append(0, '# new')")
    eventually(daemon.asked, lambda asked: "BreakpointAdd" in asked, what="it is added again")
    editor.expect_sign(5, "□-")
    [added] = [entry["request"]["BreakpointAdd"] for entry in daemon.requests() if "BreakpointAdd" in entry["request"]]
    assert added["breakpoint"] == {"source": str(program), "line": 5, **parts}
    assert editor.messages() == said


def test_a_project_that_is_not_saved_is_told_once_and_so_is_its_mending(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    words = "breakpoints and watches are not saved: state.toml is malformed: mend or remove it"
    daemon = start_daemon({"features": ["state_file"]})
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_message("nothing is live")
    for _ in range(2):
        daemon.broadcast({"StateFile": {"not_saved": words}})
    editor.expect_message(words)
    daemon.broadcast({"StateFile": {"not_saved": None}})
    editor.expect_message("breakpoints and watches are saved again")
    daemon.broadcast({"StateFile": {"not_saved": None, "overruled": "an edit gave way"}})
    editor.expect_message("an edit gave way")
    assert len([line for line in editor.messages() if words in line]) == 1
    subscribed = [entry["request"]["Subscribe"] for entry in daemon.requests() if "Subscribe" in entry["request"]]
    assert "state_file" in subscribed[0]["channels"]


def test_a_launch_with_a_state_file_that_cannot_be_read_says_so_once(
    start_editor: StartEditor, program: Path, project: Path
) -> None:
    (project / ".lazydap" / "state.toml").write_text("[[breakpoints]\n")
    editor = start_editor(program)
    editor.command("LazydapLaunch some name")
    editor.expect_message("state.toml is malformed")
    editor.command("LazydapStatus")
    editor.expect_message("no daemon runs")
    assert len([line for line in editor.messages() if "malformed" in line]) == 1
