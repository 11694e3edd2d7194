"""What the daemon says of saving: every change, and its own end, tell what could not be written down."""

import os
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.state_file import read_state
from tests.daemon.serving import Served, places_of, serving


def _adding(line: int) -> dict[str, Any]:
    return {"BreakpointAdd": {"breakpoint": {"source": "/a.py", "line": line, "enabled": True}, "dry_run": False}}


_CHANGES: list[tuple[Any, str]] = [
    (_adding(1), "Breakpoints"),
    ({"WatchAdd": {"watch": {"expression": "x"}, "dry_run": False}}, "Watches"),
    (
        {"FunctionBreakpointAdd": {"breakpoint": {"name": "f", "enabled": True}, "dry_run": False}},
        "FunctionBreakpoints",
    ),
    (
        {
            "ExceptionFilterSet": {
                "adapter": "debugpy",
                "filters": [{"filter": "raised", "enabled": True}],
                "dry_run": False,
            }
        },
        "ExceptionFilters",
    ),
    ({"Mute": {"muted": True}}, "Muted"),
]


@pytest.mark.parametrize(("change", "kind"), _CHANGES, ids=[kind for _, kind in _CHANGES])
async def test_every_change_that_cannot_be_saved_says_so_in_its_own_answer(
    tmp_path: Path, change: Any, kind: str
) -> None:
    async with serving(places_of(tmp_path / "p", os.environ), whole=True) as served, served.client() as client:
        assert "not_saved" not in (await client.ask(change))["Response"][kind]
    async with serving(places_of(tmp_path / "q", os.environ), whole=True) as served, served.client() as client:
        (served.places.root / ".lazydap").write_text("in the way")
        assert "Not a directory" in (await client.ask(change))["Response"][kind]["not_saved"]
        (served.places.root / ".lazydap").unlink()


async def test_an_answer_names_the_id_under_which_its_breakpoint_was_saved(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another daemon gives away the same id between our claim and our write.
    state = served.places.root / ".lazydap" / "state.toml"
    state.parent.mkdir(exist_ok=True)
    state.write_text("next_breakpoint_id = 3\n")
    catch_up = served.store.catch_up

    def overtaken() -> None:
        catch_up()
        state.write_text('[[breakpoints]]\nid = 3\nsource = "/b.py"\nline = 9\n')

    monkeypatch.setattr(served.store, "catch_up", overtaken)
    async with served.client() as client:
        (told,) = (await client.ask(_adding(4)))["Response"]["Breakpoints"]["breakpoints"]

    assert (told["id"], told["line"]) == (4, 4)
    assert {one.id: one.line for one in read_state(served.places.root).breakpoints} == {3: 9, 4: 4}


@pytest.mark.parametrize("way", ["request", "signal"])
async def test_what_cannot_be_saved_at_the_end_is_kept_aside_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    places = places_of(tmp_path / "p", os.environ)
    async with serving(places) as served, served.client() as client:
        (served.places.root / ".lazydap").write_text("in the way")
        added = await client.ask(_adding(4))
        assert "not_saved" in added["Response"]["Breakpoints"]
        if way == "request":
            told = (await client.ask("Shutdown"))["Response"]["ShuttingDown"]["not_saved"]
            assert str(places.unsaved) in told
        else:
            served.server.end("SIGTERM received")
        await served.ended()

    assert f"until then they are in {places.unsaved}, to be copied over state.toml" in caplog.text
    (tmp_path / "p" / ".lazydap").unlink()
    (tmp_path / "p" / ".lazydap").mkdir()
    places.unsaved.rename(tmp_path / "p" / ".lazydap" / "state.toml")
    assert [one.line for one in read_state(tmp_path / "p").breakpoints] == [4]


async def test_an_end_with_everything_saved_leaves_nothing_aside(served: Served) -> None:
    async with served.client() as client:
        await client.ask(_adding(4))
        assert "not_saved" not in (await client.ask("Shutdown"))["Response"]["ShuttingDown"]
    await served.ended()
    assert not served.places.unsaved.exists()


async def test_clients_hear_at_once_that_the_project_is_not_saved_and_that_it_is_again(served: Served) -> None:
    add = {"BreakpointAdd": {"breakpoint": {"source": "/a.py", "line": 1, "enabled": True}, "dry_run": False}}
    state = served.places.root / ".lazydap" / "state.toml"
    async with served.client("state_file") as watching, served.client() as client:
        state.parent.mkdir(exist_ok=True)
        state.write_text("[[breakpoints]\n")
        await client.ask(add)
        told = (await watching.event())["StateFile"]["not_saved"]
        assert "state.toml is malformed" in told
        assert (await client.ask("Status"))["Response"]["Status"]["not_saved"] == told
        assert (await client.ask("WatchList"))["Response"]["Watches"]["not_saved"] == told
        checks = (await client.ask("Doctor"))["Response"]["Doctor"]["checks"]
        assert (checks[0]["name"], checks[0]["ok"]) == ("state.saved", False)
        state.unlink()
        assert await served.store.flush()
        assert (await watching.event())["StateFile"]["not_saved"] is None
        assert "not_saved" not in (await client.ask("Status"))["Response"]["Status"]
