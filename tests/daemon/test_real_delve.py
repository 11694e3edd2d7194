"""Go programs under a real delve, through a real daemon: what a client sees of launches, stops, values and ends."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.daemon.debugging import frame_of, wait
from tests.daemon.going import going
from tests.daemon.real import eventually
from tests.fixtures.go_programs import BROKEN, LONG, SPLIT, TOUR, built, module, warm

# The first of them waits until the standard library is compiled.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(name="tour", scope="module")
def _tour(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source and the program of the tour, built once."""
    warm()
    return built(tmp_path_factory.mktemp("tour").resolve(), TOUR)


def touring(tour: tuple[Path, Path], folder: Path) -> Any:
    """The tour, built already."""
    return going(TOUR, *tour, folder)


def building(folder: Path) -> Any:
    """The tour, to be built by the launch."""
    warm()
    source = module(folder / "module", TOUR)
    return going(TOUR, source, source, folder)


def runs(pid: int) -> bool:
    """Whether there is such a process; one that nobody has waited for is none."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# -- launching --------------------------------------------------------------------------------------------------------


async def test_a_go_file_is_built_and_stops_at_its_breakpoint(tmp_path: Path) -> None:
    async with building(tmp_path) as made:
        await made.add("call")
        launched = await made.launch(stop_on_entry=False, args=["count"])
        assert [(each["id"], each["verified"]) for each in launched["breakpoints"]] == [(1, True)]
        assert launched["adapter_command"].endswith("dlv")
        await made.until_paused()
        stop = (await made.peer.told("Status"))["session"]["stop"]
        assert (stop["reason"], stop["frame"]["name"], stop["frame"]["line"]) == (
            "breakpoint",
            "main.count",
            made.line("call"),
        )
        stepped = await made.resume()
        assert (stepped["state"], stepped["reason"], stepped["raw_reason"]) == ("paused", "breakpoint", None)
        assert (frame_of(stepped), stepped["hit_breakpoint_ids"]) == (("main.count", made.line("call")), [1])
        assert stepped["frame"]["source"] == {"name": made.source.name, "path": str(made.source)}
        (folder,) = made.scratches()
        assert [path.name for path in folder.iterdir()] == ["module"]


async def test_what_the_compiler_says_is_what_the_client_is_told(tmp_path: Path) -> None:
    warm()
    source = module(tmp_path / "broken", BROKEN)
    async with going(BROKEN, source, source, tmp_path) as made:
        error = await made.peer.refused(made.launch_request())
        assert error["code"] == "DapProtocolError"
        assert error["message"].startswith("the program could not be built: ./main.go:4:2: ")
        assert error["message"].endswith("./main.go:5:2: undefined: missing")
        assert error["details"]["command"] == "launch"
        assert "\n./main.go:5:2: undefined: missing" in error["details"]["adapter_message"]
        assert made.scratches() == []
        assert made.daemon.adapters() == []
        assert (await made.peer.told("Status"))["session"] is None


async def test_a_build_that_takes_too_long_is_given_up_with_all_that_it_started(tmp_path: Path) -> None:
    async with building(tmp_path) as made:
        slow = tmp_path / "slow"
        slow.mkdir()
        (slow / "go").write_text(f"#!/bin/sh\nsleep 600 & echo $! >{slow}/pid\nwait\n")
        (slow / "go").chmod(0o755)
        environ = {**os.environ, "PATH": f"{slow}:{os.environ['PATH']}"}
        began = time.monotonic()
        error = await made.peer.refused(made.launch_request(options={"timeout_ms": 1500, "client_env": environ}))
        assert error["code"] == "AdapterTimeout"
        assert time.monotonic() - began < 6.0
        assert made.scratches() == []
        assert made.daemon.adapters() == []
        assert not runs(int((slow / "pid").read_text()))


async def test_a_test_is_run_by_its_file_and_by_its_folder(tmp_path: Path) -> None:
    warm()
    source = module(tmp_path / "split", *SPLIT).with_name(SPLIT[2].name)
    async with going(SPLIT[2], source, source, tmp_path) as made:
        await made.add("check")
        for program, options in ((source, {}), (source.parent, {"mode": "test"})):
            await made.launch(program=str(program), options=options, args=["-test.v"])
            stepped = await made.resume()
            assert frame_of(stepped)[1] == made.line("check")
            ended = await made.resume()
            assert (ended["state"], ended["exit_code"]) == ("exited", 0)
            assert f"tested in {source.parent}" in await made.printed()


async def test_what_cannot_be_launched_is_refused_in_words(tour: tuple[Path, Path], tmp_path: Path) -> None:
    async with touring(tour, tmp_path) as made:
        for parts, word in (
            ({"program": str(tmp_path / "missing.go")}, "missing.go"),
            ({"options": {"mode": "profile"}}, "debug, test, exec"),
            ({"options": {"mode": "test"}}, "a Go file or the folder of a package"),
        ):
            error = await made.peer.refused(made.launch_request(**parts))
            assert error["code"] == "InvalidLaunchConfig", error
            assert word in error["message"]


# -- the entry --------------------------------------------------------------------------------------------------------


async def test_the_entry_has_no_stack_and_the_first_step_leads_to_main(tour: tuple[Path, Path], tmp_path: Path) -> None:
    async with touring(tour, tmp_path) as made:
        launched = await made.launch(args=["exit"])
        assert (launched["state"], launched["reason"], launched["raw_reason"]) == ("paused", "entry", None)
        assert [thread["name"] for thread in await made.ask("Threads")] == ["Dummy"]
        for name in ("StackTrace", "Scopes"):
            refused = await made.refused(name)
            assert refused["code"] == "DapProtocolError"
            assert "no stack yet" in refused["message"]
        stepped = await made.step()
        assert (stepped["state"], stepped["reason"]) == ("paused", "step")
        assert (frame_of(stepped), stepped["hit_breakpoint_ids"]) == (("main.main", made.line("main")), [])
        # What led there is gone: its place is free for a breakpoint.
        assert (await made.add("main"))["breakpoints"][0]["verified"] is True
        assert frame_of(await made.step())[1] == made.line("first")


async def test_a_step_from_the_entry_stops_at_a_breakpoint_of_mains_first_line_as_well(
    tour: tuple[Path, Path], tmp_path: Path
) -> None:
    async with touring(tour, tmp_path) as made:
        await made.add("main")
        await made.launch(args=["exit"])
        stepped = await made.step("in")
        assert (stepped["state"], frame_of(stepped)) == ("paused", ("main.main", made.line("main")))


# -- moving -----------------------------------------------------------------------------------------------------------


# -- looking ----------------------------------------------------------------------------------------------------------


async def test_a_window_of_a_container_is_exactly_the_rows_asked_for(tour: tuple[Path, Path], tmp_path: Path) -> None:
    async with touring(tour, tmp_path) as made:
        await made.add("look")
        await made.launch(args=["values"])
        await made.resume()
        rows = (await made.rows((await made.scopes())["Locals"]))["variables"]
        references = {row["name"]: row["variables_reference"] for row in rows}
        texts = {row["name"]: row["value"] for row in rows}
        assert (texts["text"], texts["none"]) == ('"snö ☃"', "*main.point nil")

        began = time.monotonic()
        end = await made.rows(references["long"], start=LONG - 3, count=5)
        assert [(row["name"], row["value"]) for row in end["variables"]] == [
            (f"[{index}]", str(index * 2)) for index in range(LONG - 3, LONG)
        ]
        assert end["truncated"] is False
        assert time.monotonic() - began < 2.0
        first = await made.rows(references["long"])
        assert ([row["name"] for row in first["variables"]], first["truncated"]) == (
            [f"[{index}]" for index in range(200)],
            True,
        )

        # Of a map's entries some are a row each and some are two.
        for name in ("numbers", "points", "bytes", "some"):
            whole = await made.rows(references[name], max=0)
            names = [row["name"] for row in whole["variables"]]
            assert len(set(names)) == len(names)
            for start, count in ((0, 3), (1, 4), (70, 5), (150, 61), (max(0, len(names) - 2), 10), (len(names) + 5, 5)):
                part = await made.rows(references[name], start=start, count=count)
                told = [row["name"] for row in part["variables"]]
                assert told == names[start : start + count], (name, start, count)
                assert part["truncated"] is (start + count < len(names)), (name, start, count)


async def test_the_rows_of_a_value_that_was_evaluated_can_be_windowed_too(
    tour: tuple[Path, Path], tmp_path: Path
) -> None:
    async with touring(tour, tmp_path) as made:
        await made.add("look")
        await made.launch(args=["values"])
        await made.resume()
        value = await made.evaluate("long[500:]")
        part = await made.rows(value["variables_reference"], start=70, count=2)
        assert [row["value"] for row in part["variables"]] == ["1140", "1142"]
        assert part["truncated"] is True


async def test_thousands_of_goroutines_cost_no_step_its_speed(tour: tuple[Path, Path], tmp_path: Path) -> None:
    async with touring(tour, tmp_path) as made:
        await made.add("wait")
        await made.launch(args=["many"])
        stepped = await made.resume()
        assert frame_of(stepped) == ("main.goroutines", made.line("wait"))
        threads = {thread["id"]: thread["name"] for thread in await made.ask("Threads")}
        assert len(threads) > 1000
        assert stepped["thread_id"] in threads
        waiting = next(number for number, name in threads.items() if "goroutines.func" in name)
        frames = (await made.ask("StackTrace", thread_id=waiting))["frames"]
        assert any(frame["name"].startswith("main.goroutines.func") for frame in frames)
        assert (await made.step())["reason"] == "step"


# -- ends -------------------------------------------------------------------------------------------------------------


async def test_functions_and_values_stop_a_program_and_a_panic_only_where_it_is_to(
    tour: tuple[Path, Path], tmp_path: Path
) -> None:
    async with touring(tour, tmp_path) as made:
        wanted = {"name": "main.squared", "enabled": True}
        await made.peer.told({"FunctionBreakpointAdd": {"breakpoint": wanted, "dry_run": False}})
        await made.launch(args=["count"])
        stepped = await made.resume()
        assert (stepped["reason"], frame_of(stepped)[0]) == ("function_breakpoint", "main.squared")
        assert stepped["hit_breakpoint_ids"] == [1]
        await made.peer.told({"FunctionBreakpointRemove": {"selector": "All", "dry_run": False}})
        await made.step("out")
        watched = made.request(
            "DataBreakpointAdd", breakpoint={"name": "total", "access": "write", "enabled": True}, dry_run=False
        )
        (told,) = (await made.peer.told(watched))["breakpoints"]
        assert told["verified"]
        stepped = await made.resume()
        # Which of them it was, delve does not tell.
        assert (stepped["reason"], frame_of(stepped)[0]) == ("data_breakpoint", "main.count")
    async with touring(tour, tmp_path / "other") as made:
        change = {"filter": "unrecovered-panic", "enabled": False}
        await made.peer.told({"ExceptionFilterSet": {"filters": [change], "dry_run": False}})
        await made.launch(args=["panic"])
        ended = await made.resume()
        assert (ended["state"], ended["exit_code"]) == ("exited", 2)


async def test_a_deadlock_pauses_where_the_first_goroutine_waits(tour: tuple[Path, Path], tmp_path: Path) -> None:
    async with touring(tour, tmp_path) as made:
        await made.launch(args=["deadlock"])
        stepped = await made.resume()
        assert (stepped["state"], stepped["reason"], stepped["thread_id"]) == ("paused", "exception", 1)
        assert (stepped["user_frame"]["name"], stepped["user_frame"]["line"]) == ("main.main", made.line("deadlock"))


async def test_a_binary_is_gone_when_its_session_has_ended_by_itself(tmp_path: Path) -> None:
    async with building(tmp_path) as made:
        await made.launch(args=["exit"])
        assert made.scratches() != []
        assert (await made.resume())["exit_code"] == 3
        await eventually(lambda: not made.daemon.adapters(), "the adapter is left", 6.0)
        await eventually(lambda: not made.scratches(), "the binary is left", 5.0)
        assert (await made.peer.told("Status"))["session"]["exit_code"] == 3


async def test_a_killed_adapter_leaves_no_program_and_no_binary(tmp_path: Path) -> None:
    async with building(tmp_path) as made:
        await made.launch(args=["spin"])
        number = await made.peer.send(made.request("Continue", all_threads=False, wait=wait(60_000)))
        await made.until_printed("spinning")
        (process,) = made.daemon.adapters()
        process.send_signal(signal.SIGKILL)
        died = (await made.peer.answer(number))["payload"]["Response"]["Stepped"]
        assert died["state"] == "adapter_died"
        await eventually(lambda: not made.running(), "the program outlived its adapter", 5.0)
        await eventually(lambda: not made.scratches(), "the binary is left", 5.0)


async def test_a_binary_is_gone_when_the_daemon_is_shut_down(tmp_path: Path) -> None:
    async with building(tmp_path) as made:
        await made.launch(stop_on_entry=False, args=["spin"])
        assert made.scratches() != []
        await made.peer.told("Shutdown")
        assert await made.daemon.ended() == 0
        assert made.scratches() == []
        assert made.running() == []
