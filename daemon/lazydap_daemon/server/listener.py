"""Owns the daemon's socket file, pid file and the right to both; knows no client."""

import errno
import fcntl
import logging
import os
import socket
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import anyio

from lazydap_core.errors import DaemonUnreachable
from lazydap_core.paths import Places

log = logging.getLogger("daemon.ipc")

BACKLOG: Final = 128
CONNECT_SECONDS: Final = 1.0
LOCK_SECONDS: Final = 3.0
LOCK_POLL_SECONDS: Final = 0.01
EXHAUSTED_SECONDS: Final = 0.5
"""How long accepting pauses when the process has no descriptor left."""
LOOK_SECONDS: Final = 1.0
"""How often the socket file is looked for; who starts a daemon gives one that lost it a little longer."""
PRIVATE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700

_EXHAUSTED: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))


class Listener:
    """The bound socket of one instance; made by `bound`, given back by `release`."""

    def __init__(self, places: Places, listening: socket.socket) -> None:
        self._places = places
        self._socket = listening
        self._identity = _file_identity(places.socket)
        self._owner = places.runtime.lstat().st_uid
        self._is_released = False

    @classmethod
    async def bound(cls, places: Places) -> "Listener":
        """Take the instance's socket, readable by nobody else, and write the pid file.

        Raises DaemonUnreachable, touching nothing, when another daemon answers there, and when the files cannot be
        written; a socket file behind which nobody listens is replaced.
        """
        async with _alone(places):
            refuse_if_answering(places)
            try:
                places.socket.unlink(missing_ok=True)
                listener = cls(places, _listening(places))
            except OSError as error:
                raise DaemonUnreachable(f"the socket {places.socket} cannot be made: {error}") from error
        try:
            places.pid.write_text(str(os.getpid()), encoding="ascii")
        except OSError as error:
            listener.release()
            raise DaemonUnreachable(f"the pid file {places.pid} cannot be written: {error}") from error
        return listener

    async def accepted(self) -> socket.socket:
        """The next client. Raises OSError when the socket is broken."""
        while True:
            listening = self._socket
            try:
                await anyio.wait_readable(listening)
                return listening.accept()[0]
            except anyio.ClosedResourceError:
                if listening is self._socket:
                    raise
                # The socket was made anew.
            except (BlockingIOError, ConnectionAbortedError):
                continue
            except OSError as error:
                if error.errno not in _EXHAUSTED:
                    raise
                # The clients that hold the descriptors may leave; nobody is served better by a daemon that ends.
                await anyio.sleep(EXHAUSTED_SECONDS)

    async def keep(self) -> None:
        """Make socket and pid file anew whenever somebody has removed the socket file, until cancelled.

        What clears /tmp, or a login's runtime folder at its end, knows nothing of the program that is stopped here, and
        without the file no client finds it again. Where another daemon has taken the place nothing is done.
        """
        complaint = ""
        while True:
            await anyio.sleep(LOOK_SECONDS)
            if self._is_released or _file_identity(self._places.socket) is not None:
                continue
            try:
                await self._renew()
            except OSError as error:
                if str(error) != complaint:
                    complaint = str(error)
                    log.warning("the socket %s is gone and cannot be made anew: %s", self._places.socket, error)

    async def _renew(self) -> None:
        folder = self._places.runtime
        if _file_identity(folder) is None:
            folder.mkdir(PRIVATE_FOLDER)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != self._owner:
            raise PermissionError(errno.EACCES, "its folder is another one now", str(folder))
        async with _alone(self._places):
            if self._is_released or _file_identity(self._places.socket) is not None:
                return
            old, self._socket = self._socket, _listening(self._places)
            self._identity = _file_identity(self._places.socket)
            self._places.pid.write_text(str(os.getpid()), encoding="ascii")
        anyio.notify_closing(old)
        old.close()
        log.warning("the socket %s was removed by somebody, and is made anew", self._places.socket)

    def release(self) -> None:
        """Close the socket and remove both files as far as they are still ours; again is harmless."""
        if self._is_released:
            return
        self._is_released = True
        # While we still listen no other daemon takes the place, so what is removed here is ours.
        if _text(self._places.pid) == str(os.getpid()):
            self._places.pid.unlink(missing_ok=True)
        if _file_identity(self._places.socket) == self._identity:
            self._places.socket.unlink(missing_ok=True)
        anyio.notify_closing(self._socket)
        self._socket.close()


def refuse_if_answering(places: Places) -> None:
    """Raise DaemonUnreachable when a daemon accepts connections on the instance's socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(CONNECT_SECONDS)
        try:
            probe.connect(str(places.socket))
        except TimeoutError:
            pass  # Somebody listens and is too busy to accept.
        except OSError:
            return
    raise DaemonUnreachable(
        f"a daemon already runs for {places.instance}: `lazydap status` shows it, `lazydap shutdown` ends it"
    )


def _listening(places: Places) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.setblocking(False)
        listening.bind(str(places.socket))
        places.socket.chmod(PRIVATE)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


@asynccontextmanager
async def _alone(places: Places) -> AsyncGenerator[None]:
    """Keep two daemons that start at once from removing each other's socket."""
    folder = os.open(places.runtime, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with anyio.move_on_after(LOCK_SECONDS):
            while not _locked(folder):  # noqa: ASYNC110  # no event tells of another process's lock
                await anyio.sleep(LOCK_POLL_SECONDS)
        # Not obtained: whoever has it is stuck, and refusing to start for that would help nobody.
        yield
    finally:
        os.close(folder)


def _locked(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _file_identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
