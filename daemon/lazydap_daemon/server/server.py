"""Owns the daemon's life between its first client and its end; knows no request and no adapter."""

import logging
import socket
from typing import Final

import anyio
from anyio.abc import TaskGroup

from lazydap_core.domain.words import LIVE_STATES
from lazydap_daemon.server.connection import Connection
from lazydap_daemon.server.dispatch import Dispatcher, Identity
from lazydap_daemon.server.doctor import Locate
from lazydap_daemon.server.engine import SessionEngine
from lazydap_daemon.server.hub import Hub
from lazydap_daemon.server.listener import Listener
from lazydap_daemon.store.project import ProjectStore

log = logging.getLogger("daemon.ipc")

DRAIN_SECONDS: Final = 5.0
"""How long requests under way may take to be answered once the daemon ends."""
SESSION_SECONDS: Final = 8.0
"""How long the engine may take to end its session; it has bounds of its own, this one is for when they fail."""
IDLE_LOOKS: Final = 60
LONGEST_IDLE_LOOK: Final = 60.0
"""Idleness is looked at this many times in its limit, but at least once in so many seconds."""


class Server:
    """Accepts clients until it is asked to end, then ends everything in order (doc/architecture.md, "Shutdown").

    `engine` and `listener` are used from `run` on. `idle_exit` is the number of seconds without client, session and
    unsaved change after which it ends by itself; None is never.
    """

    def __init__(
        self,
        *,
        identity: Identity,
        listener: Listener,
        engine: SessionEngine,
        project: ProjectStore,
        hub: Hub,
        locate: Locate,
        idle_exit: float | None = None,
    ) -> None:
        self._listener = listener
        self._engine = engine
        self._project = project
        self._hub = hub
        self._idle_exit = idle_exit
        self._connections: dict[Connection, None] = {}
        self._clients_so_far = 0
        self._ending = anyio.Event()
        self._last_left = anyio.Event()
        self._failure: OSError | None = None
        self._dispatcher = Dispatcher(
            identity=identity,
            engine=engine,
            project=project,
            hub=hub,
            locate=locate,
            on_shutdown=self.end,
        )

    @property
    def is_ending(self) -> bool:
        """True once the end was asked for."""
        return self._ending.is_set()

    def end(self, reason: str) -> None:
        """Begin to end; asking again is harmless."""
        if not self._ending.is_set():
            log.info("ending: %s", reason)
            self._ending.set()

    async def run(self) -> None:
        """Serve until the end was asked for and has been carried out; the socket is released then.

        Raises OSError when the listening socket broke; everything is ended in order before.
        """
        async with anyio.create_task_group() as tasks:
            accepting = anyio.CancelScope()
            tasks.start_soon(self._project.run_flusher)
            tasks.start_soon(self._accept, tasks, accepting)
            tasks.start_soon(self._listener.keep)
            if self._idle_exit is not None:
                tasks.start_soon(self._end_when_idle, self._idle_exit)
            await self._ending.wait()
            accepting.cancel()
            await self._end_all()
            tasks.cancel_scope.cancel()
        if self._failure is not None:
            raise self._failure

    async def _accept(self, tasks: TaskGroup, scope: anyio.CancelScope) -> None:
        with scope:
            try:
                while True:
                    tasks.start_soon(self._serve, await self._listener.accepted())
            except OSError as error:
                self._failure = error
                self.end(f"no more clients can be accepted: {error}")

    async def _serve(self, client: socket.socket) -> None:
        self._clients_so_far += 1
        connection = Connection(client, self._clients_so_far, self._dispatcher.answer)
        self._connections[connection] = None
        try:
            await connection.serve()
        except Exception:
            # A fault of ours on one connection must not end everybody's session.
            log.exception("a fault on the connection of client %d", connection.number)
        finally:
            self._hub.leave(connection)
            del self._connections[connection]
            if not self._connections:
                self._last_left.set()

    async def _end_when_idle(self, limit: float) -> None:
        idle_since, clients = anyio.current_time(), self._clients_so_far
        while True:
            await anyio.sleep(min(limit / IDLE_LOOKS, LONGEST_IDLE_LOOK))
            if self._is_used() or clients != self._clients_so_far:
                idle_since, clients = anyio.current_time(), self._clients_so_far
            elif anyio.current_time() - idle_since >= limit:
                self.end(f"nobody has used this daemon for {limit / 60:g} minutes")
                return

    def _is_used(self) -> bool:
        session = self._engine.summary()
        is_live = session is not None and session.state in LIVE_STATES
        return is_live or bool(self._connections) or self._project.has_unsaved

    async def _end_all(self) -> None:
        for connection in tuple(self._connections):
            connection.finish()
        # Saved before the socket goes: whoever starts the next daemon waits for that, and it reads this file.
        await self._project.flush()
        self._listener.release()
        async with anyio.create_task_group() as ending:
            ending.start_soon(self._drain)
            with anyio.move_on_after(SESSION_SECONDS) as limit:
                await self._engine.shutdown()
            if limit.cancelled_caught:
                log.error("the session did not end in %.0f s: its adapter may still run", SESSION_SECONDS)
        not_saved = await self._project.put_away()
        if not_saved is not None:
            log.error("%s", not_saved)

    async def _drain(self) -> None:
        with anyio.move_on_after(DRAIN_SECONDS):
            await self._all_left()
        for connection in tuple(self._connections):
            log.warning("client %d is hung up on: its request was not answered in time", connection.number)
            connection.abandon()
        await self._all_left()

    async def _all_left(self) -> None:
        while self._connections:
            self._last_left = anyio.Event()
            await self._last_left.wait()
