"""The pages in doc/ that show the command line: what they say is what happens."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lazydap_cli.grammar.tree import COMMANDS
from lazydap_cli.grammar.words import Group
from lazydap_cli.reading import Invocation, read
from tests.cli.shell import COMMAND_SECONDS, Shell

DOC = Path(__file__).parents[2] / "doc"

pytestmark = pytest.mark.timeout(240)


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def documents(text: str) -> list[Any]:
    """The JSON documents that stand one behind the other in `text`."""
    decoder = json.JSONDecoder()
    found: list[Any] = []
    rest = text.strip()
    while rest:
        document, end = decoder.raw_decode(rest)
        found.append(document)
        rest = rest[end:].strip()
    return found


def sh(shell: Shell, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", *words],
        cwd=shell.folder,
        env=shell.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS * 3,
        check=False,
    )


def test_the_guide_is_what_the_command_prints(shell: Shell) -> None:
    assert shell("skill").out == (DOC / "skill.md").read_text(encoding="utf-8")


def test_every_command_of_the_guide_does_what_it_should(shell: Shell) -> None:
    page = (DOC / "skill.md").read_text(encoding="utf-8")
    (program,) = blocks(page, "python")
    shell.write("app.py", program)
    stops: list[Any] = []
    waited: Any = None
    for line in "".join(blocks(page, "sh")).splitlines():
        ran = sh(shell, "-euc", line)
        assert ran.returncode == 0, f"{line}\n{ran.stdout}\n{ran.stderr}"
        assert ran.stderr == "", line
        if "--format csv" in line:
            continue
        (answer,) = documents(ran.stdout)
        if "--wait" in line:
            stops.append(answer)
        if line.startswith("lazydap wait"):
            waited = answer
    assert [stop["state"] for stop in stops] == ["paused"] * len(stops)
    assert [stop["frame"]["line"] for stop in stops] == [3, 9, 8, 9, 2, 3]
    assert waited["frame"] == stops[0]["frame"]


def test_every_command_that_the_guide_speaks_of_exists() -> None:
    page = (DOC / "skill.md").read_text(encoding="utf-8")
    mentioned = re.findall(r"`(lazydap [^`]*)`", page)
    assert mentioned
    for text in mentioned:
        words = shlex.split(text)[1:]
        assert isinstance(read(words, bare_opens_editor=False, version="0"), Invocation), text


def test_the_guide_shows_every_command_that_a_script_needs() -> None:
    page = (DOC / "skill.md").read_text(encoding="utf-8")
    shown = {word for line in "".join(blocks(page, "sh")).splitlines() for word in shlex.split(line)[1:2]}
    known = {entry.word if isinstance(entry, Group) else entry.name for entry in COMMANDS}
    for_people = {"completions", "skill", "tui", "daemon"}
    # Of these the guide only speaks: each needs a program that stands, runs or ends in a way of its own.
    spoken_of = {"pause", "exception", "set", "complete", "attach", "restart", "run-to", "jump", "terminal"}
    assert known - shown == for_people | spoken_of
    assert all(f"`lazydap {word}" in page for word in spoken_of)


def test_a_bug_is_found_by_the_command_line_alone(shell: Shell) -> None:
    ran = sh(shell, str(DOC / "find-a-bug.sh"))
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    (
        first_break,
        launched,
        stop,
        variables,
        stepped,
        subtotal,
        removed,
        last_break,
        end_of_function,
        both,
        disconnected,
        again,
        ended,
    ) = documents(ran.stdout)
    assert first_break["action"] == last_break["action"] == "added"
    assert (launched["state"], launched["reason"]) == (again["state"], again["reason"]) == ("paused", "entry")
    assert (stop["state"], stop["frame"]["name"]) == ("paused", "invoice")
    assert {row["name"]: row["value"] for row in variables["variables"]}["amount"] == "10.0"
    assert stepped["reason"] == "step"
    assert subtotal["value"] == "9.0"
    assert removed["action"] == "removed"
    assert end_of_function["hit_breakpoint_ids"] == [last_break["breakpoints"][0]["id"]]
    before, after = json.loads(both["value"])
    assert after == pytest.approx(before * 0.9)
    assert disconnected["terminated_debuggee"] is True
    assert (ended["state"], ended["exit_code"]) == ("exited", 0)
    printed = "".join(chunk["output"] for chunk in ended["captured_output"])
    assert "to pay: 53.55" in printed
    assert not any(name.endswith(".sock") for name in shell.daemon_files())


def test_the_script_is_thirty_lines_that_any_shell_can_run() -> None:
    script = DOC / "find-a-bug.sh"
    assert len(script.read_text(encoding="utf-8").splitlines()) == 30
    assert os.access(script, os.X_OK)
