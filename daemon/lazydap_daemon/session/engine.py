"""Owns the one session slot of a daemon, and which part of the session answers which request."""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import anyio
from anyio.abc import TaskGroup

from lazydap_core.errors import (
    Cancelled,
    DaemonError,
    SessionAlreadyActive,
    SessionNotFound,
    Unsupported,
)
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.adapters import attaching
from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.session import owning, translate
from lazydap_daemon.session.choosing import Chooser
from lazydap_daemon.session.functions import Functions
from lazydap_daemon.session.handles import Handles
from lazydap_daemon.session.lines import Lines
from lazydap_daemon.session.muting import Muter
from lazydap_daemon.session.occupant import Occupant
from lazydap_daemon.session.ordering import Order, plan_of
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.terminal import opened_for, with_terminal
from lazydap_daemon.session.watching import Watcher, Watchers
from lazydap_daemon.store.project import ProjectStore
from lazydap_daemon.store.reconciling import External

log = logging.getLogger("daemon.session")

SHUTDOWN_TIMEOUT: Final = 5.0
_GIVEN_UP: Final = "somebody has stopped it"


class Engine:
    """Answers every request about the project's breakpoints and its one session.

    A launch takes the slot before its adapter starts; a finished session keeps it, readable, until the next launch.
    `publish` is called with each event, in order, and must not wait.
    """

    def __init__(
        self,
        *,
        project: ProjectStore,
        publish: Callable[[events.Event], None],
        tasks: TaskGroup,
        find_driver: Callable[[LaunchPlan], Awaitable[Driver]],
    ) -> None:
        self._project = project
        self._publish = publish
        self._tasks = tasks
        self._find_driver = find_driver
        self._handles = Handles()
        self._order: Order | None = None
        self._starting: Occupant | None = None
        self._occupant: Occupant | None = None
        self._chooser = Chooser(project, publish, lambda: self._occupant)
        self._lines = Lines(project, publish, lambda: (self._occupant, self._starting))
        self._muter = Muter(project, publish, lambda: (self._occupant, self._starting))
        self._functions = Functions(project, publish, lambda: self._occupant)
        self._watchers = Watchers(publish, self._watched)

    async def handle(self, request: requests.SessionRequest) -> responses.Response:  # noqa: PLR0911 - one case a request
        """The answer to one request; raises a DaemonError. Cancelling abandons only the waiting."""
        match request:
            case requests.Launch() | requests.Attach():
                return await self._launch(request)
            case requests.Restart():
                return await self._restart(request)
            case requests.CancelLaunch():
                return await self._cancel()
            case requests.Disconnect():
                return await self._disconnect(request)
            case (
                requests.BreakpointList()
                | requests.BreakpointAdd()
                | requests.BreakpointRemove()
                | requests.BreakpointToggle()
                | requests.BreakpointMove()
            ):
                return await self._lines.answer(request)
            case requests.ExceptionFilterList() | requests.ExceptionFilterSet():
                return await self._chooser.answer(request)
            case requests.Mute():
                return await self._muter.answer(request)
            case (
                requests.FunctionBreakpointList()
                | requests.FunctionBreakpointAdd()
                | requests.FunctionBreakpointRemove()
                | requests.FunctionBreakpointToggle()
            ):
                return await self._functions.answer(request)
            case (
                requests.DataBreakpointList()
                | requests.DataBreakpointAdd()
                | requests.DataBreakpointRemove()
                | requests.DataBreakpointToggle()
            ):
                return await self._watchers.answer(request)
            case _:
                return await self._found(request.session_id).answer(request)

    def follow(self, external: External) -> None:
        """Carry to the session, running or starting, what somebody else has changed in the project."""
        sources = {one.source for one in external.breakpoints} | external.left
        if external.has_mute_changed:
            sources |= {one.source for one in self._project.breakpoints if one.enabled}
        if self._starting is not None:
            self._starting.changed_sources.update(dict.fromkeys(sorted(sources)))
        occupant = self._occupant
        if occupant is not None and occupant.session.is_live:
            for one in external.breakpoints:
                occupant.session.book.moved(one.id)
            self._tasks.start_soon(self._catch_up, occupant, sorted(sources))

    def summary(self) -> objects.SessionSummary | None:
        """The session in the slot, a finished one too; None while a launch is under way."""
        if self._occupant is None:
            return None
        session = self._occupant.session
        return objects.SessionSummary(
            session_id=session.id,
            adapter=session.plan.kind,
            program=session.plan.program,
            state=session.state,
            exit_code=session.exit_code,
            buffered_events=len(session.history),
            captured_output_chunks=session.history.output_count,
            dropped_events=session.history.dropped,
            uptime_ms=int((time.monotonic() - session.started_at) * 1000),
            adapter_command=session.driver.adapter_command,
            stop=session.stop.told() if session.stop is not None else None,
            terminal=self._occupant.terminal.state(),
            attached=True if session.is_attached else None,
        )

    async def shutdown(self) -> tuple[objects.SessionSummary, ...]:
        """End the session, bounded by `SHUTDOWN_TIMEOUT`; returns what there was."""
        summary = self.summary()
        occupant = self._occupant or self._starting
        if occupant is not None and not occupant.session.gone.is_set():
            with anyio.move_on_after(SHUTDOWN_TIMEOUT):
                await owning.disconnect(occupant.session, terminate=not occupant.session.is_attached)
        return () if summary is None else (summary,)

    def _watched(self) -> tuple[Session, Watcher] | None:
        occupant = self._occupant
        return (occupant.session, occupant.watcher) if occupant is not None and occupant.session.is_live else None

    # The slot.

    def _found(self, session_id: objects.SessionId) -> Occupant:
        occupant = self._occupant
        if occupant is None or occupant.session.id != session_id:
            raise SessionNotFound("there is no such session: launch a program", session_id=str(session_id))
        return occupant

    async def _launch(self, request: requests.Launch | requests.Attach) -> responses.Launched:
        self._reserve()
        self._occupant = None
        return await self._carried_out(Order(request))

    async def _restart(self, request: requests.Restart) -> responses.Launched:
        """End the session's program, and launch what was launched."""
        occupant = self._found(request.session_id)
        if not isinstance(occupant.request, requests.Launch):
            raise Unsupported(
                "the program was attached to, not launched: end it, start it again and attach once more",
                session_id=str(request.session_id),
            )
        if self._order is not None:
            raise _busy()
        return await self._carried_out(Order(occupant.request, replaces=occupant))

    async def _carried_out(self, order: Order) -> responses.Launched:
        self._order = order
        # In a task of the engine's: a client that hangs up while its program starts does not take it along.
        self._tasks.start_soon(self._carry_out, order)
        await order.is_done.wait()
        return order.answer()

    async def _carry_out(self, order: Order) -> None:
        try:
            if order.replaces is not None:
                await owning.disconnect(order.replaces.session, terminate=True)
                self._occupant = None
            occupant = await self._start(order)
        except DaemonError as error:
            order.error = error
            return
        else:
            order.launched = self._launched(occupant)
            await self._catch_up(occupant, tuple(occupant.changed_sources))
            self._chooser.learn()
        finally:
            self._order = None
            self._starting = None
            order.is_done.set()

    async def _cancel(self) -> responses.LaunchCancelled:
        """Give up what is being started, until nothing of it is left."""
        order = self._order
        if order is None:
            return responses.LaunchCancelled(cancelled=False)
        order.is_cancelled = True
        if self._starting is not None and not self._starting.session.is_announced:
            self._starting.session.given_up = _GIVEN_UP
            await owning.disconnect(self._starting.session, terminate=not self._starting.session.is_attached)
        await order.is_done.wait()
        return responses.LaunchCancelled(cancelled=order.launched is None)

    def _launched(self, occupant: Occupant) -> responses.Launched:
        session = occupant.session
        standing = session.stop
        return responses.Launched(
            session_id=session.id,
            state=session.state,
            reason=standing.reason if standing else None,
            raw_reason=standing.raw_reason if standing else None,
            thread_id=standing.thread_id if standing else None,
            capabilities=translate.capabilities(session.capabilities),
            breakpoints=self._lines.decorated(self._project.breakpoints),
            adapter_command=session.driver.adapter_command,
            stop=standing.told() if standing else None,
            terminal=occupant.terminal.state(),
        )

    async def _catch_up(self, occupant: Occupant, sources: Sequence[str]) -> None:
        """Tell the adapter of what changed while it was starting the program, or was changed by somebody else."""
        try:
            for source in sources:
                await occupant.pusher.push_leniently(source)
            await occupant.functions.push_leniently()
            await occupant.watcher.pusher.push_leniently()
            await occupant.filters.push_leniently()
        except DaemonError as error:
            log.warning("breakpoints not applied session=%s reason=%s", occupant.session.id, error.message)

    def _reserve(self) -> None:
        occupant = self._occupant
        if self._order is not None:
            raise _busy()
        if occupant is not None and _is_taken(occupant.session):
            session = occupant.session
            raise SessionAlreadyActive(
                "a program is already being debugged: stop it first (lazydap disconnect)",
                session_id=str(session.id),
                state=session.state,
            )

    async def _start(self, order: Order) -> Occupant:
        plan = plan_of(order.request, self._project.root)
        if plan.target is not None:
            attaching.check(plan.target, plan.kind)
        driver = await self._find_driver(plan)
        if plan.target is None:
            driver.check(plan)
        else:
            # What the adapter does not know is refused before anything is started.
            driver.attach_arguments(plan, plan.target)
        if order.is_cancelled:
            raise Cancelled(f"the launch was given up: {_GIVEN_UP}")
        terminal = opened_for(plan) if plan.target is None else None
        if terminal is not None:
            plan = with_terminal(plan, terminal)
        session = Session(plan, driver, handles=self._handles, publish=self._publish, terminal=terminal)
        self._starting = occupant = Occupant(session, self._project, order.request)
        sources = dict.fromkeys(b.source for b in self._project.breakpoints if self._project.is_active(b))
        outcome = owning.Outcome()
        self._tasks.start_soon(owning.own, session, occupant.pusher, occupant.terminal, tuple(sorted(sources)), outcome)
        await outcome.done.wait()
        if outcome.error is not None:
            await session.gone.wait()
            raise outcome.error
        self._occupant = occupant
        session.announce()
        if session.has_terminated.is_set():
            session.end_by_itself()
        elif session.stream_ended.is_set():
            owning.adapter_died(session, session.process.ending())
        return occupant

    async def _disconnect(self, request: requests.Disconnect) -> responses.Disconnected:
        occupant = self._found(request.session_id)
        session = occupant.session
        # Most clients ask for the end of whatever is debugged; what was attached to needs to be meant.
        terminate = request.terminate and (not session.is_attached or bool(request.even_attached))
        if request.dry_run:
            terminates = owning.would_terminate(session, terminate=terminate)
        else:
            terminates = await owning.disconnect(session, terminate=terminate)
            if self._occupant is occupant:
                self._occupant = None
        return responses.Disconnected(session_id=session.id, dry_run=request.dry_run, terminated_debuggee=terminates)


def _busy() -> SessionAlreadyActive:
    return SessionAlreadyActive(
        "a launch is already under way: wait for it, or stop it (lazydap disconnect)", session_id="", state="launching"
    )


def _is_taken(session: Session) -> bool:
    return session.is_live or (session.is_disconnecting and not session.gone.is_set())
