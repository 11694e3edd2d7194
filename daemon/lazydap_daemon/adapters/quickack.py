"""Runs debugpy's adapter so that its sockets acknowledge at once; a script on its own, which imports nothing of ours.

The debuggee's side sends each message in two small writes. The second waits for the acknowledgement of the first, which
the adapter's kernel delays by some 40 ms, on every round trip (doc/adapters.md, "Latency"). `TCP_QUICKACK` does away
with the delay; the option does not last, so it is set again before each read. Where it does not exist, the sockets are
left as they are.
"""

import os
import runpy
import socket
from typing import Any

from debugpy.common import log


class _PromptSocket(socket.socket):
    """A socket that acknowledges what it is about to read without delay."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        if self.type == socket.SOCK_STREAM and self.family in {socket.AF_INET, socket.AF_INET6}:
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return super().recv_into(*args, **kwargs)


def _describe_nothing(header: str) -> None:
    del header


def main() -> None:
    """Become `python -m debugpy.adapter`."""
    if hasattr(socket, "TCP_QUICKACK"):
        # Listening sockets, `accept` and debugpy itself all look the class up by this name.
        socket.socket = _PromptSocket
    if "DEBUGPY_LOG_DIR" not in os.environ:
        # A list of all installed packages for a log that is not written: a third of the adapter's start.
        log.describe_environment = _describe_nothing
    runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
