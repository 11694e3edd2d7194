"""Owns how a stop, an ending or a launch reads for people; knows no request."""

import os
from collections.abc import Iterator
from pathlib import Path

from lazydap_core.domain.endings import exit_code_words, signal_of
from lazydap_core.domain.words import AdapterKind, SessionState, WaitOutcome
from lazydap_core.protocol.objects import OutputChunk, StackFrame
from lazydap_core.protocol.responses import Stepped

Line = tuple[str, object]


def near(path: str, folder: Path) -> str:
    """`path` as seen from `folder` where it lies below it, else as it is."""
    below = str(folder).rstrip(os.sep) + os.sep
    return path.removeprefix(below) or path


def source_of(frame: StackFrame, folder: Path) -> str | None:
    """The file of a frame, or the name of what it has instead of one."""
    if frame.source is None:
        return None
    return frame.source.name if frame.source.path is None else near(frame.source.path, folder)


def place(frame: StackFrame, folder: Path) -> str:
    """Where a frame stands: `file:line in function`."""
    source = source_of(frame, folder)
    return f"{frame.name} (no source)" if source is None else f"{source}:{frame.line} in {frame.name}"


def waited_lines(stepped: Stepped, folder: Path, adapter: AdapterKind) -> list[Line]:
    """What a wait came to, for a program under `adapter`."""
    return [*_outcome(stepped, folder, adapter), *_output(stepped)]


def state_words(state: SessionState | WaitOutcome, exit_code: int | None, adapter: AdapterKind) -> str:
    """A state; a program that a signal ended did not exit."""
    signal = None if exit_code is None else signal_of(exit_code, adapter)
    if state == "exited" and signal is not None:
        return f"ended by {signal}"
    return state.replace("_", " ")


def _state(stepped: Stepped, adapter: AdapterKind) -> str:
    if stepped.disconnected:
        return "ended by another client"
    if stepped.state == "timeout":
        return "still running (timeout); `lazydap wait` waits on, `lazydap pause` stops it"
    state = state_words(stepped.state, stepped.exit_code, adapter)
    return state if stepped.reason is None else f"{state} ({stepped.reason})"


def _outcome(stepped: Stepped, folder: Path, adapter: AdapterKind) -> Iterator[Line]:
    yield "state", _state(stepped, adapter)
    if stepped.exit_code is not None and not stepped.disconnected:
        yield "exit code", exit_code_words(stepped.exit_code, adapter)
    if stepped.thread_id is not None:
        yield "thread", stepped.thread_id
    if stepped.frame is not None:
        yield "at", place(stepped.frame, folder)
    if stepped.user_frame is not None:
        yield "your code", place(stepped.user_frame, folder)
    if stepped.hit_breakpoint_ids:
        yield "breakpoints", ", ".join(map(str, stepped.hit_breakpoint_ids))
    if stepped.locals is not None:
        labels = iter(("locals",))
        for variable in stepped.locals.variables:
            yield next(labels, ""), f"{variable.name} = {variable.value}"
        if stepped.locals.truncated:
            yield next(labels, ""), f"more: `lazydap variables --reference {stepped.locals.variables_reference}`"
    yield "took", f"{stepped.elapsed_ms} ms"


def _output(stepped: Stepped) -> Iterator[Line]:
    labels = iter(("output",))
    for line in joined_lines(stepped.captured_output):
        yield next(labels, ""), line
    if stepped.output_truncated:
        yield next(labels, ""), "and more: `lazydap output`"


def joined_lines(chunks: tuple[OutputChunk, ...]) -> list[str]:
    """The program's own lines, however they were cut on the way."""
    return "".join(chunk.output for chunk in chunks if chunk.category in ("stdout", "stderr")).splitlines()
