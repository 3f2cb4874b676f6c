"""Many robots on a grid of one-way lanes, each on floor that is reserved for it: the list alone, and with bodies in a world."""

from __future__ import annotations

import random
from heapq import heappop, heappush
from itertools import count, pairwise
from time import process_time

from benchmarks.tasks import Sample
from kumi import sleep
from kumi.geometry import Disc, Point
from kumi.motion import Omni
from kumi.planning import FloorAnswer, Reservations, Way, Zone, ZoneRefused
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World

LANES = 8
PITCH = 3.0
SPEED = 0.5
RADIUS = 0.25
BODY = 0.2
CROSSINGS = 6
AGAIN = 1.0
"""Seconds after which a robot that was refused asks for another way."""

Cell = tuple[int, int]


class Lanes:
    """Robots that drive from crossing to crossing, with an agenda of their own."""

    def __init__(self, robots: int, seed: int, chunk: float) -> None:
        self._chunk = chunk
        self.pieces = self.refusals = 0
        self._chance = random.Random(seed)
        self._floor: Reservations[int] = Reservations()
        self._agenda: list[tuple[float, int, int, bool]] = []
        self._numbers = count()
        self._goals: dict[int, Cell] = {}
        cells = [(column, row) for column in range(LANES) for row in range(LANES)]
        self._at = dict(enumerate(self._chance.sample(cells, robots)))
        for robot, cell in self._at.items():
            self._floor.enter(robot, Zone((place(cell),), RADIUS))
            self._plan(self._chance.random(), robot, arrives=False)

    def run(self, until: float) -> None:
        """Let them drive for so many seconds."""
        while self._agenda and self._agenda[0][0] <= until:
            now, _, robot, arrives = heappop(self._agenda)
            if arrives:
                self.pieces += 1
                self._hear(now, self._floor.arrive(robot))
            if self._floor.rest(robot):
                self._hear(now, self._floor.request(robot))
                continue
            if arrives:
                self._at[robot] = self._goals[robot]
            self._hear(now, self._floor.request(robot, self._way(robot)))

    def _way(self, robot: int) -> Way:
        cells = onward(self._at[robot], self._chance)
        self._goals[robot] = cells[-1]
        return Way.along([place(cell) for cell in cells], RADIUS, self._chunk, stays=False)

    def _hear(self, now: float, answers: list[FloorAnswer[int]]) -> None:
        for answer in answers:
            if not answer.is_granted:
                self.refusals += 1
                self._plan(now + AGAIN, answer.robot, arrives=False)
                continue
            way = sum(here.distance_to(there) for here, there in pairwise(answer.zone.path))
            self._plan(now + way / SPEED, answer.robot, arrives=True)

    def _plan(self, time: float, robot: int, *, arrives: bool) -> None:
        heappush(self._agenda, (time, next(self._numbers), robot, arrives))


def place(cell: Cell) -> Point:
    """Return where a crossing is."""
    return Point(PITCH * cell[0], PITCH * cell[1])


def following(cell: Cell) -> list[Cell]:
    """Return the crossings after one: even rows lead to the right, odd columns up, the others back."""
    column, row = cell
    ahead = (column + (1 if row % 2 == 0 else -1), row), (column, row + (1 if column % 2 else -1))
    return [(x, y) for x, y in ahead if 0 <= x < LANES and 0 <= y < LANES]


def onward(cell: Cell, chance: random.Random) -> list[Cell]:
    """Go on along the lanes from a crossing, straight or around a corner, by chance."""
    cells = [cell]
    while len(cells) <= CROSSINGS:
        cells.append(chance.choice(following(cells[-1])))
    return cells


def lanes(robots: int, seconds: float, chunk: float) -> Sample:
    """Measure the CPU seconds of a drive by the list alone."""
    began = process_time()
    scene = Lanes(robots, 1, chunk)
    scene.run(seconds)
    return {"figure": process_time() - began, "pieces": scene.pieces, "refusals": scene.refusals}


def lanes_driven(robots: int, seconds: float, chunk: float) -> Sample:
    """Measure the CPU seconds of a drive of simulated robots whose programs wait for their floor."""
    began = process_time()
    chance = random.Random(1)
    floor: Reservations[str] = Reservations()
    counts = {"pieces": 0, "refusals": 0}

    async def drive(robot: Robot, cell: Cell) -> None:
        async with floor.visit(robot.name, Zone((place(cell),), RADIUS)):
            await sleep(chance.random())
            while True:
                cells = onward(cell, chance)
                way = Way.along([place(one) for one in cells], RADIUS, chunk, stays=False)
                try:
                    async for zone in floor.along(robot.name, way):
                        await robot.follow(zone.path[1:])
                        counts["pieces"] += 1
                    cell = cells[-1]
                except ZoneRefused:
                    counts["refusals"] += 1
                    await sleep(AGAIN)

    cells = [(column, row) for column in range(LANES) for row in range(LANES)]
    with Stage(World(), seed=1) as stage:
        for cell in chance.sample(cells, robots):
            stage.add(drive, cell, at=place(cell), drive=Omni(SPEED), shape=Disc(BODY))
        stage.run(seconds)
        contacts = stage.outcome.contacts
    return {"figure": process_time() - began, **counts, "contacts": contacts}
