"""Owns the shell in which the tests of this folder type, and that nothing is running when they have ended."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.house.surroundings import Folders


@pytest.fixture
def shell(private_folders: Folders) -> Iterator[Shell]:
    """A shell in a project of its own; its daemon is ended with the test."""
    folder = private_folders.home.parent / "p"
    (folder / ".lazydap").mkdir(parents=True)
    made = Shell(Path(folder))
    made.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    yield made
    plain = Shell(made.folder, {name: value for name, value in made.environ.items() if name != "LAZYDAP_TIMEOUT"})
    ended = plain("shutdown")
    assert ended.code == 0, ended.err
