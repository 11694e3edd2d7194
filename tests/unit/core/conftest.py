"""Folders short enough for a socket's path."""

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.fixture
def short_folder() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ld-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)
