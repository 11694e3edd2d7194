"""Owns where lldb-dap is found and how it shows that it works; does not drive it (doc/adapters.md)."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from lazydap_core.discovery.places import Place, Surroundings, numbered, on_path, path_folders
from lazydap_core.discovery.probing import ask

INSTALL: Final = "lldb-dap (`pip install 'lazydap[lldb]'`, or the lldb package of your system)"
NAMES: Final = ("lldb-dap", "lldb-vscode")
"""The second is what it was called up to LLVM 17."""
LLVM_FOLDERS: Final = "/usr/lib"
HOMEBREW: Final = ("/opt/homebrew/opt/llvm/bin", "/usr/local/opt/llvm/bin")


def serves(file: str) -> bool:
    """Whether a program of this name is an lldb-dap."""
    return any(name in Path(file).name for name in NAMES)


def places(surroundings: Surroundings) -> Iterator[Place]:
    """Where to look for it, best first; a plain name anywhere on PATH goes before one with a number."""
    environ = surroundings.environ
    yield from on_path(environ, "lldb-dap")
    for file in numbered(path_folders(environ), "lldb-dap"):
        yield Place(file, (file,))
    yield from on_path(environ, "lldb-vscode")
    for file in numbered(path_folders(environ), "lldb-vscode"):
        yield Place(file, (file,))
    # The wheel puts it beside the interpreter of the environment that lazydap is installed in.
    own = str(Path(sys.executable).with_name("lldb-dap"))
    yield Place(own, (own,))
    for folder in numbered([LLVM_FOLDERS], "llvm"):
        yield Place(f"{folder}/bin", tuple(f"{folder}/bin/{name}" for name in NAMES))
    if sys.platform == "darwin":
        yield from _of_macos(environ)


def _of_macos(environ: Mapping[str, str]) -> Iterator[Place]:
    for folder in HOMEBREW:
        yield Place(folder, (f"{folder}/lldb-dap",))
    answer = ask(("xcrun", "-f", "lldb-dap"), environ)
    yield Place("xcrun -f lldb-dap", (answer.last_line,) if answer.code == 0 else ())


def fault(file: str, environ: Mapping[str, str]) -> str | None:
    """Why this lldb-dap is of no use, or None: it must describe itself, which it cannot without its library."""
    answer = ask((file, "--help"), environ)
    return None if answer.code == 0 and "lldb" in answer.output.lower() else answer.last_line
