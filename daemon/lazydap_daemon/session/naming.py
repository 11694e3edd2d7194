"""Owns telling a session's adapter of breakpoints that are at no line; changes none of them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import anyio

from lazydap_core.domain.breakpoints import DataBreakpoint, FunctionBreakpoint, NamedBreakpoint
from lazydap_core.errors import DaemonError, DapProtocolError, Unsupported
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Body
from lazydap_daemon.session.book import GUEST_ID
from lazydap_daemon.session.lacking import lacking
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.updates import EVENTS

ACCESS = {"write": "write", "read": "read", "read_write": "readWrite"}


class NamedPusher:
    """Sends the whole list of one kind of breakpoints, and only where it has changed.

    `wanted` gives those that are to stop the program. The adapter's opinions are in the session's book before any later
    message of the adapter is looked at.
    """

    def __init__(
        self,
        session: Session,
        kind: Literal["function", "data"],
        wanted: Callable[[], Iterable[FunctionBreakpoint] | Iterable[DataBreakpoint]],
    ) -> None:
        self._session = session
        self._kind: Literal["function", "data"] = kind
        self._wanted = wanted
        self._command = "setFunctionBreakpoints" if kind == "function" else "setDataBreakpoints"
        self._turn = anyio.Lock(fast_acquire=True)
        self._sent: list[dict[str, Any]] | None = []
        self._guest: str | None = None

    @property
    def is_possible(self) -> bool:
        """Whether the adapter has such breakpoints."""
        told = self._session.capabilities
        can = told.supports_function_breakpoints if self._kind == "function" else told.supports_data_breakpoints
        return can is True

    def check(self) -> None:
        """Raises Unsupported where the adapter has no such breakpoints."""
        if not self.is_possible:
            raise self._lacking()

    async def push(self) -> None:
        """Tell the adapter the list as it is now. Raises what `Session.ask` raises; the list stands all the same."""
        async with self._turn:
            wanted = tuple(self._wanted())
            if not self.is_possible:
                self._tell(self._session.book.refuse(wanted, self._lacking().message))
                return
            sent, entries = self._sendable(wanted)
            if entries != self._sent:
                await self._set(sent, entries)

    async def push_leniently(self) -> None:
        """As `push`, but a refusal only leaves them unverified, with the adapter's words."""
        try:
            await self.push()
        except DapProtocolError as refused:
            reason = refused.details.get("adapter_message") or refused.message
            self._tell(self._session.book.refuse(tuple(self._wanted()), reason))

    async def withdraw(self) -> None:
        """Leave the adapter none of them. Raises as `push`."""
        async with self._turn:
            if self.is_possible and self._sent != []:
                await self._set((), [])

    async def admit(self, name: str) -> str | None:
        """Add a temporary one; the adapter's words where it cannot have it. Raises Unsupported, and as `push`."""
        self.check()
        self._guest, self._session.book.guest = name, None
        try:
            await self.push()
        except DaemonError:
            self._guest = None
            raise
        opinion = self._session.book.guest
        return None if opinion is None or opinion.verified else opinion.message or "the adapter does not find it"

    async def dismiss(self) -> None:
        """Take the temporary one away. Raises as `push`."""
        self._guest = None
        await self.push()

    def _lacking(self) -> Unsupported:
        if self._kind == "function":
            return lacking(self._session, "stop at a function by its name", "set a breakpoint on its first line")
        return lacking(self._session, "watch a value", "set a condition on the lines that may change it")

    def _sendable(
        self, wanted: Sequence[FunctionBreakpoint | DataBreakpoint]
    ) -> tuple[list[NamedBreakpoint], list[dict[str, Any]]]:
        """What of `wanted` the adapter can be told, and how; the rest is refused in its place."""
        sent: list[NamedBreakpoint] = []
        entries: list[dict[str, Any]] = []
        for one in wanted:
            try:
                hits = None if one.hit_condition is None else self._session.driver.hit_condition(one.hit_condition)
            except Unsupported as unsupported:
                self._tell(self._session.book.refuse([one], unsupported.message))
                continue
            parts = {**_what(one), "condition": one.condition, "hitCondition": hits}
            sent.append(one)
            entries.append({key: value for key, value in parts.items() if value is not None})
        guest = self._guest
        if guest is not None and not any(entry == {"name": guest} for entry in entries):
            sent.append(FunctionBreakpoint(id=GUEST_ID, name=guest))
            entries.append({"name": guest})
        return sent, entries

    async def _set(self, sent: Sequence[NamedBreakpoint], entries: list[dict[str, Any]]) -> None:
        session = self._session

        def record(body: Body) -> None:
            answered = body.decode(dap.SetBreakpointsBody).breakpoints
            self._sent = entries
            changed.extend(session.book.record(sent, answered, self._kind))
            session.updates.release()

        changed: list[int] = []
        # Until it is answered, nobody knows what the adapter has.
        self._sent = None
        with session.updates.held(), anyio.CancelScope(shield=True):
            await session.answered(dict[str, Any], session.post(self._command, {"breakpoints": entries}, record))
        self._tell(changed)

    def _tell(self, changed: Sequence[int]) -> None:
        session = self._session
        if session.is_announced:
            for our_id in changed:
                session.publish(EVENTS[self._kind](session_id=session.id, breakpoint=session.book.opinion_of(our_id)))


def _what(one: FunctionBreakpoint | DataBreakpoint) -> dict[str, Any]:
    match one:
        case FunctionBreakpoint():
            return {"name": one.name}
        case DataBreakpoint():
            return {"dataId": one.data_id, "accessType": ACCESS[one.access]}
