"""Function breakpoints and watched values on real adapters; which exceptions stop stands beside the crashes."""

from pathlib import Path

import pytest

from tests.daemon.debugging import AdapterName, Debugging, debugging, frame_of, value_of
from tests.daemon.real import Json
from tests.fixtures.debuggees import COUNTS, CRASHES

pytestmark = pytest.mark.timeout(90)


async def at_function(made: Debugging, name: str, **more: str) -> Json:
    """Set a function breakpoint; the answer."""
    wanted = {"name": name, "enabled": True, **more}
    return await made.peer.told({"FunctionBreakpointAdd": {"breakpoint": wanted, "dry_run": False}})


def watching(made: Debugging, name: str) -> Json:
    """A request to stop when a value changes."""
    wanted = {"name": name, "access": "write", "enabled": True}
    return made.request("DataBreakpointAdd", breakpoint=wanted, dry_run=False)


async def test_a_program_stops_at_the_entry_of_a_function_and_not_where_all_are_muted(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, COUNTS, tmp_path) as made:
        number = (await at_function(made, "squared", condition="number == 2"))["breakpoints"][0]["id"]
        await made.launch()
        (listed,) = (await made.peer.told("FunctionBreakpointList"))["breakpoints"]
        assert listed["verified"]
        stepped = await made.resume()
        assert stepped["state"] == "paused"
        assert frame_of(stepped)[0] == "squared"
        assert value_of(stepped, "number") == "2"
        if adapter == "lldb-dap":
            assert stepped["hit_breakpoint_ids"] == [number]
        await at_function(made, "squared")
        assert frame_of(await made.resume())[0] == "squared"
        assert (await made.peer.told({"Mute": {"muted": True}}))["applied_to_session"]
        assert (await made.resume())["state"] == "exited"


async def test_a_native_program_stops_when_a_watched_value_changes(tmp_path: Path) -> None:
    async with debugging("lldb-dap", COUNTS, tmp_path) as made:
        await made.add("call")
        await made.launch(stop_on_entry=False)
        await made.until_paused()
        await made.remove()
        (watched,) = (await made.peer.told(watching(made, "total")))["breakpoints"]
        assert watched["verified"]
        stepped = await made.resume()
        assert (stepped["reason"], stepped["hit_breakpoint_ids"]) == ("data_breakpoint", [watched["id"]])
        assert value_of(stepped, "total") == "1"
        refused = await made.peer.refused(watching(made, "nowhere"))
        assert refused["code"] in {"BadRequest", "DapProtocolError"}
        await made.peer.told({"DataBreakpointRemove": {"selector": "All", "dry_run": False}})
        assert (await made.resume())["state"] == "exited"


async def test_debugpy_cannot_watch_values_and_goes_on_as_it_was(tmp_path: Path) -> None:
    async with debugging("debugpy", COUNTS, tmp_path) as made:
        await made.launch()
        refused = await made.peer.refused(watching(made, "total"))
        assert (refused["code"], refused["details"]) == ("Unsupported", {"adapter": "debugpy"})
        assert (await made.resume())["state"] == "exited"


async def test_every_exception_stops_a_python_program_that_is_to_stop_at_each(tmp_path: Path) -> None:
    async with debugging("debugpy", CRASHES, tmp_path) as made:
        change = {"filter": "raised", "enabled": True}
        await made.launch()
        answer = await made.peer.told({"ExceptionFilterSet": {"filters": [change], "dry_run": False}})
        assert answer["applied_to_session"]
        stepped = await made.resume()
        assert (stepped["reason"], frame_of(stepped)) == ("exception", ("fail", made.line("crash")))


async def test_the_text_of_a_signal_is_told_as_an_exception(tmp_path: Path) -> None:
    async with debugging("lldb-dap", CRASHES, tmp_path) as made:
        await made.launch()
        await made.resume()
        told = await made.ask("ExceptionInfo")
        assert "SIGSEGV" in told["description"]
