"""Owns what a model looks like: the sections of a batch as plain JSON values; knows buffers and editors not at all."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import PurePath
from typing import Any, Final, NamedTuple

import msgspec

from lazydap_core.protocol.additions.following import NOT_IN_PROGRAM
from lazydap_core.protocol.objects import BreakpointStatus
from lazydap_nvim import entries
from lazydap_nvim.explain import adapter_name
from lazydap_nvim.model import (
    Listing,
    Model,
    Pane,
    Project,
    Session,
    chosen_frame,
    looked_at_thread,
    one_line,
    place,
    standing_frame,
)

COMMENTARY: Final = "Resolved locations:"
"""What codelldb says of a breakpoint that has no place yet; anything else is a refusal (doc/adapters.md)."""

Json = Any


def drawn_state(project: Project) -> str:
    """The word for the session's state that the editor sees."""
    if project.launching is not None and project.live is None:
        return "launching"
    session = project.session
    if session is None:
        return "none"
    # The stop outlives a movement for a moment; state and arrow change together.
    return "paused" if session.state == "running" and session.stop is not None else session.state


def projects(model: Model) -> list[Json]:
    """One entry a project: its session as the status line and the autocommands need it."""
    return [_project(project, is_last=project.root == model.last) for project in model.projects.values()]


def _project(project: Project, *, is_last: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "root": project.root,
        "state": drawn_state(project),
        "connected": project.is_connected,
        "following": project.is_following,
        "last": is_last,
        "launches": project.launches,
        "log": project.log,
        "functions": tuple(one.name for one in project.stoppers.functions),
        "filters": tuple(dict.fromkeys(one.filter for one in project.stoppers.filters)),
    }
    session = project.session
    if session is not None:
        entry |= {
            "session_id": str(session.id),
            "adapter": adapter_name(session),
            "program": session.program,
            "exit_code": session.exit_code,
            "ended": session.ended,
            "launched": session.launched,
            "is_built": session.adapter == "codelldb",
            "aged": project.aged,
        }
        if session.has_terminal:
            entry["terminal"] = True
    elif project.launching is not None:
        entry["program"] = project.launching
    return entry


def breakpoints(model: Model) -> list[Json]:
    """Every breakpoint with its kind and the adapter's opinion."""
    return [
        _breakpoint(breakpoint_, project) for project in model.projects.values() for breakpoint_ in project.breakpoints
    ]


def _breakpoint(breakpoint_: BreakpointStatus, project: Project) -> dict[str, Json]:
    is_live = project.live is not None
    state = breakpoint_state(breakpoint_, is_live=is_live, is_muted=project.muted)
    is_moved = state == "moved" and breakpoint_.adapter_line is not None
    return {
        "id": breakpoint_.id,
        "root": project.root,
        "path": breakpoint_.source,
        "line": breakpoint_.adapter_line if is_moved else breakpoint_.line,
        "asked_line": breakpoint_.line,
        "kind": breakpoint_kind(breakpoint_),
        "state": state,
        "enabled": breakpoint_.enabled,
        "message": _telling(breakpoint_) if is_live else None,
        "condition": breakpoint_.condition,
        "hit_condition": breakpoint_.hit_condition,
        "log_message": breakpoint_.log_message,
        "anchor": breakpoint_.anchor,
    }


def _telling(breakpoint_: BreakpointStatus) -> str | None:
    message = breakpoint_.message or ""
    is_commentary = breakpoint_.verified and message.startswith(COMMENTARY)
    return one_line(message) if message and not is_commentary else None


def breakpoint_kind(breakpoint_: BreakpointStatus) -> str:
    """`log`, `condition` (a hit count is one as well) or `line`."""
    if breakpoint_.log_message is not None:
        return "log"
    return "line" if breakpoint_.condition is None and breakpoint_.hit_condition is None else "condition"


def breakpoint_state(breakpoint_: BreakpointStatus, *, is_live: bool, is_muted: bool = False) -> str:
    """The first that holds of `disabled`, `idle` (nothing live), `moved`, `verified`, `rejected`, `pending`."""
    if is_muted or not breakpoint_.enabled:
        return "disabled"
    if not is_live:
        return "idle"
    if breakpoint_.verified:
        return "verified" if breakpoint_.adapter_line in (None, breakpoint_.line) else "moved"
    is_refused = bool(breakpoint_.message) and not str(breakpoint_.message).startswith((COMMENTARY, NOT_IN_PROGRAM))
    return "rejected" if is_refused else "pending"


def unbound_words(project: Project) -> str | None:
    """Why breakpoints of the project were passed over: the adapter's refusal of the first; None where it bound all."""
    refused = [
        one
        for one in project.breakpoints
        if breakpoint_state(one, is_live=True, is_muted=project.muted) == "rejected" and one.message
    ]
    if not refused:
        return None
    reason = one_line(refused[0].message or "")
    is_of_all = len({one.message for one in refused}) == 1
    return reason if is_of_all else f"{PurePath(refused[0].source).name}:{refused[0].line}: {reason}"


