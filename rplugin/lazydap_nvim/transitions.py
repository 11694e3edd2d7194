"""Owns how the model changes with what the daemon says and what the user orders: pure functions, effects as values."""

from typing import Final, Literal, NamedTuple, TypeVar

from msgspec.structs import replace

from lazydap_core.domain.words import StepKind
from lazydap_core.protocol import events, objects, responses
from lazydap_core.protocol.additions.named import (
    DataBreakpointStatus,
    DataBreakpointUpdated,
    FunctionBreakpointStatus,
    FunctionBreakpointUpdated,
)
from lazydap_core.protocol.additions.state_file import StateFile
from lazydap_core.protocol.objects import BreakpointStatus, Locals, StackFrame, Stop
from lazydap_nvim.explain import asking_line
from lazydap_nvim.model import (
    EMPTY,
    LONGEST_VALUE,
    MOST_ROWS,
    Known,
    Project,
    Queue,
    Row,
    Session,
    Stoppers,
    Text,
    Values,
    one_line,
    place,
    session_of,
    standing_frame,
    text_reference,
    with_text,
)
from lazydap_nvim.verbs import Severity


class Jump(Known, frozen=True):
    """Effect: the cursor goes there, as the following editor's does at a stop or because the user asked."""

    path: str
    line: int
    reason: Literal["stop", "here", "frame"]


class StepAgain(Known, frozen=True):
    """Effect: the next of the steps that were ordered, and those to follow it."""

    kind: StepKind
    queue: Queue | None


class Ended(Known, frozen=True):
    """Effect: somebody should be told how this session ended."""

    session: Session


class Say(Known, frozen=True):
    """Effect: one line for the user."""

    text: str
    severity: Severity = "info"


Errand = Literal[
    "draw",  # what is drawn has changed
    "dwell",  # in a moment it has, unless the program stops before
    "list",  # the breakpoints are to be read again
    "stoppers",  # what stops the program beside lines is to be read again
    "status",  # the session is to be read again
    "text",  # the program stands in code without a file, which the adapter can show
    "frame",  # the daemon tells no details of stops: where the program stands is to be asked
]
Effect = Errand | Jump | StepAgain | Ended | Say


class Outcome(NamedTuple):
    """The project after a transition, and what is to be done about it."""

    project: Project
    effects: tuple[Effect, ...] = ()


STOP_DETAIL = "stop_detail"
SOURCE = "source"
NO_INPUT = "EOF when reading a line"
"""What Python says to a program that asks where nobody can answer."""
STOPPING = frozenset({"function_breakpoints", "data_breakpoints", "exceptions"})
SAVED_AGAIN = "breakpoints and watches are saved again"
_DEFINITIONS = frozenset({"module", "function", "type", "builtin_function_or_method"})


def heard(project: Project, event: events.Event) -> Outcome:
    """What an event of the daemon means."""
    outcome = Outcome(project)
    match event:
        case events.Stopped():
            outcome = _stopped(project, event)
        case events.StopDetail():
            if _is_of(project, event.session_id):
                outcome = stop_told(project, event.stop)
        case events.Continued():
            outcome = _continued(project, event)
        case events.SessionStarted():
            outcome = _started(project, event)
        case events.SessionEnded():
            outcome = _ended(project, event)
        case StateFile():
            outcome = _state_file_told(project, event)
        case _:
            outcome = _breakpoints_heard(project, event)
    return outcome


def _breakpoints_heard(project: Project, event: events.Event) -> Outcome:
    match event:
        case events.BreakpointUpdated():
            return _breakpoint_updated(project, event)
        case FunctionBreakpointUpdated() | DataBreakpointUpdated():
            return _named_updated(project, event)
        case events.ExceptionFiltersChanged():
            return Outcome(project, ("stoppers",))
        case events.MuteChanged():
            return muted(project, is_muted=event.muted)
        case _:
            # Not asked for.
            return Outcome(project)


def _is_of(project: Project, session_id: objects.SessionId) -> bool:
    return project.session is not None and project.session.id == session_id


