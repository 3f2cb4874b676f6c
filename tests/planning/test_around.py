"""Vehicles that plan around each other never touch, lose the least time, or say why they cannot."""

from __future__ import annotations

from math import cos, inf, pi, sin
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract import Blocked, Sample
from kumi.geometry import Disc, Ellipse, Polygon
from kumi.motion import Omni
from kumi.planning.conflicts import Mover, window
from kumi.planning.limits import Deadline, Impossible, Limits
from kumi.planning.profile import speed_profile
from kumi.planning.trajectory import TimedMotion, Trajectory
from kumi.planning.velocity_planning import Vehicle, around, prioritised
from kumi.stage import Stage
from kumi.world import World
from tests.planning.courses import straight

if TYPE_CHECKING:
    from kumi.robot import Robot

LIMITS = Limits(top_speed=2.0, acceleration=1.0)
POINT = Disc(0.1)
OCTAGON = Polygon(
    [(0.5, 0.2), (0.2, 0.5), (-0.2, 0.5), (-0.5, 0.2), (-0.5, -0.2), (-0.2, -0.5), (0.2, -0.5), (0.5, -0.2)]
)


def free_time(s: float) -> float:
    """Return when the fastest drive over 10 m comes to a place: 2 m to speed up, 2 m to brake."""
    if s <= 2:
        return float(np.sqrt(2 * s))
    return 2 + (s - 2) / 2 if s <= 8 else 7 - float(np.sqrt(2 * (10 - s)))


def test_the_closed_zone_of_the_closed_form() -> None:
    """At 3 s it would be at 4 m, which is closed until 4 s: one second later, 8 s in all."""
    profile = around(straight(10), LIMITS, POINT, [], regions=[window(4, 5, 2, 4)])

    assert profile.duration == pytest.approx(8.0, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    start=st.floats(0.5, 9.0), size=st.floats(0.1, 1.0), opens=st.floats(0.0, 8.0), lasts=st.floats(0.1, 8.0)
)
def test_any_closed_zone_costs_what_the_formula_says(
    start: float, size: float, opens: float, lasts: float
) -> None:
    late = opens + lasts - free_time(start)
    expected = 7.0 if free_time(start + size) <= opens else 7.0 + max(0.0, late)

    profile = around(
        straight(10), LIMITS, POINT, [], regions=[window(start, start + size, opens, opens + lasts)]
    )

    assert profile.duration == pytest.approx(expected, abs=1e-6)


@settings(max_examples=15, deadline=None)
@given(
    zones=st.lists(
        st.tuples(st.floats(0.5, 8.5), st.floats(0.1, 1.0), st.floats(0.0, 8.0), st.floats(0.1, 4.0)),
        max_size=5,
    ),
    speed=st.sampled_from([0.0, 0.5]),
)
def test_what_is_found_is_in_no_closed_zone_at_any_time(
    zones: list[tuple[float, float, float, float]], speed: float
) -> None:
    regions = [window(start, start + size, opens, opens + lasts) for start, size, opens, lasts in zones]
    try:
        profile = around(straight(10), LIMITS, POINT, [], regions=regions, start_speed=speed)
    except Impossible:
        assert speed > 0.0
        return
    clock = np.linspace(0.0, profile.duration, 20_001)
    way, v, a = profile.way_at(clock), profile.speed_at(clock), profile.acceleration_at(clock)
    for start, size, opens, lasts in zones:
        inside = (way > start + 1e-6) & (way < start + size - 1e-6)
        assert not (inside & (clock > opens + 1e-6) & (clock < opens + lasts - 1e-6)).any()
    assert v.max() <= 2 + 1e-9
    assert abs(a).max() <= 1 + 1e-6


def test_who_is_under_way_slows_down_and_loses_no_more_than_it_must() -> None:
    """At 2 m/s it would be at 4 m after 2 s; closed until 4 s, it comes there at 4 s and at full speed again."""
    profile = around(straight(10), LIMITS, POINT, [], regions=[window(4, 5, 1.5, 4)], start_speed=2.0)

    assert profile.duration == pytest.approx(8.0, abs=1e-3)
    assert profile.speed_at(0.0) == pytest.approx(2.0)


def test_between_two_zones_it_waits_on_the_way() -> None:
    """At 2 m the way is closed from 2.5 s on for long, at 8 m until 20 s: wait after the first, not at the start."""
    regions = [window(2, 3, 2.6, 100), window(8, 9, 0, 20)]
    profile = around(straight(10), LIMITS, POINT, [], regions=regions)

    assert profile.duration == pytest.approx(20.0 + free_time(10) - free_time(8))
    assert float(profile.time_at(3.0)) <= 2.6


def test_it_is_impossible_where_somebody_stays_and_the_sentence_says_so() -> None:
    path = straight(5, start=(5.0, 5.0), heading=-pi / 2)
    other = Mover(Disc(0.5), Trajectory(path, speed_profile(path, LIMITS)).motion(0.05), "B")

    with pytest.raises(
        Impossible, match=r"B takes the path at 4.* for ever, and the vehicle cannot pass before"
    ):
        around(straight(10), LIMITS, Disc(0.5), [other])


