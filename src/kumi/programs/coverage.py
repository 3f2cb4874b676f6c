"""Robots that share a room among them: each goes to the middle of what is nearest to it.

Lloyd's law (Cortés and others, 2004): the floor belongs to the nearest robot, and each robot goes to the centroid of its part,
weighted by how much each place matters. The sum over the floor of weight times squared distance to the nearest robot never
rises, so the robots end where each is in the middle of its part.
"""

from __future__ import annotations

import numpy as np

from kumi import maths
from kumi.devs import sleep
from kumi.programs.swarm import Indices, Numbers, as_places, shortened, wheels
from kumi.robot import Robot, Team, checked_by

TURN_GAIN, TOP_TURNING = 4.0, 4.0
CELLS = 60
"""Cells of the floor along its longer side, over which sums are taken."""


def check_coverage(_count: int, width: float = 1.0, height: float = 1.0, **_others: object) -> None:
    """Refuse a floor without an area."""
    if not (width > 0.0 and height > 0.0):
        raise ValueError(f"the floor has a width and a height greater than 0, not {width!r} and {height!r}")


@checked_by(check_coverage)
async def coverage(
    robot: Robot,
    width: float,
    height: float,
    peaks: list[tuple[float, float, float]] | None = None,
    speed: float = 0.2,
    period: float = 0.5,
) -> None:
    """Cover a floor from (0, 0) to (width, height), alone.

    Everywhere matters alike, or places matter by `peaks`, each an x and y and how wide it is, in metres.
    """
    floor, number = Floor(width, height, peaks), robot.number
    while True:
        places = as_places(await robot.positions.read())
        wanted = floor.wanted(places, speed, period)[number : number + 1]
        speeds, turnings = wheels(wanted, np.array([robot.heading]), TURN_GAIN, TOP_TURNING)
        robot.steer(float(speeds[0]), float(turnings[0]))
        await sleep(period)


@checked_by(check_coverage)
async def coverage_team(
    team: Team,
    width: float,
    height: float,
    peaks: list[tuple[float, float, float]] | None = None,
    speed: float = 0.2,
    period: float = 0.5,
) -> None:
    """Let a team cover a floor as its robots would alone."""
    floor = Floor(width, height, peaks)
    while True:
        here = team.present
        wanted = np.zeros((len(team), 2))
        wanted[here] = floor.wanted(team.positions[here], speed, period)
        team.steer(*wheels(wanted, team.headings, TURN_GAIN, TOP_TURNING))
        await sleep(period)


class Floor:
    """A floor in cells, and how much each matters."""

    def __init__(self, width: float, height: float, peaks: list[tuple[float, float, float]] | None) -> None:
        side = max(width, height) / CELLS
        across, up = (max(1, round(length / side)) for length in (width, height))
        x, y = (np.arange(count) + 0.5 for count in (across, up))
        self.x = np.tile(x * width / across, up)
        self.y = np.repeat(y * height / up, across)
        self.weights = np.ones(across * up)
        if peaks:
            self.weights = np.full(across * up, 0.02)
            for centre_x, centre_y, spread in peaks:
                off = np.square(self.x - centre_x) + np.square(self.y - centre_y)
                self.weights = self.weights + maths.exp(-off / (2.0 * spread * spread))

    def owners(self, places: Numbers) -> tuple[Indices, Numbers]:
        """Return who is nearest to each cell, and the squared distances; of equally near ones the first."""
        nearest = np.zeros(len(self.x), dtype=np.int64)
        least: Numbers = np.full(len(self.x), np.inf)
        for number, (x, y) in enumerate(places):
            off = np.square(self.x - x) + np.square(self.y - y)
            is_nearer = off < least
            nearest[is_nearer], least[is_nearer] = number, off[is_nearer]
        return nearest, least

    def cost(self, places: Numbers) -> float:
        """Return the sum that robots make small: weight times squared distance to the nearest."""
        _, least = self.owners(places)
        return float(np.bincount(np.zeros(len(least), dtype=np.int64), self.weights * least)[0])

    def centroids(self, places: Numbers) -> Numbers:
        """Return the centroid of the part of each; of one without a part, where it is."""
        nearest, _ = self.owners(places)
        mass = np.bincount(nearest, self.weights, len(places))
        middle = [np.bincount(nearest, self.weights * axis, len(places)) for axis in (self.x, self.y)]
        shared = np.stack(middle, axis=1) / np.maximum(mass, 1e-300)[:, np.newaxis]
        return np.where((mass > 0.0)[:, np.newaxis], shared, places)

    def wanted(self, places: Numbers, speed: float, period: float) -> Numbers:
        """Return wanted velocities: towards the centroid, and no farther in a period."""
        return shortened((self.centroids(places) - places) / period, speed)
