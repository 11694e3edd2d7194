"""A simulated program behind an adapter that lives in the test's own process: thousands of sessions a minute."""

import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import msgspec

from lazydap_daemon.dap.codec import MessageDecoder, encode
from lazydap_daemon.dap.errors import StreamBroken
from tests.fakes.program import ProgramSpec, Refusal, SimulatedProgram

Json = dict[str, Any]


class InMemoryAdapter:
    """Plays adapter and adapter process at once; `kill` breaks its stream as SIGKILL would."""

    def __init__(self, spec: ProgramSpec) -> None:
        self.pid = 0
        self.keep: int | None = None
        self.exited = anyio.Event()
        self.stderr_tail = ""
        self.stream = self
        self._events: list[Json] = []
        self._program = SimulatedProgram(spec, self._events.append)
        self._decoder = MessageDecoder()
        self._send, self._receive = anyio.create_memory_object_stream[bytes](10_000)
        self._launch: Json | None = None
        self._seq = 0
        self._nudge = anyio.Event()

    def ending(self) -> str:
        """What became of it."""
        return "the adapter is gone"

    def signal(self, number: signal.Signals) -> None:
        """Any signal ends it."""
        del number
        self.kill()

    def kill(self) -> None:
        """Break the stream."""
        self._send.close()
        self.exited.set()

    def inject(self, event: str, body: Json) -> None:
        """Emit an event that the program did not cause."""
        self._emit({"type": "event", "event": event, "body": body})

    async def run(self) -> None:
        """Execute the program while it runs."""
        while not self.exited.is_set():
            pause = self._program.run()
            self._flush()
            nudge = self._nudge
            with anyio.move_on_after(pause if pause is not None else 60):
                await nudge.wait()
                self._nudge = anyio.Event()

    def write(self, data: bytes) -> None:
        """Requests to the adapter."""
        if self.exited.is_set():
            raise StreamBroken("has closed its input")
        for body in self._decoder.feed(data):
            self._answer(msgspec.json.decode(body))
        self._nudge.set()

    async def drained(self) -> None:
        """Everything is taken at once."""
        await anyio.lowlevel.checkpoint()

    async def pump(self, receive: Callable[[bytes], None]) -> str:
        """What the adapter has written."""
        async for data in self._receive:
            receive(data)
        return "closed its stream"

    def close(self) -> None:
        """Forget it."""
        self._send.close()
        self._receive.close()

    def _answer(self, request: Json) -> None:
        command = request["command"]
        match command:
            case "launch":
                self._launch = request
                self._program.stop_on_entry = request["arguments"]["stopOnEntry"]
                self._emit({"type": "event", "event": "initialized"})
            case "configurationDone":
                self._reply(request, {})
                if self._launch is not None:
                    self._reply(self._launch, {})
                self._program.start()
            case "disconnect":
                if self._program.state != "ended":
                    self._program.end(9)
                self._flush()
                self._reply(request, {})
            case _:
                try:
                    body = self._program.handle(command, request.get("arguments") or {})
                except Refusal as refusal:
                    self._reply(request, {}, refusal=str(refusal))
                else:
                    self._reply(request, body)
        self._flush()

    def _reply(self, request: Json, body: Json, *, refusal: str | None = None) -> None:
        answer: Json = {
            "type": "response",
            "request_seq": request["seq"],
            "command": request["command"],
            "success": refusal is None,
            "body": body,
        }
        self._emit(answer if refusal is None else answer | {"message": refusal})

    def _flush(self) -> None:
        events, self._events[:] = self._events[:], []
        for event in events:
            self._emit(event)

    def _emit(self, message: Json) -> None:
        self._seq += 1
        try:
            self._send.send_nowait(encode({"seq": self._seq, **message}))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return


def in_memory(spec: ProgramSpec, made: list[InMemoryAdapter]) -> Callable[..., Any]:
    """A stand-in for `adapters.process.started`; every adapter it makes is appended to `made`."""

    @asynccontextmanager
    async def started(driver: Any, plan: Any) -> AsyncGenerator[InMemoryAdapter]:
        del driver, plan
        adapter = InMemoryAdapter(spec)
        made.append(adapter)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(adapter.run)
            try:
                yield adapter
            finally:
                tasks.cancel_scope.cancel()
                adapter.close()

    return started
