"""Owns the daemon's start and its exit code; the one place that knows every room, and nothing of what they do."""

import argparse
import logging
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import TaskStatus

from lazydap_core.config import read_config
from lazydap_core.discovery.finding import find
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import ConfigInvalid, InvalidProjectRoot, LazydapError
from lazydap_core.paths import Places, places
from lazydap_daemon.log import complain, start_log
from lazydap_daemon.server.dispatch import Identity
from lazydap_daemon.server.hub import Hub
from lazydap_daemon.server.listener import Listener, refuse_if_answering
from lazydap_daemon.server.server import Server
from lazydap_daemon.session.engine import Engine
from lazydap_daemon.session.finding import find_driver
from lazydap_daemon.store.project import ProjectStore

log = logging.getLogger("daemon.ipc")

DEFAULT_IDLE_MINUTES: Final = 240.0
_RELATIVE_TO_START: Final = ("LAZYDAP_CONFIG_PATH", "XDG_CONFIG_HOME")


def main(arguments: Sequence[str]) -> int:
    """Run the daemon of the project that the working directory lies in until it ends; returns its exit code."""
    options = _options(arguments)
    try:
        found = places(_start_folder(), instance=options.instance, environ=os.environ)
        start_log(found.log, os.environ)
        _leave_start_folder()
        anyio.run(_serve, found, _idle_exit(), backend="asyncio")
    except LazydapError as error:
        complain(error.code, error.message, error.details)
        return 1
    except Exception:
        # The last thing a daemon can do for the person who has lost a session is to say why.
        log.exception("the daemon ends on a fault of its own")
        return 1
    log.info("ended")
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lazydap daemon", description="Run this project's daemon.")
    parser.add_argument("--instance", metavar="NAME", help="name of the instance instead of the project's own")
    parser.add_argument("--foreground", action="store_true", help="accepted for old callers; it always stays in front")
    return parser.parse_args(arguments)


def _start_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise InvalidProjectRoot(f"the working directory cannot be read ({error}): go to one that exists") from error


def _leave_start_folder() -> None:
    """Hold no folder open: it may be on a disk that somebody wants to take away."""
    for name in _RELATIVE_TO_START:
        if value := os.environ.get(name):
            os.environ[name] = str(Path(value).absolute())
    os.chdir("/")


def _idle_exit() -> float | None:
    """Seconds after which an unused daemon ends; None is never."""
    # A broken configuration keeps no daemon from starting: the command that needs it will say so.
    try:
        minutes = read_config(os.environ).idle_exit_minutes
    except ConfigInvalid as error:
        log.warning("%s", error.message)
        minutes = DEFAULT_IDLE_MINUTES
    return minutes * 60 or None


async def _serve(found: Places, idle_exit: float | None) -> None:
    refuse_if_answering(found)
    # Before the socket is taken: a state file that cannot be read leaves nothing behind.
    project = ProjectStore.load(found.root, aside=found.unsaved)
    listener = await Listener.bound(found)
    try:
        async with anyio.create_task_group() as tasks:
            hub = Hub()
            server = Server(
                identity=Identity(instance=found.instance, root=found.root),
                listener=listener,
                engine=Engine(project=project, publish=hub.publish, tasks=tasks, find_driver=find_driver),
                project=project,
                hub=hub,
                locate=_locate,
                idle_exit=idle_exit,
            )
            await tasks.start(_end_on_signal, server)
            log.info(
                "daemon listening",
                extra={"fields": {"instance": found.instance, "socket": found.socket, "pid": os.getpid()}},
            )
            await server.run()
            tasks.cancel_scope.cancel()
    finally:
        await project.put_away()
        listener.release()


async def _end_on_signal(server: Server, *, task_status: TaskStatus[None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for number in signals:
            # Only the first has an effect: a second must not cut off the end that the first began.
            server.end(f"{signal.Signals(number).name} received")


def _locate(kind: AdapterKind) -> str:
    return find(kind, environ=os.environ, config=read_config(os.environ)).adapter_command
