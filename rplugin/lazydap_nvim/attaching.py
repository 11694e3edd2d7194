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
from lazydap_nvim.orders import EDITORS_OWN, Attachment
from lazydap_nvim.restarting import LAUNCH_SECONDS, announce, can, is_taken
from lazydap_nvim.targets import root_for_start
from lazydap_nvim.threads import in_thread
from lazydap_nvim.transitions import ordered
from lazydap_nvim.verbs import Attach

if TYPE_CHECKING:
    from lazydap_core.discovery.processes import Target

LONGEST_COMMAND: Final = 80


async def attach(host: Host, verb: Attach) -> None:
    """`:LazydapAttach`: attach to the process that was named or chosen. Raises LazydapError."""
    cwd = verb.where.cwd or str(Path.cwd())
    link = host.link_to(root_for_start(verb.file or verb.where.file, "", cwd, host.root_of))
    await link.settled()
    environ: Mapping[str, str] = dict(verb.env) or host.environ
    if not await is_taken(host, link.root, environ):
        await carry(host, Attachment(root=link.root, target=verb.target), environ)


async def carry(host: Host, attachment: Attachment, environ: Mapping[str, str]) -> None:
    """Carry an attach out; nothing happens when the user chooses no process. Raises LazydapError."""
    target = await _target(host, attachment.target)
    if target is None:
        return
    link = host.link_to(attachment.root)
    request = await in_thread(_request, attachment, target, environ)
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


def _request(attachment: Attachment, target: "Target", environ: Mapping[str, str]) -> requests.Attach:
    from lazydap_core.config import read_config  # noqa: PLC0415 - as in `_target`
    from lazydap_core.discovery.finding import find  # noqa: PLC0415
    from lazydap_core.discovery.processes import kind_of  # noqa: PLC0415

    kind = attachment.kind or kind_of(target)
    root = Path(attachment.root)
    found = find(kind, environ=environ, config=read_config(environ), pinned=attachment.pinned, root=root)
    options = LaunchOptions(
        client_env={name: value for name, value in environ.items() if name not in EDITORS_OWN},
        adapter=found.program if kind == "codelldb" else None,
        just_my_code=attachment.just_my_code,
        source_map=dict(attachment.source_map) or None,
    )
    return requests.Attach(
        adapter=kind,
        pid=target.pid,
        host=target.host,
        port=target.port,
        stop_on_entry=attachment.stop_on_entry,
        adapter_command=found.adapter_command,
        options=msgspec.to_builtins(options),
    )
