"""Real programs under real adapters, through a real daemon: what a client sees of a launch, a stop and its values."""

import re
from pathlib import Path

import pytest

from tests.daemon.debugging import NO_WAIT, AdapterName, Debugging, debugging, frame_of, value_of, wait
from tests.daemon.real import Json, real_daemon
from tests.fixtures.debuggees import COUNTS, EXITS, HOT, INSPECTS, LONG_ROWS, RECURSES, SPINS, THREADS

pytestmark = pytest.mark.timeout(90)


# -- launching --------------------------------------------------------------------------------------------------------


async def test_a_program_that_is_to_stop_at_its_entry_stands_there(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        launched = await made.launch()
        assert (launched["state"], launched["reason"]) == ("paused", "entry")
        assert launched["thread_id"] is not None
        status = await made.peer.told("Status")
        assert status["session"]["adapter"] == ("debugpy" if adapter == "debugpy" else "codelldb")
        assert status["session"]["state"] == "paused"
        assert (await made.ask("StackTrace", levels=1))["frames"]


async def test_a_breakpoint_set_in_one_session_applies_to_the_next_one(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        added = await made.add("print")
        assert (added["applied_to_session"], added["breakpoints"][0]["verified"]) == (False, False)
        for _ in range(2):
            launched = await made.launch()
            assert [(each["id"], each["verified"]) for each in launched["breakpoints"]] == [(1, True)]
            assert frame_of(await made.resume())[1] == made.line("print")
            assert (await made.disconnect())["terminated_debuggee"] is True
            assert await made.state() is None


async def test_breakpoints_survive_the_daemon_that_recorded_them(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        await made.add("print")
        await made.peer.told("Shutdown")
        assert await made.daemon.ended() == 0
        async with real_daemon(made.daemon.places.root) as second, second.peer() as peer:
            later = Debugging(second, peer, adapter, made.text, (made.source, made.program))
            assert [each["id"] for each in await later.listed()] == [1]
            await later.launch()
            stepped = await later.resume()
            assert (stepped["reason"], stepped["hit_breakpoint_ids"]) == ("breakpoint", [1])


@pytest.mark.parametrize("missing", ["program", "cwd", "adapter_command"])
async def test_a_launch_that_cannot_be_is_refused_and_leaves_nothing(
    adapter: AdapterName, tmp_path: Path, missing: str
) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        request = made.launch_request()
        request["Launch"][missing] = nowhere = str(tmp_path / "nowhere")
        error = await made.peer.refused(request)
        expected: tuple[str, Json] = ("DapProtocolError", {"command": "launch"})
        if missing == "adapter_command":
            expected = ("AdapterCrashed", {})
        elif missing == "program" and adapter == "debugpy":
            expected = ("InvalidLaunchConfig", {"path": nowhere})
        error["details"].pop("adapter_message", None)
        assert (error["code"], error["details"]) == expected
        assert await made.state() is None
        assert made.daemon.adapters() == []
        assert (await made.launch())["state"] == "paused"


# -- stops ------------------------------------------------------------------------------------------------------------


async def test_continuing_to_a_breakpoint_reports_where_and_why_it_stopped(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        await made.launch()
        added = await made.add("print")
        assert (added["applied_to_session"], added["breakpoints"][0]["verified"]) == (True, True)
        stepped = await made.resume()
        assert (stepped["state"], stepped["reason"], stepped["raw_reason"]) == ("paused", "breakpoint", None)
        assert frame_of(stepped) == ("main" if adapter == "lldb-dap" else "<module>", made.line("print"))
        assert stepped["frame"]["source"] == {"name": made.source.name, "path": str(made.source)}
        assert stepped["hit_breakpoint_ids"] == [1]
        assert stepped["exit_code"] is None
        assert all(update.get("id") == 1 for update in stepped["breakpoint_updates"])
        assert "x" in [row["name"] for row in stepped["locals"]["variables"]]


async def test_continuing_a_program_that_is_already_running_reaches_the_breakpoint(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made:
        launched = await made.launch(stop_on_entry=False)
        assert (launched["state"], launched["reason"], launched["thread_id"]) == ("running", None, None)
        continued = await made.ask("Continue", all_threads=False, wait=NO_WAIT)
        assert (continued["already_running"], continued["thread_id"]) == (True, None)
        number = await made.peer.send(made.request("Continue", all_threads=False, wait=wait()))
        async with made.daemon.peer() as other:
            await made.add("tick", peer=other)
        stepped = (await made.peer.answer(number))["payload"]["Response"]["Stepped"]
        assert (stepped["reason"], frame_of(stepped)[1]) == ("breakpoint", made.line("tick"))


async def test_each_step_stands_on_the_right_line_with_the_right_values(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, COUNTS, tmp_path) as made:
        await made.add("first")
        await made.launch(stop_on_entry=False)
        await made.until_paused()
        await made.remove()
        for number in range(4):
            await step_to(made, "call")
            inside = await made.step("in")
            assert frame_of(inside) == ("squared", made.line("square"))
            assert value_of(inside, "number") == str(number)
            assert frame_of(await made.step("out"))[0] == "main"
            outside = await step_to(made, "print")
            assert value_of(outside, "total") == str(sum(each * each for each in range(number + 1)))


async def test_a_condition_added_to_an_existing_breakpoint_reaches_the_debugger(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, COUNTS, tmp_path) as made:
        await made.add("print")
        await made.launch()
        assert value_of(await made.resume(), "i") == "0"
        assert (await made.add("print", condition="i == 3"))["action"] == "updated"
        stepped = await made.resume()
        assert (value_of(stepped, "i"), stepped["hit_breakpoint_ids"]) == ("3", [1])
        assert (await made.resume())["state"] == "exited"


async def test_a_breakpoint_that_only_prints_does_not_stop_the_program(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, COUNTS, tmp_path) as made:
        await made.add("call", log_message="seen {i}")
        await made.launch()
        stepped = await made.resume()
        assert (stepped["state"], stepped["exit_code"]) == ("exited", 30)
        text = "".join(chunk["output"] for chunk in (await made.ask("Output"))["chunks"])
        assert re.findall(r"seen \d", text) == [f"seen {number}" for number in range(5)]


async def test_listing_ids_feeds_removing_by_id(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, COUNTS, tmp_path) as made:
        await made.launch()
        for marker in ("call", "last"):
            await made.add(marker)
        for listed in await made.listed():
            removed = await made.remove({"Ids": [listed["id"]]})
            assert (removed["not_found"], removed["applied_to_session"]) == ([], True)
        assert await made.listed() == []
        assert (await made.resume())["state"] == "exited"


async def test_a_multi_threaded_stop_is_coherent_about_which_threads_stopped(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, THREADS, tmp_path) as made:
        await made.add("work")
        await made.launch()
        stepped = await made.resume()
        assert (stepped["state"], frame_of(stepped)) == ("paused", ("work", made.line("work")))
        assert stepped["thread_id"] not in stepped["additional_stopped_threads"]
        threads = {thread["id"]: thread["name"] for thread in await made.ask("Threads")}
        assert len(threads) > 1
        assert {stepped["thread_id"], *stepped["additional_stopped_threads"]} <= threads.keys()
        for thread_id in threads:
            frames = (await made.ask("StackTrace", thread_id=thread_id))["frames"]
            assert frames, f"thread {thread_id} has no frames"
        await made.remove()
        assert (await made.resume())["state"] == "exited"
        assert sorted((await made.printed()).splitlines()) == [f"worker {number}" for number in range(4)]


async def test_every_thread_is_reported_at_the_breakpoint_that_it_meets(tmp_path: Path) -> None:
    # debugpy tells one stop for all threads that meet a breakpoint at once.
    async with debugging("lldb-dap", THREADS, tmp_path) as made:
        await made.add("work")
        await made.launch()
        stopped: set[int] = set()
        while (stepped := await made.resume())["state"] == "paused":
            stopped |= {stepped["thread_id"], *stepped["additional_stopped_threads"]}
        assert (stepped["state"], len(stopped)) == ("exited", 4)


async def test_two_waits_sent_at_once_both_come_back_with_an_answer(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made, made.daemon.peer() as other:
        await made.add("print")
        await made.launch()
        request = made.request("Continue", all_threads=False, wait=wait())
        numbers = [(peer, await peer.send(request)) for peer in (made.peer, other)]
        answers = [(await peer.answer(number))["payload"]["Response"]["Stepped"] for peer, number in numbers]
        assert sorted(answer["state"] for answer in answers) == ["exited", "paused"]


# -- running and pausing ----------------------------------------------------------------------------------------------


async def test_a_program_that_never_stops_times_out_keeps_running_and_can_be_paused(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made:
        await made.launch()
        timed_out = await made.resume(700)
        assert (timed_out["state"], timed_out["thread_id"], timed_out["frame"]) == ("timeout", None, None)
        assert timed_out["elapsed_ms"] >= 700
        assert await made.state() == "running"
        refused = await made.refused("Step", kind="over", wait=NO_WAIT)
        assert (refused["code"], refused["details"]["state"]) == ("SessionNotPaused", "running")
        paused = await made.pause()
        assert (paused["state"], paused["reason"]) == ("paused", "pause")
        assert paused["frame"]["line"] > 0 or paused["user_frame"]["line"] > 0
        refused = await made.refused("Pause", wait=wait())
        assert (refused["code"], refused["details"]["state"]) == ("BadRequest", "paused")
        assert (await made.step())["reason"] == "step"


async def test_a_program_can_be_paused_while_a_condition_is_tried_again_and_again(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, HOT, tmp_path) as made:
        await made.add("work", condition="number == -5")
        await made.launch()
        for _ in range(8):
            await made.ask("Continue", all_threads=False, wait=NO_WAIT)
            assert (await made.resume(150))["state"] == "timeout"
            paused = await made.pause()
            assert (paused["state"], paused["reason"]) == ("paused", "pause")


async def test_two_pauses_at_once_stop_the_program_once(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made, made.daemon.peer("stopped") as other:
        await made.launch(stop_on_entry=False)
        request = made.request("Pause", wait=wait())
        numbers = [(peer, await peer.send(request)) for peer in (made.peer, other)]
        answers = [(await peer.answer(number))["payload"] for peer, number in numbers]
        assert "Response" in answers[0], answers
        for answer in answers:
            if "Error" in answer:
                assert answer["Error"]["code"] == "BadRequest"
            else:
                assert answer["Response"]["Stepped"]["reason"] == "pause"
        assert (await made.resume(1000))["state"] == "timeout"
        assert len(other.events("Stopped")) == 1


async def test_a_running_program_s_threads_are_reported_without_inventing_a_name(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made:
        await made.launch(stop_on_entry=False)
        for thread in await made.ask("Threads"):
            assert thread["id"] > 0
            assert thread.get("name", "a name") not in ("", "thread", f"thread {thread['id']}")
        assert (await made.refused("StackTrace"))["code"] == "SessionNotPaused"


async def test_waiting_with_no_timeout_at_all_blocks_until_the_program_ends(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        await made.launch()
        ended = await made.resume(0)
        assert (ended["state"], ended["exit_code"]) == ("exited", 3)


# -- looking ----------------------------------------------------------------------------------------------------------


async def test_variables_and_expressions_read_the_paused_frame(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        await made.add("print")
        await made.launch()
        await made.resume()
        rows = (await made.rows((await made.scopes())["Locals"]))["variables"]
        assert [(row["value"], row["type_name"]) for row in rows if row["name"] == "x"] == [("5", "int")]
        value = await made.evaluate("x * 3")
        assert (value["value"], value["type_name"], value["variables_reference"]) == ("15", "int", 0)
        for expression in ("no_such_name", "*(int *)4" if adapter == "lldb-dap" else "1 / 0", ""):
            refused = await made.refused("Eval", expression=expression, context="watch")
            assert (refused["code"], refused["details"]["command"]) == ("DapProtocolError", "evaluate"), expression
            assert "\n" not in refused["message"]


async def test_a_window_of_a_long_array_is_exactly_the_rows_asked_for(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, INSPECTS, tmp_path) as made:
        await made.add("look")
        await made.launch()
        await made.resume()
        locals_ = (await made.rows((await made.scopes())["Locals"]))["variables"]
        (big,) = [row for row in locals_ if row["name"] == "big"]
        reference = big["variables_reference"]
        whole = await made.rows(reference, max=0)
        everything = [row["name"] for row in whole["variables"]]
        # debugpy shows the first hundred elements and rows of its own around them; lldb-dap has them all.
        assert len(everything) == LONG_ROWS if adapter == "lldb-dap" else 100 < len(everything) < 110
        assert whole["truncated"] is False
        windows: list[tuple[Json, int, int]] = [
            ({"start": 50, "count": 5}, 50, 5),
            ({"max": 10}, 0, 10),
            ({"max": 10, "count": 3}, 0, 3),
            ({"max": 0, "count": 90}, 0, 90),
            ({"start": len(everything) - 5, "count": 5}, len(everything) - 5, 5),
            ({"start": len(everything) - 5, "count": 20}, len(everything) - 5, 5),
            ({}, 0, min(200, len(everything))),
        ]
        for parts, start, length in windows:
            rows = await made.rows(reference, **parts)
            assert [row["name"] for row in rows["variables"]] == everything[start : start + length], parts
            assert rows["truncated"] is (start + length < len(everything)), parts
        row = (await made.rows(reference, start=9, count=1))["variables"][0]
        assert row["evaluate_name"] == f"big[{row['value']}]"


async def test_the_whole_stack_is_the_default_and_levels_0_means_it_too(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, RECURSES, tmp_path) as made:
        await made.add("bottom")
        await made.launch()
        await made.resume()
        frames = (await made.ask("StackTrace"))["frames"]
        assert [frame["name"].partition("(")[0] for frame in frames[:41]] == ["sink"] * 41
        assert len(frames) > 41
        assert (await made.ask("StackTrace", levels=0))["frames"] == frames
        (top,) = (await made.ask("StackTrace", levels=1))["frames"]
        (third,) = (await made.ask("StackTrace", start_frame=2, levels=1))["frames"]
        assert (top["id"], third["id"]) == (frames[0]["id"], frames[2]["id"])
        depths = [await made.ask("Eval", expression="depth", frame_id=frames[i]["id"], context="watch") for i in (0, 7)]
        assert [depth["value"] for depth in depths] == ["0", "7"]


async def test_handles_are_good_for_one_stop(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, COUNTS, tmp_path) as made:
        await made.add("call")
        await made.launch()
        await made.resume()
        (frame,) = (await made.ask("StackTrace", levels=1))["frames"]
        reference = (await made.scopes())["Locals"]
        assert (await made.rows(reference))["variables"]
        await made.resume()
        questions: list[tuple[str, Json]] = [
            ("Scopes", {"frame_id": frame["id"]}),
            ("Eval", {"frame_id": frame["id"], "expression": "i", "context": "watch"}),
            ("Variables", {"variables_reference": reference, "filter": "all"}),
        ]
        async with made.daemon.peer(version=4) as old:
            for name, parts in questions:
                stale = await made.refused(name, **parts)
                assert (stale["code"], stale["details"]["stale"]) == ("StaleHandle", True)
                assert (await made.refused(name, peer=old, **parts))["code"] == "BadRequest"
        unknown = await made.refused("Scopes", frame_id=424242)
        assert (unknown["code"], unknown["details"]["stale"]) == ("BadRequest", False)
        assert "stack" in unknown["message"]
        await made.disconnect()
        await made.launch()
        assert (await made.refused("Scopes", frame_id=frame["id"]))["code"] == "StaleHandle"


async def test_what_the_daemon_reports_at_a_stop_does_not_contradict_itself(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, COUNTS, tmp_path) as made:
        await made.launch()
        await made.add("call")
        stepped = await made.resume()
        for shown in await made.listed():
            assert shown["verified"] is True
            assert "message" not in shown
        assert all("message" not in update for update in stepped["breakpoint_updates"] if update["verified"])
        (frame,) = (await made.ask("StackTrace", levels=1))["frames"]
        assert frame == stepped["frame"]
        rows = (await made.rows(stepped["locals"]["variables_reference"], max=100))["variables"]
        assert rows == stepped["locals"]["variables"]
        stop = (await made.peer.told("Status"))["session"]["stop"]
        assert (stop["frame"], stop["locals"]) == (stepped["frame"], stepped["locals"])


# ---------------------------------------------------------------------------------------------------------------------


async def step_to(made: Debugging, marker: str) -> Json:
    """Step over lines of `main` until the marked one."""
    for _ in range(5):
        stepped = await made.step()
        assert (stepped["state"], stepped["reason"]) == ("paused", "step")
        if frame_of(stepped) == ("main", made.line(marker)):
            return stepped
    raise AssertionError(f"never came to @{marker}")
