"""A team that keeps a wall on its right and reports what it sees on the way.

It needs no plan of the arena: it measures what is around it, and goes along. What lies in the middle of a room it sees only from
the wall.
"""

from math import cos, pi, sin
from typing import Any

STEP = 0.25
"""Metres from one look to the next."""
KEPT = 0.45
"""Metres from the wall."""


def play(robot: Any) -> None:
    """Follow the wall until the match ends."""
    reported: set[str] = set()
    while True:
        look_around(robot, reported)
        around = robot.ranges()
        ahead = least(around, -pi / 8, pi / 8)
        aside = least(around, -5 * pi / 8, -3 * pi / 8)
        try:
            if ahead < KEPT + STEP:
                robot.turn(pi / 4)
            elif aside > 2 * KEPT:
                robot.turn(-pi / 6)
                robot.forward(STEP)
            else:
                robot.turn((KEPT - aside) * 0.8)
                robot.forward(STEP)
        except robot.Error:
            robot.forward(-0.05)
            robot.turn(pi / 3)


def look_around(robot: Any, reported: set[str]) -> None:
    """Report what is in sight and was not reported yet."""
    for seen in robot.look():
        if seen.kind == "object" and seen.name not in reported:
            x, y, heading = robot.position()
            direction = heading + seen.bearing
            robot.report(seen.name, x + seen.distance * cos(direction), y + seen.distance * sin(direction))
            reported.add(seen.name)


def least(around: list[tuple[float, float]], low: float, high: float) -> float:
    """Return the least distance between two bearings."""
    return min(distance for bearing, distance in around if low <= bearing <= high)
