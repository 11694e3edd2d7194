"""Functions, watched values, exceptions and the mute switch, with a scripted daemon."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.editor.conftest import StartDaemon
from tests.editor.editor import Editor, eventually
from tests.editor.scripted import SESSION, Json, breakpoint_at, live_script, report, stepping_to
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


def a_filter(name: str, **more: Any) -> Json:
    plain: Json = {"adapter": "debugpy", "filter": name, "label": name.title(), "default": False}
    return {**plain, "enabled": False, "chosen": False, "supports_condition": False, **more}


def filters(action: str, *changed: Json, **on: bool) -> list[Json]:
    told = [*changed, *(a_filter(name, enabled=enabled, chosen=enabled) for name, enabled in on.items())]
    answer = {"action": action, "dry_run": False, "filters": told, "applied_to_session": True}
    return [{"reply": {"ExceptionFilters": answer}}]


def test_a_function_gets_a_breakpoint_and_loses_it(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    there = {"id": 3, "name": "area", "condition": "n > 1", "enabled": True, "verified": True}
    script = live_script(
        program,
        1,
        FunctionBreakpointList=[
            named("FunctionBreakpoints", "listed"),
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
    editor.expect_message("this daemon cannot choose exceptions: end it with :Lazydap shutdown")


# --- in the list of breakpoints

TITLE = "Lazydap breakpoints"
MAIN: Json = {"id": 3, "name": "main", "condition": "x > 3", "enabled": True, "verified": True}
TOTAL: Json = {"id": 4, "name": "total", "description": "4 bytes", "access": "write", "enabled": True, "verified": True}
UNCAUGHT = a_filter("uncaught", default=True, enabled=True)
RAISED = a_filter("raised", supports_condition=True)
CHANGED: Json = {"breakpoint": {"id": 3, "verified": False}}


def listing(program: Path, **answers: Any) -> Json:
    """A stopped program with a breakpoint of each kind; each is listed as it is at first unless `answers` has more."""
    lists: Json = {
        "BreakpointList": [[{"reply": report("listed", breakpoint_at(program, 2, verified=True))}]],
        "FunctionBreakpointList": [named("FunctionBreakpoints", "listed", MAIN)],
        "DataBreakpointList": [named("DataBreakpoints", "listed", TOTAL)],
        "ExceptionFilterList": [filters("listed", RAISED, UNCAUGHT)],
    }
    return {"features": FEATURES, **live_script(program, 1, **{**lists, **answers})}


def open_list(start_editor: StartEditor, program: Path, *texts: str) -> Editor:
    editor = start_editor(program)
    editor.command("LazydapBreakpoints")
    editor.expect_quickfix(TITLE, ["for i in range(3):", *texts])
    return editor


ALL = ("function main if x > 3", "data total", "exceptions uncaught")


def answered(daemon: FakeDaemon, name: str, count: int = 1) -> list[Any]:
    """The requests of that name, once there are so many."""
    return eventually(lambda: requested(daemon, name), lambda all_: len(all_) >= count, what=f"{count} {name}")


def test_functions_values_and_exceptions_stand_in_the_list_behind_the_lines(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    daemon = start_daemon(listing(program, Step=[stepping_to(program, 2, 2, total="0")]))
    editor = open_list(start_editor, program, *ALL)
    assert [(item["path"], item["id"]) for item in editor.quickfix()] == [
        (str(program), 1),
        ("", 3),
        ("", 4),
        ("", None),
    ]
    editor.type("j<CR>")
    lists = daemon.asked().count("FunctionBreakpointList")
    editor.command("wincmd p")
    editor.command("LazydapStep")
    editor.expect_sign(2, "▶●")
    assert daemon.asked().count("FunctionBreakpointList") == lists


def test_the_list_says_what_the_adapter_makes_of_each_while_it_is_seen(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    off = {**MAIN, "condition": None, "hit_condition": ">=2", "enabled": False}
    again = [named("FunctionBreakpoints", "listed", one) for one in (MAIN, MAIN, off)]
    daemon = start_daemon(listing(program, FunctionBreakpointList=again))
    editor = open_list(start_editor, program, *ALL)
    opinion = {"id": 3, "verified": False, "message": "no function main"}
    daemon.broadcast({"FunctionBreakpointUpdated": {"session_id": SESSION, "breakpoint": opinion}})
    told = "[rejected] function main if x > 3: no function main"
    editor.expect_quickfix(TITLE, ["for i in range(3):", told, "data total", "exceptions uncaught"])
    daemon.broadcast({"FunctionBreakpointUpdated": CHANGED})
    told = "[disabled] function main hit >=2"
    editor.expect_quickfix(TITLE, ["for i in range(3):", told, "data total", "exceptions uncaught"])
    daemon.broadcast({"SessionEnded": {"session_id": SESSION, "reason": {"exited": {"exit_code": 0}}}})
    editor.expect_quickfix(TITLE, ["for i in range(3):", told])


def test_what_has_no_line_is_handled_in_the_list_by_the_same_keys(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    script = listing(
        program,
        FunctionBreakpointToggle=[named("FunctionBreakpoints", "toggled", MAIN)],
        FunctionBreakpointAdd=[named("FunctionBreakpoints", "updated", MAIN)],
        FunctionBreakpointRemove=[named("FunctionBreakpoints", "removed", MAIN)],
        DataBreakpointAdd=[named("DataBreakpoints", "updated", TOTAL)],
        DataBreakpointRemove=[named("DataBreakpoints", "removed", TOTAL)],
        ExceptionFilterSet=[filters("changed", UNCAUGHT)],
    )
    daemon = start_daemon(script)
    editor = open_list(start_editor, program, *ALL)
    editor.go_to(2)
    editor.type("t")
    assert answered(daemon, "FunctionBreakpointToggle")[0]["selector"] == {"Ids": [3]}
    editor.type("H%2<CR>")
    (added,) = answered(daemon, "FunctionBreakpointAdd")
    assert (added["breakpoint"]["condition"], added["breakpoint"]["hit_condition"]) == ("x > 3", "%2")
    editor.go_to(3)
    editor.type("ctotal == 9<CR>")
    tried, done = answered(daemon, "DataBreakpointAdd", 2)
    assert (tried["dry_run"], done["dry_run"], done["breakpoint"]["condition"]) == (True, False, "total == 9")
    editor.go_to(4)
    editor.type("t")
    assert answered(daemon, "ExceptionFilterSet")[0]["filters"][0]["enabled"] is False
    editor.type("VkkdG")
    assert answered(daemon, "FunctionBreakpointRemove")[0]["selector"] == {"Ids": [3]}
    assert answered(daemon, "DataBreakpointRemove")[0]["selector"] == {"Ids": [4]}
    assert answered(daemon, "ExceptionFilterSet", 2)[1]["filters"][0]["enabled"] is False
    assert editor.eval("histget(':', -1)") == "LazydapBreak main if x > 3"


def test_a_chosen_exception_gets_a_condition_and_goes_from_the_list(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    chosen = a_filter("raised", enabled=True, chosen=True, supports_condition=True)
    conditional = {**chosen, "condition": "ValueError"}
    event: Json = {"broadcast": {"ExceptionFiltersChanged": {"adapter": "debugpy"}}}
    told = [filters("listed", *some) for some in ([chosen], [chosen], [conditional], [])]
    changed = [[event, *filters("changed", conditional)], [event, *filters("changed", RAISED)]]
    daemon = start_daemon(listing(program, ExceptionFilterList=told, ExceptionFilterSet=changed))
    editor = open_list(start_editor, program, "function main if x > 3", "data total", "exceptions raised")
    editor.go_to(4)
    editor.type("cValueError<CR>")
    lines = ["for i in range(3):", "function main if x > 3", "data total"]
    editor.expect_quickfix(TITLE, [*lines, "exceptions raised if ValueError"])
    editor.type("dd")
    editor.expect_quickfix(TITLE, lines)
    asked = [each["filters"][0] for each in requested(daemon, "ExceptionFilterSet")]
    assert [(one["enabled"], one.get("condition")) for one in asked] == [(True, "ValueError"), (None, None)]


def test_a_part_that_makes_no_sense_is_refused_in_one_line(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(listing(program))
    editor = open_list(start_editor, program, *ALL)
    editor.go_to(2)
    editor.type("L")
    editor.expect_message("one on a function prints nothing: put `log` on its first line")
    editor.go_to(4)
    editor.type("H")
    editor.expect_message("exceptions are not counted")
    editor.type("c")
    editor.expect_message("uncaught takes no condition with debugpy")


def test_a_watched_value_gets_no_condition_in_another_function(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    other = named("DataBreakpoints", "updated", {**TOTAL, "description": "8 bytes"})
    daemon = start_daemon(listing(program, DataBreakpointAdd=[other]))
    editor = open_list(start_editor, program, *ALL)
    editor.go_to(3)
    editor.type("c1<CR>")
    editor.expect_message("total is another value in this frame")
    assert [each["dry_run"] for each in requested(daemon, "DataBreakpointAdd")] == [True]


def test_a_daemon_without_all_that_has_its_lines_in_the_list(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    daemon = start_daemon({**listing(program), "features": ["stop_detail"]})
    open_list(start_editor, program)
    assert {"FunctionBreakpointList", "DataBreakpointList", "ExceptionFilterList"}.isdisjoint(daemon.asked())


def test_with_no_daemon_the_list_has_what_the_project_keeps(start_editor: StartEditor, program: Path) -> None:
    kept = (
        "version = 1\n[[function_breakpoints]]\nid = 3\nname = 'main'\nenabled = false\n"
        "[[exception_filters]]\nadapter = 'debugpy'\nfilter = 'raised'\n"
    )
    (program.parent / ".lazydap" / "state.toml").write_text(kept)
    editor = start_editor(program)
    editor.command("LazydapBreakpoints")
    editor.expect_quickfix(TITLE, ["[disabled] function main", "exceptions raised (debugpy)"])


def test_a_muted_breakpoint_is_turned_off_and_the_user_is_told_that_all_are(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    off = report("toggled", breakpoint_at(program, 2, enabled=False))
    muted = [{"reply": {"Muted": {"muted": True, "applied_to_session": False}}}]
    daemon = start_daemon(listing(program, BreakpointToggle=[[{"reply": off}]], Mute=[muted]))
    editor = open_list(start_editor, program, *ALL)
    editor.command("LazydapDisable!")
    others = ["[muted] function main if x > 3", "[muted] data total", "exceptions uncaught"]
    editor.expect_quickfix(TITLE, ["[muted]", *others])
    editor.go_to(1)
    editor.type("t")
    editor.expect_message("disabled 1 breakpoint, but all breakpoints are off: :LazydapEnable! lets them stop again")
    editor.expect_quickfix(TITLE, ["[disabled]", *others])
    assert [each["selector"] for each in requested(daemon, "BreakpointToggle")] == [{"Ids": [1]}]


def test_functions_and_exceptions_are_completed(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    start_daemon(listing(program))
    editor = open_list(start_editor, program, *ALL)
    editor.command("wincmd p")
    assert editor.eval("getcompletion('LazydapBreak m', 'cmdline')") == ["main"]
    assert editor.eval("getcompletion('LazydapExceptions ', 'cmdline')") == ["raised", "uncaught"]
    assert editor.eval("getcompletion('Lazydap exceptions raised ', 'cmdline')") == ["uncaught"]


def test_a_list_that_nobody_sees_is_asked_for_when_it_is_opened_again(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    daemon = start_daemon(listing(program))
    editor = open_list(start_editor, program, *ALL)
    editor.command("cclose")
    said = len(editor.messages())
    editor.command("LazydapStatus")
    # The host hears of the closed window before.
    eventually(editor.messages, lambda lines: len(lines) > said, what="the status is told")
    daemon.broadcast({"SessionEnded": {"session_id": SESSION, "reason": {"exited": {"exit_code": 0}}}})
    editor.expect_message("app.py ended: exit code 0")
    asked = daemon.asked().count("ExceptionFilterList")
    editor.command("copen")
    editor.expect_quickfix(TITLE, ["for i in range(3):", "function main if x > 3"])
    eventually(lambda: daemon.asked().count("ExceptionFilterList"), lambda count: count > asked, what="it is asked for")
    assert (asked, daemon.asked().count("ExceptionFilterList")) == (2, 3)


def test_all_that_stops_the_program_goes_with_the_breakpoints_of_the_project(
    start_daemon: StartDaemon, start_editor: StartEditor, program: Path
) -> None:
    removed = [{"reply": report("removed", breakpoint_at(program, 2))}]
    script = listing(
        program,
        BreakpointRemove=[removed],
        FunctionBreakpointRemove=[named("FunctionBreakpoints", "removed", MAIN)],
        DataBreakpointRemove=[named("DataBreakpoints", "removed", TOTAL)],
    )
    daemon = start_daemon(script)
    editor = open_list(start_editor, program, *ALL)
    editor.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    editor.command("Lazydap clear")
    answered(daemon, "BreakpointRemove")
    assert answered(daemon, "FunctionBreakpointRemove")[0]["selector"] == {"Ids": [3]}
    assert answered(daemon, "DataBreakpointRemove")[0]["selector"] == {"Ids": [4]}
