"""Conversations recorded with the older implementation, held again with ours: same questions, same answers.

What is masked stands in tests/daemon/recordings.py; what is otherwise on purpose, in tests/daemon/differing.py and in
doc/protocol.md, "Differences from the older implementation".
"""

import json
import shutil
import signal
import tomllib
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import pytest

from tests.contract.protocol_page import PAGE
from tests.daemon.differing import ADDED, DIFFERENCES, amended
from tests.daemon.real import PATIENCE, Json, Peer, RealDaemon, eventually, real_daemon
from tests.daemon.recordings import (
    NAMES,
    PROGRAMS,
    Exchange,
    Mask,
    NamedEvent,
    Numbers,
    Recording,
    differences,
    ordered,
    recording,
    unordered,
)


class Replay:
    """One conversation with a daemon of ours; `found` says where it went another way."""

    def __init__(self, recorded: Recording, daemon: RealDaemon, project: Path) -> None:
        self.found: list[str] = []
        self._recorded = recorded
        self._daemon = daemon
        self._project = project
        self._mask = Mask(project)
        self._numbers = Numbers(self._mask)
        self._subscribers: dict[int, Peer] = {}

    async def run(self) -> None:
        """Ask everything, in order; each question only when the events of the one before are there."""
        async with AsyncExitStack() as stack:
            for connection in self._recorded.subscribers:
                peer = await stack.enter_async_context(self._daemon.peer(version=self._recorded.version))
                self._subscribers[connection] = peer
            for exchange in self._recorded.exchanges:
                await self._hold(exchange)
                await self._come_to_rest(exchange)
            for connection, peer in self._subscribers.items():
                self._compare_events(connection, peer)

    async def _hold(self, exchange: Exchange) -> None:
        if exchange.name == "Launch":
            self._mask.is_endless = exchange.body["program"].endswith("/loop.py")
        request = self._numbers.translated(exchange.request)
        peer = self._subscribers.get(exchange.connection)
        if peer is not None:
            answer = await peer.ask(request, number=exchange.number)
        else:
            async with self._daemon.peer(version=self._recorded.version) as passing:
                answer = await passing.ask(request, number=exchange.number)
        self._numbers.learn(exchange.answer, answer)
        there, here = self._mask(exchange.answer), self._mask(answer)
        self.found += [f"{json.dumps(request)}: {text}" for text in differences(there, here)]

    async def _come_to_rest(self, exchange: Exchange) -> None:
        if exchange.came_to_rest:
            await self._program_stands()
        if exchange.name == "Launch" and self._mask.is_endless and not exchange.error:
            looping = self._project / LOOPING
            await eventually(looping.exists, "the program has not come to its loop")
            looping.unlink()
        for connection, peer in self._subscribers.items():
            wanted = len(ordered(self._heard(connection, exchange)))
            await peer.until(
                lambda peer=peer, wanted=wanted: len(ordered(peer.events())) >= wanted,
                f"event {wanted} on connection {connection} after {exchange.request}",
            )

    def _heard(self, connection: int, until: Exchange | None = None) -> list[NamedEvent]:
        heard: list[NamedEvent] = []
        for exchange in self._recorded.exchanges:
            heard += exchange.heard.get(connection, [])
            if exchange is until:
                break
        return heard

    async def _program_stands(self) -> None:
        async with self._daemon.peer() as peer:
            with anyio.fail_after(PATIENCE):
                while (await peer.told("Status"))["session"]["state"] == "running":  # noqa: ASYNC110 - this is the poll
                    await anyio.sleep(0.01)

    def _compare_events(self, connection: int, peer: Peer) -> None:
        there, here = self._heard(connection), peer.events()
        found = differences(self._masked(there), self._masked(here))
        found += differences(unordered(there), unordered(here))
        self.found += [f"events of connection {connection}: {text}" for text in found]

    def _masked(self, heard: list[NamedEvent]) -> list[Json]:
        return [{name: self._mask(event)} for name, event in ordered(heard)]


LOOPING = "looping"


def copied_programs(to: Path) -> Path:
    """The recorded project; its endless program tells when it has come to its loop, on the line it had."""
    project = Path(shutil.copytree(PROGRAMS, to)).resolve()
    loop = project / "loop.py"
    told = f'import time; open({str(project / LOOPING)!r}, "w").close()'
    loop.write_text(loop.read_text(encoding="utf-8").replace("import time", told, 1), encoding="utf-8")
    return project


def state_of(text: str) -> Json:
    """What a state file holds, as the oldest version knows it."""
    return {key: value for key, value in tomllib.loads(text).items() if key != "next_watch_id" or value != 1}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", NAMES)
async def test_a_recorded_conversation_goes_the_same_way(name: str, tmp_path: Path) -> None:
    project = copied_programs(tmp_path / "p")
    recorded = recording(name, project)
    amended(recorded)
    async with real_daemon(project) as daemon:
        replay = Replay(recorded, daemon, project)
        await replay.run()
        if recorded.exchanges[-1].name != "Shutdown":
            daemon.process.send_signal(signal.SIGTERM)
        assert await daemon.ended() == 0, daemon.log()
    assert replay.found == [], "\n".join(replay.found)
    assert [path.name for path in daemon.places.runtime.iterdir()] == []
    if recorded.state_file is not None:
        written = (project / ".lazydap" / "state.toml").read_text(encoding="utf-8")
        assert state_of(written) == state_of(recorded.state_file)


def test_what_is_otherwise_on_purpose_is_met_in_a_recording_and_told_on_the_protocol_page() -> None:
    met: set[str] = set()
    for name in NAMES:
        met |= amended(recording(name, Path("/proj")))
    assert met == {difference.situation for difference in DIFFERENCES}
    section = PAGE.read_text(encoding="utf-8").partition("## Differences from the older implementation")[2]
    assert [situation for situation in (*sorted(met), *ADDED) if f"\n| {situation} | " not in section] == []
