"""A project's link to its daemon, without an editor: what a command waits for while a daemon is being started."""

import os
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.paths import places
from lazydap_nvim import early
from lazydap_nvim.link import Link
from tests.editor.editor import end_daemons, eventually, listens
from tests.editor.scripted import StartDaemon

SECONDS = 8.0


class Silent:
    """A listener that draws nothing."""

    called = "Neovim 1"

    def linked(self, *_: Any) -> None:
        """A daemon answers."""

    def unlinked(self, *_: Any, **__: Any) -> None:
        """None does."""

    def heard(self, *_: Any) -> None:
        """An event."""

    def missed(self, *_: Any) -> None:
        """Events were lost."""

    def refused(self, *_: Any) -> None:
        """Somebody who cannot be used."""


async def test_a_command_goes_on_when_the_link_came_up_while_its_daemon_was_being_started(
    start_daemon: StartDaemon, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener: Any = Silent()
    link = Link(places(project, environ=os.environ), os.environ, listener)

    def start(_: Link) -> None:
        start_daemon({})
        # For another command's sake, or because its daemon was found: before the start has said that it is over.
        eventually(lambda: link.is_up, bool, what="the link is up")

    monkeypatch.setattr(Link, "_start_daemon", start)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(link.run)
        with anyio.fail_after(SECONDS):
            await link.ready(start=True)
        assert link.is_up
        tasks.cancel_scope.cancel()


def until_begun() -> None:
    """Wait until nobody is starting a daemon early any more."""
    eventually(
        lambda: [thread.name for thread in threading.enumerate()],
        lambda names: "early daemon" not in names,
        what="the thread is over",
        seconds=SECONDS,
    )


def test_the_daemon_of_a_first_command_is_started_for_a_file_of_a_project(project: Path) -> None:
    (project / ".lazydap").mkdir(exist_ok=True)
    here = places(project, environ=os.environ)
    try:
        early.begin(str(project / "a.py"))
        until_begun()
        assert listens(here.socket)
    finally:
        end_daemons(here.pid.parent)


def test_no_daemon_is_started_for_a_file_that_belongs_to_no_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def has_no_root(*_: object) -> None:
        asked.append("root")

    def start(*_: object) -> None:
        asked.append("daemon")

    monkeypatch.setattr(early, "has_root", has_no_root)
    monkeypatch.setattr(early, "ensure_daemon", start)
    early.begin(str(project / "a.py"))
    until_begun()
    assert asked == ["root"]
