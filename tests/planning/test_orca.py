"""Reciprocal avoidance: the program is solved exactly, pairs keep apart, walls are never given up."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, hypot, sin, tau
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import _core
from kumi.geometry import Bounds, Point, Segment
from kumi.planning import Barrier, MovingDisc, Orca, Potential, wall_rows
from kumi.planning.space import Space
from kumi.planning.velocity_rules import VelocityRule
from tests.planning import velocity_oracle

angles = st.floats(0.0, tau)
speeds = st.floats(-1.5, 1.5).map(lambda speed: round(speed, 6))
planes = st.lists(st.tuples(angles, speeds), max_size=8)


def rows(drawn: list[tuple[float, float]]) -> np.ndarray:
    return np.array([(cos(angle), sin(angle), bound) for angle, bound in drawn]).reshape(-1, 3)


@given(planes, st.tuples(speeds, speeds), st.integers(0, 4))
def test_half_planes_leave_what_the_oracle_finds(
    drawn: list[tuple[float, float]], wanted: tuple[float, float], hard: int
) -> None:
    """The nearest velocity; where there is none, the least violation of the soft ones, or else of the hard ones."""
    lines, wish = rows(drawn), np.array(wanted)
    hard = min(hard, len(lines))
    found = np.array(_core.nearest_velocity(lines, wish, 1.0, hard))

    assert hypot(*found) <= 1.0 + 1e-12
    loose = velocity_oracle.nearest(lines, wish, 1.0, slack=1e-7)
    best = velocity_oracle.nearest(lines, wish, 1.0, slack=0.0)
    if best is not None and velocity_oracle.excess(lines, found) <= 1e-9:
        assert hypot(*(found - wish)) <= hypot(*(best - wish)) + 1e-6
    if loose is not None and best is None:
        return  # within rounding of nothing: either answer is one
    if best is not None:
        assert velocity_oracle.excess(lines, found) <= 1e-6
    elif velocity_oracle.nearest(lines[:hard], wish, 1.0, slack=1e-7) is not None:
        assert velocity_oracle.excess(lines[:hard], found) <= 1e-7
        least = velocity_oracle.least_excess(lines[:hard], lines[hard:], 1.0)
        assert velocity_oracle.excess(lines[hard:], found) == pytest.approx(least, abs=1e-5)
    else:
        least = velocity_oracle.least_excess(lines[:0], lines[:hard], 1.0)
        assert velocity_oracle.excess(lines[:hard], found) == pytest.approx(least, abs=1e-5)


def test_two_that_head_for_each_other_slow_down_alike() -> None:
    """Surfaces 2 m apart, both at 0.6 m/s: to meet no sooner than in 2 s, each goes at 0.5 m/s."""
    both = [(0.6, 0), (-0.6, 0)]
    found = Orca(horizon=2.0).velocities([(0, 0), (3, 0)], both, both, 0.5, 1.0)
    assert found == pytest.approx(np.array([(0.5, 0.0), (-0.5, 0.0)]))


def test_one_that_does_not_give_way_leaves_all_of_it_to_the_other() -> None:
    """Surfaces 4 m apart, one stands: it is met no sooner than in 2 s at 2 m/s. By half is 2.1 m/s, from 2.2 m/s."""
    standing = MovingDisc((5, 0), (0, 0), 0.5)
    here = MovingDisc((0, 0), (2.2, 0), 0.5)
    for share, speed in ((1.0, 2.0), (0.5, 2.1)):
        found = Orca(horizon=2.0, reach=9.0, share=share).velocity(here, (2.2, 0), 3.0, [standing])
        assert (found.x, found.y) == pytest.approx((speed, 0.0))


def test_far_others_and_walls_change_nothing() -> None:
    """Who is beyond the reach, or cannot be met within the horizon, leaves the wanted velocity as it is."""
    walls = wall_rows(Space([Segment((0, 2), (5, 2))]))
    me = MovingDisc((0, 0), (1, 0), 0.2)
    for other in (MovingDisc((8, 0), (-1, 0), 0.2), MovingDisc((0, -1), (1, 0), 0.2)):
        assert Orca().velocity(me, (1, 0), 1.0, [other], walls=walls) == Point(1.0, 0.0)


def test_a_wall_is_reached_no_sooner_than_its_horizon() -> None:
    """0.8 m before a wall, with a horizon of 2 s: at most 0.4 m/s towards it, and as fast as wanted along it."""
    walls = wall_rows(Space([Segment((1, -5), (1, 5))]))
    orca, me = Orca(wall_horizon=2.0), MovingDisc((0, 0), (0, 0), 0.2)
    assert orca.velocity(me, (1, 0), 1.0, walls=walls) == Point(0.4, 0.0)
    found = orca.velocity(me, (0.6, 0.7), 1.0, walls=walls)
    assert (found.x, found.y) == pytest.approx((0.4, 0.7))


def test_overlapping_robots_part_within_a_period() -> None:
    """Two discs of 0.5 m at rest that overlap by 0.1 m part at 0.5 m/s each, with a period of 0.1 s."""
    found = Orca(period=0.1).velocities([(0, 0), (0.9, 0)], [(0, 0)] * 2, [(0, 0)] * 2, 0.5, 2.0)
    assert found == pytest.approx(np.array([(-0.5, 0.0), (0.5, 0.0)]))


coordinates = st.floats(0.0, 6.0)
swarms = st.lists(st.tuples(coordinates, coordinates, angles, angles), min_size=2, max_size=40)


@given(swarms, st.floats(0.3, 4.0), st.sampled_from([None, 1, 5]))
def test_one_call_for_all_gives_what_each_finds_alone(
    swarm: list[tuple[float, float, float, float]], reach: float, most: int | None
) -> None:
    """To the last bit, with cells or without, and in whichever order the others are told."""
    places = np.array([(x, y) for x, y, _, _ in swarm])
    moving = np.array([(cos(a), sin(a)) for _, _, a, _ in swarm])
    wanted = np.array([(cos(a), sin(a)) for _, _, _, a in swarm])
    walls = wall_rows(Space([Segment((2, 2), (4, 5))], Bounds(0, 0, 6, 6)))
    orca = Orca(reach=reach, most=most, margin=0.02)
    together = orca.velocities(places, moving, wanted, 0.1, 1.0, walls=walls)
    discs = [MovingDisc(tuple(p), tuple(v), 0.1) for p, v in zip(places, moving, strict=True)]
    for i, (me, wish) in enumerate(zip(discs, wanted, strict=True)):
        others = discs[:i] + discs[i + 1 :]
        assert tuple(orca.velocity(me, tuple(wish), 1.0, others, walls=walls)) == tuple(together[i])


@given(st.integers(0, 2**32 - 1))
def test_walls_are_never_given_up(seed: int) -> None:
    """In any crowd between any walls, nobody reaches a wall within its horizon."""
    draw = np.random.default_rng(seed)
    ends = draw.uniform(0, 4, (40, 4))
    walls = np.column_stack([ends, np.full(len(ends), 0.02)])
    places = draw.uniform(0, 4, (60, 2))
    moving, wanted = draw.uniform(-1, 1, (2, 60, 2))
    gaps = clearances(places, walls) - 0.05
    free = (gaps > 0.0).all(axis=1)
    found = Orca(wall_horizon=0.5).velocities(
        places[free], moving[free], wanted[free], 0.05, 1.0, walls=walls
    )
    for share in (0.25, 0.5, 1.0):
        after = clearances(places[free] + found * (0.5 * share), walls) - 0.05
        assert after.min(initial=0.0) >= -1e-9


def clearances(places: np.ndarray, walls: np.ndarray) -> np.ndarray:
    """How far each place is from the surface of each wall."""
    start, way = walls[:, 0:2], walls[:, 2:4] - walls[:, 0:2]
    off = places[:, None, :] - start
    share = np.clip((off * way).sum(axis=2) / (way * way).sum(axis=1), 0.0, 1.0)
    gaps: np.ndarray = np.hypot(*np.moveaxis(off - share[:, :, None] * way, 2, 0)) - walls[:, 4]
    return gaps


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_who_follows_what_was_decided_does_not_meet_while_the_half_planes_leave_something(
    seed: int, count: int
) -> None:
    """Robots at random, apart at first: for as long as each pair's half-planes hold, no two touch within a period."""
    draw = np.random.default_rng(seed)
    places, moving = draw.uniform(0, 3, (count, 2)), np.zeros((count, 2))
    goals, orca = draw.uniform(0, 3, (count, 2)), Orca(horizon=2.0, reach=9.0)
    if least_gap(places) <= 0.1:
        return
    for _ in range(20):
        to_goal = goals - places
        far = np.hypot(*to_goal.T)[:, None]
        wanted = to_goal / np.maximum(far, 1.0)
        found = orca.velocities(places, moving, wanted, 0.05, 1.0)
        both = Orca(horizon=2.0, reach=9.0, period=0.1)
        if worst_violation(both, places, moving, found) > 1e-9:
            return
        for share in (0.05, 0.1):
            assert least_gap(places + found * share) >= 0.1 - 1e-9
        places, moving = places + found * 0.1, found


