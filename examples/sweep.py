"""A robot that sweeps a room with a pillar in it, then goes home."""

from contextlib import suppress
from math import pi

from kumi import Blocked, Map, Pillar, Robot, Stage, after, now, until


async def sweep(robot: Robot) -> None:
    with until(after(60.0)):
        while True:
            with suppress(Blocked):  # something is in the way: turn, and go on
                await robot.forward(100.0)
            await robot.back_up(0.1)
            await robot.turn(pi * 2 / 3)
    print(f"{now():.1f} s: {robot.name} has swept enough")
    await robot.move_to(robot.home)
    print(f"{now():.1f} s: {robot.name} is home at {robot.position}")


stage = Stage(Map(width=6, height=4, obstacles=[Pillar((5, 2), radius=0.5)]))
stage.add(sweep, at=(1, 1), radius=0.2, name="Hana")
outcome = stage.run()
print(f"{outcome.contacts} contacts, {len(outcome.errors)} errors")
