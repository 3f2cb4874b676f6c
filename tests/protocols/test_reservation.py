"""Path reservation: floor for one robot at a time, in one order, and no endless waiting."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.geometry import Point
from kumi.protocols.fixed_sequencer import FixedSequencer
from kumi.protocols.guarantees import EventuallyPerfect
from kumi.protocols.reservation import ReserveInOrder
from kumi.protocols.suspicion import Suspicions
from kumi.protocols.zone import Zone
from tests.protocols.company import Company

WEST, MIDDLE, EAST = (Point(x, 0) for x in (0, 2, 4))


class Blamed(Suspicions, EventuallyPerfect):
    """Suspects whom a test says."""

    def blame(self, address: int) -> None:
        self._suspect(address)


def zone(*path: Point) -> Zone:
    return Zone(path, 0.5)


def robots(*below: type[Any]) -> Company:
    """Three robots; node 0 orders requests, so each is known to all 0.02 s later."""
    return Company(lambda: (ReserveInOrder(), *(kind() for kind in below), FixedSequencer()))


def test_zones_apart_are_granted_at_once() -> None:
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST)))
    company.at(1.0, lambda: company.top(2).request(zone(EAST)))
    company.run()

    assert company.told == [(1.02, 1, zone(WEST), True), (1.02, 2, zone(EAST), True)]
    assert company.top(1).held == (zone(WEST),)


def test_a_zone_that_overlaps_waits_until_the_other_is_released() -> None:
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST, MIDDLE)))
    company.at(1.5, lambda: company.top(2).request(zone(MIDDLE, EAST)))
    company.at(2.0, lambda: company.top(1).release(zone(WEST, MIDDLE)))
    company.run()

    assert company.told == [(1.02, 1, zone(WEST, MIDDLE), True), (2.02, 2, zone(MIDDLE, EAST), True)]


def test_who_waits_is_not_overtaken() -> None:
    """Node 0 asks for the east after node 2, who waits for the middle and the east."""
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(MIDDLE)))
    company.at(1.5, lambda: company.top(2).request(zone(MIDDLE, EAST)))
    company.at(1.6, lambda: company.top(0).request(zone(EAST)))
    company.at(2.0, lambda: company.top(1).release(zone(MIDDLE)))
    company.run()

    assert company.told == [(1.02, 1, zone(MIDDLE), True), (2.02, 2, zone(MIDDLE, EAST), True)]


def test_what_a_robot_holds_does_not_stand_in_its_own_way() -> None:
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST)))
    company.at(2.0, lambda: company.top(1).request(zone(WEST, MIDDLE)))
    company.run()

    assert [event[3] for event in company.told] == [True, True]


def test_a_robot_that_arrived_keeps_its_place_before_those_who_wait() -> None:
    """Node 2 waits for the way; node 1 keeps the end of it, which node 2 must wait for as well."""
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST, MIDDLE)))
    company.at(1.5, lambda: company.top(2).request(zone(EAST, MIDDLE)))
    company.at(2.0, lambda: company.top(1).request(zone(MIDDLE)))
    company.at(3.0, lambda: company.top(1).release(zone(WEST, MIDDLE)))
    company.at(4.0, lambda: company.top(1).release(zone(MIDDLE)))
    company.run()

    assert company.told == [
        (1.02, 1, zone(WEST, MIDDLE), True),
        (2.02, 1, zone(MIDDLE), True),
        (4.02, 2, zone(EAST, MIDDLE), True),
    ]


def test_a_request_that_would_wait_in_a_circle_is_refused() -> None:
    """Two robots want to change places: the second to ask must think of something else."""
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST)))
    company.at(1.0, lambda: company.top(2).request(zone(EAST)))
    company.at(2.0, lambda: company.top(1).request(zone(WEST, EAST)))
    company.at(3.0, lambda: company.top(2).request(zone(EAST, WEST)))
    company.at(4.0, lambda: company.top(2).release(zone(EAST)))
    company.run()

    assert company.told[2:] == [(3.02, 2, zone(EAST, WEST), False), (4.02, 1, zone(WEST, EAST), True)]


def test_who_waits_may_think_better_of_it() -> None:
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST, MIDDLE)))
    company.at(1.5, lambda: company.top(2).request(zone(MIDDLE, EAST)))
    company.at(2.0, lambda: company.top(2).release(zone(MIDDLE, EAST)))
    company.at(3.0, lambda: company.top(0).request(zone(EAST)))
    company.run()

    assert company.told[1:] == [(3.02, 0, zone(EAST), True)]


def test_a_request_that_is_given_up_before_it_is_in_the_list_leaves_nothing() -> None:
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST)))
    company.at(1.001, lambda: company.top(1).release(zone(WEST)))
    company.at(2.0, lambda: company.top(2).request(zone(WEST)))
    company.run()

    assert company.told == [(2.02, 2, zone(WEST), True)]


def test_a_crashed_robot_keeps_the_floor_it_stands_on_and_no_more() -> None:
    """Node 2 holds the east and waits for the middle; when it is gone, node 0 gets the middle."""
    company = robots(Blamed)
    company.at(1.0, lambda: company.top(1).request(zone(MIDDLE)))
    company.at(1.0, lambda: company.top(2).request(zone(EAST)))
    company.at(2.0, lambda: company.top(2).request(zone(EAST, MIDDLE)))
    company.at(3.0, company.nodes[2].crash)
    company.at(4.0, lambda: company.layer(0, Blamed).blame(2))
    company.at(5.0, lambda: company.top(1).release(zone(MIDDLE)))
    company.at(6.0, lambda: company.top(0).request(zone(MIDDLE)))
    company.at(7.0, lambda: company.top(0).request(zone(EAST)))
    company.run()

    assert company.told[2:] == [(6.02, 0, zone(MIDDLE), True)]


def test_a_wrong_suspicion_costs_a_request_and_no_zone() -> None:
    company = robots(Blamed)
    company.at(1.0, lambda: company.top(1).request(zone(MIDDLE)))
    company.at(1.0, lambda: company.top(2).request(zone(EAST)))
    company.at(2.0, lambda: company.top(2).request(zone(EAST, MIDDLE)))
    company.at(4.0, lambda: company.layer(0, Blamed).blame(2))
    company.run()

    assert company.told[2:] == [(4.02, 2, zone(EAST, MIDDLE), False)]
    assert company.top(2).held == (zone(EAST),)


def test_a_zone_is_asked_for_once_and_released_once() -> None:
    company = robots()
    company.top(1).request(zone(WEST))
    with pytest.raises(ValueError, match=r"has asked for .* already; release it first"):
        company.top(1).request(zone(WEST))
    company.run(until=1.0)
    company.top(1).release(zone(WEST))
    with pytest.raises(ValueError, match="has not asked for"):
        company.top(1).release(zone(WEST))


def test_nothing_is_kept_of_zones_that_were_released() -> None:
    company = robots()
    for number in range(10):
        company.at(number, lambda: company.top(1).request(zone(WEST)))
        company.at(number + 0.5, lambda: company.top(1).release(zone(WEST)))
    company.run()

    assert len(company.told) == 10
    assert [len(company.top(address).bookings) for address in range(3)] == [0, 0, 0]
