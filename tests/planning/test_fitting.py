"""Paths along routes: smooth, wide enough in their turns, free of obstacles; or an error that says where not."""

from __future__ import annotations

from math import hypot, inf, nan, pi
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kumi.geometry import Bounds, Circle, Point, Rectangle
from kumi.planning.fitting import fit_path, fit_spline, sample
from kumi.planning.path_check import PathError
from kumi.planning.paths import Path, Posture
from kumi.planning.routes import plan_route
from kumi.planning.space import Space, WallSpace
from tests.planning.scenes import ROOM, distance, places, spaces

BEND = [(0, 0), (10, 0), (10, 10)]
BLOCK = Space([Rectangle(2, 2, 8, 8)], Bounds(0, 0, 12, 12))


def check(path: Path, space: Space, clearance: float, radius: float) -> None:
    """Look at the path ten times finer than it is, on straight lines between its postures."""
    s = np.linspace(0, path.length, 10 * len(path))
    at = np.column_stack([np.interp(s, path.s, path.x), np.interp(s, path.s, path.y)])
    step = path.length / (len(path) - 1)
    sagitta = step**2 / 8 * float(np.abs(path.curvature).max())
    assert min(distance(space, tuple(place)) for place in at.tolist()[::7]) > clearance - sagitta - 1e-9
    assert space.clearances(path.points).min() > clearance
    if radius:
        assert np.abs(path.curvature).max() <= (1 + 1e-6) / radius


@pytest.mark.parametrize(("bias", "tension"), [(1, 0), (1, 1), (2, 0), (0.5, 1)])
@pytest.mark.parametrize("radius", [0.3, 1.0, 3.0])
def test_a_corner_is_turned_with_the_least_radius(bias: float, tension: float, radius: float) -> None:
    path = fit_path(BEND, bias=bias, tension=tension, min_radius=radius)

    assert np.abs(path.curvature).max() <= 1 / radius
    assert (path.x[0], path.y[0], path.x[-1], path.y[-1]) == (0, 0, 10, 10)
    assert path.length < 20.5


@pytest.mark.parametrize("radius", [0.0, 0.3, 1.0, 3.0])
def test_a_path_around_a_block_keeps_off_it_and_turns_widely(radius: float) -> None:
    """The shortest route hugs the block's corner, so the curve has to swing out."""
    route = plan_route(BLOCK, (1, 1), (11, 11), 0.4)
    assert route

    check(fit_path(route, min_radius=radius, clearance=0.4, space=BLOCK), BLOCK, 0.4, radius)


def test_a_radius_for_which_there_is_no_room_is_refused_where_it_lacks() -> None:
    """Between the block and the border there are 2 m, of which 0.8 m are kept free: far too little for 5 m."""
    route = plan_route(BLOCK, (1, 1), (11, 11), 0.4)
    assert route

    with pytest.raises(PathError, match=r"keeps a radius of 5 m and a clearance of 0.4 m") as it:
        fit_path(route, min_radius=5.0, clearance=0.4, space=BLOCK)
    assert it.value.place.distance_to((10, 2)) < 2.5


def test_a_route_that_does_not_keep_the_clearance_is_refused() -> None:
    with pytest.raises(
        PathError, match=r"the leg of the route from \(0.5, 0.5\) to \(6, 1.8\) comes within 0.2 m"
    ):
        fit_path([(0.5, 0.5), (6, 1.8)], clearance=0.4, space=BLOCK)


@settings(max_examples=12, deadline=None)
@given(space=spaces, start=places, goal=places, radius=st.sampled_from([0.0, 0.2, 0.5]))
def test_paths_along_shortest_routes_keep_the_clearance_and_the_radius(
    space: Space, start: tuple[float, float], goal: tuple[float, float], radius: float
) -> None:
    """With any radius there is always one; a least radius may be refused."""
    assume(min(distance(space, start), distance(space, goal)) > 0.31 and start != goal)
    route = plan_route(space, start, goal, 0.3)
    assume(route is not None)
    assert route
    try:
        path = fit_path(route, min_radius=radius, clearance=0.3, space=space)
    except PathError:
        assert radius > 0
        return

    check(path, space, 0.3, radius)
    assert path.postures[0].position == Point(*start)
    assert path.postures[-1].position == Point(*goal)


