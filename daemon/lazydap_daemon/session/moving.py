"""Owns moving a program: who may move it, what is sent, and what a waiting client is told."""

import logging
import signal
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import anyio

from lazydap_core.domain.words import WaitOutcome
from lazydap_core.errors import AdapterTimeout, BadRequest, DaemonError, DapProtocolError, SessionNotPaused
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.dap.connection import Body
from lazydap_daemon.session.actor import ACTING
from lazydap_daemon.session.collecting import Collector
from lazydap_daemon.session.guest import Guest
from lazydap_daemon.session.history import Numbered
from lazydap_daemon.session.inspecting import finished
from lazydap_daemon.session.naming import NamedPusher
from lazydap_daemon.session.pausing import Pauser
from lazydap_daemon.session.session import REQUEST_TIMEOUT, Session
from lazydap_daemon.session.standing import Standing
from lazydap_daemon.session.targets import Targets
from lazydap_daemon.session.translate import STEP_COMMANDS

log = logging.getLogger("daemon.session")

DEFAULT_WAIT: Final = 30.0
COALESCING_WINDOW: Final = 0.05
LATE_EXIT_CODE: Final = 0.25


class _Run(NamedTuple):
    """What makes the program run: the request, and the mark that says what its stop will be."""

    command: str
    wait: objects.WaitMode
    mark: Callable[[], int | None]
    arguments: Mapping[str, Any] = MappingProxyType({})
    all_threads: bool = False


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

    def settle(self, event: events.Stopped | events.SessionEnded) -> None:
        """Take what has been before as the outcome."""
        self.collector.adopt(event)
        self.settled.set()


