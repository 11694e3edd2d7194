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

from lazydap_core.errors import Cancelled, InvalidLaunchConfig
from lazydap_core.launches.tasks import Task
from lazydap_nvim.host import Host
from lazydap_nvim.model import one_line
from lazydap_nvim.tape import without_escapes

TASK_SECONDS: Final = 1800.0
MOST_LINES: Final = 2000
LONGEST_LINE: Final = 1000


async def run(host: Host, root: str, task: Task, environ: Mapping[str, str]) -> None:
    """Run one task to its end.

    Raises InvalidLaunchConfig when it fails, its output is a quickfix list then; Cancelled when it is given up.
    """
    host.editor.say(f"task `{task.label}` is running: :LazydapStop gives it up")
    lines: deque[str] = deque(maxlen=MOST_LINES)
    status: int | None = None
    with anyio.CancelScope() as scope, anyio.move_on_after(TASK_SECONDS):
        host.launches.tasks[root] = scope
        try:
            status = await _ended(task, environ, lines)
        finally:
            del host.launches.tasks[root]
    if scope.cancelled_caught:
        raise Cancelled(f"the task `{task.label}` was given up: nothing was launched")
    if status == 0:
        return
    host.editor.list_lines(f"Lazydap task {task.label}", task.cwd, lines)
    how = f"did not end in {TASK_SECONDS / 60:.0f} minutes" if status is None else f"failed with exit code {status}"
    raise InvalidLaunchConfig(
        f"the task `{task.label}` {how}: nothing was launched; what it printed is in the quickfix list",
        task=task.label,
    )


async def _ended(task: Task, environ: Mapping[str, str], lines: deque[str]) -> int:
    process = await _started(task, environ)
    try:
        await _read(process, lines)
        return await process.wait()
    finally:
        # What a compiler's make has started goes with it.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def _started(task: Task, environ: Mapping[str, str]) -> anyio.abc.Process:
    # Given up in the middle of this it would run on with nobody to end it.
    started: list[anyio.abc.Process] = []
    with anyio.CancelScope(shield=True):
        try:
            started.append(
                await anyio.open_process(
                    task.command,
                    cwd=task.cwd,
                    env={**environ, **task.env},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )
        except OSError as error:
            raise InvalidLaunchConfig(
                f"the task `{task.label}` cannot be started: {error.strerror} ({error.filename})", task=task.label
            ) from error
    return started[0]


async def _read(process: anyio.abc.Process, lines: deque[str]) -> None:
    if process.stdout is None:
        raise AssertionError
    rest = ""
    async for text in TextReceiveStream(process.stdout, errors="replace"):
        *whole, rest = (rest + text).split("\n")
        lines.extend(_listed(line) for line in whole)
        rest = rest[-LONGEST_LINE:]
    if rest:
        lines.append(_listed(rest))


def _listed(line: str) -> str:
    # A compiler that is told to colour its words (VS Code's own tasks do) still has to be understood by 'errorformat'.
    return one_line(without_escapes(line), LONGEST_LINE)
