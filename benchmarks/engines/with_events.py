"""The world by exact events in pure Python: the yardstick for what an event-driven engine gains by itself.

The same method as kumi's, written plainly with `heapq`: legs are straight at constant speed, so the
instant at which two discs touch is the root of a quadratic. A robot looks for partners in the cells around
its own, and again in those that come into view when it crosses into another cell. Predictions are not
withdrawn; one whose robots have turned meanwhile is dropped when its instant comes.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.scene import RADIUS, SPEED, Place, Scene, by_events

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.tasks import Sample

ALONE = -1
CELL = 8.0 * RADIUS
REACH = 4.0 * RADIUS**2
Cell = tuple[int, int]


class Entry(NamedTuple):
    """A predicted event, good as long as neither robot has begun another leg."""

    time: float
    one: int
    leg: int
    other: int
    other_leg: int


class Disc:
    """A robot on its leg: where it was at which instant, its velocity, and when it arrives."""

    __slots__ = ("arrival", "cell", "goal", "leg", "number", "since", "vx", "vy", "x", "y")

    def __init__(self, number: int, x: float, y: float) -> None:
        self.number = number
        self.x, self.y, self.vx, self.vy = x, y, 0.0, 0.0
        self.goal = (x, y)
        self.since = self.arrival = 0.0
        self.leg = 0
        self.cell = (int(x // CELL), int(y // CELL))

    def at(self, time: float) -> Place:
        elapsed = time - self.since
        return self.x + self.vx * elapsed, self.y + self.vy * elapsed


class Discs:
    """The arena with its agenda."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.chance = scene.chance()
        self.agenda: list[Entry] = []
        self.cells: dict[Cell, list[Disc]] = {}
        self.now = 0.0
        self.contacts = self.events = 0
        self.discs = [Disc(number, x, y) for number, (x, y) in enumerate(scene.born())]
        for disc in self.discs:
            self.cells.setdefault(disc.cell, []).append(disc)
        for disc in self.discs:
            self.begin(disc, (disc.x, disc.y), scene.anywhere(self.chance))

    def run(self, until: float) -> None:
        """Let everything happen up to an instant."""
        agenda, discs = self.agenda, self.discs
        while agenda and agenda[0][0] <= until:
            time, number, leg, other_number, other_leg = heappop(agenda)
            disc = discs[number]
            if disc.leg != leg:
                continue
            if other_number == ALONE:
                self.now = time
                self.events += 1
                if time >= disc.arrival:
                    self.begin(disc, disc.goal, self.scene.anywhere(self.chance))
                else:
                    self.cross(disc)
            elif discs[other_number].leg == other_leg:
                self.now = time
                self.events += 1
                self.touch(disc, discs[other_number])
        self.now = until

    def places(self) -> NDArray[np.float64]:
        return np.array([disc.at(self.now) for disc in self.discs])

    def touch(self, one: Disc, other: Disc) -> None:
        """Let both robots of a contact go elsewhere."""
        self.contacts += 1
        here, there = one.at(self.now), other.at(self.now)
        away = self.scene.away
        self.set_off(one, here, away(self.chance, here, there))
        self.set_off(other, there, away(self.chance, there, here))
        self.predict(one, AROUND)
        self.predict(other, AROUND)

    def begin(self, disc: Disc, here: Place, goal: Place) -> None:
        """Begin a leg, and find out what it leads to."""
        self.set_off(disc, here, goal)
        self.predict(disc, AROUND)

    def set_off(self, disc: Disc, here: Place, goal: Place) -> None:
        """Put a robot on a new leg."""
        disc.x, disc.y = here
        disc.goal = goal
        dx, dy = goal[0] - here[0], goal[1] - here[1]
        distance = hypot(dx, dy)
        pace = SPEED / distance if distance else 0.0
        disc.vx, disc.vy = dx * pace, dy * pace
        disc.since = self.now
        disc.arrival = self.now + distance / SPEED
        disc.leg += 1
        self.plan_alone(disc)

    def plan_alone(self, disc: Disc) -> None:
        """Plan what comes first for a robot alone: crossing into the next cell, or arriving."""
        first = min(
            disc.arrival,
            disc.since + until_border(disc.x, disc.vx, disc.cell[0]),
            disc.since + until_border(disc.y, disc.vy, disc.cell[1]),
        )
        heappush(self.agenda, Entry(first, disc.number, disc.leg, ALONE, 0))

    def cross(self, disc: Disc) -> None:
        """Move a robot to the next cell, and look at the cells that come into view."""
        column, row = disc.cell
        self.cells[disc.cell].remove(disc)
        across = until_border(disc.x, disc.vx, column) <= until_border(disc.y, disc.vy, row)
        if across:
            disc.cell = (column + (1 if disc.vx > 0.0 else -1), row)
            view = RIGHT if disc.vx > 0.0 else LEFT
        else:
            disc.cell = (column, row + (1 if disc.vy > 0.0 else -1))
            view = ABOVE if disc.vy > 0.0 else BELOW
        self.cells.setdefault(disc.cell, []).append(disc)
        self.plan_alone(disc)
        self.predict(disc, view)

    def predict(self, disc: Disc, view: list[Cell]) -> None:
        """Plan all contacts with the robots in the cells in view."""
        now, agenda, cells = self.now, self.agenda, self.cells
        x, y = disc.at(now)
        vx, vy, arrival = disc.vx, disc.vy, disc.arrival
        column, row = disc.cell
        for i, j in view:
            for other in cells.get((column + i, row + j), ()):
                elapsed = now - other.since
                dx = other.x + other.vx * elapsed - x
                dy = other.y + other.vy * elapsed - y
                dvx, dvy = other.vx - vx, other.vy - vy
                closing = dx * dvx + dy * dvy
                if closing >= 0.0:
                    continue
                speed = dvx * dvx + dvy * dvy
                gap = dx * dx + dy * dy - REACH
                inner = closing * closing - speed * gap
                if inner < 0.0:
                    continue
                time = now + max(gap / (sqrt(inner) - closing), 0.0)
                if time <= arrival and time <= other.arrival:
                    heappush(agenda, Entry(time, disc.number, disc.leg, other.number, other.leg))


AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
RIGHT, LEFT = [(1, j) for j in (-1, 0, 1)], [(-1, j) for j in (-1, 0, 1)]
ABOVE, BELOW = [(i, 1) for i in (-1, 0, 1)], [(i, -1) for i in (-1, 0, 1)]


def until_border(place: float, velocity: float, cell: int) -> float:
    """Tell how long a coordinate stays within its cell."""
    if velocity > 0.0:
        return ((cell + 1) * CELL - place) / velocity
    return (cell * CELL - place) / velocity if velocity < 0.0 else inf


def world(number: int, density: float, budget: float) -> Sample:
    return by_events(Discs, number, density, budget)
