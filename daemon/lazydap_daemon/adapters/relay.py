"""Owns the way to an adapter that runs elsewhere: copies between its port and our standard streams, and reads nothing.

A program of its own, `relay.py HOST PORT`, so that what is reached by a port is started, watched and ended like what is
started here. Never imported.
"""

import os
import socket
import sys
import threading

CONNECT_SECONDS = 5.0
READ_BYTES = 65536


def main() -> int:
    """The exit status: 1 when nobody could be reached, with one line that says so."""
    host, port = sys.argv[1], int(sys.argv[2])
    try:
        peer = socket.create_connection((host, port), CONNECT_SECONDS)
    except OSError as error:
        sys.stderr.write(f"nobody can be reached on {host}:{port}: {error.strerror or error}\n")
        return 1
    peer.settimeout(None)
    threading.Thread(target=_inwards, args=(peer,), daemon=True).start()
    while data := os.read(0, READ_BYTES):
        try:
            peer.sendall(data)
        except OSError:
            break
    return 0


def _inwards(peer: socket.socket) -> None:
    try:
        while data := peer.recv(READ_BYTES):
            _write(data)
    except OSError:
        pass
    # Whoever reads us learns of the end at once, although the main thread still waits for input.
    os._exit(0)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    sys.exit(main())
