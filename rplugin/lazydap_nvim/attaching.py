"""Owns `:LazydapAttach` and `:LazydapRestart`: what is meant, what is sent, what is told."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from lazydap_core.errors import LazydapError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_nvim import following, transitions
from lazydap_nvim.explain import NOTHING_LIVE, STILL_LAUNCHING
from lazydap_nvim.host import Host
from lazydap_nvim.launching import LAUNCH_SECONDS, announce, is_taken
from lazydap_nvim.model import Project, one_line
from lazydap_nvim.orders import EDITORS_OWN
from lazydap_nvim.threads import in_thread
from lazydap_nvim.verbs import Attach, Restart

if TYPE_CHECKING:
    from lazydap_core.discovery.processes import Target

LONGEST_COMMAND: Final = 80


async def attach(host: Host, verb: Attach) -> None:
    """Attach to the process that was named or chosen. Raises LazydapError."""
    cwd = verb.where.cwd or str(Path.cwd())
    link = host.link_to(host.root_of(verb.where.file) or host.root_of(cwd) or cwd)
    await link.settled()
    if await is_taken(host, link.root):
        return
    target = await _target(host, verb.target)
    if target is None:
        return
    environ: Mapping[str, str] = dict(verb.env) or host.environ
    request = await in_thread(_request, target, link.root, environ)
    name = f"process {target.pid}" if target.pid is not None else f"{target.host}:{target.port}"
    host.apply(transitions.launching(host.project(link.root), name))
    try:
        await link.ready(start=True)
        if not _can(host, link.root, "attach", "attach to programs"):
            host.apply(transitions.launch_failed(host.project(link.root)))
            return
        await following.deliver(host, link)
        answer = await link.aside(request, responses.Launched, LAUNCH_SECONDS)
    except BaseException:
        host.apply(transitions.launch_failed(host.project(link.root)))
        raise
    host.apply(transitions.launched(host.project(link.root), answer, request.adapter, name))
    await announce(host, link.root, answer)


async def _target(host: Host, text: str) -> "Target | None":
    """What was named, else chosen; None for neither."""
    from lazydap_core.discovery.processes import Target, read_target, running  # noqa: PLC0415 - who attaches needs it

    if text.strip():
        return read_target(text)
    offered = await in_thread(running)
    items = [f"{each.pid}  {one_line(each.command, LONGEST_COMMAND)}" for each in offered]
    index = await host.questions.choice("Attach to", items)
    return None if index is None else Target(pid=offered[index].pid)


def _request(target: "Target", root: str, environ: Mapping[str, str]) -> requests.Attach:
    from lazydap_core.config import read_config  # noqa: PLC0415 - as in `_target`
    from lazydap_core.discovery.finding import find  # noqa: PLC0415
    from lazydap_core.discovery.processes import kind_of  # noqa: PLC0415

    kind = kind_of(target)
    found = find(kind, environ=environ, config=read_config(environ), root=Path(root))
    options = LaunchOptions(
        client_env={name: value for name, value in environ.items() if name not in EDITORS_OWN},
        adapter=found.program if kind == "codelldb" else None,
    )
    return requests.Attach(
        adapter=kind,
        pid=target.pid,
        host=target.host,
        port=target.port,
        stop_on_entry=False,
        adapter_command=found.adapter_command,
        options=msgspec.to_builtins(options),
    )


async def restart(host: Host, verb: Restart) -> None:
    """`:LazydapRestart`: what is live, or was last, once more."""
    project = await host.acquainted(verb.where)
    if project is None or project.session is None:
        host.editor.say(STILL_LAUNCHING if project is not None and project.launching is not None else NOTHING_LIVE)
        return
    await again(host, project)


async def again(host: Host, project: Project) -> None:
    """End the session's program and launch the same once more. Raises LazydapError."""
    session, root = project.session, project.root
    if session is None or not _can(host, root, "restart", "restart programs"):
        return
    link = host.link_to(root)
    await following.deliver(host, link)
    host.apply(transitions.set_ending(host.project(root), is_ending=True))
    host.apply(transitions.launching(host.project(root), session.program))
    try:
        answer = await link.aside(requests.Restart(session_id=session.id), responses.Launched, LAUNCH_SECONDS)
    except LazydapError:
        host.apply(transitions.launch_failed(host.project(root)))
        host.apply(transitions.set_ending(host.project(root), is_ending=False))
        raise
    host.apply(transitions.launched(host.project(root), answer, session.adapter, session.program))
    await announce(host, root, answer)


def _can(host: Host, root: str, feature: str, what: str) -> bool:
    """Whether the project's daemon has that feature; says so where it has not."""
    has = feature in host.project(root).features
    if not has:
        host.editor.say(f"this daemon cannot {what}: end it with `lazydap shutdown`, a newer one starts", "warn")
    return has
