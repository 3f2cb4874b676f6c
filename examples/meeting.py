"""Two robots meet head-on: each is told where and when, exactly, and gives way to its right."""

from math import pi

from kumi import now
from kumi.contract import Blocked
from kumi.geometry import Disc, Point
from kumi.motion import Omni
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World


async def cross(robot: Robot, goal: Point) -> None:
    """Go to a place; step aside where somebody is in the way."""
    while robot.position != goal:
        try:
            await robot.move_to(goal)
        except Blocked as blocked:
            print(f"{now():.2f} s: {robot.name} at x = {robot.position.x:.2f} meets {blocked.by}")
            aside = Point.polar(1.0, (goal - robot.position).direction - pi / 2)
            await robot.move_to(robot.position + aside)
    print(f"{now():.2f} s: {robot.name} is at {robot.position}")


stage = Stage(World())
stage.add(cross, Point(10, 0), at=(0, 0), shape=Disc(0.5), drive=Omni(), name="Hana")
stage.add(cross, Point(0, 0), at=(10, 0), shape=Disc(0.5), drive=Omni(), name="Ken")
outcome = stage.run()
print(f"{outcome.contacts} contact, {len(outcome.errors)} errors")
