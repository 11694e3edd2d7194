"""A Go program debugged through a real daemon and a real delve."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from lazydap_daemon.adapters.scratch import PREFIX
from tests.daemon.debugging import Debugging, text_of
from tests.daemon.real import Json, eventually, real_daemon
from tests.fixtures.programs import Program

BUILD_MS = 120_000
"""A slow machine may compile a good part of the standard library."""


class Going(Debugging):
    """A project with one Go program: `program` is what is launched, a file to build or a program that is built."""

    def launch_request(self, *, stop_on_entry: bool = True, **parts: Any) -> Json:
        """A launch of the program; `args` say which part of the tour."""
        options = {"timeout_ms": BUILD_MS, **parts.pop("options", {})}
        told: Json = {
            "adapter": "delve",
            "program": str(self.program),
            "args": [],
            "cwd": str(self.daemon.places.root),
            "env": {},
            "stop_on_entry": stop_on_entry,
            "options": options,
        }
        return {"Launch": told | parts}

    def running(self) -> list[psutil.Process]:
        """The processes of the program, wherever it was built."""
        return [process for process in psutil.process_iter() if self._is_the_program(process)]

    def scratches(self) -> list[Path]:
        """The folders in which this daemon has something built."""
        return list(Path(tempfile.gettempdir()).glob(f"{PREFIX}delve-{self.daemon.process.pid}-*"))

    def _is_the_program(self, process: psutil.Process) -> bool:
        try:
            program = next(iter(process.cmdline()), "")
            return process.status() != psutil.STATUS_ZOMBIE and (
                program == str(self.program) or f"/{PREFIX}delve-{self.daemon.process.pid}-" in program
            )
        except psutil.Error:
            return False

    async def until_printed(self, text: str) -> None:
        """Wait until the program has printed that."""
        async with self.daemon.peer("output") as other:
            before = (await self.ask("Output", peer=other))["chunks"]
            if text not in text_of(before):
                await other.until(lambda: text in str(other.events("Output")), text)


def _project(folder: Path) -> Path:
    project = folder.resolve() / "p"
    (project / ".lazydap").mkdir(parents=True)
    return project


@asynccontextmanager
async def going(text: Program, source: Path, program: Path, folder: Path) -> AsyncGenerator[Going]:
    """A project in `folder` whose program is elsewhere, and its daemon; nothing may be left of it in the end."""
    project = _project(folder)
    async with real_daemon(project) as daemon, daemon.peer() as peer:
        made = Going(daemon, peer, "delve", text, (source, program))
        yield made
    await eventually(lambda: not made.running(), "the program still runs", 5.0)
    assert made.scratches() == []
