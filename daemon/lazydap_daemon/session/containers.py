"""Owns the rows of scopes and containers: how each adapter gives them, and what of them a stop remembers."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from msgspec.structs import replace

from lazydap_core.domain.words import VariableFilter
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.indexed import Rows, Size, part_of
from lazydap_daemon.session.session import REQUEST_TIMEOUT, Session
from lazydap_daemon.session.standing import Page, Standing

# lldb-dap goes over a whole container for each part of it that is asked for (doc/adapters.md, "Paging").
LARGE: Final = 20_000
LARGE_TIMEOUT: Final = 60.0
# Rows of whole containers that are kept until the program moves, where an adapter cannot give a part of one.
KEPT_ROWS: Final = 120_000


class Containers:
    """Asks for the scopes of frames and for the rows behind references, from memory where this stop was asked before.

    Raises SessionNotPaused when the program has moved meanwhile, else as `Session.ask`.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        # Before LLVM 22 a scope's reference means whichever frame was asked last (doc/adapters.md, "lldb-dap").
        self._scope_lock = anyio.Lock(fast_acquire=True)
        self._scope_frames: dict[int, int] = {}

    async def scopes_of(self, standing: Standing, frame_id: int) -> tuple[dap.Scope, ...]:
        """The scopes of a frame."""
        known = standing.scopes.get(frame_id)
        if known is not None:
            return known
        async with self._scope_lock:
            self._session.check_motion(standing)
            told = (await self._session.ask(dap.ScopesBody, "scopes", {"frameId": frame_id})).scopes
        self._session.check_motion(standing)
        expensive = self._session.driver.expensive_scopes
        told = tuple(replace(scope, expensive=True) if scope.name in expensive else scope for scope in told)
        standing.scopes[frame_id] = told
        for scope in told:
            self._scope_frames[scope.variables_reference] = frame_id
        return told

    async def first_rows(self, standing: Standing, reference: int, limit: int) -> Page:
        """The first rows, at least `limit` where there are so many."""
        known = standing.pages.get(reference)
        if known is not None and (known.is_whole or len(known.rows) > limit):
            return known
        page = await self.part(standing, reference, "all", 0, limit)
        standing.pages[reference] = page
        return page

    async def part(
        self, standing: Standing, reference: int, wanted: VariableFilter, start: int, limit: int | None
    ) -> Page:
        """The rows from `start` on, one more than `limit` where there are more."""
        arguments: dict[str, Any] = {"variablesReference": reference}
        if self._session.driver.pages_indexed:

            async def ask(parts: Mapping[str, Any]) -> Rows:
                return await self._ask(standing, arguments | dict(parts))

            return await part_of(Size(*standing.sizes.get(reference, ())), wanted, start, limit, ask)
        if wanted != "all":
            arguments["filter"] = wanted
        if self._session.driver.pages_variables:
            arguments["start"] = start
            # One row more than asked for tells whether there are more.
            arguments["count"] = 0 if limit is None else limit + 1
            rows, is_whole = await self._ask(standing, arguments), True
        else:
            whole = await self._whole(standing, reference, wanted, arguments)
            rows, is_whole = whole.rows[start:], whole.is_whole
        if limit is None:
            return Page(rows, is_whole)
        return Page(rows[: limit + 1], is_whole and len(rows) <= limit)

    def note_sizes(self, standing: Standing, rows: Iterable[dap.Variable | dap.EvaluateBody]) -> None:
        """Remember how many rows there are behind each reference."""
        for row in rows:
            if row.variables_reference:
                standing.sizes[row.variables_reference] = (row.named_variables or 0, row.indexed_variables or 0)

    @asynccontextmanager
    async def scope_of(self, reference: int) -> AsyncGenerator[None]:
        """While it lasts, a scope's reference means the frame that it was given out for."""
        session, frame_id = self._session, self._scope_frames.get(reference)
        if frame_id is None or not session.driver.one_scope_transaction(session.capabilities):
            yield
            return
        async with self._scope_lock:
            await session.ask(dap.ScopesBody, "scopes", {"frameId": frame_id})
            yield

    async def _whole(
        self, standing: Standing, reference: int, wanted: VariableFilter, arguments: dict[str, Any]
    ) -> Page:
        """Every row, asked for once a stop: whichever part is wanted, such an adapter gives (and pays for) all."""
        known = standing.containers.get((reference, wanted))
        if known is not None:
            return known
        told = await self._ask(standing, arguments)
        rows = tuple(row for row in told if not self._session.driver.is_cut(row))
        page = Page(await self._sorted_out(standing, reference, rows), is_whole=len(rows) == len(told))
        if len(page.rows) + sum(len(kept.rows) for kept in standing.containers.values()) > KEPT_ROWS:
            standing.containers.clear()
        if len(page.rows) <= KEPT_ROWS:
            standing.containers[reference, wanted] = page
        return page

    async def _sorted_out(self, standing: Standing, reference: int, told: Rows) -> Rows:
        """The rows with the adapter's folders last, and what is a value like any other taken out of them."""
        driver = self._session.driver
        folders = [row for row in told if driver.is_folder(row)]
        if not folders:
            return told
        rows = tuple(row for row in told if row not in folders)
        frame, closed = self._frame_of_locals(standing, reference), list[dap.Variable]()
        for folder in folders:
            held: Rows = ()
            if driver.holds_values(folder, rows, frame):
                held = await self._ask(standing, {"variablesReference": folder.variables_reference})
                rows = driver.with_values(rows, held, frame)
            if not held or any(row not in rows for row in held):
                # By the name that such an adapter gives it nothing can be evaluated.
                closed.append(replace(folder, evaluate_name=None))
        return (*rows, *closed)

    def _frame_of_locals(self, standing: Standing, reference: int) -> dap.StackFrame | None:
        frame_id = self._scope_frames.get(reference)
        if frame_id is None:
            return None
        chosen = locals_scope(standing.scopes.get(frame_id, ()))
        return standing.frames.get(frame_id) if chosen and chosen.variables_reference == reference else None

    async def _ask(self, standing: Standing, arguments: dict[str, Any]) -> Rows:
        session, reference = self._session, arguments["variablesReference"]
        size = sum(standing.sizes.get(reference, ()))
        limit = LARGE_TIMEOUT if size >= LARGE else session.driver.longest_reading or REQUEST_TIMEOUT
        async with self.scope_of(reference):
            rows = (await session.ask(dap.VariablesBody, "variables", arguments, limit=limit)).variables
        session.check_motion(standing)
        self.note_sizes(standing, rows)
        return rows


def locals_scope(scopes: tuple[dap.Scope, ...]) -> dap.Scope | None:
    """The scope with the local variables, else the first cheap one."""
    cheap = [scope for scope in scopes if not scope.expensive]
    named = [scope for scope in cheap if scope.name.lower() in ("local", "locals")]
    return next(iter(named or cheap), None)
