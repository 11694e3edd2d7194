"""Owns how tables look to a person: columns, width, colour; knows no command and no format but its own."""

from collections.abc import Mapping, Sequence

import msgspec

from lazydap_cli.results import Listing

_BOLD = "\x1b[1m"
_PLAIN = "\x1b[0m"
_GAP = "  "
_CUT = "…"
_NARROWEST = 8
"""Columns are not cut below this, however narrow the terminal."""


class Look(msgspec.Struct, frozen=True):
    """What the place of printing allows: `width` in cells (None: no limit), and colour."""

    width: int | None
    colour: bool


def look_of(environ: Mapping[str, str], *, at_a_terminal: bool, terminal_columns: int) -> Look:
    """Colour and a width only for a terminal; `NO_COLOR` and `TERM=dumb` take the colour away."""
    if not at_a_terminal:
        return Look(None, colour=False)
    columns = environ.get("COLUMNS", "")
    width = int(columns) if columns.isascii() and columns.isdigit() and int(columns) > 0 else terminal_columns
    return Look(width or None, colour=not environ.get("NO_COLOR") and environ.get("TERM") != "dumb")


def grid(listing: Listing, look: Look) -> str:
    """A header in capitals and the rows, two spaces between the columns; the note follows after an empty line."""
    texts = [tuple(column.upper().replace("_", " ") for column in listing.columns)]
    texts += [tuple(shown(cell) for cell in row) for row in listing.cells]
    widths = [max(cells(row[at]) for row in texts) for at in range(len(listing.columns))]
    if look.width is not None:
        kept = 1 if listing.whole else 0
        cut_ones = widths[: len(widths) - kept]
        widths = _fitting(cut_ones, look.width) + widths[len(cut_ones) :]
    lines = [_row(row, widths) for row in texts]
    lines[0] = _emphasised(lines[0], look)
    if listing.note is not None:
        lines += ["", *map(shown, listing.note.splitlines())]
    return "\n".join(lines) + "\n"


def pairs(lines: Sequence[tuple[str, object]], look: Look) -> str:
    """A label and a value a line; an empty label continues the one above."""
    label_width = max((len(label) for label, _ in lines), default=0)
    room = None if look.width is None else max(_NARROWEST, look.width - label_width - len(_GAP))
    text = ""
    for label, value in lines:
        value_text = shown(value)
        if room is not None:
            value_text = cut(value_text, room)
        text += _emphasised(f"{label:<{label_width}}", look) + _GAP + value_text + "\n"
    return text


def shown(value: object) -> str:
    """A value as one line of text; what would move a terminal's cursor or colour it is escaped."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).rstrip("\r\n")
    if text.isprintable():
        return text
    return "".join(_visible(letter) for letter in text)


def cells(text: str) -> int:
    """How many cells of a terminal `text` takes."""
    return len(text) if text.isascii() else sum(map(_cell_count, text))


def cut(text: str, width: int) -> str:
    """`text` on at most `width` cells, with a mark where something is left out."""
    if cells(text) <= width:
        return text
    taken = 0
    for at, letter in enumerate(text):
        taken += _cell_count(letter)
        if taken > width - 1:
            return text[:at] + _CUT
    return text


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    padded: list[str] = []
    for text, width in zip(row, widths, strict=True):
        fitted = cut(text, width)
        padded.append(fitted + " " * (width - cells(fitted)))
    return _GAP.join(padded).rstrip()


def _fitting(wanted: Sequence[int], total: int) -> list[int]:
    """The widths, the widest ones taken down until the row fits."""
    widths = list(wanted)
    room = total - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widest = widths.index(max(widths))
        others = [width for at, width in enumerate(widths) if at != widest]
        # Down to the next widest, or as far as is needed, whichever comes first.
        widths[widest] = max(room - sum(others), min(max(others, default=0), widths[widest] - 1), _NARROWEST)
    return widths


def _emphasised(text: str, look: Look) -> str:
    return f"{_BOLD}{text}{_PLAIN}" if look.colour and text.strip() else text


def _visible(letter: str) -> str:
    # An unpaired surrogate stands for a byte that was no UTF-8; the writer escapes it.
    if letter.isprintable() or "\ud800" <= letter <= "\udfff":
        return letter
    return letter.encode("unicode_escape").decode("ascii")


def _cell_count(letter: str) -> int:
    if letter.isascii():
        return 1
    # Only text beyond ASCII pays for this import.
    from unicodedata import combining, east_asian_width  # noqa: PLC0415

    if combining(letter):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1
