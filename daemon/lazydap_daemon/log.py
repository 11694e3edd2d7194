"""Owns the daemon's log: the form of a record, which records are kept, and the size of the file; knows no caller.

The log file is the standard error that the daemon was started with. Rotating it means to put a new file under that
descriptor, because nobody else could reopen it (doc/architecture.md, "Log").
"""

import json
import logging
import os
import re
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

LARGEST_LOG: Final = 10 * 2**20
"""Bytes; beyond, the file becomes the one old file `<name>.1`."""
CHECK_SECONDS: Final = 1.0
CHECK_BYTES: Final = 64 * 1024
"""The file is looked at when so much time has passed or so much was written since the last look."""

TRACE: Final = 5
OFF: Final = logging.CRITICAL + 10
STANDARD_OUTPUT: Final = 1
STANDARD_ERROR: Final = 2

_LEVELS: Final[dict[str, int]] = {
    "off": OFF,
    "error": logging.ERROR,
    "warn": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": TRACE,
}
_NUMBERED: Final = tuple(_LEVELS)
_DIRECTIVE: Final = re.compile(r"(?:(?P<target>[\w.:-]+)=)?(?P<level>\w+)", re.ASCII)
_TARGET: Final = re.compile(r"[A-Za-z_][\w.:-]*", re.ASCII)


def start_log(path: Path, environ: Mapping[str, str]) -> None:
    """Send every record to standard error, which is rotated as long as it is the file at `path`.

    `LAZYDAP_LOG`, else `RUST_LOG`, chooses what is kept; the default is `info`.
    """
    logging.addLevelName(TRACE, "TRACE")
    logging.addLevelName(logging.WARNING, "WARN")
    handler = _RotatedError(path)
    handler.setFormatter(_Format())
    root = logging.getLogger()
    root.handlers = [handler]
    for target, level in levels(environ.get("LAZYDAP_LOG") or environ.get("RUST_LOG") or "").items():
        logging.getLogger(target or None).setLevel(level)


def levels(text: str) -> dict[str, int]:
    """The level of each target in a filter such as `warn,dap.recv.event=debug`; the key "" is for all others.

    A text that cannot be read, or is empty, gives the default. Without a level for all others these keep errors only.
    """
    default = {"": logging.INFO}
    found: dict[str, int] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        directive = _DIRECTIVE.fullmatch(word)
        level = _level(directive["level"]) if directive else None
        if directive and level is not None:
            found[directive["target"] or ""] = level
        elif _TARGET.fullmatch(word):
            found[word] = TRACE
        else:
            return default
    return {"": logging.ERROR, **found} if found else default


def _level(word: str) -> int | None:
    if word.isdecimal():
        number = int(word)
        return _LEVELS[_NUMBERED[number]] if number < len(_NUMBERED) else None
    return _LEVELS.get(word.lower())


class _Format(logging.Formatter):
    """`2030-01-02T03:04:05.678901Z  INFO daemon.ipc: message key=value`, one line a record, a traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        fields = cast("Mapping[str, Any]", getattr(record, "fields", {}))
        pairs = "".join(f" {key}={_shown(value)}" for key, value in fields.items())
        line = f"{moment} {record.levelname:>5} {record.name}: {message}{pairs}"
        if record.exc_info:
            line = f"{line}\n{self.formatException(record.exc_info)}"
        return line


def _shown(value: Any) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if not text or re.search(r"[\s\"=]", text) else text


class _RotatedError(logging.Handler):
    """Writes to standard error; keeps the log file below its bound, and there when somebody has removed it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._file = _identity(STANDARD_ERROR)
        # Somebody who reads along in a terminal, or collects our output, keeps what he has.
        self._is_ours = self._file is not None and self._file == _identity(path)
        self._next_look = time.monotonic()
        self._unlooked = 0

    def emit(self, record: logging.LogRecord) -> None:
        data = f"{self.format(record)}\n".encode(errors="backslashreplace")
        try:
            self._look(len(data))
            while data:
                data = data[os.write(STANDARD_ERROR, data) :]
        except OSError:
            # A full disk, or nobody who reads: there is no place left to say so.
            return

    def _look(self, size: int) -> None:
        now = time.monotonic()
        self._unlooked += size
        if not self._is_ours or (now < self._next_look and self._unlooked < CHECK_BYTES):
            return
        self._next_look, self._unlooked = now + CHECK_SECONDS, 0
        if _identity(self._path) != self._file:
            self._reopen()
        elif os.fstat(STANDARD_ERROR).st_size >= LARGEST_LOG:
            self._path.replace(self._path.with_name(f"{self._path.name}.1"))
            self._reopen()

    def _reopen(self) -> None:
        fresh = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for descriptor in (STANDARD_OUTPUT, STANDARD_ERROR):
            if _identity(descriptor) == self._file:
                os.dup2(fresh, descriptor)
        os.close(fresh)
        self._file = _identity(STANDARD_ERROR)


def _identity(file: int | Path) -> tuple[int, int] | None:
    try:
        found = os.fstat(file) if isinstance(file, int) else file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def complain(code: str, message: str, details: Mapping[str, Any]) -> None:
    """Say on standard error why the daemon ends: one JSON object a client can quote, in a terminal one sentence."""
    if sys.stderr.isatty():
        text = f"error: {message}"
    else:
        text = json.dumps(
            {"details": dict(details), "error": code, "message": message}, ensure_ascii=False, default=str
        )
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
