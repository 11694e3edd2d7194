"""Owns the yardstick: an adapter driven with nothing between, one step and its top frame at a time."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio

from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.adapters.process import started
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.connection import Connection, Event
from lazydap_daemon.dap.errors import StreamBroken

LIMIT = 20.0

T = TypeVar("T")


class RawAdapter:
    """A stopped program under an adapter; `step` moves it and returns the milliseconds to its new top frame."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stopped = anyio.Event()
        self.thread_id = 0

    def on_stopped(self, event: Event) -> None:
        """Note a stop."""
        self.thread_id = event.decode(dap.StoppedBody).thread_id or self.thread_id
        self._stopped.set()

    async def wait_stopped(self) -> None:
        """Wait for the next stop that has not been waited for."""
        with anyio.fail_after(LIMIT):
            await self._stopped.wait()
        self._stopped = anyio.Event()

    async def step(self) -> float:
        """One `next` and the top frame of its stop, in milliseconds."""
        began = time.perf_counter()
        await self._to_frame()
        return (time.perf_counter() - began) * 1000

    async def step_to_locals(self) -> float:
        """One `next`, the top frame of its stop and that frame's locals, in milliseconds."""
        began = time.perf_counter()
        frame = await self._to_frame()
        scopes = await self._ask("scopes", {"frameId": frame.id}, dap.ScopesBody)
        await self._ask("variables", {"variablesReference": scopes.scopes[0].variables_reference}, dap.VariablesBody)
        return (time.perf_counter() - began) * 1000

    async def _to_frame(self) -> dap.StackFrame:
        await self._connection.send("next", {"threadId": self.thread_id})
        await self.wait_stopped()
        arguments = {"threadId": self.thread_id, "startFrame": 0, "levels": 1}
        return (await self._ask("stackTrace", arguments, dap.StackTraceBody)).stack_frames[0]

    async def _ask(self, command: str, arguments: dict[str, Any], shape: type[T]) -> T:
        return (await self._connection.request(command, arguments, timeout=LIMIT)).decode(shape)

    async def resume(self) -> None:
        """Continue to the next stop."""
        await self._connection.send("continue", {"threadId": self.thread_id})
        await self.wait_stopped()


@asynccontextmanager
async def raw_adapter(driver: Driver, plan: LaunchPlan, source: str, line: int) -> AsyncGenerator[RawAdapter]:
    """Launch `plan` under its adapter, stopped at a breakpoint on `line` of `source`."""
    initialized = anyio.Event()

    def on_event(event: Event) -> None:
        if event.name == "initialized":
            initialized.set()
        elif event.name == "stopped":
            adapter.on_stopped(event)

    async def read() -> None:
        try:
            await connection.run()
        except StreamBroken:
            return

    async with started(driver, plan) as process, anyio.create_task_group() as tasks:
        connection = Connection(process.stream, on_event=on_event)
        adapter = RawAdapter(connection)
        tasks.start_soon(read)
        await connection.request("initialize", driver.initialize_arguments(), timeout=LIMIT)
        launched = await connection.send("launch", driver.launch_arguments(plan))
        with anyio.fail_after(LIMIT):
            await initialized.wait()
        breakpoints: dict[str, Any] = {"source": {"path": source}, "breakpoints": [{"line": line}]}
        await connection.request("setBreakpoints", breakpoints, timeout=LIMIT)
        await connection.request("configurationDone", {}, timeout=LIMIT)
        await launched.reply(LIMIT)
        await adapter.wait_stopped()
        yield adapter
        await connection.request("disconnect", {"terminateDebuggee": True}, timeout=LIMIT)
        tasks.cancel_scope.cancel()
