"""The session engine on a fake codelldb; a fault that the fake has noted fails the test."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lazydap_daemon.session.session import Session
from tests.daemon.rig import STRAIGHT, Rig, hosted_rig
from tests.fakes.codelldb_driver import FakeCodelldb
from tests.fakes.codelldb_program import CodelldbSpec
from tests.fakes.program import Line, ProgramSpec
from tests.fakes.scripted import Script, ScriptedCodelldb

_OF_THE_PROGRAM = frozenset({"loops", "exit_code", "threads", "extra_frames", "moves", "swallows", "child"})


@asynccontextmanager
async def codelldb_rig(folder: Path) -> AsyncGenerator[Rig]:
    """A rig whose program is there, as codelldb wants it."""
    async with hosted_rig(folder) as made:
        (folder / "program").touch(0o755)
        yield made
    if isinstance(made.driver, FakeCodelldb):
        faults = made.driver.faults()
        assert not faults, faults


def play(made: Rig, trace: Sequence[Line] = STRAIGHT, *, path: str | None = None, **manners: Any) -> FakeCodelldb:
    """Choose the program of the next launch and the manners of its codelldb."""
    of_program = {name: manners.pop(name) for name in _OF_THE_PROGRAM & manners.keys()}
    program = ProgramSpec(path=path or made.source, trace=trace, **of_program)
    made.driver = FakeCodelldb(CodelldbSpec(program=program, **manners), made.folder)
    return made.driver


async def start(made: Rig, trace: Sequence[Line] = STRAIGHT, *, entry: bool = True, **manners: Any) -> FakeCodelldb:
    """Launch it."""
    driver = play(made, trace, **manners)
    await made.launch(stop_on_entry=entry)
    return driver


def recite(made: Rig, script: Script) -> ScriptedCodelldb:
    """Choose what the next launch meets, word for word."""
    made.driver = ScriptedCodelldb(script, made.folder)
    return made.driver


def session_of(made: Rig) -> Session:
    """The session in the slot."""
    occupant = made.engine._occupant  # pyright: ignore[reportPrivateUsage]
    assert occupant is not None
    return occupant.session


def commands(driver: FakeCodelldb) -> list[str]:
    """The requests' commands, in order."""
    return [request["command"] for request in driver.requests()]