def test_the_columns_belong_together() -> None:
    """Places follow from headings, headings from curvatures, to the error of the trapezoidal rule."""
    path = fit_path(BEND, min_radius=1.0)
    step = np.diff(path.s)

    def summed(column: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.concatenate([[0.0], np.cumsum((column[1:] + column[:-1]) / 2 * step)])

    np.testing.assert_allclose(path.heading[0] + summed(path.curvature), path.heading, rtol=0, atol=3e-4)
    np.testing.assert_allclose(path.x[0] + summed(np.cos(path.heading)), path.x, rtol=0, atol=3e-4)
    np.testing.assert_allclose(path.y[0] + summed(np.sin(path.heading)), path.y, rtol=0, atol=3e-4)
    assert len(path) == 1001
    assert np.ptp(step) < 1e-9
    # Curvature has no jumps: a step of 0.02 m changes it by far less than its range of 1 rad/m.
    assert np.abs(np.diff(path.curvature)).max() < 0.06


def test_the_way_is_the_length_of_the_curve_to_a_micrometre() -> None:
    spline = fit_spline(BEND, min_radius=1.0)
    path = sample(spline, 0.1)
    fine = spline.places(*spline.even(4000))
    ways = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(fine, axis=0).T))])

    assert path.length == pytest.approx(float(ways[-1]), abs=1e-6)
    at = np.column_stack([np.interp(path.s, ways, fine[:, axis]) for axis in (0, 1)])
    np.testing.assert_allclose(path.points, at, rtol=0, atol=1e-6)
    assert np.diff(path.s).max() <= 0.1


def test_a_straight_route_is_a_straight_path() -> None:
    path = fit_path([(1, 2), (4, 6)], min_radius=0.5, spacing=0.5)

    assert path.length == pytest.approx(5, abs=1e-12)
    assert path.heading == pytest.approx(np.full(11, np.arctan2(4, 3)), abs=1e-12)
    assert path.curvature == pytest.approx(np.zeros(11), abs=1e-9)


@pytest.mark.parametrize("heading", [0.0, 0.5, pi / 2, -2.0, pi, 3 * pi])
@pytest.mark.parametrize("at_goal", [False, True])
def test_headings_are_as_asked_for(heading: float, at_goal: bool) -> None:
    """Also backwards, and more than a turn: there the path makes a loop."""
    path = fit_path(
        [(0, 0), (10, 0)],
        min_radius=0.5,
        start_heading=None if at_goal else heading,
        goal_heading=heading if at_goal else None,
    )
    end = path.postures[-1 if at_goal else 0]

    assert np.abs(path.curvature).max() <= 2
    assert hypot(end.x - (10 if at_goal else 0), end.y) == 0
    assert (end.heading - heading) / (2 * pi) == pytest.approx(
        round((end.heading - heading) / (2 * pi)), abs=1e-12
    )
    assert at_goal or end.heading == heading
    assert abs(end.curvature) < 1e-9
    # The headings that were put in fit those around them.
    assert np.abs(np.diff(path.heading)).max() < 0.2


