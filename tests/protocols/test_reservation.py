"""Path reservation: floor for one robot at a time, in one order, and no endless waiting."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.geometry import Point
from kumi.network import TooLarge
from kumi.protocols.guarantees import EventuallyPerfect
from kumi.protocols.reservation import ListLost, ReleaseZone, ReserveInOrder
from kumi.protocols.sequencers import FixedSequencer
from kumi.protocols.suspicion import Suspicions
from kumi.reserving import Policy, Way, Zone
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

    assert company.told[2:] == [(6.02, 0, zone(MIDDLE), True), (7.02, 0, zone(EAST), False)]


def test_who_waits_for_a_crashed_robot_is_told_to_choose_another_way() -> None:
    company = robots(Blamed)
    company.at(1.0, lambda: company.top(2).request(zone(MIDDLE)))
    company.at(1.0, lambda: company.top(1).request(zone(WEST)))
    company.at(2.0, lambda: company.top(1).request(zone(WEST, EAST)))
    company.at(3.0, company.nodes[2].crash)
    company.at(4.0, lambda: company.layer(0, Blamed).blame(2))
    company.run()

    assert company.told[2:] == [(4.02, 1, zone(WEST, EAST), False)]
    assert company.top(1).held == (zone(WEST),)


def test_a_late_suspicion_does_not_harm_who_has_asked_again() -> None:
    """Node 0 withdraws node 2 while its next request is under way to the sequencer."""
    company = robots(Blamed)
    company.at(1.0, lambda: company.top(2).request(zone(WEST)))
    company.at(2.0, lambda: company.top(2).request(zone(MIDDLE)))
    company.at(2.005, lambda: company.layer(1, Blamed).blame(2))
    company.run()

    assert company.told == [(1.02, 2, zone(WEST), True), (2.02, 2, zone(MIDDLE), True)]


def test_a_wrong_suspicion_costs_a_request_and_no_zone() -> None:
    company = robots(Blamed)
    company.at(1.0, lambda: company.top(1).request(zone(MIDDLE)))
    company.at(1.0, lambda: company.top(2).request(zone(EAST)))
    company.at(2.0, lambda: company.top(2).request(zone(EAST, MIDDLE)))
    company.at(4.0, lambda: company.layer(0, Blamed).blame(2))
    company.run()

    assert company.told[2:] == [(4.02, 2, zone(EAST, MIDDLE), False)]
    assert company.top(2).held == (zone(EAST),)


def test_a_zone_of_an_announced_way_is_granted_only_if_all_can_finish_their_ways() -> None:
    """Both need the line from 2 to 4, one eastwards and one westwards: node 2 waits, though its zone is free."""
    eastwards = [
        zone(Point(0, 0), Point(2, 0)),
        zone(Point(2, 0), Point(4, 0)),
        zone(Point(4, 0), Point(4, 4)),
    ]
    westwards = [
        zone(Point(8, 0), Point(6, 0)),
        zone(Point(6, 0), Point(4, 0)),
        zone(Point(4, 0), Point(2, 0)),
    ]
    company = robots()
    for node, way in ((1, eastwards), (2, westwards)):
        company.ask(1.0, node, "request", zone(way[0].path[0]))
        company.ask(1.0 + node, node, "request", way[0], Way(tuple(way[1:])))
        company.ask(3.5, node, "release", zone(way[0].path[0]))
        company.ask(3.5, node, "release", way[0], way[0].end)
    company.ask(4.0, 2, "request", westwards[1])
    company.ask(5.0, 1, "request", eastwards[1])
    company.ask(6.0, 1, "request", eastwards[2])
    company.ask(7.0, 1, "release", eastwards[1])
    company.ask(8.0, 1, "release", eastwards[2], eastwards[2].end)
    company.ask(8.0, 1, "release", eastwards[0].end)
    company.run()

    assert company.told[2:] == [
        (2.02, 1, eastwards[0], True),
        (3.02, 2, westwards[0], True),
        (5.02, 1, eastwards[1], True),
        (6.02, 1, eastwards[2], True),
        (8.02, 2, westwards[1], True),
    ]


def test_a_head_on_way_is_refused_and_another_way_is_granted() -> None:
    """Both stand on one line and want to change places; the second to ask steps aside and lets the first by."""
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST)))
    company.at(1.0, lambda: company.top(2).request(zone(EAST)))
    company.at(2.0, lambda: company.top(1).request(zone(WEST, MIDDLE), Way((zone(MIDDLE, EAST),))))
    company.at(3.0, lambda: company.top(2).request(zone(EAST, MIDDLE), Way((zone(MIDDLE, WEST),))))
    aside = zone(EAST, Point(4, 2))
    company.at(4.0, lambda: company.top(2).request(aside, Way((), False)))
    company.at(5.0, lambda: company.top(2).release(zone(EAST)))
    company.at(5.0, lambda: company.top(2).release(aside, aside.end))
    company.at(6.0, lambda: company.top(1).request(zone(MIDDLE, EAST)))
    company.run()

    assert [event[2:] for event in company.told[2:]] == [
        (zone(WEST, MIDDLE), True),
        (zone(EAST, MIDDLE), False),
        (aside, True),
        (zone(MIDDLE, EAST), True),
    ]


def test_a_part_of_a_zone_is_held_until_it_is_released() -> None:
    company = robots()
    company.at(1.0, lambda: company.top(1).request(zone(WEST, MIDDLE)))
    company.at(2.0, lambda: company.top(2).request(zone(WEST)))
    company.at(3.0, lambda: company.top(1).release(zone(WEST, MIDDLE), zone(MIDDLE)))
    company.at(3.0, lambda: held.append(company.top(1).held))
    held: list[tuple[Zone, ...]] = []
    company.run()

    assert held == [(zone(MIDDLE),)]
    assert company.told[1:] == [(3.02, 2, zone(WEST), True)]


def test_only_a_part_of_what_is_held_can_be_kept() -> None:
    company = robots()
    company.top(1).request(zone(WEST))
    with pytest.raises(ValueError, match=r"cannot keep .*: it does not hold"):
        company.top(1).release(zone(WEST), zone(WEST))  # it is not granted yet
    company.run(until=1.0)
    with pytest.raises(ValueError, match=r"cannot keep .*: it does not hold"):
        company.top(1).release(zone(WEST), zone(MIDDLE))


@pytest.mark.parametrize("policy", [Policy.ORDER, Policy.HELD])
def test_other_policies_let_robots_get_stuck(policy: Policy) -> None:
    company = Company(lambda: (ReserveInOrder(policy), FixedSequencer()))
    company.at(1.0, lambda: company.top(1).request(zone(WEST)))
    company.at(1.0, lambda: company.top(2).request(zone(EAST)))
    company.at(2.0, lambda: company.top(1).request(zone(WEST, EAST)))
    company.at(2.0, lambda: company.top(2).request(zone(EAST, WEST)))
    company.run()

    assert len(company.told) == 2
    assert {company.top(node).bookings.circle(1) for node in range(3)} == {(1, 2)}


def test_a_zone_is_asked_for_once_and_released_once() -> None:
    company = robots()
    company.top(1).request(zone(WEST))
    with pytest.raises(ValueError, match=r"has asked for .* already; release it first"):
        company.top(1).request(zone(WEST))
    company.run(until=1.0)
    company.top(1).release(zone(WEST))
    with pytest.raises(ValueError, match="has not asked for"):
        company.top(1).release(zone(WEST))


def test_a_way_too_long_for_a_message_is_refused_before_anything_is_asked_for() -> None:
    company = robots()
    company.network.limit = 2000
    long = Way.along([WEST, EAST], 0.5, 0.1)
    with pytest.raises(TooLarge, match="a way of 39 zones does not fit into a message of 2000 bytes"):
        company.top(1).request(long.first, long.rest)
    company.top(1).request(long.first, Way(long.zones[1:5]))
    company.run()

    assert company.told == [(0.02, 1, long.first, True)]


def test_a_node_that_comes_back_has_lost_the_list_and_gets_no_floor() -> None:
    company = robots()
    company.at(1.0, company.nodes[1].crash)
    company.at(2.0, company.nodes[1].start)
    company.run(until=3.0)

    with pytest.raises(ListLost, match="came back after a crash and has lost the list"):
        company.top(1).request(zone(WEST))


def test_a_release_that_keeps_what_was_not_held_changes_nothing() -> None:
    """Such a message can only be forged or broken."""
    company = robots()
    company.top(1).request(zone(WEST))
    company.run(until=1.0)
    [booking] = company.top(2).bookings
    company.top(1).order.broadcast(ReleaseZone(booking.number, zone(EAST)))
    company.run(until=2.0)

    assert [booking.zone for booking in company.top(2).bookings] == [zone(WEST)]


def test_nothing_is_kept_of_zones_that_were_released() -> None:
    company = robots()
    for number in range(10):
        company.at(number, lambda: company.top(1).request(zone(WEST)))
        company.at(number + 0.5, lambda: company.top(1).release(zone(WEST)))
    company.run()

    assert len(company.told) == 10
    assert [len(company.top(address).bookings) for address in range(3)] == [0, 0, 0]
