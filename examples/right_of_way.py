"""Eight robots cross a square of 6 m by 6 m: by which rule is floor granted so that nobody gets stuck?

They drive at 0.2 m/s from border to border, in chunks of 0.5 m or in one piece, and leave. Ten crowds by each
rule; `python examples/right_of_way.py 100` tries a hundred.
"""

import sys
from itertools import pairwise
from math import inf

from kumi import Point, Stalled, chance, now, run, sleep, together
from kumi.planning import Reservations, Way, Zone, ZoneRefused

CROWDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
ROBOTS, SIDE, SPEED, RADIUS, ROUND_TRIP = 8, 6.0, 0.2, 0.2, 0.1


class Desk:
    """Where all robots ask: a question takes half of the round trip, and so does an answer."""

    def __init__(self, policy: str, chunk: float) -> None:
        self.floor: Reservations[int] = Reservations(policy)
        self.chunk = chunk
        self.refused = 0

    def way(self, *path: Point) -> Way:
        return Way.along(path, RADIUS, self.chunk, stays=False)

    async def ask(self, robot: int, way: Way | None = None) -> bool:
        await sleep(ROUND_TRIP / 2)
        try:
            await self.floor.reserve(robot, way)
        except ZoneRefused:
            self.refused += 1
            is_granted = False
        else:
            is_granted = True
        await sleep(ROUND_TRIP / 2)
        return is_granted


async def cross(desk: Desk, robot: int, start: Point, goal: Point) -> float:
    """Drive to a goal, by another way if one is refused, and leave; return the share of the full speed."""
    here, way, tries = start, desk.way(start, goal), 0
    while here != goal:
        if await desk.ask(robot, way):
            here = await drive(desk, robot)
            way = desk.way(here, goal)
            continue
        tries += 1
        await sleep(chance().uniform(0.5, 1.5))
        aside = Point(chance().uniform(0, SIDE), chance().uniform(0, SIDE))
        way = desk.way(here, aside, goal) if tries % 2 else desk.way(here, aside)
    desk.floor.leave(robot)
    return start.distance_to(goal) / SPEED / now()


async def drive(desk: Desk, robot: int) -> Point:
    """Drive to the end of a way, the first zone of which is granted."""
    while True:
        path = desk.floor.held(robot)[-1].path
        await sleep(sum(one.distance_to(other) for one, other in pairwise(path)) / SPEED)
        desk.floor.arrive(robot)
        if not desk.floor.rest(robot):
            return path[-1]
        await desk.ask(robot)


def on_border() -> tuple[int, Point]:
    side, along = chance().integer(0, 3), chance().uniform(0, SIDE)
    return side, [Point(along, 0), Point(SIDE, along), Point(along, SIDE), Point(0, along)][side]


async def crowd(policy: str, chunk: float) -> tuple[float, int]:
    """Let all cross; return their mean share of the full speed, and how many ways were refused."""
    desk, trips = Desk(policy, chunk), dict[int, tuple[Point, Point]]()
    while len(trips) < ROBOTS:
        (side, start), (other, goal) = on_border(), on_border()
        if side != other and all(start.distance_to(taken) > 2.1 * RADIUS for taken, _ in trips.values()):
            desk.floor.enter(len(trips), Zone((start,), RADIUS))
            trips[len(trips)] = start, goal
    async with together() as tasks:
        crossings = [tasks.start(cross, desk, robot, *trip) for robot, trip in trips.items()]
    return sum(crossing.result for crossing in crossings) / ROBOTS, desk.refused


print(f"of {CROWDS} crowds    stuck   share of full speed   ways refused")
for policy, chunk in (("order", 0.5), ("held", 0.5), ("safe", 0.5), ("safe", inf)):
    shares, refused = list[float](), 0
    for seed in range(CROWDS):
        try:
            result = run(crowd, policy, chunk, seed=seed).value
        except Stalled:
            continue
        assert result is not None
        shares.append(result[0])
        refused += result[1]
    name = f"{policy}, whole way" if chunk == inf else f"{policy}, {chunk} m"
    speed = f"{sum(shares) / len(shares):.0%}" if shares else "-"
    print(f"{name:<16} {CROWDS - len(shares):5} {speed:>15} {refused:15}")
