"""The world for kumi, as a user would write it: a program for each robot, or the native walker."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.process import resident_bytes
from benchmarks.scene import RADIUS, SPEED, TRIES, Scene, by_events, need_memory
from kumi.contract import Blocked
from kumi.devs import Simulation
from kumi.geometry import Disc
from kumi.motion import Omni
from kumi.stage.stage import Stage
from kumi.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.scene import Place
    from benchmarks.tasks import Sample
    from kumi.geometry import Point
    from kumi.robot import Robot

BYTES_PER_PROGRAM = 5_000
BYTES_PER_WALKER = 1_500


async def wander(robot: Robot, far: float) -> None:
    """Go from goal to goal; after a contact, away from it."""
    draw = robot.chance.uniform
    goal = draw(RADIUS, far), draw(RADIUS, far)
    while True:
        try:
            await robot.move_to(goal)
            goal = draw(RADIUS, far), draw(RADIUS, far)
        except Blocked as contact:
            goal = away(draw, far, robot.position, contact.at)


def away(draw: Callable[[float, float], float], far: float, here: Point, contact: Point) -> Place:
    """Draw a goal that leads away from a contact, if there is one; it is where a disc stays within the borders."""
    x, y = here
    normal_x, normal_y = contact.x - x, contact.y - y
    to_x, to_y = draw(RADIUS, far), draw(RADIUS, far)
    left = TRIES
    while (to_x - x) * normal_x + (to_y - y) * normal_y > 0.0 and left > 0:
        to_x, to_y = draw(RADIUS, far), draw(RADIUS, far)
        left -= 1
    return to_x, to_y


class Programs:
    """A stage of robots that wander, each by its own program."""

    def __init__(self, scene: Scene) -> None:
        self.contacts = self.events = 0
        self.stage = Stage(World(width=scene.side, height=scene.side), seed=scene.seed, on_error="run")
        shape, drive = Disc(RADIUS), Omni(speed=SPEED)
        for place in scene.born():
            self.stage.add(wander, scene.side - RADIUS, at=place, shape=shape, drive=drive)

    def run(self, until: float) -> None:
        outcome = self.stage.run(until)
        self.contacts, self.events = outcome.contacts, outcome.events

    def places(self) -> NDArray[np.float64]:
        return np.array([tuple(body.position) for body in self.stage.world.bodies])


class Walkers:
    """A world of robots that wander by the native walker; leaving a cell counts as an event."""

    def __init__(self, scene: Scene) -> None:
        self.contacts = self.events = 0
        self._world = World(width=scene.side, height=scene.side)
        self._world.add_walkers(np.array(scene.born()), RADIUS, SPEED, SPEED, scene.seed)
        self._simulation = Simulation(self._world, seed=scene.seed)

    def run(self, until: float) -> None:
        self._simulation.run_through(until)
        self.contacts = self._world.contact_count
        self.events = self._world.events + self._world.crossings

    def places(self) -> NDArray[np.float64]:
        return np.frombuffer(self._world.places()).reshape(-1, 2)


def world(number: int, density: float, budget: float, native: bool = False) -> Sample:
    need_memory(number * (BYTES_PER_WALKER if native else BYTES_PER_PROGRAM))
    return by_events(Walkers if native else Programs, number, density, budget)


def churn(gone: int, alive: int, measured: int = 1_000) -> Sample:
    """Let bodies come and go beside others that stay; measure the last of them, and the memory of all."""
    place = World()
    for number in range(alive):
        place.add_body((float(number), 0.0))
    far = alive + 10.0, 0.0

    def let_come_and_go(times: int) -> None:
        for _ in range(times):
            place.add_body(far).remove()

    let_come_and_go(measured)
    before = resident_bytes()
    let_come_and_go(gone - 2 * measured)
    begin = process_time()
    let_come_and_go(measured)
    took = process_time() - begin
    return {"figure": 1e6 * took / measured, "grown_bytes": float(max(0, resident_bytes() - before))}