def least_gap(places: np.ndarray) -> float:
    apart = np.hypot(*np.moveaxis(places[:, None] - places[None], 2, 0))
    return float(apart[np.triu_indices(len(places), 1)].min())


def worst_violation(orca: Orca, places: np.ndarray, moving: np.ndarray, found: np.ndarray) -> float:
    """By how much the half-plane of any pair is violated: no velocity is taken that a pair alone would have changed."""
    worst = 0.0
    for i in range(len(places)):
        for j in range(len(places)):
            if i != j:
                me = MovingDisc(tuple(places[i]), tuple(moving[i]), 0.05)
                other = MovingDisc(tuple(places[j]), tuple(moving[j]), 0.05)
                alone = orca.velocity(me, tuple(found[i]), 1.0, [other])
                worst = max(worst, abs(alone - Point(*found[i])))
    return worst


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ([(0, 0)], [(0, 0)] * 2, [(0, 0)], 0.1, 1.0),
            "a position, a velocity and a wanted one, not 1, 2 and 1",
        ),
        (([0, 0], [(0, 0)], [(0, 0)], 0.1, 1.0), "positions are rows of two numbers"),
        (
            ([(0, 0)], [(0, 0)], [(0, 0)], [0.1, 0.2], 1.0),
            "radii are one number, or one for each of 1 robots",
        ),
        (([(0, 0)], [(0, 0)], [(0, 0)], 0.1, -1.0), "top speeds are finite and not below 0"),
        (([(0, float("nan"))], [(0, 0)], [(0, 0)], 0.1, 1.0), "finite"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Orca().velocities(*arguments)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"horizon": 0.0}, "horizon"),
        ({"share": 1.5}, "between 0 and 1"),
        ({"most": 0}, "at least 1"),
        ({"most": 1.5}, "whole number"),
        ({"margin": -0.1}, "margin"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Orca(**settings)


SIZES = [0.0, 5e-324, 1e-300, 1e-160, 1e-9, 0.1, 1.0, 1e6, 1e30]
RULES: list[Callable[[float], VelocityRule]] = [
    lambda size: Orca(reach=size, horizon=size, wall_horizon=1.0 / size, period=size),
    lambda size: Barrier(reach=size, gain=size),
    lambda size: Potential(reach=size, influence=size, repulsion=size),
]


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(RULES),
    st.sampled_from([1e-30, 1e-9, 0.1, 1.0, 1e6, 1e30]),
    st.sampled_from([0, 1, 30]),
    st.sampled_from([0, 1, 30]),
)
def test_numbers_of_any_size_give_velocities_up_to_the_top_speed(
    seed: int, rule: Callable[[float], VelocityRule], setting: float, count: int, walls: int
) -> None:
    """Also where all are in one place, and where squares underflow."""
    rng = np.random.default_rng(seed)
    some = rng.choice(SIZES, size=2)

    def numbers(*shape: int) -> np.ndarray:
        drawn: np.ndarray = rng.choice(some, size=shape) * rng.choice([-1.0, 1.0, rng.random()], size=shape)
        return drawn

    radii, tops = np.abs(numbers(count)), np.abs(numbers(count))
    lines = numbers(walls, 5)
    lines[:, 4] = np.abs(lines[:, 4])
    found = rule(setting).velocities(
        numbers(count, 2), numbers(count, 2), numbers(count, 2), radii, tops, walls=lines
    )
    assert np.all(np.abs(found) <= tops[:, None] * (1.0 + 1e-9) + 1e-100)


