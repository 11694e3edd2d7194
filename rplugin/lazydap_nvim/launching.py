"""Owns the way from `:LazydapLaunch` to a live session: what is meant, what is found, what is told."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import AdapterCrashed, AdapterNotFound, LazydapError
from lazydap_core.launches.reading import find_launch, read_launches
from lazydap_core.launches.vscode import Reading
from lazydap_core.launches.words import split_arguments
from lazydap_core.protocol import responses
from lazydap_nvim import transitions
from lazydap_nvim.explain import ALREADY_LIVE, STILL_LAUNCHING, adapter_name, program_name
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.orders import SUFFIXES, Order, absolute, checked_program, of_configuration, of_program, request_for
from lazydap_nvim.threads import in_thread
from lazydap_nvim.verbs import Chosen, Launch

if TYPE_CHECKING:
    from lazydap_core.discovery.finding import Found

FILETYPES: Final[Mapping[str, AdapterKind]] = {"python": "debugpy", "go": "delve"}
"""Kinds of buffers that can be launched as they are; a file of no such type counts by its name."""
LAUNCH_SECONDS: Final = 60.0
ANNOUNCE_SECONDS: Final = 0.3


async def launch(host: Host, verb: Launch) -> None:
    """`:LazydapLaunch`: work out what is meant, and launch it unless something is live."""
    link = host.link_to(_root(host, verb))
    await link.settled()
    if _is_taken(host, link.root):
        return
    order = await _meant(host, verb, link.root)
    if order is not None and not _is_taken(host, link.root):
        await _carry(host, order, verb)


def _is_taken(host: Host, root: str) -> bool:
    project = host.project(root)
    if project.live is not None:
        host.editor.say(ALREADY_LIVE)
    elif project.launching is not None:
        host.editor.say(STILL_LAUNCHING)
    return project.live is not None or project.launching is not None


async def chosen(host: Host, verb: Chosen) -> None:
    """The user has chosen a configuration, or none."""
    offer = host.launches.offered.pop(verb.token, None)
    if offer is None or verb.index is None or not 0 < verb.index <= len(offer[1]):
        return
    launch_verb, names = offer
    name = names[verb.index - 1]
    await launch(host, msgspec.structs.replace(launch_verb, args=name, choose=False, forced=False, program=None))


def _root(host: Host, verb: Launch) -> str:
    """The project a launch belongs to: the buffer's, the program's, else where the editor or the file is."""
    cwd = verb.where.cwd or str(Path.cwd())
    file = verb.file or verb.where.file
    program = absolute(verb.program, cwd) if verb.program else ""
    found = host.root_of(file) or host.root_of(program) or host.root_of(cwd)
    if found is not None:
        return found
    # A launch is the one command that makes a project where nothing marks one.
    return str(Path(file).parent) if file and not program else cwd


async def _meant(host: Host, verb: Launch, root: str) -> Order | None:
    """The order a command line stands for; None when the user was asked or told instead. Raises LazydapError."""
    args = verb.args.strip()
    if verb.choose:
        return await _offer(host, verb, root)
    if not args:
        return await _bare(host, verb, root)
    if not verb.forced:
        reading = await learn_launches(host, root, verb.file)
        if any(configuration.name == args for configuration in reading.configurations):
            return of_configuration(find_launch(reading, args), root, stop_on_entry=verb.bang)
    word, rest = (verb.program, verb.rest) if verb.program is not None else _first_word(args)
    return of_program(word, split_arguments(rest), root, _cwd(verb, root), verb.env, stop_on_entry=verb.bang)


async def _bare(host: Host, verb: Launch, root: str) -> Order | None:
    last = host.launches.last.get(root)
    if last is not None:
        checked_program(last.program, last.kind)
        return msgspec.structs.replace(last, stop_on_entry=last.stop_on_entry or verb.bang)
    file = verb.file or verb.where.file
    kind = FILETYPES.get(verb.filetype) or SUFFIXES.get(PurePath(file).suffix)
    if file and kind is not None:
        return of_program(file, [], root, _cwd(verb, root), verb.env, kind=kind, stop_on_entry=verb.bang)
    return await _offer(host, verb, root)


async def _offer(host: Host, verb: Launch, root: str) -> None:
    reading = await learn_launches(host, root, verb.file)
    names = tuple(configuration.name for configuration in reading.configurations)
    for warning in reading.warnings:
        host.editor.say(warning, "warn")
    if not names:
        host.editor.say("nothing to choose from: :LazydapLaunch PROGRAM [ARGS], or write a .vscode/launch.json")
        return
    token = next(host.tokens)
    host.launches.offered = {token: (verb, names)}
    host.editor.choose(token, "Launch", names)


async def learn_launches(host: Host, root: str, file: str = "") -> Reading:
    """The project's configurations, whose names the editor completes from then on. Raises LazydapError."""
    reading = await in_thread(read_launches, Path(root), host.environ, Path(file) if file else None)
    names = tuple(configuration.name for configuration in reading.configurations)
    project = host.project(root)
    if project.launches != names:
        host.model = host.model.with_project(msgspec.structs.replace(project, launches=names))
        host.draw()
    return reading


def _first_word(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(" ")
    return word, rest


def _cwd(verb: Launch, root: str) -> str:
    # The editor's directory, as a shell's would be; unless the editor stands somewhere else altogether.
    cwd = verb.where.cwd
    return cwd if cwd and (cwd == root or cwd.startswith(root.rstrip("/") + "/")) else root


async def _carry(host: Host, order: Order, verb: Launch) -> None:
    root = order.root
    host.launches.last[root] = order
    host.apply(transitions.launching(host.project(root), order.program))
    host.model = msgspec.structs.replace(host.model, last=root)
    try:
        answer = await _send(host, order, dict(verb.env) or host.environ)
    except BaseException:
        host.apply(transitions.launch_failed(host.project(root)))
        raise
    host.apply(transitions.launched(host.project(root), answer, order.kind, order.program))
    # Most launches stop at once, at a breakpoint: the arrow says enough.
    await anyio.sleep(ANNOUNCE_SECONDS)
    session = host.project(root).session
    if session is not None and session.id == answer.session_id and session.state == "running":
        host.editor.say(f"{program_name(session)} is running ({adapter_name(session)})")


async def _send(host: Host, order: Order, environ: Mapping[str, str]) -> responses.Launched:
    link = host.link_to(order.root)
    found = await _found_while_starting(host, link, order, environ)
    await link.ready(start=True)
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
