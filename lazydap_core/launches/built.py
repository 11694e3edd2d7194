"""Owns where build tools leave the programs of a source file; builds nothing."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

CARGO_SECONDS: Final = 5.0
MOST_PROGRAMS: Final = 20
BUILD_FOLDERS: Final = ("build", "bin", "out", "target/debug", "cmake-build-debug", "builddir", "debug", "Debug")
"""Where C and C++ projects have their programs, beside the project's own folder and that of the source."""
_MAGIC: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_NO_PROGRAM_SUFFIXES: Final = frozenset({".o", ".a", ".so", ".dylib", ".d", ".rlib", ".rmeta"})


class Built(msgspec.Struct, frozen=True):
    """Programs that are there, the likeliest first; `advice` is what to do when there are none."""

    programs: tuple[Path, ...]
    advice: str


def built_programs(source: Path, root: Path, environ: Mapping[str, str]) -> Built:
    """What a C, C++ or Rust file of the project at `root` may have been built into. Takes at most `CARGO_SECONDS`."""
    if source.suffix == ".rs":
        manifest = _nearest(source, root, "Cargo.toml")
        if manifest is not None:
            return _of_cargo(manifest, source, environ)
    folders = [source.parent, root, *(base / name for base in (root, source.parent) for name in BUILD_FOLDERS)]
    found = sorted(_programs_in(dict.fromkeys(folders)), key=lambda path: (path.stem != source.stem, -_changed(path)))
    compiler = {".rs": "rustc -g", ".c": "cc -g -O0"}.get(source.suffix, "c++ -g -O0")
    command = f"{compiler} -o {source.stem} {source.name}"
    return Built(tuple(found[:MOST_PROGRAMS]), f"build it (`{command}`), then :LazydapLaunch PROGRAM")


def is_older(program: Path, source: Path) -> bool:
    """Whether the source was changed after the program was built, so that lines may not fit."""
    return 0 < _changed(program) < _changed(source)


def _nearest(source: Path, root: Path, name: str) -> Path | None:
    for folder in source.parents:
        if (folder / name).is_file():
            return folder / name
        if folder == root:
            return None
    return None


class _Target(msgspec.Struct):
    name: str
    kind: list[str]
    src_path: str


class _Package(msgspec.Struct):
    targets: list[_Target]


class _Metadata(msgspec.Struct):
    packages: list[_Package]
    target_directory: str


def _of_cargo(manifest: Path, source: Path, environ: Mapping[str, str]) -> Built:
    advice = "build it (`cargo build`), then launch again"
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", str(manifest)]
    try:
        told = subprocess.run(  # noqa: S603  # the user's own cargo, found on their PATH
            command,
            env=dict(environ),
            cwd=manifest.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=CARGO_SECONDS,
            check=True,
        )
        metadata = msgspec.json.decode(told.stdout, type=_Metadata)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError):
        # Without cargo there is still what it has built before.
        return Built(tuple(_programs_in([manifest.parent / "target" / "debug"])), advice)
    targets = [target for package in metadata.packages for target in package.targets]
    # The file's own program first; else those of the package, which the file may be a part of.
    targets.sort(key=lambda target: target.src_path != str(source))
    folder = Path(metadata.target_directory) / "debug"
    places = [_place(folder, target) for target in targets if {"bin", "example"} & set(target.kind)]
    return Built(tuple(path for path in places if path.is_file()), advice)


def _place(folder: Path, target: _Target) -> Path:
    return folder / "examples" / target.name if "example" in target.kind else folder / target.name


def _programs_in(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for path in _files(folder) if _is_program(path)]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _is_program(path: Path) -> bool:
    if path.suffix in _NO_PROGRAM_SUFFIXES or not os.access(path, os.X_OK) or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(4) in _MAGIC
    except OSError:
        return False


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def program_names(programs: Iterable[Path], root: Path) -> list[str]:
    """How programs are told apart in a list: by their path from the project."""
    return [os.path.relpath(program, root) if program.is_relative_to(root) else str(program) for program in programs]