class Mover:
    """Carries out what moves the program of one session.

    One movement at a time, in order of arrival, held until its reply is ready; Pause takes no turn. Cancelling
    a call abandons the waiting only: what was sent stays sent, and nothing counts as delivered.
    """

    def __init__(self, session: Session, targets: Targets, guest: Guest, functions: NamedPusher) -> None:
        self._session = session
        self._pauser = Pauser(session)
        self._targets = targets
        self._guest = guest
        self._functions = functions

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
        thread_id = None if session.state == "running" else await self._thread(request.thread_id)
        async with session.permit:
            if not session.is_live:
                raise finished(session)
            if session.state == "running":
                if isinstance(request, requests.Continue):
                    return await self._join_run(request)
                raise SessionNotPaused(
                    f"the program is running: pause it before {_DOING[type(request)]}",
                    session_id=str(session.id),
                    state=session.state,
                )
            if thread_id is None:
                thread_id = await self._thread(request.thread_id)
            # What the last run has left with the adapter would stop this one.
            await self._guest.gone()
            return await self._move(request, thread_id)

    async def await_stop(self, request: requests.AwaitStop) -> responses.Stepped:
        """Where the program stands, or how it ended; waits for that while it runs. Moves nothing and takes no turn."""
        session = self._session
        # No await from the arming to the look: what comes between would be neither heard nor seen.
        armed = Armed(session, all_threads=False)
        session.listen(armed.feed)
        try:
            if session.ending is not None:
                armed.settle(events.SessionEnded(session_id=session.id, reason=session.ending))
            elif session.stop is not None:
                armed.settle(session.stop.stopped)
            return await self._waited(objects.Wait(timeout_ms=request.timeout_ms), armed)
        finally:
            session.unlisten(armed.feed)

    async def _move(
        self, request: requests.Continue | requests.Step | requests.RunTo | requests.Goto, thread_id: int
    ) -> responses.Continued | responses.Stepped:
        match request:
            case requests.Continue():
                run = _Run("continue", request.wait, self._resumed, all_threads=request.all_threads)
            case requests.Step():
                run = await self._step(request, thread_id)
            case requests.RunTo():
                return await self._run_to(request, thread_id)
            case requests.Goto():
                run = await self._jump(request, thread_id)
        return await self._resume(run, thread_id)

    def _resumed(self) -> None:
        self._session.markers.resume()

    async def _step(self, request: requests.Step, thread_id: int) -> _Run:
        session = self._session
        arguments: dict[str, Any] = {}
        if request.target_id is not None:
            self._targets.check_calls()
            if request.kind != "in":
                raise BadRequest(f"a step {request.kind} has no target: only a step in has one", kind=request.kind)
            arguments["targetId"] = session.handles.adapter_number("step-in target", session.id, request.target_id)
        command = STEP_COMMANDS[request.kind]
        if session.has_no_stack and session.driver.entry_function is not None:
            await self._lead_to_entry(session.driver.entry_function)
            command, arguments = "continue", {}
        return _Run(command, request.wait, lambda: session.markers.step(thread_id, request.kind), arguments)

    async def _run_to(self, request: requests.RunTo, thread_id: int) -> responses.Continued | responses.Stepped:
        await self._guest.arrive(request.source, request.line)
        try:
            return await self._resume(_Run("continue", request.wait, self._resumed), thread_id)
        except DaemonError:
            if self._session.is_live:
                await self._guest.leave()
            raise

    async def _jump(self, request: requests.Goto, thread_id: int) -> _Run:
        session = self._session
        targets = (await self._targets.of_line(request.source, request.line, thread_id)).targets
        chosen = request.target_id if request.target_id is not None else targets[0].id
        target = session.handles.adapter_number("goto target", session.id, chosen)
        return _Run("goto", request.wait, lambda: session.markers.jump(thread_id), {"targetId": target})

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
            session.actor = ACTING.get()
            try:
                await self._pauser.send(thread_id)
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

    async def _join_run(self, request: requests.Continue) -> responses.Continued | responses.Stepped:
        armed = self._arm(request.wait, all_threads=request.all_threads)
        try:
            return await self._answer(request.wait, armed, None, already_running=True)
        finally:
            self._disarm(armed)

    async def _lead_to_entry(self, function: str) -> None:
        """Make the program stop at its first function: before it there is nothing that could be stepped."""
        session = self._session
        refusal = await self._functions.admit(function)
        # One of the project's that is there already stops the program as well.
        if refusal is not None and "exists" not in refusal:
            await self._functions.dismiss()
            raise DapProtocolError(
                f"the program has not reached its own code: set a breakpoint and continue ({refusal})",
                command="setFunctionBreakpoints",
                adapter_message=refusal,
            )

        def when_it_stands(numbered: Numbered) -> None:
            if isinstance(numbered.event, events.Stopped):
                session.unlisten(when_it_stands)
                session.tasks.start_soon(self._forget_entry)

        session.listen(when_it_stands)

    async def _forget_entry(self) -> None:
        try:
            await self._functions.dismiss()
        except DaemonError as error:
            log.debug("the breakpoint at the entry stays session=%s reason=%s", self._session.id, error.message)

    async def _resume(self, run: _Run, thread_id: int) -> responses.Continued | responses.Stepped:
        session = self._session
        standing = session.stop
        # From here to the write there is no await: no stop can fall between the decision and the arming.
        session.begin_run()
        motion = session.motion
        mark = run.mark()
        armed = self._arm(run.wait, all_threads=run.all_threads)
        try:
            await self._send_resume(run, thread_id, mark, motion, standing)
            return await self._answer(run.wait, armed, thread_id)
        finally:
            self._disarm(armed)

    async def _send_resume(
        self, run: _Run, thread_id: int, mark: int | None, motion: int, standing: Standing | None
    ) -> None:
        session = self._session
        try:
            # Announced by the reader, so that a stop right behind the answer cannot overtake it.
            arguments = {"threadId": thread_id, **run.arguments}
            await self._send(run.command, arguments, lambda _body: session.run_accepted(motion, thread_id))
        except AdapterTimeout:
            # Whether the program runs is unknown, and asking again could move it twice.
            session.process.signal(signal.SIGKILL)
            raise
        except DaemonError:
            if mark is not None:
                session.markers.withdraw(mark)
            session.run_refused(motion, standing)
            raise

    async def _send(
        self, command: str, arguments: dict[str, Any], on_body: Callable[[Body], None] | None = None
    ) -> None:
        # Shielded, so that a client that hangs up cannot leave the answer unread and the state unknown.
        with anyio.CancelScope(shield=True):
            pending = self._session.post(command, arguments, on_body)
            await self._session.answered(dict[str, Any], pending, limit=REQUEST_TIMEOUT)

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
            await self._session.run.told()
            return responses.Continued(
                session_id=self._session.id, thread_id=thread_id, already_running=already_running
            )
        return await self._waited(wait, armed)

    async def _waited(self, wait: objects.Wait, armed: Armed) -> responses.Stepped:
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
        if session.was_cut_off and outcome == "exited":
            # Its exit code is that of being killed: it did not come to its end.
            collector.exit_code = None
            return "terminated"
        if session.was_cut_off:
            return outcome
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
            disconnected=True if outcome in ("exited", "terminated") and self._session.is_disconnecting else None,
        )


_DOING: Final[Mapping[type, str]] = {
    requests.Step: "stepping",
    requests.RunTo: "running to a line",
    requests.Goto: "jumping",
}


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
