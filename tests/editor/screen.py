"""Owns a terminal in memory: runs any program on a pseudo terminal and knows what a person would see."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte

_EXIT_SECONDS = 5.0
_BASIC = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")


class Terminal:
    """A program that runs on a pseudo terminal of `columns` by `lines` cells.

    A thread of its own reads what the program writes, so the program never waits for a reader. `close` ends the program
    if it still runs.
    """

    def __init__(
        self, argv: Sequence[str], *, environ: Mapping[str, str], cwd: Path, columns: int = 80, lines: int = 24
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream: Any = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(
            list(argv),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env={**environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def rows(self) -> list[str]:
        """The screen as lines of text, blanks at their ends removed."""
        with self._lock:
            return [row.rstrip() for row in self._screen.display]

    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.rows())

    def colored(self) -> str:
        """The screen with its colours, as a text that a terminal can print."""
        with self._lock:
            buffer: Any = self._screen.buffer
            return "\n".join(
                _colored_row([buffer[line][column] for column in range(self._screen.columns)])
                for line in range(self._screen.lines)
            )

    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor, counted from 1."""
        with self._lock:
            return self._screen.cursor.y + 1, self._screen.cursor.x + 1

    def press(self, keys: str) -> None:
        """Type `keys` as they are: `\\x1b` is Escape."""
        os.write(self._master, keys.encode())

    def close(self) -> None:
        """End the program and free the terminal."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(_EXIT_SECONDS)
        self._reader.join(_EXIT_SECONDS)
        os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # Linux says so when nobody holds the other end any more
                return
            if not data:
                return
            with self._lock:
                self._stream.feed(data)


def _colored_row(cells: list[Any]) -> str:
    text, last = "", ""
    while cells and cells[-1].data == " " and cells[-1].bg == "default" and not cells[-1].reverse:
        cells.pop()
    for cell in cells:
        look = _look(cell)
        if look != last:
            text += f"\x1b[0{look}m"
            last = look
        text += cell.data
    return f"{text}\x1b[0m" if last else text


def _look(cell: Any) -> str:
    flags = ((cell.bold, ";1"), (cell.italics, ";3"), (cell.underscore, ";4"), (cell.reverse, ";7"))
    return "".join(code for is_on, code in flags if is_on) + _color(cell.fg, 30) + _color(cell.bg, 40)


def _color(name: str, base: int) -> str:
    if name == "default":
        return ""
    if name in _BASIC:
        return f";{base + _BASIC.index(name)}"
    if name.startswith("bright") and name.removeprefix("bright") in _BASIC:
        return f";{base + 60 + _BASIC.index(name.removeprefix('bright'))}"
    red, green, blue = (int(name[at : at + 2], 16) for at in (0, 2, 4))
    return f";{base + 8};2;{red};{green};{blue}"
