"""Which numbers explain what was measured on a drive?

Small fits, each with one idea: a speed is the slope of counts over time; a full circle is the number of
counts after which all rangers tell the same again; the wall lies through the two places where the front
corners touched it; the table of a ranger is the line through knots that comes nearest to all its values, and
where these say little, to what was thought before.
Whatever was not measured well enough is refused with a sentence. Noise in the readings averages out; none of
the fits needs to know its size. Each tells how far the readings lie from it, and by that how sure it is: the standard
uncertainty, within which the truth lies two times of three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Point, Pose
from kumi.link.tables import CalibrationError
from kumi.maths import interp

Numbers = NDArray[np.float64]

SEARCHED = 0.3
"""How far from the expected one a period is looked for, as a share of it."""
CLEAR = 0.25
"""A period is clear where the mismatch is below this share of that of any period at all."""
FEWEST = 5
"""How many values there are between two knots of a table."""
HABIT = 10.0
"""How many readings of a knot weigh as much as what was thought of it before."""
ROUNDING = 12**-0.5
"""The standard uncertainty of a whole number that a device rounded to."""
CORRELATION_PARTS = 10
"""Into how many parts a way is cut to see whether readings near each other err alike."""
ABOUT = 8
"""How many periods to each side of the best one tell where it lies."""
SHARED = 1.5
"""By how much more a period is uncertain than if no reading were compared more than once."""
SHORTEST_LAG, LONGEST_LAG = 0.01, 1.0
"""Seconds between which the lag of a motor is looked for; a shorter one cannot be told from none."""
TABLE_MARGIN = 0.012
"""Metres at both ends of a table where values are not used: a little beyond, a ranger tells something else."""


@dataclass(frozen=True)
class Fitted:
    """A number that was found, its standard uncertainty, and the root mean square by which so many readings miss the fit."""

    value: float
    uncertainty: float
    residual: float
    readings: int


def mean_of(values: Sequence[float]) -> Fitted:
    """Return the mean of readings, which were rounded to whole numbers."""
    v = np.asarray(values, dtype=float)
    spread = max(float(v.std()), ROUNDING)
    return Fitted(float(v.mean()), spread / sqrt(max(1, len(v) - 1)), float(v.std()), len(v))


def slope(times: Sequence[float], counts: Sequence[float]) -> Fitted:
    """Return counts a second, by least squares.

    Readings are rounded, each by itself; and a wheel that slips errs more and more, so that the slopes of parts of the way
    differ by more than rounding explains. Both make the slope uncertain.
    """
    t, c = np.asarray(times, dtype=float), np.asarray(counts, dtype=float)
    found, left, spread = _straight(t, c)
    alone = max(local_noise(c - found * t), ROUNDING) / spread
    parts = min(CORRELATION_PARTS, len(t) // 3)
    if parts < 3:
        return Fitted(found, max(alone, left / spread), left, len(t))
    pieces = zip(np.array_split(t, parts), np.array_split(c, parts), strict=True)
    slopes = [_straight(*piece)[0] for piece in pieces]
    # Rounding alone makes the mean of the slopes of parts uncertain by so many times what the slope of all is.
    slips = float(np.var(slopes, ddof=1)) / parts - (parts * alone) ** 2
    return Fitted(found, sqrt(alone**2 + 1.2 * max(0.0, slips)), left, len(t))


def _straight(t: Numbers, c: Numbers) -> tuple[float, float, float]:
    """Return the slope of a line through readings, the root mean square of what it leaves, and the spread of the times."""
    away = t - t.mean()
    squares = float(np.square(away).sum())
    found = float((away * (c - c.mean())).sum()) / squares
    left = c - c.mean() - found * away
    return found, float(np.sqrt(np.square(left).sum() / max(1, len(t) - 2))), sqrt(squares)


def lag_of(rolls: Sequence[Sequence[tuple[float, float]]]) -> Fitted:
    """Return the lag of a motor, in seconds, from what the encoder counted at which times after it was stopped.

    Each way that is left falls to 1/e within the lag. The lag is the one with which all rolls together are explained
    best, each with its own beginning and end by least squares.
    """
    lags = np.geomspace(SHORTEST_LAG, LONGEST_LAG, 200)
    misfits = np.array([sum(_misfit(np.asarray(roll), lag) for roll in rolls) for lag in lags])
    readings = sum(map(len, rolls))
    free = max(1, readings - 2 * len(rolls) - 1)
    best = int(np.argmax(misfits <= misfits.min() + 1e-6))  # of those that explain all, the shortest
    left = sqrt(float(misfits[best]) / free)
    if best == 0:
        return Fitted(0.0, SHORTEST_LAG, left, readings)
    if best == len(lags) - 1:
        raise CalibrationError("the robot did not come to rest when its motor was stopped; is it on a slope?")
    around = slice(best - 1, best + 2)
    found = float(np.exp(_lowest(np.log(lags[around]), misfits[around])))
    bend = _bend(np.log(lags[around]), misfits[around])
    return Fitted(found, found * max(left, ROUNDING) * sqrt(2.0 / bend), left, readings)


def _misfit(roll: Numbers, lag: float) -> float:
    """Return the sum of squares that the best exponential of a lag leaves of a roll."""
    times, counts = roll[:, 0] - roll[0, 0], roll[:, 1]
    shape = np.stack([np.ones_like(times), np.exp(-times / lag)], axis=1)
    found = np.linalg.lstsq(shape, counts, rcond=None)[0]
    return float(np.square(counts - shape @ found).sum())


def period(counts: Sequence[float], values: Sequence[Sequence[float]], expected: float) -> Fitted:
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
    found, bend = _parabola(candidates, mismatches, best)
    least = float(mismatches[best])
    compared = int((places + found <= places[-1]).sum()) * told.shape[1]
    # A reading is compared twice where the robot goes around more than twice, and with two others beside each other.
    uncertainty = sqrt(2.0 * max(least, 2.0 * ROUNDING * ROUNDING) / (bend * compared)) * SHARED
    return Fitted(found, uncertainty, sqrt(least / 2.0), len(places))


def _parabola(x: Numbers, y: Numbers, best: int) -> tuple[float, float]:
    """Return where the parabola through the values about the lowest one is lowest, and its second derivative.

    Many values are looked at: noise moves each of them, and so the lowest.
    """
    around = slice(max(0, best - ABOUT), best + ABOUT + 1)
    curve, rise, _ = np.polyfit(x[around] - x[best], y[around], 2)
    if curve <= 0.0:
        return float(x[best]), _bend(x[best - 1 : best + 2], y[best - 1 : best + 2])
    away = float(x[around][-1] - x[best])
    return float(x[best] + min(away, max(-away, -rise / (2.0 * curve)))), 2.0 * float(curve)


def _bend(x: Numbers, y: Numbers) -> float:
    """Return the second derivative of the parabola through three points."""
    return float(y[0] - 2.0 * y[1] + y[2]) / float((x[1] - x[0]) * (x[2] - x[1]))


def _rising(counts: Sequence[float], values: Sequence[Sequence[float]]) -> tuple[Numbers, Numbers]:
    places, told = np.asarray(counts, dtype=float), np.asarray(values, dtype=float)
    order = np.argsort(places, kind="stable")
    return places[order], told[order]


def _mismatch(places: Numbers, told: Numbers, candidate: float) -> float:
    is_inside = places + candidate <= places[-1]
    later = [interp(places[is_inside] + candidate, places, column) for column in told.T]
    return float(np.mean(np.square(np.stack(later, axis=1) - told[is_inside])))


def _lowest(x: Numbers, y: Numbers) -> float:
    """Return where the parabola through three points is lowest."""
    below, above = y[0] - y[1], y[2] - y[1]
    return float(x[1] + (x[1] - x[0]) * (below - above) / (2 * (below + above)))


@dataclass(frozen=True)
class FittedWall:
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
) -> list[Fitted]:
    """Return the value at each knot of the line through them that is nearest to all values.

    `given` has the knots, the lowest first, each with the value that was thought so far. Found are a scale and a
    shift of these, and for each knot what differs from that; so a knot that was read little keeps its shape.
    The residual of a knot is that of the readings nearer to it than to others.
    """
    d, v = np.asarray(distances), np.asarray(values, dtype=float)
    knots, before = np.asarray(given, dtype=float).T
    is_inside = (d >= knots[0] + TABLE_MARGIN) & (d <= knots[-1] - TABLE_MARGIN)
    d, v = d[is_inside], v[is_inside]
    check_read(d, knots)
    size = len(knots)
    hats = np.stack([interp(d, knots, unit) for unit in np.eye(size)], axis=1)
    shape = np.stack([before, np.ones(size)], axis=1)
    rows = np.hstack([hats @ shape, hats])
    habit = np.hstack([np.zeros((size, 2)), np.eye(size) * np.sqrt(HABIT)])
    whole = np.vstack([rows, habit])
    found: Numbers = np.linalg.lstsq(whole, np.append(v, np.zeros(size)), rcond=None)[0]
    at_knots = np.hstack([shape, np.eye(size)])
    left = v - rows @ found
    spread = max(float(np.sqrt(np.square(left).sum() / max(1, len(v) - size))), ROUNDING)
    # How sure the readings alone make each knot, and by how much habit moves it.
    gain = np.linalg.pinv(hats)
    chance = spread * np.sqrt(np.square(gain).sum(axis=1))
    sure = np.sqrt(np.square(chance) + np.square(at_knots @ found - gain @ v))
    nearest = hats.argmax(axis=1)
    fits = []
    for number, value in enumerate((at_knots @ found).tolist()):
        own = left[nearest == number]
        rms = float(np.sqrt(np.mean(np.square(own)))) if len(own) else 0.0
        fits.append(Fitted(value, float(sure[number]), rms, len(own)))
    return fits


def local_noise(values: Sequence[float] | Numbers) -> float:
    """Return by how much readings in a row err, each by itself, whatever they follow slowly."""
    steps = np.diff(np.asarray(values, dtype=float))
    return float(np.sqrt(np.mean(np.square(steps)) / 2.0)) if len(steps) else 0.0


def check_read(distances: Numbers, knots: Numbers) -> None:
    """Refuse a table with a part that was hardly read."""
    counted, _ = np.histogram(distances, knots)
    at = int(counted.argmin())
    if counted[at] < FEWEST:
        raise CalibrationError(
            f"the front ranger was hardly read between {100 * knots[at]:g} and {100 * knots[at + 1]:g} cm from "
            f"the wall; give the robot {100 * knots[-1] + 50:g} cm of free way behind it"
        )
