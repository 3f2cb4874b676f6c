"""A robot patrols until its battery is low: a program, a signal, a block that the signal ends."""

import kumi
from kumi import Signal, now, sleep, together, until


async def patrol(battery_low: Signal[float]) -> None:
    with until(battery_low) as cut:
        while True:
            await sleep(20.0)  # one lap of the hall
            print(f"{now():5.1f} s  lap done")
    print(f"{now():5.1f} s  going home, battery at {cut.event:.0%}")


async def robot() -> None:
    battery_low = Signal[float]("battery low")
    async with together() as tasks:
        tasks.start(patrol, battery_low)
        await sleep(50.0)
        battery_low.fire(0.15)


kumi.run(robot)
