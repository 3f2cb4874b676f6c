"""Robots that form a circle: each goes to the smallest circle around all, and then along it to even the gaps out.

They look at different times and remember nothing. `planning.circle` has the law that they follow.
"""

from __future__ import annotations

from math import copysign, pi

from kumi.devs import sleep
from kumi.planning.gathering import to_circle
from kumi.planning.schedulers import Around, view_of
from kumi.robot import Robot


async def circle(robot: Robot, speed: float = 5.0, turn_speed: float = 1.0, pause: float = 0.5) -> None:
    """Read where all robots are, go where the law says, pause, and look again.

    `speed` is in m/s, `turn_speed` in radians a second, and `pause` in seconds.
    """
    while True:
        way = to_circle(view_of(await robot.positions.read(), robot.number))
        robot.show("state", "evens the gaps out" if isinstance(way, Around) else "goes to the circle")
        if isinstance(way, Around):
            await drive_around(robot, way, speed, turn_speed)
        else:
            await robot.move_to(robot.position + way.goal, speed=speed, turn_speed=turn_speed)
        robot.show("state", "looks")
        await sleep(pause)


async def drive_around(robot: Robot, way: Around, speed: float, turn_speed: float) -> None:
    """Turn along the circle, and drive the arc; what is shorter than a millionth of the radius is left out."""
    if abs(way.angle) < 1e-6:
        return
    side = copysign(1.0, way.angle)
    await robot.turn_to((-way.centre).direction + side * pi / 2, speed=turn_speed)
    await robot.arc(side * abs(way.centre), way.angle, speed=speed)