def stops(model: Model) -> list[Json]:
    """Where each stopped program stands."""
    return [_stop(root, session) for root, session in _standing(model)]


def _standing(model: Model) -> Iterable[tuple[str, Session]]:
    for project in model.projects.values():
        if project.live is not None and project.live.stop is not None:
            yield project.root, project.live


def _stop(root: str, session: Session) -> dict[str, Json]:
    stop = session.stop
    if stop is None:
        raise AssertionError
    frame = standing_frame(stop)
    where = place(frame)
    is_inner = frame is not None and stop.frame is not None and frame is not stop.frame
    return {
        "root": root,
        "session_id": str(session.id),
        "path": None if where is None else where[0],
        "line": None if where is None else where[1],
        "thread_id": stop.thread_id,
        "reason": stop.reason,
        "text": one_line(stop.text) if stop.text else None,
        "name": None if frame is None else one_line(frame.name),
        "inner": one_line(stop.frame.name) if is_inner and stop.frame is not None else None,
        "stop": stop.generation,
    }


def frames(model: Model) -> list[Json]:
    """The outer frames that were chosen to be looked at."""
    chosen: list[Json] = []
    for root, session in _standing(model):
        frame = chosen_frame(session)
        where = place(frame)
        if frame is not None and where is not None:
            chosen.append(
                {
                    "root": root,
                    "session_id": str(session.id),
                    "path": where[0],
                    "line": where[1],
                    "thread_id": looked_at_thread(session),
                    "name": one_line(frame.name),
                    "number": session.chosen,
                    "stop": session.seen,
                }
            )
    return chosen


def texts(model: Model) -> list[Json]:
    """Code without a file in which programs stand, or are looked at."""
    return [text for _, session in _standing(model) for text in session.texts]


def values(model: Model) -> list[Json]:
    """The variables of each stopped function, as inline values need them."""
    return [
        {
            "root": project.root,
            "path": live.values.path,
            "line": live.values.line,
            "name": live.values.function,
            "stale": live.values.is_stale,
            "stop": live.values.generation,
            "variables": live.values.rows,
        }
        for project in model.projects.values()
        if (live := project.live) is not None and live.values is not None
    ]


def followed(model: Model) -> bool:
    """Whether this editor's cursor follows the program that was last commanded or last stopped."""
    last = model.projects.get(model.last) if model.last is not None else None
    if last is not None and last.live is not None:
        return last.is_following
    return any(project.is_following for project in model.projects.values())


def jump(model: Model) -> Json:
    """Where the cursor shall go."""
    return model.jump


def lists(model: Model) -> dict[str, Json]:
    """The lists that were asked for."""
    asked: dict[str, Json] = {}
    if model.stack is not None:
        asked["stack"] = _listing(model.stack)
    if model.threads is not None:
        asked["threads"] = _listing(model.threads)
    if model.breakpoint_list is not None:
        listed = model.projects.get(model.breakpoint_root or "")
        asked["breakpoints"] = {
            "title": "Lazydap breakpoints",
            "items": [] if listed is None else _breakpoint_items(listed),
            "open": model.breakpoint_list,
        }
    return asked


def _listing(listing: Listing) -> dict[str, Json]:
    return {"title": listing.title, "items": listing.items, "open": listing.open}


def _breakpoint_items(project: Project) -> list[Json]:
    return [*(_breakpoint_item(one, project) for one in project.breakpoints), *entries.of_project(project)]


def _breakpoint_item(breakpoint_: BreakpointStatus, project: Project) -> dict[str, Json]:
    state = breakpoint_state(breakpoint_, is_live=project.live is not None, is_muted=project.muted)
    if state == "disabled" and breakpoint_.enabled:
        state = "muted"
    parts = [
        "" if state in ("idle", "verified") else f"[{state}]",
        "" if breakpoint_.condition is None else f"if {breakpoint_.condition}",
        "" if breakpoint_.hit_condition is None else f"hit {breakpoint_.hit_condition}",
        "" if breakpoint_.log_message is None else f"log {breakpoint_.log_message}",
        (breakpoint_.message or "") if project.live is not None else "",
    ]
    return {
        "path": breakpoint_.source,
        "line": breakpoint_.line,
        "text": one_line(" ".join(part for part in parts if part)),
        "id": breakpoint_.id,
        "root": project.root,
    }


def panes(model: Model) -> dict[str, Json]:
    """What the panes and floats show."""
    return {
        name: {
            "root": pane.root,
            "title": pane.title,
            "lines": pane.lines,
            "note": pane.note,
            "open": pane.open,
            "stale": _is_stale(model, pane),
        }
        for name, pane in model.panes.items()
    }


