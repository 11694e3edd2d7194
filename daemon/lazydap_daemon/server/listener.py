"""Owns the daemon's socket file, pid file and the right to both; knows no client."""

import errno
import fcntl
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import anyio

from lazydap_core.errors import DaemonUnreachable
from lazydap_core.paths import Places

BACKLOG: Final = 128
CONNECT_SECONDS: Final = 1.0
LOCK_SECONDS: Final = 3.0
LOCK_POLL_SECONDS: Final = 0.01
EXHAUSTED_SECONDS: Final = 0.5
"""How long accepting pauses when the process has no descriptor left."""
PRIVATE: Final = 0o600

_EXHAUSTED: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))


class Listener:
    """The bound socket of one instance; made by `bound`, given back by `release`."""

    def __init__(self, places: Places, listening: socket.socket) -> None:
        self._places = places
        self._socket = listening
        self._identity = _file_identity(places.socket)
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
            await anyio.wait_readable(self._socket)
            try:
                return self._socket.accept()[0]
            except (BlockingIOError, ConnectionAbortedError):
                continue
            except OSError as error:
                if error.errno not in _EXHAUSTED:
                    raise
                # The clients that hold the descriptors may leave; nobody is served better by a daemon that ends.
                await anyio.sleep(EXHAUSTED_SECONDS)

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
