"""Owns putting a text into a file so that a crash leaves the old text or the new one; knows nothing of its content."""

import fcntl
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final

import anyio

TEMPORARY_LIFETIME: Final = 3600.0
"""Seconds after which a temporary file is taken for the remains of a daemon that died while writing."""
LOCK_SECONDS: Final = 1.0
LOCK_POLL_SECONDS: Final = 0.001
"""Short beside a write, so that of two daemons that write without a pause neither is left out."""


class ChangedMeanwhileError(Exception):
    """The file no longer holds the text that the new one was made from."""


def read_text(path: Path) -> str | None:
    """The text of the file without byte order mark, None where there is no file.

    Raises OSError and UnicodeDecodeError.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None


@asynccontextmanager
async def alone_in(folder: Path) -> AsyncGenerator[None]:
    """Keep other daemons of the project from writing into `folder` meanwhile; it is made where it is missing.

    Raises OSError. A daemon that holds it for longer than `LOCK_SECONDS` is stuck, and is not waited for.
    """
    descriptor = _opened(folder)
    try:
        with anyio.move_on_after(LOCK_SECONDS):
            while not _locked(descriptor):  # noqa: ASYNC110  # no event tells of another process's lock
                await anyio.sleep(LOCK_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _opened(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: the look at the file right before it is replaced has to do.
        return True
    return True


def replace_text(path: Path, text: str, *, expected: str | None) -> None:
    """Put `text` into `path`, through a temporary file beside it, and make both file and folder durable.

    Raises ChangedMeanwhileError when the file does not hold `expected` any more, and OSError; in both cases the file
    is as it was and no temporary file remains.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    # Two containers on one folder may both have this pid.
    temporary = path.with_name(f"{path.name}.tmp.{os.getpid()}.{token_hex(4)}")
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _write_durably(temporary, text)
        _require(path, expected)
        temporary.replace(path)
        os.fsync(folder)
    finally:
        os.close(folder)
        temporary.unlink(missing_ok=True)


def _write_durably(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _require(path: Path, expected: str | None) -> None:
    if read_text(path) != expected:
        raise ChangedMeanwhileError(f"{path} was written by somebody else meanwhile")


def _sweep(path: Path) -> None:
    oldest = time.time() - TEMPORARY_LIFETIME
    for remains in path.parent.glob(f"{path.name}.tmp.*"):
        try:
            if remains.lstat().st_mtime < oldest:
                remains.unlink()
        except FileNotFoundError:
            continue
