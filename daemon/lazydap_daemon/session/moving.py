"""Owns moving a program: who may move it, what is sent, and what a waiting client is told."""

import logging
import signal
import time
from collections.abc import Callable
from typing import Final

import anyio

from lazydap_core.domain.words import WaitOutcome
from lazydap_core.errors import AdapterTimeout, BadRequest, DaemonError, DapProtocolError, SessionNotPaused
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Body
from lazydap_daemon.session.collecting import Collector
from lazydap_daemon.session.history import Numbered
from lazydap_daemon.session.inspecting import finished
from lazydap_daemon.session.session import REQUEST_TIMEOUT, Session
from lazydap_daemon.session.standing import Standing
from lazydap_daemon.session.translate import STEP_COMMANDS, adapter_faults

log = logging.getLogger("daemon.session")

DEFAULT_WAIT: Final = 30.0
COALESCING_WINDOW: Final = 0.05
LATE_EXIT_CODE: Final = 0.25
PAUSE_PATIENCE: Final = 1.0
PAUSE_RETRY: Final = 0.01


class Armed:
    """A collector that is being fed; `settled` once it has an outcome."""

    def __init__(self, session: Session, *, all_threads: bool) -> None:
        self.collector = Collector(all_threads=all_threads)
        self.settled = anyio.Event()
        self.armed_at = time.monotonic()
        history = session.history
        self.collector.fold_backlog(
            history.since(history.delivered),
            lost=history.lost_since(history.delivered),
            high_water=history.last_number,
        )

    def feed(self, numbered: Numbered) -> None:
        """Take in one live event."""
        self.collector.feed(numbered)
        if self.collector.outcome is not None:
            self.settled.set()


