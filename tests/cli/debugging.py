"""Owns what the tests with a real adapter do again and again: launch, wait, look."""

from pathlib import Path
from typing import Any

import psutil

from tests.cli.shell import Shell, wait_until

WAIT = "20"
"""Seconds; what is waited for takes far less."""

Json = dict[str, Any]


def launch(shell: Shell, program: str | Path, *words: str) -> Json:
    """Launch, stopped on entry."""
    return shell("launch", program, "--stop-on-entry", *words).json


def resume(shell: Shell, timeout: str = WAIT) -> Json:
    """Continue until the next stop or the end."""
    return shell("continue", "--wait", "--timeout", timeout, seconds=75).json


def set_break(shell: Shell, file: str | Path, line: int, *words: str) -> Json:
    """The breakpoint that was set."""
    return shell("break", f"{file}:{line}", *words).json["breakpoints"][0]


def state(shell: Shell) -> str:
    """The session's state."""
    return shell("status").json["session"]["state"]


def stdout_of(stable: Json) -> str:
    """What the program printed during a wait."""
    return "".join(chunk["output"] for chunk in stable["captured_output"] if chunk["category"] == "stdout")


def adapter_of(shell: Shell) -> psutil.Process:
    """The one adapter process of the shell's daemon."""
    daemon = psutil.Process(shell("status").json["daemon_pid"])
    (adapter,) = daemon.children()
    return adapter


def none_left(processes: list[psutil.Process], seconds: float = 5.0) -> None:
    """Wait until all of these have ended."""
    wait_until(lambda: not any(_runs(process) for process in processes), f"{processes} still run", seconds)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def locals_of(shell: Shell) -> Json:
    """The variables of the first scope, by name."""
    scope = shell("scopes").json["scopes"][0]
    rows = shell("variables", "--reference", str(scope["variables_reference"])).json["variables"]
    return {row["name"]: row for row in rows}
