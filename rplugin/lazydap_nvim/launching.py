"""Owns the way from `:LazydapLaunch` to a live session: what is found, what is sent, what is told."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import anyio
import msgspec

from lazydap_core.errors import AdapterCrashed, AdapterNotFound, LazydapError
from lazydap_core.protocol import responses
from lazydap_nvim import following
from lazydap_nvim.attaching import carry
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.meaning import newer_source, order_of
from lazydap_nvim.orders import Attachment, Order, absolute, request_for
from lazydap_nvim.restarting import LAUNCH_SECONDS, announce, is_taken
from lazydap_nvim.targets import root_for_start
from lazydap_nvim.threads import in_thread
from lazydap_nvim.transitions import ordered
from lazydap_nvim.verbs import Launch

if TYPE_CHECKING:
    from lazydap_core.discovery.finding import Found


async def launch(host: Host, verb: Launch) -> None:
    """`:LazydapLaunch`: work out what is meant, and launch it unless something is live."""
    cwd = verb.where.cwd or str(Path.cwd())
    program = absolute(verb.program, cwd) if verb.program else ""
    link = host.link_to(root_for_start(verb.file or verb.where.file, program, cwd, host.root_of))
    await link.settled()
    environ: Mapping[str, str] = dict(verb.env) or host.environ
    if await is_taken(host, link.root, environ) or not await host.questions.saved():
        return
    order = await order_of(host, verb, link.root)
    if order is None or await is_taken(host, link.root, environ):
        return
    if verb.terminal and isinstance(order, Order) and order.configuration is None and not verb.config:
        # A configuration says itself where its program reads and writes.
        order = msgspec.structs.replace(order, terminal=True)
    host.launches.last[link.root] = order
    if isinstance(order, Attachment):
        await carry(host, order, environ)
    else:
        aged = newer_source(order, verb.file)
        if aged is not None:
            name = PurePath(order.program).name
            host.editor.say(f"{name} is older than {PurePath(aged).name}: build it, or lines may not fit")
        await _carry(host, order, environ, aged)


async def _carry(host: Host, order: Order, environ: Mapping[str, str], aged: str | None) -> None:
    root = order.root
    host.apply(ordered.launching(host.project(root), order.program, time.time(), aged))
    host.model = msgspec.structs.replace(host.model, last=root)
    try:
        answer = await _send(host, order, environ)
    except BaseException:
        host.apply(ordered.launch_failed(host.project(root)))
        raise
    host.apply(ordered.launched(host.project(root), answer, order.kind, order.program))
    await announce(host, root, answer)


async def _send(host: Host, order: Order, environ: Mapping[str, str]) -> responses.Launched:
    link = host.link_to(order.root)
    found = await _found_while_starting(host, link, order, environ)
    await link.ready(start=True)
    await following.deliver(host, link)
    request = request_for(order, found, environ, host.project(order.root).features)
    try:
        return await link.aside(request, responses.Launched, LAUNCH_SECONDS)
    except (AdapterNotFound, AdapterCrashed):
        # What was found may have gone since.
        host.launches.found.clear()
        raise


async def _found_while_starting(host: Host, link: Link, order: Order, environ: Mapping[str, str]) -> "Found":
    """The adapter for an order; the daemon starts meanwhile, since both take a while. Raises LazydapError."""
    failure: LazydapError | None = None
    found: Found | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_start, link)
        try:
            found = await _found(host, order, environ)
        except LazydapError as error:
            failure = error
    if found is None:
        raise failure or AssertionError
    return found


async def _start(link: Link) -> None:
    # Its failure is met again, and told, by whoever then needs the link.
    with suppress(LazydapError):
        await link.ready(start=True)


async def _found(host: Host, order: Order, environ: Mapping[str, str]) -> "Found":
    key = (
        order.kind,
        order.pinned,
        str(PurePath(order.program).parent),
        environ.get("PATH"),
        environ.get("VIRTUAL_ENV"),
    )
    known = host.launches.found.get(key)
    if known is None:
        known = await in_thread(_find, order, environ)
        host.launches.found[key] = known
    return known


def _find(order: Order, environ: Mapping[str, str]) -> "Found":
    # Only a launch needs these, and the editor waits for nothing that is loaded here.
    from lazydap_core.config import read_config  # noqa: PLC0415
    from lazydap_core.discovery.finding import find  # noqa: PLC0415

    return find(
        order.kind,
        environ=environ,
        config=read_config(environ),
        pinned=order.pinned,
        program=Path(order.program),
        root=Path(order.root),
    )
