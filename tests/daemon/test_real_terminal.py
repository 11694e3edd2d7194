"""Real programs on a terminal of the daemon's, under real adapters: what a client sees, types and leaves behind."""

import base64
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.daemon.debugging import AdapterName, Debugging, debugging
from tests.daemon.going import going
from tests.daemon.real import PATIENCE
from tests.fixtures.go_programs import built, warm
from tests.fixtures.terminal_programs import ASKS, GO_ASKS

pytestmark = pytest.mark.timeout(300)


def on_terminal(made: Debugging, **options: Any) -> Any:
    """The options of a launch with a terminal."""
    return made.launch_request()["Launch"].get("options", {}) | {"terminal": True, **options}


async def shown(made: Debugging) -> str:
    """All that the terminal has shown."""
    answer = await made.ask("TerminalRead")
    return base64.b64decode(answer["data"]).decode().replace("\r\n", "\n")


async def until_shown(made: Debugging, text: str) -> None:
    """Wait until the terminal has shown `text`."""
    deadline = time.monotonic() + PATIENCE
    while text not in (seen := await shown(made)):
        assert time.monotonic() < deadline, f"{text!r} is not in {seen!r}"
        await anyio.sleep(0.01)


async def exit_code(made: Debugging) -> int:
    """The program's exit code, once it has ended, also when that was long ago."""
    session: Any = None
    deadline = time.monotonic() + PATIENCE
    while session is None or session["exit_code"] is None:
        assert time.monotonic() < deadline, f"the program does not end: {session}"
        session = (await made.peer.told("Status"))["session"]
        await anyio.sleep(0.01)
    return session["exit_code"]


async def type_in(made: Debugging, keys: bytes) -> None:
    """Press these keys."""
    await made.ask("TerminalWrite", data=base64.b64encode(keys).decode())


async def test_a_program_asks_on_its_terminal_gets_the_answer_and_obeys_ctrl_c(
    adapter: AdapterName, tmp_path: Path
) -> None:
    async with debugging(adapter, ASKS, tmp_path) as made:
        await made.launch(stop_on_entry=False, options=on_terminal(made, terminal_size=[100, 30]))
        await until_shown(made, "name? ")
        assert "tty=111 size=100x30\n" in await shown(made)
        await type_in(made, b"ana\r")
        await until_shown(made, "1 hello ana\n")
        await type_in(made, b"\x03")
        await until_shown(made, "interrupted\n")
        assert await exit_code(made) == 4


async def test_a_program_without_a_terminal_finds_its_input_empty(adapter: AdapterName, tmp_path: Path) -> None:
    async with debugging(adapter, ASKS, tmp_path) as made:
        await made.launch()
        ended = await made.resume()
        assert ended["exit_code"] == 3
        assert "-1 hello nobody\n" in await made.printed()
        refusal = await made.refused("TerminalWrite", data="eA==")
        assert (refusal["code"], "lazydap launch --terminal" in refusal["message"]) == ("Unsupported", True)


@pytest.mark.parametrize("with_terminal", [True, False])
async def test_a_go_program_asks_on_its_terminal_and_without_one_finds_its_input_empty(
    *, with_terminal: bool, tmp_path: Path
) -> None:
    warm()
    async with going(GO_ASKS, *built(tmp_path / "module", GO_ASKS), tmp_path) as made:
        if not with_terminal:
            await made.launch(stop_on_entry=False)
            assert await exit_code(made) == 3
            assert "0 hello nobody\n" in await made.printed()
            return
        await made.launch(stop_on_entry=False, options=on_terminal(made))
        await until_shown(made, "device=true\nname? ")
        await type_in(made, b"ana\r")
        await until_shown(made, "1 hello ana\n")
        await type_in(made, b"\x03")
        await until_shown(made, "interrupted\n")
        assert await exit_code(made) == 4
