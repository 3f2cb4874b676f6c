"""Bookings are granted in order, except where order would make a robot wait for the one behind it."""

from __future__ import annotations

from kumi.geometry import Point
from kumi.protocols.bookings import Booking, Bookings
from kumi.protocols.zone import Zone


def strip(start: float, end: float) -> Zone:
    """Return the zone of a way along the x axis."""
    return Zone((Point(start, 0.0), Point(end, 0.0)), 0.1)


class Book:
    """Bookings of robots by letter; says which are granted."""

    def __init__(self) -> None:
        self.bookings = Bookings()
        self.made: dict[str, Booking] = {}

    def ask(self, name: str, start: float, end: float) -> bool:
        """Ask for a strip under a name such as a1; return whether it is granted now."""
        booking = self.made[name] = Booking(ord(name[0]), len(self.made), strip(start, end))
        self.bookings.add(booking)
        self.bookings.grant()
        return booking.is_granted

    def release(self, name: str) -> list[str]:
        """Give a strip back; return the names of what is granted then."""
        self.bookings.remove(self.made.pop(name))
        granted = self.bookings.grant()
        return [other for other, booking in self.made.items() if booking in granted]


def test_strips_that_overlap_are_granted_in_the_order_of_asking() -> None:
    book = Book()

    assert book.ask("a1", 0, 2)
    assert not book.ask("b1", 1, 3)
    assert not book.ask("c1", 2, 4)  # waits for b, though what a holds would let it
    assert book.ask("d1", 5, 6)
    assert book.release("a1") == ["b1"]
    assert book.release("b1") == ["c1"]


def test_who_is_followed_moves_on_past_the_request_of_who_follows() -> None:
    book = Book()

    assert book.ask("a1", 5, 5)  # a stands at 5
    assert not book.ask("b1", 2, 5)  # b wants to come there
    assert book.ask("a2", 5, 8)  # and a to leave: it overtakes
    assert book.release("a1") == []  # the way of a begins where b wants to go
    assert book.release("a2") == ["b1"]


def test_a_row_of_followers_moves_on_from_its_head() -> None:
    book = Book()
    for name, place in (("a", 9.0), ("b", 6.0), ("c", 3.0)):
        assert book.ask(f"{name}1", place, place)
    assert not book.ask("c2", 3, 6)
    assert not book.ask("b2", 6, 9)
    assert book.ask("a2", 9, 12)
    book.release("a1")
    assert book.release("a2") == ["b2"]
    book.release("b1")
    assert book.release("b2") == ["c2"]


def test_two_that_want_each_others_places_wait_in_a_circle() -> None:
    book = Book()
    book.ask("a1", 0, 0)
    book.ask("b1", 3, 3)

    assert not book.ask("a2", 0, 3)
    assert not book.bookings.waits_in_circle(ord("a"))
    assert not book.ask("b2", 3, 0)
    assert book.bookings.waits_in_circle(ord("b"))


def test_what_lies_in_ones_own_strip_is_granted_at_once() -> None:
    book = Book()
    book.ask("a1", 0, 4)
    assert not book.ask("b1", 3, 6)

    assert book.ask("a2", 4, 4)
    assert book.release("a1") == []
    assert book.release("a2") == ["b1"]
