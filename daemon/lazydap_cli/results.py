"""Owns the shape of what a command gives back for printing; knows no format and no daemon."""

from collections.abc import Sequence
from typing import Any

import msgspec


class Listing(msgspec.Struct, frozen=True):
    """Rows of one kind. `document` is the whole as JSON, `rows` the same objects one by one.

    `ids` and `cells` run beside `rows`; a cell is None where there is nothing to show. `note` is for people only.
    `whole` keeps the last column from being cut to a terminal's width.
    """

    document: dict[str, Any]
    rows: Sequence[Any]
    ids: Sequence[object]
    columns: tuple[str, ...]
    cells: Sequence[Sequence[object]]
    note: str | None = None
    whole: bool = False


class Single(msgspec.Struct, frozen=True):
    """One thing. `document` is it as JSON, `lines` the label and value pairs for people."""

    document: dict[str, Any]
    lines: Sequence[tuple[str, object]]


class Script(msgspec.Struct, frozen=True):
    """Text that is printed as it is, whatever the format."""

    text: str


Result = Listing | Single | Script
