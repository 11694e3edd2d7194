"""One program debugged through a real daemon and a real adapter, by one client that writes bare frames."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import psutil

from tests.daemon.real import PATIENCE, Json, Peer, RealDaemon, eventually, real_daemon
from tests.fixtures.debuggees import Pair
from tests.fixtures.programs import Program

AdapterName = Literal["lldb-dap", "debugpy", "delve"]
ADAPTERS: tuple[AdapterName, ...] = ("lldb-dap", "debugpy")
WAIT_MS = 20_000
NO_WAIT = "NoWait"


def wait(milliseconds: int | None = WAIT_MS) -> Json:
    """A wait mode."""
    return {"Wait": {"timeout_ms": milliseconds}}


class Debugging:
    """A project with one program, `source`, and the session that the last `launch` began."""

    def __init__(
        self, daemon: RealDaemon, peer: Peer, adapter: AdapterName, text: Program, built: tuple[Path, Path]
    ) -> None:
        self.daemon = daemon
        self.peer = peer
        self.adapter = adapter
        self.text = text
        self.source, self.program = built
        self.session_id = ""

    def line(self, marker: str) -> int:
        """The line marked `@marker`."""
        return self.text.line(marker)

    async def add(self, marker: str, *, peer: Peer | None = None, **modifiers: Any) -> Json:
        """Set a breakpoint; the answer."""
        wanted = {"source": str(self.source), "line": self.line(marker), "enabled": True, **modifiers}
        return await (peer or self.peer).told({"BreakpointAdd": {"breakpoint": wanted, "dry_run": False}})

    async def remove(self, selector: Any = "All") -> Json:
        """Remove breakpoints; the answer."""
        return await self.peer.told({"BreakpointRemove": {"selector": selector, "dry_run": False}})

    async def listed(self) -> list[Json]:
        """The project's breakpoints."""
        return (await self.peer.told("BreakpointList"))["breakpoints"]

    def launch_request(self, *, stop_on_entry: bool = True, **parts: Any) -> Json:
        """A launch of the program."""
        told: Json = {
            "adapter": "codelldb" if self.adapter == "lldb-dap" else self.adapter,
            "program": str(self.program),
            "args": [],
            "cwd": str(self.daemon.places.root),
            "env": {},
            "stop_on_entry": stop_on_entry,
        }
        told |= (
            {"adapter_command": sys.executable} if self.adapter == "debugpy" else {"options": {"adapter": "lldb-dap"}}
        )
        return {"Launch": told | parts}

    async def launch(self, *, stop_on_entry: bool = True, peer: Peer | None = None, **parts: Any) -> Json:
        """Launch; the answer."""
        launched = await (peer or self.peer).told(self.launch_request(stop_on_entry=stop_on_entry, **parts))
        self.session_id = launched["session_id"]
        return launched

    def request(self, name: str, **parts: Any) -> Json:
        """A request about the session."""
        return {name: {"session_id": self.session_id, **parts}}

    async def ask(self, name: str, *, peer: Peer | None = None, **parts: Any) -> Any:
        """The answer to a request about the session."""
        return await (peer or self.peer).told(self.request(name, **parts))

    async def refused(self, name: str, *, peer: Peer | None = None, **parts: Any) -> Json:
        """The error that answers a request about the session."""
        return await (peer or self.peer).refused(self.request(name, **parts))

    async def resume(self, milliseconds: int | None = WAIT_MS, **parts: Any) -> Json:
        """Continue and wait; where the program is then."""
        parts = {"all_threads": False, "wait": wait(milliseconds)} | parts
        return await self.peer.told(self.request("Continue", **parts))

    async def step(self, kind: str = "over", **parts: Any) -> Json:
        """Step and wait; where the program is then."""
        return await self.ask("Step", kind=kind, wait=wait(), **parts)

    async def pause(self) -> Json:
        """Pause and wait; where the program is then."""
        return await self.ask("Pause", wait=wait())

    async def disconnect(self, *, terminate: bool = True) -> Json:
        """End the session."""
        return await self.ask("Disconnect", terminate=terminate, dry_run=False)

    async def state(self) -> str | None:
        """The session's state in `Status`."""
        session = (await self.peer.told("Status"))["session"]
        return session and session["state"]

    async def until_paused(self) -> None:
        """Wait until the program stands, without asking it to do anything."""
        with anyio.fail_after(PATIENCE):
            while await self.state() != "paused":  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.01)

    async def until_ended(self) -> None:
        """Wait until the program has ended by itself."""
        with anyio.fail_after(PATIENCE):
            while await self.state() == "running":  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.01)

    async def evaluate(self, expression: str) -> Json:
        """The value of an expression in the top frame."""
        return await self.ask("Eval", expression=expression, context="watch")

    async def scopes(self) -> dict[str, int]:
        """The references of the top frame's scopes, by name."""
        return {scope["name"]: scope["variables_reference"] for scope in await self.ask("Scopes")}

    async def rows(self, reference: int, **parts: Any) -> Json:
        """The answer to `Variables`."""
        return await self.ask("Variables", variables_reference=reference, filter="all", **parts)

    async def printed(self, peer: Peer | None = None) -> str:
        """Everything that the program has printed so far."""
        return text_of((await self.ask("Output", peer=peer))["chunks"])

    async def until_output_has(self, text: str, peer: Peer) -> None:
        """Wait until the program has printed `text`."""
        with anyio.fail_after(PATIENCE):
            while text not in await self.printed(peer):  # noqa: ASYNC110 - this is the poll
                await anyio.sleep(0.01)

    def running(self) -> list[psutil.Process]:
        """The processes in whose command line the program stands: the debuggee and what debugs it."""
        return [process for process in psutil.process_iter() if self._is_ours(process)]

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            return process.status() != psutil.STATUS_ZOMBIE and str(self.program) in process.cmdline()
        except psutil.Error:
            return False


def text_of(chunks: list[Json]) -> str:
    """What the program printed to both streams."""
    printed = "".join(chunk["output"] for chunk in chunks if chunk["category"] in ("stdout", "stderr"))
    # LLDB gives its programs a terminal, which ends lines so.
    return printed.replace("\r\n", "\n")


def _built(text: Program, folder: Path) -> tuple[Path, Path]:
    project = folder.resolve() / "p"
    (project / ".lazydap").mkdir(parents=True)
    if text.name.endswith(".c"):
        return text.build(project)
    source = text.write(project)
    return source, source


def frame_of(stepped: Json) -> tuple[str, int]:
    """Where a stop is: the function's name, without its signature, and the line."""
    return stepped["frame"]["name"].partition("(")[0], stepped["frame"]["line"]


def value_of(stepped: Json, name: str) -> str:
    """The value of a local variable at a stop."""
    (value,) = [row["value"] for row in stepped["locals"]["variables"] if row["name"] == name]
    return value


@asynccontextmanager
async def debugging(
    adapter: AdapterName, what: Pair | Program, folder: Path, version: int = 10
) -> AsyncGenerator[Debugging]:
    """A program in a project of its own, and its daemon; nothing of it may run when the daemon has ended."""
    text = what if isinstance(what, Program) else what.c if adapter == "lldb-dap" else what.python
    built = _built(text, folder)
    project = built[0].parent
    async with real_daemon(project) as daemon, daemon.peer(version=version) as peer:
        made = Debugging(daemon, peer, adapter, text, built)
        try:
            yield made
        except BaseException:
            # A test that failed while its program was let go leaves it to nobody.
            for process in made.running():
                process.kill()
            raise
    await eventually(lambda: not made.running(), "the program still runs", 5.0)
