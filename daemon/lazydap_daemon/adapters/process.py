"""Owns the process of an adapter from its start to the last process of its session; knows nothing of its protocol."""

import codecs
import logging
import os
import signal
import socket
import subprocess
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import anyio
import anyio.abc
import anyio.to_thread
import psutil

from lazydap_core.errors import AdapterCrashed
from lazydap_daemon.adapters.driver import Driver
from lazydap_daemon.adapters.plan import LaunchPlan
from lazydap_daemon.adapters.reaching import (
    CONNECT_DEADLINE,
    CallsBack,
    Doorway,
    StandardStreams,
    Transport,
    called,
)
from lazydap_daemon.adapters.sweeping import KILL_GRACE, sweep
from lazydap_daemon.dap.wire import DescriptorWire, SocketWire
from lazydap_daemon.terminal.pty import on_terminal

EXIT_GRACE: Final = 2.0
"""Seconds an adapter has to end by itself once its input is closed."""

TERMINATE_GRACE: Final = 1.0
"""Seconds it has after SIGTERM, before SIGKILL."""

LAST_WORDS_GRACE: Final = 0.5
"""Seconds to wait for what a process that is going away has still to say."""

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
        return self.signal(signal.SIGKILL)

    def signal(self, number: int) -> bool:
        """A signal, to that very process only: True when it was alive to get it."""
        try:
            if not self.is_alive():
                return False
            self._process.send_signal(number)
        except psutil.Error:
            return False
        return True


class AdapterProcess:
    """A running adapter: its `stream`, its `pid`, which is also its session's id, and `exited`.

    `keep` is the pid of a program that is to survive the adapter; None for "everything ends". `on_noise` is called with
    what the adapter prints beside the conversation, as it comes. `has_launched` is to be
    set once the launch is finished.
    """

    def __init__(self, process: anyio.abc.Process, driver: Driver) -> None:
        self.pid = process.pid
        self.driver = driver
        self.wire: DescriptorWire | None = None
        self.exited = anyio.Event()
        self.keep: int | None = None
        self.on_noise: Callable[[str], None] | None = None
        self.has_launched = False
        self._process = process
        self._said_everything = anyio.Event()
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    @property
    def stream(self) -> DescriptorWire:
        """The way to the adapter and back; there from the moment on that `started` gives the process away."""
        if self.wire is None:
            raise LookupError("the adapter is not connected yet")
        return self.wire

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
        telling = (line.strip() for line in reversed(self._tail))
        last = next((line for line in telling if line and not self.driver.is_chatter(line)), None)
        return f"{text}: {last}" if last else text

    async def last_words(self) -> str:
        """`ending` of a process whose stream has broken: once it is gone and heard, or after `LAST_WORDS_GRACE`."""
        with anyio.move_on_after(LAST_WORDS_GRACE):
            await self.exited.wait()
            await self._said_everything.wait()
        return self.ending()

    async def watch_exit(self) -> None:
        """Wait for the process, and set `exited`."""
        await self._process.wait()
        self.exited.set()

    async def drain_stderr(self) -> None:
        """Every byte is read, whatever it is; lines go to the log, the last ones are kept.

        Where the conversation has a socket of its own, what is written to the standard output is among them.
        """
        noise = self._process.stderr or self._process.stdout
        if noise is None:
            self._said_everything.set()
            return
        rest = b""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            async for chunk in noise:
                if self.on_noise is not None:
                    self.on_noise(decoder.decode(chunk))
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
        self._said_everything.set()

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


class _LackingError(Exception):
    """The adapter does not know the transport."""


@asynccontextmanager
async def started(driver: Driver, plan: LaunchPlan) -> AsyncGenerator[AdapterProcess]:
    """Run the adapter of `plan` for the time of the block, connected by the first of its transports that it knows.

    It leads a session of its own. Leaving the block closes its input, waits `EXIT_GRACE` (or as long as its driver
    says), then sends SIGTERM, then SIGKILL, to the adapter alone, and at last kills what is left of its session but
    `keep` and that one's children; this is shielded and takes at most about five seconds. Nobody may begin to read the
    stream any more by then.

    Raises AdapterCrashed when the process cannot be started or does not connect in time.
    """
    async with _scratch_made(driver):
        *others, last = driver.transports
        for transport in others:
            try:
                async with _running(driver, plan, transport, may_lack=True) as adapter:
                    yield adapter
                    return
            except _LackingError:
                _log.info("%s does not know %s: trying the next way", driver.program, transport)
        async with _running(driver, plan, last, may_lack=False) as adapter:
            yield adapter


@asynccontextmanager
async def _scratch_made(driver: Driver) -> AsyncGenerator[None]:
    """The driver's temporary folder, if it has one, for the time of the block. Raises AdapterCrashed."""
    scratch = driver.scratch
    if scratch is None:
        yield
        return
    with anyio.CancelScope(shield=True):
        try:
            await anyio.to_thread.run_sync(scratch.make)
        except OSError as error:
            raise AdapterCrashed(
                f"no folder could be made in {scratch.path.parent} ({error.strerror}): make room there, or set TMPDIR"
            ) from error
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(scratch.remove)


