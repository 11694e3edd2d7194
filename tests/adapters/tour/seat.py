"""Owns one session on a chosen adapter, the real one or the fake codelldb, with an engine of the test's own process."""

import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

import anyio
import anyio.to_thread
import psutil

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import DaemonError
from lazydap_core.protocol import objects, requests, responses
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.delve import DelveDriver
from lazydap_daemon.adapters.driver import Driver
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from lazydap_daemon.session.session import Session
from tests.adapters.real import dlv, lldb_dap
from tests.adapters.talking import session_members
from tests.adapters.tour import programs
from tests.daemon.rig import Rig, hosted_rig
from tests.fakes.codelldb_driver import FakeCodelldb
from tests.fakes.codelldb_program import CodelldbSpec
from tests.fakes.program import ProgramSpec
from tests.fixtures import go_programs
from tests.fixtures.programs import Program

AdapterName = Literal["debugpy", "lldb-dap", "codelldb", "delve"]
ADAPTERS: Final[tuple[AdapterName, ...]] = get_args(AdapterName)
PATIENCE: Final = 25.0
"""Seconds for anything that must happen; a busy machine is slow."""

WAIT: Final = objects.Wait(timeout_ms=int(PATIENCE * 1000))
NO_WAIT: Final = objects.NoWait()

_KINDS: Final[Mapping[AdapterName, AdapterKind]] = {
    "debugpy": "debugpy",
    "lldb-dap": "codelldb",
    "codelldb": "codelldb",
    "delve": "delve",
}
_TEXTS: Final[Mapping[AdapterName, Program]] = {
    "debugpy": programs.PYTHON,
    "lldb-dap": programs.C,
    "codelldb": programs.C,
    "delve": programs.GO,
}


@dataclass(frozen=True)
class Built:
    """The tour's source, and what is launched of it."""

    source: Path
    program: Path


