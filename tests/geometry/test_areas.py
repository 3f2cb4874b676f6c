"""Areas: which points they hold, their bounds, and which outlines are refused. And what counts as a point."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Circle, Outline, Point, Pose, Rectangle, Segment, as_point

L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]


@pytest.mark.parametrize("value", [Point(1, 2), (1, 2), [1.0, 2.0], (1, 2.0)])
def test_a_point_or_a_pair_is_a_point(value: Any) -> None:
    assert as_point(value) == Point(1, 2)


@pytest.mark.parametrize("value", ["ab", 3, None, (1,), (1, 2, 3), ("1", None)])
def test_anything_else_is_no_point(value: Any) -> None:
    with pytest.raises(TypeError, match="a goal is a Point or a pair of numbers, not"):
        as_point(value, "a goal")


@pytest.mark.parametrize("value", [(math.nan, 0), (0, math.inf), [-math.inf, 0]])
def test_a_point_is_finite(value: Any) -> None:
    with pytest.raises(ValueError, match="a point has finite coordinates, not"):
        as_point(value)


def test_a_pose_takes_a_pair_and_refuses_what_is_not_finite() -> None:
    assert Pose((1, 2), 3) == Pose(Point(1, 2), 3.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a heading is a finite number, not nan"):
        Pose(Point(1, 2), math.nan)


def test_a_circle_holds_its_rim() -> None:
    circle = Circle((1, 1), 5)

    assert [circle.contains((4, 5)), circle.contains((4, 5.01))] == [True, False]
    assert circle.bounds == (-4, -4, 6, 6)


def test_a_segment_has_a_length_and_bounds() -> None:
    segment = Segment((4, 0), (1, 4))

    assert (segment.length, segment.bounds) == (5, (1, 0, 4, 4))


def test_a_rectangle_is_an_outline() -> None:
    box = Rectangle(1, 2, 3, 4)

    assert box == Outline([(1, 2), (4, 2), (4, 6), (1, 6)])
    assert (box.area, box.bounds) == (12, (1, 2, 4, 6))
    assert len({box, Rectangle(1, 2, 3, 4)}) == 1


def test_an_outline_may_bend_inwards() -> None:
    outline = Outline(L_SHAPE)

    assert outline.area == 3
    assert [outline.contains(point) for point in [(0.5, 1.5), (1.5, 1.5), (1, 1), (0, 0), (1.5, 1), (2.1, 0)]] == [
        True, False, True, True, True, False,
    ]  # fmt: skip


def test_an_outline_is_kept_counter_clockwise() -> None:
    assert Outline(L_SHAPE[::-1]).corners == tuple(Point(x, y) for x, y in L_SHAPE)
    assert Outline(L_SHAPE[::-1]).sides[0] == Segment((0, 0), (2, 0))


@pytest.mark.parametrize(
    ("corners", "rule"),
    [
        ([(0, 0), (1, 0)], "at least 3 corners, not 2"),
        ([(0, 0), (1, 1), (2, 2)], "all its corners lie on one line"),
        ([(0, 0), (1, 0), (0, 1), (1, 1)], "an outline does not meet itself"),
        ([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], "an outline does not meet itself"),
        ([(0, 0), (2, 0), (2, 2), (2, 1), (0, 2)], None),
        ([(0, 0), (2, 0), (1, 0), (1, 1)], "an outline does not meet itself"),
        ([(0, 0), (1, 0), (1, 0), (1, 1)], "neighbouring corners of an outline differ"),
        ([(0, 0), (1, 0), (1, math.inf)], "a corner of an outline has finite coordinates"),
    ],
)
def test_an_outline_that_meets_itself_is_refused(
    corners: list[tuple[float, float]], rule: str | None
) -> None:
    with pytest.raises(ValueError, match=rule or "an outline does not meet itself"):
        Outline(corners)


def test_a_long_outline_is_checked_in_no_time() -> None:
    teeth = [(i / 100, 1 + i % 2) for i in range(2000)]

    assert Outline([(19.99, 0), (0, 0), *teeth]).area == pytest.approx(19.99 * 1.5)


@given(st.lists(st.floats(0.1, 1), min_size=3, max_size=20), st.floats(0, 7), st.floats(0, 1.5))
def test_a_star_holds_what_lies_nearer_than_its_boundary(
    radii: list[float], direction: float, distance: float
) -> None:
    """A star is known in polar coordinates, so whether a point is inside can be told from its sector alone."""
    n = len(radii)
    star = Outline([Point.polar(radius, math.tau * i / n) for i, radius in enumerate(radii)])
    sector = int(direction % math.tau / (math.tau / n)) % n
    start, end = (Point.polar(radii[i % n], math.tau * i / n) for i in (sector, sector + 1))
    way = Point.polar(1, direction)
    boundary = start.cross(end - start) / way.cross(end - start)

    if abs(distance - boundary) > 1e-9:
        assert star.contains(way * distance) == (distance < boundary)
