"""Owns how the daemon finds its code; it must parse on old Pythons, so that it can say which one is needed."""

# ruff: noqa: ANN202, PLC0415, PTH100, PTH112, PTH118, PTH120, UP031, UP036 - as an old Python knows it

import os
import sys


def _roots():
    # In a checkout lazydap_core lies one folder above daemon/; in a wheel both packages lie side by side.
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.isdir(os.path.join(packages, "lazydap_core")):
        return [packages]
    return [packages, os.path.dirname(packages)]


def _find_our_code():
    # sys.path[0] is the folder of this file: its modules are meant to be imported as `lazydap_daemon.x` only.
    own = os.path.dirname(os.path.abspath(__file__))
    rest = [entry for entry in sys.path if os.path.abspath(entry) != own]
    present = [os.path.abspath(entry) for entry in rest]
    # A root that is there already (an installed wheel) keeps its place, or site-packages would hide the stdlib.
    sys.path[:] = [root for root in _roots() if root not in present] + rest


def _start():
    if sys.version_info < (3, 11):
        sys.stderr.write("Python 3.11 or newer is needed, %s is Python %s\n" % (sys.executable, sys.version.split()[0]))
        return 1
    _find_our_code()
    from lazydap_daemon.main import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(_start())
