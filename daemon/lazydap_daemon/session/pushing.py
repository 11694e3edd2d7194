"""Owns telling a session's adapter which breakpoints a file has; changes no breakpoint of the project."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.errors import DapProtocolError, Unsupported
from lazydap_core.protocol import events
from lazydap_core.protocol.additions.following import NOT_IN_PROGRAM
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Body
from lazydap_daemon.session import translate
from lazydap_daemon.session.session import Session
from lazydap_daemon.store.project import ProjectStore

# How codelldb says that it knows the file under another spelling (doc/adapters.md, "Paths").
_FOUND_AT: Final = re.compile(r".*found at (?P<path>.+):\d+", re.DOTALL)


class _Sent(NamedTuple):
    """A list that the adapter has: what it was sent, and whether any of it was verified."""

    arguments: dict[str, Any]
    verified: bool


class Pusher:
    """Sends the whole enabled list of a file, one file at a time, and only where it has changed.

    The adapter's opinions are in the session's book before any later message of the adapter is looked at. A file none
    of whose breakpoints binds is tried once more under another spelling of its path, which is then kept.
    """

    def __init__(self, session: Session, project: ProjectStore) -> None:
        self._session = session
        self._project = project
        self._turn = anyio.Lock(fast_acquire=True)
        self._spellings: dict[str, str] = {}
        self._guest: Breakpoint | None = None
        self._sent: dict[str, _Sent] = {}

    async def push(self, source: str) -> None:
        """Tell the adapter the breakpoints of `source` as the project has them now.

        Raises what `Session.ask` raises; the project keeps its breakpoints all the same.
        """
        async with self._turn:
            wanted = self._wanted(source)
            path = self._spellings.get(source, source)
            if await self._send(path, wanted) or not wanted or source in self._spellings:
                return
            for other in self._other_spellings(path, wanted):
                # First an empty list: what is pending under the first spelling could bind later, a second time.
                await self._send(path, ())
                if await self._send(other, wanted):
                    self._spellings[source] = other
                    return
                path = other
            if path != source:
                await self._send(path, ())
                await self._send(source, wanted)

    async def push_leniently(self, source: str) -> None:
        """As `push`, but a refusal only leaves the file's breakpoints unverified, with the adapter's words."""
        try:
            await self.push(source)
        except DapProtocolError as refused:
            enabled = [b for b in self._project.breakpoints_in(source) if self._project.is_active(b)]
            self._tell(self._session.book.refuse(enabled, refused.details.get("adapter_message") or refused.message))

    async def withdraw(self) -> None:
        """Leave the adapter no breakpoint in any file. Raises as `push`."""
        async with self._turn:
            for path, sent in tuple(self._sent.items()):
                if sent.arguments["breakpoints"]:
                    await self._send(path, ())

    async def admit(self, guest: Breakpoint) -> str | None:
        """Add a temporary breakpoint to its file; the adapter's words where it has no code there. Raises as `push`."""
        self._guest, self._session.book.guest = guest, None
        await self.push(guest.source)
        opinion = self._session.book.guest
        if opinion is None or opinion.verified:
            return None
        return opinion.message or "the adapter has no code there"

    async def dismiss(self) -> None:
        """Take the temporary breakpoint away, if there is one. Raises as `push`."""
        guest, self._guest = self._guest, None
        if guest is not None:
            await self.push(guest.source)

    def _wanted(self, source: str) -> tuple[Breakpoint, ...]:
        enabled = self._in_program([b for b in self._project.breakpoints_in(source) if self._project.is_active(b)])
        guest = self._guest
        if guest is None or guest.source != source or any(_stops_always(one, guest.line) for one in enabled):
            return enabled
        # One that stands there on a condition gives way: adapters take one of a line, and this run is to stop.
        return (*(one for one in enabled if one.line != guest.line), guest)

    def _in_program(self, active: Sequence[Breakpoint]) -> tuple[Breakpoint, ...]:
        """Those that the program has a line for, each at that line; the others wait for the next launch."""
        book = self._session.book
        there = {one.id: book.in_program(one) for one in active}
        self._tell(book.refuse([one for one in active if there[one.id] is None], NOT_IN_PROGRAM))
        return tuple(one for one in there.values() if one is not None)

    async def _send(self, path: str, wanted: tuple[Breakpoint, ...]) -> bool:
        """Send one list, unless the adapter has it already; whether any of it was verified."""
        sent, arguments = self._sendable(path, wanted)
        before = self._sent.get(path)
        if before is None or before.arguments != arguments:
            stuck = self._stuck(before, arguments)
            if stuck:
                rest = tuple(one for one in sent if one.line not in stuck)
                await self._set(path, rest, self._sendable(path, rest)[1])
            await self._set(path, sent, arguments)
        return self._sent[path].verified

    async def _set(self, path: str, sent: tuple[Breakpoint, ...], arguments: dict[str, Any]) -> None:
        session = self._session

        def record(body: Body) -> None:
            answered = body.decode(dap.SetBreakpointsBody).breakpoints
            self._sent[path] = _Sent(arguments, any(told.verified for told in answered))
            changed.extend(session.book.record(sent, answered))
            session.updates.release()
            session.troubles.met(changed)

        changed: list[int] = []
        session.troubles.begin()
        # Until it is answered, nobody knows what the adapter has.
        self._sent.pop(path, None)
        with session.updates.held(), anyio.CancelScope(shield=True):
            await session.answered(dict[str, Any], session.post("setBreakpoints", arguments, record))
        self._tell(changed)

    def _sendable(self, path: str, wanted: tuple[Breakpoint, ...]) -> tuple[tuple[Breakpoint, ...], dict[str, Any]]:
        """What of `wanted` the adapter can be told, and how; the rest is refused in its place."""
        driver = self._session.driver
        sent: list[Breakpoint] = []
        parts: list[translate.Spelled] = []
        for one in wanted:
            try:
                spelled = translate.Spelled(
                    driver.hit_condition(one.hit_condition, is_conditional=one.condition is not None)
                    if one.hit_condition is not None
                    else None,
                    None if one.log_message is None else driver.log_message(one.log_message),
                )
            except Unsupported as unsupported:
                self._tell(self._session.book.refuse([one], unsupported.message))
                continue
            sent.append(one)
            parts.append(spelled)
        return tuple(sent), translate.breakpoint_arguments(path, tuple(sent), parts)

    def _stuck(self, before: _Sent | None, arguments: dict[str, Any]) -> set[int]:
        """The lines whose breakpoint would keep the condition that it had, unless it is taken away first."""
        had = {} if before is None else {entry["line"]: entry for entry in before.arguments["breakpoints"]}
        return {
            entry["line"]
            for entry in arguments["breakpoints"]
            if (old := had.get(entry["line"], entry).get("condition")) != entry.get("condition")
            and self._session.driver.condition_sticks(old)
        }

    def _other_spellings(self, path: str, wanted: tuple[Breakpoint, ...]) -> list[str]:
        """Other names of the same file: the one the adapter suggests, and the one seen from the launch's folder."""
        candidates: list[str] = []
        for one in wanted:
            message = self._session.book.opinion_of(one.id).message
            hint = _FOUND_AT.fullmatch(message) if message else None
            if hint:
                candidates.append(hint["path"])
        plan = self._session.plan
        for folder in (plan.cwd, str(Path(plan.program).parent)):
            real = os.path.realpath(folder)
            if real != folder and path.startswith(real + os.sep):
                candidates.append(folder + path[len(real) :])
        unique = dict.fromkeys(candidate for candidate in candidates if candidate != path)
        return [candidate for candidate in unique if os.path.realpath(candidate) == os.path.realpath(path)]

    def _tell(self, changed: Sequence[int]) -> None:
        session = self._session
        if session.is_announced:
            for our_id in changed:
                session.publish(
                    events.BreakpointUpdated(session_id=session.id, breakpoint=session.book.opinion_of(our_id))
                )


def _stops_always(one: Breakpoint, line: int) -> bool:
    """Whether it stops the program whenever that line is reached."""
    return one.line == line and one.column is None and not (one.condition or one.hit_condition or one.log_message)
