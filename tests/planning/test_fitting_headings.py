"""Paths between given headings: as short as any car can drive, or as much longer as they say."""

from __future__ import annotations

from itertools import pairwise
from math import cos, hypot, inf, nan, pi, sin
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract import Sample
from kumi.geometry import Bounds, Disc, Rectangle
from kumi.motion import Car
from kumi.planning.fitting import fit_path, fit_spline
from kumi.planning.limits import Limits
from kumi.planning.path_check import PathError
from kumi.planning.paths import Path
from kumi.planning.profile import speed_profile
from kumi.planning.routes import plan_route
from kumi.planning.space import Space, WallSpace
from kumi.planning.trajectory import Trajectory
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World
from tests.planning.dubins_oracle import Pose, dubins_length, random_poses
from tests.planning.scenes import distance, spaces

NEVER_LONGER = 1.15
BLOCK = Space([Rectangle(2, 2, 8, 8)], Bounds(0, 0, 12, 12))


def fitted(start: Pose, goal: Pose, **options: Any) -> Path:
    """Return the path between two poses in the open, with a least radius of 1 m."""
    asked = {"min_radius": 1.0, "start_heading": start[2], "goal_heading": goal[2], **options}
    return fit_path([start[:2], goal[:2]], **asked)


def check_between(path: Path, start: Pose, goal: Pose, radius: float = 1.0) -> None:
    """Look whether a path begins and ends as asked for, and whether its columns belong together."""
    assert (path.x[0], path.y[0], path.heading[0], path.curvature[0]) == (*start, 0)
    assert (path.x[-1], path.y[-1], path.curvature[-1]) == (*goal[:2], 0)
    assert cos(path.heading[-1] - goal[2]) == pytest.approx(1.0)
    assert np.abs(path.curvature).max() <= (1 + 1e-9) / radius
    step = np.diff(path.s)
    turned = np.concatenate([[0.0], np.cumsum((path.curvature[1:] + path.curvature[:-1]) / 2 * step)])
    np.testing.assert_allclose(path.heading[0] + turned, path.heading, rtol=0, atol=1e-6)
    middle = (path.heading[1:] + path.heading[:-1]) / 2
    for column, way in ((path.x, np.cos), (path.y, np.sin)):
        summed = column[0] + np.concatenate([[0.0], np.cumsum(way(middle) * step)])
        np.testing.assert_allclose(summed, column, rtol=0, atol=1e-4 * path.length)


def keeps_rate(path: Path, rate: float) -> bool:
    """Tell whether the curvature changes by no more than a rate from posture to posture."""
    return bool((np.abs(np.diff(path.curvature)) <= rate * np.diff(path.s) * (1 + 1e-6) + 1e-9).all())


def check_never_longer(seed: int, count: int) -> None:
    for start, goal in random_poses(seed, count):
        path = fitted(start, goal)
        shortest = dubins_length(start, goal)
        assert path.length <= NEVER_LONGER * shortest, f"{path.length / shortest:.3f} times, {start}, {goal}"
        assert path.length >= shortest - 1e-9
        check_between(path, start, goal)
        assert path.cost_of_bound == 0.0


def test_a_path_between_headings_is_never_longer_than_115_hundredths_of_dubins() -> None:
    check_never_longer(0, 60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 2026])
def test_a_thousand_paths_between_headings_are_never_longer(seed: int) -> None:
    check_never_longer(seed, 1000)


@pytest.mark.parametrize("radius", [0.05, 7.0, 400.0])
def test_nor_with_another_radius(radius: float) -> None:
    for start, goal in random_poses(5, 10, radius, 16 * radius):
        path = fitted(start, goal, min_radius=radius)

        assert path.length == pytest.approx(dubins_length(start, goal, radius), rel=1e-9)
        check_between(path, start, goal, radius)


def test_a_straight_route_may_have_places_in_between() -> None:
    goal = (3.0, 3.0, 2.5)
    path = fit_path([(0, 0), (1, 1), (3, 3)], min_radius=1.0, start_heading=-1.0, goal_heading=2.5)

    assert path.length == pytest.approx(dubins_length((0, 0, -1.0), goal))


