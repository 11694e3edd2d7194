"""Owns telling a session's adapter which exceptions stop the program; changes no choice of the project."""

import logging
from typing import Any, Final

import anyio

from lazydap_core.domain.breakpoints import FilterChoice
from lazydap_core.errors import DapProtocolError
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Body
from lazydap_daemon.session.session import Session
from lazydap_daemon.store.project import ProjectStore

log = logging.getLogger("daemon.session")

NOTHING: Final[dict[str, Any]] = {"filters": []}


class FilterPusher:
    """Sends the filters that are on, and only where they have changed; the default holds where nobody has chosen."""

    def __init__(self, session: Session, project: ProjectStore) -> None:
        self._session = session
        self._project = project
        self._turn = anyio.Lock(fast_acquire=True)
        self._sent = NOTHING
        self._is_unsure = False

    async def push(self) -> bool:
        """Tell the adapter what is on as the project has it now; False where it has no filters at all.

        Raises what `Session.ask` raises; the project keeps its choices all the same.
        """
        if not self._session.capabilities.exception_breakpoint_filters:
            return False
        async with self._turn:
            wanted, arguments = self._wanted()
            if arguments != self._sent or self._is_unsure:
                await self._send(wanted, arguments)
        return True

    async def push_leniently(self) -> None:
        """As `push`, but a refusal only leaves the program without filters."""
        try:
            await self.push()
        except DapProtocolError as refused:
            log.warning("exception filters refused session=%s reason=%s", self._session.id, refused.message)

    async def withdraw(self) -> None:
        """Let no exception stop the program. Raises as `push`."""
        async with self._turn:
            if self._is_unsure or self._sent != NOTHING:
                await self._send([], NOTHING)

    def _wanted(self) -> tuple[list[dap.ExceptionFilter], dict[str, Any]]:
        """Those that are on, in the order in which they are sent and answered, and how."""
        session = self._session
        choices = {choice.filter: choice for choice in self._project.filter_choices_of(session.driver.program)}
        defaults = session.driver.default_filters
        plain: list[dap.ExceptionFilter] = []
        conditional: list[tuple[dap.ExceptionFilter, str]] = []
        for one in session.capabilities.exception_breakpoint_filters or ():
            choice = choices.get(one.filter)
            if not is_on(one.filter, choice, defaults):
                continue
            if choice is not None and choice.condition is not None and takes_condition(one):
                conditional.append((one, choice.condition))
            else:
                plain.append(one)
        arguments: dict[str, Any] = {"filters": [one.filter for one in plain]}
        if conditional:
            arguments["filterOptions"] = [
                {"filterId": one.filter, "condition": condition} for one, condition in conditional
            ]
        return [*plain, *(one for one, _ in conditional)], arguments

    async def _send(self, wanted: list[dap.ExceptionFilter], arguments: dict[str, Any]) -> None:
        session = self._session

        def record(body: Body) -> None:
            session.book.filters.clear()
            for one, told in zip(wanted, body.decode(dap.SetBreakpointsBody).breakpoints, strict=False):
                if told.id is not None:
                    session.book.filters[told.id] = one.label or one.filter
            self._sent, self._is_unsure = arguments, False

        # Until it is answered, nobody knows what the adapter has.
        self._is_unsure = True
        with anyio.CancelScope(shield=True):
            await session.answered(dict[str, Any], session.post("setExceptionBreakpoints", arguments, record))


def is_on(name: str, choice: FilterChoice | None, defaults: frozenset[str]) -> bool:
    """Whether a filter is on: as chosen, else by default."""
    return name in defaults if choice is None else choice.enabled


def takes_condition(one: dap.ExceptionFilter) -> bool:
    """Whether the filter can have a condition."""
    return one.supports_condition is True
