"""How are control points moved until their curve keeps its limits?

In rounds. In each, every limit that is broken somewhere moves the points around that place as little as mends
it, all at once: a bend that is too tight pulls its point inwards and its neighbours outwards; a place of the
curve too near to an obstacle pushes its points away; and points slide along the curve to stay evenly apart.
The first and the last points follow from the ends of the path, which stay where they are.

Every few rounds the curve is judged. The rounds work with a little reserve, which grows where the points keep
the limits and the curve does not. This is the projection of position-based dynamics; that it converges is not
proved, so it ends when that does not help any more.

Müller, Heidelberger, Hennix and Ratcliff, "Position based dynamics", 2007.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kumi.maths import cos, hypot, sin, total
from kumi.planning.beta_spline import BetaSpline, Numbers, coefficients
from kumi.planning.distances import Segments, from_ways, insides, nearest_of_pairs, pairs_within
from kumi.planning.path_check import PathVerdict, judge

if TYPE_CHECKING:
    from kumi.geometry import Point
    from kumi.planning.space import Space

FIRST_ROUNDS = 12
BETWEEN_VERDICTS = 6
"""Rounds until the second verdict, in which the points settle, and until each one after it."""

BETTER = 1 - 1 / 30
FRUITLESS_ROUNDS = 16
"""Verdicts in a row that are not a thirtieth better than the best before, after which it is given up."""

CORRECTION_SHARE = 0.6
"""How much of each correction is made: all at once would overshoot where corrections meet."""

CALMER = 0.96
"""What is left of a swing after a round."""

ONWARD = 0.7
"""How much of the step before is made again: what moves all the time in one direction moves faster."""

SWINGING = 0.4
"""The same with a swing, which would carry too far otherwise."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Points along a curve that begins at the first and ends at the last, with or without given directions."""

    places: Numbers
    bias: float
    tension: float
    ends: tuple[Point | None, Point | None]

    def control(self) -> Numbers:
        """Return the control points: with one more before the start and one after the goal.

        There the three nearest points lie on a line, so that the curve begins in the start, along the line.
        """
        first, last = self.places[1] - self.places[0], self.places[-1] - self.places[-2]
        cube = self.bias * self.bias * self.bias
        before = self.places[0] - first / cube
        after = self.places[-1] + last * cube
        return np.vstack([before, self.places, after])

    def spline(self) -> BetaSpline:
        """Return the curve."""
        return BetaSpline(self.control(), self.bias, self.tension)

    def aligned(self) -> Chain:
        """Return the chain with the points next to its ends in the given directions from them."""
        places = self.places.copy()
        start, goal = self.ends
        if start is not None:
            places[1] = places[0] + _length(places[1] - places[0]) * np.array([start.x, start.y])
        if goal is not None:
            places[-2] = places[-1] - _length(places[-1] - places[-2]) * np.array([goal.x, goal.y])
        return replace(self, places=places)


