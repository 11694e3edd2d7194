"""Owns how the model changes with what the user orders, from the order to its answer or refusal."""

from msgspec.structs import replace

from lazydap_core.protocol import objects, responses
from lazydap_core.protocol.objects import Stop
from lazydap_nvim.model import Project, Queue, Session
from lazydap_nvim.transitions import stops
from lazydap_nvim.transitions.effects import Outcome


def set_moving(project: Project, token: int, queued: Queue | None = None) -> Outcome:
    """A movement of ours is on its way; `token` tells it from later ones, `queued` are steps to follow it."""
    session = project.live
    if session is None:
        return Outcome(project)
    moving = replace(session, state="running", moving=token, floor=session.seen, queued=queued)
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
    return Outcome(replace(project, session=replace(session, queued=None), is_following=True))


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
    back = replace(session, state="paused", moving=0, queued=None)
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
        else Session(id=answer.session_id, adapter=adapter, launched=project.ordered)
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
        return stops.stop_told(after, answer.stop)
    if stops.STOP_DETAIL in project.features:
        return Outcome(after, ("draw",))
    return stops.placeless(after, Stop(generation=session.seen + 1, thread_id=answer.thread_id, reason=answer.reason))
