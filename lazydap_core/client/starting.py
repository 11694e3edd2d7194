"""Owns starting a project's daemon when none answers, once however many ask; knows no request but the greeting."""

import os
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from lazydap_core.errors import DaemonUnreachable, ReplyTimedOut
from lazydap_core.paths import Places

if TYPE_CHECKING:
    from subprocess import Popen

    from lazydap_core.client.blocking import BlockingClient

START_SECONDS: Final = 10.0
"""How long a caller waits for somebody else's start, and how long its own may take."""
STALE_SECONDS: Final = 30.0
"""A lock older than this was left behind by a program that died."""
FIRST_PAUSE: Final = 0.002
LONGEST_PAUSE: Final = 0.01
STOP_SECONDS: Final = 1.0
RENEW_SECONDS: Final = 3.0
"""How long a daemon may take that runs and has lost its socket file, until it has made that anew."""
LOG_TAIL_BYTES: Final = 65536

UNWANTED_VARIABLES: Final = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
"""Adapters inherit the daemon's environment, and lldb embeds a Python of its own."""


class _LogRecord(msgspec.Struct):
    message: str


def daemon_start_file() -> Path:
    """The file that an interpreter is given to run the daemon, in a checkout or beside this package in a wheel.

    Raises DaemonUnreachable when neither is there.
    """
    base = Path(__file__).resolve().parents[2]
    candidates = (base / "daemon" / "lazydap_daemon" / "start.py", base / "lazydap_daemon" / "start.py")
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise DaemonUnreachable(f"lazydap's daemon is missing from {base}: install lazydap again")


def ensure_daemon(
    places: Places, environ: Mapping[str, str], *, start_file: Path | None = None, called: str | None = None
) -> "BlockingClient":
    """A greeted connection to the project's daemon, which is started when nobody listens on its socket.

    `called` is what this process calls itself to it. A daemon that is there is never replaced: one of a version that is
    not spoken here raises VersionMismatch, one that does not answer raises ReplyTimedOut. A start that fails raises
    DaemonUnreachable with the daemon's own last word and the path of its log. Takes at most twice `START_SECONDS`;
    nothing that was started is left behind by a failure.
    """
    deadline = time.monotonic() + START_SECONDS
    for pause in _pauses():
        if client := _answering(places, deadline, called):
            return client
        with _spawn_lock(places) as taken:
            if taken:
                return _start(places, environ, start_file or daemon_start_file(), called)
        if time.monotonic() > deadline:
            raise DaemonUnreachable(
                f"another program has tried to start the daemon for {START_SECONDS:.0f} s: see {places.log}",
                log=str(places.log),
            )
        time.sleep(pause)  # noqa: TID251  # this is the poll, and it has a deadline
    raise AssertionError


def _pauses() -> Iterator[float]:
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(LONGEST_PAUSE, pause * 1.5)


def _answering(places: Places, deadline: float, called: str | None) -> "BlockingClient | None":
    """A connection, or None when nobody listens or the one who did is just going away."""
    if not places.socket.exists():
        return None
    # Only where there is somebody to talk to: in a first command the protocol is read while the daemon starts.
    from lazydap_core.client.blocking import BlockingClient  # noqa: PLC0415

    try:
        return BlockingClient.connect(places.socket, max(0.1, deadline - time.monotonic()), called=called)
    except ReplyTimedOut as error:
        raise ReplyTimedOut(
            f"a daemon listens on {places.socket} and does not answer: see {places.log}, end process"
            f" {_recorded_pid(places)} if it hangs",
            log=str(places.log),
        ) from error
    except DaemonUnreachable:
        return None


def _recorded_pid(places: Places) -> str:
    try:
        return places.pid.read_text().strip()
    except OSError:
        return "(unknown)"


@contextmanager
def _spawn_lock(places: Places) -> Generator[bool]:
    """Whether the lock is ours until the end of the block; the file is the lock."""
    try:
        identity = _take_lock(places)
    except OSError as error:
        raise DaemonUnreachable(
            f"the lock {places.lock} cannot be taken ({error.strerror}): is the folder writable?", log=str(places.log)
        ) from error
    try:
        yield identity is not None
    finally:
        # Only our own: we may have been stopped for so long that somebody took it from us.
        if identity is not None and _identity(places.lock) == identity:
            places.lock.unlink(missing_ok=True)


def _take_lock(places: Places) -> tuple[int, int] | None:
    try:
        return _create_lock(places.lock)
    except FileExistsError:
        pass
    if not _steal(places):
        return None
    try:
        return _create_lock(places.lock)
    except FileExistsError:
        return None


def _create_lock(lock: Path) -> tuple[int, int]:
    descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    try:
        made = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    return made.st_dev, made.st_ino


