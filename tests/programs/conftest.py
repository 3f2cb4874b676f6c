"""What the tests of programs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kumi import Signal
from kumi.devs import Simulation
from tests.programs.log import Log


@pytest.fixture
def log() -> Log:
    """All that happened, with times."""
    return Log()


@pytest.fixture
def bell() -> Signal[str]:
    """A signal to play with."""
    return Signal("bell")


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    """A run that is driven by hand, and closed at the end."""
    with Simulation() as simulation:
        yield simulation
