"""Owns how a running program is asked to pause: by a signal where that is better, else in the adapter's own way."""

import logging
import time
from typing import Any, Final

import anyio

from lazydap_core.errors import DaemonError, DapProtocolError
from lazydap_daemon.session.session import REQUEST_TIMEOUT, Session

log = logging.getLogger("daemon.session")

PATIENCE: Final = 1.0
"""Seconds in which a refusal that passes by itself is met with another try."""
RETRY: Final = 0.01
SIGNAL_PATIENCE: Final = 5.0
"""Seconds after which a signal that no stop has answered is given up: with an adapter that hears it, it takes 10 ms."""


class Pauser:
    """Asks the adapter of one session, or its program, for a stop; waits for none."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._looked_after: int | None = None

    async def send(self, thread_id: int) -> None:
        """Ask for a pause. Raises as `Session.ask`."""
        session = self._session
        if session.driver.pauses_by_signal and session.debuggee and session.interrupt.send(session.debuggee):
            if self._looked_after != session.motion:
                self._looked_after = session.motion
                session.tasks.start_soon(self._ask_instead, thread_id, session.motion)
            return
        await self._ask(thread_id)

    async def _ask_instead(self, thread_id: int, motion: int) -> None:
        session = self._session
        await anyio.sleep(SIGNAL_PATIENCE)
        if session.motion != motion or session.state != "running" or session.is_tearing_down:
            return
        log.warning("the adapter tells of no stop by SIGSTOP; asking it to pause session=%s", session.id)
        session.interrupt.withdraw()
        try:
            await self._ask(thread_id)
        except DaemonError as error:
            log.warning("the program could not be paused session=%s reason=%s", session.id, error.message)

    async def _ask(self, thread_id: int) -> None:
        """In the adapter's own way, again where it has not noticed yet that the program runs."""
        session = self._session
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                # Shielded, so that a client that hangs up cannot leave the answer unread and the state unknown.
                with anyio.CancelScope(shield=True):
                    await session.ask(dict[str, Any], "pause", {"threadId": thread_id}, limit=REQUEST_TIMEOUT)
            except DapProtocolError as refused:
                text = str(refused.details.get("adapter_message", ""))
                is_passing = session.driver.refuses_only_for_now("pause", text)
                if not is_passing or time.monotonic() > deadline or session.state != "running":
                    raise
                await anyio.sleep(RETRY)
            else:
                return