def _is_stale(model: Model, pane: Pane) -> bool:
    project = model.projects.get(pane.root)
    return project is None or drawn_state(project) != "paused"


class Section(NamedTuple):
    """One key of a batch: what it is made of decides whether it has to be made again."""

    inputs: Callable[[Model], tuple[Any, ...]]
    make: Callable[[Model], Json]


def _of_sessions(*fields: str) -> Callable[[Model], tuple[Any, ...]]:
    read = attrgetter(*fields)

    def inputs(model: Model) -> tuple[Any, ...]:
        parts: list[Any] = []
        for project in model.projects.values():
            live = project.live
            parts.append(project.root)
            parts.append(None if live is None else read(live))
        return tuple(parts)

    return inputs


def _project_inputs(model: Model) -> tuple[Any, ...]:
    parts: list[Any] = [model.last]
    for project in model.projects.values():
        session = project.session
        parts += (project.root, drawn_state(project), project.is_connected, project.is_following, project.launches)
        parts += (project.launching, project.log, project.stoppers)
        if session is not None:
            parts += (session.id, session.program, session.adapter_command, session.exit_code, session.ended)
            parts += (session.has_terminal, session.launched, project.aged)
    return tuple(parts)


def _breakpoint_inputs(model: Model) -> tuple[Any, ...]:
    return tuple(
        part
        for project in model.projects.values()
        for part in (project.root, project.breakpoints, project.live is None, project.muted)
    )


def _connections(model: Model) -> tuple[Any, ...]:
    return tuple(project.is_connected for project in model.projects.values())


def _jump_inputs(model: Model) -> tuple[Any, ...]:
    return (model.jump,)


def _list_inputs(model: Model) -> tuple[Any, ...]:
    listed = () if model.breakpoint_list is None else (*_breakpoint_inputs(model), *_stoppers(model))
    return (model.stack, model.threads, model.breakpoint_list, model.breakpoint_root, *listed)


def _stoppers(model: Model) -> tuple[Any, ...]:
    return tuple(project.stoppers for project in model.projects.values())


def _follow_inputs(model: Model) -> tuple[Any, ...]:
    return (followed(model),)


def _pane_inputs(model: Model) -> tuple[Any, ...]:
    return (model.panes, *(_is_stale(model, pane) for pane in model.panes.values()))


def connected(model: Model) -> bool:
    """Whether any daemon is heard; else all is drawn from the files."""
    return any(_connections(model))


SECTIONS: Final[Mapping[str, Section]] = {
    "connected": Section(_connections, connected),
    "projects": Section(_project_inputs, projects),
    "breakpoints": Section(_breakpoint_inputs, breakpoints),
    "texts": Section(_of_sessions("id", "stop", "texts"), texts),
    "stops": Section(_of_sessions("id", "stop"), stops),
    "frames": Section(_of_sessions("id", "stop", "frames", "chosen", "thread"), frames),
    "values": Section(_of_sessions("values"), values),
    "follow": Section(_follow_inputs, followed),
    "jump": Section(_jump_inputs, jump),
    "lists": Section(_list_inputs, lists),
    "panes": Section(_pane_inputs, panes),
}


class Drawn(NamedTuple):
    """One section as it was last made: from `inputs`, as JSON."""

    inputs: tuple[Any, ...]
    text: bytes


Picture = Mapping[str, Drawn]

_encoder = msgspec.json.Encoder()


def picture(model: Model, before: Picture | None = None) -> Picture:
    """All sections of the model as JSON; those whose inputs are those of `before` are taken from there."""
    return {
        name: _drawn(section, model, None if before is None else before.get(name)) for name, section in SECTIONS.items()
    }


def _drawn(section: Section, model: Model, before: Drawn | None) -> Drawn:
    inputs = section.inputs(model)
    if before is not None and inputs == before.inputs:
        return before
    return Drawn(inputs, _encoder.encode(section.make(model)))


def batch(generation: int, now: Picture, acknowledged: Picture | None) -> str:
    """The text that brings an editor that shows `acknowledged` (None: nothing) to `now`; what it has is left out."""
    parts = [b'{"generation":%d' % generation]
    for name, drawn in now.items():
        before = None if acknowledged is None else acknowledged.get(name)
        if before is None or (before is not drawn and before.text != drawn.text):
            parts.append(b',"%s":%s' % (name.encode(), drawn.text))
    parts.append(b"}")
    return b"".join(parts).decode()


def is_same(now: Picture, acknowledged: Picture | None) -> bool:
    """Whether a batch from `acknowledged` to `now` would be empty."""
    return acknowledged is not None and all(
        drawn is (before := acknowledged.get(name)) or (before is not None and before.text == drawn.text)
        for name, drawn in now.items()
    )
