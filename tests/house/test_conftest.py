"""The guards of tests/conftest.py, seen from a run of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import surroundings

ROOT = Path(__file__).resolve().parents[2]


def run_of(folder: Path, source: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file beside a copy of our conftest, in a process of its own."""
    (folder / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (folder / "test_planted.py").write_text(source)
    (folder / "pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT}\nmarkers =\n    linux: x\n    macos: x\n")
    plugins = [word for name in ("cacheprovider", "asyncio", "xdist", "randomly") for word in ("-p", f"no:{name}")]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "-q", "-rA", str(folder)],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=25,
        check=False,
    )


LEAKS = """
import subprocess, sys
from tests.house import leaks

leaks.GRACE_SECONDS = 0.2
FOREVER = [sys.executable, "-c", "import time; time.sleep(600)"]

def leave(**how):
    child = subprocess.Popen(FOREVER, start_new_session=True, **how)
    print("child", child.pid)
    child.returncode = 0  # silences the warning about a running child

def test_leaving_one():
    leave()

def test_leaving_one_without_its_environment(private_folders):
    leave(env={}, cwd=private_folders.data)

def test_tidy():
    assert subprocess.run([sys.executable, "-c", "pass"]).returncode == 0
"""


def test_processes_left_behind_fail_the_run_and_are_ended(tmp_path: Path) -> None:
    run = run_of(tmp_path, LEAKS)
    left = run.stdout.split("processes left behind")[1]
    children = re.findall(r"child (\d+)", run.stdout)
    assert "3 passed" in run.stdout
    assert run.returncode == 1
    assert len(children) == 2
    assert all(child in left for child in children)
    assert "test_leaving_one" in left
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(int(child), 0)


ONE_RUNS = """
import pytest
@pytest.mark.linux
def test_linux(): ...
@pytest.mark.macos
def test_macos(): ...
@pytest.mark.skip(reason="no adapter here")
def test_skipped(): ...
"""
SKIPS_AS_A_FILE = """
import pytest
pytest.skip("no adapter here", allow_module_level=True)
"""


@pytest.mark.parametrize("source", [ONE_RUNS, SKIPS_AS_A_FILE], ids=["one test", "a whole file"])
def test_in_ci_a_skip_is_a_failure_that_says_why(tmp_path: Path, source: str) -> None:
    run = run_of(tmp_path, source, CI="true")
    assert run.returncode != 0
    assert "In CI nothing may be skipped" in run.stdout
    assert "no adapter here" in run.stdout


def test_elsewhere_a_skip_is_a_skip_and_another_platform_is_left_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, ONE_RUNS, CI="")
    assert run.returncode == 0, run.stdout
    assert "1 passed, 1 skipped, 1 deselected" in run.stdout


def test_an_editor_around_the_tests_does_not_leak_in() -> None:
    dirty = {"NVIM": "/tmp/n", "VIRTUAL_ENV": "/v", "PYTHONPATH": "/p", "LAZYDAP_INSTANCE": "x", "XDG_DATA_HOME": "/d"}
    kept = surroundings.scrubbed({**dirty, "PATH": "/usr/bin", "HOME": "/nowhere", "LANG": "C"})
    assert kept == {"PATH": f"/usr/bin{os.pathsep}{Path(sys.executable).parent}", "HOME": "/nowhere", "LANG": "C"}


def test_private_folders_are_short_enough_for_a_socket(private_folders: surroundings.Folders) -> None:
    socket = Path(os.environ["LAZYDAP_RUNTIME_DIR"]) / ("x" * 40 + ".sock")
    assert len(os.fsencode(socket)) < 100
    assert private_folders.runtime.stat().st_mode & 0o777 == 0o700
    assert Path(os.environ["HOME"]) == private_folders.home
