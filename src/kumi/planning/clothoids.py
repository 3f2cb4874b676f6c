"""Where is a curve whose curvature changes evenly along each of its pieces?

A straight line has no curvature, an arc an even one, and along a clothoid it grows or shrinks evenly with the way.
So a piece is three numbers: its length, and its curvature where it begins and where it ends. Where the next piece begins
with another curvature than the one before it ended with, the curvature jumps; heading and place never do.

The heading is a polynomial of the way. The place is an integral over its cosine and sine, by twelve Gauss points: exact to
rounding in a piece that turns by no more than a full turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import ceil, inf, pi
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kumi.maths import cos, sin
from kumi.planning.beta_spline import GAUSS
from kumi.planning.paths import Numbers, Path, even_ways

if TYPE_CHECKING:
    from kumi.planning.space import Space

SAME_PLACE = 1e-9
"""The share of the length within which two places on a curve are one."""

CHECKED_TURN = 0.25
"""By how many radians a part of a curve turns at most when its clearance is looked at first."""

SPLIT = 4
ROUNDS = 8
"""Into how many parts one is cut that is neither surely free nor surely not, and how often."""


class CurvePiece(NamedTuple):
    """A part of a curve, so many metres long; its curvature changes evenly, in rad/m and above 0 to the left."""

    length: float
    first: float
    last: float

    @property
    def sharpest(self) -> float:
        """The largest curvature, to either side."""
        return max(abs(self.first), abs(self.last))

    @property
    def turn(self) -> float:
        """By how much the heading changes, in radians."""
        return self.length * (self.first + self.last) / 2

    def after(self, s: Numbers, heading: float) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Return the way covered along both axes, the heading and the curvature, s metres after the beginning."""
        rate = (self.last - self.first) / self.length
        x, y = np.zeros_like(s), np.zeros_like(s)
        for at, weight in ((side * at, weight) for side in (-1.0, 1.0) for at, weight in GAUSS):
            t = s * ((at + 1) / 2)
            direction = heading + t * (self.first + t * rate / 2)
            x += weight / 2 * s * cos(direction)
            y += weight / 2 * s * sin(direction)
        return x, y, heading + s * (self.first + s * rate / 2), self.first + s * rate


class CurvePlace(NamedTuple):
    """Where a piece begins: metres, radians, and metres along the curve."""

    x: float
    y: float
    heading: float
    s: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Pieces in a row from a place and a heading on, of which none is without length."""

    x: float
    y: float
    heading: float
    pieces: tuple[CurvePiece, ...]

    @property
    def length(self) -> float:
        """The length of the curve in metres."""
        return self.places[-1].s

    @cached_property
    def places(self) -> tuple[CurvePlace, ...]:
        """Where each piece begins, and at last where the curve ends."""
        return tuple(accumulate(self.pieces, _passed, initial=CurvePlace(self.x, self.y, self.heading, 0.0)))

    @property
    def rate(self) -> float:
        """How fast the curvature changes at most, in rad/m²; inf where it jumps, at an end from or to none as well."""
        before = [0.0, *(piece.last for piece in self.pieces)]
        after = [*(piece.first for piece in self.pieces), 0.0]
        if before != after:
            return inf
        return max(abs(piece.last - piece.first) / piece.length for piece in self.pieces)

    @property
    def backwards(self) -> Curve:
        """The same curve from its end to its beginning."""
        x, y, heading, _ = self.places[-1]
        pieces = tuple(CurvePiece(piece.length, -piece.last, -piece.first) for piece in reversed(self.pieces))
        return Curve(x, y, heading + pi, pieces)

    def path(self, spacing: float | None = None) -> Path:
        """Return the postures at even ways, and those where pieces meet, begin and end.

        A jump of the curvature is two postures at one way; so it is at an end of the path, which has no curvature there.
        """
        even = even_ways(self.length, spacing)
        rows = [self._straight(self.places[0])]
        for piece, begin, end in zip(self.pieces, self.places, self.places[1:], strict=False):
            rows.append(self._rows(piece, begin, end, even))
        rows.append(self._straight(self.places[-1]))
        table = np.concatenate(rows, axis=1)
        is_new = np.append(True, (np.diff(table[4]) > 0) | (np.diff(table[3]) != 0))
        return Path(*table[:, is_new])

    def is_clear(self, space: Space, clearance: float) -> bool:
        """Tell whether the curve surely keeps farther than a clearance from all obstacles and borders.

        A part of the curve leaves the straight way between its ends by no more than its curvature times an eighth of
        the square of its length. Where that leaves it open, the part is cut into smaller ones.
        """
        pieces, starts, sizes = self._parts()
        for _ in range(ROUNDS):
            strays = np.array([piece.sharpest for piece in self.pieces])[pieces] * sizes * sizes / 8
            ends = self._points(pieces, starts + sizes)
            limit = 2 * clearance + float(strays.max())
            gaps = space.clearances_within(self._points(pieces, starts), ends, limit)
            if (gaps + strays <= clearance).any():
                return False
            open_ = gaps - strays <= clearance
            if not open_.any():
                return True
            steps = np.arange(SPLIT) / SPLIT
            starts = (starts[open_][:, None] + sizes[open_][:, None] * steps).ravel()
            pieces, sizes = np.repeat(pieces[open_], SPLIT), np.repeat(sizes[open_] / SPLIT, SPLIT)
        return False

    def _parts(self) -> tuple[NDArray[np.int64], Numbers, Numbers]:
        """Return the parts of all pieces: which piece, from where in it, and how long."""
        counts = [ceil(piece.sharpest * piece.length / CHECKED_TURN) or 1 for piece in self.pieces]
        sizes = [piece.length / count for piece, count in zip(self.pieces, counts, strict=True)]
        pieces = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        number = np.concatenate([np.arange(count) for count in counts])
        size: Numbers = np.repeat(sizes, counts)
        return pieces, number * size, size

    def _points(self, pieces: NDArray[np.int64], starts: Numbers) -> Numbers:
        """Return places, each so far from the beginning of its piece."""
        found = np.empty((len(starts), 2))
        for number, (piece, begin) in enumerate(zip(self.pieces, self.places, strict=False)):
            here = pieces == number
            x, y, _, _ = piece.after(starts[here], begin.heading)
            found[here, 0], found[here, 1] = begin.x + x, begin.y + y
        return found

    def _rows(self, piece: CurvePiece, begin: CurvePlace, end: CurvePlace, even: Numbers) -> Numbers:
        """Return the columns of the postures of a piece, those at its ends included."""
        close = SAME_PLACE * self.length
        inner = even[(even > begin.s + close) & (even < end.s - close)]
        x, y, heading, curvature = piece.after(np.append(0.0, inner - begin.s), begin.heading)
        first = np.array([begin.x + x, begin.y + y, heading, curvature, np.append(begin.s, inner)])
        last = np.array([[end.x], [end.y], [end.heading], [piece.last], [end.s]])
        return np.concatenate([first, last], axis=1)

    def _straight(self, at: CurvePlace) -> Numbers:
        return np.array([[at.x], [at.y], [at.heading], [0.0], [at.s]])


def _passed(begin: CurvePlace, piece: CurvePiece) -> CurvePlace:
    """Return where a piece ends."""
    x, y, _, _ = (float(column[0]) for column in piece.after(np.array([piece.length]), begin.heading))
    return CurvePlace(begin.x + x, begin.y + y, begin.heading + piece.turn, begin.s + piece.length)