@pytest.mark.parametrize("at_goal", [False, True])
def test_a_heading_at_one_end_alone_is_met_by_the_shortest_path(at_goal: bool) -> None:
    """Of 721 headings at the other end none is reached sooner, and the best of them no later than by a millimetre."""
    headings: dict[str, Any] = {"goal_heading": pi} if at_goal else {"start_heading": 0.0}
    route = [(-1, -2), (0, 0)] if at_goal else [(0, 0), (-1, -2)]
    path = fit_path(route, min_radius=1.0, **headings)
    lengths = []
    for heading in np.linspace(-pi, pi, 721).tolist():
        ends = ((-1, -2, heading), (0, 0, pi)) if at_goal else ((0, 0, 0.0), (-1, -2, heading))
        lengths.append(dubins_length(*ends))

    assert path.length <= min(lengths) + 1e-9
    assert path.length == pytest.approx(min(lengths), abs=1e-3)


@pytest.mark.parametrize("rate", [40.0, 4.0, 1.0])
def test_a_path_says_what_the_bound_on_its_rate_of_curvature_costs(rate: float) -> None:
    for start, goal in random_poses(6, 12):
        path = fitted(start, goal, max_curvature_rate=rate)

        assert keeps_rate(path, rate)
        assert path.cost_of_bound == pytest.approx(path.length - dubins_length(start, goal), abs=1e-9)
        check_between(path, start, goal)


def test_a_straight_path_costs_nothing_with_any_bound() -> None:
    path = fitted((0, 0, 0.0), (3, 0, 0.0), max_curvature_rate=1e-3)

    assert (path.length, path.cost_of_bound) == (3.0, 0.0)


def test_a_bound_may_cost_a_loop() -> None:
    """A quarter of a circle is all there is room for; with clothoids at its ends there is not, and it goes around."""
    path = fitted((0, 0, 0.0), (1, 1, pi / 2), max_curvature_rate=100.0)

    assert path.length - path.cost_of_bound == pytest.approx(pi / 2)
    assert 2 * pi - 1 < path.cost_of_bound < 2 * pi + 1


def test_a_bound_holds_where_any_radius_will_do() -> None:
    path = fit_path([(0, 0), (5, 1)], start_heading=2.0, goal_heading=-2.0, max_curvature_rate=2.0)

    assert keeps_rate(path, 2.0)
    assert path.heading[0] == 2.0


@pytest.mark.parametrize("rate", [10.0, 2.0, 0.5])
def test_a_bound_holds_around_corners_and_obstacles(rate: float) -> None:
    route = plan_route(BLOCK, (1, 1), (11, 11), 0.4)
    assert route
    free = fit_path(route, min_radius=0.3, clearance=0.4, space=BLOCK)
    path = fit_path(route, min_radius=0.3, clearance=0.4, space=BLOCK, max_curvature_rate=rate)

    assert not keeps_rate(free, 10.0)
    assert keeps_rate(path, rate)
    assert BLOCK.clearances(path.points).min() > 0.4
    assert path.cost_of_bound == pytest.approx(path.length - free.length)


def test_a_bound_that_cannot_be_kept_is_refused_where_it_is_broken() -> None:
    route = plan_route(BLOCK, (1, 1), (11, 11), 0.4)
    assert route

    with pytest.raises(
        PathError, match=r"a rate of curvature of 0.1 rad/m².* the best one has .* near"
    ) as it:
        fit_path(route, min_radius=0.3, clearance=0.4, space=BLOCK, max_curvature_rate=0.1)
    assert it.value.place.distance_to((11, 2)) < 4
    with pytest.raises(
        PathError, match=r"a rate of curvature of 0.001 rad/m² takes turns of 22.\d+ m, and no path"
    ):
        fit_path(route, min_radius=0.3, clearance=0.4, space=BLOCK, max_curvature_rate=0.001)


@pytest.mark.parametrize("rate", [0.0, -4.0, nan, 1e-13, 1e13, -inf])
def test_a_bound_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(
        ValueError, match=r"rate of curvature is a number of rad/m² from 1e-12 to 1e\+12, or inf, not"
    ):
        fitted((0, 0, 0.0), (3, 0, 0.0), max_curvature_rate=rate)


def test_where_the_shortest_is_blocked_the_next_that_is_free_is_taken() -> None:
    """To a place behind it turns left or right, both as long. A wall takes the left; then one takes the right, too."""
    ends = ((0.0, 0.0, 0.0), (-6.0, 0.0, pi))
    left, right = WallSpace((-9, 1.2), (9, 1.2)), WallSpace((-9, -1.2), (9, -1.2))
    free = fitted(*ends)
    for wall, side in ((left, -1), (right, 1)):
        path = fitted(*ends, space=Space([wall]), clearance=0.1)
        assert path.length == pytest.approx(free.length)
        assert (side * path.y).max() > 1.5
        assert Space([wall]).clearances(path.points).min() > 0.1
    with pytest.raises(PathError):
        fitted(*ends, space=Space([left, right]), clearance=0.1)


