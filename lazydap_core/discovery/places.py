"""Owns where programs lie on disk: PATH, package folders, editor extensions; runs none of them."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

EDITORS: Final = (".vscode", ".vscode-server", ".vscode-insiders", ".vscode-oss", ".cursor", ".windsurf")


class Place(msgspec.Struct, frozen=True):
    """Somewhere to look: what a person is told was searched, and the files that would do, best first."""

    label: str
    files: tuple[str, ...] = ()


class Surroundings(msgspec.Struct, frozen=True):
    """What a search depends on: the client's environment, and folders that may hold a `.venv`, nearest first."""

    environ: Mapping[str, str]
    folders: tuple[Path, ...] = ()


def is_executable(file: str) -> bool:
    """Whether `file` is a regular file that somebody may execute."""
    try:
        mode = os.stat(file).st_mode  # noqa: PTH116  # Path.stat() is the same with one more object
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & 0o111)


def on_path(environ: Mapping[str, str], *names: str) -> Iterator[Place]:
    """Each folder of PATH with these names in it; a folder earlier on PATH goes before a better name in a later one."""
    for folder in path_folders(environ):
        yield Place(folder, tuple(os.path.join(folder, name) for name in names))  # noqa: PTH118  # as PATH spells it


def path_folders(environ: Mapping[str, str]) -> list[str]:
    """The folders of PATH, each once; an empty entry, which means the current folder, is left out."""
    return [folder for folder in dict.fromkeys(environ.get("PATH", "").split(os.pathsep)) if folder]


def mason(environ: Mapping[str, str], *below: str) -> Iterator[Place]:
    """Files below the folder in which Mason keeps what it installs for Neovim."""
    folder = _mason_folder(environ)
    if folder is not None:
        for path in below:
            yield Place(str(folder / path), (str(folder / path),))


def _mason_folder(environ: Mapping[str, str]) -> Path | None:
    if named := environ.get("MASON"):
        return Path(named)
    application = environ.get("NVIM_APPNAME") or "nvim"
    if shared := environ.get("XDG_DATA_HOME"):
        return Path(shared) / application / "mason"
    return in_home(environ, f".local/share/{application}/mason")


def in_home(environ: Mapping[str, str], below: str) -> Path | None:
    """A path below the home folder; None where HOME is not set."""
    return Path(home) / below if (home := environ.get("HOME")) else None


def in_editor_extensions(environ: Mapping[str, str], extension: str, below: str) -> Iterator[Place]:
    """`below` in each installed version of an editor extension, newest first, whichever editor has it."""
    installed: list[tuple[tuple[int, ...], str]] = []
    folders = [folder for editor in EDITORS if (folder := in_home(environ, f"{editor}/extensions"))]
    for folder in folders:
        for name in _names_in(folder):
            if version := re.fullmatch(rf"{re.escape(extension)}-(\d+(?:\.\d+)*).*", name):
                numbers = tuple(int(part) for part in version[1].split("."))
                installed.append((numbers, str(folder / name / below)))
    yield from (Place(file, (file,)) for _, file in sorted(installed, reverse=True))
    yield from (Place(str(folder)) for folder in folders)


def numbered(folders: Iterable[str], stem: str) -> list[str]:
    """The files `stem-NN` in these folders, the highest number first."""
    named = ((re.fullmatch(rf"{re.escape(stem)}-(\d+)", name), folder, name) for folder, name in _files_in(folders))
    found = [(int(match[1]), os.path.join(folder, name)) for match, folder, name in named if match]  # noqa: PTH118
    # Of equal numbers the folder that comes first.
    return [file for _, file in sorted(found, key=lambda entry: entry[0], reverse=True)]


def _files_in(folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((folder, name) for folder in folders for name in _names_in(Path(folder)))


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  # names are all that is asked for
    except OSError:
        return []
