"""An old and a new client on one live session: each is answered in its own shape, and both see the same program."""

from pathlib import Path
from typing import Any

import pytest

from tests.daemon.debugging import NO_WAIT, AdapterName, Debugging, debugging, wait
from tests.daemon.real import Json, Peer
from tests.fixtures.debuggees import COUNTS, SPINS

OLD, NEW = 4, 10
CHANNELS = ("session_started", "session_ended", "stopped", "continued", "breakpoint_updated", "output")

STOPPED = {"session_id", "thread_id", "reason", "raw_reason", "all_threads_stopped", "hit_breakpoint_ids"}
STEPPED = {
    "state",
    "reason",
    "raw_reason",
    "thread_id",
    "all_threads_stopped",
    "additional_stopped_threads",
    "hit_breakpoint_ids",
    "exit_code",
    "frame",
    "captured_output",
    "output_truncated",
    "breakpoint_updates",
    "thread_updates",
    "elapsed_ms",
}
ADDED_TO_STEPPED = {"adapter_thread_id", "dropped_events", "user_frame", "locals"}

pytestmark = pytest.mark.timeout(90)


class Two:
    """The two clients of one project; both are subscribed."""

    def __init__(self, made: Debugging, old: Peer, new: Peer) -> None:
        self.made = made
        self.old = old
        self.new = new

    def stops(self, peer: Peer) -> list[Json]:
        """The stops it was told, without what only new clients hear."""
        return [{key: event[key] for key in STOPPED} for _, event in peer.events("Stopped")]

    async def both_saw(self, stops: int) -> None:
        """Both clients were told so many stops, the same ones, each in its shape."""
        for peer in (self.old, self.new):
            await peer.until(lambda peer=peer: len(peer.events("Stopped")) >= stops, f"stop {stops}")
        assert self.stops(self.old) == self.stops(self.new)
        assert len(self.stops(self.new)) == stops
        assert all(event.keys() == STOPPED for _, event in self.old.events("Stopped"))
        assert all(event.keys() == STOPPED | {"adapter_thread_id"} for _, event in self.new.events("Stopped"))


def kinds(peer: Peer) -> list[Any]:
    """What happened to the session, in order."""
    return [
        (name, event.get("reason"), event.get("thread_id"))
        for name, event in peer.events("SessionStarted", "SessionEnded", "Stopped", "Continued")
    ]


async def test_each_client_is_answered_in_its_shape_and_both_see_the_same_stops(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with (
        debugging(adapter, COUNTS, tmp_path) as made,
        made.daemon.peer(*CHANNELS, version=OLD) as old,
        made.daemon.peer(*CHANNELS, version=NEW) as new,
    ):
        two = Two(made, old, new)
        assert [(await peer.told("Ping"))["version"] for peer in (old, new)] == [OLD, NEW]
        assert [(await peer.told("Status"))["protocol_version"] for peer in (old, new)] == [OLD, NEW]
        assert (await made.add("call", peer=new))["action"] == "added"
        launched = await made.launch(peer=old)
        assert "supports_variable_paging" not in launched["capabilities"]
        assert launched["breakpoints"][0]["verified"] is True

        first = await made.ask("Continue", peer=old, all_threads=False, wait=wait())
        assert first.keys() == STEPPED
        await two.both_saw(1)
        second = await made.ask("Step", peer=new, kind="in", wait=wait())
        assert second.keys() == STEPPED | ADDED_TO_STEPPED
        assert (second["frame"]["line"], second["locals"] is not None) == (made.line("square"), True)
        await two.both_saw(2)

        await two_looks(two)
        await two_breakpoints(two)

        # A client that moves without waiting, while the other one waits for its turn.
        continued = await made.ask("Continue", peer=old, all_threads=False, wait=NO_WAIT)
        assert continued.keys() == {"session_id", "thread_id"}
        await two.both_saw(3)
        await made.remove()
        ended = await made.ask("Continue", peer=new, all_threads=False, wait=wait())
        assert (ended["state"], ended["exit_code"]) == ("exited", 30)
        for peer in (old, new):
            await peer.until(lambda peer=peer: peer.events("SessionEnded"), "ending")
        assert kinds(old) == kinds(new)
        for peer, version in ((old, OLD), (new, NEW)):
            assert {message["version"] for message in peer.messages} == {version}


async def two_looks(two: Two) -> None:
    """Both look at the stop they stand at: the same frames and values, under the same numbers."""
    made, peers = two.made, (two.old, two.new)
    old_stack, new_stack = [await made.ask("StackTrace", peer=peer) for peer in peers]
    assert old_stack == new_stack
    (old_scopes, new_scopes) = [await made.ask("Scopes", peer=peer) for peer in peers]
    assert old_scopes == new_scopes
    question = {"variables_reference": new_scopes[0]["variables_reference"], "filter": "all"}
    old_rows, new_rows = [await made.ask("Variables", peer=peer, **question) for peer in peers]
    assert (new_rows.keys(), new_rows["truncated"]) == ({"variables", "truncated"}, False)
    assert old_rows == [{k: v for k, v in row.items() if k != "evaluate_name"} for row in new_rows["variables"]]
    assert "number" in [row["name"] for row in old_rows]


async def two_breakpoints(two: Two) -> None:
    """A breakpoint changed by the one is announced to both; the words are each one's own."""
    made = two.made
    before = [len(peer.events("BreakpointUpdated")) for peer in (two.old, two.new)]
    assert (await made.add("call", peer=two.new, condition="i == 2"))["action"] == "updated"
    assert (await made.add("call", peer=two.old, condition="i == 3"))["action"] == "added"
    assert [each["condition"] for each in await made.listed()] == ["i == 3"]
    for peer, count in zip((two.old, two.new), before, strict=True):
        await peer.until(lambda peer=peer, count=count: len(peer.events("BreakpointUpdated")) >= count + 2, "update")
    assert two.old.events("BreakpointUpdated") == two.new.events("BreakpointUpdated")


async def test_a_pause_by_the_one_ends_the_wait_of_the_other(adapter: AdapterName, tmp_path: Path) -> None:
    async with (
        debugging(adapter, SPINS, tmp_path) as made,
        made.daemon.peer(*CHANNELS, version=OLD) as old,
        made.daemon.peer(*CHANNELS, version=NEW) as new,
    ):
        two = Two(made, old, new)
        await made.launch(peer=new, stop_on_entry=False)
        await made.until_output_has("spinning\n", new)
        number = await old.send(made.request("Continue", all_threads=False, wait=wait()))
        paused = await made.ask("Pause", peer=new, wait=wait())
        joined = (await old.answer(number))["payload"]["Response"]["Stepped"]
        assert (joined.keys(), paused.keys()) == (STEPPED, STEPPED | ADDED_TO_STEPPED)
        for key in ("state", "reason", "thread_id", "frame"):
            assert joined[key] == paused[key]
        assert paused["reason"] == "pause"
        await two.both_saw(1)
        assert (await made.refused("Pause", peer=old, wait=NO_WAIT))["details"]["state"] == "paused"
        await made.ask("Disconnect", peer=old, terminate=True, dry_run=False)
        for peer in (old, new):
            await peer.until(lambda peer=peer: peer.events("SessionEnded"), "ending")
        assert kinds(old) == kinds(new)
