"""Owns what a breakpoint's anchor is made of: the text around its line; searches for none and reads no file."""

from collections.abc import Iterable, Sequence
from typing import Final

LONGEST_LINE: Final = 200
"""Characters of one line that an anchor keeps."""


def anchor_of(lines: Sequence[str], line: int) -> str | None:
    """The anchor of a line, counted from 1; None for one that is blank or not there (doc/protocol.md, "Features")."""
    if not 0 < line <= len(lines) or not lines[line - 1].strip():
        return None
    above = _first_text(reversed(lines[: line - 1]))
    below = _first_text(lines[line:])
    return f"{above}\n{_kept(lines[line - 1])}\n{below}"


def is_of_one_line(one: str | None, other: str | None) -> bool:
    """Whether two anchors are of lines with the same text, whatever stands around them."""
    return one is not None and other is not None and _line_of(one) == _line_of(other)


def _line_of(anchor: str) -> str:
    return (*anchor.split("\n"), "", "")[1]


def _first_text(lines: Iterable[str]) -> str:
    return next((_kept(text) for text in lines if text.strip()), "")


def _kept(text: str) -> str:
    return text.strip()[:LONGEST_LINE]
