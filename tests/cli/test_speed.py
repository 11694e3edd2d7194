"""How much the command line costs beside the interpreter it runs in; processor time, so that a busy machine may be."""

import compileall
import os
import sys
from pathlib import Path

import pytest

from tests.cli.shell import LAZYDAP, Shell

ROOT = Path(__file__).parents[2]
ROUNDS = 15


def processor_time(command: list[str]) -> float:
    """Seconds of work that a process took, its output thrown away."""
    silent = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, used = os.wait4(pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime


@pytest.mark.timeout(120)
def test_status_costs_at_most_six_times_an_empty_program(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shell.folder)
    # As an installed wheel is; where the environment forbids it, a checkout would be compiled at each start.
    for part in ("lazydap_core", "daemon/lazydap_cli"):
        compileall.compile_dir(ROOT / part, quiet=1)
    shell("status")
    rounds = [
        (processor_time([sys.executable, "-c", "pass"]), processor_time([LAZYDAP, "status"])) for _ in range(ROUNDS)
    ]
    nothing, status = (min(times) for times in zip(*rounds, strict=True))
    assert status <= 6 * nothing
