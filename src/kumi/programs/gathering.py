"""Robots that gather: each goes to the middle of all, again and again.

They look at different times, and the middle moves while they go. Still the distance between them shrinks,
since nobody ever leaves the area that all of them and their goals span. `planning.gathering` has the laws behind it.
"""

from __future__ import annotations

from math import radians

from kumi.devs import sleep
from kumi.planning.enclosing_circle import mean
from kumi.robot import Robot


async def gathering(robot: Robot, pause: float = 0.5) -> None:
    """Read where all robots are, go to the middle of them, pause, and look again.

    Without the pause, a robot in the middle would follow it in ever smaller steps, without end.
    """
    chance = robot.chance
    while True:
        goal = mean(await robot.positions.read())
        robot.show("state", "goes to the middle")
        robot.show("metres to the middle", robot.position.distance_to(goal))
        speed = 3.0 + 3.0 * chance.uniform()
        turn_speed = radians(3.0 + speed * chance.uniform())
        await robot.move_to(goal, speed=speed, turn_speed=turn_speed)
        robot.show("state", "looks")
        await sleep(pause)