def test_long_walls_are_filed_in_a_bounded_number_of_cells() -> None:
    """Three thousand walls across a floor of a kilometre, each of which meets all its cells, are found like one by one."""
    rng = np.random.default_rng(0)
    lines = np.zeros((3000, 5))
    lines[:, 0], lines[:, 2] = 0.0, 1000.0
    lines[:, 1], lines[:, 3] = rng.uniform(0.0, 1000.0, (2, 3000))
    places, wish = rng.uniform(0.0, 1000.0, (30, 2)), rng.uniform(-1.0, 1.0, (30, 2))
    found = Orca().velocities(places, wish, wish, 0.01, 1.0, walls=lines)
    for place, wanted, velocity in zip(places, wish, found, strict=True):
        me = MovingDisc(tuple(place), tuple(wanted), 0.01)
        below = lines[:, 1] + (lines[:, 3] - lines[:, 1]) * place[0] / 1000.0
        near = lines[np.abs(below - place[1]) < 3.0]
        assert Point(*velocity) == Orca().velocity(me, tuple(wanted), 1.0, walls=near)


ONE = ([(0, 0)], [(0, 0)], [(0, 0)], 0.1, 1.0)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"walls": [(0, 0, 1, 1)]}, "rows of five numbers"),
        ({"walls": [(0, 0, 1, 1, -0.1)]}, "thickness of a wall is not below 0"),
        ({"walls": [(0, 0, 1e300, 1, 0)]}, "up to 1e30"),
        ({"shares": 1.5}, "between 0 and 1"),
        ({"seen_as": ([(0, 0)] * 2, [(0, 0)], 0.1)}, "each of 1 robots is seen"),
    ],
)
def test_surroundings_that_make_no_sense_are_refused(more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Orca().velocities(*ONE, **more)


def test_walls_may_lie_in_memory_in_any_way() -> None:
    lines = np.array([(-2.0, 1.0, 2.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0)])
    me, wanted = MovingDisc((0, 0), (0, 0), 0.5), (0.3, 0.8)
    expected = Orca().velocity(me, wanted, 1.0, walls=lines[:1])
    for walls in (lines[::2], np.asfortranarray(lines)[:1], lines[:1].astype(np.float32), lines[:1].tolist()):
        assert Orca().velocity(me, wanted, 1.0, walls=walls) == expected
