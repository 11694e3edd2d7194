"""Owns what a session has of its program's terminal: what is started on it, typed into it and told of it."""

import logging
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, assert_never

import anyio
import anyio.abc
import msgspec

from lazydap_core.errors import BadRequest, DaemonError, InvalidLaunchConfig, Unsupported
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.adapters.plan import LaunchPlan, client_environment, start_directory
from lazydap_daemon.adapters.sweeping import KILL_GRACE, sweep
from lazydap_daemon.dap.connection import ReverseRequest
from lazydap_daemon.dap.errors import BodyMalformed
from lazydap_daemon.dap.messages import RunInTerminalArguments
from lazydap_daemon.session.session import Session
from lazydap_daemon.terminal.pty import COLUMNS, ROWS, on_terminal, terminal_environment
from lazydap_daemon.terminal.terminal import Terminal

log = logging.getLogger("daemon.session")

_WITHOUT: Final = (
    "the program has no terminal: launch it with one (`lazydap launch --terminal`, or in launch.json"
    ' `"console": "integratedTerminal"`)'
)


def opened_for(plan: LaunchPlan) -> Terminal | None:
    """The terminal that a launch asks for, None where it asks for none. Raises InvalidLaunchConfig."""
    if not plan.options.terminal:
        return None
    columns, rows = plan.options.terminal_size or (COLUMNS, ROWS)
    try:
        return Terminal(columns, rows)
    except OSError as error:
        raise InvalidLaunchConfig(
            f"the system gives no terminal ({error.strerror}): launch without one, or close some"
        ) from error


def with_terminal(plan: LaunchPlan, terminal: Terminal) -> LaunchPlan:
    """The plan of a program that runs on `terminal`."""
    environment = terminal_environment(client_environment(plan))
    options = msgspec.structs.replace(plan.options, client_env=environment)
    return replace(plan, terminal=terminal.pty, options=options)


class ProgramTerminal:
    """The terminal of a session's program, or the lack of one.

    What an adapter starts on it leads a session of processes of its own and is ended with the debug session, all but a
    program that is let go.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._started: list[anyio.abc.Process] = []
        if session.terminal is not None:
            session.terminal.on_batch = self._tell
            session.terminal.pty.start()

    # What the adapter asks for.

    def take_request(self, request: ReverseRequest) -> bool:
        """Start what an adapter wants to be run in a terminal; whether that was what it asked for."""
        if request.command != "runInTerminal" or self._session.terminal is None:
            return False
        self._session.tasks.start_soon(self._run, request, self._session.terminal)
        return True

    async def _run(self, request: ReverseRequest, terminal: Terminal) -> None:
        try:
            process = await self._start(request.arguments.decode(RunInTerminalArguments), terminal)
        except (BodyMalformed, OSError, ValueError) as error:
            log.warning("nothing was started in the terminal session=%s reason=%s", self._session.id, error)
            request.refuse(str(error))
            return
        request.accept({"processId": process.pid})

    async def _start(self, wanted: RunInTerminalArguments, terminal: Terminal) -> anyio.abc.Process:
        plan = self._session.plan
        changed = wanted.env or {}
        environment = {name: value for name, value in client_environment(plan).items() if name not in changed}
        environment.update({name: value for name, value in changed.items() if value is not None})
        directory = wanted.cwd or start_directory(plan)
        _check(wanted.args, directory, environment.get("PATH"))
        slave = terminal.pty.slave
        # Whoever gives up the launch must find what has been started.
        with anyio.CancelScope(shield=True):
            self._started.append(
                await anyio.open_process(
                    on_terminal(wanted.args),
                    stdin=slave,
                    stdout=slave,
                    stderr=slave,
                    cwd=directory,
                    env=environment,
                    start_new_session=True,
                )
            )
        return self._started[-1]

    # How it ends.

    async def end(self) -> None:
        """End what was started on the terminal, and close it; for a program that is let go it stays (`linger`)."""
        terminal = self._session.terminal
        if terminal is None:
            return
        keep = self._session.kept_pid
        for process in self._started:
            await sweep(process.pid, keep=keep)
            if process.pid != keep:
                with anyio.move_on_after(KILL_GRACE):
                    await process.wait()
        if keep is None:
            terminal.close()
        else:
            terminal.pty.let_go()

    async def linger(self) -> None:
        """Keep the terminal of a program that was let go until it needs it no more, or the daemon ends."""
        terminal = self._session.terminal
        if terminal is None:
            return
        try:
            await terminal.pty.hung_up.wait()
            for process in self._started:
                await process.wait()
        finally:
            terminal.close()

    # What clients ask for, and are told.

    def state(self) -> objects.TerminalState | None:
        """What there is to say of it; None where there is none."""
        terminal = self._session.terminal
        if terminal is None:
            return None
        pty = terminal.pty
        return objects.TerminalState(
            columns=pty.columns, rows=pty.rows, shown=terminal.ring.end, is_open=not pty.hung_up.is_set()
        )

    def answer(self, request: requests.TerminalRequest) -> responses.TerminalShown:
        """What the terminal shows, or that what was asked is done. Raises Unsupported, BadRequest."""
        terminal = self._session.terminal
        if terminal is None:
            raise Unsupported(_WITHOUT)
        match request:
            case requests.TerminalRead():
                asked = request.after_seq or 0
                seq, data = terminal.ring.since(asked)
                return self._shown(terminal, seq, data, dropped=max(0, seq - asked))
            case requests.TerminalWrite():
                self._type(terminal, request.data)
            case requests.TerminalResize():
                self._open(terminal)
                terminal.pty.resize(request.columns, request.rows)
                self._tell(terminal.ring.end, b"")
            case _:
                assert_never(request)
        return self._shown(terminal, terminal.ring.end, b"")

    def _type(self, terminal: Terminal, data: bytes) -> None:
        self._open(terminal)
        if not terminal.pty.write(data):
            raise BadRequest("the program does not read its terminal, so nothing was typed: wait until it does")
        debuggee = self._session.debuggee
        # A program that only has the device gets no signals from it: the keys that mean one are nobody's.
        if debuggee is not None and not terminal.pty.foreground_group:
            for number in terminal.pty.signals(data):
                debuggee.signal(number)

    def _open(self, terminal: Terminal) -> None:
        if terminal.pty.hung_up.is_set():
            raise _ended()

    def _shown(self, terminal: Terminal, seq: int, data: bytes, *, dropped: int = 0) -> responses.TerminalShown:
        pty = terminal.pty
        return responses.TerminalShown(
            session_id=self._session.id,
            seq=seq,
            data=data,
            dropped=dropped,
            columns=pty.columns,
            rows=pty.rows,
            is_open=not pty.hung_up.is_set(),
        )

    def _tell(self, place: int, data: bytes) -> None:
        terminal = self._session.terminal
        if terminal is not None and self._session.is_announced:
            self._session.publish(
                events.Terminal(
                    session_id=self._session.id,
                    seq=place,
                    data=data,
                    columns=terminal.pty.columns,
                    rows=terminal.pty.rows,
                )
            )


def _check(command: Sequence[str], directory: str, path: str | None) -> None:
    """Raises ValueError for what cannot be started: the program's own process could not tell."""
    if not command:
        raise ValueError("nothing to run was named")
    program = str(Path(directory, command[0])) if "/" in command[0] else command[0]
    if shutil.which(program, path=path) is None:
        raise ValueError(f"there is no program {command[0]}")


def _ended() -> DaemonError:
    return BadRequest("the program has ended, and takes nothing from its terminal: launch it again")
