"""Runs debugpy's adapter, prompt and without idle work; a script on its own, which imports nothing of ours.

The debuggee's side sends each message in two small writes. The second waits for the acknowledgement of the first, which
the adapter's kernel delays by some 40 ms, on every round trip (doc/adapters.md, "Latency"). `TCP_QUICKACK` does away
with the delay; the option does not last, so it is set again before each read. Where it does not exist, the sockets are
left as they are.

Each of debugpy's processes lists all installed packages, for a log that is written only where `DEBUGPY_LOG_DIR` says
so. Here that is left out; in the launcher and the program by way of `debugpy_launcher.py`.
"""

import os
import runpy
import socket
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from debugpy.common import log

# It has no types.
launchers: Any = import_module("debugpy.adapter.launchers")
_LAUNCHER = str(Path(__file__).with_name("debugpy_launcher.py"))
_spawn_debuggee: Callable[..., None] = launchers.spawn_debuggee


class _PromptSocket(socket.socket):
    """A socket that acknowledges what it is about to read without delay."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        if self.type == socket.SOCK_STREAM and self.family in {socket.AF_INET, socket.AF_INET6}:
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return super().recv_into(*args, **kwargs)


def _describe_nothing(header: str) -> None:
    del header


def _spawn_quietly(session: Any, request: Any, python: list[str], *rest: Any) -> None:
    """Put our script before debugpy's folder, in the launcher's command and in the program's.

    The launcher adds the option for frozen modules behind our script, where it has no effect: so it stands before it
    as well. An older Python takes no notice of it.
    """
    request.arguments["python"] += ["-X", "frozen_modules=off", _LAUNCHER]
    _spawn_debuggee(session, request, [*python, _LAUNCHER], *rest)


def main() -> None:
    """Become `python -m debugpy.adapter`."""
    if hasattr(socket, "TCP_QUICKACK"):
        # Listening sockets, `accept` and debugpy itself all look the class up by this name.
        socket.socket = _PromptSocket
    if "DEBUGPY_LOG_DIR" not in os.environ:
        log.describe_environment = _describe_nothing
        launchers.spawn_debuggee = _spawn_quietly
    runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
