"""Functions, watched values, exceptions and the mute switch, with a scripted daemon."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.editor.conftest import StartDaemon
from tests.editor.editor import Editor
from tests.editor.scripted import Json, breakpoint_at, live_script, report
from tests.fakes.daemon import FakeDaemon

StartEditor = Callable[..., Editor]
FEATURES = ["stop_detail", "mute", "exceptions", "function_breakpoints", "data_breakpoints"]


def requested(daemon: FakeDaemon, name: str) -> list[Any]:
    return [entry["request"][name] for entry in daemon.requests() if name in entry["request"]]


def named(kind: str, action: str, *breakpoints: Json) -> list[Json]:
    answer = {
        "action": action,
        "dry_run": False,
        "breakpoints": list(breakpoints),
        "not_found": [],
        "applied_to_session": True,
    }
    return [{"reply": {kind: answer}}]


def filters(action: str, **on: bool) -> list[Json]:
    told = [
        {
            "adapter": "debugpy",
            "filter": name,
            "label": name.title(),
            "default": False,
            "enabled": enabled,
            "chosen": enabled,
            "supports_condition": False,
        }
        for name, enabled in on.items()
    ]
    answer = {"action": action, "dry_run": False, "filters": told, "applied_to_session": True}
    return [{"reply": {"ExceptionFilters": answer}}]


def test_all_breakpoints_are_muted_and_drawn_so_until_they_stop_again(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    switched = [
        [{"reply": {"Muted": {"muted": muted, "applied_to_session": False}}}, {"broadcast": {"MuteChanged": told}}]
        for muted, told in ((True, {"muted": True}), (False, {"muted": False}))
    ]
    answers = {"BreakpointList": [[{"reply": report("listed", breakpoint_at(program, 2))}]], "Mute": switched}
    daemon = start_daemon({"features": FEATURES, "answers": answers})
    editor = start_editor(program)
    editor.command("LazydapStatus")
    editor.expect_sign(2, "●")
    editor.command("LazydapDisable!")
    editor.expect_message("all breakpoints are off: :LazydapEnable! lets them stop again")
    editor.expect_sign(2, "○-")
    editor.command("LazydapEnable!")
    editor.expect_sign(2, "●")
    assert [each["muted"] for each in requested(daemon, "Mute")] == [True, False]


def test_a_function_gets_a_breakpoint_and_loses_it(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    there = {"id": 3, "name": "area", "condition": "n > 1", "enabled": True, "verified": True}
    script = live_script(
        program,
        1,
        FunctionBreakpointList=[
            named("FunctionBreakpoints", "listed"),
            named("FunctionBreakpoints", "listed", there),
        ],
        FunctionBreakpointAdd=[named("FunctionBreakpoints", "added", there)],
        FunctionBreakpointRemove=[named("FunctionBreakpoints", "removed", there)],
    )
    daemon = start_daemon({"features": FEATURES, **script})
    editor = start_editor(program)
    editor.command("LazydapBreak area if n > 1")
    editor.expect_message("breakpoint on area")
    editor.command("LazydapBreak area")
    editor.expect_message("no breakpoint on area any more")
    (added,) = requested(daemon, "FunctionBreakpointAdd")
    assert (added["breakpoint"]["name"], added["breakpoint"]["condition"]) == ("area", "n > 1")
    assert [each["selector"] for each in requested(daemon, "FunctionBreakpointRemove")] == [{"Name": "area"}]


def test_a_value_is_watched_in_the_frame_that_is_looked_at(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    watched = {"id": 4, "name": "total", "access": "write", "enabled": True, "verified": False, "message": "no room"}
    script = live_script(
        program,
        1,
        DataBreakpointList=[named("DataBreakpoints", "listed")],
        DataBreakpointAdd=[named("DataBreakpoints", "added", watched)],
    )
    daemon = start_daemon({"features": FEATURES, **script})
    editor = start_editor(program)
    editor.command("LazydapHere")
    editor.expect_sign(1, "▶")
    editor.command("LazydapBreakData")
    editor.expect_message("say what is to be watched: :LazydapBreakData EXPR")
    editor.command("LazydapBreakData total")
    editor.expect_message("stops when total changes: no room")
    assert [each["breakpoint"]["name"] for each in requested(daemon, "DataBreakpointAdd")] == ["total"]


def test_exceptions_are_turned_the_other_way_by_name_and_by_choice(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    script = live_script(
        program,
        1,
        ExceptionFilterList=[filters("listed", raised=False, uncaught=True)] * 2,
        ExceptionFilterSet=[filters("changed", raised=True), filters("changed", uncaught=False)],
    )
    daemon = start_daemon({"features": FEATURES, **script})
    editor = start_editor(program)
    editor.lua("vim.ui.select = function(items, _, done) _G.offered = items; done(items[2], 2) end")
    editor.command("LazydapExceptions raised")
    editor.expect_message("exceptions: raised on")
    editor.command("LazydapExceptions")
    editor.expect_message("exceptions: uncaught off")
    assert editor.lua("return _G.offered") == ["[ ] raised - Raised", "[x] uncaught - Uncaught"]
    changes = [each["filters"] for each in requested(daemon, "ExceptionFilterSet")]
    assert [[(one["filter"], one["enabled"]) for one in each] for each in changes] == [
        [("raised", True)],
        [("uncaught", False)],
    ]


def test_a_daemon_that_knows_no_exceptions_is_told_in_one_line(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(live_script(program, 1))
    editor = start_editor(program)
    editor.command("LazydapExceptions")
    editor.expect_message("this daemon cannot choose exceptions: end it with `lazydap shutdown`")
