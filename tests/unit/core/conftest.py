"""A folder short enough for a socket's path."""

from pathlib import Path

import pytest

from tests.house.surroundings import Folders


@pytest.fixture
def short_folder(private_folders: Folders) -> Path:
    folder = private_folders.home.parent / "w"
    folder.mkdir(mode=0o700)
    return folder
