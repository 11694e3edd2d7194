"""From a person's words to the message for the host."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import Editor

Start = Callable[..., Editor]


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text("".join(f"line{number} = {number}\n" for number in range(1, 11)))
    return file


@pytest.fixture
def editor(start_editor: Start, source: Path, stub: StubHost) -> Editor:
    return start_editor(source, init=stub.init)


def point(path: Path, asked: int, **more: Any) -> dict[str, Any]:
    return {
        "id": 10 + asked,
        "root": str(path.parent),
        "path": str(path),
        "line": asked,
        "asked_line": asked,
        "kind": "line",
        "state": "idle",
    } | more


def test_the_first_command_starts_the_host_and_greets_it(
    editor: Editor, stub: StubHost, source: Path, project: Path
) -> None:
    editor.go_to(4)
    editor.command("LazydapBreak")
    hello = stub.expect("hello")
    assert hello["files"] == [str(source)]
    assert hello["cwd"] == str(project)
    assert hello["pid"] == editor.pid
    assert hello["options"]["sign_priority"] == 4100
    assert stub.expect("break") == {"verb": "break", "file": str(source), "line": 4}
    assert stub.heard()[1]["where"] == {"file": str(source), "line": 4, "cwd": str(project)}


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("LazydapBreak if x > 3 | y", {"line": 4, "parts": {"condition": "x > 3 | y"}}),
        ("7LazydapBreak hit >=2 log at {x}", {"line": 7, "parts": {"hit_condition": ">=2", "log_message": "at {x}"}}),
        ("LazydapBreak a.py:9", {"line": 9, "place": True}),
        ("LazydapBreak :9 if y", {"line": 9, "place": True, "parts": {"condition": "y"}}),
        ("2,5LazydapBreak log x", {"first": 2, "last": 5, "parts": {"log_message": "x"}}),
        ("7LazydapBreak", {"line": 7}),
        ("$LazydapBreak", {"line": 10}),
        ("LazydapToggle | let done = 1", {"line": 4}),
        ("7Lazydap break", {"line": 7}),
        ("Lazydap break if a | b", {"line": 4, "parts": {"condition": "a | b"}}),
        ("Lazydap toggle", {"line": 4}),
    ],
)
def test_break_says_where_and_which_parts(
    editor: Editor, stub: StubHost, source: Path, command: str, wanted: dict[str, Any]
) -> None:
    editor.go_to(4)
    editor.command(command)
    assert stub.expect("break") == {"verb": "break", "file": str(source)} | wanted


def test_a_function_is_passed_on_by_name(editor: Editor, stub: StubHost) -> None:
    editor.command("LazydapBreak ns::area if x")
    assert stub.expect("break") == {"verb": "break", "function": "ns::area", "parts": {"condition": "x"}}


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("2,5LazydapBreak", "one breakpoint a line"),
        ("2,5LazydapBreak a.py:3", "a range or a place, not both"),
        ("LazydapBreak gone.py:3", "there is no file gone.py"),
        ("LazydapBreak hit x", "hit wants a count"),
        ("LazydapBreak! if x", "with ! only lines are given"),
        ("LazydapStep sideways", "step over, in or out, not sideways"),
        ("Lazydap dance", "there is no :Lazydap dance"),
        ("Lazydap", "which subcommand?"),
        ("enew | LazydapBreak", "breakpoints go into files"),
        ("enew | LazydapDisable", "breakpoints go into files"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line_and_starts_nothing(
    editor: Editor, stub: StubHost, command: str, complaint: str
) -> None:
    editor.command(command)
    editor.expect_message(complaint)
    assert editor.host_pid() is None
    assert stub.heard() == []


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("LazydapBreak!", {"verb": "unbreak", "first": 4, "last": 4}),
        ("%LazydapBreak!", {"verb": "unbreak", "first": 1, "last": 10}),
        ("%Lazydap! break", {"verb": "unbreak", "first": 1, "last": 10}),
        ("2,3LazydapEnable", {"verb": "enable", "first": 2, "last": 3}),
        ("LazydapDisable", {"verb": "disable", "first": 4, "last": 4}),
        ("LazydapDisable!", {"verb": "disable", "all": True}),
        ("LazydapEnable! | let x = 1", {"verb": "enable", "all": True}),
    ],
)
def test_lines_are_removed_enabled_and_disabled(
    editor: Editor, stub: StubHost, source: Path, command: str, wanted: dict[str, Any]
) -> None:
    editor.go_to(4)
    editor.command(command)
    place = {} if "all" in wanted else {"file": str(source)}
    assert stub.expect(wanted["verb"]) == wanted | place


@pytest.mark.parametrize(
    ("command", "kind", "count"),
    [
        ("LazydapStep", "over", 1),
        ("LazydapStep in", "in", 1),
        ("3LazydapStep out", "out", 3),
        ("50LazydapStep", "over", 50),
        ("LazydapStep 4", "over", 4),
        ("LazydapStepOver", "over", 1),
        ("2LazydapNext", "over", 2),
        ("LazydapStepIn", "in", 1),
        ("LazydapStepInto", "in", 1),
        ("5LazydapStepOut", "out", 5),
        ("Lazydap step", "over", 1),
        ("50Lazydap step in", "in", 50),
        ("Lazydap step-out", "out", 1),
        ('execute "normal 3\\<Plug>(lazydap-step)"', "over", 3),
        ('execute "normal \\<Plug>(lazydap-step-in)"', "in", 1),
    ],
)
def test_steps_have_a_kind_and_a_count(editor: Editor, stub: StubHost, command: str, kind: str, count: int) -> None:
    editor.go_to(6)
    editor.command(command)
    assert stub.expect("step") == {"verb": "step", "kind": kind, "count": count}


@pytest.mark.parametrize("verb", ["pause", "stop", "disconnect", "here", "stack", "breakpoints", "status"])
def test_plain_commands_are_passed_on(editor: Editor, stub: StubHost, verb: str) -> None:
    editor.command(f"Lazydap{verb.capitalize()} | let done = 1")
    assert stub.expect(verb) == {"verb": verb}
    editor.command(f"Lazydap {verb}")
    assert stub.expect(verb, count=2) == {"verb": verb}
    assert editor.eval("done") == 1


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("LazydapUp", {"verb": "up", "count": 1}),
        ("3LazydapDown", {"verb": "down", "count": 3}),
        ('execute "normal 2\\<Plug>(lazydap-up)"', {"verb": "up", "count": 2}),
        ("LazydapFrame 2", {"verb": "frame", "n": 2}),
        ("Lazydap frame 0", {"verb": "frame", "n": 0}),
    ],
)
def test_frames_are_chosen_by_number_or_by_walking(
    editor: Editor, stub: StubHost, command: str, wanted: dict[str, Any]
) -> None:
    editor.command(command)
    assert stub.expect(wanted["verb"]) == wanted


def test_a_frame_is_chosen_under_the_cursor_of_the_stack_list_only(
    editor: Editor, stub: StubHost, source: Path
) -> None:
    editor.command("LazydapFrame")
    editor.expect_message("which frame?")
    items = [{"path": str(source), "line": 1, "text": name, "id": id_} for name, id_ in (("inner", 7), ("outer", 8))]
    editor.apply({"generation": 1, "lists": {"stack": {"title": "Lazydap stack", "items": items, "open": 1}}})
    editor.go_to(2)
    editor.command("LazydapFrame")
    assert stub.expect("frame") == {"verb": "frame", "id": 8}


def test_continue_brings_the_environment_of_the_editor(editor: Editor, stub: StubHost) -> None:
    editor.command("let $COLOUR = 'green'")
    editor.command("LazydapContinue")
    assert stub.expect("continue")["env"]["COLOUR"] == "green"


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("LazydapLaunch", {"args": "", "bang": False, "forced": False, "choose": False}),
        ("LazydapLaunch!", {"args": "", "bang": True}),
        ("LazydapLaunch ?", {"args": "?", "choose": True}),
        ("LazydapLaunch all tests", {"args": "all tests", "program": "all", "rest": "tests", "forced": False}),
        ("LazydapLaunch ./x 'a b' | c", {"program": "./x", "rest": "'a b' | c", "forced": True}),
        ("LazydapLaunch -- x a", {"program": "x", "rest": "a", "forced": True}),
        (r"LazydapLaunch my\ prog a", {"program": "my prog", "rest": "a"}),
        ("LazydapLaunch % --fast", {"args": "% --fast", "program": "a.py", "rest": "--fast"}),
        ("LazydapLaunch $PLACE/x", {"program": "/opt/x"}),
        ("LazydapLaunch ~/x", {"program": "HOME/x"}),
        ("LazydapLaunch a[1].py", {"program": "a[1].py"}),
        ("Lazydap! launch ./x", {"program": "./x", "bang": True}),
    ],
)
def test_launch_expands_the_program_and_leaves_the_arguments(
    editor: Editor, stub: StubHost, source: Path, command: str, wanted: dict[str, Any]
) -> None:
    editor.command("let $PLACE = '/opt'")
    editor.command(command)
    heard = stub.expect("launch")
    if wanted.get("program") == "HOME/x":
        wanted = {"program": editor.eval("$HOME") + "/x"}
    assert {key: heard.get(key) for key in wanted} == wanted
    assert (heard["file"], heard["filetype"], heard["env"]["PLACE"]) == (str(source), "python", "/opt")


def test_breakpoints_that_are_drawn_go_by_their_ids_where_the_text_is_now(
    editor: Editor, stub: StubHost, source: Path
) -> None:
    editor.apply({"generation": 1, "breakpoints": [point(source, 4), point(source, 6)]})
    editor.command("call append(0, 'new')")
    editor.go_to(5)
    editor.command("LazydapBreak")
    assert stub.expect("break") | {"verb": "", "file": ""} == {
        "verb": "",
        "file": "",
        "line": 5,
        "ids": [14],
        "root": str(source.parent),
    }
    editor.go_to(6)
    editor.command("LazydapBreak")
    assert stub.expect("break", count=2) == {"verb": "break", "file": str(source), "line": 6, "ids": []}
    editor.command("%LazydapDisable")
    assert stub.expect("disable")["ids"] == [14, 16]


def test_a_moved_breakpoint_is_taken_by_either_of_its_lines(editor: Editor, stub: StubHost, source: Path) -> None:
    editor.apply({"generation": 1, "breakpoints": [point(source, 4, line=6, state="moved")]})
    editor.command("4LazydapBreak")
    assert stub.expect("break")["ids"] == [14]
    editor.command("6LazydapBreak")
    assert stub.expect("break", count=2)["ids"] == [14]
    editor.command("%LazydapBreak!")
    assert stub.expect("unbreak")["ids"] == [14]


def test_a_removed_breakpoint_with_parts_can_be_brought_back_from_the_history(
    editor: Editor, stub: StubHost, source: Path
) -> None:
    conditional = point(source, 4, kind="condition", condition="x > 3", hit_condition=">=2", log_message="got {x}")
    editor.apply({"generation": 1, "breakpoints": [conditional, point(source, 6)]})
    editor.command("%LazydapBreak!")
    stub.expect("unbreak")
    assert editor.eval("histget(':', -1)") == "LazydapBreak a.py:4 if x > 3 hit >=2 log got {x}"


def test_a_part_without_text_is_asked_for_with_the_old_one(editor: Editor, stub: StubHost, source: Path) -> None:
    editor.lua(
        "vim.ui.input = function(options, go_on) vim.g.asked = options go_on(table.remove(_G.answers, 1)) end "
        "_G.answers = { 'x > 4', '' }"
    )
    editor.apply({"generation": 1, "breakpoints": [point(source, 4, condition="x > 3", log_message="old")]})
    editor.command("4LazydapBreak if")
    assert editor.eval("g:asked") == {"prompt": "Stop if: ", "default": "x > 3"}
    assert stub.expect("break")["parts"] == {"condition": "x > 4"}
    editor.command("4LazydapBreak log")
    assert stub.expect("break", count=2)["parts"] == {"log_message": ""}
    editor.command("4LazydapBreak hit")
    editor.command("LazydapStatus")
    stub.expect("status")
    assert [message["verb"] for message in stub.heard()].count("break") == 2


def test_a_choice_of_the_host_is_answered(editor: Editor, stub: StubHost) -> None:
    editor.lua("vim.ui.select = function(items, options, go_on) go_on(items[2], 2) end")
    editor.lua("require('lazydap.draw').choose(...)", '{"token": 9, "title": "Launch", "items": ["a", "b"]}')
    assert stub.expect("chosen") == {"verb": "chosen", "token": 9, "index": 2}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Lazydap st", ["stack", "status", "step", "step-in", "step-out", "stop"]),
        ("Lazydap step ", ["over", "in", "out"]),
        ("LazydapStep o", ["over", "out"]),
        ("LazydapBreak h", ["hit"]),
        ("LazydapBreak a", ["a.py:4", "a.py:6", "a.py"]),
        ("LazydapBreak a.py:3 if x l", ["log"]),
        ("LazydapBreak if ", ["hit", "log"]),
        ("LazydapLaunch ./a", ["./a.py"]),
        ("LazydapLaunch all", ["all tests", "all tests in turn"]),
        ("LazydapLaunch all te", ["tests", "tests in turn"]),
        ("LazydapLaunch all tests in ", ["turn"]),
        ("Lazydap! launch all tests i", ["in turn"]),
        ("LazydapLaunch -- all", []),
        ("Lazydap launch all", ["all tests", "all tests in turn"]),
        ("LazydapBreak a.py:", ["a.py:4", "a.py:6"]),
        ("3Lazydap st", ["stack", "status", "step", "step-in", "step-out", "stop"]),
        ("LazydapLaunch %", []),
        ("Lazydap nothing ", []),
        ("LazydapLog ", ["daemon", "host"]),
    ],
)
def test_commands_are_completed_by_our_own_functions(
    editor: Editor, project: Path, source: Path, line: str, wanted: list[str]
) -> None:
    root = {"root": str(project), "state": "none", "launches": ["all tests", "all tests in turn", "server"]}
    points = [point(source, 4), point(source, 6)]
    editor.apply({"generation": 1, "projects": [root], "breakpoints": points})
    assert editor.eval(f"getcompletion('{line}', 'cmdline')") == wanted


def test_every_direct_command_has_its_subcommand(editor: Editor) -> None:
    missing = editor.lua(
        "local found = {} "
        "for name in pairs(vim.api.nvim_get_commands({})) do "
        "  local word = name:match('^Lazydap(.+)$') "
        "  local known = require('lazydap.commands').table "
        "  local same = { StepOver = 'step', StepIn = 'step-in', StepInto = 'step-in', StepOut = 'step-out', "
        "    RunToCursor = 'run-to-cursor', BreakData = 'break-data' } "
        "  if word and not known[same[word] or word:lower()] then found[#found + 1] = name end "
        "end return found"
    )
    assert missing == []


def test_the_log_of_the_host_can_be_read_without_a_host(editor: Editor) -> None:
    editor.command("LazydapLog")
    editor.expect_message("there is no log yet")
    path: str = editor.lua("return require('lazydap.host').log_path()")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("first\nlast\n")
    editor.command("LazydapLog host")
    editor.expect_cursor(path, 2)
    assert editor.eval("&readonly") == 1
    assert editor.host_pid() is None


def test_the_log_of_the_daemon_is_preferred_where_it_is_known(editor: Editor, project: Path) -> None:
    log = project / "daemon.log"
    log.write_text("one\n")
    editor.apply({"generation": 1, "projects": [{"root": str(project), "state": "none", "log": str(log)}]})
    editor.command("LazydapLog")
    editor.expect_cursor(log, 1)


@pytest.mark.parametrize(
    ("call", "verb", "wanted"),
    [
        ("attach(42)", "attach", {"target": "42"}),
        ("attach()", "attach", {"target": ""}),
        ("restart()", "restart", {}),
        ("run_to_cursor()", "runto", {"line": 2}),
        ("run_to_cursor(4)", "runto", {"line": 4}),
        ("jump(3)", "jump", {"line": 3}),
        ("exceptions({ 'raised', 'uncaught' })", "exceptions", {"filters": ["raised", "uncaught"]}),
        ("exceptions(nil, true)", "exceptions", {"reset": True}),
        ("break_data('total')", "breakdata", {"expression": "total"}),
        ("shutdown()", "shutdown", {}),
    ],
)
def test_the_function_of_a_command_does_what_the_command_does(
    editor: Editor, stub: StubHost, call: str, verb: str, wanted: dict[str, Any]
) -> None:
    editor.go_to(2)
    editor.lua(f"require('lazydap').{call}")
    heard = stub.expect(verb)
    assert {key: heard.get(key) for key in wanted} == wanted
