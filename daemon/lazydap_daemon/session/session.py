"""Owns one debug session: its parts, its state, its record of events and its ending."""

import logging
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace

from lazydap_core.domain.words import SessionState
from lazydap_core.errors import DaemonError, SessionNotPaused
from lazydap_core.protocol import events, objects
from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.adapters.process import AdapterProcess, Debuggee
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Body, Connection, Pending
from lazydap_daemon.dap.errors import RequestTimedOut
from lazydap_daemon.session.actor import ACTING
from lazydap_daemon.session.book import Book
from lazydap_daemon.session.handles import Handles
from lazydap_daemon.session.history import History, Numbered
from lazydap_daemon.session.interrupt import Interrupt
from lazydap_daemon.session.markers import Markers
from lazydap_daemon.session.racing import first_of
from lazydap_daemon.session.run import Run
from lazydap_daemon.session.standing import Standing
from lazydap_daemon.session.state import StateEvent, following, is_live
from lazydap_daemon.session.threads import Threads
from lazydap_daemon.session.translate import adapter_faults, exit_code
from lazydap_daemon.session.troubles import Troubles
from lazydap_daemon.session.turns import Turns
from lazydap_daemon.session.updates import EVENTS, Updates
from lazydap_daemon.terminal.terminal import Terminal

log = logging.getLogger("daemon.session")

T = TypeVar("T")

REQUEST_TIMEOUT: Final = 10.0
FAREWELL_TIMEOUT: Final = 2.0
# Two requests without an answer mean that the adapter answers nothing any more.
UNANSWERED_LIMIT: Final = 2