def _started(project: Project, event: events.SessionStarted) -> Outcome:
    if _is_of(project, event.session_id):
        return Outcome(project)
    is_ours = project.launching is not None
    session = Session(
        id=event.session_id,
        adapter=event.adapter,
        program=project.launching or "",
        launched=project.ordered if is_ours else None,
        mover="us" if is_ours else "them",
    )
    after = replace(project, session=session, is_following=is_ours)
    # Our own launch brings the rest with its answer.
    return Outcome(after, ("draw",) if is_ours else ("draw", "status", "list"))


def _ended(project: Project, event: events.SessionEnded) -> Outcome:
    session = project.session
    if session is None or session.id != event.session_id or session.ended is not None:
        return Outcome(project)
    exit_code = session.exit_code
    match event.reason:
        case objects.Exited():
            state, words = "exited", "exited"
            exit_code = event.reason.exit_code
        case objects.AdapterDied():
            state, words = "adapter_died", event.reason.detail
        case "disconnected" | "terminated":
            state, words = "terminated", event.reason
    ended = replace(
        session,
        state=state,
        exit_code=exit_code,
        ended=words,
        stop=None,
        values=None,
        moving=0,
        queued=None,
        frames=(),
        chosen=0,
        thread=None,
    )
    return Outcome(replace(project, session=ended), ("draw", Ended(ended)))


def _stopped(project: Project, event: events.Stopped) -> Outcome:
    session = project.session
    if session is None or session.id != event.session_id or not session.is_live:
        # A stop of a session nobody has told us of: the snapshot will.
        return Outcome(project, ("status",) if session is None else ())
    was_running = session.state != "paused"
    is_told = STOP_DETAIL in project.features
    stopped = replace(session, state="paused", moving=0, floor=session.seen if was_running else session.floor)
    if session.queued is not None:
        stopped = replace(stopped, queued=None)
        if event.reason == "step":
            kind, left = session.queued.kind, session.queued.count - 1
            return Outcome(replace(project, session=stopped), (StepAgain(kind, Queue(kind, left) if left else None),))
    others: tuple[Effect, ...] = ()
    if event.by is not None and session.mover == "them":
        others = (Say(f"{_DEEDS.get(event.reason, 'run')} by {_named(event.by)}"),)
    if is_told:
        return Outcome(replace(project, session=stopped), ("dwell", *others))
    stop = Stop(generation=session.seen + 1, thread_id=event.thread_id, reason=event.reason)
    told = _placeless(replace(project, session=stopped), stop)
    return Outcome(told.project, (*told.effects, *others))


_DEEDS: Final[dict[str, str]] = {
    "step": "stepped",
    "pause": "paused",
    "goto": "put to another line",
    "entry": "launched",
}


def _named(client: str) -> str:
    return f"the {client}" if client == "command line" else one_line(client)


def _continued(project: Project, event: events.Continued) -> Outcome:
    session = project.session
    if session is None or session.id != event.session_id or not session.is_live or session.state == "running":
        return Outcome(project)
    running = replace(session, state="running", floor=session.seen, queued=None, frames=(), chosen=0, thread=None)
    if session.state == "paused":
        # A movement of ours would have set it running already.
        running = replace(running, mover="them")
    return Outcome(replace(project, session=running), ("dwell",))


