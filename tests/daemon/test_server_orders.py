"""Whatever clients and the session do in whatever order, answers and events keep theirs."""

import os
import struct
import tempfile
from collections import deque
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import anyio.lowlevel
from hypothesis import given, settings
from hypothesis import strategies as st

from lazydap_core.protocol import requests, responses
from tests.daemon.serving import DEADLINE, RawClient, Served, envelope, places_of, serving
from tests.fakes.engine import SESSION, stopped

CLIENTS: Final = 3
MOVE: Final = {"Step": {"session_id": str(SESSION), "thread_id": None, "kind": "over", "wait": "NoWait"}}


class _Ask(NamedTuple):
    who: int
    kinds: list[str]


class _Tear(NamedTuple):
    """Send so many bytes of what was asked."""

    who: int
    size: int


class _Publish(NamedTuple):
    times: int


class _MoveOn(NamedTuple):
    """End so many moves that are under way."""

    times: int


class _Turn(NamedTuple):
    """Let the loop turn."""

    times: int


_Action = _Ask | _Tear | _Publish | _MoveOn | _Turn
_client = st.integers(0, CLIENTS - 1)
_actions: st.SearchStrategy[list[_Action]] = st.lists(
    st.one_of(
        st.builds(_Ask, _client, st.lists(st.sampled_from(["Status", "Ping", "move"]), min_size=1, max_size=6)),
        st.builds(_Tear, _client, st.integers(1, 200)),
        st.builds(_Publish, st.integers(1, 5)),
        st.builds(_MoveOn, st.integers(1, 3)),
        st.builds(_Turn, st.integers(1, 8)),
    ),
    max_size=25,
)


class _Play:
    """Three subscribed clients, and a session whose moves end when the play says so."""

    def __init__(self, served: Served, clients: list[RawClient]) -> None:
        self.served = served
        self.clients = clients
        self.asked: list[list[int]] = [[] for _ in clients]
        self.unsent = [bytearray() for _ in clients]
        self.published = 0
        self.moving: deque[anyio.Event] = deque()
        served.engine.scripts[requests.Step] = self._step

    async def _step(self, _: requests.Step) -> responses.Response:
        has_moved = anyio.Event()
        self.moving.append(has_moved)
        await has_moved.wait()
        self.publish()
        return responses.Continued(session_id=SESSION, already_running=False)

    def publish(self) -> None:
        self.served.hub.publish(stopped(self.published))
        self.published += 1

    async def act(self, action: _Action) -> None:
        match action:
            case _Ask(who, kinds):
                for kind in kinds:
                    self.asked[who].append(len(self.asked[who]) + 10)
                    body = envelope(self.asked[who][-1], MOVE if kind == "move" else kind)
                    self.unsent[who] += struct.pack(">I", len(body)) + body
            case _Tear(who, size):
                await self._send(who, size)
            case _Publish(count):
                for _ in range(count):
                    self.publish()
            case _MoveOn(count):
                self._move_on(count)
            case _Turn(count):
                for _ in range(count):
                    await anyio.lowlevel.checkpoint()

    async def _send(self, who: int, size: int) -> None:
        part = bytes(self.unsent[who][:size])
        del self.unsent[who][:size]
        if part:
            await self.clients[who].send_bytes(part)

    def _move_on(self, count: int) -> None:
        for _ in range(min(count, len(self.moving))):
            self.moving.popleft().set()

    async def end(self) -> list[list[dict[str, Any]]]:
        """Send and answer what is left; every message that each client was sent."""
        heard: list[list[dict[str, Any]]] = [[] for _ in self.clients]

        async def listen(who: int) -> None:
            await self._send(who, len(self.unsent[who]))
            while self._answered(heard[who]) < len(self.asked[who]):
                heard[who].append(await self.clients[who].read())

        async def keep_moving() -> None:
            while True:
                self._move_on(1)
                await anyio.lowlevel.checkpoint()

        with anyio.fail_after(DEADLINE):
            async with anyio.create_task_group() as moving:
                moving.start_soon(keep_moving)
                async with anyio.create_task_group() as listening:
                    for who in range(len(self.clients)):
                        listening.start_soon(listen, who)
                moving.cancel_scope.cancel()
            for who, client in enumerate(self.clients):
                while len(heard[who]) < self.published + len(self.asked[who]):
                    heard[who].append(await client.read())
        return heard

    @staticmethod
    def _answered(messages: list[dict[str, Any]]) -> int:
        return sum(message["id"] != 0 for message in messages)


@settings(max_examples=60)
@given(_actions)
def test_every_request_has_one_answer_in_order_and_every_event_is_heard_once_in_order(actions: list[_Action]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scene, heard = anyio.run(_played, Path(folder).resolve(), actions)

    for who, messages in enumerate(heard):
        assert [message["id"] for message in messages if message["id"]] == scene.asked[who]
        stops = [message["payload"]["Event"]["Stopped"] for message in messages if not message["id"]]
        assert [stop["thread_id"] for stop in stops] == list(range(scene.published))


async def _played(folder: Path, actions: list[_Action]) -> tuple[_Play, list[list[dict[str, Any]]]]:
    async with (
        serving(places_of(folder, os.environ)) as served,
        served.client("stopped") as a,
        served.client("stopped") as b,
        served.client("stopped") as c,
    ):
        scene = _Play(served, [a, b, c])
        for action in actions:
            await scene.act(action)
        return scene, await scene.end()