class Mover:
    """Carries out Continue, Step and Pause of one session.

    One Continue or Step at a time, in order of arrival, held until its reply is ready; Pause takes no turn. Cancelling
    a call abandons the waiting only: what was sent stays sent, and nothing counts as delivered.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    async def carry_out(self, request: requests.MoveRequest) -> responses.Continued | responses.Stepped:
        """Move the program, and wait for what comes of it where the request says so.

        Raises BadRequest when the program has ended, or is paused already; SessionNotPaused for a step of a running
        one; the adapter's faults as `Session.ask`.
        """
        session = self._session
        if not session.is_live:
            raise finished(session)
        if isinstance(request, requests.Pause):
            return await self._pause(request)
        thread_id = None
        if not (isinstance(request, requests.Continue) and session.state == "running"):
            thread_id = await self._thread(request.thread_id)
        async with session.permit:
            if not session.is_live:
                raise finished(session)
            if session.state == "running":
                if isinstance(request, requests.Step):
                    raise SessionNotPaused(
                        "the program is running: pause it before stepping",
                        session_id=str(session.id),
                        state=session.state,
                    )
                return await self._join_run(request)
            if thread_id is None:
                thread_id = await self._thread(request.thread_id)
            if isinstance(request, requests.Step) and session.has_no_stack:
                await self._lead_to_entry(session.driver.entry_function)
            return await self._resume(request, thread_id)

    async def _pause(self, request: requests.Pause) -> responses.Continued | responses.Stepped:
        session = self._session
        self._refuse_unless_running()
        nobody = session.driver.no_thread
        thread_id = await self._thread(request.thread_id, otherwise=nobody)
        # It may have stopped or ended while it was asked for its threads; no wait would hear of that.
        self._refuse_unless_running()
        armed = self._arm(request.wait, all_threads=False)
        try:
            mark = session.markers.pause()
            try:
                await self._send_pause(thread_id)
            except DaemonError as error:
                session.markers.withdraw(mark)
                # Refused because something else was faster to stop the program: the wait has that stop.
                if not isinstance(error, DapProtocolError) or session.state != "paused":
                    raise
            return await self._answer(request.wait, armed, None if thread_id == nobody else thread_id)
        finally:
            self._disarm(armed)

    def _refuse_unless_running(self) -> None:
        session = self._session
        if not session.is_live:
            raise finished(session)
        if session.state == "paused":
            raise BadRequest(
                "the program is already stopped: look at it, step or continue",
                session_id=str(session.id),
                state=session.state,
            )

    async def _send_pause(self, thread_id: int) -> None:
        """Ask for a pause, again where the adapter has not noticed yet that the program runs."""
        session = self._session
        if session.driver.pauses_by_signal and session.debuggee and session.interrupt.send(session.debuggee):
            return
        deadline = time.monotonic() + PAUSE_PATIENCE
        while True:
            try:
                await self._send("pause", thread_id)
            except DapProtocolError as refused:
                text = str(refused.details.get("adapter_message", ""))
                is_passing = self._session.driver.refuses_only_for_now("pause", text)
                if not is_passing or time.monotonic() > deadline or self._session.state != "running":
                    raise
                await anyio.sleep(PAUSE_RETRY)
            else:
                return

    async def _join_run(self, request: requests.Continue) -> responses.Continued | responses.Stepped:
        armed = self._arm(request.wait, all_threads=request.all_threads)
        try:
            return await self._answer(request.wait, armed, None, already_running=True)
        finally:
            self._disarm(armed)

    async def _lead_to_entry(self, function: str | None) -> None:
        """Make the program stop at its first function: before it there is nothing that could be stepped."""
        session = self._session
        arguments = {"breakpoints": [{"name": function}]}
        told = await session.ask(dap.SetBreakpointsBody, "setFunctionBreakpoints", arguments)
        reasons = [each.message or "" for each in told.breakpoints if not each.verified]
        # One of the project's that is there already stops the program as well.
        if any("exists" not in reason for reason in reasons):
            raise DapProtocolError(
                f"the program has not reached its own code: set a breakpoint and continue ({'; '.join(reasons)})",
                command="setFunctionBreakpoints",
                adapter_message="; ".join(reasons),
            )

        def when_it_stands(numbered: Numbered) -> None:
            if isinstance(numbered.event, events.Stopped):
                session.unlisten(when_it_stands)
                session.tasks.start_soon(self._forget_entry)

        session.listen(when_it_stands)

    async def _forget_entry(self) -> None:
        try:
            await self._session.ask(dap.SetBreakpointsBody, "setFunctionBreakpoints", {"breakpoints": []})
        except DaemonError as error:
            log.debug("the breakpoint at the entry stays session=%s reason=%s", self._session.id, error.message)

    async def _resume(
        self, request: requests.Continue | requests.Step, thread_id: int
    ) -> responses.Continued | responses.Stepped:
        session = self._session
        standing, is_before_code = session.stop, session.has_no_stack
        # From here to the write there is no await: no stop can fall between the decision and the arming.
        session.begin_run()
        motion = session.motion
        if isinstance(request, requests.Step):
            command, all_threads = "continue" if is_before_code else STEP_COMMANDS[request.kind], False
            mark = session.markers.step(thread_id, request.kind)
        else:
            command, all_threads = "continue", request.all_threads
            session.markers.resume()
            mark = None
        armed = self._arm(request.wait, all_threads=all_threads)
        try:
            await self._send_resume(command, thread_id, mark, motion, standing)
            return await self._answer(request.wait, armed, thread_id)
        finally:
            self._disarm(armed)

    async def _send_resume(
        self, command: str, thread_id: int, mark: int | None, motion: int, standing: Standing | None
    ) -> None:
        session = self._session
        try:
            # Announced by the reader, so that a stop right behind the answer cannot overtake it.
            await self._send(command, thread_id, lambda _body: session.run_accepted(motion, thread_id))
        except AdapterTimeout:
            # Whether the program runs is unknown, and asking again could move it twice.
            session.process.signal(signal.SIGKILL)
            raise
        except DaemonError:
            if mark is not None:
                session.markers.withdraw(mark)
            session.run_refused(motion, standing)
            raise

    async def _send(self, command: str, thread_id: int, on_body: Callable[[Body], None] | None = None) -> None:
        # Shielded, so that a client that hangs up cannot leave the answer unread and the state unknown.
        with anyio.CancelScope(shield=True), adapter_faults():
            await self._session.connection.request(
                command, {"threadId": thread_id}, timeout=REQUEST_TIMEOUT, on_body=on_body
            )

    async def _thread(self, wanted: int | None, *, otherwise: int | None = None) -> int:
        session = self._session
        if wanted is not None:
            return wanted
        if session.stop is not None and session.stop.thread_id is None:
            # The adapter named no thread, and which one it is is being found out.
            await session.stop.frame_known.wait()
        known = session.last_thread_id if session.last_thread_id is not None else session.first_thread_id
        if known is not None:
            return known
        threads = await session.threads.listed()
        if not threads and otherwise is not None:
            return otherwise
        if not threads:
            raise BadRequest("the program has no threads to move: wait for it to start", session_id=str(session.id))
        return threads[0].id

    # Waiting.

    def _arm(self, wait: objects.WaitMode, *, all_threads: bool) -> Armed | None:
        if isinstance(wait, objects.NoWait):
            return None
        armed = Armed(self._session, all_threads=all_threads)
        self._session.listen(armed.feed)
        return armed

    def _disarm(self, armed: Armed | None) -> None:
        if armed is not None:
            self._session.unlisten(armed.feed)

    async def _answer(
        self, wait: objects.WaitMode, armed: Armed | None, thread_id: int | None, *, already_running: bool = False
    ) -> responses.Continued | responses.Stepped:
        if armed is None or isinstance(wait, objects.NoWait):
            await self._session.told_run()
            return responses.Continued(
                session_id=self._session.id, thread_id=thread_id, already_running=already_running
            )
        with anyio.move_on_after(_seconds(wait, armed)):
            await armed.settled.wait()
        return await self._stable_state(armed)

    async def _stable_state(self, armed: Armed) -> responses.Stepped:
        session, collector = self._session, armed.collector
        outcome: WaitOutcome = collector.outcome or "timeout"
        standing = None
        if outcome == "paused":
            standing = session.stop
            await self._coalesce(collector, standing)
        elif outcome != "timeout":
            outcome = await self._with_exit_code(outcome, collector)
        reply = self._reply(outcome, collector, standing, armed.armed_at)
        session.history.mark_delivered(collector.high_water)
        return reply

    async def _coalesce(self, collector: Collector, standing: Standing | None) -> None:
        # Where every thread stands and the stop has been read, nothing more of this stop can come: what does come
        # later is in the next wait's backlog.
        session = self._session
        with anyio.move_on_after(COALESCING_WINDOW):
            if standing is not None and (collector.all_threads_stopped or session.ending is not None):
                await standing.locals_known.wait()
            else:
                await session.ended.wait()
        if standing is not None:
            await standing.locals_known.wait()

    async def _with_exit_code(self, outcome: WaitOutcome, collector: Collector) -> WaitOutcome:
        session = self._session
        if collector.exit_code is None:
            with anyio.move_on_after(LATE_EXIT_CODE):
                await session.exit_code_known.wait()
            collector.exit_code = session.exit_code
        return "exited" if outcome == "terminated" and collector.exit_code is not None else outcome

    def _reply(
        self, outcome: WaitOutcome, collector: Collector, standing: Standing | None, armed_at: float
    ) -> responses.Stepped:
        stop = collector.stop
        is_current = standing is not None and standing is self._session.stop
        return responses.Stepped(
            state=outcome,
            reason=stop.reason if stop else None,
            raw_reason=stop.raw_reason if stop else None,
            thread_id=_thread_of(stop, standing if is_current else None),
            adapter_thread_id=stop.adapter_thread_id if stop else None,
            all_threads_stopped=collector.all_threads_stopped,
            additional_stopped_threads=tuple(collector.additional_threads),
            hit_breakpoint_ids=stop.hit_breakpoint_ids if stop else (),
            exit_code=collector.exit_code,
            frame=standing.frame if standing and is_current else None,
            user_frame=standing.user_frame if standing and is_current else None,
            locals=standing.locals if standing and is_current else None,
            captured_output=tuple(collector.chunks),
            output_truncated=collector.is_truncated,
            dropped_events=collector.dropped_events,
            breakpoint_updates=tuple(collector.breakpoints),
            thread_updates=tuple(collector.threads),
            elapsed_ms=int((time.monotonic() - armed_at) * 1000),
        )


def _thread_of(stop: events.Stopped | None, standing: Standing | None) -> int | None:
    """The thread that stopped, as the adapter named it, else as it was found out."""
    if stop is None or stop.thread_id is not None or standing is None:
        return None if stop is None else stop.thread_id
    return standing.thread_id


def _seconds(wait: objects.Wait, armed: Armed) -> float | None:
    """What is left of a wait that began when it was armed; None is without limit, as the client asked (0)."""
    if wait.timeout_ms == 0:
        return None
    limit = DEFAULT_WAIT if wait.timeout_ms is None else wait.timeout_ms / 1000
    return max(0.0, limit - (time.monotonic() - armed.armed_at))
