"""Owns which places and names are refused because no program has them; asks nobody."""

from typing import Final

from lazydap_core.errors import BadRequest

LARGEST_LINE: Final = 2**31 - 1
"""Adapters count lines in a signed number of 32 bits."""


def check_line(line: int) -> None:
    """Raises BadRequest for what is no line of a file."""
    if not 1 <= line <= LARGEST_LINE:
        raise BadRequest(f"there is no line {line}: lines are counted from 1", line=line)


def check_source(source: str) -> None:
    """Raises BadRequest for what names no file."""
    if not source.strip():
        raise BadRequest("the breakpoint has no file: name one", source=source)


def check_name(name: str) -> None:
    """Raises BadRequest for what names no function and no value."""
    if not name.strip():
        raise BadRequest("the breakpoint has no name: say of what it is", name=name)
