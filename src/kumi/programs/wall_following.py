"""A robot that keeps the wall on its right hand, by four ultrasonic sensors.

The sensors look ahead, to both sides, and down at the floor ahead. They hear each other, so they are read
in turn, 10 ms apart. A wall that ends on the right is a corner only if there was one before: who looks
down an open hall goes straight on.
"""

from __future__ import annotations

from math import radians

from kumi.kernel import sleep
from kumi.robot import Robot

BETWEEN_READINGS = 0.010


async def wall_following(robot: Robot, step: float = 0.05, a_bit: float = radians(10)) -> None:
    """Follow the wall on the right at 30 to 60 cm, and stop for good at an edge of the floor."""
    is_along_wall = False
    while True:
        front, left, right, down = await look(robot)
        if down > 0.35:
            return
        if front < 0.50:
            await robot.back_up(step)
            await robot.turn(radians(90))
        elif right > 1.00 and is_along_wall:
            await robot.forward(0.30)
            await robot.turn(radians(-90))
        elif right < 0.30:
            await robot.turn(a_bit)
        elif left < 0.30 or 0.60 < right <= 1.00:
            await robot.turn(-a_bit)
        is_along_wall = right <= 1.00
        await robot.forward(step)


async def look(robot: Robot) -> list[float]:
    """Read the four sensors in turn."""
    readings = []
    for sensor in (robot.front, robot.left, robot.right, robot.down):
        readings.append((await sensor.read()).distance)
        await sleep(BETWEEN_READINGS)
    return readings
