"""Owns putting a text into a file so that a crash leaves the old text or the new one; knows nothing of its content."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final

TEMPORARY_LIFETIME: Final = 3600.0
"""Seconds after which a temporary file is taken for the remains of a daemon that died while writing."""


class ChangedMeanwhileError(Exception):
    """The file no longer holds the text that the new one was made from, or is about to change."""


def read_text(path: Path) -> str | None:
    """The text of the file without byte order mark, None where there is no file.

    Raises OSError and UnicodeDecodeError.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None


def replace_text(path: Path, text: str, *, expected: str | None) -> None:
    """Put `text` into `path`, through a temporary file beside it, and make both file and folder durable.

    Raises ChangedMeanwhileError when the file does not hold `expected` any more, or another daemon is just putting its
    own there, and OSError; in both cases the file is as it was and no temporary file remains.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    # Two containers on one folder may both have this pid.
    temporary = path.with_name(f"{path.name}.tmp.{os.getpid()}.{token_hex(4)}")
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _write_durably(temporary, text)
        with _alone(folder):
            _require(path, expected)
            temporary.replace(path)
        os.fsync(folder)
    finally:
        os.close(folder)
        temporary.unlink(missing_ok=True)


@contextmanager
def _alone(folder: int) -> Generator[None]:
    """Keep other daemons of this project from replacing the file between our look at it and our own replacing."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ChangedMeanwhileError("another daemon is writing it") from error
    except OSError:
        # A file system without locks.
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


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
