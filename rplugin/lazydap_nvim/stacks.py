"""Owns the lists of frames and threads: asked for by a command, and anew at each stop while they can be seen."""

from typing import Final

import anyio
from msgspec.structs import replace

from lazydap_core.errors import LazydapError
from lazydap_core.protocol import objects, requests, responses
from lazydap_core.protocol.objects import StackFrame
from lazydap_nvim import inspection
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.looking import stopped
from lazydap_nvim.looks import standing
from lazydap_nvim.model import Item, Listing, Project, Session, one_line, place, text_reference
from lazydap_nvim.transitions import stops
from lazydap_nvim.verbs import Stack, Thread, Threads

STACK: Final = "stack"
THREADS: Final = "threads"
LISTS: Final = (STACK, THREADS)
MOST_PLACED: Final = 50
"""Threads whose place is asked for: with hundreds of them the list must not take a minute."""
AT_ONCE: Final = 8
PLACE_LEVELS: Final = 1


async def list_stack(host: Host, verb: Stack) -> None:
    """`:LazydapStack`: the frames as a list."""
    found = await stopped(host, verb)
    if found is not None:
        await _write_stack(host, *found, next(host.tokens))


async def list_threads(host: Host, verb: Threads) -> None:
    """`:LazydapThreads`: the threads as a list, each where it stands."""
    found = await stopped(host, verb)
    if found is not None:
        await _write_threads(host, *found, next(host.tokens))


async def choose_thread(host: Host, verb: Thread) -> None:
    """`:LazydapThread N`: another thread is looked at; steps move it, until the next stop."""
    found = await stopped(host, verb)
    if found is None:
        return
    project, session = found
    link = host.link_to(project.root)
    told = await link.ask(requests.Threads(session_id=session.id), responses.Threads)
    if not any(thread.id == verb.id for thread in told.threads):
        known = ", ".join(str(thread.id) for thread in told.threads[:12])
        host.editor.say(f"there is no thread {verb.id}: there are {known}", "warn")
        return
    answer = await inspection.stack_of(link, session, verb.id)
    host.apply(stops.thread_chosen(host.project(project.root), session.seen, verb.id, answer.frames))
    now = host.project(project.root).live
    if now is None or now.thread != verb.id:
        host.editor.say("the program has moved on: ask again")
        return
    if not answer.frames or all(place(frame) is None for frame in answer.frames):
        host.editor.say(f"thread {verb.id} has no source here: :LazydapStack lists its frames")
    if answer.frames:
        page = await inspection.locals_of(link, now.id, now.frames[now.chosen].id)
        if page is not None:
            host.apply(stops.values_told(host.project(project.root), now.seen, now.chosen, page))


def renew(host: Host, project: Project) -> None:
    """Ask anew for the lists that can be seen, where the program has stopped elsewhere or ended."""
    at = standing(project)
    if at is None and project.live is not None:
        # It runs: what stood there last is all there is to show.
        return
    for name in LISTS:
        listing = host.model.stack if name == STACK else host.model.threads
        if name in host.looks.shown and listing is not None and host.looks.at.get(name) != at:
            host.looks.at[name] = at
            host.jobs.post("the list", _write_again, host, name, project.root, listing.open, is_quiet=True)


async def _write_again(host: Host, name: str, root: str, token: int) -> None:
    project = host.project(root)
    session = project.live
    if session is None:
        ended = Listing(title=f"Lazydap {name}", items=(Item(text="the program has ended"),), open=token)
        host.model = replace(host.model, stack=ended) if name == STACK else replace(host.model, threads=ended)
        host.draw()
    elif session.state == "paused":
        await (_write_stack if name == STACK else _write_threads)(host, project, session, token)


async def _write_stack(host: Host, project: Project, session: Session, token: int) -> None:
    host.looks.at[STACK] = standing(project)
    answer = await inspection.stack(host.link_to(project.root), session)
    items = tuple(_frame_item(frame) for frame in answer.frames)
    left = (answer.total or 0) - len(answer.frames)
    if left > 0:
        items += (Item(text=f"… {left} more"),)
    host.model = replace(host.model, stack=Listing(title="Lazydap stack", items=items, open=token))
    host.apply(stops.frames_told(host.project(project.root), session.seen, answer.frames))
    host.draw()


def _frame_item(frame: StackFrame) -> Item:
    where = place(frame)
    if text_reference(frame) is not None:
        # By its id: what the editor makes of its code is good for this stop only.
        return Item(text=f"{one_line(frame.name)} (no file: <CR> shows its code)", id=frame.id)
    if where is None:
        return Item(text=f"{one_line(frame.name)} (no source here)", id=frame.id)
    return Item(path=where[0], line=where[1], text=one_line(frame.name), id=frame.id)


async def _write_threads(host: Host, project: Project, session: Session, token: int) -> None:
    host.looks.at[THREADS] = standing(project)
    link = host.link_to(project.root)
    told = await link.ask(requests.Threads(session_id=session.id), responses.Threads)
    places = await _places(link, session, told.threads[:MOST_PLACED])
    stopped_one = session.thread
    if stopped_one is None and session.stop is not None:
        stopped_one = session.stop.thread_id
    items = tuple(_thread_item(thread, places.get(thread.id), stopped_one) for thread in told.threads)
    host.model = replace(host.model, threads=Listing(title="Lazydap threads", items=items, open=token))
    host.draw()


async def _places(link: Link, session: Session, threads: tuple[objects.ThreadInfo, ...]) -> dict[int, StackFrame]:
    found: dict[int, StackFrame] = {}
    turn = anyio.CapacityLimiter(AT_ONCE)

    async def ask(thread_id: int) -> None:
        async with turn:
            try:
                answer = await inspection.stack_of(link, session, thread_id, PLACE_LEVELS)
            except LazydapError:
                # One that runs has no frames to tell; the others are listed all the same.
                return
            if answer.frames:
                found[thread_id] = answer.frames[0]

    async with anyio.create_task_group() as tasks:
        for thread in threads:
            tasks.start_soon(ask, thread.id)
    return found


def _thread_item(thread: objects.ThreadInfo, frame: StackFrame | None, looked_at: int | None) -> Item:
    mark = "▶ " if thread.id == looked_at else "  "
    name = one_line(thread.name or f"thread {thread.id}", 60)
    where = place(frame)
    words = f"{mark}{thread.id} {name}" + (f": {one_line(frame.name)}" if frame is not None else "")
    if where is None:
        return Item(text=words, id=thread.id)
    return Item(path=where[0], line=where[1], text=words, id=thread.id)
