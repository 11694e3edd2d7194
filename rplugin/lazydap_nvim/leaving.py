"""Owns ending a project's program when its editor leaves: a process of its own, which the editor does not wait for."""

import os
from pathlib import Path
from typing import Final

from lazydap_core.client.blocking import BlockingClient
from lazydap_core.errors import LazydapError
from lazydap_core.paths import places
from lazydap_core.protocol import requests, responses

SECONDS: Final = 30.0


def stop(root: str, session_id: str) -> int:
    """End that session, if it is still the one of the project; the exit code."""
    try:
        with BlockingClient.connect(places(Path(root), environ=dict(os.environ)).socket) as client:
            status = client.request(requests.Status(), SECONDS)
            session = status.session if isinstance(status, responses.Status) else None
            if session is not None and str(session.session_id) == session_id:
                request = requests.Disconnect(session_id=session.session_id, terminate=True, dry_run=False)
                client.request(request, SECONDS)
    except LazydapError:
        # Nobody is left who could be told; a daemon that is gone has ended the program already.
        return 1
    return 0