def stop_told(project: Project, stop: Stop) -> Outcome:
    """The daemon's account of a stop, as far as it is known; an overtaken one changes nothing."""
    session = project.live
    # The stop's own event comes first, so a detail that finds the program running is of a stop that is over.
    if session is None or session.state == "running" or stop.generation <= session.floor:
        return Outcome(project)
    if stop.generation < session.seen:
        return Outcome(project)
    is_new = stop.generation > session.seen
    follows = project.is_following and (session.mover == "us" or not is_new)
    told = replace(
        session,
        state="paused",
        seen=stop.generation,
        stop=stop,
        moving=0,
        mover=None if is_new else session.mover,
    )
    if is_new:
        told = replace(told, frames=(), chosen=0, thread=None, texts=())
    told = _with_texts(told)
    if stop.locals is not None and told.chosen == 0 and told.thread is None:
        told = with_values(told, stop.generation, standing_frame(stop), stop.locals)
    effects: tuple[Effect, ...] = ("draw",)
    if stop.locals is None:
        effects += ("dwell",)
    frame = None if told.stop is None else standing_frame(told.stop)
    where = place(frame)
    if where is not None and where[0] not in told.shown and text_reference(frame) is None:
        told = replace(told, shown=told.shown | {where[0]})
    was_placed = not is_new and session.stop is not None and place(standing_frame(session.stop)) is not None
    if follows and not was_placed and frame is not None:
        effects = (*effects, *_approach(project, frame, is_told=session.stop == stop))
    if is_new and NO_INPUT in (stop.text or "") and not session.has_terminal:
        effects += (Say(asking_line(session), "warn"),)
    return Outcome(replace(project, session=told, is_following=follows), effects)


def _approach(project: Project, frame: StackFrame, *, is_told: bool) -> tuple[Effect, ...]:
    """What brings the following editor to a stop."""
    where = place(frame)
    if where is not None:
        return (Jump(*where, "stop"),)
    if text_reference(frame) is not None and SOURCE in project.features:
        return ("text",)
    return () if is_told else (Say(sourceless(frame)),)


def sourceless(frame: StackFrame) -> str:
    """What is said where the program stands in nothing that can be shown."""
    return f"stopped in {one_line(frame.name)}, which has no source here"


def _with_texts(session: Session) -> Session:
    """The session with its frames placed in the code that was read of them."""
    stop = session.stop
    if stop is None or not session.texts:
        return session
    placed = replace(
        stop, frame=with_text(stop.frame, session.texts), user_frame=with_text(stop.user_frame, session.texts)
    )
    frames = tuple(with_text(frame, session.texts) or frame for frame in session.frames)
    return replace(session, stop=placed, frames=frames)


def text_told(project: Project, generation: int, text: Text) -> Outcome:
    """The code of a frame of the stop with that generation."""
    session = project.live
    if session is None or session.seen != generation or session.stop is None:
        return Outcome(project)
    texts = (*(one for one in session.texts if one.reference != text.reference), text)
    return Outcome(replace(project, session=_with_texts(replace(session, texts=texts))), ("draw",))


def has_stopped_anew(before: Project | None, after: Project) -> bool:
    """Whether the project's program stands at another stop than before."""
    if after.live is None or after.live.stop is None:
        return False
    known = before.live if before is not None else None
    return known is None or known.seen != after.live.seen


def with_values(session: Session, generation: int, frame: StackFrame | None, page: Locals) -> Session:
    """The session with the locals of `frame` as the values to draw; what differs from the stop before is marked."""
    where = place(frame)
    if frame is None or where is None:
        return replace(session, values=None, full_values=EMPTY)
    before = session.values
    is_same_function = before is not None and before.path == where[0] and before.function == frame.name
    # Told a second time at one stop, a value has not changed; what it was compared with is gone, so the marks stay.
    is_again = is_same_function and before is not None and before.generation == generation
    marked = {row.name for row in before.rows if row.is_changed} if is_again and before is not None else set[str]()
    known = session.full_values if is_same_function else EMPTY
    variables = [v for v in page.variables if not (_is_group(v) or _is_definition(v))][:MOST_ROWS]
    rows = tuple(
        Row(
            one_line(v.name),
            one_line(v.value, LONGEST_VALUE),
            None if v.type_name is None else one_line(v.type_name),
            v.name in marked or (v.name in known and known[v.name] != v.value),
        )
        for v in variables
    )
    values = Values(generation=generation, path=where[0], line=where[1], function=frame.name, rows=rows)
    return replace(session, values=values, full_values={v.name: v.value for v in variables})


