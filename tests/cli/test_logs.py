"""`lazydap logs`, which reads a file and needs no daemon."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.shell import LAZYDAP, Shell, finished, interrupt


def log_of(shell: Shell) -> Path:
    """The log of the shell's project, which is made by asking for it."""
    name = shell("shutdown", "--dry-run").json["instance"]
    return shell.data / f"lazydap-{name}.log"


def test_without_a_log_there_are_no_lines(shell: Shell) -> None:
    assert shell("logs").json == {"lines": []}
    assert str(log_of(shell)) in shell("logs", "--format", "table").out
    assert shell.daemon_files() == []


def test_the_last_lines_of_those_that_hold_the_word(shell: Shell) -> None:
    log_of(shell).write_text("INFO a\nWARN b\nINFO c\nwarning d\nINFO e\n")
    assert shell("logs", "--limit", "2").json == {"lines": ["warning d", "INFO e"]}
    assert shell("logs", "--level", "Warn").json == {"lines": ["WARN b", "warning d"]}
    assert shell("logs", "--level", "warn", "--limit", "1").json == {"lines": ["warning d"]}
    assert shell("logs", "--limit", "0").json == {"lines": []}
    assert shell("logs", "--limit", str(2**64 - 1)).json["lines"][0] == "INFO a"


def test_each_format_prints_lines(shell: Shell) -> None:
    log_of(shell).write_text('one\n"two", three\n')
    assert shell("logs", "--format", "ids").out == 'one\n"two", three\n'
    assert shell("logs", "--format", "csv").out == 'line\none\n"""two"", three"\n'
    assert shell("logs", "--format", "jsonl").out == '{"line":"one"}\n{"line":"\\"two\\", three"}\n'
    assert shell("logs", "--format", "table").out == 'LINE\none\n"two", three\n'


def test_bytes_that_are_no_text_are_shown(shell: Shell) -> None:
    log_of(shell).write_bytes(b"caf\xe9 \xff\nnext \xe2\x98\x83\n")
    assert shell("logs").json == {"lines": ["caf\\xe9 \\xff", "next ☃"]}


def test_a_line_without_an_end_is_shown_too(shell: Shell) -> None:
    log_of(shell).write_bytes(b"one\ntwo")
    assert shell("logs").json == {"lines": ["one", "two"]}


def test_purging_deletes_the_log(shell: Shell) -> None:
    log = log_of(shell)
    log.write_text("x\n")
    assert shell("logs", "--purge").json == {"log": str(log), "purged": True}
    assert not log.exists()
    assert shell("logs", "--purge").json == {"log": str(log), "purged": False}


@pytest.mark.parametrize("chosen", ["json", "csv", "ids"])
def test_logs_follow_refuses_the_formats_it_cannot_honour(shell: Shell, chosen: str) -> None:
    ended = shell("logs", "--follow", "--format", chosen)
    assert (ended.code, ended.out) == (2, "")
    assert ended.error["error"] == "UsageError"
    assert ended.error["details"] == {"format": chosen}


@pytest.mark.parametrize("words", [(), ("--format", "jsonl"), ("--format", "table")])
def test_following_prints_the_page_and_then_each_new_line(shell: Shell, words: tuple[str, ...]) -> None:
    log = log_of(shell)
    log.write_text("old\nskip this\nshown first\n")
    process = shell.start("logs", "--follow", "--limit", "1", *words)
    assert process.stdout

    def next_line() -> str:
        assert process.stdout
        text = process.stdout.readline().decode().rstrip("\n")
        return text if "table" in words else json.loads(text)["line"]

    try:
        assert next_line() == "shown first"
        with log.open("a") as file:
            file.write("half a ")
            file.flush()
            file.write("line\nand another\n")
        assert next_line() == "half a line"
        assert next_line() == "and another"
        log.unlink()
        log.write_text("a new log\n")
        assert next_line() == "a new log"
    finally:
        interrupt(process)
        ended = finished(process)
    assert ended.code == 130


def test_following_a_log_nobody_is_reading_ends_rather_than_waiting_for_a_line(shell: Shell) -> None:
    log_of(shell).write_text("a line\n")
    process = shell.start("logs", "--follow")
    assert process.stdout
    process.stdout.close()
    process.stdout = None
    assert finished(process, seconds=6).code == 0


def test_following_a_log_that_does_not_exist_yet_waits_for_it(shell: Shell) -> None:
    log = log_of(shell)
    process = shell.start("logs", "--follow", "--format", "table")
    assert process.stdout
    try:
        log.write_text("at last\n")
        assert process.stdout.readline() == b"at last\n"
    finally:
        interrupt(process)
        finished(process)


def test_a_log_of_another_name_is_read_with_its_instance(shell: Shell) -> None:
    shell("logs", "--instance", "Some Other")
    (shell.data / "lazydap-some-other.log").write_text("hers\n")
    assert shell("logs", "--instance", "Some Other").json == {"lines": ["hers"]}
    assert shell.with_variables(LAZYDAP_INSTANCE="some-other")("logs").json == {"lines": ["hers"]}


def test_a_full_disk_is_an_error(shell: Shell) -> None:
    log_of(shell).write_text("a line\n")
    with Path("/dev/full").open("wb") as full:
        process = shell.start("logs", stdout=full)
        ended = finished(process)
    assert ended.code == 1
    assert "No space left" in ended.err


def test_a_closed_standard_output_is_no_error(shell: Shell) -> None:
    ended = subprocess.run(
        ["sh", "-c", 'exec "$0" logs >&-', LAZYDAP],
        cwd=shell.folder,
        env=shell.environ,
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_the_folder_the_command_was_typed_in_may_be_gone(shell: Shell) -> None:
    gone = shell.folder / "gone"
    gone.mkdir()
    process = subprocess.Popen(
        ["sh", "-c", 'rmdir "$PWD" && exec "$0" logs', LAZYDAP],
        cwd=gone,
        env=shell.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    ended = finished(process)
    assert ended.code == 3
    assert ended.error["error"] == "DaemonUnreachable"


def test_a_socket_path_that_is_too_long_is_refused(shell: Shell) -> None:
    ended = shell.with_variables(LAZYDAP_RUNTIME_DIR=str(shell.folder / ("x" * 100)))("logs")
    assert ended.code == 3
    assert ended.error["error"] == "DaemonUnreachable"
    assert "LAZYDAP_RUNTIME_DIR" in ended.error["message"]
