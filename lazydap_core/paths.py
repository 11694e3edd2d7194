"""Owns where a project's socket, lock, pid file and log lie; knows nothing of who uses them."""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from lazydap_core.errors import DaemonUnreachable, UsageError
from lazydap_core.project import home_folder, instance_name, project_root, slug

LONGEST_SOCKET_PATH: Final = 100
"""Bytes. The system's own bound is 104 on macOS and 108 on Linux."""

PRIVATE: Final = 0o700
SHARED: Final = stat.S_ISVTX | stat.S_IWGRP | stat.S_IWOTH
"""Any of these modes says that a folder is not one person's alone."""


class Places(msgspec.Struct, frozen=True):
    """One project's root and instance name, and the two private folders; all paths are absolute.

    `given` is the name that somebody chose, where the instance has not all of it: other names may come to the same.
    """

    root: Path
    instance: str
    runtime: Path
    data: Path
    given: str | None = None

    @property
    def socket(self) -> Path:
        """The Unix socket that the daemon listens on."""
        return self.runtime / f"lazydap-{self.instance}.sock"

    @property
    def lock(self) -> Path:
        """The file that exists while a client starts the daemon."""
        return self.runtime / f"lazydap-{self.instance}.lock"

    def stolen_lock(self, pid: int) -> Path:
        """Where process `pid` moves a stale lock before it takes its own."""
        return self.runtime / f"lazydap-{self.instance}.stale-{pid}"

    @property
    def pid(self) -> Path:
        """The file with the daemon's process id."""
        return self.data / f"lazydap-{self.instance}.pid"

    @property
    def name(self) -> Path:
        """The file with the name that the daemon was started by, where it says more than the instance."""
        return self.data / f"lazydap-{self.instance}.name"

    def note_name(self) -> None:
        """Remember under which name the daemon is started. Raises OSError."""
        if self.given is None:
            self.name.unlink(missing_ok=True)
        else:
            self.name.write_text(self.given, encoding="utf-8")

    def check_name(self) -> None:
        """Raises UsageError where a daemon is there that was started by another name which comes to the same."""
        if self.given is None or not self.socket.exists():
            return
        try:
            other = self.name.read_text(encoding="utf-8")
        except OSError:
            return
        if other != self.given:
            raise UsageError(
                f"`{self.given}` and `{other}` both come to the instance `{self.instance}`, and the daemon of `{other}`"
                " is there: choose another name",
                argument="--instance",
            )

    @property
    def unsaved(self) -> Path:
        """The file for what a daemon could not save into the project when it ended."""
        return self.data / f"lazydap-{self.instance}.unsaved.toml"

    @property
    def log(self) -> Path:
        """The file that the daemon's output goes to."""
        return self.data / f"lazydap-{self.instance}.log"


def places(start: Path, *, instance: str | None = None, environ: Mapping[str, str]) -> Places:
    """The places of the project that the folder `start` lies in; creates the two private folders where they lack.

    The instance is `instance`, else `LAZYDAP_INSTANCE`, else derived from the root; blank names count as none. A name
    given changes the name only, never the root.

    Raises DaemonUnreachable when a folder is not safe to use or the socket's path would be too long.
    """
    root = project_root(start, environ)
    home = home_folder(environ)
    owner = _owner_of_home(home)
    chosen = _chosen_name(instance, environ)
    name = instance_name(root) if chosen is None else slug(chosen)
    found = Places(
        root=root,
        instance=name,
        given=None if chosen is None or chosen.lower() == name else chosen,
        runtime=_private_folder(_runtime_folder(environ, owner), owner, "LAZYDAP_RUNTIME_DIR", environ),
        data=_private_folder(_data_folder(environ, home), owner, "LAZYDAP_DATA_DIR", environ),
    )
    length = len(os.fsencode(found.socket))
    if length > LONGEST_SOCKET_PATH:
        raise DaemonUnreachable(
            f"the socket path {found.socket} has {length} bytes, {LONGEST_SOCKET_PATH} are allowed:"
            " set LAZYDAP_RUNTIME_DIR to a shorter folder"
        )
    return found


def _chosen_name(instance: str | None, environ: Mapping[str, str]) -> str | None:
    for name in (instance, environ.get("LAZYDAP_INSTANCE")):
        if name is not None and name.strip() and _is_text(name):
            return name.strip()
    return None


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _owner_of_home(home: Path) -> int:
    # The owner of home and not getuid(): other programs of this contract name /tmp/lazydap-<uid> by it.
    try:
        return home.stat().st_uid
    except OSError as error:
        raise DaemonUnreachable(f"the home folder {home} cannot be read ({error.strerror}): set HOME") from error


def _runtime_folder(environ: Mapping[str, str], owner: int) -> Path:
    if named := environ.get("LAZYDAP_RUNTIME_DIR"):
        return Path(named)
    session = Path(environ.get("XDG_RUNTIME_DIR", ""))
    if sys.platform != "darwin" and session.is_absolute():
        return session / "lazydap"
    # Literally /tmp: what TMPDIR names on macOS takes half of the bytes that a socket's path may have.
    return Path(f"/tmp/lazydap-{owner}")  # noqa: S108  # checked to be ours alone before use


def _data_folder(environ: Mapping[str, str], home: Path) -> Path:
    if named := environ.get("LAZYDAP_DATA_DIR"):
        return Path(named)
    if sys.platform == "darwin":
        import platformdirs  # noqa: PLC0415  # 25 ms, and only here is its answer the contract's

        return platformdirs.user_data_path("lazydap", appauthor=False)
    shared = Path(environ.get("XDG_DATA_HOME", ""))
    return (shared if shared.is_absolute() else home / ".local" / "share") / "lazydap"


def _private_folder(folder: Path, owner: int, variable: str, environ: Mapping[str, str]) -> Path:
    """`folder` as an absolute path, made where it lacks and closed to others; refused where it is not `owner`'s own.

    One that somebody has named and that others may write into is theirs as well, as /tmp is: it is refused, not closed.
    """
    folder = folder.absolute()
    try:
        _make(folder)
        found = folder.lstat()
        if fault := _fault(found, owner):
            raise DaemonUnreachable(f"{folder} {fault}: remove it, or set {variable} to another folder")
        if found.st_mode & SHARED and environ.get(variable):
            raise DaemonUnreachable(f"others may write into {folder}: set {variable} to {folder / 'lazydap'}, say")
        if stat.S_IMODE(found.st_mode) & 0o777 != PRIVATE:
            folder.chmod(PRIVATE)
    except OSError as error:
        raise DaemonUnreachable(
            f"the folder {folder} cannot be used ({error.strerror}): set {variable} to another folder"
        ) from error
    return folder


def _make(folder: Path) -> None:
    missing: list[Path] = []
    for part in (folder, *folder.parents):
        if os.path.lexists(part):
            break
        missing.append(part)
    for part in reversed(missing):
        part.mkdir(PRIVATE, exist_ok=True)


def _fault(found: os.stat_result, owner: int) -> str | None:
    if stat.S_ISLNK(found.st_mode):
        return "is a symbolic link"
    if not stat.S_ISDIR(found.st_mode):
        return "is not a folder"
    if found.st_uid != owner:
        return f"belongs to user {found.st_uid}, not to you ({owner})"
    return None
