"""Owns a session's adapter from its start to the last process gone; decides nothing about moving or looking."""

import logging
from typing import Any, Final

import anyio

from lazydap_core.errors import AdapterCrashed, Cancelled, DaemonError
from lazydap_core.protocol import objects
from lazydap_daemon.adapters import attaching
from lazydap_daemon.adapters.process import Debuggee, started
from lazydap_daemon.dap.connection import Connection
from lazydap_daemon.dap.errors import StreamBroken
from lazydap_daemon.session.actor import ACTING
from lazydap_daemon.session.hearing import Hearing
from lazydap_daemon.session.launching import shake_hands
from lazydap_daemon.session.pushing import Pusher
from lazydap_daemon.session.racing import first_of
from lazydap_daemon.session.session import FAREWELL_TIMEOUT, Session
from lazydap_daemon.session.terminal import ProgramTerminal
from lazydap_daemon.session.translate import adapter_faults

log = logging.getLogger("daemon.session")

DISCONNECT_TIMEOUT: Final = 3.0
# Letting go of a running program takes LLDB seconds.
DETACH_TIMEOUT: Final = 10.0
# Getting into a running Python takes the better part of it.
ATTACH_GRACE: Final = 15.0
FAREWELL_GRACE: Final = 0.25
PROGRAM_POLL: Final = 1.0
TRACER_POLL: Final = 0.05
LOST_END_GRACE: Final = 2.0


class Outcome:
    """What became of a launch; `error` is None when the session lives."""

    def __init__(self) -> None:
        self.done = anyio.Event()
        self.error: DaemonError | None = None

    def settle(self, error: DaemonError | None) -> None:
        """Say what became of it, once."""
        self.error = error
        self.done.set()


async def own(
    session: Session, pusher: Pusher, terminal: ProgramTerminal, sources: tuple[str, ...], outcome: Outcome
) -> None:
    """Run the session's adapter until the session is over; returns when no process of it is left.

    The launch's result is in `outcome` before the session is; an error leaves nothing running.
    """
    try:
        async with started(session.driver, session.plan) as process, anyio.create_task_group() as tasks:
            hearing = Hearing(session)
            conversation = Connection(process.stream, on_event=hearing.on_event, on_request=terminal.take_request)
            session.attach(process, conversation, tasks)
            if session.driver.noise_is_output:
                process.on_noise = hearing.on_noise
            tasks.start_soon(_read, session)
            target = session.plan.target
            if target is not None and target.pid is not None:
                # It was there before the adapter, and is to be there after it.
                process.keep = target.pid
                session.debuggee = Debuggee.of(target.pid)
            error = await _launch(session, pusher, sources)
            if error is not None and target is not None:
                error = await _attach_failure(session, error)
                await _let_go(session)
            elif error is not None and session.debuggee is not None:
                session.debuggee.kill()
            process.has_launched = error is None
            outcome.settle(error)
            if error is None:
                if session.driver.loses_events:
                    tasks.start_soon(_watch_program, session)
                await first_of(session.ended.wait, session.closing.wait)
                await _say_farewell(session)
            tasks.cancel_scope.cancel()
    except DaemonError as error:
        outcome.settle(error)
    finally:
        with anyio.CancelScope(shield=True):
            await terminal.end()
        session.gone.set()
    await terminal.linger()


async def _launch(session: Session, pusher: Pusher, sources: tuple[str, ...]) -> DaemonError | None:
    results: list[DaemonError | None] = []

    async def given_up() -> None:
        await session.closing.wait()
        if session.debuggee is not None and session.is_attached:
            # An adapter that is ended half-way into a process takes it along: it gets the time to arrive.
            with anyio.move_on_after(ATTACH_GRACE):
                await session.stream_ended.wait()

    async def handshake() -> None:
        try:
            await shake_hands(session, pusher, sources)
            if session.driver.injects and session.is_attached and session.debuggee is not None:
                # The program answers already; to leave it now would leave it to crash.
                await _untraced(session.debuggee.pid)
        except DaemonError as error:
            results.append(error)
        else:
            results.append(None)

    await first_of(handshake, given_up)
    if results and not session.closing.is_set():
        return results[0]
    return Cancelled(f"the launch was given up: {session.given_up}")


async def _let_go(session: Session) -> None:
    """Leave a process as it was, where an attempt to attach to it has come to nothing."""
    if session.debuggee is None or session.stream_ended.is_set():
        return
    session.is_tearing_down = True
    with anyio.CancelScope(shield=True):
        try:
            with adapter_faults():
                await session.connection.request("disconnect", {"terminateDebuggee": False}, timeout=DETACH_TIMEOUT)
        except DaemonError as error:
            log.warning("adapter did not let go session=%s reason=%s", session.id, error.message)
        # Whatever has its hands in the process still would take it along when it is ended.
        await _untraced(session.debuggee.pid)


async def _untraced(pid: int) -> None:
    with anyio.move_on_after(ATTACH_GRACE):
        while attaching.tracer_of(pid):  # noqa: ASYNC110 - the system has no event for it
            await anyio.sleep(TRACER_POLL)


