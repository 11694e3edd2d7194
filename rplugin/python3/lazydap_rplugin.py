"""The classic way to start the plugin host, for `vim.g.lazydap = {host = 'remote-plugin'}`; inert unless called."""

import sys
from pathlib import Path

import pynvim


@pynvim.plugin
class LazydapRemotePlugin:
    """One function, so that the manifest lists it; Lua starts the host as a process of its own otherwise."""

    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._nvim = nvim
        self._host = None

    @pynvim.function("_LazydapHost", allow_nested=True)
    def host(self, args: list[str]) -> None:
        """Hand one notification of Lua to the host, which is started by the first one."""
        if self._host is None:
            # The checkout, whatever linked here; an installed wheel has its packages on the path already.
            root = Path(__file__).resolve().parents[2]
            if (root / "lazydap_core").is_dir():
                sys.path[:0] = [entry for entry in (str(root), str(root / "rplugin")) if entry not in sys.path]
            from lazydap_nvim.main import Guest  # noqa: PLC0415 - nothing of ours loads during registration

            self._host = Guest(self._nvim)
        self._host.receive(*args)
