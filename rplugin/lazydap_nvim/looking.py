"""Owns the commands that only look: where the program stands, which frame is looked at, and status."""

from msgspec.structs import replace

from lazydap_core.protocol.objects import StackFrame
from lazydap_nvim import inspection
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING, status_line
from lazydap_nvim.host import Host
from lazydap_nvim.model import Project, Session, chosen_frame, one_line, place, standing_frame
from lazydap_nvim.transitions import effects, stops
from lazydap_nvim.verbs import AnyVerb, Down, Follow, Frame, Here, Status, Up


async def stopped(host: Host, verb: AnyVerb) -> tuple[Project, Session] | None:
    """The project a question is for and its stopped session; without one the user is told."""
    project = await host.acquainted(verb.where)
    session = None if project is None else project.live
    if project is None or session is None:
        host.editor.say(NOTHING_LIVE)
        return None
    if session.state != "paused":
        host.editor.say(RUNNING)
        return None
    return project, session


async def go_here(host: Host, verb: Here) -> None:
    """`:LazydapHere`: the cursor goes to the stop, and what was looked at in place of it is no longer chosen."""
    found = await stopped(host, verb)
    if found is None:
        return
    project, session = found
    if chosen_frame(session) is not None:
        await _look_at_stop(host, project.root)
    frame = _standing(host, project.root)
    if frame is not None and place(frame) is None and await host.read_text(project.root, frame):
        frame = _standing(host, project.root)
    where = place(frame)
    if where is None:
        name = "an unknown place" if frame is None else one_line(frame.name)
        host.editor.say(f"stopped in {name}, which has no source here: :LazydapStack lists the callers")
        return
    host.jump(effects.Jump(*where, "here"))
    host.draw()


def _standing(host: Host, root: str) -> StackFrame | None:
    session = host.project(root).live
    return None if session is None or session.stop is None else standing_frame(session.stop)


async def _look_at_stop(host: Host, root: str) -> None:
    host.apply(stops.stop_chosen(host.project(root)))
    session, frame = host.project(root).live, _standing(host, root)
    if session is None or session.stop is None or session.stop.locals is not None or frame is None:
        return
    page = await inspection.locals_of(host.link_to(root), session.id, frame.id)
    if page is not None:
        host.apply(stops.values_told(host.project(root), session.seen, 0, page))


async def choose_frame(host: Host, verb: Frame | Up | Down) -> None:
    """`:LazydapFrame`, `:LazydapUp`, `:LazydapDown`: another frame is looked at; its values follow."""
    found = await stopped(host, verb)
    if found is None:
        return
    project, session = found
    link = host.link_to(project.root)
    if not session.frames:
        answer = await inspection.stack(link, session)
        host.apply(stops.frames_told(host.project(project.root), session.seen, answer.frames))
    now = host.project(project.root).live
    if now is None or not now.frames:
        host.editor.say("the program has moved on: ask again")
        return
    number = _number(now, verb)
    is_drawn = number == now.chosen and (chosen_frame(now) is not None or now.stop is None or not now.stop.user_frame)
    if not 0 <= number < len(now.frames) or is_drawn:
        host.editor.say(_no_frame(now, verb))
        return
    if place(now.frames[number]) is None and not await host.read_text(project.root, now.frames[number]):
        host.editor.say(f"{one_line(now.frames[number].name)} has no source here: :LazydapVariables shows its values")
    host.apply(stops.frame_chosen(host.project(project.root), number))
    page = await inspection.locals_of(link, now.id, now.frames[number].id)
    if page is not None:
        host.apply(stops.values_told(host.project(project.root), now.seen, number, page))


def _number(session: Session, verb: Frame | Up | Down) -> int:
    match verb:
        case Up():
            return min(session.chosen + max(1, verb.count), len(session.frames) - 1)
        case Down():
            return max(session.chosen - max(1, verb.count), 0)
        case Frame():
            if verb.id is not None:
                return next((n for n, frame in enumerate(session.frames) if frame.id == verb.id), -1)
            return verb.n or 0


def _no_frame(session: Session, verb: Frame | Up | Down) -> str:
    match verb:
        case Up():
            return "this is the outermost frame"
        case Down():
            return "this is the innermost frame"
        case Frame():
            if _number(session, verb) == session.chosen:
                return "this frame is chosen already"
            return f"there is no such frame: the stack has 0 to {len(session.frames) - 1}"


async def tell_status(host: Host, verb: Status) -> None:
    """`:LazydapStatus`: one line."""
    project = await host.acquainted(verb.where)
    if project is None:
        host.editor.say("this file is in no project: :LazydapLaunch PROGRAM makes one where it runs")
    else:
        host.editor.say(status_line(project))


async def follow(host: Host, verb: Follow) -> None:
    """`:Lazydap follow`: whether this editor's cursor goes where the program stops."""
    project = await host.acquainted(verb.where)
    if project is None or project.live is None:
        host.editor.say(NOTHING_LIVE)
        return
    host.model = host.model.with_project(replace(project, is_following=verb.on), last=project.root)
    host.draw()
    words = "follows the program" if verb.on else "stays where it is; signs are drawn all the same"
    host.editor.say(f"the cursor {words}")
