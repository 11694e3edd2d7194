"""Owns `daemon`: becoming the daemon's own process; never imports the daemon."""

import os
import sys
from typing import NoReturn

from lazydap_cli.call import Call
from lazydap_core.client.starting import daemon_environment, daemon_start_file


def run(call: Call) -> NoReturn:
    """Replace this process by the daemon of this folder's project."""
    places = call.places
    # The daemon finds its root from where it stands, as one started by a client does.
    os.chdir(places.root)
    command = [sys.executable, "-E", str(daemon_start_file()), "--instance", places.instance]
    os.execve(sys.executable, command, daemon_environment(places, call.environ))  # noqa: S606  # our own interpreter and file
