"""Owns the choice of a process to attach to: how one is written, which adapter is for it, which there are."""

import mmap
import os
from pathlib import Path
from typing import Final

import msgspec

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import UsageError

GO_MARK: Final = b"\xff Go buildinf:"
MOST_LISTED: Final = 500
"""Processes that are offered; the youngest come first."""


class Target(msgspec.Struct, frozen=True):
    """A process id, or where a program is served."""

    pid: int | None = None
    host: str | None = None
    port: int | None = None


class Running(msgspec.Struct, frozen=True):
    """A process that could be attached to, and its command line."""

    pid: int
    command: str


def read_target(text: str) -> Target:
    """What `PID` or `HOST:PORT` means. Raises UsageError."""
    host, colon, number = text.strip().rpartition(":")
    if not number.isascii() or not number.isdigit():
        raise UsageError(f"`{text}` is neither a process id nor HOST:PORT", argument="target")
    return Target(host=host or "127.0.0.1", port=int(number)) if colon else Target(pid=int(number))


def kind_of(target: Target) -> AdapterKind:
    """The adapter for a target, by the file that the process runs; a port is debugpy's, the unreadable codelldb's."""
    if target.pid is None:
        return "debugpy"
    # Slow to load, and only who attaches needs it.
    import psutil  # noqa: PLC0415

    try:
        executable = psutil.Process(target.pid).exe()
        if Path(executable).name.startswith("python"):
            return "debugpy"
        with Path(executable).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return "delve" if text.find(GO_MARK) >= 0 else "codelldb"
    except (psutil.Error, OSError, ValueError, OverflowError):
        return "codelldb"


def running() -> list[Running]:
    """The user's own processes but this one and those that started it, the youngest first; takes a while."""
    import psutil  # noqa: PLC0415

    own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found: list[tuple[float, Running]] = []
    for process in psutil.process_iter():
        try:
            command = " ".join(process.cmdline())
            if process.pid not in own and command and process.uids().real == os.getuid():
                found.append((process.create_time(), Running(process.pid, command)))
        except psutil.Error:
            continue
    found.sort(key=lambda each: each[0], reverse=True)
    return [each for _, each in found[:MOST_LISTED]]
