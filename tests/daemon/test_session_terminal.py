"""The program's terminal: what an adapter has started on it, what viewers see and type, and what is left of it."""

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest

from lazydap_core.errors import AdapterCrashed, BadRequest, DapProtocolError, InvalidLaunchConfig, Unsupported
from lazydap_core.protocol import events, requests, responses
from lazydap_daemon.terminal.ring import LIMIT
from tests.daemon.rig import Rig, hosted_rig
from tests.fakes.scripted import Step, answers, event, expect, leave, refuse, reply, reverse

DEFAULTS = answers(
    {"setBreakpoints": {"breakpoints": []}, "threads": {"threads": []}, "setDebuggerProperty": {}, "disconnect": {}}
)
KEEPS = {"supportTerminateDebuggee": True}

LOOKS = """
import json, os, sys
print(json.dumps({
    "terminal": [os.isatty(number) for number in range(3)],
    "leads": os.getsid(0) == os.getpid(),
    "controls": os.tcgetpgrp(0) == os.getpgrp(),
    "size": list(os.get_terminal_size()),
    "folder": os.getcwd(),
    "env": dict(os.environ),
}))
"""
ECHOES = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    print("heard", line, flush=True)
"""
SHOWS_SIZE = """
import os, signal, time
def show(*_):
    os.write(1, b"size %d %d\\n" % os.get_terminal_size())
signal.signal(signal.SIGWINCH, show)
show()
while True:
    signal.pause()
"""
FLOODS = """
import sys
line = "x" * 99
for number in range(30_000):
    print(line)
print("the flood is over", flush=True)
"""
READS_NOTHING = "import time; print('ready', flush=True); time.sleep(60)"
LEAVES_A_CHILD = """
import os, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
child = os.fork()
if not child:
    os.setpgid(0, 0)
print("ready", flush=True)
time.sleep(60)
"""
ENDS_WHEN_TOLD = """
import os, signal
def lives(*_):
    os.write(1, b"still here")
    os.close(os.open("lives", os.O_CREAT))
signal.signal(signal.SIGUSR1, lives)
signal.signal(signal.SIGUSR2, lambda *_: os._exit(0))
print("ready", flush=True)
while True:
    signal.pause()
"""


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Rig]:
    async with hosted_rig(tmp_path) as ready:
        yield ready


def running(code: str, *more: Step, capabilities: Any = None, **parts: Any) -> list[Step]:
    """An adapter that has `code` run in a terminal, launches, and does `more`."""
    told = {"kind": "integrated", "args": [sys.executable, "-S", "-E", "-c", code], **parts}
    return [
        expect("initialize"),
        reply(capabilities or {}),
        expect("launch"),
        reverse("runInTerminal", told),
        event("process", {"name": "x", "systemProcessId": "{child}"}),
        event("initialized"),
        reply(to="launch"),
        DEFAULTS,
        *more,
    ]


async def launched(made: Rig, code: str, *more: Step, like: str = "debugpy", **parts: Any) -> None:
    """A running program on a terminal."""
    made.play(running(code, *more, **parts), like=like)
    await made.launch(stop_on_entry=False, terminal=True)


async def ask(made: Rig, request: Any, **parts: Any) -> responses.TerminalShown:
    """The answer to a request about the terminal."""
    answer = await made.engine.handle(request(session_id=made.session_id, **parts))
    assert isinstance(answer, responses.TerminalShown)
    return answer


async def until_shown(made: Rig, text: bytes) -> bytes:
    """All that the terminal has shown, once `text` is in it."""
    found = b""

    async def shown() -> bool:
        nonlocal found
        found = (await ask(made, requests.TerminalRead)).data
        return text in found

    await made.eventually(shown)
    return found


def processes(made: Rig) -> list[psutil.Process]:
    """What runs in the sessions that were started on the terminal."""
    leader = debuggee(made)
    return [one for one in psutil.process_iter() if _session_of(one.pid) == leader]


def debuggee(made: Rig) -> int:
    """The pid of the program."""
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    assert occupant.session.debuggee is not None
    return occupant.session.debuggee.pid


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def runs(process: psutil.Process) -> bool:
    """Whether it does anything; one that init has yet to take away does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def is_gone(pid: int) -> bool:
    """Whether no process has that pid, not even as a zombie."""
    return not psutil.pid_exists(pid)


