"""Runs debugpy's launcher, or the program's side of debugpy, without a list of all packages for a log of nobody's.

A script on its own, for whatever Python the program wants (3.8 and newer). Its name is one that debugpy leaves out of
every stack. Called as `debugpy_launcher.py [-X OPTION] FOLDER ARGUMENTS`; FOLDER is debugpy's own or its launcher's.
"""

import sys
from importlib import import_module
from pathlib import Path


def _describe_nothing(header: str) -> None:
    del header


def main() -> None:
    """Become `python FOLDER ARGUMENTS`."""
    arguments = sys.argv[1:]
    if arguments[0] == "-X":
        del arguments[:2]
    sys.argv[:] = arguments
    folder = Path(arguments[0]).resolve()
    is_launcher = folder.name == "launcher"
    # Python put our own folder first, unless it was told not to.
    if sys.path and Path(sys.path[0]) == Path(__file__).parent:
        del sys.path[0]
    sys.path.insert(0, str(folder.parent.parent if is_launcher else folder.parent))
    debugpy = import_module("debugpy.launcher.__main__" if is_launcher else "debugpy.server.cli")
    vars(import_module("debugpy.common.log"))["describe_environment"] = _describe_nothing
    del sys.path[0]
    debugpy.main()


if __name__ == "__main__":
    main()
