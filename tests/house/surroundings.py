"""Owns the environment variables that tests run with; knows nothing of pytest."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.house.leaks import MARK

_SCRUBBED = frozenset(
    {
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "FORCE_COLOR",
        "LINES",
        "MYVIMRC",
        "NO_COLOR",
        "NVIM",
        "NVIM_APPNAME",
        "NVIM_LISTEN_ADDRESS",
        "NVIM_LOG_FILE",
        "NVIM_RPLUGIN_MANIFEST",
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "VIMINIT",
        "VIMRUNTIME",
        "VIRTUAL_ENV",
    }
)

# Toolchains that keep their programs in the home folder are still found after it has been exchanged.
_TOOL_FOLDERS = {
    "CARGO_HOME": ".cargo",
    "GOCACHE": ".cache/go-build",
    "GOMODCACHE": "go/pkg/mod",
    "PYENV_ROOT": ".pyenv",
    "RUSTUP_HOME": ".rustup",
}


@dataclass(frozen=True)
class Folders:
    """Private folders of one test; short, because a socket path over 100 bytes is refused."""

    home: Path
    config: Path
    data: Path
    state: Path
    cache: Path
    runtime: Path

    def variables(self) -> dict[str, str]:
        """The variables that send every program to these folders."""
        return {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.config),
            "XDG_DATA_HOME": str(self.data),
            "XDG_STATE_HOME": str(self.state),
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "LAZYDAP_RUNTIME_DIR": str(self.runtime / "l"),
            "LAZYDAP_DATA_DIR": str(self.data / "l"),
        }


def folders(root: Path) -> Folders:
    """Make the private folders under `root`, readable by us alone."""
    made = Folders(*(root / name for name in ("h", "c", "d", "s", "k", "r")))
    for folder in (root, made.home, made.config, made.data, made.state, made.cache, made.runtime):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return made


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without what an editor, a virtual environment or a user's settings put there.

    Programs of our own environment (dlv, lldb-dap, nvim) come last on PATH, so nothing of the machine is hidden.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if name not in _SCRUBBED and (name == MARK or not name.startswith(("LAZYDAP_", "XDG_")))
    }
    home = Path(environ.get("HOME", "/"))
    for name, place in _TOOL_FOLDERS.items():
        if name not in kept and (home / place).is_dir():
            kept[name] = str(home / place)
    kept["PATH"] = f"{kept.get('PATH', os.defpath)}{os.pathsep}{Path(sys.executable).parent}"
    return kept
