"""Owns the text of sources that are no file on disk; moves nothing."""

from lazydap_core.protocol.additions.sources import Source, SourceText
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.inspecting import Inspector
from lazydap_daemon.session.session import Session


class Texts:
    """Asks the adapter for what only it can show, under the same rules as `Inspector` looks."""

    def __init__(self, session: Session, inspector: Inspector) -> None:
        self._session = session
        self._inspector = inspector

    async def answer(self, request: Source) -> SourceText:
        """The text. Raises BadRequest or StaleHandle for a reference, SessionNotPaused, and as `Session.ask`."""
        session = self._session
        async with self._inspector.standing() as standing:
            reference = session.handles.adapter_number("source reference", session.id, request.source_reference)
            # Both spellings: the one inside `source` is today's, the other that of the protocol's first clients.
            arguments = {"source": {"sourceReference": reference}, "sourceReference": reference}
            body = await session.ask(dap.SourceBody, "source", arguments)
            self._session.check_motion(standing)
        return SourceText(text=body.content, mime_type=body.mime_type)
