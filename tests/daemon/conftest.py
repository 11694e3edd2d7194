"""Owns the fixtures that several tests of this folder share: a served project, and one real adapter after the other."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.daemon.debugging import ADAPTERS, AdapterName
from tests.daemon.serving import Served, hosted, places_of


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> AdapterName:
    """One adapter after the other."""
    return request.param


@pytest.fixture
async def served(tmp_path: Path) -> AsyncGenerator[Served]:
    """A server with a scripted engine."""
    async with hosted(places_of(tmp_path / "p", os.environ)) as made:
        yield made