class Session:
    """One program under one adapter.

    `motion` changes whenever the program starts to move or comes to stand: what was read under another motion is void.
    Events are recorded from the start; they reach listeners and subscribers only once the session is announced.
    """

    def __init__(
        self,
        plan: LaunchPlan,
        driver: Driver,
        *,
        handles: Handles,
        publish: Callable[[events.Event], None],
        terminal: Terminal | None = None,
    ) -> None:
        self.id = uuid4()
        self.plan = plan
        self.driver = driver
        self.handles = handles
        self.publish = publish
        self.terminal = terminal
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
        self.interrupt = Interrupt()
        self.threads = Threads(
            partial(self.ask, dap.ThreadsBody, "threads"),
            lambda: self.state == "running",
            first_answer_is_old=driver.first_threads_are_old,
            placeholder=driver.no_thread,
        )
        self.updates = Updates(self.book, self._tell_breakpoint)
        self.troubles = Troubles(driver.condition_trouble, self._tell_trouble)
        self.permit = anyio.Lock(fast_acquire=True)
        self.is_announced = False
        self.is_tearing_down = self.is_disconnecting = self.was_cut_off = False
        self.has_left = False
        self.is_let_go = False
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
        self.launch_failure: str | None = None
        # Who gave the last command, of which what happens is the outcome.
        self.actor = ACTING.get()
        self.given_up = "the daemon is shutting down"
        self._listeners: list[Callable[[Numbered], None]] = []
        self.run = Run(self.emit)
        self._unanswered = 0
        self._turns = Turns()
        self._process: AdapterProcess | None = None
        self._connection: Connection | None = None
        self._tasks: TaskGroup | None = None
        # What the adapter is to be told of stopping, after the breakpoints in files and before the program starts.
        self.before_start: list[Callable[[], Awaitable[None]]] = []
        # What takes all that away again.
        self.before_leaving: list[Callable[[], Awaitable[None]]] = []
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
    def kept_pid(self) -> int | None:
        """The program that is to survive the session; None where nothing is."""
        return None if self._process is None else self._process.keep

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
        if self.driver.answers_in_turn:
            await self._turns.begun(pending, limit)
        with adapter_faults():
            try:
                answer = await pending.reply(limit)
            except RequestTimedOut:
                self._unanswered += 1
                if self._unanswered >= (1 if self.driver.answers_in_turn else UNANSWERED_LIMIT):
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
        self.run.tell()
        numbered = self.history.append(event)
        if self.is_announced:
            for listener in tuple(self._listeners):
                listener(numbered)
            self.publish(event)
        return numbered

    def announce(self) -> None:
        """Make the session known: `SessionStarted`, and the stop it may already stand at."""
        self.is_announced = True
        self.emit(events.SessionStarted(session_id=self.id, adapter=self.plan.kind, by=self.actor))
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

    @property
    def is_attached(self) -> bool:
        """Whether the program was there before the session, and is not the session's to end."""
        return self.plan.target is not None

    @property
    def has_no_stack(self) -> bool:
        """Whether it stands at an entry that is before any code of its own."""
        at_entry = self.stop is not None and self.stop.reason == "entry"
        return at_entry and self.driver.entry_function is not None and not self.is_attached

    def check_motion(self, standing: Standing) -> None:
        """Raises SessionNotPaused when the program has moved since `standing`."""
        if self.motion != standing.motion or self.stop is not standing or self.is_tearing_down:
            raise SessionNotPaused("the program moved while it was being looked at: ask again at its next stop")

    def move(self, event: StateEvent) -> None:
        """Let the state follow an event; a change of motion ends the life of every handle and of the stop's record."""
        before, self.state = self.state, following(self.state, event)
        if before == self.state == "running":
            return
        self.motion += 1
        self.handles.forget()
        if self.state != "paused":
            self.stop = None
            self.troubles.begin()

    def begin_run(self) -> None:
        """A movement of ours is about to be sent: the program counts as running from here."""
        self.actor = ACTING.get()
        self.move("resumed")
        self.run.begin(is_ours=True)

    def run_accepted(self, motion: int, thread_id: int | None) -> None:
        """The adapter accepted the movement: announce the run, unless a stop or the adapter's own word was faster."""
        if self.motion == motion and self.state == "running":
            self.announce_run(thread_id, all_threads=True)

    def run_refused(self, motion: int, standing: Standing | None) -> None:
        """The adapter refused the movement: the program stands where it stood, if nothing else has happened since."""
        if self.motion == motion and self.state == "running" and not self.run.is_announced:
            self.move("refused")
            self.run.end()
            self.run.is_expected = False
            if standing is not None:
                # With the thread that was found out meanwhile.
                self.stand(replace(standing.stopped, thread_id=standing.thread_id), standing.text)

    def announce_run(self, thread_id: int | None, *, all_threads: bool) -> None:
        """Tell that the program runs, unless that has been told."""
        self.run.announce(
            events.Continued(session_id=self.id, thread_id=thread_id, all_threads_continued=all_threads, by=self.actor)
        )

    def stand(self, stopped: events.Stopped, text: str | None) -> None:
        """The program has come to stand; whoever reads stops is told."""
        self.stop_count += 1
        self.stop = Standing(stopped, generation=self.stop_count, motion=self.motion, text=text)
        self.on_standing(self.stop)

    def end(self, reason: objects.EndReason) -> None:
        """End the session; the first ending wins and is the only one announced."""
        if self.ending is not None:
            return
        self.ending = reason
        self.was_cut_off = self.is_disconnecting
        match reason:
            case objects.Exited():
                self.move("exited")
            case objects.AdapterDied():
                self.move("adapter_died")
            case "disconnected" | "terminated":
                self.move("terminated")
        if self.terminal is not None:
            self.terminal.catch_up()
        self.emit(events.SessionEnded(session_id=self.id, reason=reason, by=self.actor))
        self.came_to_rest.set()
        self.ended.set()

    # What it says of breakpoints, and how it ends.

    def _tell_trouble(self, our_ids: Sequence[int], words: str) -> None:
        for our_id in our_ids:
            if self.book.trouble(our_id, words):
                self._tell_breakpoint(self.book.opinion_of(our_id))

    def tell_unbound(self, reason: str) -> None:
        """Why breakpoints in files do not bind: said of each that is not bound, now and later."""
        for our_id in self.book.explain(reason):
            self._tell_breakpoint(self.book.opinion_of(our_id))

    def _tell_breakpoint(self, update: objects.AdapterBreakpoint) -> None:
        # What comes before is told with the answer to the launch.
        if self.is_announced:
            self.emit(EVENTS[self.book.kind_of(update.id)](session_id=self.id, breakpoint=update))

    def take_exit_code(self, told: int) -> None:
        """Note the program's exit code; the first one told counts."""
        if self.exit_code is None:
            self.exit_code = exit_code(told)
            self.exit_code_known.set()

    def has_ended(self) -> None:
        """The adapter says that the program is over."""
        self.has_terminated.set()
        self.came_to_rest.set()
        if self.is_announced and not self.is_let_go:
            if self.ask_for_exit_code():
                self.tasks.start_soon(self._end_with_exit_code)
            else:
                self.end_by_itself()

    def ask_for_exit_code(self) -> bool:
        """Take leave of an adapter that tells the exit code only then; whether that was done."""
        if self.exit_code is not None or self.is_tearing_down or not self.driver.exit_code_comes_last:
            return False
        self.is_tearing_down = self.has_left = True
        self.tasks.start_soon(self._leave)
        return True

    async def _leave(self) -> None:
        try:
            await self.ask(dict[str, Any], "disconnect", {}, limit=FAREWELL_TIMEOUT)
        except DaemonError as error:
            log.debug("adapter did not say farewell session=%s reason=%s", self.id, error.message)

    async def _end_with_exit_code(self) -> None:
        with anyio.move_on_after(FAREWELL_TIMEOUT):
            await first_of(self.exit_code_known.wait, self.stream_ended.wait)
        self.end_by_itself()

    def end_by_itself(self) -> None:
        """End a session whose program has ended, with its exit code where that is known."""
        self.end("terminated" if self.exit_code is None else objects.Exited(exit_code=self.exit_code))


def _attached(part: T | None) -> T:
    if part is None:
        raise LookupError("the session has no adapter yet")
    return part
