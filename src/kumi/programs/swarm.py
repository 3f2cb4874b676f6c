"""What do robots of a swarm have in common: who is near whom, and how do wheels follow a wanted velocity?

The laws of a swarm are written once, for pairs of robots that are near each other. A program of one robot gives them the
pairs of that robot, a program of a team those of all: sums go over pairs in one order, so both find the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, tau
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from kumi import maths
from kumi.geometry import Point
from kumi.robot import Team

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Indices: TypeAlias = "NDArray[np.int64]"
Mask: TypeAlias = "NDArray[np.bool_]"


class Near(NamedTuple):
    """Pairs of a swarm of `swarm` robots: each robot's way to another, as x and y, and its length."""

    swarm: int
    robots: Indices
    others: Indices
    ways: Numbers
    distances: Numbers

    def sum(self, values: Numbers) -> Numbers:
        """Add the values of pairs, a row for each, for each robot."""
        columns = [np.bincount(self.robots, column, self.swarm) for column in values.T]
        return np.stack(columns, axis=1)

    def number(self) -> Numbers:
        """Count how many others are near each robot."""
        return np.bincount(self.robots, minlength=self.swarm).astype(np.float64)


def near_robot(robot: int, places: Numbers, reach: float) -> Near:
    """Return the pairs of one robot, by its number, of those whose places are known."""
    ways = places - places[robot]
    distances = np.sqrt(ways[:, 0] * ways[:, 0] + ways[:, 1] * ways[:, 1])
    others = np.flatnonzero(distances <= reach)
    others = others[others != robot]
    return Near(len(places), np.full(len(others), robot), others, ways[others], distances[others])


def near_team(team: Team, places: Numbers, reach: float) -> Near:
    """Return the pairs of a team that is at these places."""
    robots, others, distances = team.neighbours(reach)
    return Near(len(team), robots, others, places[others] - places[robots], distances)


def as_places(points: Sequence[Point]) -> Numbers:
    """Return places as rows of x and y."""
    return np.array([(point.x, point.y) for point in points])


def velocities_seen(places: Numbers, before: Numbers | None, period: float) -> Numbers:
    """Return velocities from two looks; of a first look, or where robots have come since, none."""
    if before is None or len(before) != len(places):
        return np.zeros_like(places)
    return (places - before) / period


def shortened(vectors: Numbers, longest: float) -> Numbers:
    """Return vectors, none of them longer than allowed."""
    lengths = maths.hypot(vectors[:, 0], vectors[:, 1])
    return vectors * np.minimum(1.0, longest / np.maximum(lengths, 1e-300))[:, np.newaxis]


def wheels(wanted: Numbers, headings: Numbers, gain: float, top_turning: float) -> tuple[Numbers, Numbers]:
    """Return speeds and turning rates with which wheels follow wanted velocities.

    A robot turns the faster the farther it is off, and drives only by how much it looks where it is to go.
    """
    off = maths.atan2(wanted[:, 1], wanted[:, 0]) - headings
    off = off - tau * np.round(off / tau)
    speeds = maths.hypot(wanted[:, 0], wanted[:, 1])
    ahead = np.where(np.abs(off) < pi / 2, maths.cos(off), 0.0)
    return speeds * ahead, np.where(speeds > 0.0, np.clip(gain * off, -top_turning, top_turning), 0.0)
