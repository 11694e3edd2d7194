"""Owns running what has to be done before a launch; shows what it printed when it fails."""

import os
import signal
import subprocess
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import anyio
from anyio.streams.text import TextReceiveStream

from lazydap_core.errors import InvalidLaunchConfig
from lazydap_core.launches.tasks import Task
from lazydap_nvim.host import Host
from lazydap_nvim.model import one_line

TASK_SECONDS: Final = 1800.0
MOST_LINES: Final = 2000
LONGEST_LINE: Final = 1000


async def run(host: Host, task: Task, environ: Mapping[str, str]) -> None:
    """Run one task to its end. Raises InvalidLaunchConfig when it fails; its output is a quickfix list then."""
    host.editor.say(f"task `{task.label}` is running")
    lines: deque[str] = deque(maxlen=MOST_LINES)
    status: int | None = None
    with anyio.move_on_after(TASK_SECONDS):
        status = await _ended(task, environ, lines)
    if status == 0:
        return
    host.editor.list_lines(f"Lazydap task {task.label}", task.cwd, lines)
    how = f"did not end in {TASK_SECONDS / 60:.0f} minutes" if status is None else f"failed with exit code {status}"
    raise InvalidLaunchConfig(
        f"the task `{task.label}` {how}: nothing was launched; what it printed is in the quickfix list",
        task=task.label,
    )


async def _ended(task: Task, environ: Mapping[str, str], lines: deque[str]) -> int:
    try:
        process = await anyio.open_process(
            task.command,
            cwd=task.cwd,
            env={**environ, **task.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise InvalidLaunchConfig(
            f"the task `{task.label}` cannot be started: {error.strerror} ({error.filename})", task=task.label
        ) from error
    try:
        await _read(process, lines)
        return await process.wait()
    finally:
        # What a compiler's make has started goes with it.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def _read(process: anyio.abc.Process, lines: deque[str]) -> None:
    if process.stdout is None:
        raise AssertionError
    rest = ""
    async for text in TextReceiveStream(process.stdout, errors="replace"):
        *whole, rest = (rest + text).split("\n")
        lines.extend(one_line(line, LONGEST_LINE) for line in whole)
        rest = rest[-LONGEST_LINE:]
    if rest:
        lines.append(one_line(rest, LONGEST_LINE))
