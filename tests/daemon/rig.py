"""The session engine on a scripted adapter, with everything it publishes, for tests that need no socket."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio

from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.session.engine import Engine
from lazydap_daemon.store.project import ProjectStore
from tests.fakes.program import Line, ProgramSpec
from tests.fakes.scripted import Script, ScriptedDebugpy, ScriptedDelve, ScriptedLldb

T = TypeVar("T")

WAIT = objects.Wait(timeout_ms=5000)
NO_WAIT = objects.NoWait()
DEADLINE = 5.0

LOOP = tuple(Line(line=number, locals={"x": number}) for number in (2, 3, 4))
STRAIGHT = (
    Line(line=1, locals={"x": 5}),
    Line(line=2, locals={"x": 5}, output="one\n"),
    Line(line=3, depth=1, function="area", locals={"w": 5, "h": 2}),
    Line(line=4, locals={"x": 6}, output="two\n"),
    Line(line=5, locals={"x": 7}),
)


class Rig:
    """An engine whose next launch runs `script`."""

    def __init__(self, engine: Engine, store: ProjectStore, folder: Path, published: list[events.Event]) -> None:
        self.engine = engine
        self.store = store
        self.folder = folder
        self.published = published
        self.source = str(folder / "program.c")
        self.driver: Any = None
        self.session_id: Any = None

    def play(self, script: Script | ProgramSpec, *, like: str = "lldb-dap") -> Any:
        """Choose what the next launch meets; returns its driver, which has the record."""
        drivers = {"lldb-dap": ScriptedLldb, "debugpy": ScriptedDebugpy, "delve": ScriptedDelve}
        self.driver = drivers[like](script, self.folder)
        return self.driver

    def program(self, trace: Sequence[Line] = STRAIGHT, **manners: Any) -> ProgramSpec:
        """A simulated program at the rig's source."""
        return ProgramSpec(path=self.source, trace=trace, **manners)

    async def launch(self, *, stop_on_entry: bool = True, **options: Any) -> responses.Launched:
        """Launch; the session is the one that later calls mean."""
        launched = await self.engine.handle(
            requests.Launch(
                adapter="codelldb",
                program=str(self.folder / "program"),
                args=(),
                cwd=str(self.folder),
                env={},
                stop_on_entry=stop_on_entry,
                options=options or None,
            )
        )
        assert isinstance(launched, responses.Launched)
        self.session_id = launched.session_id
        return launched

    async def start(
        self, trace: Sequence[Line] = STRAIGHT, *, stop_on_entry: bool = True, like: str = "lldb-dap", **manners: Any
    ) -> None:
        """Launch a simulated program."""
        self.play(self.program(trace, **manners), like=like)
        await self.launch(stop_on_entry=stop_on_entry)

    async def resume(self, wait: objects.WaitMode = WAIT, *, all_threads: bool = False) -> Any:
        """Continue."""
        return await self.engine.handle(
            requests.Continue(session_id=self.session_id, wait=wait, all_threads=all_threads)
        )

    async def step(self, kind: Any = "over", wait: objects.WaitMode = WAIT, thread_id: int | None = None) -> Any:
        """Step."""
        return await self.engine.handle(
            requests.Step(session_id=self.session_id, kind=kind, wait=wait, thread_id=thread_id)
        )

    async def pause(self, wait: objects.WaitMode = WAIT) -> Any:
        """Pause."""
        return await self.engine.handle(requests.Pause(session_id=self.session_id, wait=wait))

    async def await_stop(self, timeout_ms: int = 5000) -> Any:
        """Wait without moving anything."""
        return await self.engine.handle(requests.AwaitStop(session_id=self.session_id, timeout_ms=timeout_ms))

    async def disconnect(self, *, terminate: bool = True, dry_run: bool = False) -> Any:
        """Disconnect."""
        return await self.engine.handle(
            requests.Disconnect(session_id=self.session_id, terminate=terminate, dry_run=dry_run)
        )

    async def add(self, line: int, *, dry_run: bool = False, **modifiers: Any) -> responses.Breakpoints:
        """Put a breakpoint on a line of the rig's source."""
        wanted = objects.NewBreakpoint(source=self.source, line=line, enabled=True, **modifiers)
        answer = await self.engine.handle(requests.BreakpointAdd(breakpoint=wanted, dry_run=dry_run))
        assert isinstance(answer, responses.Breakpoints)
        return answer

    async def listed(self) -> tuple[objects.BreakpointStatus, ...]:
        """The project's breakpoints."""
        answer = await self.engine.handle(requests.BreakpointList())
        assert isinstance(answer, responses.Breakpoints)
        return answer.breakpoints

    def of(self, kind: type[T]) -> list[T]:
        """The published events of one kind."""
        return [event for event in self.published if isinstance(event, kind)]

    @property
    def state(self) -> str | None:
        """The session's state."""
        summary = self.engine.summary()
        return None if summary is None else summary.state

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition, at most `DEADLINE` seconds."""
        with anyio.fail_after(DEADLINE):
            while not condition():  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.001)

    async def eventually(self, holds: Callable[[], Awaitable[object]]) -> None:
        """Ask until the answer is yes, at most `DEADLINE` seconds."""
        with anyio.fail_after(DEADLINE):
            while not await holds():  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.001)


@asynccontextmanager
async def hosted_rig(folder: Path) -> AsyncGenerator[Rig]:
    """A rig for a fixture: its task group has a task of its own, because a fixture is set up and torn down in two."""
    is_over = asyncio.Event()
    is_ready: asyncio.Future[Rig] = asyncio.get_running_loop().create_future()

    async def host() -> None:
        async with rig(folder) as made:
            is_ready.set_result(made)
            await is_over.wait()

    task = asyncio.get_running_loop().create_task(host())
    yield await is_ready
    is_over.set()
    await task


@asynccontextmanager
async def rig(folder: Path) -> AsyncGenerator[Rig]:
    """A rig in `folder`; whatever it runs is ended with it."""
    (folder / "program.c").write_text("\n" * 20)
    published: list[events.Event] = []
    store = ProjectStore.load(folder)

    async def find_driver(plan: LaunchPlan) -> Any:
        del plan
        return made.driver

    async with anyio.create_task_group() as tasks:
        engine = Engine(project=store, publish=published.append, tasks=tasks, find_driver=find_driver)
        made = Rig(engine, store, folder, published)
        try:
            yield made
        finally:
            with anyio.CancelScope(shield=True):
                await engine.shutdown()
            tasks.cancel_scope.cancel()
