"""Owns what the breakpoint commands ask of the daemon."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from msgspec.structs import replace

from lazydap_core.protocol import objects, requests, responses
from lazydap_core.protocol.additions.named import FunctionBreakpointStatus
from lazydap_core.protocol.objects import BreakpointStatus
from lazydap_nvim import following, older, stopping
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.model import Project
from lazydap_nvim.targets import is_same_file, root_for_breakpoint
from lazydap_nvim.transitions import points
from lazydap_nvim.verbs import Break, Disable, Enable, Unbreak

MUTE = "mute"
ALL_OFF = "all breakpoints are off: :LazydapEnable! lets them stop again"
ALL_ON = "breakpoints stop again, as each of them is"
PARTS = ("condition", "hit_condition", "log_message")


async def set_or_toggle(host: Host, verb: Break) -> None:
    """`:LazydapBreak`: bare it adds or takes away, with parts it sets those."""
    root = _root(host, verb, verb.file)
    if root is None:
        return
    link = host.link_to(root)
    await link.ready(start=True)
    # What has left the line with its text must not be taken for what stands on it.
    await following.deliver(host, link)
    async with host.edits(root):
        there = standing(host.project(root), verb.file, _lines(verb), verb.ids)
        named = stopping.among(host.project(root), verb.ids)
        if named:
            for one in named:
                await stopping.set_parts(host, link, one, dict(verb.parts))
        elif verb.parts:
            await _set_parts(host, link, verb, there, dict(verb.parts))
        elif there:
            await _change(host, link, requests.BreakpointRemove(selector=_by_ids(there), dry_run=False))
        elif verb.first is not None and verb.first != verb.last:
            host.editor.say("no breakpoint on these lines; a new one goes on one line")
        else:
            await _add(host, link, verb, _bare(verb))


async def _set_parts(
    host: Host, link: Link, verb: Break, there: Sequence[BreakpointStatus], parts: dict[str, str]
) -> None:
    named = {name: parts[name] or None for name in PARTS if name in parts}
    if not there and verb.first is not None and verb.first != verb.last:
        host.editor.say("no breakpoint on these lines: put one on a single line first")
        return
    if not there:
        await _add(host, link, verb, replace(_bare(verb), **named))
    for breakpoint_ in there:
        # An add on a line that has one replaces its parts and keeps its id.
        new = replace(following.as_new(breakpoint_), **named)
        await _change(host, link, requests.BreakpointAdd(breakpoint=new, dry_run=False))


async def _add(host: Host, link: Link, verb: Break, new: objects.NewBreakpoint) -> None:
    """Put a new one; the running program may have its line elsewhere or not at all, which is said."""
    there = older.of(verb.older, link.root, new.line)
    is_elsewhere = there.line != new.line
    is_told = is_elsewhere and older.FEATURE in host.project(link.root).features
    program_line = there.line if is_told else None
    await _change(host, link, requests.BreakpointAdd(breakpoint=new, dry_run=False, program_line=program_line))
    if is_elsewhere and not is_told:
        host.editor.say(older.UNTOLD, "warn")
    elif there.is_new:
        host.editor.say(older.HELD, "warn")
    elif words := older.remark(there):
        host.editor.say(*words)


def _bare(verb: Break) -> objects.NewBreakpoint:
    line = verb.line or verb.first or 1
    return objects.NewBreakpoint(source=verb.file, line=line, enabled=True, anchor=verb.anchor)


async def remove(host: Host, verb: Unbreak) -> None:
    """`:LazydapBreak!`: take away those of the lines, or all of the project."""
    root = _root(host, verb, verb.file or verb.where.file or verb.where.cwd)
    if root is None:
        return
    async with host.edits(root):
        link = host.link_to(root)
        await link.ready(start=True)
        there, named = _chosen(host.project(root), verb), _named(host.project(root), verb)
        if verb.all:
            # What is chosen by its line or its entry is remembered by the editor, which has drawn it.
            functions = [one for one in named if isinstance(one, FunctionBreakpointStatus)]
            host.editor.remember([*(stopping.remembered(one) for one in functions), *map(_remembered, there)])
        if named:
            await stopping.change(host, link, named, stopping.REMOVE)
        if there:
            await _change(host, link, requests.BreakpointRemove(selector=_by_ids(there), dry_run=False))
        elif not named:
            host.editor.say(_nothing_there(verb))


async def switch(host: Host, verb: Enable | Disable) -> None:
    """`:LazydapEnable`, `:LazydapDisable`: those of the lines, or all of the project."""
    is_wanted = isinstance(verb, Enable)
    root = _root(host, verb, verb.file or verb.where.file or verb.where.cwd)
    if root is None:
        return
    async with host.edits(root):
        link = host.link_to(root)
        await link.ready(start=True)
        if verb.all and MUTE in host.project(root).features:
            answer = await link.ask(requests.Mute(muted=not is_wanted), responses.Muted)
            host.apply(points.muted(host.project(root), is_muted=answer.muted))
            host.editor.say(ALL_ON if is_wanted else ALL_OFF)
            return
        there, named = _chosen(host.project(root), verb), _named(host.project(root), verb)
        others = [breakpoint_ for breakpoint_ in there if breakpoint_.enabled != is_wanted]
        other_named = [one for one in named if one.enabled != is_wanted]
        if other_named:
            await stopping.change(host, link, other_named, stopping.TOGGLE)
        if others:
            await _change(host, link, requests.BreakpointToggle(selector=_by_ids(others), dry_run=False))
        changed = [*others, *other_named]
        if changed and (verb.all or host.project(root).muted):
            words = f"{'enabled' if is_wanted else 'disabled'} {_count(changed)}"
            host.editor.say(f"{words}, but {ALL_OFF}" if host.project(root).muted else words)
        elif not changed and (there or named):
            host.editor.say(f"{'enabled' if is_wanted else 'disabled'} already: {_count([*there, *named])}")
        elif not changed:
            host.editor.say(_nothing_there(verb))


def standing(
    project: Project, file: str, lines: tuple[int, int], ids: Sequence[int] | None
) -> tuple[BreakpointStatus, ...]:
    """The project's breakpoints with these ids; without ids those of the lines, asked for or moved to there."""
    if ids is not None:
        wanted = set(ids)
        return tuple(b for b in project.breakpoints if b.id in wanted)
    first, last = lines
    return tuple(
        b
        for b in project.breakpoints
        if (first <= b.line <= last or (b.adapter_line is not None and first <= b.adapter_line <= last))
        and is_same_file(b.source, file)
    )


