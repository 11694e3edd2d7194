"""Owns the check that everything installed in .venv is pinned in constraints.txt, at that very version."""

import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Ourselves, and what some Pythons put into each new virtual environment.
NOT_PINNED = frozenset({"lazydap", "setuptools", "wheel"})


def pins(text: str) -> dict[str, str]:
    """Normalised name to version, of the lines `name==version`.

    Raises ValueError for a line that is neither that, nor a comment, nor empty.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        pin = line.partition("#")[0].strip()
        if pin:
            name, equals, version = pin.partition("==")
            if not equals:
                raise ValueError(f"constraints.txt: '{line}' is not of the form name==version")
            found[normalised(name)] = version
    return found


def complaints(pinned: Mapping[str, str], installed: Mapping[str, str]) -> Iterator[str]:
    """Where the two differ, one line each; a pin for another platform may have nothing installed."""
    for name, version in sorted(installed.items()):
        if name in NOT_PINNED:
            continue
        if name not in pinned:
            yield f"constraints.txt: {name} is installed ({version}) and not pinned"
        elif pinned[name] != version:
            yield f"constraints.txt: {name} is pinned to {pinned[name]}, and {version} is installed; run make setup"


def normalised(name: str) -> str:
    """The name as packaging tools compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    """Check the interpreter this runs in; 0 when all is well."""
    pinned = pins((ROOT / "constraints.txt").read_text())
    installed = {normalised(found.name): found.version for found in distributions()}
    found = list(complaints(pinned, installed))
    print("\n".join(found or [f"Pins: {len(pinned)}, no complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
