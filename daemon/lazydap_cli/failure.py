"""Owns what a command that failed says and with which code it ends; knows no command."""

import re
from typing import Final

from lazydap_cli.formats import compact
from lazydap_cli.table import cut, shown
from lazydap_core.errors import DaemonError, LazydapError


class CommandFailed(LazydapError):  # noqa: N818  # As its siblings of the one error tree are named.
    """A command could not do its work for a reason of this machine, of which the protocol knows nothing."""

    code = "DaemonInternalError"


_EXIT_CODES = {"UsageError": 2, "DaemonUnreachable": 3, "VersionMismatch": 3, "AdapterNotFound": 4}


def exit_code(error: LazydapError) -> int:
    """2 usage, 3 no daemon of ours, 4 no adapter, 1 everything else."""
    return _EXIT_CODES.get(error.code, 1)


LONGEST: Final = 240
"""Cells of an error at a terminal: three lines of it, as a rule."""

_EXCERPT: Final = re.compile(r"(\d+ *)?\|( |$)")
"""How a compiler draws the line that it complains of; the complaint stands before it."""


def report(error: LazydapError, chosen: str) -> str:
    """The one line for standard error."""
    # The code stands in front where the protocol has it; a usage error's message is about words, not about codes.
    message = f"{error.code}: {error.message}" if isinstance(error, DaemonError) else error.message
    if chosen == "table":
        return f"error: {_one_line(message)}\n"
    return compact({"error": error.code, "message": message, "details": error.details}) + "\n"


def _one_line(message: str) -> str:
    parts = [part.strip() for line in message.splitlines() for part in line.split("; ")]
    whole = "; ".join(shown(part) for part in parts if part and not _EXCERPT.match(part))
    short = cut(whole, LONGEST)
    return whole if short == whole else f"{short} (all of it: `--format json`)"
