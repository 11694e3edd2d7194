"""Owns what the host knows of each project as plain values; knows neither editor nor connection."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from lazydap_core.domain.words import LIVE_STATES, AdapterKind, SessionState, StepKind
from lazydap_core.protocol.additions.exceptions import ExceptionFilter
from lazydap_core.protocol.additions.named import DataBreakpointStatus, FunctionBreakpointStatus
from lazydap_core.protocol.objects import BreakpointStatus, SessionId, SessionSummary, StackFrame, Stop

LONGEST_VALUE: Final = 200
"""Characters of one value that are drawn; the rest is for the panes."""
MOST_ROWS: Final = 100
TEXT_PATH: Final = "lazydap://source/"
"""How the names of code begin that is no file on disk."""
NO_GENERATION: Final = -1

EMPTY: Final[Mapping[str, str]] = {}


class Known(msgspec.Struct, frozen=True):
    """Base of everything in the model: values, replaced and never changed."""


class Row(Known, frozen=True, array_like=True):
    """One variable as it is drawn, on one line; `is_changed` since the stop before in the same function."""

    name: str
    value: str
    type_name: str | None
    is_changed: bool


class Values(Known, frozen=True, kw_only=True):
    """The locals of one function at one stop."""

    generation: int
    path: str
    line: int
    function: str
    rows: tuple[Row, ...]
    is_stale: bool = False


class Queue(Known, frozen=True):
    """Steps to make at the next stops."""

    kind: StepKind
    count: int


class Text(Known, frozen=True, kw_only=True):
    """Code that is no file on disk, by the reference that frames of one stop have; `path` is its name in the editor."""

    reference: int
    path: str
    text: str
    mime_type: str | None = None
    filetype: str | None = None


class Session(Known, frozen=True, kw_only=True):
    """One session as far as events have told.

    `seen` is the generation of the newest stop heard of; details up to `floor` are overtaken. `stop` is the one drawn:
    it outlives the program's moving on by `DWELL`, so that a quick step does not flicker. `shown` are the files it
    has stopped in, `texts` what was read at this stop of code without a file, `frames` the stack once somebody has
    asked for it: that of `thread`, where the user has chosen one in place of the one that stopped.
    `launched` is when its program was started or attached to, in seconds of the clock on the wall.
    `is_ending`: we have asked for its end; `is_answered`: what came of it is told with the answer.
    """

    id: SessionId
    adapter: AdapterKind
    program: str = ""
    adapter_command: str | None = None
    has_terminal: bool = False
    launched: float | None = None
    state: SessionState = "initialising"
    exit_code: int | None = None
    ended: str | None = None
    is_ending: bool = False
    is_answered: bool = False
    seen: int = NO_GENERATION
    floor: int = NO_GENERATION
    stop: Stop | None = None
    moving: int = 0
    queued: Queue | None = None
    values: Values | None = None
    full_values: Mapping[str, str] = EMPTY
    frames: tuple[StackFrame, ...] = ()
    chosen: int = 0
    thread: int | None = None
    shown: frozenset[str] = frozenset()
    texts: tuple[Text, ...] = ()

    @property
    def is_live(self) -> bool:
        """Whether the program can still move."""
        return self.state in LIVE_STATES


class Stoppers(Known, frozen=True, kw_only=True):
    """What stops a project's program beside breakpoints on lines; `filters` are all that its adapters have."""

    functions: tuple[FunctionBreakpointStatus, ...] = ()
    data: tuple[DataBreakpointStatus, ...] = ()
    filters: tuple[ExceptionFilter, ...] = ()


class Project(Known, frozen=True, kw_only=True):
    """One project: `features` are the daemon's while `is_connected`, `launching` the program on its way.

    `ordered` is when we last ordered a launch, `aged` the source that was told then to be newer than its program.
    """

    root: str
    is_connected: bool = False
    features: frozenset[str] = frozenset()
    session: Session | None = None
    breakpoints: tuple[BreakpointStatus, ...] = ()
    stoppers: Stoppers = Stoppers()
    launching: str | None = None
    ordered: float | None = None
    aged: str | None = None
    is_following: bool = False
    launches: tuple[str, ...] = ()
    muted: bool = False
    log: str | None = None
    not_saved: str | None = None

    @property
    def live(self) -> Session | None:
        """The session whose program can still move."""
        return self.session if self.session is not None and self.session.is_live else None

    def has_session(self, session_id: SessionId) -> bool:
        """Whether that is the session known last."""
        return self.session is not None and self.session.id == session_id


