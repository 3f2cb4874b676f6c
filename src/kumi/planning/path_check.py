"""Does a curve keep its clearance and its least radius?

Each piece is cut into 16 parts. A cubic leaves the straight way between the ends of a part by no more than an
eighth of the square of the part's share of u times the largest second derivative there; that is linear, so
largest at an end. The straight ways' exact distances from obstacles, less that, are below the curve's own.
Curvature is looked at in the ends of all parts. So that what happens between them stays within the limit, the
curve is bent with some reserve; see `relaxing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Point
from kumi.maths import hypot
from kumi.planning.beta_spline import curvatures_of

if TYPE_CHECKING:
    from kumi.planning.beta_spline import BetaSpline, Numbers
    from kumi.planning.space import Space

RATE_PARTS = 16
STILL_SHARE = 1e-9
"""The share of the largest rate below which a curve stands still."""


class PathError(ValueError):
    """There is no path within the limits; `place` is where they are broken most."""

    def __init__(self, message: str, place: Point) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, eq=False)
class PathVerdict:
    """A curve with its least distance and its least radius, and where they are."""

    spline: BetaSpline
    gap: float
    gap_at: Point
    radius: float
    radius_at: Point
    lacks_gap: float
    lacks_radius: float

    @property
    def is_good(self) -> bool:
        """Tells whether all limits hold."""
        return self.lacks_gap < 0 and self.lacks_radius <= 0

    @property
    def badness(self) -> float:
        """How much is lacking, as a share of what is asked for."""
        return max(self.lacks_gap, self.lacks_radius)

    def error(self, min_radius: float, clearance: float) -> PathError:
        """Return the error that says where which limit is broken."""
        if self.lacks_radius > self.lacks_gap:
            x, y = self.radius_at
            text = f"turns with a radius of {self.radius:.4g} m near ({x:.4g}, {y:.4g})"
            place = self.radius_at
        else:
            x, y = self.gap_at
            near = f"comes within {self.gap:.4g} m of" if self.gap > 0 else f"leads {-self.gap:.4g} m into"
            text = f"{near} an obstacle or border near ({x:.4g}, {y:.4g})"
            place = self.gap_at
        return PathError(
            f"no path along the route keeps a radius of {min_radius:g} m and a clearance of {clearance:g} m: "
            f"the best one {text}",
            place,
        )


def judge(spline: BetaSpline, space: Space, clearance: float, min_radius: float) -> PathVerdict:
    """Return the verdict on a curve. Distances far beyond the clearance are taken as infinite."""
    gap, gap_at = _least_gap(space, spline, clearance)
    tightest, tight_at = _tightest(spline)
    return PathVerdict(
        spline,
        gap,
        gap_at,
        1 / tightest if tightest > 0 else np.inf,
        tight_at,
        float(clearance - gap) / max(clearance, 1e-3),
        tightest * min_radius - 1 if np.isfinite(tightest) else np.inf,
    )


def fastest_bend(spline: BetaSpline) -> tuple[float, Point]:
    """Return how fast the curvature changes at most, in rad/m², and where; it may change otherwise from piece to piece."""
    piece, u = (
        np.repeat(np.arange(len(spline)), RATE_PARTS + 1),
        np.tile(np.arange(RATE_PARTS + 1) / RATE_PARTS, len(spline)),
    )
    rates, bends = spline.rates(piece, u), spline.bends(piece, u)
    changes = 6.0 * spline.pieces[piece, 3]
    speed = np.maximum(hypot(*rates.T), 1e-300)
    along = rates[:, 0] * bends[:, 0] + rates[:, 1] * bends[:, 1]
    cross = rates[:, 0] * bends[:, 1] - rates[:, 1] * bends[:, 0]
    onward = rates[:, 0] * changes[:, 1] - rates[:, 1] * changes[:, 0]
    square = speed * speed
    found = np.abs(onward - 3.0 * cross * along / square) / (square * square)
    most = int(found.argmax())
    return float(found[most]), Point(*spline.places(piece[most : most + 1], u[most : most + 1])[0].tolist())


def too_sharp(spline: BetaSpline, min_radius: float, clearance: float, rate: float) -> PathError:
    """Return the error that says where the curvature of the best curve changes too fast."""
    found, place = fastest_bend(spline)
    return PathError(
        f"no path along the route keeps a radius of {min_radius:g} m, a clearance of {clearance:g} m and a rate "
        f"of curvature of {rate:g} rad/m²: the best one has {found:.4g} rad/m² near ({place.x:.4g}, {place.y:.4g})",
        place,
    )


def _tightest(spline: BetaSpline) -> tuple[float, Point]:
    """Return the largest curvature, and where; infinite where the curve turns on the spot."""
    piece, u = spline.even(RATE_PARTS)
    rates = spline.rates(piece, u)
    curvatures = np.abs(curvatures_of(rates, spline.bends(piece, u)))
    speeds = hypot(rates[:, 0], rates[:, 1])
    curvatures[speeds <= STILL_SHARE * speeds.max()] = np.inf
    turns_back = rates[:-1, 0] * rates[1:, 0] + rates[:-1, 1] * rates[1:, 1] < 0
    curvatures[:-1][turns_back] = np.inf
    most = int(curvatures.argmax())
    return float(curvatures[most]), Point(
        *spline.places(piece[most : most + 1], u[most : most + 1])[0].tolist()
    )


def _least_gap(space: Space, spline: BetaSpline, clearance: float) -> tuple[float, Point]:
    """Return how far the curve is from obstacles and borders at least, and where.

    The pieces whose straight ways are far enough as a whole are done; the others are looked at in parts.
    """
    every = np.arange(len(spline))
    gaps = _gaps(space, spline, every, np.zeros(len(spline)), 1.0, clearance)
    near = np.flatnonzero(gaps <= clearance * 1.01 + 1e-6)
    least = int(gaps.argmin())
    if not len(near):
        return float(gaps[least]), Point(*spline.places(every, np.full(len(spline), 0.5))[least].tolist())
    piece, u = np.repeat(near, RATE_PARTS), np.tile(np.arange(RATE_PARTS) / RATE_PARTS, len(near))
    gaps = _gaps(space, spline, piece, u, 1 / RATE_PARTS, clearance)
    least = int(gaps.argmin())
    return float(gaps[least]), Point(*spline.places(piece, u)[least].tolist())


def _gaps(
    space: Space, spline: BetaSpline, piece: NDArray[np.int64], u: Numbers, width: float, clearance: float
) -> Numbers:
    """Return for parts of a curve, each so wide in u, a distance from obstacles that they surely keep."""
    bend = np.maximum(hypot(*spline.bends(piece, u).T), hypot(*spline.bends(piece, u + width).T))
    strays = bend * width * width / 8
    starts, ends = spline.places(piece, u), spline.places(piece, u + width)
    gaps = space.clearances_within(starts, ends, 2 * clearance + float(strays.max()))
    kept: Numbers = gaps - strays
    return kept
