"""Zones: which floor is meant, and do two pieces of it overlap?"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.reserving.zone import Zone, near_exactly, pieces, to_piece


def zone(*path: tuple[float, float], radius: float = 0.5) -> Zone:
    return Zone(tuple(Point(*point) for point in path), radius)


def test_ways_that_cross_overlap_though_their_ends_are_far_apart() -> None:
    assert zone((0, 0), (10, 10)).overlaps(zone((0, 10), (10, 0)))


def test_ways_beside_each_other_overlap_if_no_farther_than_both_radii() -> None:
    way = zone((0, 0), (10, 0), radius=0.5)

    assert way.overlaps(zone((0, 1), (10, 1), radius=0.5))  # they touch
    assert not way.overlaps(zone((0, 1.001), (10, 1.001), radius=0.5))


def test_the_end_of_a_way_is_round() -> None:
    """A corner 3 to the right and 4 up from the end is 5 away."""
    way = zone((0, 0), (10, 0), radius=2)

    assert way.overlaps(zone((13, 4), radius=3))
    assert not way.overlaps(zone((13, 4), radius=2.99))


def test_a_way_with_a_corner_is_there_at_each_of_its_pieces() -> None:
    bent = zone((0, 0), (10, 0), (10, 10))

    assert bent.overlaps(zone((10, 9)))
    assert not bent.overlaps(zone((0, 9)))


def test_the_answer_is_exact() -> None:
    """0.1 + 0.2 is more than 0.3 and less than the float after it, which is what adding floats gives."""
    low, high = zone((0, 0), (1, 0), radius=0.1), 0.1 + 0.2

    assert low.overlaps(zone((0, 0.3), (1, 0.3), radius=0.2))
    assert high > 0.3
    assert not low.overlaps(zone((0, high), (1, high), radius=0.2))


def test_a_zone_contains_its_border() -> None:
    disc = zone((0, 0), radius=5)

    assert disc.contains((3, 4))
    assert not disc.contains((3, 4.0001))


def test_a_way_covers_the_places_on_it_and_parts_of_it() -> None:
    way = zone((0, 0), (10, 0))

    assert way.covers(zone((10, 0)))
    assert way.covers(zone((2, 0), (7, 0)))
    assert way.covers(way)
    assert not way.covers(zone((10.001, 0)))
    assert not way.covers(zone((5, 0), radius=0.501))


@pytest.mark.parametrize("radius", [-0.1, float("nan"), float("inf")])
def test_a_radius_is_a_number_from_0_on(radius: float) -> None:
    with pytest.raises(ValueError, match="radius of a zone"):
        zone((0, 0), radius=radius)


def test_a_path_has_a_point() -> None:
    with pytest.raises(ValueError, match="at least one point"):
        Zone((), 1.0)


numbers = st.integers(-4, 4).map(float)
points = st.tuples(numbers, numbers)
zones = st.builds(
    lambda path, radius: zone(*path, radius=radius),
    st.lists(points, min_size=1, max_size=3),
    st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0]),
)


@given(zones, zones)
def test_overlap_is_mutual(one: Zone, other: Zone) -> None:
    assert one.overlaps(other) == other.overlaps(one)


@given(zones, zones)
def test_what_covers_a_zone_overlaps_all_that_it_does(one: Zone, other: Zone) -> None:
    if one.covers(other):
        assert one.overlaps(other)
        assert all(one.contains(point) for point in other.path)


@given(st.lists(st.integers(-50, 50), min_size=8, max_size=8))
def test_floats_measure_the_distance_from_a_piece_as_fractions_do(corners: list[int]) -> None:
    x, y, *piece = corners[:6]
    ax, ay, bx, by = piece
    by_floats = to_piece(float(x), float(y), (float(ax), float(ay), float(bx), float(by)))
    exactly = square_of_distance([Fraction(value) for value in (x, y, x, y, *piece)])

    assert by_floats == pytest.approx(float(exactly), abs=1e-9)


@given(st.lists(st.floats(-8, 8), min_size=8, max_size=8), st.floats(0, 4), st.floats(0, 4))
def test_whole_numbers_decide_as_fractions_do(corners: list[float], radius: float, other: float) -> None:
    ax, ay, bx, by, cx, cy, dx, dy = corners
    reach = Fraction(radius) + Fraction(other)
    exactly = square_of_distance([Fraction(value) for value in corners])

    assert near_exactly((ax, ay, bx, by, cx, cy, dx, dy), radius, other) == (exactly <= reach * reach)


def square_of_distance(corners: list[Fraction]) -> Fraction:
    """Return the square of the distance between two straight pieces, by fractions.

    Pieces that cross have the distance 0; otherwise an end of one of them is nearest.
    """
    ax, ay, bx, by, cx, cy, dx, dy = corners
    of_a, of_b = ((dx - cx) * (y - cy) - (dy - cy) * (x - cx) for x, y in ((ax, ay), (bx, by)))
    of_c, of_d = ((bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in ((cx, cy), (dx, dy)))
    if (of_a > 0) != (of_b > 0) and (of_c > 0) != (of_d > 0):
        return Fraction(0)
    return min(
        from_piece(ax, ay, corners[4:]),
        from_piece(bx, by, corners[4:]),
        from_piece(cx, cy, corners[:4]),
        from_piece(dx, dy, corners[:4]),
    )


def from_piece(x: Fraction, y: Fraction, piece: list[Fraction]) -> Fraction:
    ax, ay, bx, by = piece
    along, up = bx - ax, by - ay
    length = along * along + up * up
    share = ((x - ax) * along + (y - ay) * up) / length if length else Fraction(0)
    share = min(max(share, Fraction(0)), Fraction(1))
    return (x - ax - share * along) ** 2 + (y - ay - share * up) ** 2


sizes = st.sampled_from(
    [5e-324, 1e-320, 1e-161, 1e-160, 1e-100, 1.0, 1e100, 2.5e153, 3e153, 1e154, 1e200, 2e307]
)


@given(zones, zones, sizes)
@example(zone((0, -2), (-1, 4), radius=1.0), zone((-2, 3), radius=0.3), 2.5e153)
def test_zones_overlap_as_their_likes_of_any_size_do(one: Zone, other: Zone, size: float) -> None:
    """In any unit, too small or too large for squares of floats: the answer is that of fractions."""
    of_one, of_other = (
        zone(*((x * size, y * size) for x, y in each.path), radius=each.radius * size)
        for each in (one, other)
    )
    assert of_one.overlaps(of_other) == exactly_overlaps(of_one, of_other)


def exactly_overlaps(one: Zone, other: Zone) -> bool:
    """Tell it by fractions alone."""
    reach = Fraction(one.radius) + Fraction(other.radius)
    return any(
        square_of_distance([Fraction(value) for point in (*ours, *theirs) for value in point])
        <= reach * reach
        for ours in pieces(one.path)
        for theirs in pieces(other.path)
    )


@given(st.lists(st.integers(-6, 6), min_size=8, max_size=8))
def test_no_two_points_of_the_pieces_are_nearer_than_the_distance(corners: list[int]) -> None:
    """Seen at eleven points of each piece; and the ends are not nearer than the answer says."""
    ax, ay, bx, by, cx, cy, dx, dy = map(Fraction, corners)
    nearest = square_of_distance([ax, ay, bx, by, cx, cy, dx, dy])
    shares = [Fraction(i, 10) for i in range(11)]
    seen = min(
        (ax + s * (bx - ax) - cx - t * (dx - cx)) ** 2 + (ay + s * (by - ay) - cy - t * (dy - cy)) ** 2
        for s in shares
        for t in shares
    )

    assert nearest <= seen
