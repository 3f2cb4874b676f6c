"""Zones are granted such that nobody is stuck: all who announced their ways can finish them."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.reserving import Booking, Bookings, BookingState, Policy, Way, Zone


def strip(*xs: float) -> Zone:
    """Return the zone of a way along the x axis."""
    return Zone(tuple(Point(x, 0.0) for x in xs), 0.1)


class Book:
    """Bookings of robots by letter; says which are granted."""

    def __init__(self, policy: Policy = Policy.SAFE) -> None:
        self.bookings: Bookings[str] = Bookings(policy)
        self.made: dict[str, Booking[str]] = {}

    def ask(self, name: str, *xs: float, then: Way | None = None) -> bool:
        """Ask for a strip under a name such as a1; return whether it is granted now."""
        booking = self.made[name] = self.bookings.ask(name[0], len(self.made), strip(*xs), then)
        self.bookings.grant()
        return booking.is_granted

    def release(self, name: str, keep: Zone | None = None) -> list[str]:
        """Give a strip back; return the names of what is granted then."""
        self.bookings.release(self.made[name], keep)
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


def test_in_the_order_of_asking_who_follows_holds_up_who_is_followed() -> None:
    book = Book(Policy.ORDER)
    book.ask("a1", 5, 5)
    book.ask("b1", 2, 2)
    book.ask("b2", 2, 5)

    assert not book.ask("a2", 5, 8)
    assert book.bookings.circle("a") == ("a", "b")


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


def test_what_lies_in_ones_own_strip_is_granted_at_once() -> None:
    book = Book()
    book.ask("a1", 0, 4)
    assert not book.ask("b1", 3, 6)

    assert book.ask("a2", 4, 4)
    assert book.release("a1") == []
    assert book.release("a2") == ["b1"]


def test_a_part_of_a_strip_is_kept_and_the_rest_goes_to_others() -> None:
    book = Book()
    book.ask("a1", 0, 4)
    assert not book.ask("b1", 2, 3)
    assert not book.ask("c1", 3, 6)

    assert book.release("a1", keep=strip(4)) == ["b1"]
    book.release("b1")
    assert not book.made["c1"].is_granted
    assert book.release("a1") == ["c1"]


def test_only_a_part_of_what_is_granted_can_be_kept() -> None:
    book = Book()
    book.ask("a1", 0, 4)

    with pytest.raises(ValueError, match="what is kept lies in a granted zone"):
        book.release("a1", keep=strip(4.5))


@pytest.mark.parametrize("policy", Policy)
def test_a_head_on_swap_on_one_line_is_a_circle(policy: Policy) -> None:
    """The second way is refused at once where it is looked for; elsewhere both wait for ever."""
    book = Book(policy)
    book.ask("a1", 0)
    book.ask("b1", 3)
    book.ask("a2", 0, 1, then=Way((strip(1, 2), strip(2, 3))))
    book.ask("b2", 3, 2, then=Way((strip(2, 1), strip(1, 0))))

    if policy is Policy.SAFE:
        assert book.made["b2"].state is BookingState.REFUSED
        assert book.made["b2"].against == ("b", "a")
        assert book.made["a2"].is_granted
        return
    assert book.made["b2"].is_granted
    book.ask("a3", 1, 2)
    book.ask("b3", 2, 1)
    assert set(book.bookings.circle("a")) == {"a", "b"}


@pytest.mark.parametrize("policy", [Policy.HELD, Policy.SAFE])
def test_a_robot_is_held_back_where_it_would_get_stuck_later(policy: Policy) -> None:
    """The lane from 1 to 3 is free of others, but robot b comes through it and turns off at 1 only."""
    book = Book(policy)
    assert book.ask("b1", 5)
    off = Zone((Point(1, 0), Point(1, 3)), 0.1)
    assert book.ask("b2", 5, 4, then=Way((strip(4, 3), strip(3, 2), strip(2, 1), off)))
    assert book.ask("a1", 0)
    assert book.ask("a2", 0, 0.5, then=Way((strip(0.5, 2), strip(2, 3), strip(3, 6))))

    assert book.ask("a3", 0.5, 2) is (policy is Policy.HELD)


def test_who_would_stay_in_the_way_of_another_lets_it_pass_first() -> None:
    """Robot a parks at 2, where b must come through."""
    through = Way((Zone((Point(2, 1), Point(2, -1)), 0.1),), stays=False)
    for stays in (True, False):
        book = Book()
        book.bookings.ask("b", 100, Zone((Point(2, 2),), 0.1))
        book.bookings.ask("b", 101, Zone((Point(2, 2), Point(2, 1)), 0.1), through)
        book.ask("a1", 0)
        assert book.ask("a2", 0, 1, then=Way((strip(1, 2),), stays))
        assert book.ask("a3", 1, 2) is not stays


def test_no_way_leads_through_the_place_where_another_has_parked() -> None:
    book = Book()
    book.ask("a1", 0)
    book.ask("a2", 0, 2, then=Way((), stays=True))
    book.release("a1")
    book.release("a2", keep=strip(2))
    book.ask("b1", 4)

    assert not book.ask("b2", 4, 3, then=Way((strip(3, 0),)))
    assert book.made["b2"].against == ("b", "a")


def test_ways_through_a_robot_that_is_gone_are_refused_until_it_asks_again() -> None:
    book = Book()
    book.ask("a1", 3)
    book.ask("b1", 0)
    assert not book.ask("b2", 0, 4)

    assert book.bookings.give_up("a") == [book.made["b2"]]
    assert book.made["b2"].against == ("a",)
    assert not book.ask("b3", 0, 4)
    assert book.made["b3"].state is BookingState.REFUSED
    assert book.ask("a2", 3, 6)  # it is there after all
    assert not book.ask("b4", 0, 4)
    assert book.made["b4"].state is BookingState.ASKED


def test_who_is_gone_keeps_what_was_granted_and_waits_for_nothing() -> None:
    book = Book()
    book.ask("a1", 0)
    book.ask("b1", 3)
    book.ask("a2", 0, 4)

    assert book.bookings.give_up("a") == [book.made["a2"]]
    assert [booking.zone for booking in book.bookings.of("a")] == [strip(0)]


def test_who_has_waited_longest_is_not_passed_by_those_who_come_later() -> None:
    """Robot c asks for floor on the way of b, who waits for a."""
    book = Book()
    book.ask("a1", 1)
    book.ask("b1", 0)
    assert not book.ask("b2", 0, 1, then=Way((strip(1, 5),), stays=False))
    assert not book.ask("c1", 4)
    assert book.release("a1") == ["b2", "c1"]  # b drives, and what it asked for does not meet c


# Any crowd.

CELLS = [Point(x, y) for x in range(4) for y in range(4)]
NEXT = {
    cell: [other for other in CELLS if 0 < abs(other.x - cell.x) + abs(other.y - cell.y) < 1.5]
    for cell in CELLS
}


@st.composite
def walks(draw: st.DrawFn) -> list[tuple[list[Point], bool]]:
    """Walks of a few robots on a grid, from places of their own, and whether they stay at the end."""
    crowd = []
    for start in draw(st.lists(st.sampled_from(CELLS), min_size=2, max_size=5, unique=True)):
        cells = [start]
        for _ in range(draw(st.integers(1, 5))):
            cells.append(draw(st.sampled_from(NEXT[cells[-1]])))
        crowd.append((cells, draw(st.booleans())))
    return crowd


def zones_of(cells: list[Point]) -> tuple[Zone, ...]:
    return tuple(Zone(leg, 0.3) for leg in pairwise(cells))


def can_all_finish(crowd: list[tuple[list[Point], bool]]) -> bool:
    """Try all orders in which one robot after the other drives to its end."""

    def works(order: tuple[int, ...]) -> bool:
        blocked = {number: [Zone((cells[0],), 0.3)] for number, (cells, _) in enumerate(crowd)}
        for number in order:
            cells, stays = crowd[number]
            others = [zone for other, zones in blocked.items() if other != number for zone in zones]
            if any(zone.overlaps(other) for zone in zones_of(cells) for other in others):
                return False
            blocked[number] = [Zone((cells[-1],), 0.3)] if stays else []
        return True

    return any(works(order) for order in permutations(range(len(crowd))))


@given(walks())
def test_ways_are_refused_exactly_if_no_order_lets_all_finish(crowd: list[tuple[list[Point], bool]]) -> None:
    """All stand in their places; ways are announced one after the other until one is refused."""
    bookings: Bookings[int] = Bookings()
    for robot, (cells, _) in enumerate(crowd):
        bookings.ask(robot, 0, Zone((cells[0],), 0.3))
    bookings.grant()
    refused = [
        bookings.ask(robot, 1, zones_of(cells)[0], Way(zones_of(cells)[1:], stays)).state
        is BookingState.REFUSED
        for robot, (cells, stays) in enumerate(crowd)
    ]

    assert any(refused) == (not can_all_finish(crowd))


class Crowd:
    """Robots that drive along their walks as far as they are granted, in any order."""

    def __init__(self, crowd: list[tuple[list[Point], bool]]) -> None:
        self.bookings: Bookings[int] = Bookings()
        self.stays = [stays for _, stays in crowd]
        self.held = {
            robot: self.bookings.ask(robot, 0, Zone((cells[0],), 0.3))
            for robot, (cells, _) in enumerate(crowd)
        }
        self.bookings.grant()
        self.asked: dict[int, Booking[int]] = {}
        self.rest: dict[int, list[Zone]] = {}
        for robot, (cells, stays) in enumerate(crowd):
            first, *rest = zones_of(cells)
            booking = self.bookings.ask(robot, 1, first, Way(tuple(rest), stays))
            if booking.state is not BookingState.REFUSED:
                self.asked[robot], self.rest[robot] = booking, rest

    def able(self) -> list[int]:
        """Return the robots that may drive on, when all is granted that can be."""
        self.bookings.grant()
        return [robot for robot, booking in self.asked.items() if booking.is_granted]

    def drive(self, robot: int) -> None:
        """Let a robot drive to the end of its zone, and ask for the next or leave."""
        booking = self.asked.pop(robot)
        for other in self.bookings:
            assert other.owner == robot or not other.is_granted or not other.zone.overlaps(booking.zone)
        self.bookings.release(self.held[robot])
        self.bookings.release(booking, booking.zone.end)
        self.held[robot] = booking
        if self.rest[robot]:
            following = self.bookings.ask(robot, booking.number + 1, self.rest[robot].pop(0))
            assert following.state is not BookingState.REFUSED
            self.asked[robot] = following
        elif not self.stays[robot]:
            self.leave(robot)

    def leave(self, robot: int) -> None:
        self.bookings.release(self.held.pop(robot))


@given(walks(), st.lists(st.integers(0, 10**6), min_size=30, max_size=30))
def test_whoever_is_not_refused_reaches_its_goal_whatever_the_delays(
    walks: list[tuple[list[Point], bool]], choices: list[int]
) -> None:
    """The next to drive is any robot that may; at every step zones of different robots are apart."""
    crowd = Crowd(walks)
    while crowd.asked:
        assert all(
            set(crowd.bookings._waits_for[one]) == set(crowd.bookings._before(one)) for one in crowd.held
        )
        able = crowd.able()
        if able:
            crowd.drive(able[choices.pop() % len(able)])
            continue
        refused = [robot for robot in crowd.held if robot not in crowd.rest]
        assert refused, "all wait for each other"
        for robot in refused:
            crowd.leave(robot)
