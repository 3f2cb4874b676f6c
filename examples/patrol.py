"""A robot patrols until its shift is over: a program, and a block that a signal ends."""

import kumi
from kumi import after, now, sleep, until


async def patrol(robot: str) -> None:
    with until(after(50.0)):
        while True:
            await sleep(20.0)  # one lap of the hall
            print(f"{now():.0f} s: {robot} has done a lap")
    print(f"{now():.0f} s: {robot} goes home")


kumi.run(patrol, "Hana")
