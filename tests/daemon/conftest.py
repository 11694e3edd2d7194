"""Owns the choice of a real adapter for the tests of this folder that run on each of them."""

import pytest

from tests.daemon.debugging import ADAPTERS, AdapterName


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> AdapterName:
    """One adapter after the other."""
    return request.param
