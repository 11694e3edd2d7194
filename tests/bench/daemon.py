"""Owns measuring the daemon at its socket: requests, waits, subscribers, memory."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import anyio
import psutil

from lazydap_core.client.blocking import BlockingClient
from lazydap_core.protocol import events, objects, requests
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.driver import LaunchPlan
from tests.bench.programs import PYTHON, line_of
from tests.bench.project import WAIT, BenchProject, bench_project
from tests.bench.raw import raw_adapter
from tests.bench.table import Row, row

REQUESTS = 2000
STEPS = 100
SUBSCRIBERS = 50
REQUEST_TARGET_MS = 0.3
STEP_WAIT_TARGET_MS = 8.0
MEMORY_TARGET_MIB = 45.0
SUBSCRIBED_RATIO = 2.0
CHANNELS = ("stopped", "continued", "stop_detail")


def rows() -> Sequence[Row]:
    """The rows of one daemon, idle and with a session under debugpy."""
    with bench_project() as project, project.connect() as client:
        idle = _memory(project)
        found = [
            row(
                "raw request on an open connection",
                [_timed(client, requests.Status()) for _ in range(REQUESTS)],
                "ms",
                "<= 0.3 ms",
                lambda p50: p50 <= REQUEST_TARGET_MS,
            ),
            row("daemon memory, idle", [idle], "MiB", "<= 45 MiB", lambda p50: p50 <= MEMORY_TARGET_MIB),
        ]
        found.append(row("raw debugpy: step, top frame and its locals", _raw(project), "ms", ""))
        session_id = project.launch(client)
        step = requests.Step(session_id=session_id, kind="over", wait=WAIT)
        found.append(
            row(
                "Step with wait over the socket, debugpy",
                [_timed(client, step) for _ in range(STEPS)],
                "ms",
                "<= 8 ms",
                lambda p50: p50 <= STEP_WAIT_TARGET_MS,
            )
        )
        found += _subscribed(project, client, session_id)
        found.append(
            row(
                "daemon memory, in a session",
                [_memory(project)],
                "MiB",
                "<= 45 MiB",
                lambda p50: p50 <= MEMORY_TARGET_MIB,
            )
        )
    return found


def _raw(project: BenchProject) -> list[float]:
    plan = LaunchPlan(kind="debugpy", program=str(project.program), cwd=str(project.folder), root=str(project.folder))

    async def measure() -> list[float]:
        line = line_of(PYTHON, "loop")
        async with raw_adapter(DebugpyDriver(interpreter=None), plan, str(project.program), line) as adapter:
            return [await adapter.step_to_locals() for _ in range(STEPS)]

    return anyio.run(measure)


def _timed(client: BlockingClient, request: requests.Request) -> float:
    began = time.perf_counter()
    client.request(request)
    return (time.perf_counter() - began) * 1000


def _memory(project: BenchProject) -> float:
    process: psutil.Process = project.daemon()
    return process.memory_info().rss / 2**20


def _subscribed(project: BenchProject, client: BlockingClient, session_id: Any) -> list[Row]:
    with project.connect() as watcher:
        watcher.request(requests.Subscribe(channels=CHANNELS))
        alone = [_step_seen(client, watcher, session_id) for _ in range(STEPS)]
        with ExitStack() as stack:
            others = [stack.enter_context(project.connect()) for _ in range(SUBSCRIBERS - 1)]
            for other in others:
                other.request(requests.Subscribe(channels=CHANNELS))
            crowded = [_step_seen(client, watcher, session_id) for _ in range(STEPS)]
    one = row("Step to its stop's frame, one subscriber", alone, "ms", "")
    limit = SUBSCRIBED_RATIO * one.p50
    return [
        one,
        row("... with 50 subscribers", crowded, "ms", f"<= {limit:.2f} ms", lambda p50: p50 <= limit),
    ]


def _step_seen(client: BlockingClient, watcher: BlockingClient, session_id: Any) -> float:
    while watcher.next_event(0.02) is not None:
        pass
    began = time.perf_counter()
    client.request(requests.Step(session_id=session_id, kind="over", wait=objects.NoWait()))
    for event in watcher.events(10):
        if isinstance(event, events.StopDetail) and event.stop.frame is not None:
            return (time.perf_counter() - began) * 1000
    raise TimeoutError("no stop was seen")
