"""Owns `logs`: reading, following and deleting the daemon's log, without a daemon."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from lazydap_cli import streams
from lazydap_cli.call import Call
from lazydap_cli.failure import CommandFailed
from lazydap_cli.formats import compact
from lazydap_cli.results import Listing, Single
from lazydap_cli.table import shown
from lazydap_core.errors import UsageError

DEFAULT_LIMIT: Final = 200
FOLLOWABLE: Final = ("table", "jsonl")
POLL_MILLISECONDS: Final = 200
LONGEST_LINE: Final = 2**20
"""Bytes; what is longer is shown in pieces, so that no log can fill the memory."""

Filter = Callable[[str], bool]


def run(call: Call) -> Listing | Single | None:
    """Show the last lines; with `--follow` go on until interrupted or unread; with `--purge` delete the log."""
    if call.given("purge"):
        return _purged(call.places.log)
    keep = _filter(call.given("level"))
    limit = DEFAULT_LIMIT if call.given("limit") is None else call.given("limit")
    if call.given("follow"):
        _Follower(call.places.log, keep, _line_writer(call)).follow(limit)
        return None
    path = call.places.log
    log = _opened(path)
    lines: list[str] = []
    if log is not None:
        with log:
            lines = _last(_complete_lines(log, final=True), keep, limit)
    return Listing(
        {"lines": lines},
        [{"line": line} for line in lines],
        lines,
        ("line",),
        [(line,) for line in lines],
        None if lines else f"no such lines in {path}" if log is not None else f"there is no log yet: {path}",
        whole=True,
    )


def _purged(path: Path) -> Single:
    try:
        path.unlink()
        purged = True
    except FileNotFoundError:
        purged = False
    except OSError as error:
        raise CommandFailed(f"{path} cannot be deleted: {error.strerror}") from error
    return Single({"log": str(path), "purged": purged}, [("log", path), ("purged", purged)])


def _filter(word: str | None) -> Filter:
    if word is None:
        return lambda _line: True
    wanted = word.casefold()
    return lambda line: wanted in line.casefold()


def _line_writer(call: Call) -> Callable[[str], bool]:
    # Nobody chose a format, and the default one away from a terminal is a whole document: then lines of JSON.
    chosen = call.format if call.at_a_terminal or call.invocation.format else "jsonl"
    if chosen == "table":
        return lambda line: streams.write_out(shown(line) + "\n")
    if chosen == "jsonl":
        return lambda line: streams.write_out(compact({"line": line}) + "\n")
    raise UsageError(
        f"`--follow` prints lines as they come, `--format {chosen}` cannot: use {' or '.join(FOLLOWABLE)}",
        format=chosen,
    )


class _Follower:
    """Prints lines as they are appended, through the log's deletion and its coming back."""

    def __init__(self, path: Path, keep: Filter, write: Callable[[str], bool]) -> None:
        self._path = path
        self._keep = keep
        self._write = write
        self._log: BinaryIO | None = None

    def follow(self, limit: int) -> None:
        """Print the last `limit` lines, then every new one, until nobody reads any more."""
        self._log = _opened(self._path)
        page = [] if self._log is None else _last(_complete_lines(self._log, final=False), self._keep, limit)
        going = all(map(self._write, page))
        while going and not streams.reader_left_within(POLL_MILLISECONDS):
            going = all(map(self._write, filter(self._keep, self._new_lines())))

    def _new_lines(self) -> Iterator[str]:
        if self._log is not None:
            yield from _complete_lines(self._log, final=False)
        if self._log is None or _was_replaced(self._log, self._path):
            fresh = _opened(self._path)
            if fresh is not None:
                if self._log is not None:
                    self._log.close()
                self._log = fresh
                yield from _complete_lines(fresh, final=False)


def _opened(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CommandFailed(f"{path} cannot be read: {error.strerror}") from error


def _was_replaced(log: BinaryIO, path: Path) -> bool:
    held = os.fstat(log.fileno())
    if held.st_size < log.tell():
        return True  # Emptied in place: begin again at the top.
    try:
        found = path.stat()
    except OSError:
        return False
    return (found.st_dev, found.st_ino) != (held.st_dev, held.st_ino)


def _complete_lines(log: BinaryIO, *, final: bool) -> Iterator[str]:
    """The lines from here on; one that is still being written is left for later, or given as it is when `final`."""
    while line := log.readline(LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) < LONGEST_LINE and not final:
            log.seek(-len(line), os.SEEK_CUR)
            return
        yield line.rstrip(b"\r\n").decode("utf-8", "backslashreplace")


def _last(lines: Iterable[str], keep: Filter, limit: int) -> list[str]:
    return list(deque(filter(keep, lines), maxlen=min(limit, sys.maxsize)))
