"""Owns the options that many commands share."""

from lazydap_cli import values
from lazydap_cli.grammar.words import Option

FORMATS = ("table", "json", "jsonl", "csv", "ids")

GLOBAL_OPTIONS = (
    Option("--instance", "Use the daemon of this name instead of the project's own", value="INSTANCE"),
    Option("--format", "How to print; json unless standard output is a terminal", value="FORMAT", choices=FORMATS),
)

DRY_RUN = Option("--dry-run", "Say what would happen and change nothing")
THREAD = Option("--thread", "Act on this thread instead of the stopped one", value="THREAD", read=values.i64)
WAIT = Option("--wait", "Answer when the program stops or ends, not when it moves")
TIMEOUT = Option(
    "--timeout",
    "Give up waiting after this many seconds, the program untouched; 0 waits for ever (30)",
    value="TIMEOUT",
    read=values.u64,
    needs="--wait",
)
STOP_ON_ENTRY = Option("--stop-on-entry", "Stop before the first line of the program")
FRAME = Option(
    "--frame", "Look into this frame of `lazydap stack` instead of the top one", value="FRAME", read=values.i64
)
