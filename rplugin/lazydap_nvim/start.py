"""Owns how the plugin host finds its code; it must parse on old Pythons, so that it can say which one is needed."""

# ruff: noqa: ANN202, PTH100, PTH112, PTH118, PTH120, UP031, UP036 - this file must parse, and speak, on Pythons that lack newer spellings

import os
import sys


def _roots():
    # In a checkout lazydap_core lies one folder above rplugin/; in a wheel both packages lie side by side.
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.isdir(os.path.join(packages, "lazydap_core")):
        return [packages]
    return [packages, os.path.dirname(packages)]


def _find_our_code():
    # sys.path[0] is the folder of this file: its modules are meant to be imported as `lazydap_nvim.x` only.
    own = os.path.dirname(os.path.abspath(__file__))
    rest = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != own]
    present = [os.path.abspath(entry) for entry in rest]
    # A root that is there already (an installed wheel) keeps its place, or site-packages would hide the stdlib.
    sys.path[:] = [root for root in _roots() if root not in present] + rest


def _complaint():
    if sys.version_info < (3, 11):
        return "lazydap needs Python 3.11 or newer, this is %d.%d (%s): set `python` in vim.g.lazydap" % (
            sys.version_info[0],
            sys.version_info[1],
            sys.executable,
        )
    return None


if __name__ == "__main__":
    complaint = _complaint()
    if complaint is not None:
        sys.stderr.write(complaint + "\n")
        sys.exit(1)
    _find_our_code()
    if sys.argv[1:2] == ["stop"]:
        from lazydap_nvim.leaving import stop

        sys.exit(stop(*sys.argv[2:4]))
    if sys.argv[1:2] == ["for"]:
        from lazydap_nvim.early import begin

        begin(sys.argv[2])
    from lazydap_nvim.main import serve_stdio

    sys.exit(serve_stdio())
