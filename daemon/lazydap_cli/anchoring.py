"""Owns reading, from a source file, what a breakpoint is put on; asks no daemon."""

from pathlib import Path
from typing import Final

from lazydap_core.domain.anchors import anchor_of
from lazydap_core.protocol.objects import Location

LARGEST_FILE: Final = 8 * 1024 * 1024
"""Bytes; in a larger file a breakpoint is known by its line alone."""


def anchor_at(where: Location) -> str | None:
    """The anchor of a place, None where the file cannot be read or the line is blank."""
    lines = _lines(where.source)
    return None if lines is None else anchor_of(lines, where.line)


def last_line(source: str) -> int | None:
    """The number of the last line, None where the file cannot be read."""
    lines = _lines(source)
    return None if lines is None else max(1, len(lines) - (lines[-1] == ""))


def _lines(source: str) -> list[str] | None:
    path = Path(source)
    try:
        if path.stat().st_size > LARGEST_FILE:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # Only at the ends that an editor knows, or a form feed would count as one.
    return text.replace("\r\n", "\n").split("\n")
