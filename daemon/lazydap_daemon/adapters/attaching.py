"""Owns what is known of a process before and after an attempt to attach to it; attaches to nothing."""

import os
from pathlib import Path
from typing import Final

import psutil

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import DaemonError, InvalidLaunchConfig
from lazydap_daemon.adapters.plan import AttachTarget

_PTRACE_SCOPE: Final = Path("/proc/sys/kernel/yama/ptrace_scope")
_SCOPES: Final = {
    "1": "only a parent may attach to its children",
    "2": "only root may attach",
    "3": "nobody may attach until the next start of the system",
}


def program_of(target: AttachTarget) -> str:
    """What to call the program: the file that the process runs, as far as it can be known."""
    if target.pid is None:
        return target.wait_for or f"{target.host}:{target.port}"
    try:
        process = psutil.Process(target.pid)
        return process.exe() or process.name()
    except (psutil.Error, ValueError, OverflowError):
        return f"process {target.pid}"


def check(target: AttachTarget, kind: AdapterKind) -> None:
    """Raises InvalidLaunchConfig for a process that is gone, of another user, traced by another program or ours.

    Also for a stopped one that has to run for its adapter to get into it.
    """
    pid = target.pid
    if pid is None:
        return
    try:
        process = psutil.Process(pid)
        status = process.status()
        owner = process.uids().real
    except (psutil.NoSuchProcess, ValueError, OverflowError):
        raise InvalidLaunchConfig(f"there is no process {pid}: it has ended, or never was", pid=pid) from None
    except psutil.AccessDenied:
        raise InvalidLaunchConfig(f"process {pid} belongs to somebody else: attach as that user", pid=pid) from None
    if status == psutil.STATUS_ZOMBIE:
        raise InvalidLaunchConfig(f"process {pid} has ended", pid=pid)
    if status == psutil.STATUS_STOPPED and kind == "debugpy":
        raise InvalidLaunchConfig(f"process {pid} is stopped: `kill -CONT {pid}`, then attach", pid=pid)
    if pid == os.getpid():
        raise InvalidLaunchConfig(f"process {pid} is this daemon: it cannot debug itself", pid=pid)
    if os.geteuid() not in (0, owner):
        raise InvalidLaunchConfig(f"process {pid} belongs to {process.username()}: attach as that user", pid=pid)
    if tracer := tracer_of(pid):
        raise InvalidLaunchConfig(
            f"process {pid} is debugged already, by process {tracer}{_named(tracer)}: end that first",
            pid=pid,
            tracer=tracer,
        )


def explained(error: DaemonError, target: AttachTarget) -> DaemonError:
    """The error of an attach that has failed, with the setting of the system that forbids it where one does."""
    scope = _scope()
    if target.pid is None or scope not in _SCOPES or os.geteuid() == 0:
        return error
    return type(error)(
        f"{error.message}; the setting kernel.yama.ptrace_scope is {scope} ({_SCOPES[scope]}):"
        " `sudo sysctl kernel.yama.ptrace_scope=0` allows it",
        **error.details,
        ptrace_scope=int(scope),
    )


def _scope() -> str:
    try:
        return _PTRACE_SCOPE.read_text(encoding="ascii").strip()
    except OSError:
        return "0"


def tracer_of(pid: int) -> int:
    """The process that traces `pid`; 0 for none, or where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("TracerPid:")), 0)


def _named(pid: int) -> str:
    try:
        return f" ({psutil.Process(pid).name()})"
    except psutil.Error:
        return ""
