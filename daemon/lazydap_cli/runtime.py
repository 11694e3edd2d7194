"""Owns where the part of lazydap lies that Neovim reads, with doc/ in it; starts no editor."""

from pathlib import Path

from lazydap_cli.failure import CommandFailed


def runtime_folder() -> Path:
    """The folder to put on Neovim's runtimepath: the checkout, or in a wheel a folder beside the host.

    Raises CommandFailed where neither is there.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package.parents[1], package.parent / "lazydap_nvim" / "runtime"):
        if (candidate / "plugin" / "lazydap.lua").is_file():
            return candidate
    raise CommandFailed(f"the Neovim plugin is missing beside {package}: install lazydap again")
