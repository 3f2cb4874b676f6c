"""Robots that cross a junction of two roads, again and again, and never collide.

Each drives on the right to the other end of its road, turns round there and comes back. It announces the way to
the end of the road, and before it moves on to the next point of it, it reserves the floor that it needs for that;
when it has arrived it gives back what lies behind it. Without reservations the same robots run into each other.
"""

from __future__ import annotations

from itertools import cycle, islice, pairwise
from typing import TYPE_CHECKING

from kumi.contract import Blocked
from kumi.devs import sleep
from kumi.geometry import Point
from kumi.programs.reservations import WayRefused, drive, reserve_place
from kumi.reserving import Way, Zone
from kumi.robot import Robot

if TYPE_CHECKING:
    from collections.abc import Iterator


async def junction(robot: Robot, x: float, y: float, radius: float, reserve: bool = True) -> None:
    """Drive up and down the road on which it stands; the junction is at (x, y)."""
    route = cycle(points(Point(x, y), robot.home, radius))
    next(route)  # where it stands
    if not reserve:
        for point in route:
            await push_on(robot, point)
    here = await reserve_place(robot, 1.25 * radius)
    while True:
        places = [robot.position, *islice(route, 6)]
        way = Way(tuple(Zone(leg, here.radius) for leg in pairwise(places)), stays=False)
        while True:
            try:
                here = await drive(robot, here, way)
            except WayRefused:
                await sleep(robot.chance.uniform(0.5, 1.5))
            else:
                break


async def push_on(robot: Robot, point: Point) -> None:
    """Go to a point; after a contact wait a little and try again."""
    while robot.position.distance_to(point) > 1e-6:
        robot.show("state", "drives")
        try:
            await robot.move_to(point)
        except Blocked:
            robot.show("state", "is blocked")
            await sleep(robot.chance.uniform(0.5, 1.5))


def points(centre: Point, home: Point, radius: float) -> Iterator[Point]:
    """Go through the way there and back, on the right side of a road; `home` is its first point."""
    far = max(abs(home.x - centre.x), abs(home.y - centre.y))
    is_across = abs(home.x - centre.x) < abs(home.y - centre.y)
    along = Point(0.0, home.y - centre.y) / far if is_across else Point(home.x - centre.x, 0.0) / far
    lane, near = 1.5 * radius, 5.0 * radius
    for out in (along, -along):
        right = Point(-out.y, out.x) * lane  # of a robot that drives inwards
        middle = (far + near) / 2.0
        for way in (far, middle, near, -near, -middle, -far):
            yield centre + out * way + right
