"""Owns the program's output as lines: colours, carriage returns and a bound on everything; knows no daemon."""

import re
from typing import Final

from lazydap_nvim.model import Known

MOST_LINES: Final = 10_000
DROPPED_AT_ONCE: Final = 1_000
LONGEST_LINE: Final = 4_096
"""Characters of one line that are kept; what stands behind them is counted."""
LONGEST_ESCAPE: Final = 256
TAB: Final = 8

Span = tuple[int, int, str]


class Line(Known, frozen=True, array_like=True):
    """One line, and the styles of its parts by bytes."""

    text: str
    spans: tuple[Span, ...]


class Change(Known, frozen=True, kw_only=True):
    """What brings a copy of the tape up to date: drop lines from the top, then replace all from `first` on.

    `lost` is how many lines have been dropped in all.
    """

    drop: int
    first: int
    lines: tuple[Line, ...]
    lost: int


_ESCAPE: Final = re.compile(
    r"\x1b(?:"
    r"\[(?P<numbers>[0-?]*)[ -/]*(?P<final>[@-~])"
    r"|[\]PX^_].*?(?:\x07|\x1b\\)"
    r"|[ -/]*[0-Z\\^-~]"
    r")",
    re.DOTALL,
)
_PLAIN: Final = re.compile(r"[^\x00-\x1f\x7f]+")


def without_escapes(text: str) -> str:
    """`text` as a file would have it: colours and whatever else is meant for a terminal removed."""
    return _ESCAPE.sub("", text)


class Tape:
    """Output as a terminal of endless width would show it: at most `most_lines`, the oldest fall out and are counted.

    A text without colours has the style of its stream, `""` for none. `feed` takes whatever arrived, cut anywhere.
    """

    def __init__(self, most_lines: int = MOST_LINES, dropped_at_once: int = DROPPED_AT_ONCE) -> None:
        self._most_lines = most_lines
        self._dropped_at_once = dropped_at_once
        self._done: list[Line] = []
        self._cells: list[tuple[str, str]] = []
        self._column = 0
        self._over = 0
        self._rest = ""
        self._look = _Look()
        self._told = 0
        self._told_drop = 0
        self.lost = 0

    def feed(self, text: str, stream: str = "") -> None:
        """Take further output."""
        text = self._rest + text
        self._rest = ""
        at = 0
        while at < len(text):
            if plain := _PLAIN.match(text, at):
                at = self._take_plain(plain, self._look.style or stream)
            elif text[at] == "\x1b":
                escape = _ESCAPE.match(text, at)
                if escape is None:
                    if len(text) - at <= LONGEST_ESCAPE:
                        self._rest = text[at:]
                        return
                    at += 1
                    continue
                self._obey(escape)
                at = escape.end()
            else:
                self._control(text[at])
                at += 1

    def _take_plain(self, plain: re.Match[str], style: str) -> int:
        at, text = plain.end(), plain.group()
        if not self._cells and not self._column and len(text) <= LONGEST_LINE and plain.string[at : at + 1] == "\n":
            # A whole line, as nearly all are: no need to look at each character.
            self._end(Line(text, ((0, _size(text), style),) if style else ()))
            return at + 1
        self._write(text, style)
        return at

    def _end(self, line: Line) -> None:
        self._done.append(line)
        self._cells, self._column, self._over = [], 0, 0
        if len(self._done) > self._most_lines:
            self._drop(self._dropped_at_once)

    def _write(self, text: str, style: str) -> None:
        room = LONGEST_LINE - self._column
        if len(text) > room:
            self._over += len(text) - max(room, 0)
            text = text[: max(room, 0)]
        cells = self._cells
        if self._column > len(cells):
            cells.extend((" ", "") for _ in range(self._column - len(cells)))
        cells[self._column : self._column + len(text)] = [(character, style) for character in text]
        self._column += len(text)

    def _control(self, character: str) -> None:
        match character:
            case "\n":
                self._end(self._line())
            case "\r":
                self._column = 0
            case "\b":
                self._column = max(0, self._column - 1)
            case "\t":
                self._write(" " * (TAB - self._column % TAB), "")
            case _:
                # A bell, or a byte that a terminal would not show either.
                pass

    def _obey(self, escape: re.Match[str]) -> None:
        numbers = [int(n) if n.isdigit() else 0 for n in re.split("[;:]", escape.group("numbers") or "")]
        match escape.group("final"):
            case "m":
                self._look.change(numbers)
            case "K" if numbers[0] == 0:
                del self._cells[self._column :]
            case "K" if numbers[0] == 2:  # noqa: PLR2004 - the whole line
                self._cells.clear()
            case "G":
                self._column = min(max(numbers[0], 1) - 1, LONGEST_LINE)
            case "C":
                self._column = min(self._column + max(numbers[0], 1), LONGEST_LINE)
            case "D":
                self._column = max(self._column - max(numbers[0], 1), 0)
            case _:
                # What moves on a whole screen means nothing in a list of lines.
                pass

    def _drop(self, count: int) -> None:
        del self._done[:count]
        self.lost += count
        self._told_drop += count

    def _line(self) -> Line:
        text = "".join(character for character, _ in self._cells)
        spans: list[Span] = []
        at = 0
        for character, style in self._cells:
            size = _size(character)
            if style and spans and spans[-1][2] == style and spans[-1][1] == at:
                spans[-1] = (spans[-1][0], at + size, style)
            elif style:
                spans.append((at, at + size, style))
            at += size
        if self._over:
            text += f"… and {self._over} more characters"
        return Line(text, tuple(spans))

    def change(self) -> Change:
        """What is new since this was last asked for."""
        drop = min(self._told_drop, self._told)
        # Lines told as complete never change; the one that was open when they were told is told again.
        first = max(self._told - drop, 0)
        lines = (*self._done[first:], self._line())
        self._told = len(self._done)
        self._told_drop = 0
        return Change(drop=drop, first=first, lines=lines, lost=self.lost)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


