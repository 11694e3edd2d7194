"""Owns one debug session: its state, its record of events and what each event of its adapter means."""

import logging
import signal
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup

from lazydap_core.domain.words import SessionState, output_category
from lazydap_core.errors import DaemonError
from lazydap_core.protocol import events, objects
from lazydap_daemon.adapters.driver import Driver, LaunchPlan, Normalised
from lazydap_daemon.adapters.process import AdapterProcess, Debuggee
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Body, Connection, Pending
from lazydap_daemon.dap.connection import Event as DapEvent
from lazydap_daemon.dap.errors import BodyMalformed, RequestTimedOut
from lazydap_daemon.session.book import Book
from lazydap_daemon.session.handles import Handles
from lazydap_daemon.session.history import History, Numbered
from lazydap_daemon.session.markers import Markers
from lazydap_daemon.session.standing import Standing
from lazydap_daemon.session.state import StateEvent, following, is_live
from lazydap_daemon.session.threads import Threads
from lazydap_daemon.session.translate import adapter_faults, exit_code

log = logging.getLogger("daemon.session")

T = TypeVar("T")

REQUEST_TIMEOUT: Final = 10.0
# A `continued` this soon after a stop is the late announcement of the run that the stop ended.
LATE_CONTINUED: Final = 0.1
# Updates of breakpoints whose ids are not known yet, while they are being set.
EARLY_UPDATES: Final = 1000
# Two requests without an answer mean that the adapter answers nothing any more.
UNANSWERED_LIMIT: Final = 2


