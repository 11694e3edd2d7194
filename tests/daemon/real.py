"""A real daemon process on the test's private folders, and clients that keep every message they were sent."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import psutil

from lazydap_core.paths import Places, places
from lazydap_core.protocol.framing import FrameDecoder
from tests.daemon.serving import envelope

START_FILE = Path(__file__).parents[2] / "daemon" / "lazydap_daemon" / "start.py"
INSTANCE = "x"
PATIENCE = 25.0
"""Seconds for anything that must happen; a busy machine is slow."""

Json = dict[str, Any]


class Peer:
    """A client of one version; `messages` holds whatever came, in order."""

    def __init__(self, stream: anyio.abc.SocketStream, version: int) -> None:
        self._stream = stream
        self._version = version
        self._decoder = FrameDecoder()
        self._last_id = 0
        self._news = anyio.Event()
        self.messages: list[Json] = []

    async def read(self) -> None:
        """Keep what comes until the daemon closes."""
        try:
            while True:
                for body in self._decoder.feed(await self._stream.receive()):
                    self.messages.append(json.loads(body))
                self._tell()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = anyio.Event()

    async def until(self, holds: Callable[[], Any], what: str) -> Any:
        """Wait for messages until `holds()` is true, and give that back."""
        with anyio.move_on_after(PATIENCE):
            while not (found := holds()):
                await self._news.wait()
            return found
        raise AssertionError(f"no {what}; the last messages: {json.dumps(self.messages[-5:], ensure_ascii=False)}")

    async def send(self, request: Any, *, number: int | None = None) -> int:
        """Write one request; returns its id."""
        self._last_id = self._last_id + 1 if number is None else number
        body = envelope(self._last_id, request, version=self._version)
        await self._stream.send(struct.pack(">I", len(body)) + body)
        return self._last_id

    async def answer(self, number: int, *, after: int = 0) -> Json:
        """The whole message that answers request `number`, of those behind the first `after`."""
        return await self.until(
            lambda: next((each for each in self.messages[after:] if each["id"] == number), None),
            f"answer to request {number}",
        )

    async def ask(self, request: Any, *, number: int | None = None) -> Any:
        """The payload of the answer to a request."""
        after = len(self.messages)
        return (await self.answer(await self.send(request, number=number), after=after))["payload"]

    async def told(self, request: Any) -> Any:
        """What the response to a request holds; an error fails the test."""
        payload = await self.ask(request)
        assert "Response" in payload, payload
        response = payload["Response"]
        return response if isinstance(response, str) else next(iter(response.values()))

    async def refused(self, request: Any) -> Json:
        """The error that answers a request."""
        payload = await self.ask(request)
        assert "Error" in payload, payload
        return payload["Error"]

    def events(self, *names: str) -> list[tuple[str, Json]]:
        """The events that came so far, of the named kinds if any are named."""
        found: list[tuple[str, Json]] = []
        for message in self.messages:
            if "Event" in message["payload"]:
                name, event = next(iter(message["payload"]["Event"].items()))
                if not names or name in names:
                    found.append((name, event))
        return found


class RealDaemon:
    """A running daemon of the project at `places.root`."""

    def __init__(self, process: "subprocess.Popen[bytes]", found: Places) -> None:
        self.process = process
        self.places = found

    @asynccontextmanager
    async def peer(self, *channels: str, version: int = 10) -> AsyncGenerator[Peer]:
        """A client, subscribed when channels are named."""
        async with await anyio.connect_unix(self.places.socket) as stream, anyio.create_task_group() as tasks:
            peer = Peer(stream, version)
            tasks.start_soon(peer.read)
            if channels:
                await peer.told({"Subscribe": {"channels": list(channels)}})
            yield peer
            tasks.cancel_scope.cancel()

    async def ended(self) -> int:
        """The exit code, once the daemon has ended."""
        with anyio.fail_after(PATIENCE):
            while self.process.poll() is None:  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.005)
        return self.process.returncode

    def adapters(self) -> list[psutil.Process]:
        """The daemon's children: the adapter, while there is one."""
        return psutil.Process(self.process.pid).children()

    def log(self) -> str:
        """What the daemon has written to its log."""
        return self.places.log.read_text(encoding="utf-8") if self.places.log.exists() else ""


def _started(found: Places, environ: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    with found.log.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-E", START_FILE, "--instance", INSTANCE],
            cwd=found.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0


async def eventually(holds: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Poll until `holds()` is true, and give that back; fails with `what` at the deadline."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, f"after {seconds:g} s: {what}"
        await anyio.sleep(0.005)
    return found


@asynccontextmanager
async def real_daemon(root: Path, environ: Mapping[str, str] | None = None) -> AsyncGenerator[RealDaemon]:
    """The daemon of the project `root`; it is ended with the block, and must then end well."""
    environ = {**os.environ, **(environ or {})}
    for name in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"):
        environ.pop(name, None)
    found = places(root, instance=INSTANCE, environ=environ)
    process = _started(found, environ)
    daemon = RealDaemon(process, found)
    try:
        await eventually(lambda: _answers(found.socket) or process.poll() is not None, "nobody listens")
        assert process.poll() is None, daemon.log()
        yield daemon
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        assert await daemon.ended() == 0, daemon.log()
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
