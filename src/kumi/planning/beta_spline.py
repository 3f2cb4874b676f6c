"""How does a curve of continuous curvature follow control points?

A cubic β-spline is made of pieces, each of four control points in a row, weighted by polynomials of u from 0
to 1. From one piece to the next heading and curvature are continuous. `bias` b1 > 0 pulls the curve to one
side of the joints, `tension` b2 >= 0 pulls it to the control points; with b1 = 1 and b2 = 0 it is the uniform
cubic B-spline. The weights are never below 0 and add up to 1, so each piece lies in the hull of its points.

Lengths are sums over twelve Gauss points on each half of a piece: exact to far less than a micrometre where
the curve does not stand still, which it does only where control points coincide or fold back.

Barsky, "Computer Graphics and Geometric Modeling Using Beta-splines", 1988.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kumi.geometry.points import as_number, as_size
from kumi.maths import hypot, total
from kumi.planning.type_checks import as_row

Numbers = NDArray[np.float64]

# Places and weights of Gauss and Legendre's rule for twelve places in [-1, 1]: these, and those on the other side of 0.
GAUSS = (
    (0.9815606342467192, 0.04717533638651183),
    (0.9041172563704749, 0.10693932599531843),
    (0.7699026741943047, 0.16007832854334622),
    (0.5873179542866175, 0.20316742672306592),
    (0.3678314989981802, 0.2334925365383548),
    (0.1252334085114689, 0.24914704581340277),
)
HALVES = 2
NEWTON_STEPS = 20
STRONGEST = 1e6
"""No bias and no tension beyond it changes anything that can be seen."""


def coefficients(bias: float, tension: float) -> Numbers:
    """Return the four weights as polynomials: [power of u, control point], so that weights = powers @ these."""
    b1, b2 = as_size(bias, "the bias of a β-spline"), as_number(tension, "the tension of a β-spline")
    if max(b1, b2) > STRONGEST:
        raise ValueError(
            f"bias and tension of a β-spline are numbers up to {STRONGEST:g}, not {b1:g} and {b2:g}"
        )
    if b2 < 0:
        raise ValueError(f"the tension of a β-spline is a finite number >= 0, not {tension!r}")
    cube, square = 2 * b1 * b1 * b1, 2 * b1 * b1
    table = [
        [cube, 2 * square + 4 * b1 + b2, 2.0, 0.0],
        [-3 * cube, 3 * cube - 6 * b1, 6 * b1, 0.0],
        [3 * cube, -3 * cube - 3 * square - 3 * b2, 3 * square + 3 * b2, 0.0],
        [-cube, cube + square + 2 * b1 + 2 * b2, -square - 2 * b1 - 2 * b2 - 2, 2.0],
    ]
    return np.array(table) / (cube + 2 * square + 4 * b1 + b2 + 2)


def curvatures_of(rate: Numbers, bend: Numbers) -> Numbers:
    """Return the curvatures that follow from first and second derivatives; 0 where the first is."""
    speed = hypot(rate[:, 0], rate[:, 1])
    cross = rate[:, 0] * bend[:, 1] - rate[:, 1] * bend[:, 0]
    found: Numbers = np.divide(cross, speed * speed * speed, out=np.zeros(len(rate)), where=speed > 0)
    return found


@dataclass(frozen=True, eq=False)
class BetaSpline:
    """The curve of at least four control points, one row each; it has three pieces fewer than points."""

    control: Numbers
    bias: float = 1.0
    tension: float = 0.0
    pieces: Numbers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        control = as_row(self.control, "the control points of a β-spline")
        if control.ndim != 2 or control.shape[1] != 2 or len(control) < 4 or not np.isfinite(control).all():
            raise ValueError("a β-spline has at least four control points of two finite numbers each")
        rows = np.stack([control[:-3], control[1:-2], control[2:-1], control[3:]], axis=1)
        object.__setattr__(self, "control", control)
        object.__setattr__(
            self, "pieces", total(coefficients(self.bias, self.tension)[:, :, None] * rows[:, None], axis=2)
        )

    def __len__(self) -> int:
        return len(self.pieces)

    def places(self, piece: NDArray[np.int64], u: Numbers) -> Numbers:
        """Return the points of the curve, each in a piece at a u from 0 to 1."""
        a, b, c, d = np.moveaxis(self.pieces[piece], 1, 0)
        t = u[:, None]
        found: Numbers = a + t * (b + t * (c + t * d))
        return found

    def rates(self, piece: NDArray[np.int64], u: Numbers) -> Numbers:
        """Return the first derivatives by u."""
        _, b, c, d = np.moveaxis(self.pieces[piece], 1, 0)
        t = u[:, None]
        found: Numbers = b + t * (2 * c + 3 * t * d)
        return found

    def bends(self, piece: NDArray[np.int64], u: Numbers) -> Numbers:
        """Return the second derivatives by u."""
        _, _, c, d = np.moveaxis(self.pieces[piece], 1, 0)
        found: Numbers = 2 * c + 6 * u[:, None] * d
        return found

    def curvatures(self, piece: NDArray[np.int64], u: Numbers) -> Numbers:
        """Return how the curve bends, in rad/m, above 0 to the left; 0 where it stands still."""
        return curvatures_of(self.rates(piece, u), self.bends(piece, u))

    @cached_property
    def ways(self) -> Numbers:
        """The way from the beginning to the beginning of each piece, and at last the length, in metres."""
        every = np.arange(len(self))
        return np.concatenate([[0.0], np.cumsum(self._up_to(every, np.ones(len(self))))])

    @property
    def length(self) -> float:
        """The length of the curve in metres."""
        return float(self.ways[-1])

    def find(self, s: Numbers) -> tuple[NDArray[np.int64], Numbers]:
        """Return the pieces and the u at which the ways from the beginning are these."""
        piece = np.clip(np.searchsorted(self.ways, s, side="right") - 1, 0, len(self) - 1)
        rest, whole = s - self.ways[piece], np.diff(self.ways)[piece]
        u = np.clip(rest / np.where(whole > 0, whole, 1.0), 0.0, 1.0)
        for _ in range(NEWTON_STEPS):
            rate = self.rates(piece, u)
            speed = hypot(rate[:, 0], rate[:, 1])
            step = (self._up_to(piece, u) - rest) / np.where(speed > 0, speed, np.inf)
            u = np.clip(u - step, 0.0, 1.0)
            if np.abs(step * speed).max(initial=0.0) < 1e-12:
                break
        return piece, u

    def even(self, per_piece: int) -> tuple[NDArray[np.int64], Numbers]:
        """Return all joints, and in each piece so many places at even steps of u, one joint included."""
        piece = np.repeat(np.arange(len(self)), per_piece)
        u = np.tile(np.arange(per_piece) / per_piece, len(self))
        return np.append(piece, len(self) - 1), np.append(u, 1.0)

    def _up_to(self, piece: NDArray[np.int64], u: Numbers) -> Numbers:
        """Return the way from the beginning of a piece to a u in it."""
        (bx, by), (cx, cy), (dx, dy) = np.ascontiguousarray(self.pieces[piece][:, 1:].transpose(1, 2, 0))
        length = np.zeros(len(u))
        width = u / HALVES
        for half in range(HALVES):
            for at, weight in ((side * at, weight) for side in (-1.0, 1.0) for at, weight in GAUSS):
                t = width * (half + (at + 1) / 2)
                length += (
                    weight / 2 * width * hypot(bx + t * (2 * cx + 3 * t * dx), by + t * (2 * cy + 3 * t * dy))
                )
        return length
