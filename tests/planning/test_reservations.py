"""Reservations without a network: robots by name ask for their ways, zone by zone."""

from __future__ import annotations

import pytest

from kumi.geometry import Point
from kumi.planning import FloorAnswer, Policy, Reservations, Way, Zone

RADIUS = 0.25


def place(x: float, y: float = 0.0) -> Zone:
    return Zone(((x, y),), RADIUS)  # type: ignore[arg-type]  # any pair is a place


def way(*xs: float, chunk: float = 2.0, stays: bool = True) -> Way:
    return Way.along([(x, 0.0) for x in xs], RADIUS, chunk, stays=stays)


def hall(policy: str = "safe", **robots: float) -> Reservations[str]:
    """Robots by name that stand on the x axis."""
    floor: Reservations[str] = Reservations(policy)
    for name, x in robots.items():
        assert floor.enter(name, place(x)) == [FloorAnswer(name, place(x), True)]
    return floor


def test_a_robot_holds_its_place_then_its_zone_then_the_next_place() -> None:
    floor = hall(ada=0)
    trip = way(0, 4)

    assert floor.request("ada", trip) == [FloorAnswer("ada", trip.zones[0], True)]
    assert floor.held("ada") == (place(0), trip.zones[0])
    assert floor.rest("ada") == trip.zones[1:]
    assert floor.arrive("ada") == []
    assert floor.held("ada") == (place(2),)
    assert floor.request("ada") == [FloorAnswer("ada", trip.zones[1], True)]
    floor.arrive("ada")
    assert (floor.held("ada"), floor.rest("ada")) == ((place(4),), ())


def test_what_is_given_back_goes_to_who_waits_for_it() -> None:
    """Bob waits for the zone that ada drives through, and is told when she has arrived."""
    floor = hall(ada=0, bob=1.0)
    floor.request("bob", way(1, 3, chunk=1.0, stays=False))
    follows = way(0, 1)

    assert floor.request("ada", follows) == []
    assert floor.arrive("bob") == [FloorAnswer("ada", follows.zones[0], True)]


def test_a_head_on_swap_is_refused_and_stepping_aside_is_granted() -> None:
    floor = hall(ada=0, bob=4)
    floor.request("ada", way(0, 4))
    head_on = way(4, 0)

    assert floor.request("bob", head_on) == [FloorAnswer("bob", head_on.zones[0], False, ("bob", "ada"))]
    aside = Way.along([(4, 0), (4, 2)], RADIUS, stays=False)
    assert floor.request("bob", aside) == [FloorAnswer("bob", aside.first, True)]
    floor.arrive("bob")
    floor.arrive("ada")
    assert [answer.is_granted for answer in floor.request("ada")] == [True]


def test_the_policy_held_lets_them_meet_and_shows_the_circle() -> None:
    floor = hall("held", ada=0, bob=6)
    for name, trip in (("ada", way(0, 6)), ("bob", way(6, 0))):
        assert [answer.is_granted for answer in floor.request(name, trip)] == [True]
        floor.arrive(name)

    assert (floor.request("ada"), floor.request("bob")) == ([], [])
    assert floor.circle("ada") == ("ada", "bob")


def test_ways_through_a_robot_that_is_gone_are_refused() -> None:
    floor = hall(ada=0, bob=3)
    trip = way(0, 4, chunk=4.0)
    assert floor.request("ada", trip) == []

    assert floor.give_up("bob") == [FloorAnswer("ada", trip.first, False, ("bob",))]
    assert floor.held("bob") == (place(3),)
    assert floor.request("ada", trip) == [FloorAnswer("ada", trip.first, False, ("bob",))]


def test_who_leaves_gives_everything_back() -> None:
    floor = hall(ada=0, bob=3)
    trip = way(0, 4, chunk=4.0)
    floor.request("ada", trip)

    assert floor.leave("bob") == [FloorAnswer("ada", trip.first, True)]
    assert floor.enter("bob", place(9)) == [FloorAnswer("bob", place(9), True)]


def test_who_enters_waits_until_its_place_is_free() -> None:
    floor = hall(ada=0)

    assert floor.enter("bob", place(0.4)) == []
    assert floor.held("bob") == ()
    assert floor.leave("ada") == [FloorAnswer("bob", place(0.4), True)]


def test_where_a_robot_is_counts_at_once_although_another_waits_for_that_floor() -> None:
    """Ada waits for floor on which bob is carried by hand: bob's place is his, and she waits on."""
    floor = hall(ada=0, bob=2.0)
    floor.request("ada", way(0, 2, stays=False))
    assert floor.stand("bob", place(1.0)) == []
    assert floor.held("bob") == (place(1.0),)
    assert floor.stand("bob", place(5.0)) == [FloorAnswer("ada", way(0, 2).first, True)]
    with pytest.raises(ValueError, match=r"cat cannot stand in .*: bob holds some of it"):
        floor.stand("cat", place(5.2))
    assert floor.stand("cat", place(5.2), over={"bob"}) == []
    assert floor.stand("bob", place(9.0)) == []


