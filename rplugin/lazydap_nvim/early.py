"""Owns starting the daemon of an editor's first command while the rest of the host is still being imported."""

import os
import threading
from contextlib import suppress
from pathlib import Path

from lazydap_core.client.starting import ensure_daemon
from lazydap_core.errors import LazydapError
from lazydap_core.paths import places
from lazydap_core.project import has_root


def begin(path: str) -> None:
    """Start, in a thread of its own, the daemon of the project that a file or folder lies in, where it lies in one.

    What fails is told by the command itself, which asks for the daemon again.
    """
    threading.Thread(target=_start, args=(path,), name="early daemon", daemon=True).start()


def _start(path: str) -> None:
    environ = dict(os.environ)
    named = Path(path)
    with suppress(LazydapError):
        root = has_root(named if named.is_dir() else named.parent, environ)
        if root is not None:
            ensure_daemon(places(root, environ=environ), environ).close()
