"""The plugin host's process: found, started on first use, missed when it dies, and never waited for."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.editor.conftest import StubHost
from tests.editor.editor import SECONDS, Editor, wait_ended
from tests.house.surroundings import Folders

Start = Callable[..., Editor]


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text("".join(f"line{number} = {number}\n" for number in range(1, 11)))
    return file


def play(editor: Editor, batch: dict[str, Any]) -> None:
    """Let the stub send a batch, so that it arrives the way a host's does."""
    editor.lua(
        "local chan = ... local pid = require('lazydap.host').pid() "
        "for _, c in ipairs(vim.api.nvim_list_chans()) do "
        "  if c.stream == 'job' and vim.fn.jobpid(c.id) == pid then vim.rpcnotify(c.id, 'play', chan) end end",
        json.dumps(batch),
    )


def live_batch(source: Path) -> dict[str, Any]:
    root = str(source.parent)
    point = {"id": 1, "root": root, "path": str(source), "line": 6, "asked_line": 4, "kind": "line"}
    return {
        "generation": 3,
        "connected": True,
        "projects": [{"root": root, "state": "paused", "session_id": "s"}],
        "breakpoints": [point | {"state": "moved", "text": "moved it"}],
        "stops": [{"root": root, "path": str(source), "line": 7, "stop": 1}],
        "values": [{"root": root, "path": str(source), "line": 7, "name": "<module>", "variables": [["line7", "7"]]}],
    }


def test_a_batch_is_drawn_and_acknowledged(start_editor: Start, stub: StubHost, source: Path) -> None:
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    play(editor, live_batch(source))
    editor.expect_sign(7, "▶")
    editor.expect_virtual_text(7, "line7 = 7")
    assert stub.expect("ack")["generation"] == 3


def arguments(editor: Editor) -> list[str]:
    """What the host was started with."""
    return psutil.Process(editor.lua("return require('lazydap.host').pid()")).cmdline()


def test_a_host_that_starts_for_a_breakpoint_is_told_whose_daemon_to_start_meanwhile(
    start_editor: Start, stub: StubHost, source: Path
) -> None:
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapBreak")
    stub.expect("break")
    assert arguments(editor)[-2:] == ["for", str(source)]


def test_a_host_that_starts_to_tell_the_status_starts_no_daemon(
    start_editor: Start, stub: StubHost, source: Path
) -> None:
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    stub.expect("status")
    assert "for" not in arguments(editor)


def test_a_batch_that_cannot_be_drawn_is_acknowledged_and_told(
    start_editor: Start, stub: StubHost, source: Path
) -> None:
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    play(editor, {"generation": 4, "stops": [{"path": str(source), "line": 2}], "breakpoints": [{"path": str(source)}]})
    assert stub.expect("ack")["generation"] == 4
    editor.expect_message("drawing failed")
    editor.allow_errors = True


def test_kill_9_of_the_host_leaves_no_stale_arrow_and_the_next_command_works(
    start_editor: Start, stub: StubHost, source: Path
) -> None:
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    play(editor, live_batch(source))
    editor.expect_sign(7, "▶")
    old = editor.host_pid()
    assert old is not None
    os.kill(old, signal.SIGKILL)
    editor.expect_no_sign(7)
    editor.expect_no_virtual_text()
    assert editor.signs() == {4: "●"}
    said = editor.expect_message("host ended")
    assert said == "lazydap: host ended (exit 137); the next command restarts it"
    assert editor.lua("return require('lazydap').state().state") == "none"
    editor.command("LazydapStep")
    assert stub.expect("step")["kind"] == "over"
    assert stub.expect("hello", count=2)["files"] == [str(source)]
    new = editor.host_pid()
    assert new not in {None, old}
    play(editor, live_batch(source))
    editor.expect_sign(7, "▶")
    assert [line for line in editor.messages() if "ended" in line] == [said]


def test_the_host_goes_with_the_editor_and_is_told(start_editor: Start, stub: StubHost, source: Path) -> None:
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    stub.expect("status")
    host = psutil.Process(editor.host_pid())
    editor.close()
    assert stub.expect("bye") == {"verb": "bye"}
    assert wait_ended([host], SECONDS) == []


def test_the_host_goes_when_the_editor_is_killed(start_editor: Start, stub: StubHost, source: Path) -> None:
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    stub.expect("status")
    host = psutil.Process(editor.host_pid())
    editor.kill()
    assert wait_ended([host], SECONDS) == []


@pytest.mark.parametrize(
    ("last_words", "told"),
    [
        (
            "lazydap needs Python 3.11 or newer, this is 3.8.2",
            "host did not start (:LazydapLog host): lazydap needs Python 3.11 or newer, this is 3.8.2",
        ),
        (
            "ModuleNotFoundError: No module named msgspec",
            "host did not start (:checkhealth lazydap): ModuleNotFoundError: No module named msgspec",
        ),
    ],
)
def test_a_host_that_cannot_start_says_why_in_one_line(
    start_editor: Start, stub: StubHost, source: Path, last_words: str, told: str
) -> None:
    stub.dies_saying(last_words)
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStatus")
    editor.expect_message(told)
    assert len(editor.messages()) == 1
    log: str = editor.lua("return require('lazydap.host').log_path()")
    assert last_words in Path(log).read_text()
    stub.recovers()
    editor.command("LazydapStatus")
    assert stub.expect("status") == {"verb": "status"}


def test_a_python_that_is_not_there_is_named_with_the_option(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init="vim.g.lazydap = { python = '/gone/python3' }")
    editor.command("LazydapStatus")
    assert editor.messages() == ["lazydap: option python names /gone/python3, which cannot be run"]


def test_without_any_environment_the_line_says_what_to_type(
    start_editor: Start, private_folders: Folders, source: Path
) -> None:
    editor = start_editor(source)
    editor.lua("local root = ... require('lazydap.host').root = function() return root end", str(private_folders.home))
    editor.command("LazydapStatus")
    editor.expect_message("no Python environment yet: type :LazydapInstall, or set the option python")


def test_the_interpreter_is_the_checkouts_own_or_the_one_beside_neovims_data(
    start_editor: Start, private_folders: Folders, source: Path
) -> None:
    editor = start_editor(source)
    found = editor.lua("return require('lazydap.host').interpreter()")
    root: str = editor.lua("return require('lazydap.host').root()")
    if Path(root, ".venv/bin/python").exists():
        assert found == {"path": f"{root}/.venv/bin/python", "from": "the checkout's .venv"}
    own = private_folders.data / "nvim/lazydap/venv/bin/python"
    own.parent.mkdir(parents=True)
    own.symlink_to(sys.executable)
    editor.lua("local root = ... require('lazydap.host').root = function() return root end", str(private_folders.home))
    assert editor.lua("return require('lazydap.host').interpreter().path") == str(own)


def test_a_host_that_does_nothing_blocks_nobody(start_editor: Start, stub: StubHost, source: Path) -> None:
    stub.python.write_text("#!/bin/sh\nexec sleep 600\n")
    editor = start_editor(source, init=stub.init)
    editor.command("LazydapStep")
    pid = editor.host_pid()
    assert pid is not None
    for _ in range(200):
        editor.command("LazydapStep")
    assert editor.is_free()
    # It reads nothing and ends on nothing: Neovim gives it two seconds at the end, the test need not wait for that.
    os.kill(pid, signal.SIGKILL)
    editor.expect_message("did not start")
