"""Real programs under real adapters, through a real daemon: how they end, crash and print, and what is left of them."""

import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.daemon.debugging import AdapterName, debugging, frame_of, text_of, value_of, wait
from tests.daemon.real import Json, eventually
from tests.fixtures.debuggees import (
    CHATTER,
    CHATTY,
    CRASHES,
    EXITS,
    FLOOD_LINE,
    FLOOD_LINES,
    FLOOD_MARKER,
    FLOODS,
    LIBRARY_CRASH,
    SPINS,
)

MAX_CAPTURED = 1_000_000

pytestmark = pytest.mark.timeout(90)


# -- ends -------------------------------------------------------------------------------------------------------------


async def test_continuing_to_the_end_reports_the_exit_code_and_the_last_of_the_output(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made, made.daemon.peer("session_ended", "output") as other:
        await made.launch()
        ended = await made.resume()
        assert (ended["state"], ended["exit_code"], ended["frame"], ended["reason"]) == ("exited", 3, None, None)
        assert "about to finish x=5\n" in text_of(ended["captured_output"])
        await other.until(lambda: other.events("SessionEnded"), "ending")
        reason = {"session_id": made.session_id, "reason": {"exited": {"exit_code": 3}}}
        assert other.events("SessionEnded") == [("SessionEnded", reason)]
        assert text_of([event["chunk"] for _, event in other.events("Output")]) == "about to finish x=5\n"
        assert (await made.peer.told("Status"))["session"]["exit_code"] == 3


async def test_a_program_that_runs_through_at_once_is_told_with_its_output(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        launched = await made.launch(stop_on_entry=False)
        if launched["state"] == "running":
            assert (await made.ask("Continue", all_threads=False, wait=wait()))["exit_code"] == 3
        assert await made.printed() == "about to finish x=5\n"
        session = (await made.peer.told("Status"))["session"]
        assert (session["state"], session["exit_code"]) == ("exited", 3)


async def test_an_adapter_whose_session_ended_is_reaped_rather_than_left_waiting_for_a_disconnect(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, EXITS, tmp_path) as made:
        await made.launch()
        assert made.daemon.adapters()
        assert (await made.resume())["state"] == "exited"
        await eventually(lambda: not made.daemon.adapters(), "the adapter is left", 6.0)
        assert await made.printed() == "about to finish x=5\n"
        assert (await made.disconnect())["terminated_debuggee"] is False
        assert (await made.refused("Output"))["code"] == "SessionNotFound"


@pytest.mark.parametrize("running", [True, False], ids=["running", "stopped"])
async def test_a_disconnect_ends_the_program_whatever_it_is_doing(
    adapter: AdapterName, tmp_path: Path, *, running: bool
) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made:
        await made.launch(stop_on_entry=not running)
        asked_at = time.monotonic()
        assert (await made.disconnect())["terminated_debuggee"] is True
        assert time.monotonic() - asked_at < 5.0
        assert made.running() == []
        assert made.daemon.adapters() == []


async def test_a_wait_ends_when_the_adapter_is_killed_and_nothing_of_the_program_is_left(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made:
        await made.launch()
        number = await made.peer.send(made.request("Continue", all_threads=False, wait=wait(60_000)))
        async with made.daemon.peer() as other:
            await made.until_output_has("spinning\n", other)
        (process,) = made.daemon.adapters()
        process.send_signal(signal.SIGKILL)
        killed_at = time.monotonic()
        died = (await made.peer.answer(number))["payload"]["Response"]["Stepped"]
        assert (died["state"], died["frame"]) == ("adapter_died", None)
        await eventually(lambda: not made.running(), "the program outlived its adapter", 5.0)
        assert time.monotonic() - killed_at < 5.0
        assert await made.state() == "adapter_died"
        assert (await made.launch())["state"] == "paused"


async def test_leaving_a_program_running_is_done_or_said_to_be_impossible(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made:
        await made.launch(stop_on_entry=False)
        expected = adapter == "debugpy"
        predicted = await made.ask("Disconnect", terminate=False, dry_run=True)
        assert predicted["terminated_debuggee"] is expected
        asked_at = time.monotonic()
        assert (await made.disconnect(terminate=False))["terminated_debuggee"] is expected
        # debugpy never answers a request to let go; LLDB takes seconds for it.
        assert time.monotonic() - asked_at < (5.0 if adapter == "debugpy" else 15.0)
        left = made.running()
        assert (left == []) is expected
        for process in left:
            assert process.status() in (psutil.STATUS_SLEEPING, psutil.STATUS_RUNNING)
            process.kill()


async def test_shutting_the_daemon_down_ends_the_program(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, SPINS, tmp_path) as made:
        await made.launch(stop_on_entry=False)
        (session,) = (await made.peer.told("Shutdown"))["sessions"]
        assert (session["session_id"], session["state"]) == (made.session_id, "running")
        assert await made.daemon.ended() == 0
        assert made.running() == []


# -- crashes ----------------------------------------------------------------------------------------------------------


async def test_a_program_that_segfaults_stands_where_it_happened(tmp_path: Path) -> None:
    async with debugging("lldb-dap", CRASHES, tmp_path) as made:
        await made.launch()
        stepped = await made.resume()
        assert (stepped["state"], stepped["reason"]) == ("paused", "exception")
        assert frame_of(stepped) == ("main", made.line("crash"))
        assert "before\n" in text_of(stepped["captured_output"])
        assert "SIGSEGV" in (await made.peer.told("Status"))["session"]["stop"]["text"]


async def test_an_uncaught_exception_stops_where_it_was_raised_and_then_ends_the_program(tmp_path: Path) -> None:
    async with debugging("debugpy", CRASHES, tmp_path) as made:
        await made.launch()
        stepped = await made.resume()
        assert (stepped["state"], stepped["reason"]) == ("paused", "exception")
        assert frame_of(stepped) == ("fail", made.line("crash"))
        assert value_of(stepped, "number") == "3"
        told = await made.ask("ExceptionInfo")
        assert (told["type_name"], told["message"], told["break_mode"]) == ("ValueError", "nothing here", "unhandled")
        assert "in fail" in told["stack_trace"]
        ended = await made.resume()
        assert (ended["state"], ended["exit_code"]) == ("exited", 1)
        errors = [chunk["output"] for chunk in ended["captured_output"] if chunk["category"] == "stderr"]
        assert "ValueError: nothing here" in "".join(errors)


async def test_an_uncaught_exception_ends_the_program_where_the_project_wants_that(tmp_path: Path) -> None:
    async with debugging("debugpy", CRASHES, tmp_path) as made:
        change: Json = {"filters": [{"filter": "uncaught", "enabled": False}], "dry_run": False}
        await made.peer.told({"ExceptionFilterSet": change})
        await made.launch(stop_on_entry=False)
        await made.until_ended()
        assert (await made.peer.told("Status"))["session"]["exit_code"] == 1


async def test_a_crash_inside_a_library_names_the_frame_in_the_user_s_code(tmp_path: Path) -> None:
    async with debugging("lldb-dap", LIBRARY_CRASH, tmp_path) as made:
        await made.launch()
        stepped = await made.resume()
        assert (stepped["state"], stepped["reason"]) == ("paused", "exception")
        assert "source" not in stepped["frame"] or "path" not in stepped["frame"]["source"]
        assert stepped["user_frame"]["name"].startswith("lookup_key")
        assert stepped["user_frame"]["line"] == made.line("lookup")
        assert stepped["locals"]["frame_id"] == stepped["user_frame"]["id"]
        assert "key" in [row["name"] for row in stepped["locals"]["variables"]]


# -- output -----------------------------------------------------------------------------------------------------------


async def test_a_chatty_program_s_output_arrives_whole_and_in_order(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, CHATTY, tmp_path) as made, made.daemon.peer("output") as other:
        await made.add("finished")
        await made.launch()
        stopped = await made.resume()
        assert (stopped["state"], stopped["reason"]) == ("paused", "breakpoint")
        ended = await made.resume()
        assert ended["state"] == "exited"
        whole = "".join(CHATTER) + "finished\n"
        assert text_of(stopped["captured_output"]) + text_of(ended["captured_output"]) == whole
        assert await made.printed() == whole
        assert text_of([event["chunk"] for _, event in other.events("Output")]) == whole


async def test_output_kept_past_the_cap_is_a_prefix_rather_than_a_splice(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, FLOODS, tmp_path) as made:
        await made.launch()
        ended = await made.resume()
        assert (ended["state"], ended["exit_code"], ended["output_truncated"]) == ("exited", 0, True)
        kept = text_of(ended["captured_output"])
        assert 0 < len(kept) <= MAX_CAPTURED
        assert (FLOOD_LINE * FLOOD_LINES).startswith(kept)
        assert (await made.printed()).endswith(FLOOD_MARKER)
        assert (await made.printed()).count("x") == FLOOD_LINES * (len(FLOOD_LINE) - 1)
