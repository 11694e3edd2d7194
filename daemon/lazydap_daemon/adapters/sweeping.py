"""Owns the end of what is left of a session of processes; knows nothing of adapters."""

import logging
import os
from collections.abc import Callable
from typing import Final

import anyio
import psutil

KILL_GRACE: Final = 1.0
"""Seconds for the kernel to take a killed process away, and for the rest of its session to be gone."""

_POLL: Final = 0.005

_log: Final = logging.getLogger("dap.adapter")


async def sweep(session_id: int, *, keep: int | None = None) -> None:
    """Kill every process of that session, but `keep` and its children; a `keep` that is job-stopped is continued.

    Returns when they are gone, at the latest after `KILL_GRACE`.
    """
    with anyio.move_on_after(KILL_GRACE):
        while True:
            spared = _family(keep)
            left = [process for process in _session(session_id) if process.pid not in spared]
            if not left:
                break
            for process in left:
                _log.info("left over by the adapter: pid %d is killed", process.pid)
                _ignoring_the_dead(process.kill)
            await anyio.sleep(_POLL)
    if keep is not None:
        _continue_if_stopped(keep)


def _session(session_id: int) -> list[psutil.Process]:
    """The live processes of that session; zombies are left to whoever waits for them."""
    found: list[psutil.Process] = []
    for pid in psutil.pids():
        try:
            if os.getsid(pid) != session_id:
                continue
            process = psutil.Process(pid)
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (OSError, psutil.Error):
            continue
    return found


def _family(pid: int | None) -> set[int]:
    if pid is None:
        return set()
    try:
        return {pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))}
    except psutil.Error:
        return {pid}


def _continue_if_stopped(pid: int) -> None:
    """LLDB up to 16 leaves a program that it detaches from at a breakpoint stopped for ever."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_STOPPED:
            process.resume()
    except psutil.Error as error:
        _log.debug("the program that was to be kept: %s", error)


def _ignoring_the_dead(act: Callable[[], None]) -> None:
    try:
        act()
    except psutil.Error as error:
        _log.debug("already gone: %s", error)
