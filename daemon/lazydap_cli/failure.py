"""Owns what a command that failed says and with which code it ends; knows no command."""

from lazydap_cli.formats import compact
from lazydap_cli.table import shown
from lazydap_core.errors import DaemonError, LazydapError


class CommandFailed(LazydapError):  # noqa: N818  # As its siblings of the one error tree are named.
    """A command could not do its work for a reason of this machine, of which the protocol knows nothing."""

    code = "DaemonInternalError"


_EXIT_CODES = {"UsageError": 2, "DaemonUnreachable": 3, "VersionMismatch": 3, "AdapterNotFound": 4}


def exit_code(error: LazydapError) -> int:
    """2 usage, 3 no daemon of ours, 4 no adapter, 1 everything else."""
    return _EXIT_CODES.get(error.code, 1)


def report(error: LazydapError, chosen: str) -> str:
    """The one line for standard error."""
    # The code stands in front where the protocol has it; a usage error's message is about words, not about codes.
    message = f"{error.code}: {error.message}" if isinstance(error, DaemonError) else error.message
    if chosen == "table":
        return f"error: {'; '.join(shown(line.strip()) for line in message.splitlines() if line.strip())}\n"
    return compact({"error": error.code, "message": message, "details": error.details}) + "\n"