def _is_group(variable: objects.Variable) -> bool:
    # debugpy lists "special variables" and "function variables" among the locals.
    return " " in variable.name and variable.value == "" and variable.variables_reference != 0


def _is_definition(variable: objects.Variable) -> bool:
    # What a Python file imports and defines is among its locals, and says nothing beside its own line.
    return variable.type_name in _DEFINITIONS


def dwelt(project: Project) -> Outcome:
    """The moment after a change is over: a program that has not stopped since is drawn as running."""
    session = project.live
    if session is None:
        return Outcome(project)
    after = session
    is_running = session.state == "running"
    if is_running or (session.stop is not None and session.stop.generation <= session.floor):
        after = replace(after, stop=None, frames=(), chosen=0, thread=None)
    values = session.values
    if values is not None and not values.is_stale and (is_running or values.generation != session.seen):
        after = replace(after, values=replace(values, is_stale=True))
    return Outcome(replace(project, session=after), ("draw",))


# --- what the user orders


def set_moving(project: Project, token: int, queued: Queue | None = None) -> Outcome:
    """A movement of ours is on its way; `token` tells it from later ones, `queued` are steps to follow it."""
    session = project.live
    if session is None:
        return Outcome(project)
    moving = replace(session, state="running", moving=token, mover="us", floor=session.seen, queued=queued)
    return Outcome(replace(project, session=moving, is_following=True), ("dwell",))


def set_queued(project: Project, queued: Queue | None) -> Outcome:
    """Steps that were ordered while one is on its way."""
    session = project.live
    return Outcome(project if session is None else replace(project, session=replace(session, queued=queued)))


def set_pausing(project: Project) -> Outcome:
    """Our pause is on its way: the stop that follows is ours."""
    session = project.live
    if session is None:
        return Outcome(project)
    return Outcome(replace(project, session=replace(session, mover="us", queued=None), is_following=True))


def set_ending(project: Project, *, is_ending: bool, is_answered: bool = False) -> Outcome:
    """We ask for the program's end, or have been refused it; `is_answered`: the answer tells what came of it."""
    session = project.live
    if session is None:
        return Outcome(project)
    return Outcome(replace(project, session=replace(session, is_ending=is_ending, is_answered=is_answered)))


def move_refused(project: Project, token: int) -> Outcome:
    """The daemon refused the movement: it knows better than we where the program is."""
    session = project.live
    if session is None or session.moving != token:
        return Outcome(project)
    back = replace(session, state="paused", moving=0, mover=None, queued=None)
    return Outcome(replace(project, session=back), ("draw", "status"))


def launching(project: Project, program: str, now: float, aged: str | None = None) -> Outcome:
    """Our launch of `program` is on its way; `aged` is a source of it that is newer, which the user has been told."""
    return Outcome(replace(project, launching=program, ordered=now, aged=aged), ("draw",))


def launch_failed(project: Project) -> Outcome:
    """Our launch came to nothing; a session that exists now is somebody else's."""
    return Outcome(replace(project, launching=None, ordered=None, aged=None), ("draw", "status", "list"))


def launched(project: Project, answer: responses.Launched, adapter: objects.AdapterKind, program: str) -> Outcome:
    """Our launch was answered; what events have told of the session meanwhile stands."""
    known = project.session
    session = (
        known
        if known is not None and known.id == answer.session_id
        else Session(id=answer.session_id, adapter=adapter, launched=project.ordered, mover="us")
    )
    session = replace(
        session,
        program=program,
        adapter_command=answer.adapter_command,
        has_terminal=answer.terminal is not None,
    )
    is_untold = session.state == "initialising"
    if is_untold:
        session = replace(session, state=answer.state)
    after = replace(project, session=session, launching=None, breakpoints=answer.breakpoints)
    if not session.is_live:
        return Outcome(after, ("draw",))
    after = replace(after, is_following=True)
    if not is_untold or session.state != "paused":
        return Outcome(after, ("draw",))
    if answer.stop is not None:
        return stop_told(after, answer.stop)
    if STOP_DETAIL in project.features:
        return Outcome(after, ("draw",))
    return _placeless(after, Stop(generation=session.seen + 1, thread_id=answer.thread_id, reason=answer.reason))


