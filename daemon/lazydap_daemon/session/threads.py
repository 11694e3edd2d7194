"""Owns which threads a program has, as far as its adapter tells; asks nothing else of the adapter."""

from collections.abc import Awaitable, Callable

from lazydap_core.errors import DapProtocolError
from lazydap_daemon.dap import messages as dap


class Threads:
    """The threads of one program.

    Where the adapter tells nothing of a running program (lldb-dap from 22 on), or only of `placeholder` (codelldb), its
    last answer is what is known.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[dap.ThreadsBody]],
        is_running: Callable[[], bool],
        *,
        first_answer_is_old: bool,
        placeholder: int | None = None,
    ) -> None:
        self._ask = ask
        self._is_running = is_running
        self._first_is_old = first_answer_is_old
        self._placeholder = placeholder
        self._known: tuple[dap.Thread, ...] = ()

    async def listed(self) -> tuple[dap.Thread, ...]:
        """The threads as they are now, or as they were last told. Raises as `Session.ask`."""
        was_running = self._is_running()
        try:
            if self._first_is_old:
                self._known = (await self._ask()).threads
                self._first_is_old = False
            told = (await self._ask()).threads
            real = tuple(thread for thread in told if thread.id != self._placeholder)
            if real or not told:
                self._known = real
        except DapProtocolError:
            if not self._known or not (was_running or self._is_running()):
                raise
        return self._known
