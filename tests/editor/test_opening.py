"""What opening a file sets in motion, and what it does not."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import Editor, eventually

Start = Callable[..., Editor]

STATE = """\
version = 1
next_breakpoint_id = 2

[[breakpoints]]
id = 1
source = "src/a.py"
line = 4
enabled = true
"""


@pytest.fixture
def source(project: Path) -> Path:
    (project / ".lazydap/state.toml").write_text(STATE)
    (project / "src").mkdir()
    file = project / "src/a.py"
    file.write_text("one\ntwo\n")
    return file


def settle(editor: Editor, stub: StubHost) -> None:
    """Whatever opening has set in motion has happened once a later command has reached the host."""
    editor.lua("vim.wait(50, function() return false end)")
    before = editor.host_pid()
    assert before is None, "the host was started"
    assert stub.heard() == []


def test_a_file_with_breakpoints_starts_the_host(start_editor: Start, stub: StubHost, source: Path) -> None:
    start_editor(source, init=stub.init)
    assert stub.expect("hello")["files"] == [str(source)]


def test_a_file_opened_later_starts_it_too(start_editor: Start, stub: StubHost, source: Path) -> None:
    editor = start_editor(init=stub.init)
    settle(editor, stub)
    editor.edit(source)
    assert stub.expect("hello")["files"] == [str(source)]


def test_a_file_without_breakpoints_of_its_own_starts_nothing(
    start_editor: Start, stub: StubHost, source: Path
) -> None:
    other = source.with_name("b.py")
    other.write_text("one\n")
    settle(start_editor(other, init=stub.init), stub)


def test_a_project_without_breakpoints_starts_nothing(start_editor: Start, stub: StubHost, source: Path) -> None:
    (source.parent.parent / ".lazydap/state.toml").write_text("version = 1\n")
    settle(start_editor(source, init=stub.init), stub)


def test_files_are_reported_to_a_host_that_runs(start_editor: Start, stub: StubHost, source: Path) -> None:
    editor = start_editor(source, init=stub.init)
    stub.expect("hello")
    other = source.with_name("b.py")
    other.write_text("one\n")
    editor.edit(other)
    assert stub.expect("opened") == {"verb": "opened", "file": str(other)}


def test_a_commit_message_starts_nothing(start_editor: Start, stub: StubHost, source: Path, project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    message = project / ".git/a.py"
    message.write_text("subject\n")
    editor = start_editor(message, init=stub.init)
    settle(editor, stub)
    editor.command("new | set filetype=gitcommit")
    editor.lua("vim.filetype.add({ extension = { py = 'gitcommit' } })")
    editor.edit(source)
    settle(editor, stub)


def test_a_diff_starts_nothing(start_editor: Start, stub: StubHost, source: Path) -> None:
    other = source.with_name("b.py")
    other.write_text("one\n")
    settle(start_editor("-d", source, other, init=stub.init), stub)


def test_a_host_that_could_not_start_is_not_tried_again_by_every_file(
    start_editor: Start, stub: StubHost, source: Path
) -> None:
    stub.dies_saying("broken")
    editor = start_editor(source, init=stub.init)
    editor.expect_message("broken")
    editor.command("edit!")
    editor.command("edit!")
    stub.recovers()
    settle(editor, stub)
    assert len(editor.messages()) == 1


def test_the_plugin_adds_less_than_a_millisecond_to_the_start(start_editor: Start, source: Path) -> None:
    editor = start_editor()
    plugin = Path(__file__).parents[2] / "plugin/lazydap.lua"
    costs: list[float] = editor.lua(
        "local path, costs = ..., {} "
        "for round = 1, 30 do "
        "  vim.g.loaded_lazydap = nil "
        "  local before = vim.uv.hrtime() "
        "  dofile(path) "
        "  costs[round] = (vim.uv.hrtime() - before) / 1e6 "
        "end return costs",
        str(plugin),
    )
    assert sorted(costs)[len(costs) // 2] < 1
    loaded = editor.lua(
        "return vim.tbl_filter(function(name) return name:find('^lazydap') end, vim.tbl_keys(package.loaded))"
    )
    assert loaded == []
    eventually(editor.is_free, bool, what="the editor is free")
    assert source.exists()
