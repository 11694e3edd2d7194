"""Owns what stops a program beside breakpoints on lines: functions, watched values, exceptions."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from lazydap_core.domain.words import BreakpointAction
from lazydap_core.protocol import objects, requests, responses
from lazydap_core.protocol.additions import exceptions, named
from lazydap_nvim.entries import ON_FUNCTION
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.looks import looked_at_frame, standing
from lazydap_nvim.model import Project, one_line
from lazydap_nvim.verbs import Break, BreakData, Exceptions, Filter

LONGEST: Final = 60
REMOVE: Final = (requests.FunctionBreakpointRemove, requests.DataBreakpointRemove)
TOGGLE: Final = (requests.FunctionBreakpointToggle, requests.DataBreakpointToggle)

Named = named.FunctionBreakpointStatus | named.DataBreakpointStatus


async def at_function(host: Host, verb: Break, name: str) -> None:
    """`:LazydapBreak FUNC`: bare it adds or takes away, with parts it sets those. Raises LazydapError."""
    link = await _linked(host, verb, "function_breakpoints", "stop at functions")
    if link is None:
        return
    parts: dict[str, str] = dict(verb.parts)
    questions: dict[str, str] = dict(verb.ask)
    if "log_message" in (*parts, *questions):
        host.editor.say(ON_FUNCTION, "warn")
        return
    there = (await link.ask(requests.FunctionBreakpointList(), responses.FunctionBreakpoints)).breakpoints
    old = next((one for one in there if one.name == name), None)
    for part, prompt in sorted(questions.items()):
        answer = await host.questions.text(prompt, getattr(old, part, None) or "")
        if answer is None:
            return
        parts[part] = answer.strip()
    if old is not None and not parts:
        removal = requests.FunctionBreakpointRemove(selector=objects.ByName(name=name), dry_run=False)
        await link.ask(removal, responses.FunctionBreakpoints)
        host.editor.remember([remembered(old)])
        host.editor.say(f"no breakpoint on {name} any more")
        return
    (told,) = (await _put_function(link, name, old, parts)).breakpoints
    host.editor.say(one_line(f"breakpoint on {name}{f': {told.message}' if told.message else ''}"))


def remembered(one: named.FunctionBreakpointStatus) -> dict[str, str | None]:
    """What `Editor.remember` needs of a function's breakpoint."""
    return {"func": one.name, "condition": one.condition, "hit_condition": one.hit_condition}


async def _put_function(
    link: Link, name: str, old: named.FunctionBreakpointStatus | None, parts: Mapping[str, str]
) -> responses.FunctionBreakpoints:
    wanted = named.NewFunctionBreakpoint(
        name=name,
        condition=parts.get("condition", old.condition if old else None) or None,
        hit_condition=parts.get("hit_condition", old.hit_condition if old else None) or None,
        enabled=old.enabled if old else True,
    )
    request = requests.FunctionBreakpointAdd(breakpoint=wanted, dry_run=False)
    return await link.ask(request, responses.FunctionBreakpoints)


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


# --- those of the list, by their ids


def among(project: Project, ids: Sequence[int] | None) -> tuple[Named, ...]:
    """The breakpoints of functions and values that have one of these ids."""
    told = project.stoppers
    return tuple(one for one in (*told.functions, *told.data) if ids is not None and one.id in ids)


async def change(
    host: Host,
    link: Link,
    chosen: Sequence[Named],
    kinds: tuple[
        type[requests.FunctionBreakpointRemove | requests.FunctionBreakpointToggle],
        type[requests.DataBreakpointRemove | requests.DataBreakpointToggle],
    ],
) -> None:
    """Remove or turn them the other way; the daemon's events bring what came of it. Raises LazydapError."""
    functions = tuple(one.id for one in chosen if isinstance(one, named.FunctionBreakpointStatus))
    data = tuple(one.id for one in chosen if isinstance(one, named.DataBreakpointStatus))
    gone: tuple[int, ...] = ()
    if functions:
        request = kinds[0](selector=objects.ByIds(ids=functions), dry_run=False)
        gone += (await link.ask(request, responses.FunctionBreakpoints)).not_found
    if data:
        request = kinds[1](selector=objects.ByIds(ids=data), dry_run=False)
        gone += (await link.ask(request, responses.DataBreakpoints)).not_found
    if gone:
        host.editor.say("that breakpoint is gone already", "warn")
        host.want(link.root, "stoppers")


async def set_parts(host: Host, link: Link, one: Named, parts: Mapping[str, str]) -> None:
    """Give one another condition or hit count; an empty text clears it. Raises LazydapError."""
    match one:
        case named.FunctionBreakpointStatus():
            action = (await _put_function(link, one.name, one, parts)).action
        case named.DataBreakpointStatus():
            action = await _put_data(host, link, one, parts)
    if action == "unchanged":
        host.editor.say("the breakpoint is like that already")


async def _put_data(
    host: Host, link: Link, old: named.DataBreakpointStatus, parts: Mapping[str, str]
) -> BreakpointAction | None:
    project = host.project(link.root)
    session = project.live
    if session is None or standing(project) is None:
        host.editor.say(NOTHING_LIVE if session is None else RUNNING)
        return None
    wanted = named.NewDataBreakpoint(
        name=old.name,
        frame_id=looked_at_frame(session),
        access=old.access,
        condition=parts.get("condition", old.condition) or None,
        hit_condition=parts.get("hit_condition", old.hit_condition) or None,
        enabled=old.enabled,
    )
    request = requests.DataBreakpointAdd(session_id=session.id, breakpoint=wanted, dry_run=True)
    (told,) = (await link.ask(request, responses.DataBreakpoints)).breakpoints
    if told.description != old.description:
        # In another function a name stands for another value.
        name = one_line(old.name, LONGEST)
        host.editor.say(f"{name} is another value in this frame: :LazydapUp to where it was watched first", "warn")
        return None
    return (await link.ask(replace(request, dry_run=False), responses.DataBreakpoints)).action


async def change_filter(host: Host, verb: Filter) -> None:
    """An exception filter of the list: turned the other way, given a condition, taken away. Raises LazydapError."""
    link = host.link_to(verb.root)
    if not link.is_up:
        # Of one that was read from the file, less is known.
        await link.ready(start=True)
        await host.read_stoppers(link.root)
    filters = host.project(link.root).stoppers.filters
    one = next((each for each in filters if (each.adapter, each.filter) == (verb.adapter, verb.filter)), None)
    if one is None:
        host.editor.say(f"{verb.adapter} has no exception filter {one_line(verb.filter, LONGEST)} any more", "warn")
        return
    change = exceptions.FilterChange(filter=one.filter, enabled=not one.enabled, condition=one.condition)
    if verb.remove:
        if one.default and not one.enabled:
            host.editor.say(f"{one.filter} is off already: :LazydapExceptions! goes back to the default")
            return
        change = exceptions.FilterChange(filter=one.filter, enabled=False if one.default else None)
    elif verb.condition is not None:
        change = replace(change, enabled=one.enabled, condition=verb.condition or None)
    request = requests.ExceptionFilterSet(adapter=one.adapter, filters=(change,), dry_run=False)
    await link.ask(request, responses.ExceptionFilters)


# --- exceptions by name


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
    turned = [f"{one.filter} {'on' if one.enabled else 'off'}" for one in told]
    host.editor.say(f"exceptions: {', '.join(dict.fromkeys(turned))}" if turned else "exceptions: as by default")


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
    host.editor.say(f"this daemon cannot {what}: end it with :Lazydap shutdown, a newer one starts", "warn")
    return None
