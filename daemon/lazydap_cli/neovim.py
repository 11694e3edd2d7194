"""Owns finding a Neovim that the plugin can live in; starts no editor but to ask its version."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from lazydap_cli.failure import CommandFailed

OLDEST: Final = (0, 10)
VERSION_SECONDS: Final = 5.0

_INSTALL = "install Neovim 0.10 or newer: https://github.com/neovim/neovim/blob/master/INSTALL.md"


class Neovim(msgspec.Struct, frozen=True):
    """An executable and the version it says it is."""

    path: Path
    version: str


def find_neovim(environ: Mapping[str, str]) -> Neovim:
    """The first `nvim` on PATH. Raises CommandFailed, which says what to do, where it is missing or too old."""
    found = shutil.which("nvim", path=environ.get("PATH", ""))
    if found is None:
        raise CommandFailed(f"Neovim is not on PATH: {_INSTALL}")
    version = _version(found, environ)
    if version is None:
        raise CommandFailed(f"{found} does not say which Neovim it is: {_INSTALL}")
    if version < OLDEST:
        shown = ".".join(map(str, version))
        raise CommandFailed(f"{found} is Neovim {shown}, too old for the plugin: {_INSTALL}")
    return Neovim(Path(found), ".".join(map(str, version)))


def _version(executable: str, environ: Mapping[str, str]) -> tuple[int, ...] | None:
    try:
        answer = subprocess.run(  # noqa: S603  # the nvim of the user's own PATH
            [executable, "--version"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(rb"NVIM v(\d+)\.(\d+)(?:\.(\d+))?", answer.stdout)
    return tuple(int(part) for part in match.groups(default=b"0")) if match else None
