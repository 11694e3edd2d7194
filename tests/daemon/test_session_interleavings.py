"""Several clients and an adapter at once, in any order: what always holds."""

import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import anyio.lowlevel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lazydap_core.errors import DaemonError
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_daemon.session import owning
from tests.daemon.rig import NO_WAIT, Rig, rig
from tests.fakes.in_memory import InMemoryAdapter, in_memory
from tests.fakes.program import Line

TRACE = tuple(
    Line(line=number, depth=int(number == 3), locals={"x": number}, output=f"{number}\n", seconds=0.001)
    for number in (1, 2, 3, 4)
)
SHORT = objects.Wait(timeout_ms=20)

MOVES = ("over", "in", "out", "continue", "continue-nowait", "over-nowait", "pause", "pause-nowait")
LOOKS = ("stack", "threads", "evaluate", "add", "remove", "output")
ENDS = ("disconnect", "kill", "exit", "launch")
ADAPTER = ("output-event", "thread-event", "stray-continued", "stray-stopped")

operation = st.tuples(
    st.integers(0, 2),
    st.one_of(
        st.sampled_from(MOVES),
        st.sampled_from(MOVES),
        st.sampled_from(LOOKS),
        st.sampled_from(ADAPTER),
        st.sampled_from(ENDS),
    ),
    st.sampled_from(["", "", "", "hang-up"]),
)


class Scene:
    """One run: what was asked, what came of it, and what was published."""

    def __init__(self, made: Rig, adapters: list[InMemoryAdapter]) -> None:
        self.made = made
        self.adapters = adapters
        self.asked = 0
        self.settled = 0
        self.watermarks: list[int] = []

    async def client(self, operations: list[tuple[str, str]]) -> None:
        for name, manner in operations:
            self.asked += 1
            try:
                with anyio.move_on_after(0.002 if manner else 10) as scope:
                    await self._act(name)
                assert manner or not scope.cancelled_caught, f"{name} hangs"
            except DaemonError:
                pass
            self.settled += 1
            await anyio.lowlevel.checkpoint()

    async def _act(self, name: str) -> None:  # noqa: C901 - one case an operation
        made = self.made
        match name:
            case "over" | "in" | "out":
                stable = await made.step(name, wait=SHORT)
                self._check_stable(stable)
            case "over-nowait":
                await made.step(wait=NO_WAIT)
            case "continue":
                self._check_stable(await made.resume(SHORT))
            case "continue-nowait":
                await made.resume(NO_WAIT)
            case "pause":
                self._check_stable(await made.pause(SHORT))
            case "pause-nowait":
                await made.pause(NO_WAIT)
            case "launch":
                await made.launch()
            case "disconnect":
                await made.disconnect()
            case "add":
                await made.add(3)
            case "remove":
                await made.engine.handle(requests.BreakpointRemove(selector=objects.Everything(), dry_run=False))
            case "kill" | "exit" | "output-event" | "thread-event" | "stray-continued" | "stray-stopped":
                self._disturb(name)
            case _:
                await made.engine.handle(self._look(name))

    def _look(self, name: str) -> Any:
        session_id = self.made.session_id
        match name:
            case "stack":
                return requests.StackTrace(session_id=session_id)
            case "threads":
                return requests.Threads(session_id=session_id)
            case "output":
                return requests.Output(session_id=session_id)
            case _:
                return requests.Eval(session_id=session_id, expression="x", context="watch")

    def _disturb(self, name: str) -> None:
        if not self.adapters:
            return
        adapter = self.adapters[-1]
        match name:
            case "kill":
                adapter.kill()
            case "exit":
                adapter.inject("exited", {"exitCode": 3})
                adapter.inject("terminated", {})
            case "output-event":
                adapter.inject("output", {"category": "stdout", "output": "x"})
            case "thread-event":
                adapter.inject("thread", {"reason": "started", "threadId": 7})
            case "stray-continued":
                adapter.inject("continued", {"threadId": 1})
            case _:
                adapter.inject("stopped", {"reason": "exception", "threadId": 1, "allThreadsStopped": True})

    def _check_stable(self, stable: responses.Continued | responses.Stepped) -> None:
        assert isinstance(stable, responses.Stepped)
        assert (stable.state == "paused") == (stable.reason is not None)
        occupant = self.made.engine._occupant  # pyright: ignore[reportPrivateUsage]
        if occupant is not None:
            history = occupant.session.history
            assert history.delivered <= history.last_number

    def check(self) -> None:
        """What holds when everybody has had an answer."""
        assert self.settled == self.asked
        by_session: dict[object, list[events.Event]] = {}
        for event in self.made.published:
            session_id = getattr(event, "session_id", None)
            if session_id is not None:
                by_session.setdefault(session_id, []).append(event)
        for told in by_session.values():
            self._check_session(told)
        occupant = self.made.engine._occupant  # pyright: ignore[reportPrivateUsage]
        if occupant is not None:
            session = occupant.session
            assert not session.permit.locked(), "nobody waits, and yet the permit is held"
            moves = [e for e in by_session[session.id] if isinstance(e, events.Stopped | events.Continued)]
            if moves and session.is_live:
                expected = "paused" if isinstance(moves[-1], events.Stopped) else "running"
                assert session.state == expected, "the last announcement is not where the program stands"

    def _check_session(self, told: list[events.Event]) -> None:
        assert isinstance(told[0], events.SessionStarted)
        endings = [index for index, event in enumerate(told) if isinstance(event, events.SessionEnded)]
        assert len(endings) <= 1
        if endings:
            after = told[endings[0] + 1 :]
            assert not [e for e in after if isinstance(e, events.Stopped | events.Continued | events.StopDetail)]
        details = [event.stop.generation for event in told if isinstance(event, events.StopDetail)]
        assert details == sorted(details)


async def play(operations: list[tuple[int, str, str]], *, stop_on_entry: bool) -> None:
    adapters: list[InMemoryAdapter] = []
    with tempfile.TemporaryDirectory(prefix="lzi") as folder:
        async with rig(Path(folder)) as made:
            made.play(made.program())
            with patch.object(owning, "started", in_memory(made.program(TRACE, loops=True), adapters)):
                await made.launch(stop_on_entry=stop_on_entry)
                scene = Scene(made, adapters)
                async with anyio.create_task_group() as clients:
                    for number in range(3):
                        mine = [(name, manner) for owner, name, manner in operations if owner == number]
                        clients.start_soon(scene.client, mine)
                with anyio.fail_after(5):
                    while (occupant := made.engine._occupant) and occupant.session.permit.locked():  # pyright: ignore[reportPrivateUsage]  # noqa: ASYNC110
                        await anyio.sleep(0.001)
                scene.check()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(operation, max_size=14), st.booleans())
def test_any_interleaving_of_clients_and_adapter_keeps_the_rules(
    operations: list[tuple[int, str, str]], stop_on_entry: bool
) -> None:
    anyio.run(lambda: play(operations, stop_on_entry=stop_on_entry))
