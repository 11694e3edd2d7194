"""Owns reading, from a source file, the text by which a breakpoint is found again; asks no daemon."""

from pathlib import Path
from typing import Final

from lazydap_core.domain.anchors import anchor_of
from lazydap_core.protocol.objects import Location

LARGEST_FILE: Final = 8 * 1024 * 1024
"""Bytes; in a larger file a breakpoint is known by its line alone."""


def anchor_at(where: Location) -> str | None:
    """The anchor of a place, None where the file cannot be read or the line is blank."""
    path = Path(where.source)
    try:
        if path.stat().st_size > LARGEST_FILE:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # Only at the ends that an editor knows, or a form feed would count as one.
    return anchor_of(text.replace("\r\n", "\n").split("\n"), where.line)
