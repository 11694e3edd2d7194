"""Owns what launch configurations say of where the sources of a program lie here; looks at no folder."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec


class _EditorPath(msgspec.Struct, rename="camel"):
    editor_path: str


class _PathMapping(msgspec.Struct, rename="camel"):
    local_root: str
    remote_root: str


class _Substitution(msgspec.Struct, rename={"here": "from", "there": "to"}):
    here: str
    there: str


class SourceFolders(msgspec.Struct, rename="camel"):
    """The keys for it: each family of adapters has its own, and each is read for any of them."""

    source_map: dict[str, str | None] | list[tuple[str, str | None]] = {}
    source_file_map: dict[str, str | _EditorPath] = {}
    path_mappings: list[_PathMapping] = []
    local_root: str | None = None
    remote_root: str | None = None
    substitute_path: list[_Substitution] = []

    def by_origin(self, root: Path, expand: Callable[[str], str]) -> dict[str, str]:
        """Local folder by the folder that the program's debug information or its machine has, in the order of the file.

        A local folder that is not absolute is one of `root`; an empty one, as for packages without a folder, stays.
        """
        pairs = [*_of_lldb(self.source_map), *_of_cppdbg(self.source_file_map)]
        pairs += [(each.remote_root, each.local_root) for each in self.path_mappings]
        if self.local_root is not None and self.remote_root is not None and not self.path_mappings:
            pairs.append((self.remote_root, self.local_root))
        pairs += [(each.there, each.here) for each in self.substitute_path]
        return {expand(there): _absolute(root, expand(here)) for there, here in pairs}


def _of_lldb(given: dict[str, str | None] | list[tuple[str, str | None]]) -> list[tuple[str, str]]:
    pairs = given.items() if isinstance(given, dict) else given
    return [(there, here or "") for there, here in pairs]


def _of_cppdbg(given: dict[str, str | _EditorPath]) -> list[tuple[str, str]]:
    return [(there, here if isinstance(here, str) else here.editor_path) for there, here in given.items()]


def _absolute(root: Path, here: str) -> str:
    return os.path.join(root, here) if here else here  # noqa: PTH118 - the words of the file are kept
