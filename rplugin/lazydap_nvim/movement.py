"""Owns what a step, a continue or a pause does in each state of the program."""

from typing import Any, Final, assert_never

from msgspec.structs import replace

from lazydap_core.errors import LazydapError
from lazydap_core.protocol import objects, requests, responses
from lazydap_nvim import following
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING, STILL_LAUNCHING, program_name
from lazydap_nvim.host import Host
from lazydap_nvim.launching import launch
from lazydap_nvim.link import Link
from lazydap_nvim.model import Project, Queue, Session
from lazydap_nvim.targets import commanded
from lazydap_nvim.transitions import ordered
from lazydap_nvim.verbs import Continue, Disconnect, Launch, Movement, Pause, Starting, Step, Stop

HURRY: Final = 0.3
"""Seconds after a step of ours in which another is one typed ahead; later the program counts as running."""
MOST_STEPS: Final = 10_000
DISCONNECT_SECONDS: Final = 30.0


def is_untold(host: Host, verb: Movement) -> bool:
    """Whether the daemon has yet to hear where breakpoints of the project meant have gone with their text."""
    if not host.unsaid:
        return False
    project = commanded(host.model, verb.where, host.root_of)
    return project is not None and project.root in host.unsaid


def order(host: Host, verb: Movement) -> bool:
    """Carry the movement out or say why not, without waiting; False when nothing is known to be live."""
    project = commanded(host.model, verb.where, host.root_of)
    session = None if project is None else project.live
    if project is None or session is None:
        return False
    match verb:
        case Step():
            _step(host, project, session, verb)
        case Continue():
            _continue(host, project, session)
        case Pause():
            _pause(host, project, session)
        case _:
            assert_never(verb)
    return True


def _step(host: Host, project: Project, session: Session, verb: Step) -> None:
    count = min(max(verb.count, 1), MOST_STEPS)
    if session.state == "paused":
        host.step(project.root, verb.kind, Queue(verb.kind, count - 1) if count > 1 else None)
    elif session.state == "running" and session.moving and host.clock.time() - host.moved_at < HURRY:
        # One step typed ahead is kept and the rest forgotten: a held key must not go on stepping when it is let go.
        if session.queued is None:
            host.apply(ordered.set_queued(project, Queue(verb.kind, count)))
    else:
        host.editor.say(RUNNING if session.state == "running" else STILL_LAUNCHING)


def _continue(host: Host, project: Project, session: Session) -> None:
    if session.state == "paused":
        request = requests.Continue(
            session_id=session.id, thread_id=session.thread, wait=objects.NoWait(), all_threads=False
        )
        host.move(project.root, request)
    else:
        host.editor.say(RUNNING if session.state == "running" else STILL_LAUNCHING)


def _pause(host: Host, project: Project, session: Session) -> None:
    if session.state == "paused":
        host.editor.say("the program is stopped already: :LazydapHere goes there")
        return
    host.apply(ordered.set_pausing(project))
    host.model = replace(host.model, last=project.root)
    host.jobs.post("the pause", _carry_pause, host, project.root, session)


async def _carry_pause(host: Host, root: str, session: Session) -> None:
    await host.link_to(root).move(requests.Pause(session_id=session.id, wait=objects.NoWait()))


async def order_late(host: Host, verb: Movement) -> None:
    """The same for a project that nothing live is known of, or whose breakpoints are being changed."""
    await host.jobs.changed()
    project = await host.acquainted(verb.where, is_moving=True)
    if project is not None and project.is_connected:
        await following.deliver(host, host.link_to(project.root))
    if order(host, verb):
        return
    if project is not None and project.launching is not None:
        host.editor.say(STILL_LAUNCHING)
    elif isinstance(verb, Continue):
        told: dict[str, Any] = {name: getattr(verb, name) for name in Starting.__struct_fields__}
        await launch(host, Launch(**told))
    else:
        host.editor.say(NOTHING_LIVE)


async def end(host: Host, verb: Stop | Disconnect) -> None:
    """End the program, or leave it to itself, and say which of the two it has become. Raises LazydapError."""
    project = await host.acquainted(verb.where)
    session = None if project is None else project.live
    if project is None or session is None:
        await _give_up(host, project)
        return
    terminate = isinstance(verb, Stop)
    if not terminate and await _would_end(host.link_to(project.root), session.id):
        host.editor.say(
            "this adapter ends the program when it lets go of it: nothing done, :LazydapStop ends it", "warn"
        )
        return
    request = requests.Disconnect(session_id=session.id, terminate=terminate, dry_run=False)
    host.apply(ordered.set_ending(project, is_ending=True, is_answered=True))
    try:
        answer = await host.link_to(project.root).aside(request, responses.Disconnected, DISCONNECT_SECONDS)
    except LazydapError:
        host.apply(ordered.set_ending(host.project(project.root), is_ending=False))
        raise
    if answer.terminated_debuggee:
        host.editor.say(f"{program_name(session)} ended")
    elif terminate:
        host.editor.say(f"{program_name(session)} was attached to and runs on")
    else:
        host.editor.say(f"{program_name(session)} runs on without the debugger")


async def _would_end(link: Link, session_id: objects.SessionId) -> bool:
    """Whether the program would not live on without its debugger."""
    request = requests.Disconnect(session_id=session_id, terminate=False, dry_run=True)
    return (await link.aside(request, responses.Disconnected, DISCONNECT_SECONDS)).terminated_debuggee


async def _give_up(host: Host, project: Project | None) -> None:
    """End a launch that is under way, whoever began it; whoever did is told."""
    if project is not None and (task := host.launches.tasks.get(project.root)) is not None:
        task.cancel()
        return
    is_ours = project is not None and project.launching is not None
    if project is None or "cancel_launch" not in project.features:
        host.editor.say(STILL_LAUNCHING if is_ours else NOTHING_LIVE)
        return
    link = host.link_to(project.root)
    answer = await link.aside(requests.CancelLaunch(), responses.LaunchCancelled, DISCONNECT_SECONDS)
    if not answer.cancelled:
        host.editor.say(STILL_LAUNCHING if is_ours else NOTHING_LIVE)
    elif not is_ours:
        host.editor.say("the launch was given up")