def test_mirrored_routes_have_mirrored_paths() -> None:
    one = fit_path([(0, 0), (6, 0), (10, 7)], min_radius=1.0)
    other = fit_path([(0, 0), (6, 0), (10, -7)], min_radius=1.0)

    np.testing.assert_allclose(one.points, other.points * [1, -1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.curvature, -other.curvature, rtol=0, atol=1e-9)


def test_a_route_taken_backwards_has_the_same_path() -> None:
    one = fit_path(BEND, min_radius=1.0)
    other = fit_path(BEND[::-1], min_radius=1.0)

    np.testing.assert_allclose(one.points, other.points[::-1], rtol=0, atol=1e-6)


def test_a_symmetric_route_has_a_symmetric_path() -> None:
    path = fit_path([(-5, 0), (0, 4), (5, 0)], min_radius=1.0)

    np.testing.assert_allclose(path.points, path.points[::-1] * [-1, 1], rtol=0, atol=1e-6)


def test_the_same_route_has_the_same_path() -> None:
    assert fit_path(BEND, min_radius=1.0) == fit_path(BEND, min_radius=1.0)


def test_a_turn_about_the_end_of_a_wall() -> None:
    wall = Space([WallSpace((0, 0), (10, 0))])
    route = plan_route(wall, (3, 1.5), (3, -1.5), 0.3)
    assert route

    check(fit_path(route, min_radius=0.5, clearance=0.3, space=wall), wall, 0.3, 0.5)


def test_no_path_turns_on_the_spot() -> None:
    """There and back on one line is a cusp. With a least radius the curve gives it up, else it is refused."""
    with pytest.raises(PathError, match="turns with a radius of 0 m near"):
        fit_path([(0, 0), (5, 0), (1, 0)])
    path = fit_path([(0, 0), (5, 0), (1, 0)], min_radius=1.0)
    assert np.abs(path.curvature).max() <= 1
    assert np.abs(np.diff(path.heading)).max() < 0.1


@pytest.mark.parametrize(
    ("route", "options", "message"),
    [
        ([(0, 0)], {}, "a route of at least two places, not 1"),
        ([(0, 0), (0, 0)], {}, "a route of at least two places, not 1"),
        ([(0, 0), (nan, 0)], {}, "a sub-goal of a route has finite coordinates"),
        (BEND, {"min_radius": -1}, "the least turning radius is a finite number >= 0, not -1"),
        (BEND, {"min_radius": nan}, "the least turning radius is a finite number"),
        (BEND, {"clearance": -0.5}, "the clearance of a path is a finite number >= 0, not -0.5"),
        (BEND, {"bias": 0}, "the bias of a β-spline is a finite number > 0, not 0"),
        (BEND, {"tension": -1}, "the tension of a β-spline is a finite number >= 0, not -1"),
        (BEND, {"spacing": 0.0}, "the spacing of postures is a finite number of metres > 0, not 0"),
        (BEND, {"start_heading": inf}, "the heading at the start is a finite number, not inf"),
    ],
)
def test_wrong_input_is_refused(route: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_path(route, **options)


def test_a_path_of_ones_own() -> None:
    path = Path.of([(0, 0, 0, 0, 0), (1, 0, 0, 0, 1), (3, 0, 0, 0.5, 3)])

    assert path.length == 3
    assert path.at(2) == Posture(2, 0, 0, 0.25, 2)
    assert list(path)[1] == Posture(1, 0, 0, 0, 1)
    with pytest.raises(ValueError, match="read-only"):
        path.x[0] = 1
    with pytest.raises(ValueError, match=r"from s = 0 to 3, not at 3.5"):
        path.at(3.5)
    for wrong, message in (
        ([(0, 0, 0, 0, 0)], "at least two postures, not 1"),
        ([(0, 0, 0, 0, 1), (1, 0, 0, 0, 2)], "begins at s = 0"),
        ([(0, 0, 0, 0, 0), (1, 0, 0, 0, -1)], "never shrinks"),
        ([(0, 0, 0, 0, 0), (1, 0, nan, 0, 1)], "finite numbers"),
        ([(0, 0, 0, 0), (1, 0, 0, 0)], "a posture is five numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            Path.of(wrong)  # type: ignore[arg-type]


def test_long_paths_have_a_bounded_number_of_control_points() -> None:
    """A kilometre at a least radius of a centimetre."""
    assert len(fit_spline([(0, 0), (1000, 0)], min_radius=0.01)) <= 4001


def test_a_narrow_slalom() -> None:
    space = Space([Circle((x, 10 + (1 if x % 8 else -1) * 1.2), 1.0) for x in range(4, 20, 4)], ROOM)
    route = plan_route(space, (1, 10), (19, 10), 0.3)
    assert route

    check(fit_path(route, min_radius=0.8, clearance=0.3, space=space), space, 0.3, 0.8)
