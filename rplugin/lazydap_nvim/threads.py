"""Owns waiting for a call that blocks, in threads that never hold up the editor's exit as a library's workers would."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


async def in_thread(function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """What `function` returns, called in a thread of its own; its exception is raised here.

    Cancelling gives up the waiting; the thread ends when the call does, or with the process.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            result = function(*arguments)
        except Exception as error:  # noqa: BLE001 - it is raised again where it is waited for
            report(answer.set_exception, error)
        else:
            report(answer.set_result, result)

    def report(settle: Callable[..., None], outcome: object) -> None:
        def settle_if_awaited() -> None:
            if not answer.done():
                settle(outcome)

        # The loop is closed when the editor has gone meanwhile.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle_if_awaited)

    # anyio's and asyncio's workers are joined at exit, and Neovim waits two seconds for a host that does not end.
    Thread(target=work, name=f"lazydap {getattr(function, '__name__', 'work')}", daemon=True).start()
    return await answer
