"""Owns how a result becomes text in each format; knows no command and writes nowhere.

The JSON is a contract: keys sorted, two spaces, letters as they are. The table is for people and is none.
"""

import json
from typing import Any, Final

from lazydap_cli import table
from lazydap_cli.results import Listing, Result, Script, Single
from lazydap_core.errors import UsageError

ABSENT: Final = "-"
LIST_ONLY: Final = frozenset({"jsonl", "csv", "ids"})


def check(chosen: str, *, prints_rows: bool) -> None:
    """Raises UsageError for a format that prints lists where there will be none."""
    if chosen in LIST_ONLY and not prints_rows:
        raise UsageError(
            f"`--format {chosen}` prints a list, and this command's result is none; use `--format json` or"
            " `--format table`",
            format=chosen,
        )


def rendered(result: Result, chosen: str, look: table.Look) -> str:
    """The text of `result`, ending in a line break unless it is empty. Raises UsageError as `check`."""
    if isinstance(result, Script):
        return result.text
    if chosen == "json":
        return pretty(result.document) + "\n"
    if isinstance(result, Single):
        check(chosen, prints_rows=False)
        return table.pairs(result.lines, look)
    if chosen == "table":
        return table.grid(result, look)
    return "".join(line + "\n" for line in _list_lines(result, chosen))


def _list_lines(listing: Listing, chosen: str) -> list[str]:
    if chosen == "jsonl":
        return [compact(row) for row in listing.rows]
    if chosen == "ids":
        return [str(row_id) for row_id in listing.ids]
    return [",".join(map(_csv_cell, row)) for row in (listing.columns, *listing.cells)]


def pretty(document: Any) -> str:
    """JSON for reading, without a line break at the end."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)


def compact(document: Any) -> str:
    """JSON on one line."""
    return json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _csv_cell(value: object) -> str:
    text = plain(value)
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def plain(value: object) -> str:
    """A value as a cell shows it."""
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