@asynccontextmanager
async def _running(
    driver: Driver, plan: LaunchPlan, transport: Transport, *, may_lack: bool
) -> AsyncGenerator[AdapterProcess]:
    """`started`, by one transport. Raises _LackingError where it `may_lack` it and does."""
    doorway = Doorway() if isinstance(transport, CallsBack) else None
    try:
        process, wire = await _spawn(driver, plan, transport, doorway)
        adapter = AdapterProcess(process, driver)
        adapter.wire = wire
        only_failure: BaseException | None = None
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(adapter.watch_exit)
                tasks.start_soon(adapter.drain_stderr)
                try:
                    if wire is None:
                        adapter.wire = await _reach(adapter, transport, doorway, may_lack=may_lack)
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
            if adapter.wire is not None:
                adapter.wire.close()
            with anyio.CancelScope(shield=True):
                await process.aclose()
    finally:
        if doorway is not None:
            doorway.close()
    if only_failure is not None:
        raise only_failure


async def _spawn(
    driver: Driver, plan: LaunchPlan, transport: Transport, doorway: Doorway | None
) -> tuple[anyio.abc.Process, DescriptorWire | None]:
    """The process, and the wire to its standard streams where the conversation runs over them."""
    fill = {} if doorway is None else {"port": doorway.port, "token": doorway.token}
    command = (*driver.command(plan), *(argument.format(**fill) for argument in transport.arguments))
    terminal = plan.terminal if driver.shares_terminal and not isinstance(transport, StandardStreams) else None
    if terminal is not None:
        command = on_terminal(command)
    start = partial(
        anyio.open_process,
        command,
        cwd=driver.directory(plan),
        env=driver.environment(plan),
        start_new_session=True,
    )
    try:
        if terminal is not None:
            return await start(stdin=terminal.slave, stdout=terminal.slave, stderr=terminal.slave), None
        if not isinstance(transport, StandardStreams):
            return await start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT), None
        return await _spawn_with_pipes(start)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise AdapterCrashed(
            f"{driver.program} could not be started from {command[0]}: {reason}", adapter_command=command[0]
        ) from error


async def _spawn_with_pipes(
    start: Callable[..., Awaitable[anyio.abc.Process]],
) -> tuple[anyio.abc.Process, DescriptorWire]:
    its_input, to_it = os.pipe()
    from_it, its_output = os.pipe()
    try:
        process = await start(stdin=its_input, stdout=its_output, stderr=subprocess.PIPE)
    except (OSError, ValueError):
        os.close(to_it)
        os.close(from_it)
        raise
    finally:
        os.close(its_input)
        os.close(its_output)
    return process, DescriptorWire(from_it, to_it)


async def _reach(
    adapter: AdapterProcess, transport: Transport, doorway: Doorway | None, *, may_lack: bool
) -> SocketWire:
    """The connection to an adapter that has just been started, before it ends and within `CONNECT_DEADLINE`."""
    connected: list[socket.socket] = []

    async def connect() -> None:
        if isinstance(transport, CallsBack) and doorway is not None:
            connected.append(await doorway.caller(None if transport.shows_token else adapter.pid))
        else:
            connected.append(await called(adapter.pid))
        racing.cancel_scope.cancel()

    try:
        with anyio.move_on_after(CONNECT_DEADLINE):
            async with anyio.create_task_group() as racing:
                racing.start_soon(connect)
                await adapter.exited.wait()
                racing.cancel_scope.cancel()
    except BaseException:
        for useless in connected:
            useless.close()
        raise
    finally:
        if doorway is not None:
            doorway.close()
    if connected:
        return SocketWire(connected[0])
    ending, status = await adapter.last_words(), adapter.exit_status
    if may_lack and status is not None and adapter.driver.lacks(transport, status, adapter.stderr_tail):
        raise _LackingError
    program = adapter.driver.program
    text = f"did not connect within {CONNECT_DEADLINE:g} s" if status is None else "ended before it was connected"
    raise AdapterCrashed(f"{program} {text} ({ending}): see `lazydap logs`", adapter_command=program)


async def _end(adapter: AdapterProcess, tasks: anyio.abc.TaskGroup) -> None:
    wire = adapter.wire
    if wire is not None:
        if not wire.is_pumping:
            # A full pipe would keep the adapter from ending.
            tasks.start_soon(wire.pump, _forget)
        wire.close_input()
    with anyio.move_on_after(_exit_grace(adapter)):
        await adapter.exited.wait()
    for number, grace in ((signal.SIGTERM, TERMINATE_GRACE), (signal.SIGKILL, KILL_GRACE)):
        if adapter.exited.is_set():
            break
        _log.info("the adapter (pid %d) does not end: %s", adapter.pid, number.name)
        adapter.signal(number)
        with anyio.move_on_after(grace):
            await adapter.exited.wait()
    await sweep(adapter.pid, keep=adapter.keep)
    await adapter.last_words()


def _exit_grace(adapter: AdapterProcess) -> float:
    if adapter.wire is None or (adapter.driver.hangs_unlaunched and not adapter.has_launched):
        return 0.0
    return EXIT_GRACE if adapter.driver.exit_grace is None else adapter.driver.exit_grace


def _forget(data: bytes) -> None:
    del data


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
