"""Scenes of messages, models and chance: radio through walls, effects of a network, models that come and go."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from kumi import sleep
from kumi.contract import BadGoal, Blocked, Message
from kumi.devs import Atomic, Coupled, Simulation, chance, note, together
from kumi.devs.chance import stream
from kumi.geometry import Disc
from kumi.network import (
    Bandwidth,
    Duplication,
    Energy,
    Exponential,
    LogNormal,
    Loss,
    Overtaking,
    RadioWaves,
    SharedMedium,
    SimulatedNetwork,
    Uniform,
)
from kumi.stage import Stage
from kumi.world import Map, Obstacle, Pillar, Wall, World, WorldEther
from tests.golden.content import content_hash, staged_hash

if TYPE_CHECKING:
    from kumi.network import Effect
    from kumi.robot import Robot


@dataclass(frozen=True)
class Here(Message):
    """Where somebody is."""

    x: float
    y: float


async def report(robot: Robot) -> None:
    """Tell all others where this robot is, again and again."""
    while True:
        await robot.radio.send(Here(robot.position.x, robot.position.y), to=robot.radio.others)
        await sleep(chance().uniform(0.5, 1.5))


async def listen(robot: Robot) -> None:
    """Note who is heard, from where."""
    async for message, sender in robot.radio.messages(Here):
        note(f"{sender} {message.x!r} {message.y!r}")


async def roam(robot: Robot) -> None:
    """Move about, talk and listen."""
    async with together() as tasks:
        tasks.start(report, robot)
        tasks.start(listen, robot)
        while True:
            with suppress(Blocked, BadGoal):
                await robot.move_to((chance().uniform(1, 39), chance().uniform(1, 19)))
            await sleep(0.1)


def connected(seed: int, effects: list[Effect], world: World) -> str:
    """Run eight robots that talk over a network with these effects."""
    stage = Stage(world, seed=seed)
    stage.connect(SimulatedNetwork(stage.simulation, *effects))
    for number in range(8):
        stage.add(roam, at=(2.0 + 4.6 * number, 2.0 + 2 * number), shape=Disc(0.2))
    return staged_hash(stage, 30.0)


def walled(stone: str = "concrete", wood: str = "concrete") -> World:
    """Return a floor with walls of these materials, and a column."""
    walls: list[Obstacle] = [
        Wall((10, 0), (10, 15), 0.2, name="stone", material=stone),
        Wall((20, 5), (20, 20), 0.1, name="wood", material=wood),
        Pillar((30, 10), 1.0, name="column"),
    ]
    return World(Map(40, 20, obstacles=walls))


def radio_with_walls() -> str:
    """Powers that fall with distance and by what stands in between, and what sending costs."""
    world = walled("brick", "wood")
    waves = RadioWaves(WorldEther(world), power=0.0, sensitivity=-75.0)
    return connected(6, [waves, Uniform(0.001, 0.01)], world)


def shared_medium() -> str:
    """One channel at a time among those who hear each other, with the energy that it takes."""
    world = walled()
    used = dict.fromkeys(range(8), 0.0)

    def charge(address: int, joules: float) -> None:
        used[address] += joules

    waves = RadioWaves(WorldEther(world), power=5.0, energy=Energy(charge), medium=SharedMedium(1e4))
    return content_hash(connected(7, [waves], world), used)


def effects_of_a_network() -> str:
    """Delays of all kinds, loss, copies, other orders, and a line that is not endlessly wide."""
    effects: list[Effect] = [
        Exponential(0.02),
        LogNormal(0.02, 0.5),
        Loss(0.1),
        Duplication(0.1, within=0.05),
        Overtaking(0.2, within=0.1),
        Bandwidth(1e5),
    ]
    return connected(8, effects, World(width=40, height=20))


class Cell(Atomic):
    """Counts what it hears, tells it on after a random while, and divides now and then."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.heard = self.add_input("heard", int)
        self.told = self.add_output("told", int)
        self.count = 0

    def begin(self) -> None:
        """Wait for a first while."""
        self.hold(self.chance.exponential(1.0))

    def output(self) -> None:
        """Tell how much was heard."""
        self.told.send(self.count)

    def internal(self) -> None:
        """Wait again."""
        self.count += 1
        self.hold(self.chance.exponential(1.0))

    def external(self) -> None:
        """Add up what came."""
        self.count += sum(self.heard)
        self.hold(self.chance.uniform(0.1, 1.0))

    confluent = external


def dynamic_structure() -> str:
    """Models come, are coupled, uncoupled and go, while others run."""
    dish = Coupled("dish")
    cells = [dish.add(Cell(f"cell {number}")) for number in range(3)]
    for one, other in pairwise(cells):
        dish.couple(one.told, other.heard)
    with Simulation(dish, seed=9) as simulation:
        drawn = simulation.chance("changes")
        for number in range(3, 40):
            simulation.run(simulation.now + drawn.exponential(0.5))
            new = dish.add(Cell(f"cell {number}"))
            dish.couple(drawn.choice(cells).told, new.heard)
            cells.append(new)
            if number % 2:
                gone = cells.pop(drawn.integer(0, len(cells) - 2))
                dish.remove(gone)
        simulation.run(30.0)
        return content_hash(simulation.trace_hash, [(cell.name, cell.count) for cell in cells])


def all_chance() -> str:
    """Every distribution, thousands of times, for several seeds and names."""
    drawn: list[object] = []
    for seed in (0, 1, 2**70):
        for name in ("", "robot 1", "größe"):
            numbers = stream(seed, name)
            for k in range(1, 400):
                drawn += [numbers.uniform(-k, k), numbers.normal(k, 0.1 * k), numbers.exponential(k)]
                drawn += [numbers.integer(-k, k), numbers.happens(1 / k), numbers.choice(range(k))]
            drawn.append(numbers.shuffled(range(100)))
    return content_hash(drawn)


SCENES = [
    radio_with_walls,
    shared_medium,
    effects_of_a_network,
    dynamic_structure,
    all_chance,
]
