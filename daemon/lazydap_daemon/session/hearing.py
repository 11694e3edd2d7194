"""Owns what each event of an adapter means for its session."""

import logging
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from lazydap_core.domain.words import output_category
from lazydap_core.errors import DaemonError
from lazydap_core.protocol import events, objects
from lazydap_daemon.adapters.driver import Normalised
from lazydap_daemon.adapters.ordinary import is_relayed
from lazydap_daemon.adapters.process import Debuggee
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Event
from lazydap_daemon.dap.errors import BodyMalformed
from lazydap_daemon.session.session import Session

log = logging.getLogger("daemon.session")

# A `continued` this soon after a stop is the late announcement of the run that the stop ended.
LATE_CONTINUED: Final = 0.1
# Categories of `output` in which adapters complain.
COMPLAINTS: Final = frozenset({"important", "stderr"})


class Hearing:
    """Takes the adapter's events for one session, in order of arrival, from within the reader; nothing here waits."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._stopped_at = 0.0

    def on_noise(self, text: str) -> None:
        """What the adapter's process printed beside its conversation, where that is the program's own output."""
        self._on_output(dap.OutputBody(output=text, category="stdout"))

    def on_event(self, event: Event) -> None:
        """What one event of the adapter means; called by the reader in order of arrival, never waits."""
        try:
            self._dispatch(event)
        except BodyMalformed as malformed:
            log.warning("adapter sent an event of unexpected shape event=%s detail=%s", event.name, malformed.detail)

    def _dispatch(self, event: Event) -> None:  # noqa: C901, PLR0912 - one case an event
        session = self._session
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
                session.updates.take(event.decode(dap.BreakpointBody).breakpoint)
            case "module":
                self._on_module(event.decode(dap.ModuleBody).module)
            case "process":
                self._on_process(event.decode(dap.ProcessBody))
            case "exited":
                self._on_exited(event.decode(dap.ExitedBody))
            case "terminated":
                session.has_ended()
            case "initialized":
                session.initialized.set()
            case "capabilities":
                session.capabilities = session.capabilities.merged(event.decode(dap.CapabilitiesBody).capabilities)
            case "invalidated":
                if session.stop is not None:
                    session.stop.forget_values()
            case _:
                pass

    def _on_stopped(self, body: dap.StoppedBody) -> None:
        session = self._session
        # An adapter may report a stop while it is being disconnected, or after the end: nobody can use it.
        if session.is_tearing_down or not session.is_live:
            return
        if self._is_arrival(body):
            if session.is_announced:
                session.tasks.start_soon(self._pass_arrival, body.thread_id)
            return
        normal = session.driver.normalise_stop(
            body,
            entry_expected=session.plan.stop_on_entry and session.stop_count == 0,
            pause_outstanding=session.markers.pause_outstanding,
            step_thread=session.markers.step_thread,
        )
        normal = self._as_jump(normal)
        if normal.is_refresh:
            if session.stop is not None:
                session.stop.forget_values()
            return
        session.interrupt.answered(by_signal=session.driver.is_stopped_by_signal(body))
        if session.state == "paused" and self._is_repeat(normal.thread_id, normal.reason):
            return
        normal = self._as_exception(normal)
        # LLDB first completes a step that a breakpoint had interrupted (doc/adapters.md, "Stops").
        is_old_step = normal.reason == "step" and session.markers.is_continuing and session.is_announced
        if is_old_step:
            session.tasks.start_soon(self._go_on, normal, bool(body.all_threads_stopped))
            return
        if normal.may_be_placeless:
            session.tasks.start_soon(self._look_for_place, normal, bool(body.all_threads_stopped))
            return
        self._take_stop(normal, all_threads_stopped=bool(body.all_threads_stopped))

    def _is_arrival(self, body: dap.StoppedBody) -> bool:
        """A stop by which LLDB gets into a program behind a port, and which it ends itself when all is set up.

        It may be told late, when the program runs already.
        """
        session = self._session
        if session.plan.stop_on_entry or not session.is_attached or not session.driver.is_stopped_by_signal(body):
            return False
        is_first = session.stop_count == 0 and not session.markers.pause_outstanding
        return is_first and (not session.is_announced or is_relayed(session.plan))

    async def _pass_arrival(self, thread_id: int | None) -> None:
        with suppress(DaemonError):
            # Refused where it runs already.
            await self._session.ask(dict[str, Any], "continue", {"threadId": thread_id})

    def _as_exception(self, normal: Normalised) -> Normalised:
        """A stop at an exception filter that is a breakpoint of the adapter's is no breakpoint of anybody's."""
        session = self._session
        hit = [session.book.filters[number] for number in normal.hit_ids if session.book.is_filter(number)]
        if not hit:
            return normal
        if normal.reason == "exception":
            return replace(normal, text=normal.text or ", ".join(hit), hit_ids=())
        return replace(normal, reason="exception", raw_reason=normal.reason, text=", ".join(hit), hit_ids=())

    def _as_jump(self, normal: Normalised) -> Normalised:
        """A stop that ends a jump, which some adapters report without a reason."""
        thread_id = self._session.markers.jumping_thread
        if thread_id is None or not (normal.is_refresh or normal.reason in ("", "goto")):
            return normal
        return replace(normal, reason="goto", is_refresh=False, thread_id=normal.thread_id or thread_id)

    async def _look_for_place(self, normal: Normalised, all_threads_stopped: bool) -> None:
        session = self._session
        arguments = {"threadId": normal.thread_id, "startFrame": 0, "levels": 1}
        with suppress(DaemonError):
            if not (await session.ask(dap.StackTraceBody, "stackTrace", arguments)).stack_frames:
                await self._go_on(normal, all_threads_stopped)
                return
        if session.is_live:
            self._take_stop(normal, all_threads_stopped=all_threads_stopped)

    async def _go_on(self, normal: Normalised, all_threads_stopped: bool) -> None:
        session = self._session
        if session.is_tearing_down or not session.is_live:
            return
        try:
            await session.ask(dict[str, Any], "continue", {"threadId": normal.thread_id or session.last_thread_id})
        except DaemonError as error:
            log.warning("could not go on after a stop of no interest session=%s reason=%s", session.id, error.message)
            self._take_stop(normal, all_threads_stopped=all_threads_stopped)

    def _take_stop(self, normal: Normalised, *, all_threads_stopped: bool) -> None:
        session = self._session
        session.markers.stopped(normal.reason)
        is_first = session.state != "paused"
        if is_first:
            session.move("stopped")
            session.run.end()
            self._stopped_at = time.monotonic()
        if normal.thread_id is not None and (is_first or session.last_thread_id is None):
            session.last_thread_id = normal.thread_id
        stopped = events.Stopped(
            session_id=session.id,
            thread_id=normal.thread_id,
            adapter_thread_id=normal.adapter_thread_id,
            reason=normal.reason,
            raw_reason=normal.raw_reason,
            all_threads_stopped=all_threads_stopped,
            hit_breakpoint_ids=session.book.our_ids(normal.hit_ids, normal.reason),
            by=session.actor,
        )
        if session.is_announced:
            session.emit(stopped)
        if is_first:
            session.stand(stopped, normal.text)
        session.troubles.met(session.book.our_ids(normal.hit_ids))
        session.came_to_rest.set()

    def _is_repeat(self, thread_id: int | None, reason: str) -> bool:
        # Some adapters answer a pause of a stopped program with its stop once more (doc/adapters.md, "Stops").
        standing = self._session.stop
        return standing is not None and (reason == "pause" or thread_id == standing.thread_id)

    def _on_continued(self, body: dap.ContinuedBody) -> None:
        session = self._session
        if not session.is_announced or not session.is_live:
            return
        run = session.run
        was_expected, run.is_expected = run.is_expected, False
        if session.state == "paused":
            if was_expected and time.monotonic() - self._stopped_at < LATE_CONTINUED:
                return
            run.begin(is_ours=False)
            session.move("continued")
        thread_id = None if body.thread_id == session.driver.no_thread else body.thread_id
        session.announce_run(thread_id, all_threads=body.all_threads_continued is not False)

    def _on_output(self, body: dap.OutputBody) -> None:
        session = self._session
        category = output_category(body.category)
        # What an adapter would tell its maker is nobody's output, and is not kept.
        if body.output is None or category == "telemetry":
            return
        if not session.driver.is_program_output(body.category, body.output):
            if session.is_let_go:
                # How the adapter sees a program that goes on without it: as one that has failed.
                return
            if category in {"stdout", "stderr"}:
                category = "console"
            self._read_narration(body.output)
            if body.category in COMPLAINTS:
                session.troubles.narrated(body.output)
        chunk = objects.OutputChunk(
            category=category,
            output=body.output,
            timestamp_ms=time.time_ns() // 1_000_000,
            seq=session.history.last_number + 1,
        )
        session.emit(events.Output(session_id=session.id, chunk=chunk))

    def _read_narration(self, text: str) -> None:
        session = self._session
        if (pid := session.driver.pid_in_output(text)) is not None:
            self._learn_process(pid)
        if not session.is_announced:
            session.launch_failure = session.driver.launch_failure(text) or session.launch_failure
        if (code := session.driver.exit_code_in_output(text)) is not None:
            session.take_exit_code(code)

    def _on_thread(self, body: dap.ThreadBody) -> None:
        session = self._session
        if body.thread_id is None:
            return
        if session.first_thread_id is None and body.reason != "exited":
            session.first_thread_id = body.thread_id
        if session.is_announced:
            update = objects.ThreadUpdate(
                thread_id=body.thread_id, kind="exited" if body.reason == "exited" else "started"
            )
            session.emit(events.ThreadChanged(session_id=session.id, update=update))

    def _on_module(self, module: dap.Module) -> None:
        session = self._session
        if session.driver.has_debug_info(module) is False and _is_same(module.path, session.plan.program):
            name = Path(session.plan.program).name
            session.tell_unbound(f"{name} has no debug information: compile it with -g")

    def _on_process(self, body: dap.ProcessBody) -> None:
        if body.system_process_id and body.is_local_process is not False:
            self._learn_process(body.system_process_id)

    def _learn_process(self, pid: int) -> None:
        session = self._session
        target = session.plan.target
        # Behind a port may be another machine, a container or a tunnel: that number here is somebody else.
        if session.debuggee is None and (target is None or target.port is None):
            session.debuggee = Debuggee.of(pid)

    def _on_exited(self, body: dap.ExitedBody) -> None:
        session = self._session
        if session.is_let_go:
            # LLDB reports a program that it leaves running as exited with -1.
            return
        session.take_exit_code(body.exit_code)
        session.came_to_rest.set()


def _is_same(path: str | None, program: str) -> bool:
    """Whether both name one file; cheap for the hundreds of libraries of which that is not so."""
    return (
        path is not None and Path(path).name == Path(program).name and Path(path).resolve() == Path(program).resolve()
    )
