"""Owns taking a part of a container from an adapter that can part only what is indexed; sends nothing by itself."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from lazydap_core.domain.words import VariableFilter
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.standing import Page

Rows = tuple[dap.Variable, ...]


class Size(NamedTuple):
    """How many rows of each kind a container has; the adapter gives the named ones first."""

    named: int = 0
    indexed: int = 0


async def part_of(
    size: Size,
    wanted: VariableFilter,
    start: int,
    limit: int | None,
    ask: Callable[[Mapping[str, Any]], Awaitable[Rows]],
) -> Page:
    """The rows from `start` on, one more than `limit` where there are more; `ask` sends one `variables` request."""
    if not size.indexed:
        # Where nothing is indexed delve keeps back what is named when only that is asked for.
        rows = () if wanted == "indexed" else (await ask({}))[start:]
        return _page(rows, limit)
    named = await ask({"filter": "named"}) if size.named else ()
    head = () if wanted == "indexed" else named
    rows = head[start:]
    if wanted == "named" or (limit is not None and len(rows) > limit):
        return _page(rows, limit)
    first = max(0, start - len(head))
    # An entry of a map is one row or two, so that only counting from the first one finds the row that is asked for.
    skipped = first if _is_map(named) else 0
    begin = first - skipped
    count = size.indexed - begin
    if limit is not None:
        count = min(count, skipped + limit + 1 - len(rows))
    if count > 0:
        rows += (await ask({"filter": "indexed", "start": begin, "count": count}))[skipped:]
    return _page(rows, limit)


def _is_map(named: Rows) -> bool:
    return any(row.name == "len()" for row in named)


def _page(rows: Rows, limit: int | None) -> Page:
    if limit is None:
        return Page(rows, is_whole=True)
    return Page(rows[: limit + 1], is_whole=len(rows) <= limit)