# --- what is read


def connected(
    project: Project,
    features: frozenset[str],
    status: responses.Status,
    breakpoints: tuple[BreakpointStatus, ...],
    now: float,
) -> Outcome:
    """A link is up: its snapshot, of the moment `now`, replaces all that was known."""
    before = replace(project, is_connected=True, features=features, session=None, breakpoints=breakpoints)
    reads: tuple[Effect, ...] = ("stoppers",)
    if not features & STOPPING:
        before, reads = replace(before, stoppers=Stoppers()), ()
    outcome = snapshot(before, status, now)
    told = _state_file_told(outcome.project, StateFile(not_saved=status.not_saved))
    return Outcome(told.project, (*outcome.effects, *told.effects, *reads))


def _state_file_told(project: Project, event: StateFile) -> Outcome:
    effects: tuple[Effect, ...] = ()
    if event.not_saved != project.not_saved:
        effects = (Say(SAVED_AGAIN) if event.not_saved is None else Say(event.not_saved, "error"),)
    if event.overruled is not None:
        effects += (Say(event.overruled, "warn"),)
    return Outcome(replace(project, not_saved=event.not_saved), effects)


def muted(project: Project, *, is_muted: bool) -> Outcome:
    """All breakpoints are off, or as each of them is."""
    return Outcome(replace(project, muted=is_muted), ("draw",))


def snapshot(project: Project, status: responses.Status, now: float) -> Outcome:
    """What `Status` tells at the moment `now`; for an answer that no event has overtaken."""
    project = replace(project, muted=bool(status.muted))
    summary = status.session
    if summary is None:
        return Outcome(replace(project, session=None), ("draw",))
    session = session_of(summary, project.session, now)
    after = replace(project, session=session)
    if session.state != "paused":
        return Outcome(after, ("draw", "dwell"))
    if summary.stop is not None:
        # It is the stop of now, whatever has been thought overtaken.
        known = replace(session, floor=min(session.floor, summary.stop.generation - 1))
        told = stop_told(replace(after, session=known), summary.stop)
        return Outcome(told.project, told.effects or ("draw",))
    if STOP_DETAIL in project.features or session.stop is not None:
        return Outcome(after, ("draw",))
    return _placeless(after, Stop(generation=session.seen + 1))


def _placeless(project: Project, stop: Stop) -> Outcome:
    told = stop_told(project, stop)
    return Outcome(told.project, (*told.effects, "frame"))


def lost(project: Project, breakpoints: tuple[BreakpointStatus, ...], stoppers: Stoppers | None = None) -> Outcome:
    """No daemon answers: what it owned is gone, breakpoints and `stoppers` are those of the project's file."""
    # `launching` stays: a launch may be what starts the daemon, and whoever sent it says when it came to nothing.
    after = replace(
        project,
        is_connected=False,
        not_saved=None,
        features=frozenset(),
        session=None,
        breakpoints=breakpoints,
        stoppers=stoppers or Stoppers(),
        is_following=False,
    )
    return Outcome(after, () if after == project else ("draw",))


def listed(project: Project, breakpoints: tuple[BreakpointStatus, ...]) -> Outcome:
    """The project's breakpoints as the daemon has them now."""
    if breakpoints == project.breakpoints:
        return Outcome(project)
    return Outcome(replace(project, breakpoints=breakpoints), ("draw",))


def edited(project: Project, answer: responses.Breakpoints) -> Outcome:
    """What a change of ours came to."""
    changed = {b.id: b for b in answer.breakpoints}
    if answer.action == "removed":
        return listed(project, tuple(b for b in project.breakpoints if b.id not in changed))
    kept = tuple(changed.pop(b.id, b) for b in project.breakpoints)
    return listed(project, (*kept, *changed.values()))


