"""Starts the daemon as `python -E start.py`: finds the code beside it. Its syntax must parse on old Pythons."""
# ruff: noqa: ANN001, ANN202, PLC0415, PTH, UP - an old Python is to get as far as the sentence that names its version

import os
import sys


def _roots(folder):  # type: (str) -> list[str]
    """The folders that hold lazydap_daemon and lazydap_core: one in an installed wheel, two in a checkout."""
    beside = os.path.dirname(folder)
    if os.path.isdir(os.path.join(beside, "lazydap_core")):
        return [beside]
    return [beside, os.path.dirname(beside)]


def _use_roots():  # type: () -> None
    folder = os.path.dirname(os.path.abspath(__file__))
    # Python puts the script's own folder first: its modules would hide others of the same name.
    if sys.path and os.path.abspath(sys.path[0]) == folder:
        del sys.path[0]
    known = [os.path.abspath(entry) for entry in sys.path]
    sys.path[:0] = [root for root in _roots(folder) if root not in known]


def _start():  # type: () -> int
    if sys.version_info < (3, 11):
        sys.stderr.write("Python 3.11 or newer is needed, %s is Python %s\n" % (sys.executable, sys.version.split()[0]))
        return 1
    _use_roots()
    from lazydap_daemon.main import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(_start())