# -- what the program gets --------------------------------------------------------------------------------------------


async def test_a_program_on_a_terminal_leads_its_own_session_there_with_the_clients_environment(
    made: Rig, tmp_path: Path
) -> None:
    made.play(running(LOOKS, env={"GREETING": "hello", "UNWANTED": None}, cwd=str(tmp_path)), like="debugpy")
    mine = {"PATH": os.environ["PATH"], "UNWANTED": "1", "KEPT": "2", "TERM": "dumb", "COLUMNS": "7"}
    await made.launch(stop_on_entry=False, terminal=True, terminal_size=[90, 20], client_env=mine)
    told = json.loads(await until_shown(made, b"}}\r\n"))
    assert (told["terminal"], told["leads"], told["controls"]) == ([True, True, True], True, True)
    assert (told["size"], told["folder"]) == ([90, 20], str(tmp_path))
    environment = told["env"]
    assert (environment["GREETING"], environment["KEPT"], environment["TERM"]) == ("hello", "2", "xterm-256color")
    assert not {"UNWANTED", "COLUMNS"} & set(environment)


async def test_a_terminal_is_announced_and_named_in_the_status_only_where_the_launch_asks_for_one(made: Rig) -> None:
    await launched(made, ECHOES)
    announced = made.driver.record()[0]["arguments"]["supportsRunInTerminalRequest"]
    summary = made.engine.summary()
    assert (announced, summary is not None and summary.terminal is not None) == (True, True)
    await made.disconnect()
    made.play([expect("initialize"), reply(), expect("launch"), event("initialized"), reply(to="launch"), DEFAULTS])
    await made.launch(stop_on_entry=False)
    summary = made.engine.summary()
    assert made.driver.record()[-1]["command"] != "initialize"
    assert summary is not None
    assert summary.terminal is None
    with pytest.raises(Unsupported, match="lazydap launch --terminal"):
        await ask(made, requests.TerminalRead)


async def test_what_cannot_be_started_on_the_terminal_is_refused_by_its_name(made: Rig) -> None:
    told = {"args": ["no-such-program"]}
    steps = [expect("initialize"), reply(), expect("launch"), reverse("runInTerminal", told), refuse("as it was told")]
    made.play([*steps, DEFAULTS], like="debugpy")
    with pytest.raises(DapProtocolError, match="as it was told"):
        await made.launch(stop_on_entry=False, terminal=True)
    (answer,) = [one for one in made.driver.record() if one.get("type") == "response"]
    assert (answer["success"], answer["message"]) == (False, "there is no program no-such-program")


@pytest.mark.parametrize("size", [[0, 24], [80], "wide"])
async def test_a_size_that_no_terminal_has_is_refused(made: Rig, size: Any) -> None:
    made.play([])
    with pytest.raises(InvalidLaunchConfig, match="terminal_size"):
        await made.launch(terminal=True, terminal_size=size)


# -- viewers ----------------------------------------------------------------------------------------------------------


async def test_what_is_typed_reaches_the_program_and_what_it_answers_every_viewer(made: Rig) -> None:
    await launched(made, ECHOES)
    await until_shown(made, b"ready\r\n")
    await ask(made, requests.TerminalWrite, data=b"ana\r")
    everything = await until_shown(made, b"heard ana\r\n\r\n")
    await made.until(lambda: (last := made.of(events.Terminal)[-1]).seq + len(last.data) == len(everything))
    told = made.of(events.Terminal)
    assert b"".join(one.data for one in told) == everything[told[0].seq :]
    assert all(later.seq == one.seq + len(one.data) for one, later in pairwise(told))
    part = await ask(made, requests.TerminalRead, after_seq=len(everything) - 5)
    assert (part.data, part.dropped) == (everything[-5:], 0)


