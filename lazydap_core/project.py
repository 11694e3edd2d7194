"""Owns which folder is a project's root and what its instance is called; creates nothing and talks to nobody."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from lazydap_core.errors import DaemonUnreachable

STATE_FOLDER: Final = ".lazydap"
MANIFESTS: Final = ("Cargo.toml", "package.json", "pyproject.toml")
READABLE_CHARACTERS: Final = 16

FNV_OFFSET: Final = 0xCBF29CE484222325
FNV_PRIME: Final = 0x100000001B3
HASH_BITS: Final = 48


def project_root(start: Path, environ: Mapping[str, str]) -> Path:
    """The root of the project that `start` belongs to, else `start` itself, as a real path (doc/architecture.md).

    A `.lazydap` folder far away wins over a nearer `.git`, and that over a nearer manifest. Nothing above the home
    folder is looked at, and home itself is a root through `.lazydap` only: dotfiles kept in git would else make one
    project of everything in it.
    """
    return has_root(start, environ) or Path(os.path.realpath(start))


def has_root(start: Path, environ: Mapping[str, str]) -> Path | None:
    """The marked root that `start` belongs to, or None where no folder above it is marked."""
    folders = list(_searched(Path(os.path.realpath(start)), home := _real_home(environ)))
    for folder in folders:
        if (folder / STATE_FOLDER).is_dir():
            return folder
    below_home = [folder for folder in folders if folder != home]
    for folder in below_home:
        if (folder / ".git").exists():
            return folder
    for folder in below_home:
        if any((folder / name).exists() for name in MANIFESTS):
            return folder
    return None


def _searched(start: Path, home: Path | None) -> Iterator[Path]:
    for folder in (start, *start.parents):
        yield folder
        if folder == home:
            return


def _real_home(environ: Mapping[str, str]) -> Path | None:
    try:
        return Path(os.path.realpath(home_folder(environ), strict=True))
    except (OSError, DaemonUnreachable):
        return None  # No home, no ceiling.


def home_folder(environ: Mapping[str, str]) -> Path:
    """`$HOME`, else what the user database says; DaemonUnreachable when neither names a folder."""
    if named := environ.get("HOME"):
        return Path(named)
    import pwd  # noqa: PLC0415  # only without HOME

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise DaemonUnreachable("there is no home folder: set HOME to a folder of yours") from None


def slug(name: str) -> str:
    """`name` as it may stand in a file name: ASCII letters and digits in lower case, every other character a dash."""
    return "".join(c.lower() if c.isascii() and c.isalnum() else "-" for c in name).strip("-") or "project"


def instance_name(root: str | os.PathLike[str]) -> str:
    """The name that a project's daemon has unless somebody gave it one: readable part, dash, hash of the whole path.

    The hash is taken of the path's bytes as they are; the cut of the readable part may leave a dash at its end.
    """
    path = os.fsencode(root)
    last = _last_component(path)
    readable = slug(last.decode("utf-8", "replace") if last else "root")[:READABLE_CHARACTERS]
    return f"{readable}-{_fnv1a(path) & ((1 << HASH_BITS) - 1):0{HASH_BITS // 4}x}"


def _last_component(path: bytes) -> bytes:
    parts = [part for part in path.split(b"/") if part not in (b"", b".")]
    return parts[-1] if parts and parts[-1] != b".." else b""


def _fnv1a(data: bytes) -> int:
    value = FNV_OFFSET
    for byte in data:
        value = ((value ^ byte) * FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return value
