"""Owns where delve is found and how it shows that it works; does not drive it (doc/adapters.md)."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from lazydap_core.discovery.places import Place, Surroundings, in_home, mason, on_path
from lazydap_core.discovery.probing import ask

INSTALL: Final = "delve (`go install github.com/go-delve/delve/cmd/dlv@latest`)"


def places(surroundings: Surroundings) -> Iterator[Place]:
    """Where to look for it, best first."""
    environ = surroundings.environ
    yield from on_path(environ, "dlv")
    for folder in _go_folders(environ):
        yield Place(str(folder), (str(folder / "dlv"),))
    yield from mason(environ, "bin/dlv")


def _go_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    if folder := environ.get("GOBIN"):
        yield Path(folder)
    for folder in environ.get("GOPATH", "").split(os.pathsep):
        if folder:
            yield Path(folder) / "bin"
    if folder := in_home(environ, "go/bin"):
        yield folder


def fault(file: str, environ: Mapping[str, str]) -> str | None:
    """Why this delve is of no use, or None: old ones have no `dap` command."""
    answer = ask((file, "help", "dap"), environ)
    return None if answer.code == 0 and "dap" in answer.output else answer.last_line
