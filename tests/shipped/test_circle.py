"""Robots end on the smallest circle around where they were, at equal distances."""

from __future__ import annotations

from math import dist, tau
from typing import TYPE_CHECKING

import pytest

from kumi.planning.enclosing_circle import smallest_circle
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("seed", "count"), [(0, 10), (1, 10), (2, 5)])
def test_they_spread_evenly_on_the_circle_that_they_began_with(tmp_path: Path, seed: int, count: int) -> None:
    outcome, run = recorded(tmp_path, "circle", f"seed={seed}", f"robots.count={count}")
    before, after = ([state.pose.position for state in run.state_at(instant)] for instant in (0.0, run.end))
    circle = smallest_circle(before)
    angles = sorted((place - circle.centre).direction % tau for place in after)
    gaps = [(b - a) % tau for a, b in zip(angles, [*angles[1:], angles[0]], strict=True)]

    assert (outcome.errors, outcome.contacts) == ((), 0)
    assert all(dist(place, circle.centre) == pytest.approx(circle.radius, rel=1e-9) for place in after)
    assert gaps == pytest.approx([tau / count] * count, rel=1e-3)
