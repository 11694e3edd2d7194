"""Owns the check that no file of the project names a machine it was written on, or a registry's address."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 1024 * 1024

FORBIDDEN = {
    # A path that exists on one machine only makes a test pass there and nowhere else.
    "a path of one machine": re.compile(rb"(?<![\w.~$}-])/(?:work|farm|root|opt/wheels)/"),
    # Which registry serves a package is the reader's setting.
    "a registry's address": re.compile(
        rb"https?://[\w.-]*(?:pypi|pythonhosted|npmjs|yarnpkg|crates|golang|debian|maven)\.(?:org|com|io)\b"
        rb"|--(?:extra-)?index-ur[l]|--find-link[s]"
    ),
    "a mark of an unfinished merge": re.compile(rb"^(?:<{7} |>{7} )", re.MULTILINE),
}


def complaints(root: Path, names: list[str]) -> Iterator[str]:
    """What is wrong with the named files, one line each."""
    for name in names:
        path = root / name
        if not path.is_file():
            continue
        content = path.read_bytes()
        if len(content) > LARGEST:
            yield f"{name}: is larger than {LARGEST // 1024} KiB"
        for what, pattern in FORBIDDEN.items():
            for match in pattern.finditer(content):
                line = content.count(b"\n", 0, match.start()) + 1
                yield f"{name}:{line}: names {what}: {match[0].decode(errors='replace').strip()}"


def main() -> int:
    """Check what git tracks or would add; 0 when all is well."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        print(f"Tracked files: git could not list them: {listed.stderr.decode().strip()}")
        return 1
    names = sorted({name.decode() for name in listed.stdout.split(b"\0") if name})
    found = list(complaints(ROOT, names))
    print("\n".join(found or [f"Tracked files: {len(names)}, no complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
