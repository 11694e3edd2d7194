"""Owns a stand-in for the plugin host: writes down what it is told, plays batches on demand.

It speaks msgpack-rpc itself, because starting pynvim would cost every test of a command half a second.
"""

import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

# It comes with pynvim, without types.
msgpack: Any = importlib.import_module("msgpack")


def main(heard: Path) -> None:
    """Serve the editor on standard input and output until it closes them."""
    # An editor that ends says so, and sends this signal in the same breath.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    unpacker: Any = msgpack.Unpacker(unicode_errors="surrogateescape")
    while data := os.read(0, 65536):
        unpacker.feed(data)
        for kind, *rest in unpacker:
            if kind == 2:
                on_notification(heard, rest[0], rest[1])


def on_notification(heard: Path, name: str, args: list[str]) -> None:
    """Write a message down, or pass a batch on; Neovim's answer to that is read and forgotten."""
    if name == "lazydap":
        with heard.open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{args[0]}\n")
    elif name == "play":
        packed: Any = msgpack.packb([0, 1, "nvim_exec_lua", ["require('lazydap.draw').apply(...)", [args[0]]]])
        os.write(1, packed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
