"""Owns the questions to a daemon that take more than one request; keeps nothing."""

import time
from collections.abc import AsyncIterator
from typing import Final

import anyio
from msgspec.structs import replace

from lazydap_core.errors import BadRequest, LazydapError
from lazydap_core.protocol import objects, requests, responses
from lazydap_core.protocol.objects import Locals, SessionId, StackFrame, Stop
from lazydap_nvim.explain import ending_line
from lazydap_nvim.link import Link
from lazydap_nvim.model import (
    MOST_ROWS,
    TEXT_PATH,
    Session,
    Stoppers,
    Text,
    looked_at_thread,
    one_line,
    place,
    standing_frame,
    text_reference,
)

SEARCHED_FRAMES: Final = 24
"""Frames among which one with a source is looked for."""
STACK_FRAMES: Final = 500
ENDING_SECONDS: Final = 2.0
EXIT_CODE_PAUSES: Final = (0.0, 0.05, 0.1, 0.1)
"""An adapter may tell the exit code after the end."""
LAST_WORDS_MS: Final = 5000
MOST_TEXT: Final = 2**20
"""Characters of code without a file that are shown."""
LONGEST_NAME: Final = 80


async def details(link: Link, session_id: SessionId, stop: Stop) -> AsyncIterator[Stop]:
    """The stop with its frame, then with its locals, for a daemon that does not tell them. Raises LazydapError."""
    frames = await _frames(link, session_id, stop.thread_id, 1)
    if not frames:
        return
    placed = replace(stop, frame=frames[0])
    if place(frames[0]) is None:
        more = await _frames(link, session_id, stop.thread_id, SEARCHED_FRAMES)
        placed = replace(placed, user_frame=next((frame for frame in more if place(frame) is not None), None))
    yield placed
    frame = standing_frame(placed)
    page = None if frame is None else await locals_of(link, session_id, frame.id)
    if page is not None:
        yield replace(placed, locals=page)


async def _frames(link: Link, session_id: SessionId, thread_id: int | None, levels: int) -> tuple[StackFrame, ...]:
    request = requests.StackTrace(session_id=session_id, thread_id=thread_id, start_frame=0, levels=levels)
    return (await link.ask(request, responses.StackTrace)).frames


async def stack(link: Link, session: Session) -> responses.StackTrace:
    """The frames of the thread that is looked at, at most `STACK_FRAMES`. Raises LazydapError."""
    return await stack_of(link, session, looked_at_thread(session))


async def stack_of(
    link: Link, session: Session, thread_id: int | None, levels: int = STACK_FRAMES
) -> responses.StackTrace:
    """The first `levels` frames of a thread, None for the one that stopped. Raises LazydapError."""
    request = requests.StackTrace(session_id=session.id, thread_id=thread_id, start_frame=0, levels=levels)
    return await link.ask(request, responses.StackTrace)


async def locals_of(link: Link, session_id: SessionId, frame_id: int) -> Locals | None:
    """The first page of a frame's locals, None where it has none. Raises LazydapError."""
    answer = await link.ask(requests.Scopes(session_id=session_id, frame_id=frame_id), responses.Scopes)
    cheap = [scope for scope in answer.scopes if not scope.expensive]
    scope = next((scope for scope in cheap if scope.name.lower() == "local"), cheap[0] if cheap else None)
    if scope is None:
        return None
    page = await link.ask(
        requests.Variables(
            session_id=session_id,
            variables_reference=scope.variables_reference,
            filter="all",
            start=0,
            count=MOST_ROWS,
            max=MOST_ROWS,
        ),
        responses.Variables,
    )
    return Locals(
        frame_id=frame_id,
        variables_reference=scope.variables_reference,
        variables=page.variables,
        truncated=page.truncated,
    )


async def text_of(link: Link, session: Session, frame: StackFrame) -> Text:
    """The code of a frame without a file, by a name that no other code of the session has now. Raises LazydapError."""
    reference = text_reference(frame)
    if reference is None:
        raise BadRequest(f"{frame.name} has no source here")
    answer = await link.ask(requests.Source(session_id=session.id, source_reference=reference), responses.SourceText)
    name = (frame.source.name if frame.source is not None else None) or frame.name
    path = f"{TEXT_PATH}{one_line(name, LONGEST_NAME)}"
    if any(text.path == path and text.reference != reference for text in session.texts):
        path = f"{path} {reference}"
    return Text(
        reference=reference,
        path=path,
        text=answer.text[:MOST_TEXT],
        mime_type=answer.mime_type,
        filetype="python" if session.adapter == "debugpy" else None,
    )


async def stoppers(link: Link, features: frozenset[str]) -> Stoppers:
    """What stops the program beside lines, as far as the daemon's features go. Raises LazydapError."""
    told = Stoppers()
    if "function_breakpoints" in features:
        functions = await link.ask(requests.FunctionBreakpointList(), responses.FunctionBreakpoints)
        told = replace(told, functions=functions.breakpoints)
    if "data_breakpoints" in features:
        data = await link.ask(requests.DataBreakpointList(), responses.DataBreakpoints)
        told = replace(told, data=data.breakpoints)
    if "exceptions" in features:
        filters = await link.ask(requests.ExceptionFilterList(), responses.ExceptionFilters)
        told = replace(told, filters=filters.filters)
    return told


async def ending(link: Link | None, session: Session) -> tuple[str, bool]:
    """How the session ended, in a line, and whether it ended well; never waits longer than `ENDING_SECONDS`."""
    chunks: tuple[objects.OutputChunk, ...] = ()
    if link is not None and link.is_up and session.state != "adapter_died" and not session.is_ending:
        with anyio.move_on_after(ENDING_SECONDS):
            try:
                session = await _with_exit_code(link, session)
                if session.exit_code:
                    since = max(0, time.time_ns() // 1_000_000 - LAST_WORDS_MS)
                    request = requests.Output(session_id=session.id, since_ms=since)
                    chunks = (await link.ask(request, responses.Output)).chunks
            except LazydapError:
                # A disconnected session is forgotten at once: its ending is told without its last words.
                pass
    return ending_line(session, chunks)


async def _with_exit_code(link: Link, session: Session) -> Session:
    for pause in EXIT_CODE_PAUSES:
        if session.exit_code is not None:
            break
        await anyio.sleep(pause)
        summary = (await link.ask(requests.Status(), responses.Status)).session
        if summary is None or summary.session_id != session.id:
            break
        session = replace(session, exit_code=summary.exit_code)
    return session
