"""Robots that cross a square from border to border, and reserve the floor before they enter it.

Each chooses a place on another side and announces the straight way to it, in chunks. It drives on only when the
next chunk is granted, keeps the place where it stands, and gives back what lies behind it. A way on which no
waiting helps is refused, such as one head-on to another robot on the same line; then it tries a way around by
some other place, and the next time it steps aside first and goes on from there.

The zones are as wide as the body and `error`, by which it may miss its way.
"""

from __future__ import annotations

from math import inf

from kumi.devs import note, now, sleep
from kumi.geometry import Bounds, Point
from kumi.geometry.points import as_size
from kumi.protocols import Reservation
from kumi.reserving import Way, Zone
from kumi.robot import Robot, checked_by


class WayRefused(Exception):
    """A way was refused; the robot stands in the place `here`."""

    def __init__(self, here: Zone) -> None:
        super().__init__("the way was refused: no waiting helps, choose another one")
        self.here = here


def check_reservations(
    count: int,
    square: list[float],
    radius: float,
    error: float,
    chunk: float,
    goals: list[list[float]] | None,
) -> None:
    """Raise ValueError for an invalid square, size, error or list of goals."""
    if len(square) != 4 or not (square[0] < square[2] and square[1] < square[3]):
        raise ValueError(
            f"a square is [left, bottom, right, top] with left < right and bottom < top, not {square}"
        )
    as_size(radius, "a radius")
    as_size(chunk, "a chunk")
    if not 0.0 <= error < inf:
        raise ValueError(f"an error is a number of metres >= 0, not {error!r}")
    if goals is not None and (len(goals) != count or any(len(goal) != 2 for goal in goals)):
        raise ValueError(f"goals are {count} points [x, y], one for each robot, not {goals}")


@checked_by(check_reservations)
async def reservations(
    robot: Robot,
    square: list[float],
    radius: float,
    error: float = 0.02,
    chunk: float = 0.5,
    goals: list[list[float]] | None = None,
) -> None:
    """Cross a square [left, bottom, right, top] from side to side for ever, or drive to a goal of its own and stay there."""
    floor = Bounds(*square)
    here = await reserve_place(robot, radius + error)
    if goals is not None:
        await cross(robot, here, Point(*goals[robot.number]), floor, chunk, stays=True)
        return
    while True:
        here = await cross(robot, here, other_side(robot, floor), floor, chunk, stays=False)


async def cross(robot: Robot, here: Zone, goal: Point, floor: Bounds, chunk: float, *, stays: bool) -> Zone:
    """Drive from a place to a goal, if need be by another way; return the place there."""
    started, origin, tries = now(), here.path[0], 0
    way = Way.along([origin, goal], here.radius, chunk, stays=stays)
    while here.path[0] != goal:
        try:
            here = await drive(robot, here, way)
            way = Way.along([here.path[0], goal], here.radius, chunk, stays=stays)
        except WayRefused as refusal:
            here, tries = refusal.here, tries + 1
            await sleep(robot.chance.uniform(0.5, 1.5))
            aside, at = anywhere(robot, floor), here.path[0]
            if tries % 2:
                way = Way.along([at, aside, goal], here.radius, chunk, stays=stays)
            else:
                way = Way.along([at, aside], here.radius, chunk, stays=False)
    note(f"crossed {origin.distance_to(goal):.3f} m in {now() - started:.3f} s, refused {tries} times")
    return here


async def drive(robot: Robot, here: Zone, way: Way) -> Zone:
    """Drive along a way, zone by zone, from a place that is held; return the place at its end."""
    then: Way | None = way.rest
    for zone in way.zones:
        robot.show("state", "waits for floor")
        if not await is_granted(robot, zone, then):
            robot.show("state", "was refused")
            raise WayRefused(here)
        robot.show("state", "drives")
        for point in zone.path[1:]:
            await robot.move_to(point)
        robot.radio[Reservation].release(here)
        robot.radio[Reservation].release(zone, zone.end)
        here, then = zone.end, None
    return here


async def reserve_place(robot: Robot, radius: float) -> Zone:
    """Reserve the place where a robot stands; return it."""
    here = Zone((robot.home,), radius)
    while not await is_granted(robot, here):
        await sleep(robot.chance.uniform(0.5, 1.5))
    return here


async def is_granted(robot: Robot, zone: Zone, then: Way | None = None) -> bool:
    """Ask for a zone, and wait for the answer."""
    answers = robot.radio.told(Reservation).stream()
    robot.radio[Reservation].request(zone, then)
    while True:
        asked, answer = await answers.next()
        if asked == zone:
            return bool(answer)


def other_side(robot: Robot, floor: Bounds) -> Point:
    """Return some place on a side of a floor from which a robot is farther than from the nearest one."""
    here, there = robot.position, anywhere(robot, floor)
    sides = [
        (abs(here.x - floor.left), Point(floor.left, there.y)),
        (abs(here.x - floor.right), Point(floor.right, there.y)),
        (abs(here.y - floor.bottom), Point(there.x, floor.bottom)),
        (abs(here.y - floor.top), Point(there.x, floor.top)),
    ]
    sides.remove(min(sides, key=lambda side: side[0]))
    return robot.chance.choice(sides)[1]


def anywhere(robot: Robot, floor: Bounds) -> Point:
    """Return some place on a floor."""
    return Point(robot.chance.uniform(floor.left, floor.right), robot.chance.uniform(floor.bottom, floor.top))
