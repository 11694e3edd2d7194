"""Owns which threads a program has, as far as its adapter tells; asks nothing else of the adapter."""

from collections.abc import Awaitable, Callable

from lazydap_core.errors import DapProtocolError
from lazydap_daemon.dap import messages as dap


class Threads:
    """The threads of one program.

    Where the adapter tells nothing of a running program (lldb-dap from 22 on), its last answer is what is known.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[dap.ThreadsBody]],
        is_running: Callable[[], bool],
        *,
        first_answer_is_old: bool,
    ) -> None:
        self._ask = ask
        self._is_running = is_running
        self._first_is_old = first_answer_is_old
        self._known: tuple[dap.Thread, ...] = ()

    async def listed(self) -> tuple[dap.Thread, ...]:
        """The threads as they are now, or as they were last told. Raises as `Session.ask`."""
        try:
            if self._first_is_old:
                self._known = (await self._ask()).threads
                self._first_is_old = False
            self._known = (await self._ask()).threads
        except DapProtocolError:
            if not self._known or not self._is_running():
                raise
        return self._known
