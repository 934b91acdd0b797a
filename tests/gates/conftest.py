"""Fixtures of the gate tests."""

import pytest
from worldkit import World


@pytest.fixture
def world() -> World:
    """An empty world."""
    return World()
