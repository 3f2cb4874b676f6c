"""What does the world look like from a robot's eye?

A picture is drawn column by column: each column looks in one direction, along which everything upright that a ray meets
fills the rows between its foot and its top. The floor and the sky fill the rest. A depth for each pixel decides what hides
what. All is numpy over whole columns; lines of sight come from outside, as distances.

Lengths are metres. Depth is measured along the middle of the view, so that straight walls look straight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kumi.maths import atan2, cos, exp, sin, tan

Floats = NDArray[np.float64]
Colour = tuple[int, int, int]

SKY = np.array((186, 206, 226), np.float64)
HAZE = np.array((204, 214, 222), np.float64)
TILES = np.array(((150, 144, 132), (130, 124, 112)), np.float64)
TILE = 0.5
"""Metres of a side of a floor tile: motion is seen by them."""
FADES = 12.0
"""Metres after which little more than a third of a colour is left; the rest is haze."""


@dataclass(frozen=True)
class Lens:
    """How directions become pixels: columns and rows, the angle of the whole view, and the height of the eye."""

    width: int
    height: int
    view: float
    eye: float

    @property
    def focal(self) -> float:
        """Pixels from the eye to the picture."""
        return self.width / 2 / float(tan(self.view / 2))

    @property
    def sides(self) -> Floats:
        """How far each column is to the left, for one metre ahead."""
        return (self.width / 2 - 0.5 - np.arange(self.width, dtype=np.float64)) / self.focal

    @property
    def drops(self) -> Floats:
        """How far each row is down, for one metre ahead."""
        return (np.arange(self.height, dtype=np.float64) + 0.5 - self.height / 2) / self.focal


class Canvas:
    """A picture that is being drawn."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self._depths = np.full((lens.height, lens.width), np.inf)
        self._colours = np.empty((lens.height, lens.width, 3))

    def draw_ground(self, x: float, y: float, heading: float) -> None:
        """Fill the picture with sky, and with a floor of tiles, as seen from a place."""
        drops = self.lens.drops
        share = np.clip(-drops / max(float(-drops[0]), 1e-9), 0.0, 1.0)[:, None, None]
        self._colours[:] = HAZE + (SKY - HAZE) * share
        below = drops > 0.0
        ahead = self.lens.eye / drops[below]
        left = ahead[:, None] * self.lens.sides
        across = x + ahead[:, None] * cos(heading) - left * sin(heading)
        along = y + ahead[:, None] * sin(heading) + left * cos(heading)
        parity = (np.floor(across / TILE) + np.floor(along / TILE)).astype(np.int64) & 1
        self._colours[below] = hazed(TILES[parity], ahead[:, None])

    def draw_upright(self, ahead: Floats, top: float, colours: Floats) -> None:
        """Draw what stands on the floor: how far ahead in each column (inf for nothing), how high, and its colours."""
        seen = np.flatnonzero(np.isfinite(ahead))
        if not seen.size:
            return
        depth = np.maximum(ahead[seen], 1e-3)
        drops = self.lens.drops[:, None]
        rows = (drops >= (self.lens.eye - top) / depth) & (drops <= self.lens.eye / depth)
        rows &= depth < self._depths[:, seen]
        row, column = np.nonzero(rows)
        self._depths[row, seen[column]] = depth[column]
        self._colours[row, seen[column]] = hazed(colours[seen], depth)[column]

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture, read-only."""
        done = np.clip(np.rint(self._colours), 0, 255).astype(np.uint8)
        done.flags.writeable = False
        return done


def hazed(colours: Floats, depth: Floats) -> Floats:
    """Return colours as they look from afar: the farther, the more haze."""
    share = exp(-depth / FADES)[..., None]
    return HAZE + (colours - HAZE) * share


def faces(distances: Floats, directions: Floats) -> Floats:
    """Return how light each spot of a surface is, from 0.7 to 1: sides of a wall that look elsewhere differ.

    Which way a surface looks is told by the spots that neighbouring rays meet.
    """
    known = np.where(np.isfinite(distances), distances, 0.0)
    x, y = known * cos(directions), known * sin(directions)
    slope: Floats = atan2(np.gradient(y), np.gradient(x))
    lightness: Floats = 0.85 + 0.15 * cos(2.0 * slope)
    return lightness


def cylinder(lens: Lens, ahead: float, left: float, radius: float) -> Floats:
    """Return the depth of an upright cylinder in each column; inf where it is not seen.

    A column goes through the points t · (1, side); the first one at the radius from the axis is the nearer root of a
    quadratic. A cylinder around the eye, or behind it, is not seen.
    """
    sides = lens.sides
    a = 1.0 + sides * sides
    b = ahead + left * sides
    rest = b * b - a * (ahead * ahead + left * left - radius * radius)
    nearer = (b - np.sqrt(np.maximum(rest, 0.0))) / a
    return np.where((rest >= 0.0) & (nearer > 0.0), nearer, np.inf)
