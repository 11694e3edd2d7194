"""Owns what every test gets: private folders, a clean environment, no skips in CI, no process left behind."""

import os
import shutil
import signal
import sys
import tempfile
import uuid
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path

import hypothesis
import pytest

from tests.house import leaks, surroundings

_FOLDER = "LAZYDAP_TEST_FOLDER"
_IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}
_PLATFORM_MARKS = {"linux": "linux", "macos": "darwin"}
_numbers = count()

# Two shared cores make any deadline a coin toss; pytest-timeout catches what hangs.
hypothesis.settings.register_profile("lazydap", deadline=None)
hypothesis.settings.load_profile("lazydap")


def pytest_configure(config: pytest.Config) -> None:
    """Exchange the environment before anything is imported that reads it; workers inherit mark and folder."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what runs in the background deaf to Ctrl-C, and children inherit that: tests press it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if _is_worker(config):
        run, folder = os.environ[leaks.MARK], os.environ[_FOLDER]
    else:
        run, folder = uuid.uuid4().hex[:12], str(Path(tempfile.mkdtemp(prefix="lz", dir="/tmp")).resolve())
    kept = surroundings.scrubbed(os.environ)
    os.environ.clear()
    os.environ.update(kept)
    os.environ.update({leaks.MARK: run, _FOLDER: folder})
    # For fixtures of a wider scope than one test; each test has folders of its own.
    os.environ.update(surroundings.folders(_own_folder() / "s").variables())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests of another platform: unlike a skip, that hides nothing which could run here."""
    elsewhere = [
        item
        for item in items
        if (wanted := [p for mark, p in _PLATFORM_MARKS.items() if item.get_closest_marker(mark)])
        and sys.platform not in wanted
    ]
    if elsewhere:
        config.hook.pytest_deselected(items=elsewhere)
        items[:] = [item for item in items if item not in elsewhere]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failed one: a missing adapter must not look like success."""
    report = yield
    if _IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a file that skips itself as a whole."""
    report = yield
    if _IN_CI and report.skipped:
        _fail(report)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when a process is left that a test started, and end it."""
    if _is_worker(session.config):
        return
    folder = Path(os.environ[_FOLDER])
    left = leaks.wait_until_none(os.environ[leaks.MARK], folder, leaks.GRACE_SECONDS)
    if left:
        session.config.stash[_LEFT] = [str(leak) for leak in left]
        leaks.end(left)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    shutil.rmtree(folder, ignore_errors=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the processes that were left."""
    if _LEFT in config.stash:
        terminalreporter.section("processes left behind", red=True)
        for line in config.stash[_LEFT]:
            terminalreporter.line(line)


@pytest.fixture(autouse=True)
def private_folders() -> Iterator[surroundings.Folders]:
    """Folders of this test alone; HOME, XDG_* and LAZYDAP_*_DIR point there."""
    root = _own_folder() / str(next(_numbers))
    made = surroundings.folders(root)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in made.variables().items():
            patch.setenv(name, value)
        yield made
    shutil.rmtree(root, ignore_errors=True)


_LEFT = pytest.StashKey[list[str]]()


def _own_folder() -> Path:
    return Path(os.environ[_FOLDER]) / os.environ.get("PYTEST_XDIST_WORKER", "m").removeprefix("gw")


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"In CI nothing may be skipped. {reason}"
