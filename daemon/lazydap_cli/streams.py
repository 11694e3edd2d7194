"""Owns writing to standard output and standard error; knows nothing of what is written.

A reader that went away is no failure: a command then ends quietly, with its own exit code. Everything is UTF-8,
whatever the locale says, because the JSON is a contract; what no UTF-8 can hold (an undecodable file name) is written
escaped.
"""

import errno
import os
import select

STDIN = 0
STDOUT = 1
STDERR = 2

_NOBODY_READS = frozenset({errno.EPIPE, errno.EBADF})


def write_out(text: str) -> bool:
    """Write to standard output; False when nobody reads it any more. Raises OSError for a full disk and the like."""
    return _write(STDOUT, text)


def write_bytes(data: bytes) -> bool:
    """Write to standard output what is no text of ours; False when nobody reads it any more. Raises OSError."""
    return _write_bytes(STDOUT, data)


def write_err(text: str) -> bool:
    """Write to standard error; False when it cannot be written, for which there is no better place to say so."""
    try:
        return _write(STDERR, text)
    except OSError:
        return False


def is_terminal(descriptor: int) -> bool:
    """Whether a person sits at `descriptor`; a closed one is no terminal."""
    return os.isatty(descriptor)


def reader_left_within(milliseconds: int) -> bool:
    """Wait that long, or shorter when the reader of standard output goes away, which is what is returned."""
    watcher = select.poll()
    watcher.register(STDOUT, 0)  # No interest but in what poll always reports: hang-up, error, closed.
    return any(events & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, events in watcher.poll(milliseconds))


def _write(descriptor: int, text: str) -> bool:
    return _write_bytes(descriptor, text.encode("utf-8", "backslashreplace"))


def _write_bytes(descriptor: int, data: bytes) -> bool:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])  # Somebody made the terminal or pipe non-blocking: wait for room.
        except OSError as error:
            if error.errno in _NOBODY_READS:
                return False
            raise
    return True
