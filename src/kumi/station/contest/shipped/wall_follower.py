"""A team that keeps a wall on its right and reports what it sees on the way.

It needs no plan of the arena: it measures what is around it, and goes along. What lies in the middle of a room it sees only from
the wall.
"""

from contextlib import suppress
from math import pi

from kumi import Blocked, Robot
from kumi.contract.readings import LaserScan

STEP = 0.25
"""Metres from one look to the next."""
KEPT = 0.45
"""Metres from the wall."""


async def main(robot: Robot) -> None:
    """Follow the wall until the match ends."""
    reported: set[str] = set()
    while True:
        await look_around(robot, reported)
        around = await robot.lidar.read()
        ahead = least(around, -pi / 8, pi / 8)
        aside = least(around, -5 * pi / 8, -3 * pi / 8)
        try:
            if ahead < KEPT + STEP:
                await robot.turn(pi / 4)
            elif aside > 2 * KEPT:
                await robot.turn(-pi / 6)
                await robot.forward(STEP)
            else:
                await robot.turn((KEPT - aside) * 0.8)
                await robot.forward(STEP)
        except Blocked:
            with suppress(Blocked):
                await robot.back_up(0.05)
            await robot.turn(pi / 3)


async def look_around(robot: Robot, reported: set[str]) -> None:
    """Report what is in sight and was not reported yet."""
    for seen in await robot.sight.read():
        if seen.number is None and seen.name not in reported:
            await robot.referee.report(seen.name, seen.position)
            reported.add(seen.name)


def least(around: LaserScan, low: float, high: float) -> float:
    """Return the least distance between two bearings."""
    pairs = zip(around.bearings, around.distances, strict=True)
    return min(float(distance) for bearing, distance in pairs if low <= bearing <= high)
