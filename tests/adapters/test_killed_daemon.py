"""A daemon that is killed outright: its adapter and its program must not outlive it."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from lazydap_daemon.dap.messages import ProcessBody
from tests.adapters.real import lldb_dap
from tests.adapters.talking import PATIENCE, session_members, talking
from tests.fixtures.programs import C_SPIN, PY_SPIN

pytestmark = pytest.mark.timeout(90)
ROOT = Path(__file__).parents[2]


async def launch_and_hang(kind: str, program: str) -> None:
    """What stands for the daemon: launches, tells both pids, and waits for its death."""
    driver: Driver
    if kind == "debugpy":
        driver, plan = DebugpyDriver(interpreter=sys.executable), LaunchPlan(kind="debugpy", program=program, cwd="/")
    else:
        driver, plan = LldbDapDriver(executable=(lldb_dap(),)), LaunchPlan(kind="codelldb", program=program, cwd="/")
    async with talking(driver, plan) as talk:
        await talk.launch()
        body = (await talk.expect("process")).decode(ProcessBody)
        sys.stdout.write(json.dumps([talk.process.pid, body.system_process_id]) + "\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


@pytest.mark.parametrize("kind", ["debugpy", "lldb-dap"])
async def test_nothing_outlives_a_killed_daemon(tmp_path: Path, kind: str) -> None:
    program = PY_SPIN.write(tmp_path) if kind == "debugpy" else C_SPIN.build(tmp_path)[1]
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import anyio\n"
        "from tests.adapters.test_killed_daemon import launch_and_hang\n"
        f"anyio.run(launch_and_hang, {kind!r}, {str(program)!r})"
    )
    async with await anyio.open_process([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as daemon:
        assert daemon.stdout is not None
        with anyio.fail_after(PATIENCE * 2):
            line = await daemon.stdout.receive()
        session, pid = json.loads(line)
        assert {session, pid} <= set(session_members(session))
        daemon.send_signal(signal.SIGKILL)
        with anyio.fail_after(PATIENCE):
            while session_members(session):  # noqa: ASYNC110 - processes of another one's, which send no event
                await anyio.sleep(0.05)
