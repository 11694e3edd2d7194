"""Owns how the model changes with what the daemon tells: its events, the snapshot of a link, and its silence."""

from typing import Final

from msgspec.structs import replace

from lazydap_core.protocol import events, objects, responses
from lazydap_core.protocol.additions.state_file import StateFile
from lazydap_core.protocol.objects import BreakpointStatus, Stop
from lazydap_nvim.model import Project, Queue, Session, Stoppers, one_line, session_of
from lazydap_nvim.transitions import points, stops
from lazydap_nvim.transitions.effects import Effect, Ended, Outcome, Say, StepAgain

EDITOR: Final = "Neovim "
"""How editors call themselves to a daemon; the process id follows."""
STOPPING = frozenset({"function_breakpoints", "data_breakpoints", "exceptions"})


def heard(project: Project, event: events.Event, own: str | None = None) -> Outcome:
    """What an event of the daemon means to the client that calls itself `own`."""
    outcome = Outcome(project)
    match event:
        case events.Stopped():
            outcome = _stopped(project, event, own)
        case events.StopDetail():
            if project.has_session(event.session_id):
                outcome = stops.stop_told(project, event.stop)
        case events.Continued():
            outcome = _continued(project, event, own)
        case events.SessionStarted():
            outcome = _started(project, event)
        case events.SessionEnded():
            outcome = _ended(project, event)
        case StateFile():
            outcome = points.state_file_told(project, event)
        case _:
            outcome = points.heard(project, event)
    return outcome


def _started(project: Project, event: events.SessionStarted) -> Outcome:
    if project.has_session(event.session_id):
        return Outcome(project)
    is_ours = project.launching is not None
    session = Session(
        id=event.session_id,
        adapter=event.adapter,
        program=project.launching or "",
        launched=project.ordered if is_ours else None,
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


def _stopped(project: Project, event: events.Stopped, own: str | None) -> Outcome:
    session = project.session
    if session is None or session.id != event.session_id or not session.is_live:
        # A stop of a session nobody has told us of: the snapshot will.
        return Outcome(project, ("status",) if session is None else ())
    was_running = session.state != "paused"
    is_told = stops.STOP_DETAIL in project.features
    stopped = replace(session, state="paused", moving=0, floor=session.seen if was_running else session.floor)
    if session.queued is not None:
        stopped = replace(stopped, queued=None)
        if event.reason == "step":
            kind, left = session.queued.kind, session.queued.count - 1
            return Outcome(replace(project, session=stopped), (StepAgain(kind, Queue(kind, left) if left else None),))
    # A run is told before its stop, but for one that was over at once; a pause is told by its stop alone.
    if _is_other_editor(event.by, own) and (not was_running or event.reason == "pause"):
        project = replace(project, is_following=False)
    others: tuple[Effect, ...] = ()
    if event.by not in (None, own) and was_running:
        others = (Say(f"{_DEEDS.get(event.reason, 'run')} by {_named(event.by)}"),)
    if is_told:
        return Outcome(replace(project, session=stopped), ("dwell", *others))
    stop = Stop(generation=session.seen + 1, thread_id=event.thread_id, reason=event.reason)
    told = stops.placeless(replace(project, session=stopped), stop)
    return Outcome(told.project, (*told.effects, *others))


_DEEDS: Final[dict[str, str]] = {
    "step": "stepped",
    "pause": "paused",
    "goto": "put to another line",
    "entry": "launched",
}


def _is_other_editor(client: str | None, own: str | None) -> bool:
    """Whether that is an editor besides this one: a command line or a script moves the program for those who follow."""
    return client is not None and client != own and client.startswith(EDITOR)


def _named(client: str) -> str:
    return f"the {client}" if client == "command line" else one_line(client)


def _continued(project: Project, event: events.Continued, own: str | None) -> Outcome:
    session = project.session
    if session is None or session.id != event.session_id or not session.is_live or session.state == "running":
        return Outcome(project)
    running = replace(session, state="running", floor=session.seen, queued=None, frames=(), chosen=0, thread=None)
    follows = project.is_following and not _is_other_editor(event.by, own)
    return Outcome(replace(project, session=running, is_following=follows), ("dwell",))


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
    told = points.state_file_told(outcome.project, StateFile(not_saved=status.not_saved))
    return Outcome(told.project, (*outcome.effects, *told.effects, *reads))


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
        told = stops.stop_told(replace(after, session=known), summary.stop)
        return Outcome(told.project, told.effects or ("draw",))
    if stops.STOP_DETAIL in project.features or session.stop is not None:
        return Outcome(after, ("draw",))
    return stops.placeless(after, Stop(generation=session.seen + 1))


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
