"""What bookings remember of an earlier look saves work and decides nothing."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.reserving import Booking, Bookings, BookingState, Way, Zone

OWNERS = "abcdefg"
COLUMNS, ROWS = 4, 3
DEEDS = 40


def walk(chance: Random) -> list[Point]:
    """Return a short walk over a small grid, where robots are often in each other's way."""
    places = [(chance.randrange(COLUMNS), chance.randrange(ROWS))]
    for _ in range(chance.randint(1, 4)):
        (x, y), (dx, dy) = places[-1], chance.choice([(1, 0), (-1, 0), (0, 1), (0, -1)])
        if 0 <= x + dx < COLUMNS and 0 <= y + dy < ROWS:
            places.append((x + dx, y + dy))
    return [Point(*place) for place in places]


def drawn(chance: Random) -> tuple[Any, ...]:
    """Return something that one robot does."""
    owner = chance.choice(OWNERS)
    deeds: list[tuple[Any, ...]] = [
        ("ask", owner, walk(chance), chance.choice([None, False, False, True])),
        ("go on", owner),
        ("release", chance.randrange(20), chance.random() < 0.5),
        ("withdraw", owner),
        ("give_up", owner),
    ]
    return chance.choices(deeds, [40, 20, 35, 3, 2])[0]


class Nothing(dict[Any, Any]):
    """What is put in is forgotten at once."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


class Forgetful(Bookings[str]):
    """Looks at everything anew."""

    def __init__(self) -> None:
        super().__init__()
        self._steps = Nothing()

    def waits(self, booking: Booking[str]) -> bool:
        """Look again whether the booking is safe."""
        booking.unsafe_at = -1
        return super().waits(booking)


def done(bookings: Bookings[str], deed: Any, number: int) -> None:
    """Do something with bookings, and grant what can be granted."""
    booked = list(bookings)
    match deed:
        case ("ask", owner, path, stays):
            zones = [Zone(piece, 0.3) for piece in pairwise(path)] or [Zone((path[0],), 0.3)]
            bookings.ask(owner, number, zones[0], None if stays is None else Way(tuple(zones[1:]), stays))
        case ("go on", owner):
            announced = [one.zone for one in bookings.ahead(owner) if one.state is BookingState.ANNOUNCED]
            if announced:
                bookings.ask(owner, number, announced[0])
        case ("release", which, keeps) if booked:
            booking = booked[which % len(booked)]
            bookings.release(booking, booking.zone.end if keeps and booking.is_granted else None)
        case ("withdraw", owner):
            bookings.withdraw(owner)
        case ("give_up", owner):
            bookings.give_up(owner)
    bookings.grant()


def facts(bookings: Bookings[str]) -> list[Any]:
    """Return all that is asked for and granted."""
    return [(one.owner, one.number, one.zone, one.state, bookings.waits(one)) for one in bookings]


@settings(max_examples=1000)
@given(st.randoms(use_true_random=True))
def test_who_remembers_grants_what_one_grants_who_looks_anew(chance: Random) -> None:
    remembering, forgetful = Bookings[str](), Forgetful()
    for number in range(DEEDS):
        deed = drawn(chance)
        done(remembering, deed, number)
        done(forgetful, deed, number)

        assert facts(remembering) == facts(forgetful)
