"""Owns the temporary breakpoint of a run to a line; changes no breakpoint of the project."""

import logging

import anyio

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.errors import BadRequest, DaemonError
from lazydap_core.protocol import events
from lazydap_daemon.session.book import GUEST_ID
from lazydap_daemon.session.history import Numbered
from lazydap_daemon.session.pushing import Pusher
from lazydap_daemon.session.sense import check_line
from lazydap_daemon.session.session import Session

log = logging.getLogger("daemon.session")


class Guest:
    """At most one temporary breakpoint, which is gone from the adapter before the program moves again.

    It goes with the first stop, of whatever reason, and with the session.
    """

    def __init__(self, session: Session, pusher: Pusher) -> None:
        self._session = session
        self._pusher = pusher
        self._leaving: anyio.Event | None = None
        self._is_listening = False

    async def arrive(self, source: str, line: int) -> None:
        """Plant it. Raises BadRequest where the adapter has no code at that line, and as `Session.ask`."""
        check_line(line)
        guest = Breakpoint(id=GUEST_ID, source=source, line=line)
        try:
            refusal = await self._pusher.admit(guest)
        except DaemonError:
            await self._pusher.dismiss()
            raise
        if refusal is not None:
            await self._pusher.dismiss()
            raise BadRequest(f"cannot run to {source}:{line}: {refusal}", line=line)
        self._is_listening = True
        self._session.listen(self._on_event)

    async def leave(self) -> None:
        """Take it away: the program was not moved after all."""
        self._stop_listening()
        await self._pusher.dismiss()

    async def gone(self) -> None:
        """Wait until one that is on its way out is out."""
        if self._leaving is not None:
            await self._leaving.wait()

    def _on_event(self, numbered: Numbered) -> None:
        match numbered.event:
            case events.Stopped():
                self._stop_listening()
                self._leaving = anyio.Event()
                self._session.tasks.start_soon(self._dismiss, self._leaving)
            case events.SessionEnded():
                self._stop_listening()
            case _:
                pass

    def _stop_listening(self) -> None:
        if self._is_listening:
            self._is_listening = False
            self._session.unlisten(self._on_event)

    async def _dismiss(self, is_out: anyio.Event) -> None:
        try:
            await self._pusher.dismiss()
        except DaemonError as error:
            log.warning("the breakpoint of a run stays session=%s reason=%s", self._session.id, error.message)
        finally:
            is_out.set()
