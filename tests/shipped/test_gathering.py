"""Robots that gather come together, and never spread again."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import pytest

from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.geometry import Point


def spread(places: list[Point]) -> float:
    """Return the largest distance between two places."""
    return max(one.distance_to(other) for one, other in combinations(places, 2))


@pytest.mark.parametrize("seed", range(5))
def test_the_spread_shrinks_below_a_hundredth_and_never_grows(tmp_path: Path, seed: int) -> None:
    """A goal is the middle of places, and the ways there are straight: nobody leaves what all of them span.

    So the spread of all robots and of where they are bound can never grow, whatever their speeds.
    """
    outcome, run = recorded(tmp_path, "gathering", f"seed={seed}")
    assert (outcome.errors, outcome.contacts) == ((), 0)
    spans = []
    for instant in range(0, 1201, 5):
        robots = run.state_at(float(instant))
        places = [robot.pose.position for robot in robots]
        spans.append(spread([*places, *(robot.destination for robot in robots if robot.destination)]))
        if instant == 1200:
            assert spread(places) < 0.01 * spans[0]

    assert spans[0] > 100.0
    for before, after in pairwise(spans):
        assert after <= before + 1e-9


@pytest.mark.slow
def test_more_robots_gather_as_well(tmp_path: Path) -> None:
    _, run = recorded(tmp_path, "gathering", "robots.count=100")

    assert spread([robot.pose.position for robot in run.state_at(1200.0)]) < 10.0