def test_robots_that_are_moved_at_once_are_granted_nothing_in_between() -> None:
    """Bob and cat change places while ada waits for the floor of both: she gets it when both have gone."""
    floor = hall(ada=0, bob=2.0, cat=4.0)
    floor.request("ada", way(0, 5, stays=False))
    with floor.withheld() as granted:
        assert [*floor.leave("bob"), *floor.leave("cat")] == []
        assert [*floor.stand("bob", place(4.0)), *floor.stand("cat", place(2.0))] == []
    assert granted == []
    with floor.withheld() as granted:
        assert [*floor.leave("bob"), *floor.leave("cat")] == []
    assert granted == [FloorAnswer("ada", way(0, 5).first, True)]
    with floor.withheld() as granted:
        pass
    assert granted == []


def test_who_stands_has_no_way_any_more() -> None:
    floor = hall(ada=0, bob=4.0)
    floor.request("ada", way(0, 4, chunk=3.0, stays=False))
    floor.arrive("ada")
    floor.request("ada")
    floor.stand("ada", place(3.2))
    assert (floor.held("ada"), floor.rest("ada")) == ((place(3.2),), ())
    assert floor.leave("bob") == []


def test_a_part_of_a_zone_is_kept_and_the_rest_is_free() -> None:
    floor = hall(ada=0, bob=1.0)
    floor.request("bob", Way((Zone(((1, 0), (2, 0), (3, 0)), RADIUS),)))  # type: ignore[arg-type]  # pairs do
    floor.request("ada", way(0, 1, chunk=1.0))
    kept = Zone(((2, 0), (3, 0)), RADIUS)  # type: ignore[arg-type]  # pairs do
    assert floor.keep("bob", kept) == [FloorAnswer("ada", way(0, 1).first, True)]
    assert floor.held("bob") == (kept,)


def test_wrong_use_is_told_in_one_sentence() -> None:
    floor = hall(ada=0, bob=1)
    with pytest.raises(ValueError, match="cleo has not entered"):
        floor.request("cleo", way(0, 1))
    with pytest.raises(ValueError, match="ada has entered already"):
        floor.enter("ada", place(5))
    with pytest.raises(ValueError, match="ada has no way to go on; announce one"):
        floor.request("ada")
    with pytest.raises(ValueError, match="the way of ada has no zone"):
        floor.request("ada", Way(()))
    with pytest.raises(ValueError, match=r"the way of ada begins at .*, which is not in what it holds"):
        floor.request("ada", way(2, 3))
    floor.request("ada", way(0, 1))
    with pytest.raises(ValueError, match=r"ada waits for .* already"):
        floor.request("ada")
    floor.enter("cleo", place(1))
    with pytest.raises(ValueError, match="cleo is nowhere"):
        floor.arrive("cleo")
    with pytest.raises(ValueError, match="'hope' is not a valid Policy"):
        Reservations("hope")


def test_the_policies_have_names() -> None:
    assert [str(policy) for policy in Policy] == ["order", "held", "safe"]


def test_a_way_with_a_gap_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"a way has no gap, but a zone ends at Point\(1.0, 0.0\) and the next"
    ):
        Way((Zone((Point(0, 0), Point(1, 0)), 0.2), Zone((Point(50, 0), Point(51, 0)), 0.2)))


def test_a_way_narrower_than_what_the_robot_holds_is_refused() -> None:
    floor: Reservations[str] = Reservations()
    floor.enter("a", Zone((Point(0, 0),), 0.2))

    with pytest.raises(ValueError, match=r"the way of a is 0.01 m to each side .* holds 0.2 m"):
        floor.request("a", Way.along([(0, 0), (4, 0)], radius=0.01))


def test_the_narrowest_zone_of_a_way_and_the_widest_that_is_held_count() -> None:
    """The way gets as narrow as 0.1 m; later the robot holds 0.2 m where it came in, and 0.4 m ahead."""
    floor: Reservations[str] = Reservations()
    floor.enter("a", Zone((Point(0, 0),), 0.2))
    wide, narrow = Zone((Point(0, 0), Point(2, 0)), 0.4), Zone((Point(2, 0), Point(4, 0)), 0.1)
    with pytest.raises(ValueError, match=r"the way of a is 0.1 m to each side .* holds 0.2 m"):
        floor.request("a", Way((wide, narrow)))
    floor.request("a", Way((wide,)))

    with pytest.raises(ValueError, match=r"the way of a is 0.3 m to each side .* holds 0.4 m"):
        floor.request("a", Way.along([(0, 0), (4, 0)], radius=0.3))


@pytest.mark.parametrize("way", ["x", [(0, 0), (4, 0)], 5])
def test_what_is_no_way_and_no_zone_is_told_so(way: object) -> None:
    floor: Reservations[str] = Reservations()
    floor.enter("a", Zone((Point(0, 0),), 0.2))

    with pytest.raises(TypeError, match=r"a robot announces a Way, such as Way.along"):
        floor.request("a", way)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a robot enters at a zone"):
        floor.enter("b", way)  # type: ignore[arg-type]
