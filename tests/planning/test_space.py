"""Places and straight ways are as far from obstacles as counted one by one."""

from __future__ import annotations

from math import hypot, inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from kumi.geometry import Bounds, Circle, Outline, Point, Rectangle, Segment
from kumi.planning.distances import Segments, from_ways, nearest_lines
from kumi.planning.field import field_of
from kumi.planning.space import PlanError, Space, WallSpace, check_ends
from tests.planning.scenes import ROOM, distance, least_on, places, spaces


def test_distances_of_places_by_arithmetic() -> None:
    space = Space(
        [Circle((0, 0), 1), WallSpace((4, -1), (4, 1), 0.5), Segment((0, 5), (3, 5)), Rectangle(6, 6, 2, 2)]
    )

    assert space.clearance((2, 0)) == 1
    assert space.clearance((3.5, 1)) == 0.25
    assert space.clearance((4, 2)) == 0.75
    assert space.clearance((1, 6)) == 1
    assert space.clearance((9, 7)) == 1
    assert space.clearance((6.5, 7)) == -0.5
    assert space.clearance((0, 0.25)) == -0.75


def test_distances_of_ways_by_arithmetic() -> None:
    """A way past a corner, across a wall, wholly inside a box, and along a border."""
    space = Space([Rectangle(2, 2, 4, 4), WallSpace((8, 0), (8, 1))], Bounds(0, 0, 10, 10))

    assert space.clearance_between((1, 1), (9, 1)) == 0
    assert space.clearance_between((1, 7), (9, 7)) == 1
    assert space.clearance_between((3, 3), (5, 5)) == -1
    assert space.clearance_between((0.5, 9), (9, 9)) == 0.5
    assert space.clearance_between((0, 4), (4, 0)) == 0
    assert space.clearance_between((1, 2), (2, 1)) == pytest.approx(hypot(0.5, 0.5))


def test_touching_is_not_free() -> None:
    space = Space([Circle((0, 0), 1)])

    assert not space.is_free((2, 0), 1.0)
    assert space.is_free((2, 0), 0.999)
    assert not space.is_clear((-5, 2), (5, 2), 1.0)
    assert space.is_clear((-5, 2), (5, 2), 0.999)


def test_an_empty_space_is_free_everywhere() -> None:
    assert Space().clearance((1e6, -1e6)) == inf
    assert Space().clearance_between((0, 0), (1e6, 0)) == inf


@settings(max_examples=60, deadline=None)
@given(space=spaces, place=places)
def test_a_place_is_as_far_as_counted_one_by_one(space: Space, place: tuple[float, float]) -> None:
    found, expected = space.clearance(place), distance(space, place)

    assert max(found, 0) == pytest.approx(max(expected, 0), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(space=spaces, start=places, end=places)
def test_a_way_is_as_far_as_its_nearest_place(
    space: Space, start: tuple[float, float], end: tuple[float, float]
) -> None:
    found = space.clearance_between(start, end)
    expected, off = least_on(space, start, end)

    assert max(expected - off, 0) - 1e-9 <= max(found, 0) <= max(expected, 0) + 1e-9


@settings(max_examples=40, deadline=None)
@given(space=spaces, start=places, end=places)
def test_a_limit_changes_no_distance_within_it(
    space: Space, start: tuple[float, float], end: tuple[float, float]
) -> None:
    one, other = np.array([start]), np.array([end])
    whole = from_ways(one, other, space.lines)[0]
    limited = from_ways(one, other, space.lines, 1.0)[0]

    assert limited == whole or (whole > 1.0 and limited >= whole)


@settings(max_examples=20, deadline=None)
@given(space=spaces)
def test_a_field_holds_the_distances_of_its_centres(space: Space) -> None:
    field = field_of(space, ROOM, 0.7)
    cells = np.argwhere(np.ones(field.distance.shape))

    np.testing.assert_allclose(
        field.distance.ravel(), space.clearances(field.centres(cells)), rtol=0, atol=1e-12
    )


def test_the_nearest_point_of_the_first_of_equals_is_taken() -> None:
    lines = Segments(
        np.array([[0.0, 1.0], [0.0, -1.0]]), np.array([[9.0, 1.0], [9.0, -1.0]]), np.zeros(2), np.full(2, -1)
    )
    gaps, feet = nearest_lines(np.array([[3.0, 0.0]]), lines)

    assert (gaps.tolist(), feet.tolist()) == ([1.0], [[3.0, 1.0]])


def test_concave_outlines_are_open_where_they_bend_inwards() -> None:
    hook = Outline([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)])

    assert Space([hook]).clearance((2, 2)) == 1
    assert Space([hook]).is_clear((2, 2), (1.5, 3), 0.4)


@pytest.mark.parametrize(
    ("start", "goal", "message"),
    [
        ((-1, 5), (5, 5), "the start .-1, 5. is outside the space from .0, 0. to .20, 20."),
        ((5, 5), (5, 21), "the goal .5, 21. is outside"),
        ((10, 10), (5, 5), "the start .10, 10. is blocked: it is 1 m within an obstacle or a border"),
        ((5, 5), (10, 11), "the goal .10, 11. is blocked: it is at the edge of an obstacle or a border"),
        (
            (5, 5),
            (10, 11.2),
            "the goal .10, 11.2. is blocked: it is 0.2 m from an obstacle or a border, and a clearance",
        ),
    ],
)
def test_ends_that_are_blocked_or_outside_are_named(start: Any, goal: Any, message: str) -> None:
    space = Space([Circle((10, 10), 1)], ROOM)

    with pytest.raises(PlanError, match=message):
        check_ends(space, start, goal, 0.3)


@pytest.mark.parametrize("clearance", [-0.1, nan, inf])
def test_a_clearance_is_a_size(clearance: float) -> None:
    with pytest.raises(ValueError, match="the clearance of a route is a finite number"):
        check_ends(Space(), (0, 0), (1, 1), clearance)


def test_what_is_no_obstacle_is_refused() -> None:
    with pytest.raises(TypeError, match="an obstacle is a Circle, an Outline, a Wall or a Segment, not 3"):
        Space([3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="left < right and bottom < top"):
        Space([], Bounds(0, 0, 0, 1))
    with pytest.raises(ValueError, match="the thickness of a wall is a finite number >= 0, not -1"):
        WallSpace((0, 0), (1, 0), -1)
    with pytest.raises(ValueError, match="the side of a cell is a finite number of metres > 0, not 0"):
        field_of(Space(), ROOM, 0.0)


def test_a_wall_has_bounds() -> None:
    assert WallSpace((1, 2), (0, 4), 1.0).bounds == (-0.5, 1.5, 1.5, 4.5)
    assert Space([Circle((0, 0), 1)]).window([Point(5, 0)], 1.0) == (-2, -2, 6, 2)
