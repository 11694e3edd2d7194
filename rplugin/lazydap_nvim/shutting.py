"""Owns ending a project's daemon, of whatever version it is."""

from pathlib import Path, PurePath

from lazydap_core.client.blocking import BlockingClient, send_shutdown
from lazydap_core.errors import DaemonUnreachable, VersionMismatch
from lazydap_core.protocol import requests
from lazydap_nvim.host import Host
from lazydap_nvim.threads import in_thread
from lazydap_nvim.verbs import Shutdown

SECONDS = 30.0


async def shut_down(host: Host, verb: Shutdown) -> None:
    """`:Lazydap shutdown`: one line, said by the link that breaks where there is one. Raises LazydapError."""
    root = host.root_of(verb.where.file) or host.root_of(verb.where.cwd)
    if root is None:
        host.editor.say("this file is in no project: no daemon to end")
        return
    link = host.link_to(root)
    was_up = link.is_up
    if not await in_thread(_was_asked, link.places.socket):
        host.editor.say(f"{PurePath(root).name}: no daemon runs")
    elif not was_up:
        host.editor.say(f"{PurePath(root).name}: the daemon was told to end: the next command starts another")


def _was_asked(socket: Path) -> bool:
    try:
        with BlockingClient.connect(socket) as client:
            client.request(requests.Shutdown(), SECONDS)
    except VersionMismatch as error:
        send_shutdown(socket, error.details["daemon_version"])
    except DaemonUnreachable:
        return False
    return True
