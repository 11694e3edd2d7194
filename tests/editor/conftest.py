"""Owns the fixtures of the editor tests."""

import json
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.project import instance_name
from tests.editor.editor import Editor, end_daemons, eventually
from tests.editor.scripted import PROGRAM, Json, StartDaemon
from tests.fakes.daemon import FakeDaemon, running_daemon
from tests.house.surroundings import Folders


@pytest.fixture
def project(private_folders: Folders) -> Path:
    """An empty project folder with a root of its own."""
    folder = private_folders.home / "p"
    (folder / ".lazydap").mkdir(parents=True)
    return folder.resolve()


@pytest.fixture
def start_editor(private_folders: Folders, project: Path) -> Iterator[Callable[..., Editor]]:
    """Start editors in the project; they end with the test, and then the daemons they used."""
    started: list[Editor] = []

    def start(*files: str | Path, **options: Any) -> Editor:
        editor = Editor(*files, cwd=options.pop("cwd", project), **options)
        started.append(editor)
        return editor

    yield start
    problems: list[str] = []
    for editor in reversed(started):
        try:
            editor.close()
        except AssertionError as error:
            problems.append(str(error))
    problems += end_daemons(private_folders.data)
    assert problems == []


@pytest.fixture
def program(project: Path) -> Path:
    """A Python file of the project."""
    file = project / "app.py"
    file.write_text(PROGRAM)
    return file


@pytest.fixture
def start_daemon(private_folders: Folders, project: Path) -> Iterator[StartDaemon]:
    """Start scripted daemons where the project's clients look for theirs."""
    with ExitStack() as stack:

        def start(script: Json) -> FakeDaemon:
            folder = private_folders.runtime / "l"
            folder.mkdir(mode=0o700, exist_ok=True)
            whole = {"features": ["stop_detail", "launch_options"], **script}
            return stack.enter_context(running_daemon(folder, whole, instance_name(project)))

        yield start


class StubHost:
    """A host that draws nothing by itself: it writes down what it is told and plays batches on demand."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "stub-python"
        self._heard = folder / "heard.jsonl"
        self._write(f'exec {sys.executable} {Path(__file__).with_name("stub_host.py")} {self._heard} "$@"')

    def dies_saying(self, line: str) -> None:
        """From now on the host ends at once, after `line` on its standard error."""
        self._write(f"echo '{line}' >&2; exit 1")

    def recovers(self) -> None:
        """From now on the host starts again."""
        self.__init__(self.python.parent)

    @property
    def init(self) -> str:
        """Lua for the editor that is to use this host."""
        return f"vim.g.lazydap = {{ python = {json.dumps(str(self.python))} }}\n"

    def heard(self) -> list[dict[str, Any]]:
        """All messages so far, in order."""
        if not self._heard.exists():
            return []
        return [json.loads(line) for line in self._heard.read_text().splitlines()]

    def expect(self, verb: str, count: int = 1) -> dict[str, Any]:
        """Wait for the `count`-th message with this verb; returns it without `where` and `anchor`."""
        found = eventually(
            lambda: [message for message in self.heard() if message["verb"] == verb],
            lambda messages: len(messages) >= count,
            what=f"message {count} of {verb}",
        )
        return {key: value for key, value in found[count - 1].items() if key not in {"where", "anchor"}}

    def _write(self, body: str) -> None:
        self.python.write_text(f"#!/bin/sh\n{body}\n")
        self.python.chmod(self.python.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def stub(private_folders: Folders) -> StubHost:
    """A stand-in for the plugin host."""
    return StubHost(private_folders.home)
