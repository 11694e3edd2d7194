"""Owns measuring what comes in masses: a held key, output in a pane, bytes on a terminal."""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from lazydap_core.paths import places
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from tests.bench.programs import PYTHON, line_of, write_python
from tests.bench.steps import ROOT, editor, plan, raw_steps, wait_for
from tests.bench.table import Row, row

KEYS, PACE_MS = 150, 33
LATE_TARGET_MS = 20.0
LINES = 200_000
TERMINAL_BYTES = 20_000_000
TERMINAL_TARGET = 5.0
GAP_TARGET_MS = 30.0
PATIENCE = 120.0
STATE = "require('lazydap').state().state"
BENCH = f"dofile({str(ROOT / 'tests/bench/bench.lua')!r})"
WATCH = "require('bench')"

SLEEPS = """\
import sys, threading, time
threading.Thread(target=lambda: (sys.stdin.read(), over.append(True)), daemon=True).start()
over, longest, before = [], 0.0, time.perf_counter()
while not over:
    time.sleep(0.001)
    now = time.perf_counter()
    longest, before = max(longest, now - before), now
print(longest * 1000)
"""
RUN_IN_TERMINAL = """
local config = { name = 'writes', type = 'debugpy', request = 'launch', console = 'integratedTerminal', program = ... }
require('lazydap').run(config)
"""
PRINTS = f"""\
for number in range({LINES}):
    print("line", number, "of a program that has much to say")
"""
WRITES = f"""\
import os, time
while not os.path.exists("go"):
    time.sleep(0.05)
line = b"0123456789 abcdefghij ABCDEFGHIJ the quick brown fox jumps over it\\r\\n"
block = line * (65536 // len(line))
left = {TERMINAL_BYTES}
began = time.perf_counter()
while left > 0:
    left -= os.write(1, block)
took = time.perf_counter() - began
with open("took", "w") as file:
    file.write(str(took))
"""


def rows() -> Sequence[Row]:
    """The rows of a held key, of much output, and of a busy terminal."""
    return [*_held(), *_output(), *_terminal()]


def _held() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        folder = Path(name)
        source, program = write_python(folder)
        line = line_of(PYTHON, "loop")
        raw = statistics.median(
            raw_steps(DebugpyDriver(interpreter=None), plan("debugpy", program, folder), source, line)
        )
        with editor(folder) as nvim:
            nvim.command(f"cd {folder}")
            nvim.command(f"edit {source}")
            nvim.command(f"call cursor({line}, 1)")
            nvim.command("LazydapBreak")
            nvim.command(f"LazydapLaunch {program}")
            wait_for(nvim, f"return {STATE} == 'paused'")
            nvim.command("LazydapBreak")
            nvim.exec_lua(f"{BENCH}.hold(...)", nvim.channel_id, KEYS, PACE_MS)
            late, stops = nvim.next_message()[2]
    limit = raw + LATE_TARGET_MS
    return [
        row(
            f"Python: step key held, {KEYS} keys in {KEYS * PACE_MS / 1000:.0f} s: from the last key to the last stop",
            [late],
            "ms",
            f"<= {limit:.2f} ms",
            lambda p50: p50 <= limit,
        ),
        row("... stops drawn", [stops], "", ""),
    ]


def _output() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="lzb") as name, editor(Path(name)) as nvim:
        folder = Path(name)
        program = folder / "prints.py"
        program.write_text(PRINTS)
        _open(nvim, program)
        nvim.command(f"LazydapLaunch {program}")
        wait_for(nvim, f"return {STATE} == 'running' or {STATE} == 'exited'", PATIENCE)
        nvim.command("LazydapOutput")
        with _sleeper() as beside:
            nvim.exec_lua(f"{WATCH}.watch_gaps()")
            wait_for(nvim, f"return {STATE} ~= 'running'", PATIENCE)
            gaps = nvim.exec_lua(f"return {WATCH}.gaps()")
        sizes = {
            "editor": nvim.eval("getpid()"),
            "host": nvim.exec_lua("return require('lazydap.host').pid()"),
            "daemon": int(places(folder, environ=os.environ).pid.read_text().split()[0]),
        }
        memory = [row(f"... memory of the {who} then", [_mib(pid)], "MiB", "") for who, pid in sizes.items()]
    return [*_gap_rows(f"{LINES} lines of output in the pane: longest gap of the editor", gaps, beside), *memory]


def _terminal() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="lzb") as name, editor(Path(name)) as nvim:
        folder = Path(name)
        program = folder / "writes.py"
        program.write_text(WRITES)
        _open(nvim, program)
        nvim.exec_lua(RUN_IN_TERMINAL, str(program))
        wait_for(nvim, f"return {STATE} == 'running'", PATIENCE)
        nvim.command("LazydapOutput")
        with _sleeper() as beside:
            nvim.exec_lua(f"{WATCH}.watch_gaps()")
            (folder / "go").touch()
            wait_for(nvim, f"return {STATE} ~= 'running'", PATIENCE)
            gaps = nvim.exec_lua(f"return {WATCH}.gaps()")
        speed = TERMINAL_BYTES / 1e6 / float((folder / "took").read_text())
    return [
        row(
            f"terminal in its pane, {TERMINAL_BYTES / 1e6:.0f} MB",
            [speed],
            "MB/s",
            f">= {TERMINAL_TARGET:.0f} MB/s",
            lambda p50: p50 >= TERMINAL_TARGET,
        ),
        *_gap_rows("... longest gap of the editor", gaps, beside),
    ]


def _open(nvim: Any, program: Path) -> None:
    nvim.exec_lua(f"package.preload['bench'] = function() return {BENCH} end")
    nvim.command(f"cd {program.parent}")
    nvim.command(f"edit {program}")


@contextmanager
def _sleeper() -> Generator[list[float]]:
    """How long, at most, a process that does nothing waits for the processor meanwhile; known at the end."""
    longest: list[float] = []
    process = subprocess.Popen([sys.executable, "-c", SLEEPS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield longest
        told, _ = process.communicate(timeout=PATIENCE)
        longest.append(float(told))
    finally:
        process.kill()
        process.wait()


def _gap_rows(name: str, gaps: Sequence[float], beside: Sequence[float]) -> list[Row]:
    """No editor can do better than a process that only sleeps: where the machine stands still, all do."""
    limit = GAP_TARGET_MS + beside[0]
    target = f"<= {GAP_TARGET_MS:.0f} ms more"
    return [
        row(name, [max(gaps)], "ms", target, lambda longest: longest <= limit),
        row("... of a process that only sleeps", beside, "ms", ""),
    ]


def _mib(pid: int) -> float:
    process: psutil.Process = psutil.Process(pid)
    return process.memory_info().rss / 2**20
