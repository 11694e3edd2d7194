"""Owns where a Rust toolchain keeps what shows its types in LLDB; knows nothing of the adapter that is told."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from lazydap_core.discovery.places import in_home, is_executable, on_path
from lazydap_core.discovery.probing import ask

SCRIPT: Final = "lldb_lookup.py"
COMMANDS: Final = "lldb_commands"
BELOW: Final = "lib/rustlib/etc"


def formatters(environ: Mapping[str, str], folder: str | None) -> Path | None:
    """The folder with `SCRIPT` and `COMMANDS` of the toolchain that is used in `folder`; None where there is none.

    Takes seconds when a compiler hangs.
    """
    # A folder may name a toolchain that is not there, which rustup would fetch.
    offline = {**environ, "RUSTUP_AUTO_INSTALL": "0"}
    for compiler in filter(is_executable, _compilers(environ)):
        answer = ask((compiler, "--print", "sysroot"), offline, folder=folder)
        found = Path(answer.last_line) / BELOW
        if answer.code == 0 and all((found / name).is_file() for name in (SCRIPT, COMMANDS)):
            return found
    return None


def _compilers(environ: Mapping[str, str]) -> Iterator[str]:
    for place in on_path(environ, "rustc"):
        yield from place.files
    if (own := environ.get("CARGO_HOME")) or (own := in_home(environ, ".cargo")):
        yield str(Path(own) / "bin" / "rustc")