class Session:
    """One program under one adapter.

    `motion` changes whenever the program starts to move or comes to stand: what was read under another motion is void.
    Events are recorded from the start; they reach listeners and subscribers only once the session is announced.
    """

    def __init__(
        self, plan: LaunchPlan, driver: Driver, *, handles: Handles, publish: Callable[[events.Event], None]
    ) -> None:
        self.id = uuid4()
        self.plan = plan
        self.driver = driver
        self.handles = handles
        self.publish = publish
        self.state: SessionState = "initialising"
        self.motion = 0
        self.stop: Standing | None = None
        self.stop_count = 0
        self.last_thread_id: int | None = None
        self.first_thread_id: int | None = None
        self.exit_code: int | None = None
        self.exit_code_known = anyio.Event()
        self.capabilities = dap.Capabilities()
        self.history = History()
        self.book = Book()
        self.markers = Markers()
        self.threads = Threads(
            partial(self.ask, dap.ThreadsBody, "threads"),
            lambda: self.state == "running",
            first_answer_is_old=driver.first_threads_are_old,
        )
        self.permit = anyio.Lock()
        self.is_announced = False
        self.is_tearing_down = False
        self.is_disconnecting = False
        self.started_at = time.monotonic()
        self.ending: objects.EndReason | None = None
        self.ended = anyio.Event()
        self.initialized = anyio.Event()
        self.has_terminated = anyio.Event()
        self.came_to_rest = anyio.Event()
        self.stream_ended = anyio.Event()
        self.closing = anyio.Event()
        self.gone = anyio.Event()
        self.debuggee: Debuggee | None = None
        self._listeners: list[Callable[[Numbered], None]] = []
        self._is_run_announced = True
        self._continued_due = False
        self._stopped_at = 0.0
        self._unanswered = 0
        self.pushes_under_way = 0
        self._early_updates: list[dap.Breakpoint] = []
        self._process: AdapterProcess | None = None
        self._connection: Connection | None = None
        self._tasks: TaskGroup | None = None
        self.on_standing: Callable[[Standing], None] = lambda _standing: None

    # The adapter.

    def attach(self, process: AdapterProcess, connection: Connection, tasks: TaskGroup) -> None:
        """Bind the session to its running adapter and to the task group that dies with it."""
        self._process, self._connection, self._tasks = process, connection, tasks

    @property
    def process(self) -> AdapterProcess:
        """The adapter's process; only after `attach`."""
        return _attached(self._process)

    @property
    def connection(self) -> Connection:
        """The conversation with the adapter; only after `attach`."""
        return _attached(self._connection)

    @property
    def tasks(self) -> TaskGroup:
        """The task group that ends with the adapter; only after `attach`."""
        return _attached(self._tasks)

    async def ask(
        self, body: type[T], command: str, arguments: dict[str, Any] | None = None, *, limit: float = REQUEST_TIMEOUT
    ) -> T:
        """The adapter's answer to one request, decoded.

        Raises DapProtocolError, AdapterTimeout or AdapterCrashed (`translate.adapter_faults`).
        """
        return await self.answered(body, self.post(command, arguments), limit=limit)

    def post(
        self, command: str, arguments: dict[str, Any] | None = None, on_body: Callable[[Body], None] | None = None
    ) -> Pending:
        """Send a request at once, also from within an event; `on_body` sees its answer before anything behind it.

        Raises AdapterCrashed.
        """
        with adapter_faults():
            return self.connection.send_nowait(command, arguments, on_body=on_body)

    async def answered(self, body: type[T], pending: Pending, *, limit: float = REQUEST_TIMEOUT) -> T:
        """The answer to a posted request; raises as `ask`."""
        with adapter_faults():
            try:
                answer = await pending.reply(limit)
            except RequestTimedOut:
                self._unanswered += 1
                if self._unanswered >= UNANSWERED_LIMIT:
                    log.warning("adapter answers nothing any more; ending it session=%s", self.id)
                    self.process.signal(signal.SIGKILL)
                raise
            self._unanswered = 0
            return answer.decode(body)

    # What the session says.

    def listen(self, listener: Callable[[Numbered], None]) -> None:
        """Call `listener` with each event from now on."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[Numbered], None]) -> None:
        """Stop calling `listener`."""
        self._listeners.remove(listener)

    def emit(self, event: events.Event) -> Numbered:
        """Record an event of the session; once announced, tell listeners and subscribers too."""
        numbered = self.history.append(event)
        if self.is_announced:
            for listener in tuple(self._listeners):
                listener(numbered)
            self.publish(event)
        return numbered

    def announce(self) -> None:
        """Make the session known: `SessionStarted`, and the stop it may already stand at."""
        self.is_announced = True
        self.emit(events.SessionStarted(session_id=self.id, adapter=self.plan.kind))
        if self.stop is not None and self.stop.frame_known.is_set():
            self.tell_stop(self.stop)

    def tell_stop(self, standing: Standing) -> None:
        """Publish the stop's detail as far as it is known (feature `stop_detail`); it is not part of the record."""
        if self.is_announced and standing is self.stop:
            self.publish(events.StopDetail(session_id=self.id, stop=standing.told()))

    # Where it stands.

    @property
    def is_live(self) -> bool:
        """Whether the program can still move."""
        return is_live(self.state)

    def move(self, event: StateEvent) -> None:
        """Let the state follow an event; a change of motion ends the life of every handle and of the stop's record."""
        before, self.state = self.state, following(self.state, event)
        if before == self.state == "running":
            return
        self.motion += 1
        self.handles.forget()
        if self.state != "paused":
            self.stop = None

    def begin_run(self) -> None:
        """A movement of ours is about to be sent: the program counts as running from here."""
        self.move("resumed")
        self._is_run_announced = False
        self._continued_due = True

    def run_accepted(self, motion: int, thread_id: int | None) -> None:
        """The adapter accepted the movement: announce the run, unless a stop or the adapter's own word was faster."""
        if self.motion == motion and self.state == "running":
            self._announce_run(thread_id, all_threads=True)

    def run_refused(self, motion: int, standing: Standing | None) -> None:
        """The adapter refused the movement: the program stands where it stood, if nothing else has happened since."""
        if self.motion == motion and self.state == "running" and not self._is_run_announced:
            self.move("refused")
            self._is_run_announced = True
            self._continued_due = False
            if standing is not None:
                self._stand(standing.thread_id, standing.reason, standing.raw_reason, standing.text)

    def _announce_run(self, thread_id: int | None, *, all_threads: bool) -> None:
        if not self._is_run_announced:
            self._is_run_announced = True
            self.emit(events.Continued(session_id=self.id, thread_id=thread_id, all_threads_continued=all_threads))

    def _stand(self, thread_id: int | None, reason: str, raw_reason: str | None, text: str | None) -> None:
        self.stop_count += 1
        self.stop = Standing(
            generation=self.stop_count,
            motion=self.motion,
            thread_id=thread_id,
            reason=reason,
            raw_reason=raw_reason,
            text=text,
        )
        self.on_standing(self.stop)

    def end(self, reason: objects.EndReason) -> None:
        """End the session; the first ending wins and is the only one announced."""
        if self.ending is not None:
            return
        self.ending = reason
        match reason:
            case objects.Exited():
                self.move("exited")
            case objects.AdapterDied():
                self.move("adapter_died")
            case "disconnected" | "terminated":
                self.move("terminated")
        self.emit(events.SessionEnded(session_id=self.id, reason=reason))
        self.came_to_rest.set()
        self.ended.set()

    # What the adapter says.

    def on_event(self, event: DapEvent) -> None:
        """What one event of the adapter means; called by the reader in order of arrival, never waits."""
        try:
            self._dispatch(event)
        except BodyMalformed as malformed:
            log.warning("adapter sent an event of unexpected shape event=%s detail=%s", event.name, malformed.detail)

    def _dispatch(self, event: DapEvent) -> None:  # noqa: C901, PLR0912 - one case an event
        match event.name:
            case "stopped":
                self._on_stopped(event.decode(dap.StoppedBody))
            case "continued":
                self._on_continued(event.decode(dap.ContinuedBody))
            case "output":
                self._on_output(event.decode(dap.OutputBody))
            case "thread":
                self._on_thread(event.decode(dap.ThreadBody))
            case "breakpoint":
                if self.is_announced:
                    self._on_breakpoint(event.decode(dap.BreakpointBody).breakpoint)
            case "process":
                self._on_process(event.decode(dap.ProcessBody))
            case "exited":
                self._on_exited(event.decode(dap.ExitedBody))
            case "terminated":
                self._on_terminated()
            case "initialized":
                self.initialized.set()
            case "capabilities":
                self.capabilities = self.capabilities.merged(event.decode(dap.CapabilitiesBody).capabilities)
            case "invalidated":
                if self.stop is not None:
                    self.stop.forget_values()
            case _:
                pass

    def _on_stopped(self, body: dap.StoppedBody) -> None:
        # An adapter may report a stop while it is being disconnected, or after the end: nobody can use it.
        if self.is_tearing_down or not self.is_live:
            return
        normal = self.driver.normalise_stop(
            body,
            entry_expected=self.plan.stop_on_entry and self.stop_count == 0,
            pause_outstanding=self.markers.pause_outstanding,
            step_thread=self.markers.step_thread,
        )
        if normal.is_refresh:
            if self.stop is not None:
                self.stop.forget_values()
            return
        if self.state == "paused" and self._is_repeat(normal.thread_id, normal.reason):
            return
        if normal.reason == "step" and self.markers.is_continuing and self.is_announced:
            self.tasks.start_soon(self._go_on, normal, bool(body.all_threads_stopped))
            return
        self._take_stop(normal, all_threads_stopped=bool(body.all_threads_stopped))

    async def _go_on(self, normal: Normalised, all_threads_stopped: bool) -> None:
        # LLDB first completes a step that a breakpoint had interrupted (doc/adapters.md, "Stops").
        try:
            await self.ask(dict[str, Any], "continue", {"threadId": normal.thread_id or self.last_thread_id})
        except DaemonError as error:
            log.warning("could not go on after an old step session=%s reason=%s", self.id, error.message)
            self._take_stop(normal, all_threads_stopped=all_threads_stopped)

    def _take_stop(self, normal: Normalised, *, all_threads_stopped: bool) -> None:
        self.markers.stopped(normal.reason)
        is_first = self.state != "paused"
        if is_first:
            self.move("stopped")
            self._is_run_announced = True
            self._stopped_at = time.monotonic()
        if normal.thread_id is not None and (is_first or self.last_thread_id is None):
            self.last_thread_id = normal.thread_id
        if self.is_announced:
            self.emit(
                events.Stopped(
                    session_id=self.id,
                    thread_id=normal.thread_id,
                    adapter_thread_id=normal.adapter_thread_id,
                    reason=normal.reason,
                    raw_reason=normal.raw_reason,
                    all_threads_stopped=all_threads_stopped,
                    hit_breakpoint_ids=self.book.our_ids(normal.hit_ids),
                )
            )
        if is_first:
            self._stand(normal.thread_id, normal.reason, normal.raw_reason, normal.text)
        self.came_to_rest.set()

    def _is_repeat(self, thread_id: int | None, reason: str) -> bool:
        # Some adapters answer a pause of a stopped program with its stop once more (doc/adapters.md, "Stops").
        standing = self.stop
        return standing is not None and (reason == "pause" or thread_id == standing.thread_id)

    def _on_continued(self, body: dap.ContinuedBody) -> None:
        if not self.is_announced or not self.is_live:
            return
        was_due, self._continued_due = self._continued_due, False
        if self.state == "paused":
            if was_due and time.monotonic() - self._stopped_at < LATE_CONTINUED:
                return
            self._is_run_announced = False
            self.move("continued")
        self._announce_run(body.thread_id, all_threads=body.all_threads_continued is not False)

    def _on_output(self, body: dap.OutputBody) -> None:
        if body.output is None:
            return
        if self.debuggee is None:
            pid = self.driver.pid_in_output(body.output)
            if pid is not None:
                self.debuggee = Debuggee.of(pid)
        chunk = objects.OutputChunk(
            category=output_category(body.category),
            output=body.output,
            timestamp_ms=time.time_ns() // 1_000_000,
            seq=self.history.last_number + 1,
        )
        self.emit(events.Output(session_id=self.id, chunk=chunk))

    def _on_thread(self, body: dap.ThreadBody) -> None:
        if body.thread_id is None:
            return
        if self.first_thread_id is None and body.reason != "exited":
            self.first_thread_id = body.thread_id
        if self.is_announced:
            update = objects.ThreadUpdate(
                thread_id=body.thread_id, kind="exited" if body.reason == "exited" else "started"
            )
            self.emit(events.ThreadChanged(session_id=self.id, update=update))

    def _on_breakpoint(self, told: dap.Breakpoint) -> None:
        # lldb-dap tells of a breakpoint before the answer that introduces its id (doc/adapters.md, "Breakpoints").
        if self.pushes_under_way and not self.book.knows(told.id) and len(self._early_updates) < EARLY_UPDATES:
            self._early_updates.append(told)
            return
        self.emit(events.BreakpointUpdated(session_id=self.id, breakpoint=self.book.update(told)))

    def release_early_updates(self) -> None:
        """Pass on what was told of breakpoints before the answer to their `setBreakpoints` was recorded."""
        early, self._early_updates = self._early_updates, []
        for told in early:
            self.emit(events.BreakpointUpdated(session_id=self.id, breakpoint=self.book.update(told)))

    def _on_process(self, body: dap.ProcessBody) -> None:
        if self.debuggee is None and body.system_process_id and body.is_local_process is not False:
            self.debuggee = Debuggee.of(body.system_process_id)

    def _on_exited(self, body: dap.ExitedBody) -> None:
        if self.exit_code is None:
            self.exit_code = exit_code(body.exit_code)
            self.exit_code_known.set()
        self.came_to_rest.set()

    def _on_terminated(self) -> None:
        if self.is_announced:
            self.end("terminated" if self.exit_code is None else objects.Exited(exit_code=self.exit_code))
        self.has_terminated.set()
        self.came_to_rest.set()


def _attached(part: T | None) -> T:
    if part is None:
        raise LookupError("the session has no adapter yet")
    return part
