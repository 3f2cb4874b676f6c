"""The world that all engines share: where robots are born, where they may go, and how long they are watched.

Discs wander in a square arena by random waypoints: each goes straight to a goal drawn anywhere in the
arena, then to the next. Where an engine has contacts, a robot that touches another draws a goal that
leads away from it. All engines begin from the same places, drawn at random without overlap.

Goals lie in the middle more often than around it, so robots crowd there by and by. They are watched for
20 simulated seconds, while the density is still what the row says; then another world begins, until `SPAN`
robot-seconds are simulated or the engine's budget of CPU time is spent.
Making a world does not count. Time is CPU time of all threads.

Each engine implements `world(number, density, budget)` by `by_steps` or `by_events`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import count
from math import hypot, pi, sqrt
from random import Random
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Protocol

import numpy as np

from benchmarks.process import available_bytes, resident_bytes
from benchmarks.tasks import Sample, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

Place = tuple[float, float]

RADIUS = 5.0
SPEED = 10.0
STEP = 0.1
"""The step of all engines that have one."""

SPAN = 500_000.0
"""How many robot-seconds are simulated, in one world or in many."""

BEGINNING = 1.0
"""Simulated seconds of an exact engine before the clock starts: at first all robots set off at once."""

PARTS = 4
"""How often an exact engine stops within a world to look at its budget."""

SECONDS = 20.0
"""How long the robots of one world are watched."""

SLOWEST_STEP = 20.0
"""An engine that needs more CPU seconds for one step is not measured."""

FEWEST_STEPS = 2
TRIES = 100


@dataclass(frozen=True)
class Scene:
    """A square arena that `number` discs fill to the given density."""

    number: int
    density: float
    seed: int = 1

    @property
    def side(self) -> float:
        """The length of the arena's sides."""
        return sqrt(self.number * pi * RADIUS**2 / self.density)

    def chance(self) -> Random:
        """Begin the chance by which goals are drawn."""
        return Random(f"goals {self.seed}")

    def anywhere(self, chance: Random) -> Place:
        """Draw a place where a disc stays within the borders."""
        room = self.side - 2.0 * RADIUS
        return RADIUS + room * chance.random(), RADIUS + room * chance.random()

    def away(self, chance: Random, here: Place, contact: Place) -> Place:
        """Draw a goal that leads from here away from a contact."""
        (x, y), (touch_x, touch_y) = here, contact
        goal = self.anywhere(chance)
        # In a corner, pressed by the other, there may be nowhere to go.
        for _ in range(TRIES):
            if (goal[0] - x) * (touch_x - x) + (goal[1] - y) * (touch_y - y) <= 0.0:
                break
            goal = self.anywhere(chance)
        return goal

    def born(self) -> list[Place]:
        """Draw the places where robots are born: one after another, wherever there is still room."""
        chance = Random(f"places {self.seed}")
        width = int(self.side / CELL) + 5
        around = [row * width + column for column, row in AROUND]
        taken: dict[int, Place] = {}
        while len(taken) < self.number:
            x, y = self.anywhere(chance)
            cell = int(y / CELL) * width + int(x / CELL)
            for offset in around:
                other = taken.get(cell + offset)
                if other and hypot(x - other[0], y - other[1]) <= 2.0 * RADIUS:
                    break
            else:
                taken[cell] = (x, y)
        return list(taken.values())


CELL = RADIUS * sqrt(2.0)
"""The side of a cell, so small that discs that do not overlap have no two centres in one."""

AROUND = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if abs(i) + abs(j) < 4]
"""The cells in which a neighbour may be that touches."""


def smallest_gap(places: NDArray[np.float64]) -> float:
    """Find the smallest gap between two discs, negative where some overlap; infinite where no two are near."""
    columns, rows = np.floor(places / CELL).astype(np.int64).T
    width = int(columns.max() - columns.min()) + 5
    cells = rows * width + columns
    order = np.argsort(cells)
    cells, places = cells[order], places[order]
    if (cells[1:] == cells[:-1]).any():
        shared = np.flatnonzero(cells[1:] == cells[:-1])
        return float(np.hypot(*(places[shared] - places[shared + 1]).T).min()) - 2.0 * RADIUS
    smallest = np.inf
    for offset in (j * width + i for i, j in AROUND if (j, i) > (0, 0)):
        at = np.minimum(np.searchsorted(cells, cells + offset), len(cells) - 1)
        found = np.flatnonzero(cells[at] == cells + offset)
        if len(found):
            smallest = min(smallest, float(np.hypot(*(places[found] - places[at[found]]).T).min()))
    return smallest - 2.0 * RADIUS