def _remembered(one: BreakpointStatus) -> dict[str, Any]:
    parts = {name: getattr(one, name) for name in PARTS}
    return {"path": one.source, "line": one.line, **parts}


def _lines(verb: Break) -> tuple[int, int]:
    first = verb.first if verb.first is not None else verb.line
    return first, verb.last if verb.last is not None else first


def _chosen(project: Project, verb: Unbreak | Enable | Disable) -> tuple[BreakpointStatus, ...]:
    if verb.all:
        return project.breakpoints
    return standing(project, verb.file, (verb.first, max(verb.first, verb.last)), verb.ids)


def _named(project: Project, verb: Unbreak | Enable | Disable) -> tuple[stopping.Named, ...]:
    """As `_chosen`, of those that are at no line."""
    told = project.stoppers
    return (*told.functions, *told.data) if verb.all else stopping.among(project, verb.ids)


def _by_ids(breakpoints: Sequence[BreakpointStatus]) -> objects.ByIds:
    return objects.ByIds(ids=tuple(b.id for b in breakpoints))


def _nothing_there(verb: Unbreak | Enable | Disable) -> str:
    if verb.all:
        return "the project has no breakpoints: :LazydapBreak puts one"
    return f"no breakpoint on {'this line' if verb.first >= verb.last else 'these lines'}: :LazydapBreak puts one"


def _count(breakpoints: Sequence[object]) -> str:
    return "1 breakpoint" if len(breakpoints) == 1 else f"{len(breakpoints)} breakpoints"


def _root(host: Host, verb: Break | Unbreak | Enable | Disable, file: str) -> str | None:
    """The root of the project that the file's breakpoints belong to; without one the user is told."""
    if verb.root is not None and verb.root in host.model.projects:
        return verb.root
    if not file:
        host.editor.say("this buffer is no file: breakpoints go into files", "warn")
        return None
    root = root_for_breakpoint(host.model, file, host.root_of)
    if root is None:
        name = PurePath(file).name
        host.editor.say(f"{name} is in no project: `mkdir .lazydap` in its top folder makes one", "warn")
    return root


async def _change(
    host: Host, link: Link, request: requests.BreakpointAdd | requests.BreakpointRemove | requests.BreakpointToggle
) -> None:
    answer = await link.ask(request, responses.Breakpoints)
    host.apply(points.edited(host.project(link.root), answer))
    if answer.not_found:
        host.editor.say("that breakpoint is gone already", "warn")
    elif answer.action == "unchanged":
        host.editor.say("the breakpoint is like that already")
