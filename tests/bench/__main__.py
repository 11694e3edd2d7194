"""Owns `make bench`: runs every measurement once and prints one table."""

import sys

from tests.bench import commands, steps
from tests.bench.table import text_of


def main() -> int:
    """Print the table; exit code 1 when a target was missed."""
    rows = [*steps.rows(), *commands.rows()]
    sys.stdout.write(text_of(rows) + "\n")
    return int(any(row.met is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
