"""Owns `make bench`: runs every measurement once and prints one table."""

import os
import sys

from tests.bench import commands, daemon, editing, floods, heavy, steps
from tests.bench.table import text_of

PARTS = {
    "steps": steps.rows,
    "heavy": heavy.rows,
    "daemon": daemon.rows,
    "commands": commands.rows,
    "editing": editing.rows,
    "floods": floods.rows,
}


def main(names: list[str]) -> int:
    """Print the table of the named parts, of all when none is named; exit code 1 when a target was missed."""
    # Compiling each module again at each start is not what is measured.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    rows = [row for name in names or PARTS for row in PARTS[name]()]
    sys.stdout.write(text_of(rows) + "\n")
    return int(any(row.met is False for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
