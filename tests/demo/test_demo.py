"""`make demo` without a terminal shows what the README promises."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.timeout(150)
@pytest.mark.parametrize("language", ["python", "c"])
def test_the_printed_demo_reaches_its_end(language: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.demo", "--print", language],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=140,
        check=False,
    )
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    assert run.stdout.count("▶●") == 1
    assert "Lazydap stack" in run.stdout
    assert "another editor, the same stop" in run.stdout
