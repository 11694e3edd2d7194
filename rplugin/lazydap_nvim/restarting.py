"""Owns a project's one slot: what is live is asked about, ended or started again; a start is told."""

import time
from collections.abc import Mapping
from typing import Final

import anyio

from lazydap_core.errors import LazydapError
from lazydap_core.protocol import requests, responses
from lazydap_nvim import following, tasks
from lazydap_nvim.explain import ALREADY_LIVE, NOTHING_LIVE, STILL_LAUNCHING, adapter_name, program_name
from lazydap_nvim.host import Host
from lazydap_nvim.model import Project
from lazydap_nvim.orders import Order
from lazydap_nvim.transitions import ordered
from lazydap_nvim.verbs import Restart

LAUNCH_SECONDS: Final = 60.0
ANNOUNCE_SECONDS: Final = 0.3


async def is_taken(host: Host, root: str, environ: Mapping[str, str]) -> bool:
    """Whether the project's one session stays what it is; asks whether to end what is live, and ends it."""
    project = host.project(root)
    if project.launching is not None or root in host.launches.tasks:
        host.editor.say(STILL_LAUNCHING)
        return True
    session = project.live
    if session is None:
        return False
    name = program_name(session)
    choices = (f"restart {name}", f"stop {name} and go on", "leave everything as it is")
    match await host.questions.choice(f"{name} is live", choices):
        case 0:
            await again(host, host.project(root), environ)
            return True
        case 1:
            request = requests.Disconnect(session_id=session.id, terminate=True, dry_run=False)
            host.apply(ordered.set_ending(host.project(root), is_ending=True))
            await host.link_to(root).aside(request, responses.Disconnected, LAUNCH_SECONDS)
            return False
        case _:
            host.editor.say(ALREADY_LIVE)
            return True


async def restart(host: Host, verb: Restart) -> None:
    """`:LazydapRestart`: what is live, or was last, once more."""
    project = await host.acquainted(verb.where)
    if project is None or project.session is None:
        host.editor.say(STILL_LAUNCHING if project is not None and project.launching is not None else NOTHING_LIVE)
        return
    await again(host, project, dict(verb.env) or host.environ)


async def again(host: Host, project: Project, environ: Mapping[str, str]) -> None:
    """End the session's program and launch the same once more, its tasks before it. Raises LazydapError."""
    session, root = project.session, project.root
    if session is None or not can(host, root, "restart", "restart programs") or not await host.questions.saved():
        return
    last = host.launches.last.get(root)
    if isinstance(last, Order) and last.program == session.program:
        for task in last.tasks:
            await tasks.run(host, root, task, environ)
    link = host.link_to(root)
    await following.deliver(host, link)
    host.apply(ordered.set_ending(host.project(root), is_ending=True))
    host.apply(ordered.launching(host.project(root), session.program, time.time()))
    try:
        answer = await link.aside(requests.Restart(session_id=session.id), responses.Launched, LAUNCH_SECONDS)
    except LazydapError:
        host.apply(ordered.launch_failed(host.project(root)))
        host.apply(ordered.set_ending(host.project(root), is_ending=False))
        raise
    host.apply(ordered.launched(host.project(root), answer, session.adapter, session.program))
    await announce(host, root, answer)


async def announce(host: Host, root: str, answer: responses.Launched) -> None:
    """Say that the program runs, unless it stops in a moment."""
    # Most launches stop at once, at a breakpoint: the arrow says enough.
    await anyio.sleep(ANNOUNCE_SECONDS)
    session = host.project(root).session
    if session is not None and session.id == answer.session_id and session.state == "running":
        where = " in its terminal: :LazydapOutput shows it, i types into it" if session.has_terminal else ""
        host.editor.say(f"{program_name(session)} is running ({adapter_name(session)}){where}")


def can(host: Host, root: str, feature: str, what: str) -> bool:
    """Whether the project's daemon has that feature; says so where it has not."""
    has = feature in host.project(root).features
    if not has:
        host.editor.say(f"this daemon cannot {what}: end it with :Lazydap shutdown, a newer one starts", "warn")
    return has
