"""Frontiers are where the known floor ends; robots go to different ones, around each other."""

from __future__ import annotations

import pytest

from kumi.geometry import Point
from kumi.mapping import OccupancyMap, frontiers
from kumi.mapping.frontiers import DrivableGround, choose
from tests.mapping.sketches import sketch

HALL = ["#" * 30, *[" " + "." * 28 + "#"] * 10, *[" " + "." * 28 + " "] * 10, "#" * 30]
"""Free floor, 1.4 by 1 m: nobody saw what is to the left of it, and below on the right."""


def hall() -> OccupancyMap:
    """Return the map of the hall."""
    return sketch(*HALL)


def test_a_closed_room_has_no_frontier() -> None:
    assert frontiers(sketch("#####", "#...#", "#####"), least=1) == []


def test_the_frontiers_of_a_hall_are_its_open_sides() -> None:
    found = frontiers(hall())

    assert [len(one) for one in found] == [20, 10]
    assert {column for _, column in found[0].cells.tolist()} == {1}
    assert {column for _, column in found[1].cells.tolist()} == {28}


def test_a_crack_is_no_frontier() -> None:
    """Five cells between two beams are less than a robot looks for."""
    crack = sketch("#######", "#.....#", "       ")

    assert frontiers(crack) == []
    assert [len(one) for one in frontiers(crack, least=5)] == [5]


def test_a_robot_goes_to_the_nearest_frontier_over_known_floor() -> None:
    drawn = hall()
    aim = choose(DrivableGround(drawn, Point(0.5, 0.5)), frontiers(drawn), [])

    assert aim is not None
    assert aim.way[-1].x < 0.3
    assert all(drawn.free[drawn.cell_at(place)] for place in aim.way)


@pytest.mark.parametrize("row", [1, 5, 9, 13, 17])
def test_a_robot_that_stands_at_a_frontier_stays_there_to_look(row: int) -> None:
    """Nowhere is nearer: no metre is driven."""
    drawn = hall()
    frontier = frontiers(drawn)[0]
    here = drawn.centre((row, 1))

    assert DrivableGround(drawn, here).goal_for(frontier) == ((row, 1), 0.0)


def test_two_robots_get_different_frontiers() -> None:
    """The second one is nearer to the first one's goal, and goes to the other side all the same."""
    drawn = hall()
    aim = choose(DrivableGround(drawn, Point(0.6, 0.4)), frontiers(drawn), [Point(0.2, 0.5)])

    assert aim is not None
    assert aim.way[-1].x > 1.0


def test_a_way_leads_around_another_robot_or_there_is_none() -> None:
    """A robot in the middle of the hall leaves no room to pass."""
    drawn = hall()
    ground = DrivableGround(drawn, Point(0.3, 0.5), [Point(0.8, 0.5)], room=0.45)
    aim = choose(ground, frontiers(drawn), [])

    assert aim is not None
    assert all(abs(place - Point(0.8, 0.5)) > 0.4 for place in aim.way)
    assert aim.way[-1].x < 0.8


def test_places_that_were_given_up_are_not_gone_to_again() -> None:
    drawn = hall()
    first = choose(DrivableGround(drawn, Point(0.5, 0.5)), frontiers(drawn), [])
    assert first is not None
    second = choose(DrivableGround(drawn, Point(0.5, 0.5), given_up=[first.way[-1]]), frontiers(drawn), [])

    assert second is not None
    assert abs(second.way[-1] - first.way[-1]) >= 0.2


def test_where_robots_got_stuck_is_dear_however_often_that_was() -> None:
    drawn = hall()
    once, often = (
        DrivableGround(drawn, Point(0.3, 0.5), bumps=[Point(0.8, 0.5)] * count).costs for count in (1, 50)
    )
    cell = drawn.cell_at((0.8, 0.5))

    assert once[cell] == often[cell] == 4.0 * DrivableGround(drawn, Point(0.3, 0.5)).costs[cell]


DIVIDED = ["#" * 40, *["#" + "." * 28 + " " * 11] * 12, "#" * 40, *["#" + "." * 38 + "#"] * 12, "#" * 40]
"""Two halls with a wall between them; the upper one ends 50 cm before the lower one, where nobody saw on."""
DOOR = [row[:4] + "." * 14 + row[18:] if index == 13 else row for index, row in enumerate(DIVIDED)]
"""The same with a door of 70 cm in the wall."""


def test_nobody_looks_at_a_frontier_through_a_wall() -> None:
    """The frontier is 30 cm from where a robot can stand in the other hall; what it is there, it cannot see."""
    drawn = sketch(*DIVIDED)
    (frontier,) = frontiers(drawn)

    assert DrivableGround(drawn, Point(1.0, 0.35)).goal_for(frontier) is None


def test_a_robot_goes_through_the_door_to_look_at_what_is_behind_the_wall() -> None:
    drawn = sketch(*DOOR)
    (frontier,) = frontiers(drawn)
    goal = DrivableGround(drawn, Point(1.4, 0.35)).goal_for(frontier)

    assert goal is not None
    assert drawn.centre(goal[0]).y > 0.65  # in the upper hall
