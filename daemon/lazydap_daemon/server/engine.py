"""Owns what the server asks of a session engine; knows no engine."""

from typing import Protocol

from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import SessionSummary
from lazydap_daemon.store.reconciling import External


class SessionEngine(Protocol):
    """Whoever runs the one session of this daemon and answers for its breakpoints."""

    async def handle(self, request: requests.SessionRequest) -> responses.Response:
        """The answer; raises DaemonError. Cancelling gives up the waiting, what was begun goes on."""
        ...

    def follow(self, external: External) -> None:
        """Carry to the session what somebody else has changed in the project; must not wait."""
        ...

    def summary(self) -> SessionSummary | None:
        """The session in the slot, running or finished; None when nothing was launched yet."""
        ...

    async def shutdown(self) -> tuple[SessionSummary, ...]:
        """End the session and its adapter, within seconds; the summaries are of before."""
        ...
