"""Where does a vehicle go, whatever its speed?

A path is a curve, sampled into postures: place, heading, curvature and the way covered so far. The columns
are numpy arrays that cannot be written to. Headings are continuous along the path, so they may go beyond a
full turn; curvature is in radians per metre, above 0 to the left. The way `s` grows from 0 to the length; two
postures with the same `s` are a jump of the curvature.

Any family of curves makes a path: the β-spline of `beta_spline`, the lines, arcs and clothoids of `clothoids`, or
columns of one's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Point
from kumi.geometry.points import as_number, as_real, as_several
from kumi.maths import hypot, interp
from kumi.planning.type_checks import as_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Numbers = NDArray[np.float64]

MOST_POSTURES = 10_000_000

LONGER = 1.001
"""By so much the straight way between postures may be longer than that of s, by rounding."""


@dataclass(frozen=True, eq=False)
class Path:
    """Postures along a curve; the first has s = 0, and s never shrinks from one to the next.

    `cost_of_bound` tells by how many metres `fit_path` made it longer to keep a bound on the rate of curvature.
    """

    x: Numbers
    y: Numbers
    heading: Numbers
    curvature: Numbers
    s: Numbers
    cost_of_bound: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "heading", "curvature", "s"):
            column = as_row(getattr(self, name), f"the column {name} of a path")
            column.setflags(write=False)
            object.__setattr__(self, name, column)
        _check(self)

    @staticmethod
    def of(postures: Iterable[Posture | tuple[float, float, float, float, float]]) -> Path:
        """Return the path of postures in the order of s."""
        rows = [
            as_several(posture, "the numbers of a posture") for posture in as_several(postures, "postures")
        ]
        if any(len(row) != 5 for row in rows):
            raise ValueError("a posture is five numbers: x, y, heading, curvature and s")
        columns = as_row(rows, "the numbers of postures").reshape(-1, 5).T
        return Path(*columns)

    @property
    def length(self) -> float:
        """The length of the whole curve, in metres."""
        return float(self.s[-1])

    @property
    def postures(self) -> tuple[Posture, ...]:
        """All postures as values."""
        columns = (self.x, self.y, self.heading, self.curvature, self.s)
        return tuple(Posture(*row) for row in zip(*(column.tolist() for column in columns), strict=True))

    @property
    def points(self) -> Numbers:
        """The places alone, one row each."""
        return np.column_stack([self.x, self.y])

    def at(self, s: float) -> Posture:
        """Return the posture at a way between 0 and the length, on the straight line between its neighbours."""
        if not 0 <= as_number(s, "a place on a path") <= self.length:
            raise ValueError(f"a place on the path lies from s = 0 to {self.length:g}, not at {s!r}")
        x, y, heading, curvature = (
            float(interp(s, self.s, column)) for column in (self.x, self.y, self.heading, self.curvature)
        )
        return Posture(x, y, heading, curvature, float(s))

    def __len__(self) -> int:
        return len(self.s)

    def __iter__(self) -> Iterator[Posture]:
        return iter(self.postures)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Path):
            return NotImplemented
        names = ("x", "y", "heading", "curvature", "s")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash((self.s.tobytes(), self.x.tobytes(), self.y.tobytes()))

    def __repr__(self) -> str:
        return f"Path({len(self)} postures, {self.length:g} m)"


def even_ways(length: float, spacing: float | None = None) -> Numbers:
    """Return even ways along a curve, no farther apart than a spacing; without one they are 1,001."""
    if spacing is not None and not 0 < as_real(spacing, "the spacing of postures") < inf:
        raise ValueError(f"the spacing of postures is a finite number of metres > 0, not {spacing!r}")
    if spacing is not None and length > MOST_POSTURES * spacing:
        raise ValueError(
            f"{length:g} m with a posture each {spacing:g} m are more than {MOST_POSTURES:,} postures"
        )
    steps = 1000 if spacing is None else max(1, ceil(length / spacing - 1e-9))
    return np.linspace(0.0, length, steps + 1)


def _check(path: Path) -> None:
    columns = (path.x, path.y, path.heading, path.curvature, path.s)
    if any(column.ndim != 1 or len(column) != len(path.s) for column in columns):
        raise ValueError("the columns of a path are one row of numbers each, all of one length")
    if len(path.s) < 2:
        raise ValueError(f"a path has at least two postures, not {len(path.s)}")
    if not all(np.isfinite(column).all() for column in columns):
        raise ValueError("the postures of a path are finite numbers")
    if path.s[0] != 0 or not (np.diff(path.s) >= 0).all() or path.s[-1] == 0:
        raise ValueError("the way along a path begins at s = 0, grows to its length, and never shrinks")
    chords = hypot(np.diff(path.x), np.diff(path.y))
    if (chords > np.diff(path.s) * LONGER + 1e-9 * path.s[-1]).any():
        raise ValueError("s is the way along a path: it grows by no less than postures are apart")


class Posture(NamedTuple):
    """A place on a path, in metres; where the path leads there, in radians; and how it bends, in rad/m."""

    x: float
    y: float
    heading: float
    curvature: float
    s: float

    @property
    def position(self) -> Point:
        """The place alone."""
        return Point(self.x, self.y)
