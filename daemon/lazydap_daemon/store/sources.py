"""Owns how a breakpoint's path is spelled in memory and in state.toml; knows no breakpoint.

In memory a path is absolute, and the real path where the file exists. In the file it is relative to the project root
where it lies below it. Two spellings are one path when their components agree (doc/protocol.md, "Breakpoints").
"""

import os
from pathlib import Path


def components(path: str) -> tuple[bool, tuple[str, ...]]:
    """What identifies a path and what it is sorted by: absolute paths first, then component by component.

    Repeated and trailing slashes and `.` do not count; `..`, links and letter case do.
    """
    parts = tuple("" if part == ".." else part for part in path.split("/") if part not in {"", "."})
    return bool(path) and not path.startswith("/"), parts


def canonical_source(source: str, root: Path) -> str:
    """The spelling kept in memory: absolute, the real path where the file exists, else as it was given."""
    path = source if source.startswith("/") else os.path.join(root, source)  # noqa: PTH118  Path would respell it
    try:
        return os.path.realpath(path, strict=True)
    except (OSError, ValueError):  # ValueError: a NUL character, which no file has
        return path


def stored_source(source: str, root: Path) -> str:
    """The spelling kept in state.toml: relative to `root` where the path lies below it, else unchanged."""
    rest = source
    for part in root.parts[1:]:
        rest = _trimmed(rest)
        head, _, rest = rest.partition("/")
        if head != part or not source.startswith("/"):
            return source
    rest = _trimmed(rest)
    while rest.endswith(("/", "/.")):
        rest = rest.rstrip("/").removesuffix("/.")
    return rest


def _trimmed(path: str) -> str:
    while path.startswith(("/", "./")):
        path = path[1:] if path.startswith("/") else path[2:]
    return path
