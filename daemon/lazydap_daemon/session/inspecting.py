"""Owns looking at a stopped program: threads, stack, scopes, variables, expressions, and what is read unasked."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from lazydap_core.errors import AdapterCrashed, BadRequest, DaemonError, DapProtocolError, SessionNotPaused
from lazydap_core.protocol import objects, requests, responses
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Body, Pending
from lazydap_daemon.dap.errors import BodyMalformed
from lazydap_daemon.session import translate
from lazydap_daemon.session.containers import Containers, locals_scope
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.standing import Standing

LOCALS_ROWS: Final = 100
DEFAULT_ROWS: Final = 200
USER_FRAME_SEARCH: Final = 24
UNCHOSEN_STOPS: Final = frozenset({"exception", "pause"})
"""Reasons of stops whose place nobody has chosen."""


class Inspector:
    """Answers questions about one session.

    Every question about a stopped program is asked under one motion: if the program has moved by the time the adapter
    answers, the answer is dropped and SessionNotPaused raised.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.containers = Containers(session)
        session.on_standing = self._begin_reading

    # Read unasked at each stop.

    def _begin_reading(self, standing: Standing) -> None:
        session, pending = self._session, None
        # Asked and told from within the adapter's own messages: a task of ours would come a turn later to each.
        if standing.thread_id is not None and not session.has_no_stack and session.connection.broken is None:
            arguments = {"threadId": standing.thread_id, "startFrame": 0, "levels": 1}
            with suppress(AdapterCrashed):
                pending = session.post("stackTrace", arguments, lambda body: self._take_top(standing, body))
        # Looked at once more: an adapter may be found gone by what it is sent. Then there is nobody left to ask.
        if session.has_no_stack or session.connection.broken is not None:
            standing.frame_known.set()
            standing.locals_known.set()
            session.tell_stop(standing)
            return
        session.tasks.start_soon(self._read_stop, standing, pending)

    def _take_top(self, standing: Standing, body: Body) -> None:
        if standing is not self._session.stop:
            return
        try:
            told = body.decode(dap.StackTraceBody)
        except BodyMalformed:
            # Whoever waits for the answer meets it as well, and says so.
            return
        if told.stack_frames:
            self._note_top(standing, told)
            if self._is_telling(standing, told.stack_frames[0]):
                self._tell_frame(standing)

    def _note_top(self, standing: Standing, told: dap.StackTraceBody) -> None:
        standing.top, standing.frame_count = told.stack_frames[0], self._session.driver.frame_total(0, told)
        standing.frames[standing.top.id] = standing.top

    def _is_telling(self, standing: Standing, frame: dap.StackFrame) -> bool:
        """Whether it shows somebody who wants to know why the program stands there."""
        is_inner = standing.reason in UNCHOSEN_STOPS and self._session.driver.is_machinery(frame)
        return _has_path(frame) and not is_inner

    def _tell_frame(self, standing: Standing) -> None:
        session = self._session
        if standing.top is not None:
            standing.frame = translate.stack_frame(standing.top, session.handles, session.id)
        if standing.user is not None:
            standing.user_frame = translate.stack_frame(standing.user, session.handles, session.id)
        standing.frame_known.set()
        session.tell_stop(standing)

    async def _read_stop(self, standing: Standing, pending: Pending | None) -> None:
        session = self._session
        try:
            if pending is None:
                await self._find_thread(standing)
            else:
                await session.answered(dap.StackTraceBody, pending)
                self._session.check_motion(standing)
            if not standing.frame_known.is_set():
                await self._find_user_frame(standing)
                self._tell_frame(standing)
            await self._read_locals(standing)
        except DaemonError:
            # A stop without a frame or without values is still a stop; whoever asks for them gets the reason.
            pass
        finally:
            standing.frame_known.set()
            standing.locals_known.set()
        if standing.locals is not None:
            session.tell_stop(standing)

    async def tell_again(self, standing: Standing) -> None:
        """Read the locals of a stop once more, after one of them was set, and tell them."""
        with suppress(DaemonError):
            await self._read_locals(standing)
            self._session.tell_stop(standing)

    async def _find_thread(self, standing: Standing) -> None:
        """The top frame of a stop for which the adapter names no thread."""
        session = self._session
        threads = await session.threads.listed()
        self._session.check_motion(standing)
        standing.thread_id = session.last_thread_id = session.driver.selected_thread(threads)
        if standing.thread_id is not None:
            body = await self._ask_frames(standing, standing.thread_id, 0, 1)
            if body.stack_frames:
                self._note_top(standing, body)

    async def _find_user_frame(self, standing: Standing) -> None:
        """The nearest frame that shows where, for a program that stands in code which does not."""
        if standing.top is None or standing.thread_id is None or self._is_telling(standing, standing.top):
            return
        for levels in (USER_FRAME_SEARCH, 0):
            frames = await self._frames(standing, standing.thread_id, 0, levels)
            standing.user = next((frame for frame in frames if self._is_telling(standing, frame)), None)
            if standing.user is not None or len(frames) < USER_FRAME_SEARCH:
                return

    async def _read_locals(self, standing: Standing) -> None:
        session = self._session
        frame = standing.user or standing.top
        if frame is None:
            return
        scopes = await self.containers.scopes_of(standing, frame.id)
        chosen = locals_scope(scopes)
        if chosen is None:
            return
        page = await self.containers.first_rows(standing, chosen.variables_reference, LOCALS_ROWS)
        values = tuple(row for row in page.rows if not session.driver.is_folder(row))
        rows = values[:LOCALS_ROWS]
        standing.locals = objects.Locals(
            frame_id=session.handles.mint("frame id", session.id, frame.id),
            variables_reference=session.handles.mint("variables reference", session.id, chosen.variables_reference),
            variables=tuple(translate.variable(row, session.handles, session.id) for row in rows),
            truncated=not page.is_whole or len(values) > LOCALS_ROWS,
        )

    # Asked.

    async def threads(self) -> responses.Threads:
        """The threads, of a running program as last known; a name that the adapter does not tell is left out."""
        self._gate(paused=False)
        return responses.Threads(
            threads=tuple(
                objects.ThreadInfo(id=thread.id, name=thread.name or None)
                for thread in await self._session.threads.listed()
            )
        )

    async def stack(self, request: requests.StackTrace) -> responses.StackTrace:
        """The frames of a thread, of the one that stopped where none is named; `levels` 0 or null is all."""
        async with self.standing() as standing:
            thread_id = request.thread_id if request.thread_id is not None else self._stopped_thread(standing)
            start, levels = request.start_frame or 0, request.levels or 0
            if (start, levels, thread_id) == (0, 1, standing.thread_id):
                await standing.frame_known.wait()
                self._session.check_motion(standing)
                if standing.frame is not None:
                    return responses.StackTrace(frames=(standing.frame,), total=standing.frame_count)
            body = await self._ask_frames(standing, thread_id, start, levels)
            session = self._session
            return responses.StackTrace(
                frames=tuple(translate.stack_frame(f, session.handles, session.id) for f in body.stack_frames),
                total=session.driver.frame_total(start, body),
            )

    async def scopes(self, request: requests.Scopes) -> responses.Scopes:
        """The scopes of a frame, of the top frame of the stopped thread where none is named."""
        async with self.standing() as standing:
            frame_id = await self.adapter_frame(standing, request.frame_id)
            told = await self.containers.scopes_of(standing, frame_id)
            session = self._session
            return responses.Scopes(scopes=tuple(translate.scope(s, session.handles, session.id) for s in told))

    async def variables(self, request: requests.Variables) -> responses.Variables:
        """One page of a container: `max` null is 200 rows, 0 no limit; `count` 0 no limit; the smaller counts."""
        async with self.standing() as standing:
            session = self._session
            reference = session.handles.adapter_number("variables reference", session.id, request.variables_reference)
            limit = _row_limit(request.count, request.max)
            start = request.start or 0
            if request.filter == "all" and start == 0 and limit is not None:
                page = await self.containers.first_rows(standing, reference, limit)
            else:
                page = await self.containers.part(standing, reference, request.filter, start, limit)
            rows = page.rows if limit is None else page.rows[:limit]
            return responses.Variables(
                variables=tuple(translate.variable(row, session.handles, session.id) for row in rows),
                truncated=not page.is_whole or len(rows) < len(page.rows),
            )

    async def evaluate(self, request: requests.Eval) -> responses.Evaluated:
        """The value of an expression in a frame, the top frame where none is named."""
        async with self.standing() as standing:
            session = self._session
            frame_id = await self.adapter_frame(standing, request.frame_id)
            arguments = {"expression": request.expression, "frameId": frame_id, "context": request.context}
            # An evaluation may assign: nothing read before it is answered from memory after it.
            standing.forget_values()
            body = await session.ask(dap.EvaluateBody, "evaluate", arguments)
            self._session.check_motion(standing)
            self.containers.note_sizes(standing, (body,))
            hidden = session.driver.hidden_error(body.result)
            if hidden is not None:
                raise DapProtocolError(f"cannot evaluate: {hidden}", command="evaluate", adapter_message=hidden)
            return responses.Evaluated(
                value=body.result,
                type_name=body.type,
                variables_reference=session.handles.mint("variables reference", session.id, body.variables_reference),
            )

    def output(self, request: requests.Output) -> responses.Output:
        """What the program and its adapter have printed, as far as it is kept; nothing is consumed."""
        history = self._session.history
        chunks = history.output()
        if request.since_ms is not None:
            chunks = tuple(chunk for chunk in chunks if chunk.timestamp_ms >= request.since_ms)
        if request.after_seq is not None:
            chunks = tuple(chunk for chunk in chunks if (chunk.seq or 0) > request.after_seq)
        return responses.Output(chunks=chunks, dropped=history.dropped)

    # From the adapter.

    async def _frames(self, standing: Standing, thread_id: int, start: int, levels: int) -> tuple[dap.StackFrame, ...]:
        return (await self._ask_frames(standing, thread_id, start, levels)).stack_frames

    async def _ask_frames(self, standing: Standing, thread_id: int, start: int, levels: int) -> dap.StackTraceBody:
        arguments: dict[str, Any] = {"threadId": thread_id, "startFrame": start}
        if levels := levels or self._session.driver.all_levels:
            arguments["levels"] = levels
        body = await self._session.ask(dap.StackTraceBody, "stackTrace", arguments)
        self._session.check_motion(standing)
        standing.frames.update((frame.id, frame) for frame in body.stack_frames)
        return body

    # Gates.

    def _gate(self, *, paused: bool) -> None:
        session = self._session
        if not session.is_live:
            raise finished(session)
        if paused and session.state != "paused":
            raise SessionNotPaused(
                "the program is running: pause it first", session_id=str(session.id), state=session.state
            )

    @asynccontextmanager
    async def standing(self) -> AsyncGenerator[Standing]:
        """The present stop, while it is asked about; raises SessionNotPaused, also when it passes meanwhile."""
        self._gate(paused=True)
        standing = self._session.stop
        if standing is None:
            raise SessionNotPaused("the program has not stopped anywhere yet: pause it first")
        try:
            yield standing
        except DapProtocolError:
            # An answer about a program that has moved on is no fault of the adapter.
            self._session.check_motion(standing)
            raise

    def _stopped_thread(self, standing: Standing) -> int:
        if self._session.has_no_stack:
            raise DapProtocolError(
                "the program stands before any code of its own and has no stack yet: step or continue",
                command="stackTrace",
            )
        thread_id = standing.thread_id if standing.thread_id is not None else self._session.last_thread_id
        if thread_id is None:
            raise SessionNotPaused("no thread is known to have stopped: name one (lazydap threads)")
        return thread_id

    async def adapter_frame(self, standing: Standing, handle: int | None) -> int:
        """The adapter's id of a frame, of the stopped thread's top frame where none is named."""
        session = self._session
        if handle is not None:
            return session.handles.adapter_number("frame id", session.id, handle)
        return (await self.top_frame(standing)).id

    async def top_frame(self, standing: Standing, thread_id: int | None = None) -> dap.StackFrame:
        """The top frame of a thread, the stopped one where none is named."""
        await standing.frame_known.wait()
        self._session.check_motion(standing)
        if standing.top is not None and thread_id in (None, standing.thread_id):
            return standing.top
        frames = await self._frames(standing, thread_id or self._stopped_thread(standing), 0, 1)
        if not frames:
            raise DapProtocolError("the stopped thread has no frames: choose another thread")
        return frames[0]


def finished(session: Session) -> BadRequest:
    """The refusal of a request that only a live program can answer."""
    return BadRequest(
        f"the program has ended ({session.state}): launch it again", session_id=str(session.id), state=session.state
    )


def _has_path(frame: dap.StackFrame) -> bool:
    return frame.source is not None and frame.source.file is not None


def _row_limit(count: int | None, most: int | None) -> int | None:
    limits = [limit for limit in (DEFAULT_ROWS if most is None else most, count or 0) if limit]
    return min(limits) if limits else None
