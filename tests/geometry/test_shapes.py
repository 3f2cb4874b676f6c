"""Shapes: what they hold, what a ray meets, how far they extend, and what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi import _core
from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Pose
from tests.geometry import scenes
from tests.geometry.scenes import angles, pair, placed, places, poses, shapes

SQUARE = Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])


def ray(shape: _core.Shape, start: tuple[float, float], direction: float) -> float:
    """Return how far a ray goes before it meets a shape at the origin."""
    return _core.ray_hit(shape, 0, 0, 0, *start, math.cos(direction), math.sin(direction))


def contains(shape: BodyShape, pose: Pose, point: Point) -> bool:
    return _core.contains(shape.core, *placed(pose), *pair(point))


def test_the_reach_is_the_distance_of_the_farthest_point() -> None:
    assert [Disc(0.5).reach, Ellipse(4, 2).reach, SQUARE.reach] == [0.5, 2, math.sqrt(2)]


def test_shapes_are_values() -> None:
    assert Disc(1) == Disc(1.0)
    assert len({SQUARE, Polygon(SQUARE.corners), Ellipse(2, 1), Ellipse(2, 1)}) == 2
    with pytest.raises(AttributeError):
        SQUARE.corners = ()  # type: ignore[misc]


def test_corners_are_kept_counter_clockwise_and_without_straight_ones() -> None:
    clockwise = Polygon([(-1, 1), (0, 1), (1, 1), (1, -1), (1, -1), (-1, -1)])

    assert set(clockwise.corners) == set(SQUARE.corners)
    assert [pair(corner) for corner in clockwise.corners] == [(-1, -1), (1, -1), (1, 1), (-1, 1)]


@pytest.mark.parametrize(
    ("corners", "rule"),
    [
        ([(0, 0), (1, 0)], "at least 3 corners, not 2"),
        ([(0, 0), (1, 0), (2, 0)], "do not lie on one line"),
        ([(0, 0), (2, 0), (0.5, 0.5), (0, 2)], r"turns inwards at the corner \(0.5, 0.5\)"),
        ([Point.polar(1, math.tau * 2 * i / 5) for i in range(5)], "sides cross each other"),
        ([(0, 0), (math.nan, 0), (0, 1)], "a corner of a polygon has finite coordinates"),
    ],
)
def test_a_polygon_that_is_none_is_refused(corners: list[tuple[float, float]], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        Polygon(corners)


@pytest.mark.parametrize("size", [0, -1, math.nan, math.inf])
def test_a_size_is_finite_and_above_zero(size: float) -> None:
    with pytest.raises(ValueError, match="the radius of a disc is a finite number"):
        Disc(size)
    with pytest.raises(ValueError, match="the width of an ellipse is a finite number"):
        Ellipse(1, size)
    with pytest.raises(ValueError, match="the radius of a disc is a finite number > 0, not"):
        _core.Shape.disc(size)


def test_a_ray_meets_the_near_side() -> None:
    assert ray(Disc(1).core, (-3, 0), 0) == 2
    assert ray(SQUARE.core, (-3, 0.5), 0) == 2
    assert ray(Ellipse(4, 2).core, (0, 3), -math.pi / 2) == pytest.approx(2)
    assert ray(_core.Shape.polygon([(-1, 0), (1, 0)], 0.5), (0.5, 3), -math.pi / 2) == pytest.approx(2.5)
    assert ray(_core.Shape.polygon([(0, -1), (0, 1)]), (-3, 0.5), 0) == 3


def test_a_ray_misses_what_lies_behind_or_beside() -> None:
    assert ray(Disc(1).core, (-3, 0), math.pi) == math.inf
    assert ray(SQUARE.core, (-3, 1.5), 0) == math.inf
    assert ray(Ellipse(4, 2).core, (-3, 1.5), 0) == math.inf
    assert ray(_core.Shape.polygon([(0, -1), (0, 1)]), (-3, 1.5), 0) == math.inf


@given(st.sampled_from(SQUARE.corners), st.floats(-0.7, 0.7))
def test_a_ray_towards_a_corner_does_not_slip_through(corner: Point, slant: float) -> None:
    way = Point.polar(1, corner.direction + slant)
    start = corner + way * 3

    assert _core.ray_hit(SQUARE.core, 0, 0, 0, *pair(start), *pair(-way)) == pytest.approx(3)


@given(shapes, poses, places, angles)
def test_a_ray_ends_on_the_boundary(shape: BodyShape, pose: Pose, start: Point, direction: float) -> None:
    way = Point.polar(1, direction)
    distance = _core.ray_hit(shape.core, *placed(pose), *pair(start), *pair(way))
    point = _core.Shape.polygon([(0, 0)])

    def gap_at(length: float) -> float:
        return _core.gap(shape.core, *placed(pose), point, *pair(start + way * length), 0)[0]

    if contains(shape, pose, start):
        assert distance == 0
    elif distance < math.inf:
        assert gap_at(distance) == pytest.approx(0, abs=1e-9)
        assert all(gap_at(distance * i / 20) > -1e-9 for i in range(20))
    else:
        assert all(gap_at(i / 20) > -1e-9 for i in range(120))


@given(shapes, poses, places)
def test_a_shape_holds_the_points_to_which_it_has_no_gap(shape: BodyShape, pose: Pose, place: Point) -> None:
    point = _core.Shape.polygon([(0, 0)])
    distance = _core.gap(shape.core, *placed(pose), point, *pair(place), 0)[0]
    assume(abs(distance) > 1e-9)

    assert contains(shape, pose, place) == (distance < 0)


@given(shapes, angles, angles)
def test_the_extent_is_that_of_the_oracle(shape: BodyShape, heading: float, direction: float) -> None:
    way = Point.polar(1, direction)

    assert _core.extent(shape.core, heading, way.x, way.y) == pytest.approx(
        scenes.extent(shape, heading, direction)
    )


@given(st.floats(0.01, 1), angles)
def test_a_rim_adds_to_the_extent(rounding: float, direction: float) -> None:
    way = Point.polar(1, direction)
    rounded = _core.Shape.polygon([pair(corner) for corner in SQUARE.corners], rounding)

    assert _core.extent(rounded, 0, *pair(way)) == pytest.approx(
        _core.extent(SQUARE.core, 0, *pair(way)) + rounding
    )
    assert rounded.reach == pytest.approx(SQUARE.reach + rounding)