class _Look:
    """The colours that hold from here on, as a name for them."""

    def __init__(self) -> None:
        self._flags: dict[str, bool] = {}
        self._colours: dict[str, str] = {}
        self.style = ""

    def change(self, numbers: list[int]) -> None:
        """Take one SGR sequence."""
        rest = list(numbers)
        while rest:
            number = rest.pop(0)
            if number == 0:
                self._flags, self._colours = {}, {}
            elif number in (38, 48):
                self._colour("f" if number == 38 else "b", rest)  # noqa: PLR2004 - of SGR
            elif number in _FLAGS:
                self._flags[_FLAGS[number]] = True
            elif number in _OFF:
                for flag in _OFF[number]:
                    self._flags.pop(flag, None)
            elif number in (39, 49):
                self._colours.pop("f" if number == 39 else "b", None)  # noqa: PLR2004 - of SGR
            else:
                self._basic(number)
        parts = [f"{kind}{colour}" for kind, colour in sorted(self._colours.items())]
        self.style = "_".join([*parts, *sorted(self._flags)])

    def _basic(self, number: int) -> None:
        for first, kind, base in ((30, "f", 0), (40, "b", 0), (90, "f", 8), (100, "b", 8)):
            if first <= number < first + 8:
                self._colours[kind] = str(base + number - first)

    def _colour(self, kind: str, rest: list[int]) -> None:
        match rest[:1]:
            case [5] if len(rest) > 1:
                self._colours[kind] = str(min(rest[1], 255))
                del rest[:2]
            case [2] if len(rest) > 3:  # noqa: PLR2004 - red, green, blue
                red, green, blue = (min(value, 255) for value in rest[1:4])
                self._colours[kind] = f"x{red:02x}{green:02x}{blue:02x}"
                del rest[:4]
            case _:
                rest.clear()


_FLAGS: Final = {1: "bold", 3: "italic", 4: "underline", 7: "reverse", 9: "strikethrough"}
_OFF: Final = {22: ("bold",), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strikethrough",)}
