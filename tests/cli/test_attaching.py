"""`lazydap terminal`: the program's terminal in a shell, seen as a person sees it, with a real debugpy."""

import json
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from tests.cli.shell import LAZYDAP, Shell, wait_until
from tests.editor.screen import Terminal
from tests.fixtures.terminal_programs import ASKS, SCREEN

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def project(shell: Shell) -> Iterator[Shell]:
    """A shell whose folder holds the programs."""
    for program in (ASKS.python, SCREEN):
        program.write(shell.folder)
    yield shell
    shell("disconnect")


@contextmanager
def attached(shell: Shell, columns: int = 60, lines: int = 12) -> Generator[Terminal]:
    """A person's terminal, in which a shell runs `lazydap terminal` and then says how it left things."""
    words = ["sh", "-c", f"{LAZYDAP} terminal; echo code $?; stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e echo"]
    screen = Terminal(words, environ=shell.environ, cwd=shell.folder, columns=columns, lines=lines)
    try:
        yield screen
    finally:
        screen.close()


def until(screen: Terminal, text: str) -> None:
    """Wait until the person sees `text`."""
    try:
        wait_until(lambda: text in screen.text(), text, 30.0)
    except AssertionError as error:
        raise AssertionError(f"{text!r} is not on the screen:\n{screen.text()}") from error


def test_a_person_answers_the_program_and_reads_how_it_ended(project: Shell) -> None:
    launched = project("launch", "asks.py", "--terminal").json
    assert launched["state"] == "running"
    with attached(project) as screen:
        until(screen, "(Ctrl-] leaves it)")
        until(screen, "name?")
        screen.press("ana\r")
        until(screen, "1 hello ana")
        screen.press("\x03")
        until(screen, "interrupted")
        until(screen, "the program has ended with exit code 4")
        until(screen, "code 0\nicanon\necho")


def test_a_full_screen_program_gets_keys_and_size_and_is_there_again_for_the_next_viewer(project: Shell) -> None:
    project("launch", "screen.py", "--terminal").json  # noqa: B018 - reading it asserts that it went well
    with attached(project) as screen:
        # Its own size may have reached the program before it began or after.
        until(screen, "60x12 key")
        screen.press("a")
        until(screen, "60x12 key a")
        screen.press("\x1d")
        until(screen, "left; the program runs on")
        until(screen, "code 0\nicanon\necho")
    with attached(project, columns=70, lines=14) as screen:
        until(screen, "70x14 key")
        assert screen.rows()[12] == "  at the bottom"
        # The second viewer dies without a word; the program is still there for the third.
        screen.process.kill()
    with attached(project, columns=70, lines=14) as screen:
        until(screen, "70x14 key")
        screen.press("q")
        # What it shows last falls where the emulator's lack of a second screen lets it.
        assert screen.process.wait(30) == 0
    assert "left the screen" in project("terminal", "--replay").out
    assert project("status").json["session"]["exit_code"] == 0


def test_in_pipes_it_copies_both_ways_until_the_program_ends(project: Shell) -> None:
    project("launch", "asks.py", "--terminal").json  # noqa: B018 - as above
    piped = subprocess.Popen(
        [LAZYDAP, "terminal"],
        cwd=project.folder,
        env=project.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert piped.stdin is not None
    piped.stdin.write(b"ana\n")
    piped.stdin.flush()
    wait_until(lambda: "1 hello ana" in project("terminal", "--replay").out, "the program was told nothing", 30.0)
    out, err = piped.communicate(b"\x03", 60)
    assert piped.returncode == 0, err
    assert b"1 hello ana\r\n" in out
    assert b"the program has ended with exit code 4" in err
    replayed = project("terminal", "--replay")
    assert (replayed.code, "1 hello ana" in replayed.out, "interrupted" in replayed.out) == (0, True, True)
    warned = project("output")
    assert "lazydap terminal --replay" in warned.err


def test_a_configuration_of_launch_json_that_asks_for_a_terminal_gets_one(project: Shell) -> None:
    configuration = {"name": "ask", "type": "debugpy", "request": "launch", "program": "${workspaceFolder}/asks.py"}
    file = project.folder / ".vscode" / "launch.json"
    file.parent.mkdir()
    told = {"configurations": [configuration | {"console": "integratedTerminal"}, configuration | {"name": "plain"}]}
    file.write_text(json.dumps(told), encoding="utf-8")
    assert project("launches", "run", "ask").json["state"] == "running"
    assert project("status").json["session"]["terminal"]["is_open"] is True
    project("disconnect")
    project("launches", "run", "plain").json  # noqa: B018 - as above
    assert "terminal" not in project("status").json["session"]


def test_without_a_terminal_it_says_how_to_launch_with_one(project: Shell) -> None:
    project("launch", "asks.py", "--stop-on-entry").json  # noqa: B018 - as above
    refused = project("terminal").error
    assert refused["error"] == "Unsupported"
    assert "lazydap launch --terminal" in refused["message"]
