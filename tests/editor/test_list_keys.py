"""Keys in the quickfix lists, walking from breakpoint to breakpoint, and commands that only the editor needs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]


@pytest.fixture
def files(project: Path) -> tuple[Path, Path]:
    made = (project / "a.py", project / "b.py")
    for file in made:
        file.write_text("".join(f"line{number} = {number}\n" for number in range(1, 31)))
    return made


@pytest.fixture
def editor(start_editor: Start, stub: StubHost, files: tuple[Path, Path]) -> Editor:
    return start_editor(files[0], init=stub.init)


def point(file: Path, number: int, line: int, **more: Any) -> dict[str, Any]:
    plain = {"root": str(file.parent), "kind": "line", "state": "idle", "enabled": True}
    return {"id": number, "path": str(file), "line": line, "asked_line": line, **plain, **more}


def batch(*breakpoints: dict[str, Any]) -> dict[str, Any]:
    items = [{"path": b["path"], "line": b["line"], "text": "", "id": b["id"], "root": b["root"]} for b in breakpoints]
    listing = {"title": "Lazydap breakpoints", "items": items, "open": 1}
    return {"generation": 1, "breakpoints": list(breakpoints), "lists": {"breakpoints": listing}}


def test_breakpoints_are_handled_in_their_list(editor: Editor, stub: StubHost, files: tuple[Path, Path]) -> None:
    off = {"state": "disabled", "enabled": False}
    editor.apply(batch(point(files[0], 1, 4), point(files[1], 2, 7, **off), point(files[0], 3, 9)))
    assert editor.eval("&buftype") == "quickfix"
    editor.go_to(2)
    editor.type("t")
    assert stub.expect("enable")["ids"] == [2]
    editor.go_to(1)
    editor.type("t")
    assert stub.expect("disable")["ids"] == [1]
    editor.type("dd")
    assert stub.expect("unbreak")["ids"] == [1]
    editor.type("Vjd")
    assert stub.expect("unbreak", 2)["ids"] == [1, 2]
    eventually(editor.mode, lambda mode: mode == "n", what="normal mode")


def test_a_part_is_changed_in_the_list(editor: Editor, stub: StubHost, files: tuple[Path, Path]) -> None:
    editor.apply(batch(point(files[0], 1, 4, kind="condition", condition="x")))
    editor.type("c > 3<CR>")
    told = stub.expect("break")
    assert (told["ids"], told["line"], told["parts"]) == ([1], 4, {"condition": "x > 3"})


def test_what_had_a_condition_comes_back_from_the_history(
    editor: Editor, stub: StubHost, files: tuple[Path, Path]
) -> None:
    editor.apply(batch(point(files[0], 1, 4, kind="condition", condition="x > 3")))
    editor.type("dd")
    stub.expect("unbreak")
    assert editor.eval("histget(':', -1)") == "LazydapBreak a.py:4 if x > 3"


def test_the_keys_do_what_they_always_do_in_another_list(editor: Editor, files: tuple[Path, Path]) -> None:
    editor.apply(batch(point(files[0], 1, 4)))
    editor.command("call setqflist([{'filename': 'b.py', 'lnum': 9, 'text': 'mine'}], ' ') | copen")
    editor.type("<CR>")
    editor.expect_cursor(files[1], 9)


@pytest.mark.parametrize(("kind", "verb"), [("stack", "frame"), ("threads", "thread")])
def test_return_chooses_in_the_lists_of_frames_and_threads(
    editor: Editor, stub: StubHost, files: tuple[Path, Path], kind: str, verb: str
) -> None:
    items = [{"text": "a", "id": 11}, {"path": str(files[0]), "line": 3, "text": "b", "id": 12}]
    editor.apply({"generation": 1, "lists": {kind: {"title": f"Lazydap {kind}", "items": items, "open": 1}}})
    assert stub.expect("pane")["name"] == kind
    editor.type("j<CR>")
    assert stub.expect(verb)["id"] == 12
    editor.command(f"Lazydap{verb.capitalize()}")
    assert stub.expect(verb, 2)["id"] == 12
    editor.command("cclose")
    assert stub.expect("pane", 2) == {"verb": "pane", "name": kind, "shown": False}


def test_the_next_breakpoint_may_be_in_another_file(editor: Editor, files: tuple[Path, Path]) -> None:
    points = [point(files[0], 1, 4), point(files[1], 2, 7), point(files[0], 3, 9)]
    editor.apply({"generation": 1, "breakpoints": points})
    editor.command('execute "normal \\<Plug>(lazydap-next-breakpoint)"')
    editor.expect_cursor(files[0], 4)
    editor.command("2Lazydap next-breakpoint")
    editor.expect_cursor(files[1], 7)
    editor.command("Lazydap next-breakpoint")
    editor.expect_cursor(files[0], 4)
    editor.command("Lazydap previous-breakpoint")
    editor.expect_cursor(files[1], 7)
    editor.command("2Lazydap previous-breakpoint")
    editor.expect_cursor(files[0], 4)


def test_walking_to_a_breakpoint_spares_lists_panes_and_pinned_windows(
    editor: Editor, files: tuple[Path, Path]
) -> None:
    editor.apply(batch(point(files[0], 1, 4), point(files[1], 2, 7)))
    assert editor.eval("&buftype") == "quickfix"
    editor.command("Lazydap next-breakpoint")
    editor.expect_cursor(files[0], 4)
    editor.command("setlocal winfixbuf | wincmd p")
    editor.command("2Lazydap next-breakpoint")
    editor.expect_cursor(files[1], 7)
    assert editor.eval("sort(map(getwininfo(), {_, w -> getbufvar(w.bufnr, '&buftype')}))") == ["", "", "quickfix"]


def test_walking_stays_in_the_project_of_the_file(editor: Editor, files: tuple[Path, Path]) -> None:
    elsewhere = files[0].parent.parent / "q"
    (elsewhere / ".lazydap").mkdir(parents=True)
    other = elsewhere / "z.py"
    other.write_text("one\ntwo\n")
    own = [point(files[0], 1, 4, root=str(files[0].parent)), point(files[1], 2, 7, root=str(files[0].parent))]
    projects = [{"root": str(files[0].parent), "state": "none"}, {"root": str(elsewhere), "state": "none"}]
    points = [*own, point(other, 1, 2, root=str(elsewhere))]
    editor.apply({"generation": 1, "projects": projects, "breakpoints": points})
    editor.go_to(4)
    editor.command("2Lazydap next-breakpoint")
    editor.expect_cursor(files[0], 4)
    editor.edit(other)
    editor.command("Lazydap next-breakpoint")
    editor.expect_cursor(other, 2)


def test_all_breakpoints_go_only_when_the_question_is_answered(editor: Editor, stub: StubHost) -> None:
    editor.lua("vim.ui.select = function(items, _, done) done(items[vim.g.answer], vim.g.answer) end")
    for answer in (2, 1):
        editor.command(f"let g:answer = {answer}")
        editor.command("Lazydap clear")
    editor.command("LazydapStatus")
    stub.expect("status")
    assert [message["verb"] for message in stub.heard()][1:] == ["unbreak", "status"]
    assert stub.expect("unbreak")["all"] is True


def test_values_are_hidden_and_shown_by_a_command(editor: Editor, files: tuple[Path, Path]) -> None:
    values = {"root": str(files[0].parent), "path": str(files[0]), "line": 3, "name": "f", "stop": 1}
    editor.apply({"generation": 1, "values": [{**values, "variables": [["line2", "5", "int", False]]}]})
    editor.expect_virtual_text(2, "line2 = 5")
    editor.command("LazydapValues")
    editor.expect_no_virtual_text()
    editor.command("LazydapValues")
    editor.expect_virtual_text(2, "line2 = 5")


def test_an_exception_is_a_diagnostic_until_the_program_moves_on(editor: Editor, files: tuple[Path, Path]) -> None:
    stop = {"root": str(files[0].parent), "path": str(files[0]), "line": 3, "reason": "exception", "text": "boom"}
    editor.apply({"generation": 1, "stops": [stop]})
    assert editor.lua("return vim.tbl_map(function(d) return {d.lnum, d.message} end, vim.diagnostic.get(0))") == [
        [2, "boom"]
    ]
    editor.apply({"generation": 2, "stops": []})
    assert editor.lua("return #vim.diagnostic.get(0)") == 0


@pytest.mark.parametrize(("option", "is_stopped"), [("keep", False), ("stop", True)])
def test_a_program_outlives_its_editor_unless_the_option_says_otherwise(
    start_editor: Start, stub: StubHost, files: tuple[Path, Path], option: str, *, is_stopped: bool
) -> None:
    editor = start_editor(
        files[0], init=stub.init + f"vim.g.lazydap = vim.tbl_extend('force', vim.g.lazydap, {{on_exit = '{option}'}})"
    )
    editor.command("LazydapStatus")
    project: dict[str, Any] = {"root": "/p", "state": "paused", "session_id": "s", "following": True, "launches": []}
    editor.apply({"generation": 1, "projects": [project]})
    editor.lua("vim.fn.jobstart = function(argv) vim.fn.writefile({ table.concat(argv, ' ', 4) }, 'started') end")
    editor.close()
    started = files[0].parent / "started"
    assert (started.read_text() if started.exists() else "") == ("stop /p s\n" if is_stopped else "")


def test_the_functions_do_what_the_commands_do(editor: Editor, stub: StubHost) -> None:
    editor.lua("local l = require('lazydap') l.watch('x + 1') l.set('x', '2') l.thread(4) l.threads()")
    stub.expect("threads")
    told = [{k: v for k, v in message.items() if k != "where"} for message in stub.heard()]
    assert told[1:] == [
        {"verb": "watch", "expression": "x + 1", "remove": False},
        {"verb": "set", "expression": "x", "value": "2"},
        {"verb": "thread", "id": 4},
        {"verb": "threads"},
    ]


def test_a_selection_is_evaluated_by_a_map_that_types_no_command(editor: Editor, stub: StubHost) -> None:
    editor.command("autocmd CmdlineEnter * let g:typed = 1")
    editor.command("xmap <F2> <Plug>(lazydap-eval)")
    editor.command("xmap <F3> <Plug>(lazydap-watch)")
    editor.go_to(3)
    editor.type("viw<F2>")
    assert stub.expect("hover")["expression"] == "line3"
    editor.type("viw<F3>")
    assert stub.expect("watch")["expression"] == "line3"
    assert (editor.mode(), editor.eval("exists('g:typed')")) == ("n", 0)
