"""Owns the search for processes that outlive a test run; knows nothing of pytest."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

MARK = "LAZYDAP_TEST_RUN"
"""Set for a whole run, so that whatever the tests start inherits it."""

GRACE_SECONDS = 5.0
"""How long a process may take to end after the last test: an adapter is given three."""


@dataclass(frozen=True)
class Leak:
    """A process that should have ended with the test that started it."""

    process: psutil.Process
    command: str
    test: str

    def __str__(self) -> str:
        return f"{self.process.pid} {self.command} (started by {self.test})"


def left_over(run: str, folder: Path) -> list[Leak]:
    """Processes that carry the mark of `run` or work inside `folder`; never this one, its parents or test workers."""
    me = psutil.Process()
    spared = {me.pid, *(parent.pid for parent in me.parents())}
    return [
        leak
        for process in psutil.process_iter()
        if process.pid not in spared and (leak := _leak(process, run, folder, worker_parent=me.pid)) is not None
    ]


def wait_until_none(run: str, folder: Path, seconds: float) -> list[Leak]:
    """What is still left when `seconds` have passed; empty as soon as nothing is."""
    deadline = time.monotonic() + seconds
    while (leaks := left_over(run, folder)) and time.monotonic() < deadline:
        psutil.wait_procs([leak.process for leak in leaks], timeout=0.1)
    return leaks


def end(leaks: list[Leak]) -> None:
    """Kill what was found, so that one failing run does not disturb the next."""
    for leak in leaks:
        try:
            # psutil compares start times, so a pid that was given away meanwhile is left alone.
            leak.process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs([leak.process for leak in leaks], timeout=2)


def _leak(process: psutil.Process, run: str, folder: Path, *, worker_parent: int) -> Leak | None:
    try:
        environ = process.environ()
        if environ.get(MARK) != run and not _inside(process.cwd(), folder):
            return None
        command = process.cmdline()
        if process.ppid() == worker_parent and any("execnet" in word for word in command):
            return None
    except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
        # Gone, a zombie, or somebody else's.
        return None
    return Leak(process, " ".join(command)[:200], environ.get("PYTEST_CURRENT_TEST", "an unknown test"))


def _inside(cwd: str, folder: Path) -> bool:
    return cwd == str(folder) or cwd.startswith(f"{folder}{os.sep}")
