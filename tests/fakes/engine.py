"""A session engine that does what a test tells it to: breakpoints work, all else is scripted."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import anyio

from lazydap_core.errors import SessionNotFound
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.server.hub import Hub
from lazydap_daemon.store.project import Change, ProjectStore
from lazydap_daemon.store.reconciling import External

SESSION = UUID("11111111-2222-4333-8444-555555555555")

Script = Callable[[Any], Awaitable[responses.Response]]


class ScriptedEngine:
    """Answers a request by the script for its class; `handled` and `cancelled` tell what happened."""

    def __init__(self, project: ProjectStore, hub: Hub) -> None:
        self.scripts: dict[type[requests.SessionRequest], Script] = {}
        self.session: objects.SessionSummary | None = None
        self.handled: list[requests.SessionRequest] = []
        self.cancelled: list[requests.SessionRequest] = []
        self.shutdowns = 0
        self.on_shutdown: Callable[[], Awaitable[None]] | None = None
        self._project = project
        self._hub = hub

    async def handle(self, request: requests.SessionRequest) -> responses.Response:
        """Run the script for the request; without one, only breakpoints are known."""
        self.handled.append(request)
        try:
            if script := self.scripts.get(type(request)):
                return await script(request)
        except anyio.get_cancelled_exc_class():
            self.cancelled.append(request)
            raise
        return self._project_answer(request)

    def _project_answer(self, request: requests.SessionRequest) -> responses.Response:
        match request:
            case requests.BreakpointList():
                return _report(Change("listed", self._project.breakpoints), is_dry_run=False)
            case requests.BreakpointAdd():
                change = self._project.add_breakpoint(request.breakpoint, dry_run=request.dry_run)
            case requests.BreakpointRemove():
                change = self._project.remove_breakpoints(request.selector, dry_run=request.dry_run)
            case requests.BreakpointToggle():
                change = self._project.toggle_breakpoints(request.selector, dry_run=request.dry_run)
            case requests.BreakpointMove():
                change = self._project.move_breakpoints(request.moves, dry_run=request.dry_run)
            case _:
                raise SessionNotFound("there is no session: launch a program")
        if change.has_changed:
            for entry in change.breakpoints:
                update = objects.AdapterBreakpoint(id=entry.id, verified=False, line=entry.line)
                self._hub.publish(events.BreakpointUpdated(breakpoint=update))
        return _report(change, is_dry_run=request.dry_run)

    def follow(self, external: External) -> None:
        """There is no session that would hear of it."""

    def summary(self) -> objects.SessionSummary | None:
        """The session that the test put there."""
        return self.session

    async def shutdown(self) -> tuple[objects.SessionSummary, ...]:
        """Count, and do what the test wants done."""
        self.shutdowns += 1
        if self.on_shutdown:
            await self.on_shutdown()
        return (self.session,) if self.session else ()


def session(state: Any = "paused", program: str = "/p/a.out") -> objects.SessionSummary:
    """A session's summary."""
    return objects.SessionSummary(
        session_id=SESSION,
        adapter="codelldb",
        program=program,
        state=state,
        buffered_events=0,
        captured_output_chunks=0,
        dropped_events=0,
        uptime_ms=1,
    )


def stopped(thread_id: int = 1) -> events.Stopped:
    """A stop of the session."""
    return events.Stopped(
        session_id=SESSION, thread_id=thread_id, reason="step", all_threads_stopped=True, hit_breakpoint_ids=()
    )


def output(text: str) -> events.Output:
    """A chunk of output of the session."""
    return events.Output(session_id=SESSION, chunk=objects.OutputChunk(category="stdout", output=text, timestamp_ms=1))


def _report(change: Change, *, is_dry_run: bool) -> responses.Breakpoints:
    return responses.Breakpoints(
        action=change.action,
        dry_run=is_dry_run,
        breakpoints=tuple(
            objects.BreakpointStatus(
                id=entry.id, source=entry.source, line=entry.line, enabled=entry.enabled, verified=False
            )
            for entry in change.breakpoints
        ),
        not_found=change.not_found,
        applied_to_session=False,
    )
