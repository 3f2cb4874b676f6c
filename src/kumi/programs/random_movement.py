"""Robots that go from one random place to the next."""

from __future__ import annotations

from contextlib import suppress
from math import radians

from kumi.contract import Blocked
from kumi.robot import Robot


async def random_movement(robot: Robot, width: float, height: float, margin: float = 0.0) -> None:
    """Go to a random place, then to the next; when something is in the way, choose another.

    The places lie in the rectangle from (0, 0) to (width, height), at least a margin from its edges.
    """
    chance = robot.chance
    while True:
        goal = chance.uniform(margin, width - margin), chance.uniform(margin, height - margin)
        speed = 3.0 + 10.0 * chance.uniform()
        turn_speed = radians(3.0 + speed * chance.uniform())
        with suppress(Blocked):
            await robot.move_to(goal, speed=speed, turn_speed=turn_speed)
