"""Owns waiting for whichever of several things happens first."""

from collections.abc import Awaitable, Callable

import anyio


async def first_of(*waits: Callable[[], Awaitable[object]]) -> None:
    """Return as soon as one of `waits` has returned; the others are abandoned."""
    async with anyio.create_task_group() as group:

        async def run(wait: Callable[[], Awaitable[object]]) -> None:
            await wait()
            group.cancel_scope.cancel()

        for wait in waits:
            group.start_soon(run, wait)
