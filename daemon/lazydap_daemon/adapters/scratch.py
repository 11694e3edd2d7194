"""Owns folders that live as long as one adapter does; knows nothing of what is put there."""

import logging
import os
import re
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Final

import psutil

PREFIX: Final = "lazydap-"

_log: Final = logging.getLogger("dap.adapter")


class Scratch:
    """A folder for us alone, below the system's temporary one, with our pid in its name; made by `make`.

    `remove` takes it away with all that is in it. What a daemon leaves that is killed goes with the next `make`.
    """

    def __init__(self, what: str) -> None:
        self._stem = f"{PREFIX}{what}-"
        self._home = Path(tempfile.gettempdir())
        self.path = self._home / f"{self._stem}{os.getpid()}-{secrets.token_hex(8)}"

    def make(self) -> None:
        """Raises OSError where that is not possible."""
        for orphan in self._orphans():
            _remove(orphan)
        self.path.mkdir(mode=0o700)

    def remove(self) -> None:
        """Nothing happens where it was never made."""
        _remove(self.path)

    def _orphans(self) -> list[Path]:
        name = re.compile(re.escape(self._stem) + r"(\d+)-[0-9a-f]{16}")
        named = ((name.fullmatch(path.name), path) for path in self._home.glob(f"{self._stem}*"))
        return [path for match, path in named if match and _is_ours(path) and not psutil.pid_exists(int(match[1]))]


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        return False


def _remove(path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        return
    try:
        shutil.rmtree(path)
    except OSError as error:
        _log.warning("a temporary folder stays: %s: %s", path, error)