async def test_there_is_one_size_for_all_and_the_last_one_wins(made: Rig) -> None:
    await launched(made, SHOWS_SIZE)
    await until_shown(made, b"size 80 24\r\n")
    await ask(made, requests.TerminalResize, columns=100, rows=30)
    await until_shown(made, b"size 100 30\r\n")
    await ask(made, requests.TerminalResize, columns=60, rows=10)
    await until_shown(made, b"size 60 10\r\n")
    assert [(one.columns, one.rows) for one in made.of(events.Terminal) if not one.data] == [(100, 30), (60, 10)]
    await ask(made, requests.TerminalResize, columns=60, rows=10)
    await until_shown(made, b"size 60 10\r\nsize 60 10\r\n")


async def test_a_flood_that_nobody_reads_holds_nothing_up_and_its_end_is_kept(made: Rig) -> None:
    await launched(made, FLOODS)
    shown = await until_shown(made, b"the flood is over\r\n")
    answer = await ask(made, requests.TerminalRead)
    assert len(shown) <= LIMIT
    assert answer.seq + len(answer.data) == 30_000 * 101 + len("the flood is over\r\n")
    assert answer.dropped == answer.seq > 0
    assert answer.data.startswith(b"x" * 99 + b"\r\n")


async def test_a_program_that_reads_nothing_is_not_typed_at_without_end(made: Rig) -> None:
    await launched(made, READS_NOTHING)
    await until_shown(made, b"ready")
    keys = b"\r\n" * 20_000
    await ask(made, requests.TerminalWrite, data=keys)
    with pytest.raises(BadRequest, match="does not read"):
        await ask(made, requests.TerminalWrite, data=keys)
    summary = made.engine.summary()
    assert summary is not None
    assert summary.state == "running"


# -- the end ----------------------------------------------------------------------------------------------------------


async def test_the_last_words_are_shown_before_the_end_is_told_and_stay_readable(made: Rig) -> None:
    await launched(made, "print('last words')", event("exited", {"exitCode": 0}), event("terminated"))
    await made.until(lambda: made.of(events.SessionEnded))
    await until_shown(made, b"last words\r\n")
    await made.until(lambda: not (state := made.engine.summary()) or not state.terminal or not state.terminal.is_open)
    with pytest.raises(BadRequest, match="has ended"):
        await ask(made, requests.TerminalWrite, data=b"x")
    assert (await ask(made, requests.TerminalRead)).is_open is False


@pytest.mark.parametrize("ending", ["a disconnect", "the end of the adapter", "a launch that fails"])
async def test_whatever_was_started_on_the_terminal_is_gone_when_the_session_is(made: Rig, ending: str) -> None:
    if ending == "a launch that fails":
        marker = f"'{made.folder}'; {LEAVES_A_CHILD}"
        steps = running(marker)[:4]
        made.play([*steps, refuse("no", to="launch"), DEFAULTS], like="debugpy")
        with pytest.raises(DapProtocolError):
            await made.launch(stop_on_entry=False, terminal=True)
        assert not [one for one in psutil.process_iter(["cmdline"]) if marker in (one.info["cmdline"] or [])]
        return
    thread = event("thread", {"threadId": 1, "reason": "started"})
    dies = [thread, expect("pause"), leave(1)] if ending == "the end of the adapter" else []
    await launched(made, LEAVES_A_CHILD, *dies)
    await until_shown(made, b"ready\r\nready\r\n")
    program, started = debuggee(made), processes(made)
    assert len(started) == 2
    if dies:
        with pytest.raises(AdapterCrashed):
            await made.pause()
    else:
        await made.disconnect()
    await made.until(lambda: not any(map(runs, started)))
    await made.until(lambda: is_gone(program))


async def test_a_program_that_is_let_go_keeps_its_terminal_until_it_ends(made: Rig, tmp_path: Path) -> None:
    await launched(made, ENDS_WHEN_TOLD, like="lldb-dap", capabilities=KEEPS, cwd=str(tmp_path))
    await until_shown(made, b"ready\r\n")
    program = debuggee(made)
    answer = await made.disconnect(terminate=False)
    assert answer.terminated_debuggee is False
    psutil.Process(program).send_signal(signal.SIGUSR1)
    await made.until((tmp_path / "lives").exists)
    psutil.Process(program).send_signal(signal.SIGUSR2)
    await made.until(lambda: is_gone(program))