class Seat:
    """What a client does with one program, in few words; `tells` notes what the adapter's row of the page says."""

    def __init__(self, rig: Rig, adapter: AdapterName, built: Built) -> None:
        self.adapter: AdapterName = adapter
        self.built = built
        self.text = _TEXTS[adapter]
        self.told: dict[str, str] = {}
        self.fake: FakeCodelldb | None = None
        self._rig = rig
        self._session_id: Any = None

    def tells(self, feature: str, how: str) -> None:
        """Note what became of a feature with this adapter."""
        assert self.told.setdefault(feature, how) == how

    def of(self, **cells: str) -> str:
        """The text for this adapter; `other` where it has none of its own."""
        return cells.get(self.adapter.replace("-", "_"), cells.get("other", ""))

    # Breakpoints.

    async def add(self, marker: str, *, below: int = 0, **modifiers: Any) -> objects.BreakpointStatus:
        """Put a breakpoint on the marked line, or `below` it."""
        return await self.add_line(self.text.line(marker) + below, **modifiers)

    async def add_line(self, line: int, **modifiers: Any) -> objects.BreakpointStatus:
        """Put a breakpoint on a line."""
        parts: dict[str, Any] = {"source": str(self.built.source), "enabled": True}
        wanted = objects.NewBreakpoint(line=line, **(parts | modifiers))
        return (await self.ask(requests.BreakpointAdd(breakpoint=wanted, dry_run=False))).breakpoints[0]

    async def remove(self, *ids: int) -> None:
        """Take these breakpoints away, or all."""
        selector = objects.ByIds(ids=ids) if ids else objects.Everything()
        await self.ask(requests.BreakpointRemove(selector=selector, dry_run=False))

    async def listed(self) -> dict[int, objects.BreakpointStatus]:
        """The breakpoints, by id."""
        return {each.id: each for each in (await self.ask(requests.BreakpointList())).breakpoints}

    # Moving.

    async def launch(self, part: str, *, entry: bool = True, **parts: Any) -> responses.Launched:
        """Launch that part of the tour."""
        self._rig.driver = self._driver(part)
        wanted: dict[str, Any] = {
            "adapter": _KINDS[self.adapter],
            "program": str(self.built.program),
            "args": (part,),
            "cwd": str(self.built.source.parent),
            "env": {},
            "stop_on_entry": entry,
        }
        launched = await self.ask(requests.Launch(**(wanted | parts)))
        self._session_id = launched.session_id
        return launched

    async def resume(self, wait: objects.WaitMode = WAIT) -> Any:
        """Continue, and say where the program is then."""
        return await self.ask(requests.Continue(session_id=self._session_id, wait=wait, all_threads=False))

    async def step(self, kind: Any = "over") -> Any:
        """Step, and say where the program is then."""
        return await self.ask(requests.Step(session_id=self._session_id, kind=kind, wait=WAIT))

    async def step_to(self, function: str, marker: str, kind: Any = "over") -> Any:
        """Step until that line, a few times at most."""
        for _ in range(4):
            stop = await self.step(kind)
            assert (stop.state, stop.reason) == ("paused", "step")
            if place(stop) == (function, self.text.line(marker)):
                return stop
        raise AssertionError(f"never came to @{marker}")

    async def pause(self) -> Any:
        """Pause, and say where the program is then."""
        return await self.ask(requests.Pause(session_id=self._session_id, wait=WAIT))

    async def disconnect(self, *, terminate: bool = True) -> responses.Disconnected:
        """End the session."""
        return await self.ask(requests.Disconnect(session_id=self._session_id, terminate=terminate, dry_run=False))

    # Looking.

    async def evaluate(self, expression: str) -> responses.Evaluated:
        """The value of an expression in the top frame."""
        request = requests.Eval(session_id=self._session_id, expression=expression, frame_id=None, context="watch")
        return await self.ask(request)

    async def rows(self, reference: int, **parts: Any) -> responses.Variables:
        """Rows of a container."""
        parts = {"filter": "all"} | parts
        return await self.ask(requests.Variables(session_id=self._session_id, variables_reference=reference, **parts))

    async def locals_at_stop(self) -> tuple[objects.Variable, ...]:
        """The first locals of the stop that a launch came to, or is yet to come to."""
        await self.until(lambda: self.session.state != "running")
        standing = self.session.stop
        assert standing is not None
        with anyio.fail_after(PATIENCE):
            await standing.locals_known.wait()
        assert standing.locals is not None
        return standing.locals.variables

    async def stack(self, **parts: Any) -> responses.StackTrace:
        """Frames of a thread."""
        return await self.ask(requests.StackTrace(session_id=self._session_id, **parts))

    async def source(self, reference: int | None) -> responses.SourceText:
        """The text behind a frame's source reference."""
        assert reference is not None
        return await self.ask(requests.Source(session_id=self._session_id, source_reference=reference))

    async def threads(self) -> tuple[objects.ThreadInfo, ...]:
        """The threads."""
        return (await self.ask(requests.Threads(session_id=self._session_id))).threads

    async def printed(self, *categories: str) -> str:
        """What came in these categories so far; without any, what the program printed to both of its streams."""
        wanted = categories or ("stdout", "stderr")
        chunks = (await self.ask(requests.Output(session_id=self._session_id))).chunks
        text = "".join(chunk.output for chunk in chunks if chunk.category in wanted)
        # LLDB gives its programs a terminal, which ends lines so.
        return text.replace("\r\n", "\n")

    async def until_printed(self, text: str) -> None:
        """Wait until the program has printed `text`."""
        with anyio.fail_after(PATIENCE):
            while text not in await self.printed():  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.01)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until `holds()` is true."""
        with anyio.fail_after(PATIENCE):
            while not holds():  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.005)

    def of_kind(self, kind: type[Any]) -> list[Any]:
        """The events of that kind so far."""
        return self._rig.of(kind)

    @property
    def session(self) -> Session:
        """The session in the slot."""
        occupant = self._rig.engine._occupant  # pyright: ignore[reportPrivateUsage]
        assert occupant is not None
        return occupant.session

    async def program_pid(self) -> int:
        """The program's process."""
        await self.until(lambda: self.session.debuggee)
        debuggee = self.session.debuggee
        assert debuggee is not None
        return debuggee.pid

    async def refusal(self, request: str, *arguments: Any, **parts: Any) -> DaemonError:
        """The error that answers one of the requests above."""
        try:
            await getattr(self, request)(*arguments, **parts)
        except DaemonError as error:
            return error
        raise AssertionError(f"{request} was not refused")

    async def ask(self, request: Any) -> Any:
        """The answer to any request."""
        return await self._rig.engine.handle(request)

    def _driver(self, part: str) -> Driver:
        match self.adapter:
            case "debugpy":
                return DebugpyDriver(interpreter=sys.executable)
            case "lldb-dap":
                return LldbDapDriver(executable=(lldb_dap(),))
            case "delve":
                return DelveDriver(executable=(dlv(),))
            case "codelldb":
                trace, manners = programs.trace(part)
                below = programs.C.line("first") + 1
                spec = ProgramSpec(path=str(self.built.source), trace=trace, moves={below: below + 2}, **manners)
                self.fake = FakeCodelldb(CodelldbSpec(program=spec, pace=0.1), self.built.source.parent)
                return self.fake


def place(stop: Any) -> tuple[str, int]:
    """Where a stop is: the function's name, bare, and the line."""
    frame = stop.user_frame or stop.frame
    return frame.name.partition("(")[0].removeprefix("main."), frame.line


def value(stop: Any, name: str) -> str:
    """The value of a local variable at a stop."""
    (found,) = [row.value for row in stop.locals.variables if row.name == name]
    return found


def is_gone(pid: int) -> bool:
    """Whether there is no such process any more; one that nobody has waited for is none."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@asynccontextmanager
async def seated(adapter: AdapterName, folder: Path) -> AsyncGenerator[Seat]:
    """A seat with a project in `folder`; no process of any of its sessions may be left in the end."""
    built = await anyio.to_thread.run_sync(_built, adapter, folder)
    async with hosted_rig(folder) as rig:
        seat = Seat(rig, adapter, built)
        yield seat
    assert seat.fake is None or not seat.fake.faults(), seat.fake.faults()


def left_of(pid: int) -> list[int]:
    """The live processes of the adapter with that pid."""
    return session_members(pid)


def _built(adapter: AdapterName, folder: Path) -> Built:
    match adapter:
        case "debugpy":
            source = programs.PYTHON.write(folder)
            return Built(source, source)
        case "codelldb":
            source = programs.C.write(folder)
            (folder / "tour").touch(0o755)
            return Built(source, folder / "tour")
        case "lldb-dap":
            return _built_c()
        case "delve":
            return _built_go()


@cache
def _built_c() -> Built:
    return Built(*programs.C.build(go_programs.shared_folder("c")))


@cache
def _built_go() -> Built:
    go_programs.warm()
    return Built(*go_programs.built(go_programs.shared_folder("g"), programs.GO))
