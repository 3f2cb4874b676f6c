"""A safety barrier changes no command that is safe, and lets nobody touch anybody, whatever is wanted."""

from __future__ import annotations

from math import hypot

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point, Segment
from kumi.planning import Barrier, MovingDisc, wall_rows
from kumi.planning.space import Space
from tests.planning import velocity_oracle
from tests.planning.test_orca import clearances, least_gap

REST = (0.0, 0.0)


def test_the_clearance_shrinks_by_the_gain_at_most() -> None:
    """2 m between surfaces, a gain of 0.4 a second: each may approach at 0.4 m/s, so that both do at 0.8 = 0.4 * 2."""
    found = Barrier(gain=0.4).velocities([(0, 0), (3, 0)], [REST] * 2, [(1, 0), (-1, 0)], 0.5, 1.0)
    assert found == pytest.approx(np.array([(0.4, 0.0), (-0.4, 0.0)]))


def test_only_what_is_unsafe_is_taken_from_a_command() -> None:
    """Towards a wall 0.5 m away at most 0.5 m/s with a gain of 1; along it, and away from it, as wanted."""
    walls, barrier = wall_rows(Space([Segment((0.6, -9), (0.6, 9))])), Barrier(gain=1.0)
    me = MovingDisc(REST, REST, 0.1)
    for wanted, allowed in (((0.9, 0.3), (0.5, 0.3)), ((-0.9, 0.3), (-0.9, 0.3)), ((0.4, -0.8), (0.4, -0.8))):
        found = barrier.velocity(me, wanted, 1.0, walls=walls)
        assert (found.x, found.y) == pytest.approx(allowed)


def test_who_must_give_way_alone_reckons_with_the_velocity_of_the_other() -> None:
    """A clearance of 1 m and a gain of 1: to shrink by 1 m/s at most, before one that comes at 1.5 m/s it goes back at 0.5."""
    coming = MovingDisc((1.2, 0), (-1.5, 0), 0.1)
    found = Barrier(gain=1.0, share=1.0).velocity(MovingDisc(REST, REST, 0.1), (1, 0), 1.0, [coming])
    assert (found.x, found.y) == pytest.approx((-0.5, 0.0))


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.floats(0.1, 10.0))
def test_nobody_touches_anybody_or_a_wall_whatever_is_wanted(seed: int, count: int, gain: float) -> None:
    """With a decision every 1 / gain seconds: at each quarter of a period the discs are apart."""
    draw = np.random.default_rng(seed)
    walls = np.column_stack([draw.uniform(0, 4, (10, 4)), np.full(10, 0.02)])
    places = draw.uniform(0, 4, (count, 2))
    places = places[(clearances(places, walls) > 0.101).all(axis=1)]
    if len(places) < 2 or least_gap(places) <= 0.202:
        return
    barrier = Barrier(gain=gain, reach=0.1 + 2.0 / gain)
    for _ in range(20):
        wanted = draw.uniform(-1, 1, (len(places), 2))
        found = barrier.velocities(places, np.zeros_like(places), wanted, 0.1, 1.0, walls=walls)
        assert np.hypot(*found.T).max() <= 1.0 + 1e-12
        after = places
        for share in (0.25, 0.5, 0.75, 1.0):
            after = places + found * (share / gain)
            assert least_gap(after) >= 0.2 - 1e-9
            assert clearances(after, walls).min() >= 0.1 - 1e-9
        places = after


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_the_allowed_velocity_is_the_nearest_one(seed: int, count: int) -> None:
    """The quadratic program has the answer of the oracle, who tries every place that can be the best."""
    draw = np.random.default_rng(seed)
    places = draw.uniform(-1.5, 1.5, (count, 2))
    gaps = np.hypot(*places.T) - 0.2
    if gaps.min() <= 0.0:
        return
    wanted = draw.uniform(-1, 1, 2)
    others = [MovingDisc(tuple(place), REST, 0.1) for place in places]
    found = Barrier(gain=2.0).velocity(MovingDisc(REST, REST, 0.1), tuple(wanted), 0.8, others)
    planes = np.column_stack([places / np.hypot(*places.T)[:, None], gaps])
    best = velocity_oracle.nearest(planes, wanted, 0.8)
    assert best is not None
    assert abs(found - Point(*best)) <= 1e-7
    assert hypot(*found) <= 0.8 + 1e-12


def test_a_gain_is_above_0() -> None:
    with pytest.raises(ValueError, match="gain"):
        Barrier(gain=0.0)
