"""Owns what stops a program beside breakpoints on lines: functions, watched values, exceptions."""

from typing import Final

from lazydap_core.protocol import objects, requests, responses
from lazydap_core.protocol.additions import exceptions, named
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.looks import looked_at_frame, standing
from lazydap_nvim.model import one_line
from lazydap_nvim.verbs import Break, BreakData, Exceptions

LONGEST: Final = 60


async def at_function(host: Host, verb: Break, name: str) -> None:
    """`:LazydapBreak FUNC`: bare it adds or takes away, with parts it sets those. Raises LazydapError."""
    link = await _linked(host, verb, "function_breakpoints", "stop at functions")
    if link is None:
        return
    parts: dict[str, str] = dict(verb.parts)
    if "log_message" in parts:
        host.editor.say("a breakpoint on a function prints nothing: put one with log on its first line", "warn")
        return
    there = (await link.ask(requests.FunctionBreakpointList(), responses.FunctionBreakpoints)).breakpoints
    old = next((one for one in there if one.name == name), None)
    if old is not None and not parts:
        removal = requests.FunctionBreakpointRemove(selector=objects.ByName(name=name), dry_run=False)
        await link.ask(removal, responses.FunctionBreakpoints)
        host.editor.say(f"no breakpoint on {name} any more")
        return
    wanted = named.NewFunctionBreakpoint(
        name=name,
        condition=parts.get("condition", old.condition if old else None) or None,
        hit_condition=parts.get("hit_condition", old.hit_condition if old else None) or None,
        enabled=old.enabled if old else True,
    )
    request = requests.FunctionBreakpointAdd(breakpoint=wanted, dry_run=False)
    (told,) = (await link.ask(request, responses.FunctionBreakpoints)).breakpoints
    host.editor.say(one_line(f"breakpoint on {name}{f': {told.message}' if told.message else ''}"))


async def at_data(host: Host, verb: BreakData) -> None:
    """`:LazydapBreakData`: stop when a value changes, or no longer. Raises LazydapError."""
    project = await host.acquainted(verb.where)
    if project is None or standing(project) is None or project.live is None:
        host.editor.say(RUNNING if project is not None and project.live is not None else NOTHING_LIVE)
        return
    link = await _linked(host, verb, "data_breakpoints", "watch values", project.root)
    if link is None:
        return
    name = verb.expression
    there = (await link.ask(requests.DataBreakpointList(), responses.DataBreakpoints)).breakpoints
    if any(one.name == name for one in there):
        removal = requests.DataBreakpointRemove(selector=objects.ByName(name=name), dry_run=False)
        await link.ask(removal, responses.DataBreakpoints)
        host.editor.say(f"{one_line(name, LONGEST)} may change without a stop again")
        return
    wanted = named.NewDataBreakpoint(name=name, frame_id=looked_at_frame(project.live), access="write", enabled=True)
    request = requests.DataBreakpointAdd(session_id=project.live.id, breakpoint=wanted, dry_run=False)
    (told,) = (await link.ask(request, responses.DataBreakpoints)).breakpoints
    words = f": {told.message}" if told.message else ""
    host.editor.say(one_line(f"stops when {one_line(name, LONGEST)} changes{words}"))


async def choose_exceptions(host: Host, verb: Exceptions) -> None:
    """`:LazydapExceptions`: turn the named filters the other way, else the one that is chosen. Raises LazydapError."""
    link = await _linked(host, verb, "exceptions", "choose exceptions")
    if link is None:
        return
    listing = await link.ask(requests.ExceptionFilterList(), responses.ExceptionFilters)
    known = {one.filter: one for one in listing.filters}
    if verb.reset:
        changes = [exceptions.FilterChange(filter=one.filter) for one in known.values() if one.chosen]
    elif verb.filters:
        changes = [_turned(name, known.get(name)) for name in verb.filters]
    else:
        offered = list(known.values())
        items = [f"{'[x]' if one.enabled else '[ ]'} {one.filter} - {one.description or one.label}" for one in offered]
        index = await host.questions.choice("Stop at exceptions", items) if items else None
        if index is None:
            if not items:
                host.editor.say("this adapter has no exceptions to choose from")
            return
        changes = [_turned(offered[index].filter, offered[index])]
    request = requests.ExceptionFilterSet(filters=tuple(changes), dry_run=False)
    told = (await link.ask(request, responses.ExceptionFilters)).filters
    words = [f"{one.filter} {'on' if one.enabled else 'off'}" for one in told]
    host.editor.say(f"exceptions: {', '.join(dict.fromkeys(words))}" if words else "exceptions: as by default")


def _turned(name: str, one: exceptions.ExceptionFilter | None) -> exceptions.FilterChange:
    # The daemon knows best how to refuse what there is not.
    return exceptions.FilterChange(filter=name, enabled=one is None or not one.enabled)


async def _linked(
    host: Host, verb: Break | BreakData | Exceptions, feature: str, what: str, root: str | None = None
) -> Link | None:
    """The daemon of the project meant, if it can do that; else the user is told."""
    if root is None:
        project = await host.acquainted(verb.where)
        where = verb.where.file or verb.where.cwd
        root = project.root if project is not None else host.root_of(where)
    if root is None:
        host.editor.say("this is in no project: `mkdir .lazydap` in its top folder makes one", "warn")
        return None
    link = host.link_to(root)
    await link.ready(start=True)
    if feature in host.project(root).features:
        return link
    host.editor.say(f"this daemon cannot {what}: end it with `lazydap shutdown`, a newer one starts", "warn")
    return None
