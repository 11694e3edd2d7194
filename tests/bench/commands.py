"""Owns measuring whole processes of the command line, beside the same interpreter that does nothing."""

import compileall
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.programs import PYTHON, line_of, write_python
from tests.bench.table import Row, row

ROOT = Path(__file__).resolve().parents[2]
LAZYDAP = str(Path(sys.executable).parent / "lazydap")
NOTHING = (sys.executable, "-c", "pass")
ROUNDS = 40
COLD_ROUNDS = 10
STATUS_RATIO = 6.0
COLD_MS = 500.0
STEP_MS = 90.0


class Shell:
    """A project with private folders, in which commands are timed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("LAZYDAP_", "XDG_"))}
        keep.pop("VIRTUAL_ENV", None)
        self.environ = {**keep, "LAZYDAP_RUNTIME_DIR": str(folder / "r"), "LAZYDAP_DATA_DIR": str(folder / "d")}

    def time(self, command: Sequence[str]) -> float:
        """Milliseconds from the start of a process to its end."""
        began = time.perf_counter()
        subprocess.run(command, cwd=self.folder, env=self.environ, stdout=subprocess.DEVNULL, check=True)
        return (time.perf_counter() - began) * 1000

    def lazydap(self, *words: str) -> float:
        """The same of a `lazydap` command."""
        return self.time((LAZYDAP, *words))

    def ratios(self, commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[float]]:
        """How many times as long as nothing each command takes; both sides measured in turn."""
        found: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            nothing = self.time(NOTHING)
            for name, words in commands.items():
                found[name].append(self.lazydap(*words) / nothing)
        return found


def rows() -> list[Row]:
    """The table's rows about the command line."""
    # An installed wheel is compiled; a checkout may not be, where the environment forbids it.
    for part in ("lazydap_core", "daemon"):
        compileall.compile_dir(ROOT / part, quiet=1)
    with tempfile.TemporaryDirectory(prefix="lzb", dir="/tmp") as name:
        folder = Path(name).resolve()
        (folder / ".lazydap").mkdir()
        shell = Shell(folder)
        try:
            return [*_cold(shell), *_ratios(shell), *_steps(shell)]
        finally:
            shell.lazydap("shutdown")


def _cold(shell: Shell) -> list[Row]:
    times: list[float] = []
    for _ in range(COLD_ROUNDS):
        shell.lazydap("shutdown")
        times.append(shell.lazydap("status"))
    return [row("lazydap status, no daemon yet", times, "ms", f"at most {COLD_MS:.0f}", lambda p50: p50 <= COLD_MS)]


def _ratios(shell: Shell) -> list[Row]:
    source, _ = write_python(shell.folder)
    commands = {"version": ["version"], "status": ["status"], "break": ["break", f"{source}:1"]}
    measured = shell.ratios(commands, ROUNDS)
    found = [
        row("lazydap status", measured["status"], "x", "at most 6 of python -c pass", lambda p50: p50 <= STATUS_RATIO)
    ]
    return [*found, *(row(f"lazydap {name}", measured[name], "x", "python -c pass") for name in ("version", "break"))]


def _steps(shell: Shell) -> list[Row]:
    source, _ = write_python(shell.folder)
    shell.lazydap("break", f"{source}:{line_of(PYTHON, 'loop')}")
    shell.lazydap("launch", str(source), "--stop-on-entry")
    measured = shell.ratios({"continue --wait": ["continue", "--wait"]}, ROUNDS)["continue --wait"]
    steps = [shell.lazydap("step", "--wait") for _ in range(ROUNDS)]
    shell.lazydap("disconnect")
    return [
        row("lazydap continue --wait, debugpy", measured, "x", "python -c pass"),
        row("lazydap step --wait, debugpy", steps, "ms", f"at most {STEP_MS:.0f}", lambda p50: p50 <= STEP_MS),
    ]
