"""Owns splitting a text into arguments, and expanding editor variables in it; knows no file format."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lazydap_core.errors import DaemonUnreachable, UsageError
from lazydap_core.project import home_folder

_PIECE: Final = re.compile(
    r"""(?P<blank>\s+) | '(?P<single>[^']*)' | "(?P<double>(?:[^"\\]|\\.)*)" | \\(?P<escaped>.)"""
    r"""| (?P<plain>[^\s'"\\]+) | (?P<lone>.)""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


def split_arguments(text: str) -> list[str]:
    """`text` split at blanks; quotes group, an empty pair is an empty argument, a backslash takes the next character.

    Inside single quotes a backslash is itself. Raises UsageError for a quote that is not closed, or a last backslash.
    """
    arguments: list[str] = []
    is_inside = False
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup or ""
        if kind == "lone":
            raise UsageError(f"the arguments have a lone {piece[0]}: put a backslash before it, or complete it")
        if kind == "blank":
            is_inside = False
            continue
        value = _ESCAPED.sub(r"\1", piece[kind]) if kind == "double" else piece[kind]
        if is_inside:
            arguments[-1] += value
        else:
            arguments.append(value)
        is_inside = True
    return arguments


class Variables:
    """Expands `${name}` as editors do, and remembers what it could not expand.

    Known are workspaceFolder and workspaceRoot (the project's root), workspaceFolderBasename, userHome, cwd,
    pathSeparator and `/`, `env:NAME`; where `file` is given file, fileDirname, fileBasename, fileBasenameNoExtension,
    fileExtname, fileDirnameBasename, fileWorkspaceFolder, relativeFile and relativeFileDirname; and whatever `known`
    names, in the spelling of the file (`lineNumber`, `input:target`).
    """

    def __init__(
        self, root: Path, environ: Mapping[str, str], file: Path | None = None, known: Mapping[str, str] | None = None
    ) -> None:
        self._environ = environ
        self._values = {
            "workspaceFolder": str(root),
            "workspaceRoot": str(root),
            "workspaceFolderBasename": root.name,
            "cwd": str(root),
            "pathSeparator": "/",
            "/": "/",
            **_of_file(file, root),
            **(known or {}),
        }
        self.unresolved: list[str] = []

    def expand(self, text: str) -> str:
        """`text` with every variable that is known replaced; the others stay and are added to `unresolved`, once."""
        expanded: list[str] = []
        rest = text
        while (start := rest.find("${")) >= 0:
            expanded.append(rest[:start])
            end = rest.find("}", start)
            if end < 0:
                if rest[start + 2 :].lstrip()[:1].isalpha():
                    self._leave(rest[start:])
                expanded.append(rest[start:])
                return "".join(expanded)
            token = rest[start : end + 1]
            value = self._value(token[2:-1])
            expanded.append(self._leave(token) if value is None else value)
            rest = rest[end + 1 :]
        return "".join(expanded) + rest

    def _value(self, name: str) -> str | None:
        if name.startswith("env:"):
            return self._environ.get(name.removeprefix("env:"))
        if name == "userHome":
            try:
                return str(home_folder(self._environ))
            except DaemonUnreachable:
                return None
        return self._values.get(name)

    def _leave(self, token: str) -> str:
        if token not in self.unresolved:
            self.unresolved.append(token)
        return token


def _of_file(file: Path | None, root: Path) -> dict[str, str]:
    if file is None:
        return {}
    return {
        "file": str(file),
        "fileDirname": str(file.parent),
        "fileBasename": file.name,
        "fileBasenameNoExtension": file.stem,
        "fileExtname": file.suffix,
        "fileDirnameBasename": file.parent.name,
        "fileWorkspaceFolder": str(root),
        "relativeFile": os.path.relpath(file, root),
        "relativeFileDirname": os.path.relpath(file.parent, root),
    }
