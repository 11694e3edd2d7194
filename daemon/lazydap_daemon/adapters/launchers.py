"""Owns noticing that a program ended before its adapter heard of it; knows only processes.

debugpy starts a launcher, which starts the program, and waits for the program to call. A Python that cannot start at
all never does, and neither launcher nor adapter says so (doc/adapters.md, "debugpy").
"""

from typing import Final

import anyio
import psutil

HEAD_START: Final = 1.0
"""Seconds in which most launches are done, so that they pay nothing."""

CHILDLESS: Final = 5.0
"""Seconds that a launcher may be without a program: it starts one as soon as it has read its own modules."""

_POLL: Final = 0.25


async def lost(adapter_pid: int) -> None:
    """Returns once what the adapter has started has had no program for `CHILDLESS` seconds; else never."""
    await anyio.sleep(HEAD_START)
    since = anyio.current_time()
    while True:
        if _has_program(adapter_pid):
            since = anyio.current_time()
        elif anyio.current_time() - since > CHILDLESS:
            return
        await anyio.sleep(_POLL)


def _has_program(adapter_pid: int) -> bool:
    try:
        launchers = psutil.Process(adapter_pid).children()
        return any(_is_alive(program) for launcher in launchers for program in launcher.children())
    except psutil.Error:
        return False


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