class Nearby:
    """Lines near a curve that moves a little from round to round: who is near whom is looked up now and then."""

    def __init__(self, lines: Segments, reach: float) -> None:
        self.lines = lines
        self._slack = max(reach, 1e-3) / 2
        self._limit = reach + self._slack
        self._at: Numbers | None = None
        self._pairs: tuple[NDArray[np.int64], NDArray[np.int64]]

    def nearest(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return distance and nearest point of the nearest line for each place, as far as the reach goes."""
        if self._at is None or np.abs(places - self._at).max() > self._slack / 2:
            self._at, self._pairs = places, pairs_within(places, self.lines, self._limit)
        return nearest_of_pairs(places, self.lines, *self._pairs)


def relax(chain: Chain, space: Space, clearance: float, min_radius: float, swing: float = 0.0) -> PathVerdict:
    """Return the verdict on the first curve that keeps all limits, or on the best one if none does.

    With a swing, in metres, the points at first keep so much more from obstacles, and less and less of it:
    they go around in wider turns, and come back as far as they can.
    """
    chain = chain.aligned()
    tightest = 0.98 / (min_radius * ripple(chain.bias, chain.tension)) if min_radius > 0 else np.inf
    lines = _near(chain.places, space, clearance + swing, min_radius)
    keeps = clearance + max(1e-5, 1e-3 * clearance)
    best = verdict = judge(chain.spline(), space, clearance, min_radius)
    onward = SWINGING if swing else ONWARD
    in_vain, step, rounds = 0, np.zeros_like(chain.places), FIRST_ROUNDS
    while not verdict.is_good and in_vain < FRUITLESS_ROUNDS:
        near = Nearby(lines, keeps + swing)
        for _ in range(rounds):
            move = _unbend(chain.places, tightest) + _even_out(chain.places)
            move += _push(chain, space, near, keeps + swing)
            swing *= CALMER
            move[[0, -1]] = 0.0
            step = CORRECTION_SHARE * move + onward * step
            chain = replace(chain, places=chain.places + step).aligned()
        verdict, rounds = judge(chain.spline(), space, clearance, min_radius), BETWEEN_VERDICTS
        in_vain = 0 if verdict.badness < BETTER * best.badness or swing > 0.01 * min_radius else in_vain + 1
        best = verdict if verdict.badness < best.badness else best
        # What is broken although the points were moved lies between them: so they keep more.
        keeps += min(max(verdict.lacks_gap, 0.0), 0.1) * max(clearance, 1e-3)
        tightest *= 1.0 - min(max(0.0, verdict.lacks_radius) / 4, 0.01)
    return verdict if verdict.is_good else best


@cache
def ripple(bias: float, tension: float) -> float:
    """Return how much more a curve bends, at most, than its control points do when they lie on a circle."""
    at = np.arange(12) * 0.1
    circle = np.column_stack([cos(at), sin(at)])
    spline = BetaSpline(circle, bias, tension)
    turn = 2 * sin(0.05) / (cos(0.05) * cos(0.05)) / (2 * sin(0.05))
    return float(np.abs(spline.curvatures(*spline.even(32))).max() / turn)


def _unbend(places: Numbers, tightest: float) -> Numbers:
    """Return moves that open bends: each point inwards by twice as much as its neighbours outwards."""
    move = np.zeros_like(places)
    if not np.isfinite(tightest):
        return move
    before, here, after = places[:-2], places[1:-1], places[2:]
    bend = before - 2 * here + after
    size = hypot(*bend.T)
    chord = hypot(*(after - before).T) / 2
    excess = np.maximum(size - tightest * chord * chord, 0.0)
    part = (excess / np.where(size > 0, size, 1.0) / 6)[:, None] * bend
    move[1:-1] += 2 * part
    move[:-2] -= part
    move[2:] -= part
    return move


def _even_out(places: Numbers) -> Numbers:
    """Return moves along the curve that bring each point between its neighbours."""
    move = np.zeros_like(places)
    along = places[2:] - places[:-2]
    along = along / np.maximum(hypot(*along.T), 1e-300)[:, None]
    off = (places[:-2] + places[2:]) / 2 - places[1:-1]
    move[1:-1] = (off * along).sum(axis=1)[:, None] * along / 2
    return move


def _push(chain: Chain, space: Space, near: Nearby, keeps: float) -> Numbers:
    """Return moves away from obstacles and borders, of points with a joint or middle of a piece too near."""
    control = chain.control()
    joint, middle = weights(chain.bias, chain.tension)
    pieces = len(control) - 3
    curve = np.vstack([_weighted(control, joint), _weighted(control, middle)])
    away = _away(curve, space, near, keeps)
    push = np.zeros_like(control)
    if away.any():
        for part, share in ((away[:pieces], joint), (away[pieces:], middle)):
            # The least move of four points that moves their weighted mean by this much.
            for offset, weight in enumerate(share):
                push[offset : pieces + offset] += weight / total(share * share) * part
    return push[1:-1]


def _weighted(control: Numbers, share: Numbers) -> Numbers:
    found: Numbers = (
        share[0] * control[:-3] + share[1] * control[1:-2] + share[2] * control[2:-1] + share[3] * control[3:]
    )
    return found


@cache
def weights(bias: float, tension: float) -> tuple[Numbers, Numbers]:
    """Return the weights of four control points at the beginning and in the middle of their piece."""
    table = coefficients(bias, tension)
    return table[0], total(np.array([1.0, 0.5, 0.25, 0.125])[:, None] * table)


def _away(places: Numbers, space: Space, nearby: Nearby, keeps: float) -> Numbers:
    """Return for each place the way to where it keeps enough from what is nearest."""
    gap, foot = nearby.nearest(places)
    way = np.zeros_like(places)
    near = np.flatnonzero(gap < keeps)
    apart = places[near] - foot[near]
    size = np.maximum(hypot(*apart.T), 1e-300)
    within = insides(places[near], nearby.lines)
    way[near] = (np.where(within, -(keeps + gap[near]), keeps - gap[near]) / size)[:, None] * apart
    if space.bounds is not None:
        left, bottom, right, top = space.bounds
        low, high = np.array([left + keeps, bottom + keeps]), np.array([right - keeps, top - keeps])
        way += np.maximum(low - places, 0.0) - np.maximum(places - high, 0.0)
    return way


def _near(places: Numbers, space: Space, clearance: float, min_radius: float) -> Segments:
    """Return the lines of obstacles that a curve may come to while it is moved; outlines as a whole."""
    lines = space.lines
    if not len(lines):
        return lines
    steps = np.diff(places, axis=0)
    reach = clearance + 4 * min_radius + 2 * float(hypot(steps[:, 0], steps[:, 1]).max())
    probes = Segments(places[:-1], places[1:], np.zeros(len(places) - 1), np.full(len(places) - 1, -1))
    gaps = from_ways(lines.start, lines.end, probes, reach) - lines.radius
    near = gaps <= reach
    whole = np.isin(lines.outline, np.unique(lines.outline[near & (lines.outline >= 0)]))
    return lines.only(near | (whole & (lines.outline >= 0)))


def _length(way: Numbers) -> float:
    return float(hypot(way[0], way[1]))
