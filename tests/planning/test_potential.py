"""A potential field: the forces are those of its formula, and its local minima are where they are said to be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Segment
from kumi.planning import MovingDisc, Potential, wall_rows
from kumi.planning.space import Space

REST = (0.0, 0.0)
WALL = wall_rows(Space([Segment((0.0, -5.0), (0.0, 5.0))]))


def test_the_forces_add_up() -> None:
    """A clearance of 0.25 m to a wall at right angles, an influence of 0.5: 0.01 * (4 - 2) * 16 = 0.32 m/s back."""
    field = Potential(attraction=0.5, influence=0.5, repulsion=0.01)
    found = field.velocity(MovingDisc((-0.35, 0), REST, 0.1), (1.0, 0.6), 1.0, walls=WALL)
    assert (found.x, found.y) == pytest.approx((0.5 - 0.32, 0.3))


def test_the_attraction_ends_at_the_top_speed() -> None:
    found = Potential(attraction=2.0).velocity(MovingDisc(REST, REST, 0.1), (3.0, 4.0), 0.5)
    assert (found.x, found.y) == pytest.approx((0.3, 0.4))


def test_a_robot_stays_before_a_wall_that_lies_square_to_its_way() -> None:
    """At 0.25 m the wall pushes with 0.32 m/s: a goal straight behind it that attracts with 0.32 m/s is never reached."""
    field = Potential(attraction=0.32, influence=0.5, repulsion=0.01)
    found = field.velocity(MovingDisc((-0.35, 0), REST, 0.1), (1.0, 0.0), 1.0, walls=WALL)
    assert (found.x, found.y) == pytest.approx((0.0, 0.0), abs=1e-12)
    nearer = field.velocity(MovingDisc((-0.34, 0), REST, 0.1), (1.0, 0.0), 1.0, walls=WALL)
    farther = field.velocity(MovingDisc((-0.36, 0), REST, 0.1), (1.0, 0.0), 1.0, walls=WALL)
    assert nearer.x < 0.0 < farther.x


def test_a_goal_beside_a_wall_repels() -> None:
    """At a goal within the influence of a wall the attraction is none, and the wall still pushes."""
    found = Potential(influence=0.5).velocity(MovingDisc((-0.35, 0), REST, 0.1), REST, 1.0, walls=WALL)
    assert found.x < 0.0


@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_one_call_for_all_gives_what_each_finds_alone(seed: int, count: int) -> None:
    draw = np.random.default_rng(seed)
    places, ways = draw.uniform(0, 3, (2, count, 2))
    field = Potential(reach=1.0)
    together = field.velocities(places, np.zeros_like(places), ways, 0.1, 1.0, walls=WALL)
    discs = [MovingDisc(tuple(place), REST, 0.1) for place in places]
    for i in range(count):
        alone = field.velocity(discs[i], tuple(ways[i]), 1.0, discs[:i] + discs[i + 1 :], walls=WALL)
        assert tuple(alone) == tuple(together[i])
