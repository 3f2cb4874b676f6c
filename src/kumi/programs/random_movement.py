"""Robots that go from one random place to the next."""

from __future__ import annotations

from math import radians

from kumi.contract import Blocked
from kumi.robot import Robot


async def random_movement(
    robot: Robot,
    width: float,
    height: float,
    margin: float = 0.0,
    slowest: float = 3.0,
    fastest: float = 13.0,
    turn_speed: float | None = None,
) -> None:
    """Go to a random place, then to the next; when something is in the way, choose another.

    The places lie in the rectangle from (0, 0) to (width, height), at least a margin from its edges. Speeds are m/s; a
    robot turns at `turn_speed` radians a second, or, without one, at some degrees a second that grow with its speed.
    """
    chance, blocked = robot.chance, 0
    while True:
        goal = chance.uniform(margin, width - margin), chance.uniform(margin, height - margin)
        speed = slowest + (fastest - slowest) * chance.uniform()
        turning = radians(3.0 + speed * chance.uniform()) if turn_speed is None else turn_speed
        try:
            await robot.move_to(goal, speed=speed, turn_speed=turning)
        except Blocked:
            blocked += 1
            robot.show("times blocked", blocked)
