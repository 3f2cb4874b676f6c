"""Which numbers explain what was measured on a drive?

Small fits, each with one idea: a speed is the slope of counts over time; a full circle is the number of
counts after which all rangers tell the same again; the wall lies through the two places where the front
corners touched it; the table of a ranger is the line through knots that comes nearest to all its values, and
where these say little, to what was thought before.
Whatever was not measured well enough is refused with a sentence. Noise in the readings averages out; none of
the fits needs to know its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Point, Pose
from kumi.link.tables import CalibrationError

Numbers = NDArray[np.float64]

SEARCHED = 0.3
"""How far from the expected one a period is looked for, as a share of it."""
CLEAR = 0.25
"""A period is clear where the mismatch is below this share of that of any period at all."""
FEWEST = 5
"""How many values there are between two knots of a table."""
HABIT = 10.0
"""How many readings of a knot weigh as much as what was thought of it before."""
MARGIN = 0.012
"""Metres at both ends of a table where values are not used: a little beyond, a ranger tells something else."""


def slope(times: Sequence[float], counts: Sequence[float]) -> float:
    """Return counts a second, by least squares."""
    t, c = np.asarray(times), np.asarray(counts)
    return float(np.polyfit(t - t.mean(), c, 1)[0])


def period(counts: Sequence[float], values: Sequence[Sequence[float]], expected: float) -> float:
    """Return after how many counts all rangers tell the same again, near an expected number.

    The counts rise or fall all along. The mismatch of a period is the mean square of the difference between
    each value and the value one period later.
    """
    places, told = _rising(counts, values)
    if places[-1] - places[0] < expected * (1 + SEARCHED):
        raise CalibrationError("the robot did not turn around once: is something in its way?")
    candidates = np.linspace(expected * (1 - SEARCHED), expected * (1 + SEARCHED), 601)
    mismatches = np.array([_mismatch(places, told, candidate) for candidate in candidates])
    best = int(mismatches.argmin())
    if not 0 < best < len(candidates) - 1 or mismatches[best] > CLEAR * float(np.median(mismatches)):
        raise CalibrationError(
            "the rangers did not tell the same again after a full circle; put the robot where a wall is within "
            "half a metre of it, and let nothing move there"
        )
    return _lowest(candidates[best - 1 : best + 2], mismatches[best - 1 : best + 2])


def _rising(counts: Sequence[float], values: Sequence[Sequence[float]]) -> tuple[Numbers, Numbers]:
    places, told = np.asarray(counts, dtype=float), np.asarray(values, dtype=float)
    order = np.argsort(places, kind="stable")
    return places[order], told[order]


def _mismatch(places: Numbers, told: Numbers, candidate: float) -> float:
    is_inside = places + candidate <= places[-1]
    later = [np.interp(places[is_inside] + candidate, places, column) for column in told.T]
    return float(np.mean((np.stack(later, axis=1) - told[is_inside]) ** 2))


def _lowest(x: Numbers, y: Numbers) -> float:
    """Return where the parabola through three points is lowest."""
    below, above = y[0] - y[1], y[2] - y[1]
    return float(x[1] + (x[1] - x[0]) * (below - above) / (2 * (below + above)))


@dataclass(frozen=True)
class Line:
    """A straight wall through two points."""

    start: Point
    end: Point

    def distance_from(self, eye: Pose) -> float:
        """Return how far it is along a line of sight to the wall."""
        along = self.end - self.start
        sight = Point.polar(1.0, eye.heading)
        return (self.start - eye.position).cross(along) / sight.cross(along)

    def step_to(self, point: Point) -> Point:
        """Return the shortest way from a point to the wall."""
        along = (self.end - self.start) / abs(self.end - self.start)
        away = self.start - point
        return away - along * away.dot(along)


def ranger_values(
    distances: Sequence[float], values: Sequence[float], given: Sequence[tuple[float, float]]
) -> list[float]:
    """Return the value at each knot of the line through them that is nearest to all values.

    `given` has the knots, the lowest first, each with the value that was thought so far. Found are a scale and a
    shift of these, and for each knot what differs from that; so a knot that was read little keeps its shape.
    """
    d, v = np.asarray(distances), np.asarray(values, dtype=float)
    knots, before = np.asarray(given, dtype=float).T
    is_inside = (d >= knots[0] + MARGIN) & (d <= knots[-1] - MARGIN)
    d, v = d[is_inside], v[is_inside]
    check_read(d, knots)
    size = len(knots)
    hats = np.stack([np.interp(d, knots, unit) for unit in np.eye(size)], axis=1)
    shape = np.stack([before, np.ones(size)], axis=1)
    rows = np.hstack([hats @ shape, hats])
    habit = np.hstack([np.zeros((size, 2)), np.eye(size) * HABIT**0.5])
    found: Numbers = np.linalg.lstsq(np.vstack([rows, habit]), np.append(v, np.zeros(size)), rcond=None)[0]
    return [float(value) for value in shape @ found[:2] + found[2:]]


def check_read(distances: Numbers, knots: Numbers) -> None:
    """Refuse a table with a part that was hardly read."""
    counted, _ = np.histogram(distances, knots)
    at = int(counted.argmin())
    if counted[at] < FEWEST:
        raise CalibrationError(
            f"the front ranger was hardly read between {100 * knots[at]:g} and {100 * knots[at + 1]:g} cm from "
            f"the wall; give the robot {100 * knots[-1] + 50:g} cm of free way behind it"
        )
