"""Owns the search for the program that serves a launch; knows of an adapter only its file in this folder."""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec

from lazydap_core.config import Config, config_path
from lazydap_core.discovery import codelldb, debugpy, delve, lldb_dap
from lazydap_core.discovery.places import Place, Surroundings, is_executable
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import AdapterNotFound

Program = Literal["codelldb", "lldb-dap", "debugpy", "delve"]


class Found(msgspec.Struct, frozen=True):
    """A program that serves launches of `kind`: how the adapter is started.

    `interpreter` is the debuggee's Python, for debugpy; `formatters` the folder of scripts that show the debuggee's
    types, for an adapter that brings none.
    """

    kind: AdapterKind
    program: Program
    command: tuple[str, ...]
    interpreter: str | None = None
    formatters: str | None = None

    @property
    def adapter_command(self) -> str:
        """What a launch names: the adapter, for debugpy the interpreter of the program to debug."""
        return self.interpreter or self.command[0]


class _Finder(msgspec.Struct, frozen=True):
    """What one file of this folder knows. `what` is what a person would miss."""

    what: str
    install: str
    places: Callable[[Surroundings], Iterator[Place]]
    fault: Callable[[str, Mapping[str, str]], str | None]


_FINDERS: Final[Mapping[Program, _Finder]] = {
    "codelldb": _Finder("codelldb", codelldb.INSTALL, codelldb.places, codelldb.fault),
    "lldb-dap": _Finder("lldb-dap", lldb_dap.INSTALL, lldb_dap.places, lldb_dap.fault),
    "debugpy": _Finder("Python for the program", debugpy.INSTALL, debugpy.places, debugpy.fault),
    "delve": _Finder("delve", delve.INSTALL, delve.places, delve.fault),
}
_PROGRAMS: Final[Mapping[AdapterKind, tuple[Program, ...]]] = {
    "codelldb": ("codelldb", "lldb-dap"),
    "debugpy": ("debugpy",),
    "delve": ("delve",),
}


def find(
    kind: AdapterKind,
    *,
    environ: Mapping[str, str],
    config: Config,
    pinned: str | None = None,
    program: Path | None = None,
    root: Path | None = None,
    adapter: str | None = None,
    probe: bool = True,
) -> Found:
    """The program that serves launches of `kind`, each candidate being asked whether it works.

    A path that is `pinned` or configured is taken or refused, never passed over. `program` and `root` are the program
    to debug and its project: a `.venv` in the folder of the one, in that of the other or between them counts. `adapter`
    asks for one of the programs that serve the kind. `probe=False` takes the first that is executable, unasked.

    Raises AdapterNotFound: with `configured` in the details for a path that is no program, `found` and `hint` for one
    that does not work, and `searched` with every place that was looked at. Takes seconds when a candidate hangs.
    """
    programs: tuple[Program, ...] = tuple(name for name in _PROGRAMS[kind] if adapter is None or adapter == name)
    if not programs:
        raise AdapterNotFound(
            f"{adapter} does not serve {kind}: it is one of {', '.join(_PROGRAMS[kind])}", adapter=kind
        )
    folders = _folders(program, root)
    search = _Search(kind, environ, probe=probe, folder=next((str(f) for f in folders if f.is_dir()), None))
    if pinned is not None:
        serving = "lldb-dap" if kind == "codelldb" and lldb_dap.serves(pinned) else programs[0]
        return search.named(serving, pinned)
    surroundings = Surroundings(environ, folders)
    for name in programs:
        if (configured := config.commands.get(name)) is not None:
            return search.named(name, configured)
        if found := search.everywhere(name, surroundings):
            return found
    raise search.failure(programs)


def _folders(program: Path | None, root: Path | None) -> tuple[Path, ...]:
    if program is None:
        return () if root is None else (root,)
    folder = program.absolute().parent
    if root is None or not folder.is_relative_to(root):
        return (folder,) if root is None else (folder, root)
    between = [parent for parent in folder.parents if parent.is_relative_to(root)]
    return (folder, *between)


class _Search:
    """One search: what was looked at, and the first program that was there and did not work."""

    def __init__(self, kind: AdapterKind, environ: Mapping[str, str], *, probe: bool, folder: str | None) -> None:
        self._kind: AdapterKind = kind
        self._environ = environ
        self._probe = probe
        self._folder = folder
        self._searched: list[str] = []
        self._unusable: tuple[Program, str, str] | None = None

    @property
    def searched(self) -> list[str]:
        """Every place that was looked at, in order."""
        return list(dict.fromkeys(self._searched))

    def named(self, program: Program, path: str) -> Found:
        """What somebody has named, or AdapterNotFound."""
        file = os.path.abspath(path)  # noqa: PTH100  # a link's own path decides which environment a Python belongs to
        if not is_executable(file):
            raise AdapterNotFound(
                f"{path} is no program that can be run: correct the path, or take it out of the configuration",
                adapter=self._kind,
                configured=path,
            )
        if reason := self._fault(program, file):
            raise self._does_not_work(program, file, reason)
        return self._found(program, file)

    def everywhere(self, program: Program, surroundings: Surroundings) -> Found | None:
        """The first that works, or None."""
        for place in _FINDERS[program].places(surroundings):
            self._searched.append(place.label)
            for file in filter(is_executable, place.files):
                reason = self._fault(program, file)
                if reason is None:
                    return self._found(program, file)
                self._unusable = self._unusable or (program, file, reason)
        return None

    def failure(self, programs: tuple[Program, ...]) -> AdapterNotFound:
        """The error for a search that found nothing that works."""
        if self._unusable:
            return self._does_not_work(*self._unusable)
        finders = [_FINDERS[program] for program in programs]
        return AdapterNotFound(
            f"no {' and no '.join(finder.what for finder in finders)} was found: install"
            f" {' or '.join(finder.install for finder in finders)}, or {self._advice(programs[0])}",
            adapter=self._kind,
            searched=self.searched,
        )

    def _fault(self, program: Program, file: str) -> str | None:
        return _FINDERS[program].fault(file, self._environ) if self._probe else None

    def _does_not_work(self, program: Program, file: str, reason: str) -> AdapterNotFound:
        return AdapterNotFound(
            f"{file} does not work ({reason}): mend it, or {self._advice(program)}",
            adapter=self._kind,
            found=file,
            hint=reason,
            searched=self.searched,
        )

    def _advice(self, program: Program) -> str:
        return f"set adapter.{program}.command in {config_path(self._environ)}"

    def _found(self, program: Program, file: str) -> Found:
        if program != "debugpy":
            return Found(self._kind, program, (file,))
        if importlib.util.find_spec("debugpy") is None:
            raise AdapterNotFound(
                f"debugpy is missing beside lazydap: `{sys.executable} -m pip install debugpy`", adapter=self._kind
            )
        return Found(
            self._kind,
            program,
            (sys.executable, "-m", "debugpy.adapter"),
            interpreter=debugpy.behind(file, self._environ, self._folder),
        )
