"""Two robots meet head-on: each is told where and when, exactly, and gives way to its right."""

from math import pi

from kumi import Blocked, Omni, Point, Robot, Stage, now


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


stage = Stage()
stage.add(cross, Point(10, 0), at=(0, 0), radius=0.5, drive=Omni(), name="Hana")
stage.add(cross, Point(0, 0), at=(10, 0), radius=0.5, drive=Omni(), name="Ken")
outcome = stage.run()
print(f"{outcome.contacts} contact, {len(outcome.errors)} errors")
