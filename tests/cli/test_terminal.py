"""The command line at a terminal: tables, colour, width, and the way into Neovim."""

import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from tests.cli.debugging import launch
from tests.cli.programs import PYTHON
from tests.cli.shell import LAZYDAP, Ended, Shell, interpreter

pytestmark = pytest.mark.timeout(120)

ROOT = Path(__file__).parents[2]
FAKE_NEOVIM = """#!/bin/sh
if [ "$1" = --version ]; then echo "NVIM v{version}"; exit 0; fi
pwd -P > "$REPORT"
printf '%s\\n' "$LAZYDAP_INSTANCE" "$@" >> "$REPORT"
"""


def at_a_terminal(shell: Shell, *words: str, columns: int = 80, cwd: Path | None = None) -> Ended:
    """Run a command with all three streams at a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [LAZYDAP, *words],
        cwd=cwd or shell.folder,
        env={"TERM": "xterm", **shell.environ},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := _read(ours):
            shown += chunk
        code = process.wait(30)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return Ended(code, shown.decode().replace("\r\n", "\n"), "")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # What Linux says when the other end is closed.
        return b""


def with_neovim(shell: Shell, version: str) -> Shell:
    """The shell of a machine whose Neovim is of that version, and writes down how it was called."""
    folder = shell.folder / "bin"
    folder.mkdir(exist_ok=True)
    nvim = folder / "nvim"
    nvim.write_text(FAKE_NEOVIM.format(version=version))
    nvim.chmod(0o755)
    return shell.with_variables(PATH=f"{folder}:/usr/bin:/bin", REPORT=str(shell.folder / "report"))


def test_a_terminal_gets_a_table_in_colour(shell: Shell) -> None:
    shell("watch", "add", "x")
    shown = at_a_terminal(shell, "watch", "list").out
    assert shown.splitlines()[0].startswith("\x1b[1mID  EXPRESSION")
    assert shown.splitlines()[1].split() == ["1", "x", "-"]


def test_colour_can_be_refused(shell: Shell) -> None:
    shell("watch", "add", "x")
    assert "\x1b" not in at_a_terminal(shell.with_variables(NO_COLOR="1"), "watch", "list").out
    assert "\x1b" not in at_a_terminal(shell.with_variables(TERM="dumb"), "watch", "list").out


def test_columns_are_cut_to_the_width_of_the_terminal(shell: Shell) -> None:
    shell("watch", "add", "long " * 40, "--label", "short")
    plain = shell.with_variables(NO_COLOR="1")
    lines = at_a_terminal(plain, "watch", "list", columns=50).out.splitlines()
    assert max(map(len, lines)) <= 50
    assert lines[1].endswith("short")
    assert "…" in lines[1]
    assert "long " * 40 in shell("watch", "list", "--format", "table").out


def test_an_error_at_a_terminal_is_plain_text(shell: Shell) -> None:
    ended = at_a_terminal(shell, "threads")
    assert ended.code == 1
    assert ended.out == "error: SessionNotFound: no active session; run `lazydap launch <program>` first\n"
    assert at_a_terminal(shell, "staus").out.startswith("error: ")


def test_a_format_that_was_asked_for_is_kept_at_a_terminal(shell: Shell) -> None:
    assert json.loads(at_a_terminal(shell, "version", "--format", "json").out)["protocol"] == 10


def test_tui_becomes_neovim_in_the_root_of_the_project(shell: Shell) -> None:
    (shell.folder / "sub").mkdir()
    for words in (("tui",), ()):
        ended = at_a_terminal(with_neovim(shell, "0.10.0"), *words, cwd=shell.folder / "sub")
        assert ended.code == 0, ended.out
        folder, instance, *arguments = (shell.folder / "report").read_text().splitlines()
        assert folder == str(shell.folder)
        assert instance == ""
        assert arguments[0] == "-c"
        assert str(ROOT) in arguments[1]
        assert f"[[{interpreter()}]]" in arguments[1]
        assert arguments[2:] == []


def test_tui_hands_the_name_of_the_instance_on(shell: Shell) -> None:
    assert at_a_terminal(with_neovim(shell, "0.11.4"), "tui", "--instance", "Other").code == 0
    assert (shell.folder / "report").read_text().splitlines()[1] == "other"
    assert shell("shutdown", "--instance", "other").json["shutting_down"] is True


def test_tui_says_what_to_do_where_neovim_is_too_old(shell: Shell) -> None:
    ended = at_a_terminal(with_neovim(shell, "0.9.5"), "tui")
    assert ended.code == 1
    assert "0.9.5, too old" in ended.out
    assert "install Neovim 0.10 or newer" in ended.out
    assert not (shell.folder / "report").exists()


def test_tui_says_what_to_do_where_neovim_is_missing(shell: Shell) -> None:
    ended = at_a_terminal(shell.with_variables(PATH="/nowhere"), "tui")
    assert ended.code == 1
    assert "install Neovim 0.10 or newer" in ended.out


def test_tui_needs_a_terminal(shell: Shell) -> None:
    ended = shell("tui")
    assert ended.code == 2
    assert ended.error["error"] == "UsageError"
    assert shell.daemon_files() == []


def neovim_that_reports(shell: Shell, expression: str, until: str, config: str = "") -> Path:
    """Make the real Neovim write `expression` as JSON into a file and quit, as soon as `until` is true."""
    report = shell.folder / "report"
    init = Path(shell.environ["XDG_CONFIG_HOME"]) / "nvim" / "init.lua"
    init.parent.mkdir(parents=True, exist_ok=True)
    init.write_text(
        f"""
        {config}
        vim.api.nvim_create_autocmd('VimEnter', {{ callback = function()
          local timer = vim.uv.new_timer()
          timer:start(0, 20, vim.schedule_wrap(function()
            if not ({until}) then return end
            timer:stop()
            vim.fn.writefile({{ vim.json.encode({expression}) }}, {json.dumps(str(report))})
            vim.cmd('qall!')
          end))
        end }})
        """
    )
    return report


def real_neovim(shell: Shell) -> Shell:
    """The shell with the Neovim of this machine on PATH, or the test is skipped."""
    if shutil.which("nvim", path=shell.environ["PATH"]) is None:
        pytest.skip("there is no nvim")
    return shell


STATE = """{
  command = vim.fn.exists(':LazydapBreak'),
  python = vim.g.lazydap.python,
  cwd = vim.fn.getcwd(),
  ours = #vim.tbl_filter(function(path) return path == '%s' end, vim.opt.runtimepath:get()),
}"""


def test_tui_brings_the_plugin_and_its_interpreter(shell: Shell) -> None:
    report = neovim_that_reports(shell, STATE % ROOT, "true")
    assert at_a_terminal(real_neovim(shell), "tui").code == 0
    assert json.loads(report.read_text()) == {
        "command": 2,
        "python": interpreter(),
        "cwd": str(shell.folder),
        "ours": 1,
    }


def test_tui_leaves_a_plugin_and_a_choice_alone_that_are_there_already(shell: Shell) -> None:
    config = "vim.g.lazydap = { python = 'mine' } vim.api.nvim_create_user_command('Lazydap', 'echo', {})"
    report = neovim_that_reports(shell, STATE % ROOT, "true", config)
    assert at_a_terminal(real_neovim(shell), "tui").code == 0
    found = json.loads(report.read_text())
    assert (found["command"], found["python"], found["ours"]) == (0, "mine", 0)


def test_tui_opens_where_the_program_is_stopped(shell: Shell) -> None:
    calls = PYTHON["calls"]
    calls.write(shell.folder)
    shell("break", f"calls.py:{calls.line('total')}")
    launch(shell, "calls.py")
    shell("continue", "--wait")
    where = "{ vim.fs.basename(vim.api.nvim_buf_get_name(0)), vim.fn.line('.') }"
    report = neovim_that_reports(shell, where, f"vim.fn.line('.') == {calls.line('total')}")
    assert at_a_terminal(real_neovim(shell), "tui").code == 0
    assert json.loads(report.read_text()) == ["calls.py", calls.line("total")]
    assert shell("status").json["session"]["state"] == "paused"
    shell("disconnect")


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_completion_script_is_one_that_the_shell_can_read(shell: Shell, name: str) -> None:
    program = shutil.which(name)
    script = shell.write(f"completion.{name}", shell("completions", name).out)
    words = {"continue", "step-into", "watch", "variables", "--hit-condition", "--stop-on-entry", "codelldb"}
    text = script.read_text()
    assert {word for word in words if word.lstrip("-") not in text} == set()
    if program is not None:
        subprocess.run([program, "-n", str(script)], check=True, cwd=shell.folder)


def test_bash_completes_commands_options_and_choices(shell: Shell) -> None:
    script = shell.write("completion.bash", shell("completions", "bash").out)

    def completed(*words: str) -> set[str]:
        function = re.search(r"complete .*-F (\S+) lazydap", script.read_text())
        assert function
        line = " ".join(map(shlex.quote, words))
        code = (
            f"source {shlex.quote(str(script))}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1};"
            f" {function[1]} lazydap {shlex.quote(words[-1])}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, cwd=shell.folder)
        return set(done.stdout.split())

    assert completed("lazydap", "st") == {"status", "step", "step-in", "step-into", "step-out", "stack"}
    assert completed("lazydap", "watch", "") >= {"add", "list", "remove"}
    assert completed("lazydap", "break", "--hit") == {"--hit-condition"}
    assert completed("lazydap", "--format", "js") == {"json", "jsonl"}
    assert completed("lazydap", "completions", "f") == {"fish"}
