"""Where sensors are tried out: a room with two robots, one of which carries the sensor.

The room has a wall, a pillar and a hole. The robot that is tried drives about, turns, backs up and runs into
the wall; the other passes it, and at last runs into it. All of it is the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from math import pi
from typing import Any

from kumi.contract import Blocked, Command, Forward, MoveTo, Turn
from kumi.devs import Simulation, sleep
from kumi.geometry import Circle, Disc
from kumi.motion import Wheel
from kumi.world import Hole, Map, Pillar, SimulatedBody, Wall, World

DURATION = 30.0
"""Seconds until both robots have come to rest."""

ROOM = Map(
    10.0,
    10.0,
    obstacles=[Wall((8.0, 2.0), (8.0, 8.0), 0.2, "wall"), Pillar((2.0, 2.0), 0.5, "pillar")],
    terrain=[Hole(Circle((5.0, 9.0), 0.5), "hole")],
)

TRIED: tuple[Command, ...] = (
    Forward(3.0),
    Turn(pi / 2, 1.0),
    Forward(1.0, 0.5),
    Forward(-1.0),
    Turn(-pi / 2),
    Forward(9.0),
    Forward(-2.0),
)
PASSER: tuple[Command, ...] = (
    MoveTo((5.0, 3.9)),
    MoveTo((2.0, 6.5)),
    MoveTo((5.7, 3.0), 2.0),
    MoveTo((5.7, 8.0)),
)


class ProvingGround:
    """The room, with a simulation of it and its two bodies."""

    def __init__(self, seed: int) -> None:
        self.world = World(ROOM)
        self.simulation = Simulation(self.world, seed=seed)
        self.tried = self.world.add_body((2.0, 5.0), shape=Disc(0.2), drive=Wheel(), name="tried")
        self.passer = self.world.add_body((7.0, 5.0), shape=Disc(0.2), drive=Wheel(), name="passer")

    def move(self) -> None:
        """Let both robots do their errands."""
        self.simulation.start(_errand, self.tried, TRIED)
        self.simulation.start(_errand, self.passer, PASSER)

    def start(self, program: Callable[..., Coroutine[Any, Any, Any]], *arguments: Any) -> None:
        """Start a program beside them."""
        self.simulation.begin_task(program, arguments, name=None, parent=None, on_end=None)

    def run(self, until: float = DURATION) -> None:
        """Run to a time, and end what is left."""
        with self.simulation:
            self.simulation.run(until)


async def _errand(body: SimulatedBody, commands: tuple[Command, ...]) -> None:
    for command in commands:
        try:
            await body.carry_out(command)
        except Blocked:
            await sleep(0.25)


async def beat(period: float) -> None:
    """Make an instant happen each period, for nobody."""
    while True:
        await sleep(period)