def _steal(places: Places) -> bool:
    """Move a stale lock out of the way; False when it is alive, or somebody else is moving it."""
    import fcntl  # noqa: PLC0415  # only where a lock was in the way

    try:
        with places.lock.open("rb") as held:
            # Two that see the same stale lock: the slower one would move away the new lock of the faster.
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            seen = os.fstat(held.fileno())
            if time.time() - seen.st_mtime <= STALE_SECONDS or _identity(places.lock) != (seen.st_dev, seen.st_ino):
                return False
            stolen = places.stolen_lock(os.getpid())
            places.lock.rename(stolen)
            stolen.unlink()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _start(places: Places, environ: Mapping[str, str], start_file: Path, called: str | None) -> "BlockingClient":
    """Start the daemon and wait until it answers; the lock is ours."""
    deadline = time.monotonic() + START_SECONDS
    left_behind = _identity(places.socket)
    if client := _answering(places, deadline, called) or _come_back(places, deadline, called):
        return client
    if left_behind is not None and _identity(places.socket) == left_behind and _nobody_listens(places.socket):
        places.socket.unlink(missing_ok=True)
    log = _opened_log(places)
    with suppress(OSError):
        # One that cannot be noted is only not compared with others.
        places.note_name()
    try:
        log_start = os.fstat(log).st_size
        child = _spawned(places, environ, start_file, log)
    finally:
        os.close(log)
    try:
        # It takes as long as a good part of the start that is waited for.
        import lazydap_core.client.blocking  # noqa: F401, PLC0415  # pyright: ignore[reportUnusedImport]

        client = _ready(places, child, log_start, deadline, called)
    except BaseException:
        _stop(child)
        raise
    _reap_when_it_ends(child)
    return client


def _come_back(places: Places, deadline: float, called: str | None) -> "BlockingClient | None":
    """A connection to a daemon that runs though its socket file was removed; None when there is none."""
    wait_until = time.monotonic() + RENEW_SECONDS
    for pause in _pauses():
        if places.socket.exists():
            return _answering(places, deadline, called)
        if not _is_recorded_running(places) or time.monotonic() > wait_until:
            return None
        time.sleep(pause)  # noqa: TID251  # this is the poll, and it has a deadline
    raise AssertionError


def _is_recorded_running(places: Places) -> bool:
    import psutil  # noqa: PLC0415  # only where a daemon has left its number and no socket

    try:
        words = psutil.Process(int(_recorded_pid(places))).cmdline()
    except (ValueError, OverflowError, psutil.Error):
        return False
    # The number may be another program's by now.
    return words[-2:] == ["--instance", places.instance]


def _nobody_listens(socket_path: Path) -> bool:
    import socket  # noqa: PLC0415  # only where a socket was left behind

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(STOP_SECONDS)
        try:
            probe.connect(str(socket_path))
        except (ConnectionRefusedError, FileNotFoundError):
            return True
        except OSError:
            return False
        return False


def _opened_log(places: Places) -> int:
    try:
        log = os.open(places.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DaemonUnreachable(f"the daemon's log {places.log} cannot be opened ({error.strerror})") from error
    with suppress(OSError):
        os.fchmod(log, 0o600)
    return log


def _spawned(places: Places, environ: Mapping[str, str], start_file: Path, log: int) -> "Popen[bytes]":
    import subprocess  # noqa: PLC0415  # 8 ms that a command with a running daemon need not pay

    command = [sys.executable, "-E", str(start_file), "--instance", places.instance]
    try:
        return subprocess.Popen(  # noqa: S603  # our own interpreter and file
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=places.root,
            env=daemon_environment(places, environ),
            start_new_session=True,
        )
    except OSError as error:
        raise DaemonUnreachable(f"the daemon cannot be started in {places.root} ({error})") from error


def daemon_environment(places: Places, environ: Mapping[str, str]) -> dict[str, str]:
    """What a daemon started from `environ` gets: without `UNWANTED_VARIABLES`, its private folders named in full."""
    environment = {name: value for name, value in environ.items() if name not in UNWANTED_VARIABLES}
    # The daemon stands in the project's root, so a relative folder would be another one for it.
    for name, folder in (("LAZYDAP_RUNTIME_DIR", places.runtime), ("LAZYDAP_DATA_DIR", places.data)):
        if environment.get(name):
            environment[name] = str(folder)
    return environment


def _ready(
    places: Places, child: "Popen[bytes]", log_start: int, deadline: float, called: str | None = None
) -> "BlockingClient":
    for pause in _pauses():
        # Asked before connecting: a daemon that found another one there has ended, and that one answers.
        code = child.poll()
        if client := _answering(places, deadline, called):
            return client
        if code is not None:
            raise DaemonUnreachable(
                f"the daemon ended while it started: {_last_word(places.log, log_start) or f'exit code {code}'}"
                f" (log: {places.log})",
                log=str(places.log),
            )
        if time.monotonic() > deadline:
            raise DaemonUnreachable(
                f"the daemon did not come up within {START_SECONDS:.0f} s: see {places.log}", log=str(places.log)
            )
        time.sleep(pause)  # noqa: TID251  # this is the poll, and it has a deadline
    raise AssertionError


def _last_word(log: Path, start: int) -> str | None:
    """The last line that is not blank in what was written behind `start`; of a JSON object its message."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(start, size - LOG_TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    line = next((line.strip() for line in reversed(lines) if line.strip()), None)
    if line is None or not line.startswith("{"):
        return line
    try:
        return msgspec.json.decode(line, type=_LogRecord).message
    except msgspec.DecodeError:
        return line


def _stop(child: "Popen[bytes]") -> None:
    from subprocess import TimeoutExpired  # noqa: PLC0415  # loaded when `child` was started

    child.terminate()
    try:
        with suppress(TimeoutExpired):
            child.wait(STOP_SECONDS)
    finally:
        # Also when a second interrupt comes while we wait; does nothing to a process that has ended.
        child.kill()
        child.wait()


def _reap_when_it_ends(child: "Popen[bytes]") -> None:
    import threading  # noqa: PLC0415  # loaded by subprocess

    # A plugin host outlives the daemon it started; nobody else would collect its exit code.
    threading.Thread(target=child.wait, name="daemon reaper", daemon=True).start()
