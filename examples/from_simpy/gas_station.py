"""A gas station with two pumps and one tank, which a truck fills when it is nearly empty.

After SimPy's example "Gas Station Refueling". Pumps are a resource; what is in the tank is a level.
"""

import kumi
from kumi import Resource, Tank, chance, now, sleep, together

STATION = 200
"""Litres in a full tank of the station."""
CAR = 50
"""Litres in a full tank of a car."""
CALL_BELOW = 25
"""Percent: with less the truck is called."""
SPEED = 2
"""Litres a second."""
TRUCK = 300
"""Seconds until the truck is there."""
INTERVAL = 30, 300
"""Seconds between two cars, from the least to the most."""
END = 2000.0

Told = list[tuple[float, str, str]]


async def car(name: str, pumps: Resource, tank: Tank, told: Told) -> None:
    told.append((now(), name, "comes"))
    async with pumps.request():
        wanted = CAR - chance().integer(5, 25)
        await tank.get(wanted)
        await sleep(wanted / SPEED)
        told.append((now(), name, f"has got {wanted} l"))


async def watch(tank: Tank, told: Told) -> None:
    while True:
        if tank.level / tank.capacity * 100 < CALL_BELOW:
            told.append((now(), "station", "calls the truck"))
            await sleep(TRUCK)
            amount = tank.capacity - tank.level
            await tank.put(amount)
            told.append((now(), "truck", f"brings {amount} l"))
        await sleep(10)


async def station(told: Told) -> None:
    pumps, tank = Resource(2, name="pumps"), Tank(STATION, level=STATION)
    async with together() as tasks:
        tasks.start(watch, tank, told)
        for number in range(100):
            await sleep(chance().integer(*INTERVAL))
            tasks.start(car, f"car{number}", pumps, tank, told, name=f"car{number}")


def simulate(seed: int) -> Told:
    told: Told = []
    kumi.run(station, told, seed=seed, until=END)
    return told


if __name__ == "__main__":
    for time, name, does in simulate(seed=1):
        print(f"{time:6.1f}  {name} {does}")
