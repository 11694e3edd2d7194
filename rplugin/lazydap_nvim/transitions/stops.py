"""Owns how the model changes with where the program stands, and with what is read and chosen there."""

from msgspec.structs import replace

from lazydap_core.protocol import objects
from lazydap_core.protocol.objects import Locals, StackFrame, Stop
from lazydap_nvim.explain import asking_line
from lazydap_nvim.model import (
    EMPTY,
    LONGEST_VALUE,
    MOST_ROWS,
    Project,
    Row,
    Session,
    Text,
    Values,
    one_line,
    place,
    standing_frame,
    text_reference,
    with_text,
)
from lazydap_nvim.transitions.effects import Effect, Jump, Outcome, Say

STOP_DETAIL = "stop_detail"
SOURCE = "source"
NO_INPUT = "EOF when reading a line"
"""What Python says to a program that asks where nobody can answer."""
_DEFINITIONS = frozenset({"module", "function", "type", "builtin_function_or_method"})


def stop_told(project: Project, stop: Stop) -> Outcome:
    """The daemon's account of a stop, as far as it is known; an overtaken one changes nothing."""
    session = project.live
    # The stop's own event comes first, so a detail that finds the program running is of a stop that is over.
    if session is None or session.state == "running" or stop.generation <= session.floor:
        return Outcome(project)
    if stop.generation < session.seen:
        return Outcome(project)
    is_new = stop.generation > session.seen
    told = replace(
        session,
        state="paused",
        seen=stop.generation,
        stop=stop,
        moving=0,
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
    if project.is_following and not was_placed and frame is not None:
        effects = (*effects, *_approach(project, stop, frame, is_told=session.stop == stop))
    if is_new and NO_INPUT in (stop.text or "") and not session.has_terminal:
        effects += (Say(asking_line(session), "warn"),)
    return Outcome(replace(project, session=told), effects)


def _approach(project: Project, stop: Stop, frame: StackFrame, *, is_told: bool) -> tuple[Effect, ...]:
    """What brings the following editor to a stop."""
    where = place(frame)
    if where is not None:
        return (Jump(*where, "stop"),)
    has_text = text_reference(frame) is not None and SOURCE in project.features
    if has_text and stop.reason != "entry":
        return ("text",)
    # At its entry a compiled program stands in the system's loader, which nobody has asked to see.
    words = f"stopped at the entry, in {one_line(frame.name)}: :LazydapHere shows its code" if has_text else None
    return () if is_told else (Say(words or sourceless(frame)),)


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


def placeless(project: Project, stop: Stop) -> Outcome:
    """A stop of which the daemon tells no details: where it is remains to be asked."""
    told = stop_told(project, stop)
    return Outcome(told.project, (*told.effects, "frame"))


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


def stop_chosen(project: Project) -> Outcome:
    """The user looks at the stop itself again, not at another frame or thread of it."""
    session = project.live
    if session is None or session.stop is None:
        return Outcome(project)
    stop = session.stop
    is_its_thread = session.thread is None or session.thread == stop.thread_id
    told = replace(session, chosen=0, thread=None, frames=session.frames if is_its_thread else ())
    if stop.locals is not None:
        told = with_values(told, stop.generation, standing_frame(stop), stop.locals)
    return Outcome(replace(project, session=told), ("draw",))


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
