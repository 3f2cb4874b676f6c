"""The gap between two shapes: exact numbers, laws, and an oracle that only knows extents."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kumi import _core
from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Pose, gap
from tests.geometry.scenes import angles, ellipses, gap_by_extents, placed, places, polygons, poses, shapes

ORIGIN = Pose(Point(0, 0), 0)
SQUARE = Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])


def at(x: float, y: float, heading: float = 0) -> Pose:
    return Pose(Point(x, y), heading)


def touch(
    a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose
) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """Return the gap, the normal and the point between."""
    found, nx, ny, px, py = _core.gap(a.core, *placed(at_a), b.core, *placed(at_b))
    return found, (nx, ny), (px, py)


# Numbers.


def test_discs_are_as_far_apart_as_their_centres_less_their_radii() -> None:
    found, normal, point = touch(Disc(1), ORIGIN, Disc(2), at(3, 4))

    assert (found, normal) == (2, (0.6, 0.8))
    assert point == pytest.approx((1.2, 1.6))


def test_squares_side_by_side_meet_in_the_middle_of_their_common_side() -> None:
    assert touch(SQUARE, ORIGIN, SQUARE, at(3, 1)) == (1, (1, 0), (1.5, 0.5))


def test_squares_corner_to_corner_are_apart_along_the_diagonal() -> None:
    found, normal, point = touch(SQUARE, ORIGIN, SQUARE, at(5, 6))

    assert found == 5
    assert normal == pytest.approx((0.6, 0.8))
    assert point == pytest.approx((2.5, 3))


def test_the_corner_of_a_turned_square_points_at_a_side() -> None:
    found, normal, point = touch(SQUARE, ORIGIN, SQUARE, at(4, 0.5, math.pi / 4))

    assert found == pytest.approx(3 - math.sqrt(2))
    assert normal == pytest.approx((1, 0))
    assert point == pytest.approx((1 + found / 2, 0.5))


def test_an_overlap_is_the_shortest_way_out() -> None:
    assert touch(SQUARE, ORIGIN, SQUARE, at(1.75, 0.5))[:2] == (-0.25, (1, 0))


def test_an_ellipse_reaches_as_far_as_its_axes() -> None:
    assert gap(Ellipse(4, 2), ORIGIN, Disc(1), at(5, 0)) == pytest.approx(2)
    assert gap(Ellipse(4, 2), ORIGIN, Disc(1), at(0, 5)) == pytest.approx(3)
    assert gap(Ellipse(4, 2), ORIGIN, Ellipse(4, 2), at(6, 0, math.pi / 2)) == pytest.approx(3)


def test_an_ellipse_stands_on_a_side() -> None:
    found, normal, point = touch(Ellipse(4, 2), at(0.25, 3), SQUARE, ORIGIN)

    assert found == pytest.approx(1)
    assert normal == pytest.approx((0, -1))
    assert point == pytest.approx((0.25, 1.5))


def test_shapes_that_touch_have_no_gap() -> None:
    assert gap(Disc(1), ORIGIN, Disc(1), at(2, 0)) == 0
    assert gap(SQUARE, ORIGIN, SQUARE, at(2, 0)) == 0
    assert gap(SQUARE, ORIGIN, SQUARE, at(2, 2)) == 0
    assert gap(SQUARE, ORIGIN, Disc(1), at(2, 0)) == 0
    assert gap(Ellipse(2, 1), ORIGIN, SQUARE, at(2, 0)) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("shape", [Disc(0.5), SQUARE, Ellipse(2, 1)])
def test_a_shape_on_itself_has_a_normal_all_the_same(shape: BodyShape) -> None:
    found, normal, _ = touch(shape, ORIGIN, shape, ORIGIN)

    assert found == pytest.approx(-2 * {Disc: 0.5, Polygon: 1, Ellipse: 0.5}[type(shape)])
    assert math.hypot(*normal) == pytest.approx(1)


def test_a_capsule_is_a_line_with_a_rim() -> None:
    capsule = _core.Shape.polygon([(-1, 0), (1, 0)], 0.5)

    assert _core.gap(capsule, 0, 0, 0, Disc(1).core, 0, 3, 0) == (1.5, 0, 1, 0, 1.25)
    assert _core.gap(capsule, 0, 0, 0, Disc(1).core, 4, 4, 0)[0] == 5 - 1.5
    assert _core.gap(capsule, 0, 0, 0, capsule, 4, 0, 0)[0] == 1
    assert _core.gap(capsule, 0, 0, 0, capsule, 0, 0, 1)[0] < -1


def test_a_wall_without_thickness_can_be_touched() -> None:
    wall = _core.Shape.polygon([(0, -5), (0, 5)])

    assert _core.gap(wall, 0, 0, 0, Disc(1).core, 3, 1, 0) == (2, 1, 0, 1, 1)
    assert _core.gap(wall, 0, 0, 0, SQUARE.core, 0.5, 1, 0)[0] == -0.5


# Laws.


@settings(deadline=None)
@given(shapes, poses, shapes, poses)
def test_the_gap_is_what_trying_all_directions_finds(
    a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose
) -> None:
    assert gap(a, at_a, b, at_b) == pytest.approx(gap_by_extents(a, at_a, b, at_b), abs=1e-9)


@given(shapes, poses, shapes, poses)
def test_the_gap_is_the_same_from_both_sides(a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose) -> None:
    assert gap(a, at_a, b, at_b) == pytest.approx(gap(b, at_b, a, at_a), abs=1e-12)


@given(shapes, poses, shapes, poses, places, angles)
def test_the_gap_does_not_depend_on_where_and_how_the_scene_lies(
    a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose, shift: Point, turn: float
) -> None:
    moved_a, moved_b = (
        Pose(pose.position.turned(turn) + shift, pose.heading + turn) for pose in (at_a, at_b)
    )

    assert gap(a, moved_a, b, moved_b) == pytest.approx(gap(a, at_a, b, at_b), abs=1e-12)


@given(shapes, poses, shapes, poses)
def test_far_from_the_origin_the_gap_is_as_good(a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose) -> None:
    far = Point(2.0**20, -(2.0**21))
    far_a, far_b = (Pose(pose.position + far, pose.heading) for pose in (at_a, at_b))
    near_a, near_b = (Pose(pose.position - far, pose.heading) for pose in (far_a, far_b))

    assert gap(a, far_a, b, far_b) == gap(a, near_a, b, near_b)


@given(shapes, poses, shapes, poses)
def test_moving_one_along_the_normal_by_the_gap_makes_both_touch(
    a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose
) -> None:
    found, normal, _ = touch(a, at_a, b, at_b)
    moved = Pose(at_b.position - Point(*normal) * found, at_b.heading)

    assert gap(a, at_a, b, moved) == pytest.approx(0, abs=1e-11)


@given(shapes, poses, shapes, poses)
def test_the_point_lies_midway(a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose) -> None:
    found, _, (x, y) = touch(a, at_a, b, at_b)
    assume(found >= 0)
    point = _core.Shape.polygon([(0, 0)])

    for shape, pose in ((a, at_a), (b, at_b)):
        to_shape = _core.gap(shape.core, *placed(pose), point, x, y, 0)[0]
        assert to_shape == pytest.approx(found / 2, abs=1e-9)


@given(shapes, poses, st.floats(0.01, 1), poses)
def test_a_disc_is_a_corner_with_a_rim(a: BodyShape, at_a: Pose, radius: float, at_b: Pose) -> None:
    rimmed = _core.Shape.polygon([(0, 0)], radius)
    with_rim = _core.gap(a.core, *placed(at_a), rimmed, *placed(at_b))

    assert with_rim[0] == pytest.approx(gap(a, at_a, Disc(radius), at_b), abs=1e-13)


@given(polygons | ellipses, poses, st.floats(0.05, 2), poses)
def test_an_ellipse_with_equal_axes_is_a_disc(a: BodyShape, at_a: Pose, size: float, at_b: Pose) -> None:
    assert gap(a, at_a, Ellipse(size, size), at_b) == pytest.approx(
        gap(a, at_a, Disc(size / 2), at_b), abs=1e-12
    )


@given(shapes, poses, poses)
def test_a_polygon_of_many_corners_is_almost_an_ellipse(a: BodyShape, at_a: Pose, at_b: Pose) -> None:
    corners = [(math.cos(math.tau * i / 64), 0.01 * math.sin(math.tau * i / 64)) for i in range(64)]

    assert gap(a, at_a, Polygon(corners), at_b) == pytest.approx(
        gap(a, at_a, Ellipse(2, 0.02), at_b), abs=2e-3
    )