@settings(max_examples=15, deadline=None)
@given(
    space=spaces,
    place=st.tuples(st.floats(3, 17), st.floats(3, 17)),
    first=st.floats(-pi, pi),
    last=st.floats(-pi, pi),
)
def test_among_obstacles_it_is_free_and_never_longer_than_a_spline(
    space: Space, place: tuple[float, float], first: float, last: float
) -> None:
    """Nor is it refused where a spline is found."""
    start = (10.0, 10.0)
    if (
        min(distance(space, start), distance(space, place)) <= 0.25
        or hypot(place[0] - 10, place[1] - 10) < 0.1
    ):
        return
    asked: dict[str, Any] = {
        "min_radius": 0.5,
        "clearance": 0.2,
        "start_heading": first,
        "goal_heading": last,
    }
    if not space.is_clear(start, place, 0.2):
        return
    try:
        spline = fit_spline([start, place], space=space, **asked).length
    except PathError:
        spline = inf
    try:
        path = fit_path([start, place], space=space, **asked)
    except PathError:
        assert spline == inf
        return

    assert path.length <= spline * (1 + 1e-9)
    assert path.length >= dubins_length((*start, first), (*place, last), 0.5) - 1e-9
    assert space.clearances(path.points).min() > 0.2
    assert np.abs(path.curvature).max() <= (1 + 1e-6) / 0.5


def test_wheels_turn_at_jumps_while_it_stands_and_on_the_way_with_a_bound() -> None:
    """A quarter of a circle of 1 m, 2√(π/2 / 0.5) s; before and after it the wheels turn by π/4 at 0.5 rad/s."""
    limits = Limits(top_speed=5.0, acceleration=0.5, steering_rate=0.5, wheelbase=1.0)
    goal = (1.0, 1.0, pi / 2)

    assert speed_profile(fitted((0, 0, 0.0), goal), limits).duration == pytest.approx(
        2 * (pi / 2 / 0.5) ** 0.5 + 2 * pi / 4 / 0.5
    )
    far = (6.0, 4.0, 2.0)
    smooth = speed_profile(fitted((0, 0, 0.0), far, max_curvature_rate=1.0), limits)
    assert (smooth.speed_on(np.linspace(0.01, smooth.length - 0.01, 500)) > 0).all()


@pytest.mark.parametrize(
    "more", [{"lateral": 0.3}, {"turn_speed": 0.5}, {"grip": 0.4}, {"jerk": 0.5, "lateral": 0.3}]
)
def test_speeds_along_it_keep_their_limits(more: dict[str, float]) -> None:
    """Across the path it is as fast as the arcs of 1 m allow, wherever the curvature jumps."""
    path = fitted((0, 0, 0.0), (0.5, 1.0, -1.0))
    limits = Limits(top_speed=1.0, acceleration=0.5, **more)
    states = Trajectory(path, speed_profile(path, limits)).states(0.01)
    for state in states:
        assert state.v <= limits.turn_speed / max(abs(state.curvature), 1e-9) * (1 + 1e-6)
        assert state.v**2 * abs(state.curvature) <= min(limits.lateral, limits.grip) * (1 + 1e-6)
    ways = [hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(states)]
    assert max(ways) <= 0.01 * (1 + 1e-6)


@pytest.mark.parametrize("seed", [7, pytest.param(8, marks=pytest.mark.slow)])
def test_a_car_of_that_radius_tracks_it(seed: int) -> None:
    """With no radius to spare it leaves no path by a twenty-fifth of it, and ends where the path does."""
    for start, goal in random_poses(seed, 8, 1.0, 8.0):
        path = fitted(start, goal)
        trajectory = Trajectory(path, speed_profile(path, Limits(top_speed=1.0, acceleration=0.5)))

        async def go(robot: Robot, trajectory: Trajectory = trajectory) -> None:
            await robot.track([Sample(*one) for one in trajectory.timed_places(0.05)])

        stage = Stage(World())
        robot = stage.add(go, at=start[:2], heading=start[2], shape=Disc(0.2), drive=Car(min_radius=1.0))
        stage.run(trajectory.end + 1.0)
        assert stage.outcome.errors == ()
        assert robot.position.distance_to(goal[:2]) < 0.04


def test_a_path_taken_backwards_is_as_long() -> None:
    path = fitted((0, 0, 0.5), (4, 3, -1.0))
    back = fitted((4, 3, -1.0 + pi), (0, 0, 0.5 + pi))

    assert back.length == pytest.approx(path.length)
    assert sin(back.heading[0] - path.heading[-1]) == pytest.approx(0.0, abs=1e-9)
