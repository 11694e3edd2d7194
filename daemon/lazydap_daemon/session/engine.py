"""Owns the one session slot of a daemon, and which part of the session answers which request."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio
import msgspec
from anyio.abc import TaskGroup

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.errors import (
    DaemonError,
    InvalidLaunchConfig,
    SessionAlreadyActive,
    SessionNotFound,
)
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.session import owning, translate
from lazydap_daemon.session.book import undecorated
from lazydap_daemon.session.choosing import Chooser
from lazydap_daemon.session.handles import Handles
from lazydap_daemon.session.occupant import Occupant
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.terminal import opened_for, with_terminal
from lazydap_daemon.store.project import Change, ProjectStore

log = logging.getLogger("daemon.session")

SHUTDOWN_TIMEOUT: Final = 5.0


class _Launch:
    """A launch under way, and what became of it once `is_done`."""

    def __init__(self, request: requests.Launch) -> None:
        self.request = request
        self.is_done = anyio.Event()
        self.error: DaemonError | None = None
        self.launched: responses.Launched | None = None

    def answer(self) -> responses.Launched:
        """The answer of a launch that has succeeded."""
        if self.launched is None:
            raise LookupError("the launch has no result")
        return self.launched


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
        self._is_launching = False
        self._starting: Occupant | None = None
        self._occupant: Occupant | None = None
        self._chooser = Chooser(project, publish, lambda: self._occupant)

    async def handle(self, request: requests.SessionRequest) -> responses.Response:
        """The answer to one request; raises a DaemonError. Cancelling abandons only the waiting."""
        match request:
            case requests.Launch():
                return await self._launch(request)
            case requests.Disconnect():
                return await self._disconnect(request)
            case (
                requests.BreakpointList()
                | requests.BreakpointAdd()
                | requests.BreakpointRemove()
                | requests.BreakpointToggle()
                | requests.BreakpointMove()
            ):
                return await self._on_breakpoints(request)
            case requests.ExceptionFilterList() | requests.ExceptionFilterSet():
                return await self._chooser.answer(request)
            case _:
                return await self._found(request.session_id).answer(request)

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
        )

    async def shutdown(self) -> tuple[objects.SessionSummary, ...]:
        """End the session, bounded by `SHUTDOWN_TIMEOUT`; returns what there was."""
        summary = self.summary()
        occupant = self._occupant or self._starting
        if occupant is not None and not occupant.session.gone.is_set():
            with anyio.move_on_after(SHUTDOWN_TIMEOUT):
                await owning.disconnect(occupant.session, terminate=True)
        return () if summary is None else (summary,)

    # The slot.

    def _found(self, session_id: objects.SessionId) -> Occupant:
        occupant = self._occupant
        if occupant is None or occupant.session.id != session_id:
            raise SessionNotFound("there is no such session: launch a program", session_id=str(session_id))
        return occupant

    async def _launch(self, request: requests.Launch) -> responses.Launched:
        self._reserve()
        launch = _Launch(request)
        # In a task of the engine's: a client that hangs up while its program starts does not take it along.
        self._tasks.start_soon(self._carry_out, launch)
        await launch.is_done.wait()
        if launch.error is not None:
            raise launch.error
        return launch.answer()

    async def _carry_out(self, launch: _Launch) -> None:
        try:
            occupant = await self._start(launch.request)
        except DaemonError as error:
            launch.error = error
            return
        else:
            launch.launched = self._launched(occupant.session)
            await self._catch_up(occupant)
        finally:
            self._is_launching = False
            self._starting = None
            launch.is_done.set()

    def _launched(self, session: Session) -> responses.Launched:
        standing = session.stop
        return responses.Launched(
            session_id=session.id,
            state=session.state,
            reason=standing.reason if standing else None,
            raw_reason=standing.raw_reason if standing else None,
            thread_id=standing.thread_id if standing else None,
            capabilities=translate.capabilities(session.capabilities),
            breakpoints=self._decorated(self._project.breakpoints),
            adapter_command=session.driver.adapter_command,
            stop=standing.told() if standing else None,
        )

    async def _catch_up(self, occupant: Occupant) -> None:
        """Tell the adapter of breakpoints that changed while it was starting the program."""
        for source in occupant.changed_sources:
            try:
                await occupant.pusher.push_leniently(source)
            except DaemonError as error:
                log.warning("breakpoints not applied source=%s reason=%s", source, error.message)
        await occupant.filters.push_leniently()
        self._chooser.learn()

    def _reserve(self) -> None:
        occupant = self._occupant
        if self._is_launching:
            raise SessionAlreadyActive("a launch is already under way: wait for it", session_id="", state="launching")
        if occupant is not None and _is_taken(occupant.session):
            session = occupant.session
            raise SessionAlreadyActive(
                "a program is already being debugged: stop it first (lazydap disconnect)",
                session_id=str(session.id),
                state=session.state,
            )
        self._is_launching = True
        self._occupant = None

    async def _start(self, request: requests.Launch) -> Occupant:
        plan = self._plan(request)
        driver = await self._find_driver(plan)
        driver.check(plan)
        terminal = opened_for(plan)
        if terminal is not None:
            plan = with_terminal(plan, terminal)
        session = Session(plan, driver, handles=self._handles, publish=self._publish, terminal=terminal)
        self._starting = occupant = Occupant(session, self._project)
        sources = dict.fromkeys(b.source for b in self._project.breakpoints if b.enabled)
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

    def _plan(self, request: requests.Launch) -> LaunchPlan:
        return LaunchPlan(
            kind=request.adapter,
            program=request.program,
            args=request.args,
            cwd=request.cwd,
            env=request.env,
            stop_on_entry=request.stop_on_entry,
            adapter_command=request.adapter_command,
            options=_options(request.options),
            root=str(self._project.root),
        )

    async def _disconnect(self, request: requests.Disconnect) -> responses.Disconnected:
        occupant = self._found(request.session_id)
        session = occupant.session
        if request.dry_run:
            terminates = owning.would_terminate(session, terminate=request.terminate)
        else:
            terminates = await owning.disconnect(session, terminate=request.terminate)
            if self._occupant is occupant:
                self._occupant = None
        return responses.Disconnected(session_id=session.id, dry_run=request.dry_run, terminated_debuggee=terminates)

    # The project's breakpoints.

    async def _on_breakpoints(self, request: requests.BreakpointRequest) -> responses.Breakpoints:
        match request:
            case requests.BreakpointList():
                return responses.Breakpoints(
                    action="listed",
                    dry_run=False,
                    breakpoints=self._decorated(self._project.breakpoints),
                    not_found=(),
                    applied_to_session=False,
                )
            case requests.BreakpointAdd():
                change = self._project.add_breakpoint(request.breakpoint, dry_run=request.dry_run)
            case requests.BreakpointRemove():
                change = self._project.remove_breakpoints(request.selector, dry_run=request.dry_run)
            case requests.BreakpointToggle():
                change = self._project.toggle_breakpoints(request.selector, dry_run=request.dry_run)
            case requests.BreakpointMove():
                change = self._project.move_breakpoints(request.moves, dry_run=request.dry_run)
                if change.has_changed and self._occupant is not None:
                    for one in change.breakpoints:
                        self._occupant.session.book.moved(one.id)
        return await self._changed(change, dry_run=request.dry_run)

    def _decorated(self, breakpoints: tuple[Breakpoint, ...]) -> tuple[objects.BreakpointStatus, ...]:
        if self._occupant is None:
            return tuple(undecorated(one) for one in breakpoints)
        return tuple(self._occupant.session.book.decorated(one) for one in breakpoints)

    async def _changed(self, change: Change, *, dry_run: bool) -> responses.Breakpoints:
        """Announce a change of the project's list and carry it to the live session."""
        if change.has_changed:
            self._announce(change)
        applied = False
        if not dry_run and change.breakpoints:
            try:
                applied = await self._apply(change)
            except DaemonError as error:
                error.details["recorded_breakpoint_ids"] = [one.id for one in change.breakpoints]
                error.details["applied_to_session"] = False
                raise _recorded(error) from error
        removed_now = change.action == "removed" and not dry_run
        return responses.Breakpoints(
            action=change.action,
            dry_run=dry_run,
            breakpoints=(
                tuple(undecorated(one) for one in change.breakpoints)
                if removed_now
                else self._decorated(change.breakpoints)
            ),
            not_found=change.not_found,
            applied_to_session=applied,
        )

    def _announce(self, change: Change) -> None:
        for one in change.breakpoints:
            update = objects.AdapterBreakpoint(id=one.id, verified=False, line=one.line)
            self._publish(events.BreakpointUpdated(session_id=None, breakpoint=update))

    async def _apply(self, change: Change) -> bool:
        sources = sorted({one.source for one in change.breakpoints} | change.left)
        if self._starting is not None:
            self._starting.changed_sources.update(dict.fromkeys(sources))
        if self._occupant is None or not self._occupant.session.is_live:
            return False
        for source in sources:
            await self._occupant.pusher.push(source)
        return True


def _is_taken(session: Session) -> bool:
    return session.is_live or (session.is_disconnecting and not session.gone.is_set())


def _recorded(error: DaemonError) -> DaemonError:
    """The same error, saying that the project keeps the change all the same."""
    return type(error)(f"{error.message} (the change is recorded and applies at the next launch)", **error.details)


def _options(told: dict[str, Any] | None) -> objects.LaunchOptions:
    try:
        return msgspec.convert(told or {}, objects.LaunchOptions)
    except msgspec.ValidationError as error:
        raise InvalidLaunchConfig(f"the launch option cannot be used: {error}", options=sorted(told or {})) from error