async def _attach_failure(session: Session, error: DaemonError) -> DaemonError:
    """The error of an attach, with what the system, or what stands for an adapter elsewhere, says about it."""
    target = session.plan.target
    if target is None or isinstance(error, Cancelled):
        return error
    if isinstance(error, AdapterCrashed) and target.port is not None:
        return AdapterCrashed(f"cannot attach: {await session.process.last_words()}")
    return attaching.explained(error, target)


async def _read(session: Session) -> None:
    try:
        await session.connection.run()
    except StreamBroken as broken:
        session.stream_ended.set()
        if session.is_announced and not session.is_tearing_down:
            adapter_died(session, broken.detail)


def adapter_died(session: Session, detail: str) -> None:
    """End a session whose adapter is gone; the program is killed first."""
    # The program first: without its debugger nobody could stop it any more.
    is_ours = session.debuggee is not None and session.ending is None and not session.is_attached
    killed = is_ours and session.debuggee is not None and session.debuggee.kill()
    if killed:
        detail = f"{detail}; the program was killed with it"
    log.warning("adapter died session=%s detail=%s", session.id, detail)
    session.end(objects.AdapterDied(detail=detail))
    session.closing.set()


async def _watch_program(session: Session) -> None:
    """End a session whose program is gone without a word: codelldb drops what is not taken from it soon enough."""
    while session.ending is None:
        await anyio.sleep(PROGRAM_POLL)
        if session.debuggee is None or session.debuggee.is_alive():
            continue
        with anyio.move_on_after(LOST_END_GRACE):
            await session.ended.wait()
        if session.ending is None and not session.is_tearing_down:
            log.warning("the adapter has not told of the end of the program session=%s", session.id)
            session.end("terminated")


async def _say_farewell(session: Session) -> None:
    """Let an adapter whose program ended by itself go; one that is being disconnected is waited for."""
    if session.has_left:
        with anyio.move_on_after(FAREWELL_TIMEOUT):
            await session.stream_ended.wait()
        return
    if session.is_tearing_down or session.stream_ended.is_set():
        await first_of(session.closing.wait, session.stream_ended.wait)
        return
    session.is_tearing_down = True
    arguments: dict[str, Any] = {}
    if session.driver.keeps_debuggee(session.capabilities, is_attached=session.is_attached):
        # Letting go takes LLDB seconds, even of a program that is not there any more.
        is_gone = session.debuggee is not None and not session.debuggee.is_alive()
        arguments["terminateDebuggee"] = is_gone or session.exit_code is not None
    try:
        with adapter_faults():
            await session.connection.request("disconnect", arguments, timeout=FAREWELL_TIMEOUT)
    except DaemonError as error:
        log.debug("adapter did not say farewell session=%s reason=%s", session.id, error.message)
    with anyio.move_on_after(FAREWELL_GRACE):
        await session.stream_ended.wait()


def would_terminate(session: Session, *, terminate: bool) -> bool:
    """Whether a disconnect would end the program: as asked, but for adapters that cannot leave it running."""
    keeps = session.driver.keeps_debuggee(session.capabilities, is_attached=session.is_attached)
    return session.is_live and (terminate or not keeps)


async def disconnect(session: Session, *, terminate: bool) -> bool:
    """End the session, until no process of it is left that should not be; whether the program was ended with it."""
    terminates = would_terminate(session, terminate=terminate)
    if session.is_tearing_down:
        await session.gone.wait()
        return terminates
    session.is_tearing_down = session.is_disconnecting = True
    session.actor = ACTING.get()
    with anyio.CancelScope(shield=True):
        if session.is_announced and session.is_live:
            await _ask_to_disconnect(session, terminates=terminates)
        if session.is_announced:
            session.end("disconnected")
        session.closing.set()
        await session.gone.wait()
    if terminates and session.is_attached and session.debuggee is not None:
        # Some adapters only let go of it, whatever they are asked for.
        session.debuggee.kill()
    return terminates


async def _ask_to_disconnect(session: Session, *, terminates: bool) -> None:
    arguments: dict[str, Any] = {"terminateDebuggee": True}
    if not terminates:
        arguments["terminateDebuggee"] = False
        session.is_let_go = True
        # What is let go with a signal under way would stop at once, with nobody to wake it.
        session.interrupt.withdraw()
        if session.debuggee is not None:
            # From here the program is no longer ours to kill, whatever becomes of the adapter.
            session.process.keep = session.debuggee.pid
            session.debuggee = None
        if session.driver.leaves_as_it_stands:
            await _set_free(session)
    try:
        with adapter_faults():
            await session.connection.request(
                "disconnect", arguments, timeout=DISCONNECT_TIMEOUT if terminates else DETACH_TIMEOUT
            )
    except DaemonError as error:
        log.warning("adapter did not disconnect session=%s reason=%s", session.id, error.message)


async def _set_free(session: Session) -> None:
    """Take away all that would stop the program, and let it run: nobody would wake it where it stands."""
    try:
        for withdraw in session.before_leaving:
            await withdraw()
        if session.state == "paused":
            await session.ask(_Anything, "continue", {"threadId": session.last_thread_id or session.driver.no_thread})
    except DaemonError as error:
        log.warning("the program may be left standing session=%s reason=%s", session.id, error.message)


_Anything: Any = dict[str, Any]
