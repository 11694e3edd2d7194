"""Owns `:LazydapAttach`: what is meant, what is sent, what is told."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_nvim import following
from lazydap_nvim.host import Host
from lazydap_nvim.model import one_line
from lazydap_nvim.orders import EDITORS_OWN
from lazydap_nvim.restarting import LAUNCH_SECONDS, announce, can, is_taken
from lazydap_nvim.threads import in_thread
from lazydap_nvim.transitions import ordered
from lazydap_nvim.verbs import Attach

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
    host.apply(ordered.launching(host.project(link.root), name, time.time()))
    try:
        await link.ready(start=True)
        if not can(host, link.root, "attach", "attach to programs"):
            host.apply(ordered.launch_failed(host.project(link.root)))
            return
        await following.deliver(host, link)
        answer = await link.aside(request, responses.Launched, LAUNCH_SECONDS)
    except BaseException:
        host.apply(ordered.launch_failed(host.project(link.root)))
        raise
    host.apply(ordered.launched(host.project(link.root), answer, request.adapter, name))
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
