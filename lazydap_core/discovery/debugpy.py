"""Owns which Python runs a debugged program; the adapter itself runs in our own (doc/adapters.md)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from lazydap_core.discovery.places import Place, Surroundings, on_path
from lazydap_core.discovery.probing import ask

INSTALL: Final = "Python 3.8 or newer as `python3`, or a `.venv` in the project"
OLDEST: Final = (3, 8)
SENTINEL: Final = "lazydap-asks"
QUESTION: Final = f"import sys; print('{SENTINEL} %d.%d' % sys.version_info[:2])"


def places(surroundings: Surroundings) -> Iterator[Place]:
    """Where to look for an interpreter, best first."""
    if active := surroundings.environ.get("VIRTUAL_ENV"):
        yield _environment(Path(active))
    for folder in surroundings.folders:
        yield _environment(folder / ".venv")
    yield from on_path(surroundings.environ, "python3", "python")


def _environment(folder: Path) -> Place:
    file = str(folder / "bin" / "python")
    return Place(file, (file,))


def behind(file: str, environ: Mapping[str, str], folder: str | None) -> str:
    """The interpreter that a version manager's stand-in runs in `folder`; `file` itself where it is a program.

    A stand-in is a shell script that costs its start-up again each time the adapter runs it.
    """
    with Path(file).open("rb") as opened:
        if opened.read(2) != b"#!":
            return file
    answer = ask((file, "-E", "-S", "-c", f"import sys; print('{SENTINEL}', sys.executable)"), environ, folder=folder)
    found = re.search(rf"^{SENTINEL} (/.+)$", answer.output, re.MULTILINE)
    return found[1] if found else file


def fault(file: str, environ: Mapping[str, str]) -> str | None:
    """Why this interpreter is of no use, or None: it must run, and be one that debugpy supports."""
    # Not `-I`, which very old ones do not know: they are to say their version.
    answer = ask((file, "-E", "-S", "-c", QUESTION), environ)
    version = re.search(rf"^{SENTINEL} (\d+)\.(\d+)$", answer.output, re.MULTILINE)
    if version is None:
        return answer.last_line
    if (int(version[1]), int(version[2])) < OLDEST:
        return f"it is Python {version[1]}.{version[2]}, debugpy needs 3.8 or newer"
    return None
