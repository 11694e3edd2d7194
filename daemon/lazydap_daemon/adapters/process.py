"""Owns the process of an adapter from its start to the last process of its session; knows nothing of its protocol."""

import logging
import os
import signal
import subprocess
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio
import anyio.abc
import psutil

from lazydap_core.errors import AdapterCrashed
from lazydap_daemon.adapters.driver import Driver
from lazydap_daemon.adapters.plan import LaunchPlan

EXIT_GRACE: Final = 2.0
"""Seconds an adapter has to end by itself once its input is closed."""

TERMINATE_GRACE: Final = 1.0
"""Seconds it has after SIGTERM, before SIGKILL."""

KILL_GRACE: Final = 1.0
"""Seconds for the kernel to take a killed process away, and for the rest of its session to be gone."""

_POLL: Final = 0.005
_TAIL_LINES: Final = 20
_MAX_LINE: Final = 4096

_stderr_log: Final = logging.getLogger("dap.adapter.stderr")
_log: Final = logging.getLogger("dap.adapter")


class Debuggee:
    """The program that is debugged, known by its pid and the time it was started, so that no stranger is meant."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.pid = process.pid
        self.start_time = process.create_time()

    @classmethod
    def of(cls, pid: int) -> "Debuggee | None":
        """The process that has `pid` now; None when there is none."""
        try:
            return cls(psutil.Process(pid))
        except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError):
            return None

    def is_alive(self) -> bool:
        """True while that very process exists and is no zombie."""
        try:
            return self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def kill(self) -> bool:
        """SIGKILL, to that very process only: True when it was alive and is killed."""
        try:
            if not self.is_alive():
                return False
            self._process.kill()
        except psutil.Error:
            return False
        return True


class ProcessStream(anyio.abc.ByteStream):
    """A process's standard output to read from and its standard input to write to."""

    def __init__(self, process: anyio.abc.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process has no pipes")
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._is_being_read = False

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """What the process has written; raises EndOfStream after the last of it."""
        self._is_being_read = True
        try:
            return await self._stdout.receive(max_bytes)
        finally:
            self._is_being_read = False

    async def send(self, item: bytes) -> None:
        """Write to the process; raises BrokenResourceError when it does not read any more."""
        await self._stdin.send(item)

    async def send_eof(self) -> None:
        """Close the process's input."""
        await self._stdin.aclose()

    async def aclose(self) -> None:
        """Close both pipes."""
        await self._stdin.aclose()
        await self._stdout.aclose()

    async def drain(self) -> None:
        """Read to the end and forget it, unless somebody reads already: a full pipe would keep the process alive."""
        if self._is_being_read:
            return
        try:
            while True:
                await self.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return


class AdapterProcess:
    """A running adapter: its `stream`, its `pid`, which is also its session's id, and `exited`.

    `keep` is the pid of a program that is to survive the adapter; None for "everything ends".
    """

    def __init__(self, process: anyio.abc.Process) -> None:
        self.pid = process.pid
        self.stream = ProcessStream(process)
        self.exited = anyio.Event()
        self.keep: int | None = None
        self._process = process
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    @property
    def exit_status(self) -> int | None:
        """As `subprocess` has it, negative for a signal; None while the process runs."""
        return self._process.returncode

    @property
    def stderr_tail(self) -> str:
        """The last lines that it wrote to its standard error."""
        return "\n".join(self._tail)

    def ending(self) -> str:
        """What became of the process, with the last thing it said, in one line."""
        status = self.exit_status
        if status is None:
            text = "the adapter still runs"
        elif status < 0:
            text = f"the adapter was ended by {_signal_name(-status)}"
        else:
            text = f"the adapter exited with status {status}"
        last = next((line for line in reversed(self._tail) if line.strip()), None)
        return f"{text}: {last.strip()}" if last else text

    async def watch_exit(self) -> None:
        """Wait for the process, and set `exited`."""
        await self._process.wait()
        self.exited.set()

    async def drain_stderr(self) -> None:
        """Every byte is read, whatever it is; lines go to the log, the last ones are kept."""
        stderr = self._process.stderr
        if stderr is None:
            return
        rest = b""
        try:
            async for chunk in stderr:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._keep_line(line)
                if len(rest) > _MAX_LINE:
                    self._keep_line(rest)
                    rest = b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            _log.debug("the adapter's stderr broke: %s", error)
        if rest:
            self._keep_line(rest)

    def _keep_line(self, line: bytes) -> None:
        text = line[:_MAX_LINE].decode("utf-8", "replace").rstrip("\r")
        self._tail.append(text)
        _stderr_log.debug("%s", text)

    def signal(self, number: signal.Signals) -> None:
        """To the adapter alone: its group holds debugpy's launcher, which must outlive it to end the program."""
        try:
            self._process.send_signal(number)
        except ProcessLookupError:
            return


@asynccontextmanager
async def started(driver: Driver, plan: LaunchPlan) -> AsyncGenerator[AdapterProcess]:
    """Run the adapter of `plan` for the time of the block.

    It leads a session of its own. Leaving the block closes its input, waits `EXIT_GRACE`, then sends SIGTERM, then
    SIGKILL, to the adapter alone, and at last kills what is left of its session but `keep` and that one's children;
    this is shielded and takes at most about five seconds. Nobody may begin to read the stream any more by then.

    Raises AdapterCrashed when the process cannot be started.
    """
    process = await _spawn(driver, plan)
    adapter = AdapterProcess(process)
    only_failure: BaseException | None = None
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(adapter.watch_exit)
            tasks.start_soon(adapter.drain_stderr)
            try:
                yield adapter
            finally:
                with anyio.CancelScope(shield=True):
                    await _end(adapter, tasks)
                tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        # The block's own failure leaves as it is, not in a group; raised below, so that it gets no second context.
        only_failure, *others = group.exceptions
        if others:
            raise
    finally:
        with anyio.CancelScope(shield=True):
            await process.aclose()
    if only_failure is not None:
        raise only_failure


async def _spawn(driver: Driver, plan: LaunchPlan) -> anyio.abc.Process:
    command = driver.command(plan)
    try:
        return await anyio.open_process(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=driver.directory(plan),
            env=driver.environment(plan),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise AdapterCrashed(
            f"{driver.program} could not be started from {command[0]}: {reason}", adapter_command=command[0]
        ) from error


async def _end(adapter: AdapterProcess, tasks: anyio.abc.TaskGroup) -> None:
    tasks.start_soon(adapter.stream.drain)
    with anyio.move_on_after(EXIT_GRACE):
        try:
            await adapter.stream.send_eof()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            _log.debug("closing the adapter's input: %s", error)
        await adapter.exited.wait()
    for number, grace in ((signal.SIGTERM, TERMINATE_GRACE), (signal.SIGKILL, KILL_GRACE)):
        if adapter.exited.is_set():
            break
        _log.info("the adapter (pid %d) does not end: %s", adapter.pid, number.name)
        adapter.signal(number)
        with anyio.move_on_after(grace):
            await adapter.exited.wait()
    await sweep(adapter.pid, keep=adapter.keep)


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


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