def _breakpoint_updated(project: Project, event: events.BreakpointUpdated) -> Outcome:
    if event.session_id is None:
        return Outcome(project, ("list",))
    opinion = event.breakpoint
    if not _is_of(project, event.session_id) or opinion.id is None:
        return Outcome(project)
    return listed(project, tuple(_judged(b, opinion) if b.id == opinion.id else b for b in project.breakpoints))


def _judged(breakpoint_: BreakpointStatus, opinion: objects.AdapterBreakpoint) -> BreakpointStatus:
    line = opinion.line if opinion.line is not None else breakpoint_.adapter_line
    return replace(
        breakpoint_,
        verified=opinion.verified,
        adapter_line=None if line == breakpoint_.line else line,
        message=opinion.message or (None if opinion.verified else breakpoint_.message),
    )


def stoppers_told(project: Project, stoppers: Stoppers) -> Outcome:
    """What stops the program beside lines, as the daemon has it now."""
    return Outcome(project) if stoppers == project.stoppers else Outcome(replace(project, stoppers=stoppers), ("draw",))


def _named_updated(project: Project, event: FunctionBreakpointUpdated | DataBreakpointUpdated) -> Outcome:
    if event.session_id is None:
        return Outcome(project, ("stoppers",))
    opinion, told = event.breakpoint, project.stoppers
    if not _is_of(project, event.session_id):
        return Outcome(project)
    functions = tuple(_found(one, opinion) if one.id == opinion.id else one for one in told.functions)
    data = tuple(_found(one, opinion) if one.id == opinion.id else one for one in told.data)
    return stoppers_told(project, replace(told, functions=functions, data=data))


_Named = TypeVar("_Named", FunctionBreakpointStatus, DataBreakpointStatus)


def _found(one: _Named, opinion: objects.AdapterBreakpoint) -> _Named:
    return replace(
        one, verified=opinion.verified, message=opinion.message or (None if opinion.verified else one.message)
    )


# --- frames


def frames_told(project: Project, generation: int, frames: tuple[StackFrame, ...]) -> Outcome:
    """The whole stack of the stop with that generation."""
    session = project.live
    if session is None or session.seen != generation or session.state != "paused":
        return Outcome(project)
    return Outcome(replace(project, session=_with_texts(replace(session, frames=frames))))


def frame_chosen(project: Project, number: int) -> Outcome:
    """The user looks at frame `number` of the stack; 0 is where the program stands."""
    session = project.live
    if session is None or session.stop is None or not 0 <= number < len(session.frames):
        return Outcome(project)
    # Where a caller is drawn for the stop, the top frame is looked at like any other.
    is_inner = number == 0 and session.thread is None and session.stop.user_frame is not None
    thread = session.stop.thread_id if is_inner else session.thread
    after = replace(project, session=replace(session, chosen=number, thread=thread))
    where = place(session.frames[number])
    return Outcome(after, ("draw",) if where is None else ("draw", Jump(*where, "frame")))


def thread_chosen(project: Project, generation: int, thread: int, frames: tuple[StackFrame, ...]) -> Outcome:
    """The user looks at another thread of the stop with that generation; `frames` is its stack."""
    session = project.live
    if session is None or session.seen != generation or session.state != "paused":
        return Outcome(project)
    # The first frame with a source, as at a stop: a thread mostly waits somewhere in a library.
    number = next((n for n, frame in enumerate(frames) if place(frame) is not None), 0)
    after = replace(project, session=replace(session, thread=thread, frames=frames, chosen=number))
    where = place(frames[number]) if frames else None
    return Outcome(after, ("draw",) if where is None else ("draw", Jump(*where, "frame")))


def values_told(project: Project, generation: int, number: int, page: Locals) -> Outcome:
    """The locals of frame `number`, asked for by us."""
    session = project.live
    if session is None or session.seen != generation or session.chosen != number or session.stop is None:
        return Outcome(project)
    frame = session.frames[number] if number < len(session.frames) else standing_frame(session.stop)
    return Outcome(replace(project, session=with_values(session, generation, frame, page)), ("draw",))
