"""Owns the process of the command line: getting to work quickly, and out again; knows no command."""

import gc
import os
import sys
from typing import NoReturn

from lazydap_cli.interruption import INTERRUPTED


def console_main() -> NoReturn:
    """Run the command of `sys.argv` and end the process with its exit code."""
    # A process of a tenth of a second: looking for garbage costs more than it could free.
    gc.disable()
    if sys.platform == "win32":
        sys.exit("lazydap is not supported on Windows: use it in WSL, where it is the Linux one")
    try:
        _load_msgspec_alone()
        # Only now: what it imports is most of the time that a command takes.
        from lazydap_cli.running import run  # noqa: PLC0415

        code = run(sys.argv[1:], os.environ)
    except KeyboardInterrupt:
        code = INTERRUPTED
    # Everything is written by now, straight to the descriptors. Taking the interpreter down in order would cost half as
    # much again as starting it.
    os._exit(code)


def _load_msgspec_alone() -> None:
    """Import msgspec without typing_extensions.

    Where that happens to be installed msgspec takes three names from it, which `typing` has since Python 3.11, and with
    it come `inspect`, `ast` and `tokenize`: together more than half of what it takes to start Python.
    """
    if "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # None means: not to be found
    try:
        import msgspec  # noqa: F401, PLC0415  # pyright: ignore[reportUnusedImport]
    finally:
        del sys.modules["typing_extensions"]
