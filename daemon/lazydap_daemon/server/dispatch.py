"""Owns what is checked of a request and who answers it; knows no socket."""

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

import msgspec

import lazydap_core
from lazydap_core.errors import BadRequest, DaemonInternalError, LazydapError
from lazydap_core.protocol import codec, events, failures, requests, responses
from lazydap_core.protocol.additions import exceptions, muting, named
from lazydap_core.protocol.additions.state_file import StateFile
from lazydap_core.protocol.dialect import FEATURES, NEWEST, is_spoken
from lazydap_core.protocol.objects import AdapterBreakpoint, WatchStatus
from lazydap_daemon.server.connection import Connection, Reply, version_mismatch
from lazydap_daemon.server.doctor import Doctor, Locate
from lazydap_daemon.server.engine import SessionEngine
from lazydap_daemon.server.hub import Hub
from lazydap_daemon.server.saving import as_saved, changes_project
from lazydap_daemon.store.project import ProjectStore, WatchChange
from lazydap_daemon.store.reconciling import External

log = logging.getLogger("daemon.ipc")

_REQUESTS: Final[frozenset[type]] = frozenset(get_args(requests.Request))


class Identity(msgspec.Struct, frozen=True):
    """Which daemon this is; `started` is its start on the clock of `time.monotonic`."""

    instance: str
    root: Path
    pid: int = msgspec.field(default_factory=os.getpid)
    started: float = msgspec.field(default_factory=time.monotonic)

    @property
    def uptime_ms(self) -> int:
        """Milliseconds since the start."""
        return round((time.monotonic() - self.started) * 1000)


class Dispatcher:
    """Answers every request: what concerns daemon and watches itself, the rest through the session engine."""

    def __init__(
        self,
        *,
        identity: Identity,
        engine: SessionEngine,
        project: ProjectStore,
        hub: Hub,
        locate: Locate,
        on_shutdown: Callable[[str], None],
    ) -> None:
        self._identity = identity
        self._engine = engine
        self._project = project
        self._hub = hub
        self._on_shutdown = on_shutdown
        self._doctor = Doctor(identity.instance, identity.pid, project, locate)
        project.on_external = self._announce_external
        project.on_health = self._announce_health

    async def answer(self, connection: Connection, envelope: codec.Envelope) -> Reply:
        """The reply to one message; every failure becomes one, cancellation passes."""
        try:
            request = _checked(envelope)
            return await self._dispatched(connection, request, envelope.version)
        except LazydapError as error:
            return Reply(failures.error_payload(error))
        except Exception as error:
            # A fault of ours in one request must not end everybody's session; the log has the whole of it.
            log.exception("a fault while answering %s", type(envelope.payload).__name__)
            fault = DaemonInternalError(f"a fault in the daemon ({type(error).__name__}): `lazydap logs` has more")
            return Reply(failures.error_payload(fault))

    async def _dispatched(self, connection: Connection, request: requests.Request, asked: int) -> Reply:
        version = asked if is_spoken(asked) else NEWEST
        if changes_project(request):
            self._project.catch_up()
        payload = await self._answered(connection, request, version)
        if changes_project(request):
            await self._project.saved()
        return Reply(as_saved(payload, self._project), is_last=isinstance(payload, responses.ShuttingDown))

    async def _answered(  # noqa: PLR0911 - one case a request
        self, connection: Connection, request: requests.Request, version: int
    ) -> responses.Response:
        match request:
            case requests.Subscribe():
                return self._subscribed(connection, request, version)
            case requests.Ping():
                return self._pong(version)
            case requests.Status():
                return self._status(version)
            case requests.Version():
                return responses.Version(lazydap=lazydap_core.__version__, protocol=version)
            case requests.Doctor():
                return await self._doctor.examined(request, version)
            case requests.Shutdown():
                return await self._shutting_down()
            case requests.WatchList():
                return self._watches(WatchChange("listed", self._project.watches), is_dry_run=False)
            case requests.WatchAdd():
                return self._watched(self._project.add_watch(request.watch, dry_run=request.dry_run), request)
            case requests.WatchRemove():
                change = self._project.remove_watches(request.selector, dry_run=request.dry_run)
                return self._watched(change, request)
            case _:
                return await self._engine.handle(request)

    def _subscribed(self, connection: Connection, request: requests.Subscribe, version: int) -> responses.Status:
        # Nothing may be awaited between these: the snapshot and the first event leave no gap.
        connection.subscribe(frozenset(request.channels), version)
        self._hub.join(connection)
        return self._status(version)

    def _pong(self, version: int) -> responses.Pong:
        return responses.Pong(
            version=version,
            instance=self._identity.instance,
            uptime_ms=self._identity.uptime_ms,
            features=FEATURES,
        )

    def _status(self, version: int) -> responses.Status:
        return responses.Status(
            instance=self._identity.instance,
            daemon_pid=self._identity.pid,
            uptime_ms=self._identity.uptime_ms,
            protocol_version=version,
            lazydap_version=lazydap_core.__version__,
            session=self._engine.summary(),
            root=str(self._identity.root),
            muted=self._project.is_muted,
        )

    async def _shutting_down(self) -> responses.ShuttingDown:
        session = self._engine.summary()
        not_saved = await self._project.put_away()
        self._on_shutdown("a client asked for it")
        return responses.ShuttingDown(sessions=(session,) if session else (), not_saved=not_saved)

    def _watched(self, change: WatchChange, request: requests.WatchAdd | requests.WatchRemove) -> responses.Watches:
        if change.has_changed:
            for watch in change.watches:
                self._hub.publish(events.WatchUpdated(watch_id=watch.id))
        return self._watches(change, is_dry_run=request.dry_run)

    def _watches(self, change: WatchChange, *, is_dry_run: bool) -> responses.Watches:
        return responses.Watches(
            action=change.action,
            dry_run=is_dry_run,
            watches=tuple(WatchStatus(id=w.id, expression=w.expression, label=w.label) for w in change.watches),
            not_found=change.not_found,
        )

    def _announce_health(self, overruled: str | None) -> None:
        self._hub.publish(StateFile(not_saved=self._project.not_saved, overruled=overruled))

    def _announce_external(self, external: External) -> None:
        self._engine.follow(external)
        for entry in external.breakpoints:
            update = AdapterBreakpoint(id=entry.id, verified=False, line=entry.line)
            self._hub.publish(events.BreakpointUpdated(breakpoint=update))
        for adapter in dict.fromkeys(choice.adapter for choice in external.exception_filters):
            self._hub.publish(exceptions.ExceptionFiltersChanged(adapter=adapter))
        for entry in external.function_breakpoints:
            told = AdapterBreakpoint(id=entry.id, verified=False)
            self._hub.publish(named.FunctionBreakpointUpdated(breakpoint=told))
        if external.has_mute_changed:
            self._hub.publish(muting.MuteChanged(muted=self._project.is_muted))
        for watch in external.watches:
            self._hub.publish(events.WatchUpdated(watch_id=watch.id))


def _checked(envelope: codec.Envelope) -> requests.Request:
    """The request in `envelope`; raises BadRequest when it holds none, VersionMismatch when it cannot be served."""
    payload = envelope.payload
    if type(payload) not in _REQUESTS:
        raise BadRequest("only requests are answered: put one into `payload`")
    if is_spoken(envelope.version) or isinstance(payload, (requests.Ping, requests.Shutdown)):
        return payload  # pyright: ignore[reportReturnType]  # membership by class is what a union of structs is
    raise version_mismatch(envelope.version)
