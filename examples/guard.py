"""A guard walks round a hall until the battery is low, and tells whom it meets; `hall.toml` runs it, too."""

from kumi import Robot, Stage, now, together, until
from kumi.sensing import Battery, ProximityAlarm, Sensor

ROUND = [(9, 1), (9, 5), (1, 5), (1, 1)]


async def guard(robot: Robot) -> None:
    """Walk until the battery is low, then go home."""
    async with together() as tasks:
        tasks.start(watch, robot)
        with until(robot.battery.low):
            while True:
                await robot.follow(ROUND)
                print(f"{now():5.2f} s: a round is done")
        print(f"{now():5.2f} s: the battery is low at x = {robot.position.x:.2f}")
        await robot.move_to(robot.home)
        print(f"{now():5.2f} s: home")
        tasks.cut()


async def watch(robot: Robot) -> None:
    """Tell who comes near."""
    async for visit in robot.alarm.entered:
        print(f"{now():5.2f} s: {visit.who} is near")


async def visitor(robot: Robot) -> None:
    """Cross the hall once."""
    await robot.forward(9.0, speed=0.2)


if __name__ == "__main__":
    stage = Stage(width=10, height=6)
    battery = Battery(100.0, idle=0.0, per_metre=1.0, per_radian=0.0, warns_at=0.45)
    sensors: dict[str, Sensor] = {"battery": battery, "alarm": ProximityAlarm(1.0)}
    stage.add(guard, at=(1, 1), radius=0.2, sensors=sensors, name="guard")
    stage.add(visitor, at=(0.5, 3), radius=0.2, name="visitor")
    stage.run()
