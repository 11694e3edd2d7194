"""Owns the descriptors of one pseudo terminal; carries bytes, and knows neither who types nor who looks."""

import asyncio
import fcntl
import os
import signal
import struct
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Final

CHUNK: Final = 65536
"""Bytes read at once; the event loop gets its turn after each."""

MAX_UNREAD: Final = 65536
"""Bytes of input that may wait for a program that does not read."""

MAX_LAST: Final = 4 * 2**20
"""Bytes that are read at the end at most, so that a process that goes on writing cannot hold it up."""

COLUMNS, ROWS = 80, 24
"""The size of a terminal that nobody has looked at yet."""

WORDS: Final = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
"""What a program is told about its terminal: what Neovim's and every other usual one understand."""

_FOREGROUND: Final = str(Path(__file__).with_name("foreground.py"))
# The same on Linux and macOS; the library has no name for it yet.
_UTF8_INPUT: Final = 0x4000
_SIGNALS: Final = {termios.VINTR: signal.SIGINT, termios.VQUIT: signal.SIGQUIT, termios.VSUSP: signal.SIGTSTP}


def on_terminal(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command that runs `command` with its standard input as its controlling terminal, in a new session."""
    return (sys.executable, "-E", "-S", "-P", _FOREGROUND, *command)


def terminal_environment(environment: dict[str, str]) -> dict[str, str]:
    """`environment` as it is right on a terminal of ours, whose size is asked for and not inherited."""
    kept = {name: value for name, value in environment.items() if name not in {"COLUMNS", "LINES"}}
    return kept | WORDS


class Pty:
    """A pseudo terminal: `slave` is the program's side, with the name `path`.

    What the program writes is taken at once and handed to `on_output`, whoever looks; so it never waits. The slave is
    kept open, so that a program may close and open it; `hung_up` is set once it is closed, or when after `let_go`
    nobody has it open any more. Raises OSError where the system has no terminal left.
    """

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self._master, self.slave = os.openpty()
        self.path = os.ttyname(self.slave)
        self.on_output: Callable[[bytes], None] = _forget
        self.hung_up = asyncio.Event()
        self._unread = bytearray()
        self._is_reading = False
        self._has_slave = self._has_master = True
        os.set_blocking(self._master, False)
        self._understand_utf8()
        self.columns, self.rows = 0, 0
        self.resize(columns, rows)

    def _understand_utf8(self) -> None:
        """Let a deleted character be a whole one."""
        settings = termios.tcgetattr(self.slave)
        settings[0] |= _UTF8_INPUT
        termios.tcsetattr(self.slave, termios.TCSANOW, settings)

    def start(self) -> None:
        """Read from now on, within the event loop."""
        asyncio.get_running_loop().add_reader(self._master, self._read)
        self._is_reading = True

    def resize(self, columns: int, rows: int) -> None:
        """Set the size. The program is told also where it has not changed, so that it draws its screen anew."""
        changed = (columns, rows) != (self.columns, self.rows)
        self.columns, self.rows = columns, rows
        if not self._has_master:
            return
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        group = self.foreground_group
        if group and not changed:
            try:
                os.killpg(group, signal.SIGWINCH)
            except OSError:
                # It has just ended.
                return

    @property
    def foreground_group(self) -> int:
        """The process group that the terminal's keys go to; 0 where it is nobody's controlling terminal."""
        try:
            return os.tcgetpgrp(self._master) if self._has_master else 0
        except OSError:
            return 0

    def signals(self, data: bytes) -> list[signal.Signals]:
        """The signals that the keys in `data` stand for, as the program has set up its terminal."""
        settings = termios.tcgetattr(self._master)
        keys = settings[6]
        if not settings[3] & termios.ISIG:
            return []
        return [number for key, number in _SIGNALS.items() if keys[key] in data and keys[key] != b"\0"]

    def write(self, data: bytes) -> bool:
        """Type `data`; False, and nothing typed, where the program has left too much unread already."""
        if not self._has_master or len(self._unread) + len(data) > MAX_UNREAD:
            return False
        if not self._unread:
            data = data[self._write_some(data) :]
        if data:
            if not self._unread:
                asyncio.get_running_loop().add_writer(self._master, self._write_more)
            self._unread += data
        return True

    def catch_up(self) -> None:
        """Take everything that the program has written so far."""
        taken = 0
        while self._is_reading and taken < MAX_LAST:
            count = self._read()
            if not count:
                return
            taken += count

    def let_go(self) -> None:
        """Close the program's side of ours: the terminal hangs up with the last process that has it."""
        if self._has_slave:
            self._has_slave = False
            os.close(self.slave)

    def close(self) -> None:
        """Take what is left, and close; whoever still has the terminal finds it hung up. May be called again."""
        self.catch_up()
        self._stop_reading()
        self.let_go()
        if self._has_master:
            self._drop_input()
            self._has_master = False
            os.close(self._master)
        self.hung_up.set()

    def _read(self) -> int:
        """Hand on what there is, and tell how many bytes that were."""
        try:
            data = os.read(self._master, CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if data:
            self.on_output(data)
        else:
            # Nobody has the other side any more.
            self._stop_reading()
            self.hung_up.set()
        return len(data)

    def _stop_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            asyncio.get_running_loop().remove_reader(self._master)

    def _write_some(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)

    def _write_more(self) -> None:
        del self._unread[: self._write_some(self._unread)]
        if not self._unread:
            asyncio.get_running_loop().remove_writer(self._master)

    def _drop_input(self) -> None:
        if self._unread:
            self._unread.clear()
            asyncio.get_running_loop().remove_writer(self._master)


def _forget(data: bytes) -> None:
    del data
