"""A map becomes a space to plan in."""

from __future__ import annotations

from kumi.geometry import Bounds, Circle, Rectangle
from kumi.planning.routes import plan_route
from kumi.scenario.spaces import space_of
from kumi.world import Map
from kumi.world.obstacles import Block, Forbidden, Hole, Pillar, Slow, Wall


def test_what_stops_a_robot_is_an_obstacle_and_what_slows_it_is_not() -> None:
    plane = Map(
        20,
        10,
        origin=(-1, 0),
        obstacles=[Wall((2, 0), (2, 5), 0.4), Pillar((6, 5), 1), Block(Rectangle(9, 0, 1, 4))],
        terrain=[Slow(Circle((4, 4), 1), 0.5), Hole(Circle((12, 5), 1)), Forbidden(Rectangle(15, 5, 1, 5))],
    )
    space = space_of(plane)

    assert space.bounds == Bounds(-1, 0, 19, 10)
    assert len(space.obstacles) == 5
    assert space.clearance((3.0, 2.0)) == 0.8
    assert space.clearance((6.0, 7.5)) == 1.5
    assert space.clearance((4.0, 4.0)) > 0
    assert space.clearance((12.0, 5.0)) == -1
    assert space.clearance((15.5, 8.0)) < 0
    assert plan_route(space, (0, 2), (18, 8), 0.3) is not None


def test_an_endless_map_is_an_endless_space() -> None:
    assert space_of(Map()).bounds is None
