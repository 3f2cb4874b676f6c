"""A robot that keeps the wall on its right hand, by four ultrasonic sensors: ahead, both sides, down."""

from __future__ import annotations

from math import radians

from kumi.contract import Asked
from kumi.contract.readings import Range
from kumi.devs import sleep
from kumi.robot import Robot


async def wall_following(robot: Robot, step: float = 0.05, a_bit: float = radians(10)) -> None:
    """Follow the wall on the right at 30 to 60 cm, and stop for good at an edge of the floor."""
    sensors = robot.front, robot.left, robot.right, robot.down
    is_along_wall = False  # only where a wall was before, its end is a corner and not a hall
    while True:
        front, left, right, down = [await look(sensor) for sensor in sensors]
        robot.show("metres to the right", right)
        if down > 0.35:
            robot.show("state", "stopped at an edge")
            return
        if front < 0.50:
            robot.show("state", "turns before a wall")
            await robot.back_up(step)
            await robot.turn(radians(90))
        elif right > 1.00 and is_along_wall:
            robot.show("state", "turns round a corner")
            await robot.forward(0.30)
            await robot.turn(radians(-90))
        elif right < 0.30:
            robot.show("state", "turns away from the wall")
            await robot.turn(a_bit)
        elif left < 0.30 or 0.60 < right <= 1.00:
            robot.show("state", "turns to the wall")
            await robot.turn(-a_bit)
        else:
            robot.show("state", "follows the wall" if right <= 1.00 else "looks for a wall")
        is_along_wall = right <= 1.00
        await robot.forward(step)


async def look(sensor: Asked[Range]) -> float:
    """Read a sensor, when the echo of the one before has died away: they hear each other."""
    await sleep(0.010)
    return (await sensor.read()).distance
