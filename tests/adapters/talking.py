"""A bare client of one adapter, for tests: the handshake, events to wait for, and nothing of a session."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import msgspec
import psutil

from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.adapters.process import AdapterProcess, started
from lazydap_daemon.dap.connection import Body, Connection, Event
from lazydap_daemon.dap.errors import StreamBroken
from lazydap_daemon.dap.messages import (
    Breakpoint,
    Capabilities,
    SetBreakpointsBody,
    StackFrame,
    StackTraceBody,
    StoppedBody,
)

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds for anything that must happen; a busy machine is slow."""


class Talk:
    """One conversation; `events` holds everything that came, in order."""

    def __init__(self, driver: Driver, plan: LaunchPlan, process: AdapterProcess) -> None:
        self.driver = driver
        self.plan = plan
        self.process = process
        self.events: list[Event] = []
        self.noise = b""
        self.broken: str | None = None
        self.connection = Connection(process.stream, on_event=self._on_event, on_noise=self._on_noise)
        self.capabilities = Capabilities()
        if driver.noise_is_output:
            process.on_noise = self._on_process_noise
        self._seen = 0
        self._news = anyio.Event()

    def _on_event(self, event: Event) -> None:
        self.events.append(event)
        self._wake()

    def _on_noise(self, noise: bytes) -> None:
        self.noise += noise

    def _on_process_noise(self, text: str) -> None:
        body = msgspec.json.encode({"category": "stdout", "output": text})
        self._on_event(Event("output", Body("output", msgspec.Raw(body))))

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()

    async def run(self) -> None:
        """Read until the stream breaks; `broken` then says why."""
        try:
            await self.connection.run()
        except StreamBroken as error:
            self.broken = error.detail
        self._wake()

    async def expect(self, name: str, where: Callable[[Event], bool] = lambda _: True) -> Event:
        """The next event of that name that `where` accepts, after the last one that was expected."""
        with anyio.fail_after(PATIENCE):
            while True:
                for index in range(self._seen, len(self.events)):
                    event = self.events[index]
                    if event.name == name and where(event):
                        self._seen = index + 1
                        return event
                news = self._news
                assert self.broken is None, f"no {name}: {self.broken}; {self.process.ending()}"
                await news.wait()

    async def expect_broken(self) -> str:
        """What happened to the stream."""
        with anyio.fail_after(PATIENCE):
            while self.broken is None:
                await self._news.wait()
        return self.broken

    async def stopped(self) -> StoppedBody:
        """The next stop."""
        return (await self.expect("stopped")).decode(StoppedBody)

    async def said(self, text: str) -> str:
        """All that the program has written to its standard output, once it has written `text`."""
        with anyio.fail_after(PATIENCE):
            while text not in self.output("stdout"):
                news = self._news
                assert self.broken is None, f"it never said {text!r}: {self.output('stdout')!r}"
                await news.wait()
        return self.output("stdout")

    def output(self, category: str) -> str:
        """All text of that category so far."""
        bodies = [event.plain() for event in self.events if event.name == "output"]
        return "".join(body["output"] for body in bodies if body.get("category") == category)

    async def launch(
        self, breakpoints: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    ) -> dict[str, tuple[Breakpoint, ...]]:
        """The whole handshake; the adapter's opinion of the breakpoints of each file."""
        initialize = self.driver.initialize_arguments()
        self.capabilities = await self.request_as(Capabilities, "initialize", initialize)
        launch = await self.connection.send("launch", self.driver.launch_arguments(self.plan))
        await self.expect("initialized")
        opinions: dict[str, tuple[Breakpoint, ...]] = {}
        for path, asked in (breakpoints or {}).items():
            opinions[path] = await self.set_breakpoints(path, asked)
        await self.request("configurationDone")
        await launch.reply(PATIENCE)
        return opinions

    async def set_breakpoints(self, path: str, asked: Sequence[Mapping[str, Any]]) -> tuple[Breakpoint, ...]:
        """The adapter's opinion of each."""
        arguments = {"source": {"path": path}, "breakpoints": list(asked)}
        return (await self.request_as(SetBreakpointsBody, "setBreakpoints", arguments)).breakpoints

    async def request(self, command: str, **arguments: Any) -> Any:
        """The answer's body, as plain values."""
        return (await self.connection.request(command, arguments or None, timeout=PATIENCE)).plain()

    async def request_as(self, shape: type[T], command: str, arguments: Mapping[str, Any]) -> T:
        """The answer's body, as `shape`."""
        return await self.connection.request_as(shape, command, arguments, timeout=PATIENCE)

    async def top_frame(self, thread: int | None) -> StackFrame:
        """Where that thread stands."""
        arguments = {"threadId": thread, "startFrame": 0, "levels": 1}
        return (await self.request_as(StackTraceBody, "stackTrace", arguments)).stack_frames[0]

    async def move(self, command: str, thread: int | None) -> StoppedBody:
        """An execution request, and the stop it comes to."""
        await self.request(command, threadId=thread)
        return await self.stopped()


def session_members(session: int) -> list[int]:
    """The live processes of that session."""
    members: list[int] = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process.pid)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return members


@asynccontextmanager
async def talking(driver: Driver, plan: LaunchPlan) -> AsyncGenerator[Talk]:
    """A running adapter, and its conversation."""
    async with started(driver, plan) as process:
        talk = Talk(driver, plan, process)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(talk.run)
            yield talk
            tasks.cancel_scope.cancel()
