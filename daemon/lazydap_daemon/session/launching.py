"""Owns the DAP launch handshake, from `initialize` to a program that runs, stands or has ended.

The order is that of doc/adapters.md, "Handshake".
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

import anyio

from lazydap_core.errors import AdapterCrashed, AdapterTimeout, DaemonError, DapProtocolError, InvalidLaunchConfig
from lazydap_daemon.adapters import launchers
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Pending
from lazydap_daemon.session.pushing import Pusher
from lazydap_daemon.session.racing import first_of
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.translate import adapter_faults

log = logging.getLogger("daemon.session")

LAUNCH_TIMEOUT: Final = 30.0
# lldb-dap fails `configurationDone` in general words and `launch`, right behind it, with the cause.
BETTER_ERROR_GRACE: Final = 1.0
LATE_EXIT_CODE: Final = 0.25


class _LaunchAnswer:
    """The answer to `launch`, whenever it comes; `error` is None when the adapter agreed."""

    def __init__(self, pending: Pending, limit: float) -> None:
        self._pending = pending
        self._limit = limit
        self.arrived = anyio.Event()
        self.failed = anyio.Event()
        self.error: DaemonError | None = None

    async def wait(self) -> None:
        try:
            with adapter_faults():
                await self._pending.reply(self._limit)
        except DaemonError as error:
            self.error = error
            self.failed.set()
        self.arrived.set()


async def shake_hands(session: Session, pusher: Pusher, sources: tuple[str, ...]) -> None:
    """Launch the program and set the breakpoints of `sources`.

    Raises AdapterCrashed when the adapter refuses `initialize` or goes away, AdapterTimeout when it is not done in
    time, DapProtocolError when it refuses `launch` or `configurationDone`.
    """
    limit = LAUNCH_TIMEOUT
    failure: DaemonError | None = None
    if session.plan.options.timeout_ms:
        limit = session.plan.options.timeout_ms / 1000
    try:
        with anyio.fail_after(limit):
            await _initialize(session)
            # Not awaited: codelldb and debugpy answer `launch` only after `configurationDone`.
            with adapter_faults():
                pending = await session.connection.send(*_beginning(session))
            answer = _LaunchAnswer(pending, limit)
            async with anyio.create_task_group() as group:
                group.start_soon(answer.wait)
                failure = await _launch(session, pusher, sources, answer, limit)
                group.cancel_scope.cancel()
    except TimeoutError:
        raise AdapterTimeout(
            f"the program was not {'attached to' if session.is_attached else 'started'} within {limit:g} s:"
            " raise the timeout, or see `lazydap logs`",
            command="adapter message",
        ) from None
    if failure is not None and session.launch_failure is not None:
        raise _told(session.launch_failure) from failure
    if failure is not None:
        raise failure


def _beginning(session: Session) -> tuple[str, dict[str, Any]]:
    plan, driver = session.plan, session.driver
    if plan.target is not None:
        return "attach", driver.attach_arguments(plan, plan.target)
    return "launch", driver.launch_arguments(plan)


def _told(reason: str) -> DapProtocolError:
    """The failure of a launch as the compiler tells it; the lines that only name a package are left to the details."""
    lines = [line.strip() for line in reason.splitlines() if line.strip() and not line.startswith("#")]
    return DapProtocolError(
        f"the program could not be built: {'; '.join(lines) or reason}", command="launch", adapter_message=reason
    )


async def _initialize(session: Session) -> None:
    arguments = session.driver.initialize_arguments()
    if session.terminal is not None:
        arguments["supportsRunInTerminalRequest"] = True
    try:
        session.capabilities = await session.ask(dap.Capabilities, "initialize", arguments)
    except DapProtocolError as refused:
        raise AdapterCrashed(f"the adapter refused to start: {refused.message}") from refused


async def _launch(
    session: Session, pusher: Pusher, sources: tuple[str, ...], answer: _LaunchAnswer, limit: float
) -> DaemonError | None:
    """Configure and settle; the error that ended the launch, None when the program was started."""
    is_lost = anyio.Event()

    async def watch() -> None:
        # On a terminal it is we who start the launcher.
        if not session.driver.has_launcher or session.is_attached or session.plan.terminal is not None:
            await anyio.sleep_forever()
        await launchers.lost(session.process.pid)
        is_lost.set()

    await first_of(
        session.initialized.wait, answer.failed.wait, session.has_terminated.wait, session.stream_ended.wait, watch
    )
    if is_lost.is_set() and not session.initialized.is_set():
        command = session.driver.adapter_command
        return InvalidLaunchConfig(
            f"{command} ended before the program began: see that it starts at all, with this launch's environment",
            adapter_command=command,
        )
    if answer.error is None and session.initialized.is_set():
        error = await _configure(session, pusher, sources, limit)
        if error is not None:
            with anyio.move_on_after(BETTER_ERROR_GRACE):
                await answer.arrived.wait()
            return answer.error or error
    return await _settle(session, answer)


async def _configure(session: Session, pusher: Pusher, sources: tuple[str, ...], limit: float) -> DaemonError | None:
    try:
        for command, arguments in session.driver.settings:
            await _set_up(session, command, arguments)
        for source in sources:
            await pusher.push_leniently(source)
        for tell in session.before_start:
            await tell()
        if session.capabilities.supports_configuration_done_request:
            # Without arguments, not with none: codelldb calls a request malformed that has more than it knows.
            await session.ask(_Anything, "configurationDone", limit=limit)
    except DaemonError as error:
        return error
    return None


async def _set_up(session: Session, command: str, arguments: Mapping[str, Any]) -> None:
    """Send what the adapter is to be told of its own manners; a refusal leaves them as they are."""
    try:
        await session.ask(_Anything, command, dict(arguments))
    except DapProtocolError as refused:
        log.warning("setting refused session=%s command=%s reason=%s", session.id, command, refused.message)


async def _settle(session: Session, answer: _LaunchAnswer) -> DaemonError | None:
    await first_of(answer.arrived.wait, session.has_terminated.wait, session.stream_ended.wait)
    if answer.error is not None:
        return answer.error
    if session.plan.stop_on_entry:
        await first_of(session.came_to_rest.wait, session.stream_ended.wait)
    if session.stream_ended.is_set() and not session.has_terminated.is_set():
        return AdapterCrashed(
            f"the adapter went away while it started the program: {await session.process.last_words()}"
        )
    if session.has_terminated.is_set():
        session.ask_for_exit_code()
        with anyio.move_on_after(LATE_EXIT_CODE):
            await session.exit_code_known.wait()
    elif session.state == "initialising":
        session.move("continued")
    return None


_Anything: Any = dict[str, Any]