def test_who_stays_for_ever_is_named_and_not_who_comes_first() -> None:
    """A closed zone at 2 m can be waited for; that the end is taken from 3 s on cannot."""
    regions = [window(2, 3, 0, 6, "a gate"), window(9, 10, 3, inf, "a parked car")]

    with pytest.raises(Impossible, match=r"a parked car takes the path at 9 m from 3 s for ever"):
        around(straight(10), LIMITS, POINT, [], regions=regions)


def test_it_is_impossible_where_somebody_stands_at_the_start() -> None:
    path = straight(5, start=(0.2, 0.0), heading=pi / 2)
    other = Mover(Disc(0.5), Trajectory(path, speed_profile(path, LIMITS)).motion(0.05), "B")

    with pytest.raises(Impossible, match="B is on the start of the path"):
        around(straight(10), LIMITS, Disc(0.5), [other])


def test_a_deadline_that_giving_way_misses_is_impossible() -> None:
    with pytest.raises(Impossible, match=r"the deadline is 7\.5 s, .* at 8 s"):
        around(straight(10), LIMITS, POINT, [], regions=[window(4, 5, 2, 4)], deadlines=[Deadline(10.0, 7.5)])


def ring(count: int, radius: float = 10.0) -> list[Vehicle]:
    """Return vehicles on a circle that all cross it, to places beside the opposite starts."""
    vehicles = []
    for number in range(count):
        angle = 2 * pi * number / count
        aside = 0.2 if number % 2 else -0.2
        start, goal = ((radius * cos(a), radius * sin(a)) for a in (angle, angle + pi + aside))
        across = (goal[0] - start[0], goal[1] - start[1])
        path = straight(
            float(np.hypot(*across)), start=start, heading=float(np.arctan2(across[1], across[0]))
        )
        shape = (OCTAGON, Ellipse(1.2, 0.7), Disc(0.5))[number % 3]
        vehicles.append(Vehicle(path, shape, LIMITS, f"vehicle {number}"))
    return vehicles


async def tracked(robot: Robot, trajectory: Trajectory) -> None:
    """Drive a trajectory; who is hit stays where it is."""
    try:
        await robot.track([Sample(*place) for place in trajectory.timed_places(0.05)])
    except Blocked:
        return


def contacts(vehicles: list[Vehicle], trajectories: list[Trajectory]) -> int:
    """Return how often the exact engine finds that two touch."""
    world = World()
    with Stage(world) as stage:
        for vehicle, trajectory in zip(vehicles, trajectories, strict=True):
            _, at, heading = trajectory.timed_places(0.05)[0]
            stage.add(tracked, trajectory, at=at, heading=heading, shape=vehicle.shape, drive=Omni())
        return stage.run(200.0).contacts


@pytest.mark.parametrize("count", [2, 3, 8])
def test_the_exact_engine_finds_that_nothing_touches(count: int) -> None:
    vehicles = ring(count)
    trajectories = prioritised(vehicles, margin=0.02, resolution=0.1)
    fastest = [Trajectory(v.path, speed_profile(v.path, v.limits)) for v in vehicles]

    assert contacts(vehicles, trajectories) == 0
    assert contacts(vehicles, fastest) > 0
    assert trajectories[0].end == pytest.approx(fastest[0].end)


def test_who_comes_first_has_the_way() -> None:
    """The order of the vehicles is their priority: reversed, the other one waits."""
    one, two = ring(2)[0], ring(2)[1]
    for first, second in ((one, two), (two, one)):
        ends = [t.end for t in prioritised([first, second], margin=0.02, resolution=0.1)]
        free = [speed_profile(v.path, LIMITS).duration for v in (first, second)]
        assert ends[0] == pytest.approx(free[0])
        assert free[1] < ends[1] < inf


def test_the_same_vehicles_have_the_same_plans() -> None:
    first, second = (prioritised(ring(4), margin=0.02, resolution=0.1) for _ in range(2))

    assert [t.states(0.1) for t in first] == [t.states(0.1) for t in second]


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.9])
@pytest.mark.parametrize("acceleration", [0.5, 30.0])
def test_who_passes_over_the_end_after_the_fastest_arrival_is_waited_for(
    speed: float, acceleration: float
) -> None:
    """The other comes to the end of the way at 7 s and leaves it at 9 s; who waits long enough is free."""
    motion = TimedMotion.of(
        [0.0, 3.94, 6.98, 9.08, 13.66],
        [1.45, 1.54, 11.28, 8.54, 6.12],
        [5.0, 0.25, -1.06, 1.86, 5.0],
        [0.0] * 5,
    )
    limits = Limits(top_speed=speed, acceleration=acceleration)
    profile = around(straight(11), limits, Disc(0.5), [Mover(Disc(0.5), motion)])

    clock = np.linspace(0.0, 40.0, 8001)
    x, y, _ = motion.poses(clock)
    assert np.hypot(x - profile.way_at(clock), y).min() >= 1.0
