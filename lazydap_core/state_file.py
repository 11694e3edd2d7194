"""Owns reading `.lazydap/state.toml`; never writes it, and knows no daemon that might have changes not yet saved."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from lazydap_core.domain.breakpoints import Breakpoint, FilterChoice, FunctionBreakpoint, Watch
from lazydap_core.errors import StateFileInvalid
from lazydap_core.project import STATE_FOLDER
from lazydap_core.protocol.objects import U32

STATE_FILE: Final = "state.toml"


class ProjectState(msgspec.Struct, frozen=True):
    """What a state file says. Sources are joined to the root, otherwise as they were written.

    The counters are above every id in the file. `launch_configs` is kept as it was written, for
    `lazydap_core.launches` to read.
    """

    version: int = 0
    next_breakpoint_id: int = 1
    next_watch_id: int = 1
    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[Watch, ...] = ()
    function_breakpoints: tuple[FunctionBreakpoint, ...] = ()
    exception_filters: tuple[FilterChoice, ...] = ()
    breakpoints_muted: bool = False
    launch_configs: Any = ()


class _BreakpointRow(msgspec.Struct):
    id: U32
    source: str
    line: U32
    column: U32 | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None
    enabled: bool = True


class _WatchRow(msgspec.Struct):
    id: U32
    expression: str
    label: str | None = None


class _AnchorRow(msgspec.Struct):
    id: U32
    line: U32
    text: str


class _Document(msgspec.Struct):
    version: U32 = 0
    next_breakpoint_id: U32 = 1
    next_watch_id: U32 = 1
    breakpoints: list[_BreakpointRow] = []  # msgspec copies it
    watches: list[_WatchRow] = []
    anchors: list[_AnchorRow] = []
    function_breakpoints: list[FunctionBreakpoint] = []
    exception_filters: list[FilterChoice] = []
    breakpoints_muted: bool = False
    launch_configs: Any = ()


def state_path(root: Path) -> Path:
    """Where the project at `root` keeps its state."""
    return root / STATE_FOLDER / STATE_FILE


def read_state(root: Path) -> ProjectState:
    """The state of the project at `root`; a missing file is an empty project. Raises StateFileInvalid."""
    path = state_path(root)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ProjectState()
    except (OSError, UnicodeDecodeError) as error:
        raise StateFileInvalid(f"{path} cannot be read: {error}", path=str(path)) from error
    return parse_state(text, root)


def parse_state(text: str, root: Path) -> ProjectState:
    """What `text` says as the state file of the project at `root`. Raises StateFileInvalid, naming the place."""
    try:
        document = msgspec.convert(tomllib.loads(text.removeprefix("\ufeff")), _Document)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        path = state_path(root)
        raise StateFileInvalid(f"{path} is malformed: {error}; mend or remove it", path=str(path)) from error
    # One that names another line is of before somebody moved the breakpoint by hand: the hand is right.
    anchors = {(row.id, row.line): row.text for row in document.anchors}
    return ProjectState(
        version=document.version,
        next_breakpoint_id=_above(document.next_breakpoint_id, (*document.breakpoints, *document.function_breakpoints)),
        next_watch_id=_above(document.next_watch_id, document.watches),
        breakpoints=tuple(_breakpoint(row, root, anchors) for row in document.breakpoints),
        watches=tuple(Watch(id=row.id, expression=row.expression, label=row.label) for row in document.watches),
        function_breakpoints=tuple(document.function_breakpoints),
        exception_filters=tuple(document.exception_filters),
        breakpoints_muted=document.breakpoints_muted,
        launch_configs=document.launch_configs,
    )


def _above(counter: int, rows: Sequence[_BreakpointRow | _WatchRow | FunctionBreakpoint]) -> int:
    return max(counter, 1, *(row.id + 1 for row in rows))


def _breakpoint(row: _BreakpointRow, root: Path, anchors: Mapping[tuple[int, int], str]) -> Breakpoint:
    # Joined as text: the words of the file stay as they are, `./a` and `b/../a` included.
    source = os.path.join(root, row.source)  # noqa: PTH118
    return Breakpoint(
        id=row.id,
        source=source,
        line=row.line,
        column=row.column,
        condition=row.condition,
        hit_condition=row.hit_condition,
        log_message=row.log_message,
        enabled=row.enabled,
        anchor=anchors.get((row.id, row.line)),
    )