class Stepped(Protocol):
    """A world that goes on by steps of `STEP`."""

    def step(self) -> object:
        """Take one step."""


class Exact(Protocol):
    """A world that goes on from event to event, and counts contacts between two discs and all events."""

    contacts: int
    events: int

    def run(self, until: float) -> object:
        """Let everything happen up to an instant."""

    def places(self) -> NDArray[np.float64]:
        """Tell where all robots are now."""


def by_steps(make: Callable[[Scene], Stepped], number: int, density: float, budget: float) -> Sample:
    """Watch worlds that go on by steps."""
    meter = Meter(number, budget)
    for scene in meter.scenes(density):
        world = make(scene)
        for _ in range(round(SECONDS / STEP)):
            if not meter.goes_on(at_least=FEWEST_STEPS):
                break
            if (taken := meter.run(world.step, STEP)) > SLOWEST_STEP:
                raise Skipped(f"one step of {STEP:g} s takes {taken:.0f} s")
        meter.weigh()
        if (contacts := getattr(world, "contacts", None)) is not None:
            meter.count(contacts=contacts)
    return meter.sample()


def by_events(make: Callable[[Scene], Exact], number: int, density: float, budget: float) -> Sample:
    """Watch worlds that go on from event to event; discs that overlap at the end are an error."""
    meter = Meter(number, budget)
    for scene in meter.scenes(density):
        world = make(scene)
        world.run(BEGINNING)
        contacts, events = world.contacts, world.events
        part = SECONDS / PARTS
        for index in range(1, PARTS + 1):
            if not meter.goes_on():
                break
            meter.run(partial(world.run, BEGINNING + index * part), part)
        meter.weigh()
        meter.count(contacts=world.contacts - contacts, events=world.events - events)
        if (gap := smallest_gap(world.places())) < -1e-9 * RADIUS:
            raise ValueError(f"two discs overlap by {-gap:g}")
    return meter.sample()


def need_memory(needed: int) -> None:
    """Skip what does not fit into memory."""
    if needed > (available := available_bytes()):
        raise Skipped(f"needs {needed / 1e9:.0f} GB of memory, {available / 1e9:.0f} GB are free")


class Meter:
    """Adds up what was simulated, and what it took."""

    def __init__(self, number: int, budget: float) -> None:
        self.number = number
        self.budget = budget
        self.before = resident_bytes()
        self.bytes_per_robot = 0.0
        self.simulated = self.cpu_seconds = self.wall_seconds = 0.0
        self.runs = 0
        self.counts: dict[str, int] = {}

    def scenes(self, density: float) -> Iterator[Scene]:
        """Give one scene after another, as long as there is budget and something left to simulate."""
        for seed in count(1):
            yield Scene(self.number, density, seed)
            if self.cpu_seconds >= self.budget or self.simulated * self.number > SPAN * (1.0 - 1e-9):
                return

    def goes_on(self, at_least: int = 1) -> bool:
        """Whether there is budget for another run."""
        return self.cpu_seconds < self.budget or self.runs < at_least

    def run(self, action: Callable[[], object], simulated: float) -> float:
        """Do something that takes simulated time, and return the CPU time it took."""
        began, began_cpu = perf_counter(), process_time()
        action()
        taken = process_time() - began_cpu
        self.wall_seconds += perf_counter() - began
        self.cpu_seconds += taken
        self.simulated += simulated
        self.runs += 1
        return taken

    def weigh(self) -> None:
        """Note the memory of the first world, which nothing was freed before."""
        if not self.bytes_per_robot:
            self.bytes_per_robot = (resident_bytes() - self.before) / self.number

    def count(self, **what: int) -> None:
        """Add to what is counted."""
        for name, number in what.items():
            self.counts[name] = self.counts.get(name, 0) + number

    def sample(self) -> Sample:
        """Tell the simulated seconds per CPU second, and what else is worth keeping."""
        robot_seconds = self.simulated * self.number
        result = {
            "figure": self.simulated / self.cpu_seconds,
            "simulated_seconds": self.simulated,
            "cpu_seconds": self.cpu_seconds,
            "wall_seconds": self.wall_seconds,
            "us_per_robot_second": self.cpu_seconds / robot_seconds * 1e6,
            "bytes_per_robot": self.bytes_per_robot,
        }
        for name, number in self.counts.items():
            result[name] = number
            result[f"{name}_per_second"] = number / self.cpu_seconds
            result[f"{name}_per_robot_second"] = number / robot_seconds
        if events := self.counts.get("events"):
            result["us_per_event"] = self.cpu_seconds / events * 1e6
        return result
