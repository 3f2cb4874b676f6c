"""Robots that cross a junction of two roads, again and again, and never collide.

Each drives on the right to the other end of its road, turns round there and comes back. Before it moves on
to the next point of its way it reserves the floor that it needs for that, and when it has arrived it gives
back what lies behind it. Without reservations the same robots run into each other.
"""

from __future__ import annotations

from itertools import cycle
from math import dist
from typing import TYPE_CHECKING

from kumi.contract import Blocked
from kumi.geometry import Point
from kumi.kernel import sleep
from kumi.protocols import Reservation, Zone
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
    reach = 1.25 * radius
    here = Zone((robot.home,), reach)
    await reserved(robot, here)
    for point in route:
        way, there = Zone((robot.position, point), reach), Zone((point,), reach)
        await reserved(robot, way)
        await robot.move_to(point)
        await reserved(robot, there)
        for behind in (way, here):
            robot.radio[Reservation].release(behind)
        here = there


async def reserved(robot: Robot, zone: Zone) -> None:
    """Ask for a zone until it is granted; what would wait in a circle is refused, and asked for later."""
    answers = robot.radio.told(Reservation).stream()
    while True:
        robot.radio[Reservation].request(zone)
        asked, is_granted = await answers.next()
        while asked != zone:
            asked, is_granted = await answers.next()
        if is_granted:
            return
        await sleep(robot.chance.uniform(0.5, 1.5))


async def push_on(robot: Robot, point: Point) -> None:
    """Go to a point; after a contact wait a little and try again."""
    while dist(robot.position, point) > 1e-6:
        try:
            await robot.move_to(point)
        except Blocked:
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
