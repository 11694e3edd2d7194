"""Folders that live as long as one adapter."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lazydap_daemon.adapters.scratch import Scratch


@pytest.fixture(name="home")
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def dead_pid() -> int:
    """The number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-S", "-c", "pass"])
    ended.wait()
    return ended.pid


def test_it_is_ours_alone_and_goes_with_all_that_is_in_it(home: Path) -> None:
    scratch = Scratch("delve")
    assert list(home.iterdir()) == []
    scratch.make()
    assert scratch.path.parent == home
    assert scratch.path.name.startswith(f"lazydap-delve-{os.getpid()}-")
    assert stat.S_IMODE(scratch.path.stat().st_mode) == 0o700
    (scratch.path / "below").mkdir()
    (scratch.path / "below" / "binary").write_text("x")
    scratch.remove()
    assert list(home.iterdir()) == []
    scratch.remove()


def test_what_is_there_already_is_not_taken(home: Path) -> None:
    scratch = Scratch("delve")
    (home / scratch.path.name).mkdir()
    with pytest.raises(FileExistsError):
        scratch.make()


def test_what_a_killed_daemon_has_left_goes_and_nothing_else(home: Path) -> None:
    token = "0123456789abcdef"
    gone = home / f"lazydap-delve-{dead_pid()}-{token}"
    kept = [
        home / f"lazydap-delve-{os.getpid()}-{token}",
        home / f"lazydap-other-{dead_pid()}-{token}",
        home / f"lazydap-delve-{dead_pid()}-notes",
    ]
    for folder in (gone, *kept):
        folder.mkdir()
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    link = home / f"lazydap-delve-{dead_pid()}-fedcba9876543210"
    link.symlink_to(elsewhere)
    Scratch("delve").make()
    assert not gone.exists()
    assert all(folder.exists() for folder in (*kept, elsewhere))
