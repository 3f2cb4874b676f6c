"""Bookings in the less usual cases: ways that are given up, robots that are gone, those who ask twice."""

from __future__ import annotations

import pytest

from kumi.geometry import Bounds, Point
from kumi.reserving import BookingState, Policy, Way, Zone
from kumi.reserving.zone import CellIndex
from tests.reserving.test_bookings import Book, strip


def on_its_way() -> Book:
    """Robot a holds 0 to 2 and has announced to go on to 4."""
    book = Book()
    assert book.ask("a1", 0, 2, then=Way((strip(2, 4),)))
    assert book.bookings.circle("a") == ()
    return book


def is_free(book: Book) -> bool:
    """Whether nobody has announced to come over 3: robot p, who parks there and wants to 0.5 then, is not refused."""
    book.ask("p1", 3)
    book.ask("p2", 3, then=Way((strip(3, 2.5), strip(2.5, 0.5))))
    return book.made["p2"].state is not BookingState.REFUSED


def test_who_goes_on_with_its_way_keeps_it() -> None:
    """What lies in its own zone changes nothing; so p, who comes the other way, is refused."""
    book = on_its_way()
    book.ask("a2", 1, 2)

    assert not is_free(book)


def test_who_asks_for_something_else_has_given_its_way_up() -> None:
    book = on_its_way()
    book.ask("a2", 7, 8)

    assert book.made["a2"].zone == strip(7, 8)
    assert is_free(book)


def test_a_new_way_replaces_the_one_before_also_from_within_what_is_held() -> None:
    book = on_its_way()
    book.ask("a2", 1, 2, then=Way((strip(2, 2.1),), stays=False))

    assert is_free(book)


def test_a_new_way_counts_also_if_it_begins_where_the_one_before_went_on() -> None:
    """The way to 4 would have been free; the one that goes on to 7 meets b, who comes from there to 3."""
    book = on_its_way()
    book.ask("b1", 7)
    assert book.ask("b2", 7, 6, then=Way((strip(6, 4.5),)))
    book.ask("a2", 2, 4, then=Way((strip(4, 7),)))

    assert book.made["a2"].state is BookingState.REFUSED


def test_who_is_seen_standing_has_no_way_any_more() -> None:
    book = on_its_way()
    book.bookings.stand("a", 99, strip(1))

    assert is_free(book)


def test_the_place_where_a_way_that_is_given_up_ended_is_free() -> None:
    """Robot a would have stayed at 3; b passes there on its way to where a is now."""
    book = Book()
    book.ask("a1", 0)
    book.ask("a2", 0, 1, then=Way((strip(1, 3),), stays=True))
    book.ask("a3", 7, 8)
    book.ask("b1", 4)

    assert book.ask("b2", 4, 2.5, then=Way((strip(2.5, 4), strip(4, 7.5))))


def test_who_is_seen_standing_is_not_gone() -> None:
    book = Book()
    book.bookings.stand("a", 98, strip(5))
    book.bookings.give_up("a")
    book.bookings.stand("a", 99, strip(5))
    book.ask("b1", 4, 6)

    assert book.made["b1"].state is BookingState.ASKED


def test_of_a_robot_that_is_gone_only_what_was_granted_is_in_the_way() -> None:
    book = on_its_way()
    assert book.bookings.give_up("a") == []

    assert book.ask("b1", 3, 4)
    book.ask("b2", 1, 2)
    assert book.made["b2"].state is BookingState.REFUSED


def test_what_lies_in_ones_own_zone_is_granted_though_another_was_pushed_into_it() -> None:
    book = Book()
    book.ask("a1", 0, 2)
    book.bookings.stand("b", 99, strip(1))
    book.bookings.give_up("b")

    assert book.ask("a2", 0.5, 1.5)


def test_what_lies_in_ones_own_zone_waits_for_nobody_in_the_order_of_asking_either() -> None:
    book = Book(Policy.ORDER)
    book.ask("a1", 0, 2)
    assert not book.ask("b1", 1, 3)

    assert book.ask("a2", 0.5, 1.5)


@pytest.mark.parametrize("policy", [Policy.HELD, Policy.ORDER])
def test_of_those_who_wait_who_asked_first_comes_first(policy: Policy) -> None:
    """Robot b came before c, and asked after it."""
    book = Book(policy)
    book.ask("b1", 9)
    book.ask("a1", 0, 2)
    book.ask("c1", 1, 3)
    book.ask("b2", 1, 3)

    assert [booking.owner for booking in book.bookings] == ["b", "a", "c", "b"]
    assert book.release("a1") == ["c1"]


def test_who_waits_for_two_zones_has_waited_since_the_first() -> None:
    """Robot a waits for x, then b for y, then a for z as well; its way from there goes over what b waits for."""
    book = Book()
    for name, place in (("x1", 0), ("y1", 3), ("z1", 9)):
        book.ask(name, place)
    assert not book.ask("a1", 0, 1)
    assert not book.ask("b1", 3, 4)
    assert not book.ask("a2", 9, 8, then=Way((strip(8, 3.6),), stays=False))

    assert book.release("y1") == []


def test_a_wider_zone_is_not_covered_by_a_narrower_one_around_the_same_path() -> None:
    path = (Point(0, 0), Point(2, 0))

    assert Zone(path, 0.5).covers(Zone(path, 0.1))
    assert not Zone(path, 0.1).covers(Zone(path, 0.5))


def test_a_piece_that_points_at_another_and_ends_before_it_is_apart() -> None:
    """From (7, 3) the diagonal is 4 / sqrt(2) = 2.83 m away."""
    diagonal = (Point(0, 0), Point(10, 10))
    short = (Point(9, 0), Point(7, 3))

    assert not Zone(diagonal, 1.4).overlaps(Zone(short, 1.4))
    assert Zone(diagonal, 1.4).overlaps(Zone(short, 1.5))
    assert not Zone(short, 1.4).overlaps(Zone(diagonal, 1.4))


@pytest.mark.parametrize("bounds", [Bounds(1.0, 0.0, 0.0, 1.0), Bounds(0.0, 1.0, 1.0, 0.0)])
def test_a_rectangle_that_is_none_has_no_cells(bounds: Bounds) -> None:
    with pytest.raises(ValueError, match="a rectangle ends right of where it begins, and above"):
        CellIndex[str]().add("a", bounds)


def test_a_rounding_error_at_the_end_of_a_way_is_no_zone_of_its_own() -> None:
    zones = Way.along([(0, 0), (3 + 1e-12, 0)], 0.1, chunk=1.0).zones

    assert [zone.path[-1].x for zone in zones] == [1.0, 2.0, 3 + 1e-12]
