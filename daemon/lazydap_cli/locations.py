"""Owns how `file:line` on the command line becomes a place in a source; asks no daemon."""

import os
from pathlib import Path

from lazydap_cli.values import u32
from lazydap_core.errors import BadRequest, UsageError
from lazydap_core.protocol.objects import Location


def read_location(text: str, folder: Path) -> Location:
    """The place that was typed in `folder`. Raises UsageError, BadRequest for a file that is not there."""
    file, colon, line = text.rpartition(":")
    if not colon:
        raise UsageError(f"`{text}` is not a location: expected `file:line`")
    if not file:
        raise UsageError(f"`{text}` is not a location: the file part is empty")
    try:
        number = u32(line)
    except ValueError:
        raise UsageError(f"`{text}` is not a location: `{line}` is not a line number") from None
    if number == 0:
        raise UsageError(f"`{text}` is not a location: lines are numbered from 1")
    try:
        source = os.path.realpath(folder / file, strict=True)
    except OSError as error:
        raise BadRequest(f"cannot find {file}: {error.strerror}", source=file) from error
    return Location(source=source, line=number)