class Jump(Known, frozen=True, kw_only=True):
    """Where the cursor shall go, once a token."""

    token: int
    path: str
    line: int
    reason: Literal["stop", "here", "frame"]


class Item(Known, frozen=True, kw_only=True):
    """A line of a list; without `path` a heading."""

    path: str | None = None
    line: int | None = None
    text: str = ""
    id: int | None = None


class Listing(Known, frozen=True, kw_only=True):
    """A list for the quickfix window, opened once a token."""

    title: str
    items: tuple[Item, ...]
    open: int


class Pane(Known, frozen=True, kw_only=True):
    """What a pane or float shows of one project: its lines as they are drawn, opened once a token where it has one.

    `note` stands in for lines that cannot be had now.
    """

    root: str
    title: str = ""
    lines: tuple[Known, ...] = ()
    note: str | None = None
    open: int | None = None


class Model(Known, frozen=True, kw_only=True):
    """Everything there is to draw.

    `last` is the root last commanded or last stopped, `breakpoint_root` the one whose breakpoints are listed.
    """

    projects: Mapping[str, Project] = {}
    last: str | None = None
    jump: Jump | None = None
    stack: Listing | None = None
    threads: Listing | None = None
    breakpoint_list: int | None = None
    breakpoint_root: str | None = None
    panes: Mapping[str, Pane] = {}

    def with_project(self, project: Project, **changes: Any) -> "Model":
        """The model with `project` in its place, and `changes` to the rest."""
        return replace(self, projects={**self.projects, project.root: project}, **changes)


def place(frame: StackFrame | None) -> tuple[str, int] | None:
    """The file and line a frame stands at, None where it has no source file."""
    if frame is None or frame.source is None or not frame.source.path:
        return None
    return frame.source.path, frame.line


def text_reference(frame: StackFrame | None) -> int | None:
    """What names the code of a frame without a file, None where there is none to be had."""
    return None if frame is None or frame.source is None else frame.source.source_reference


def with_text(frame: StackFrame | None, texts: tuple[Text, ...]) -> StackFrame | None:
    """The frame, placed in its code where that has been read."""
    reference = text_reference(frame)
    known = next((text for text in texts if text.reference == reference), None)
    if frame is None or frame.source is None or known is None or frame.source.path:
        return frame
    return replace(frame, source=replace(frame.source, path=known.path))


def chosen_frame(session: Session) -> StackFrame | None:
    """The frame that the user looks at in place of the one that is drawn for the stop; None while there is none."""
    if 0 <= session.chosen < len(session.frames) and (session.chosen or session.thread is not None):
        return session.frames[session.chosen]
    return None


def looked_at_thread(session: Session) -> int | None:
    """The thread of the frame that the user looks at: the one that was chosen, else the one that stopped."""
    if session.thread is not None or session.stop is None:
        return session.thread
    return session.stop.thread_id


def standing_frame(stop: Stop) -> StackFrame | None:
    """The frame that is drawn for a stop: the top one, or the caller that the daemon names because that shows less."""
    return stop.frame if stop.user_frame is None else stop.user_frame


def session_of(summary: SessionSummary, before: Session | None, now: float) -> Session:
    """The session a snapshot of the moment `now` tells of, with what `before` knows where it is the same one."""
    known = before if before is not None and before.id == summary.session_id else None
    session = replace(
        known or Session(id=summary.session_id, adapter=summary.adapter),
        program=summary.program,
        adapter_command=summary.adapter_command,
        has_terminal=summary.terminal is not None,
        launched=now - summary.uptime_ms / 1000 if known is None or known.launched is None else known.launched,
        state=summary.state,
        exit_code=summary.exit_code,
    )
    return session if session.is_live else replace(session, stop=None, values=None, moving=0, queued=None)


def one_line(text: str, longest: int = LONGEST_VALUE) -> str:
    """`text` on one line of at most `longest` characters."""
    if len(text) <= longest and text.isprintable():
        return text
    flat = text[: longest + 1].translate(_BREAKS)
    return flat if len(text) <= longest else flat[: longest - 1] + "…"


_BREAKS: Final = {ord("\n"): "⏎", ord("\r"): "", ord("\t"): " ", 0: "␀"}
