"""What is near is found among many: never less than overlaps, whatever the sizes and wherever it lies."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Bounds, Point
from kumi.reserving import Booking, Bookings, BookingState, Way, Zone
from kumi.reserving.zone import CellIndex

places = st.one_of(st.floats(-50.0, 50.0), st.floats(-1e7, 1e7))
sizes = st.one_of(st.just(0.0), st.floats(0.0, 3.0), st.floats(0.0, 1e6))


@st.composite
def rectangles(draw: st.DrawFn) -> Bounds:
    left, bottom = draw(places), draw(places)
    return Bounds(left, bottom, left + draw(sizes), bottom + draw(sizes))


def touch(one: Bounds, other: Bounds) -> bool:
    across = one.left <= other.right and other.left <= one.right
    return across and one.bottom <= other.top and other.bottom <= one.top


@given(st.lists(rectangles(), max_size=20), st.sets(st.integers(0, 19)), rectangles())
def test_all_that_touches_is_found_and_nothing_that_was_taken_away(
    things: list[Bounds], taken: set[int], where: Bounds
) -> None:
    cells: CellIndex[int] = CellIndex()
    for number, bounds in enumerate(things):
        cells.add(number, bounds)
    for number in taken & set(range(len(things))):
        cells.remove(number)
    found = cells.near(where)

    left = set(range(len(things))) - taken
    assert {number for number in left if touch(things[number], where)} <= set(found) <= left
    assert len(found) == len(set(found))


finite = st.floats(allow_nan=False, allow_infinity=False)
absurd = st.sampled_from([0.0, 5e-324, 1e-320, 1e-160, 1e-9, 0.15, 1e6, 1e154, 1e300, 1.7e308])
any_zones = st.builds(
    lambda path, radius: Zone(tuple(Point(*place) for place in path), radius),
    st.lists(st.tuples(finite | absurd, finite | absurd), min_size=1, max_size=2),
    absurd | finite.map(abs),
)


@given(st.lists(any_zones, max_size=8), st.sets(st.integers(0, 7)), any_zones)
def test_zones_of_any_finite_numbers_are_found_as_a_look_at_all_finds_them(
    zones: list[Zone], taken: set[int], where: Zone
) -> None:
    """Tiny, huge, far away: each lies in four cells at most, and whoever was there before is found as well."""
    cells: CellIndex[int] = CellIndex()
    for number, zone in enumerate(zones):
        cells.add(number, zone.bounds)
        assert len(cells._places[number][1]) <= 4
    for number in taken & set(range(len(zones))):
        cells.remove(number)
    found = cells.near(where.bounds)

    left = set(range(len(zones))) - taken
    assert {number for number in left if touch(zones[number].bounds, where.bounds)} <= set(found) <= left
    assert {number for number in left if zones[number].overlaps(where)} <= set(found)
    for number in left:
        cells.remove(number)
    assert cells._grids == {}


@pytest.mark.parametrize(
    "bounds", [Bounds(0.0, 0.0, nan, 1.0), Bounds(nan, 0.0, 1.0, 1.0), Bounds(1.0, 0.0, 0.0, 1.0)]
)
def test_what_is_no_rectangle_is_refused_and_nothing_has_changed(bounds: Bounds) -> None:
    cells: CellIndex[str] = CellIndex()
    cells.add("here", Bounds(0.0, 0.0, 1.0, 1.0))
    for wrong in (lambda: cells.add("wrong", bounds), lambda: cells.near(bounds)):
        with pytest.raises(ValueError, match="a rectangle ends right of where it begins, and above"):
            wrong()
    assert cells.near(Bounds(-9.0, -9.0, 9.0, 9.0)) == ["here"]
    assert len(cells._grids) == 1


def test_what_is_found_among_many_is_little() -> None:
    """Ten thousand discs of 0.4 m, one each square metre: a look at one of them finds at most the nine around."""
    cells: CellIndex[tuple[int, int]] = CellIndex()
    for x in range(100):
        for y in range(100):
            cells.add((x, y), Bounds(x - 0.2, y - 0.2, x + 0.2, y + 0.2))

    found = cells.near(Bounds(49.8, 49.8, 50.2, 50.2))
    assert (50, 50) in found
    assert len(found) <= 9


spots = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda one: Point(*map(float, one)))
acts = st.tuples(
    st.sampled_from("abcd"),
    st.sampled_from(["ask", "way", "stand", "release", "keep", "give up"]),
    spots,
    spots,
)


@given(st.lists(acts, max_size=25))
def test_rivals_are_those_that_a_look_at_all_bookings_finds(
    acts: list[tuple[str, str, Point, Point]],
) -> None:
    bookings: Bookings[str] = Bookings()
    known: list[Booking[str]] = []
    for number, (owner, act, here, there) in enumerate(acts):
        granted = [one for one in bookings.of(owner) if one.is_granted]
        if act == "ask":
            known.append(bookings.ask(owner, number, Zone((here, there), 0.3)))
        elif act == "way":
            way = Way((Zone((here, there), 0.3), Zone((there, here), 0.3)))
            known.append(bookings.ask(owner, number, way.first, way.rest))
        elif act == "stand" and not bookings.of(owner):
            known.append(bookings.stand(owner, number, Zone((here,), 0.1)))
        elif act == "release" and granted:
            bookings.release(granted[0])
        elif act == "keep" and granted:
            bookings.release(granted[-1], granted[-1].zone.end)
        elif act == "give up":
            bookings.give_up(owner)
        bookings.grant()

        booked = [*bookings]
        for one in booked:
            theirs = [other for other in booked if other.owner != one.owner and other.overlaps(one)]
            assert {id(other) for other in theirs} <= {id(other) for other in one.rivals}
            listed = [
                other for other in one.rivals if other.state in (BookingState.ASKED, BookingState.GRANTED)
            ]
            assert {id(other) for other in listed} == {id(other) for other in theirs}
        everywhere = Bounds(-10.0, -10.0, 20.0, 20.0)
        assert {id(one) for one in bookings.granted_near(everywhere)} == {
            id(one) for one in booked if one.is_granted
        }
