"""A server on a real socket in the test's own process, and a client that writes and reads bare frames."""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import AdapterNotFound
from lazydap_core.paths import Places
from lazydap_core.protocol.framing import FrameDecoder
from lazydap_daemon.server.dispatch import Identity
from lazydap_daemon.server.doctor import Locate
from lazydap_daemon.server.hub import Hub
from lazydap_daemon.server.listener import Listener
from lazydap_daemon.server.server import Server
from lazydap_daemon.session.engine import Engine
from lazydap_daemon.session.finding import find_driver
from lazydap_daemon.store.project import ProjectStore
from tests.fakes.engine import ScriptedEngine

DEADLINE = 10.0
INSTANCE = "t"
ALL_CHANNELS = (
    "session_started",
    "session_ended",
    "stopped",
    "continued",
    "output",
    "breakpoint_updated",
    "thread_changed",
    "watch_updated",
)


class RawClient:
    """One connection, frame by frame; nothing of lazydap's client code, so nothing it would hide."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self.stream = stream
        self._decoder = FrameDecoder()
        self._bodies: list[bytes] = []
        self._last_id = 0

    async def send_bytes(self, data: bytes) -> None:
        """Write as it is."""
        await self.stream.send(data)

    async def send_body(self, body: bytes) -> None:
        """Write one frame."""
        await self.send_bytes(struct.pack(">I", len(body)) + body)

    async def send(self, request: Any, *, version: int = 10, id: int | None = None) -> int:  # noqa: A002
        """Write one request; returns its id."""
        self._last_id = self._last_id + 1 if id is None else id
        await self.send_body(envelope(self._last_id, request, version=version))
        return self._last_id

    async def read(self) -> dict[str, Any]:
        """The next message, as JSON."""
        with anyio.fail_after(DEADLINE):
            while not self._bodies:
                self._bodies += self._decoder.feed(await self.stream.receive())
        return json.loads(self._bodies.pop(0))

    async def ask(self, request: Any, *, version: int = 10) -> Any:
        """The answer to a request, which must be the next message; its payload."""
        number = await self.send(request, version=version)
        answer = await self.read()
        assert answer["id"] == number
        return answer["payload"]

    async def subscribe(self, *channels: str, version: int = 10) -> Any:
        """The snapshot that a subscription begins with."""
        return (await self.ask({"Subscribe": {"channels": list(channels)}}, version=version))["Response"]["Status"]

    async def event(self) -> Any:
        """The next message, which must be an event."""
        message = await self.read()
        assert message["id"] == 0
        return message["payload"]["Event"]

    async def is_closed(self) -> bool:
        """True when the daemon has closed and nothing more is there to read."""
        with anyio.fail_after(DEADLINE):
            try:
                return self._bodies == [] and await self.stream.receive() == b""
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return True


class Served:
    """A running server and its parts."""

    def __init__(self, server: Server, engine: ScriptedEngine, hub: Hub, store: ProjectStore, places: Places) -> None:
        self.server = server
        self.engine = engine
        self.hub = hub
        self.store = store
        self.places = places
        self.has_ended = anyio.Event()

    @asynccontextmanager
    async def client(self, *channels: str, version: int = 10) -> AsyncGenerator[RawClient]:
        """A client, subscribed when channels are named."""
        async with await anyio.connect_unix(self.places.socket) as stream:
            client = RawClient(stream)
            if channels:
                await client.subscribe(*channels, version=version)
            yield client

    async def run(self) -> None:
        """Serve until the end."""
        await self.server.run()
        self.has_ended.set()

    async def ended(self, within: float = DEADLINE) -> None:
        """Wait for the end."""
        with anyio.fail_after(within):
            await self.has_ended.wait()


def envelope(number: int, request: Any, *, version: int = 10) -> bytes:
    """The body of a request as a client of `version` writes it."""
    return json.dumps(
        {"version": version, "id": number, "payload": {"Request": request}}, ensure_ascii=False, separators=(",", ":")
    ).encode()


def places_of(folder: Path, environ: Mapping[str, str]) -> Places:
    """The places of a project in `folder` under the test's private folders."""
    runtime, data = Path(environ["LAZYDAP_RUNTIME_DIR"]), Path(environ["LAZYDAP_DATA_DIR"])
    for made in (runtime, data, folder):
        made.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Places(root=folder, instance=INSTANCE, runtime=runtime, data=data)


def no_adapter(kind: AdapterKind) -> str:
    """A machine without any adapter."""
    raise AdapterNotFound(f"no {kind} is installed")


@asynccontextmanager
async def serving(
    places: Places, *, locate: Locate = no_adapter, idle_exit: float | None = None, whole: bool = False
) -> AsyncGenerator[Served]:
    """A server on `places` with a scripted engine, or the true one (`whole`); it is ended with the block."""
    store = ProjectStore.load(places.root, aside=places.unsaved)
    hub = Hub()
    scripted = ScriptedEngine(store, hub)
    listener = await Listener.bound(places)
    try:
        async with anyio.create_task_group() as tasks:
            true = Engine(project=store, publish=hub.publish, tasks=tasks, find_driver=find_driver)
            server = Server(
                identity=Identity(instance=places.instance, root=places.root),
                listener=listener,
                engine=true if whole else scripted,
                project=store,
                hub=hub,
                locate=locate,
                idle_exit=idle_exit,
            )
            served = Served(server, scripted, hub, store, places)
            tasks.start_soon(served.run)
            yield served
            server.end("the test is over")
    finally:
        listener.release()


@asynccontextmanager
async def hosted(places: Places) -> AsyncGenerator[Served]:
    """As `serving`, for a fixture: its two halves run in two tasks, which no task group can span."""
    running: asyncio.Future[Served] = asyncio.get_running_loop().create_future()
    is_over = anyio.Event()

    async def serve() -> None:
        async with serving(places) as made:
            running.set_result(made)
            await is_over.wait()

    task = asyncio.ensure_future(serve())
    await asyncio.wait([task, running], return_when=asyncio.FIRST_COMPLETED)
    yield running.result()
    is_over.set()
    await task


def blocking_socket(path: Path) -> socket.socket:
    """A client that takes nothing off its socket unless told to."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(DEADLINE)
    client.connect(str(path))
    return client
