"""Owns the last step before a program that is started on a terminal: it makes the terminal the program's own.

Run as `python -E -S -P foreground.py PROGRAM ARGS` by a process that leads a new session, the terminal as its standard
input. A session gets its controlling terminal only from within, and code of ours between fork and exec of a daemon with
threads may hang (doc/decisions.md, "Terminals").
"""

import fcntl
import os
import signal
import sys
import termios

NOT_STARTED = 127
"""Exit status where the program cannot be started, as shells have it."""


def main() -> int:
    """Becomes the program; returns only where that fails, after a line on the terminal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # Python ignores these, and a program would inherit that.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    program, *arguments = sys.argv[1:]
    try:
        os.execvp(program, [program, *arguments])  # noqa: S606 - becoming another program is the purpose
    except OSError as error:
        sys.stderr.write(f"{program} could not be started: {error.strerror}\r\n")
    return NOT_STARTED


if __name__ == "__main__":
    sys.exit(main())
