"""Owns the command that shows what the codec makes of a JSON text; for people who write clients, and for tests.

`python -m lazydap_core.protocol [--version N]` reads one text a line (ended by line feed) and writes for each what a
program of version N reads and writes back, or `error: ` and the reason.
"""

import argparse
import sys
from typing import Final

from lazydap_core.errors import LazydapError
from lazydap_core.protocol.codec import canonical
from lazydap_core.protocol.dialect import NEWEST, OLDEST

_DESCRIPTION: Final = "Read one JSON text a line, and write what the protocol makes of it, or `error: ` and why not."


def answer(text: bytes, version: int | None) -> bytes:
    """One line, without its line feed, for one text."""
    try:
        return canonical(text, version)
    except LazydapError as error:
        return f"error: {error}".encode()


def main() -> int:
    """Answer every line of standard input until its end; the exit code is 0 whatever the texts were."""
    parser = argparse.ArgumentParser(prog="python -m lazydap_core.protocol", description=_DESCRIPTION)
    parser.add_argument(
        "--version",
        type=int,
        choices=range(OLDEST, NEWEST + 1),
        help="read and write as a program of this version does; without it, in the version that each text carries",
    )
    version: int | None = parser.parse_args().version
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answer(line.removesuffix(b"\n"), version) + b"\n")
        sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
