"""Which part of the plane does a picture show, and where in the picture is it?

A finite plane is shown as a whole. Of an infinite one that part is shown where the robots are. Around it
there are margins with room for words.
"""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING

import msgspec

from kumi.geometry import Bounds
from kumi.recording.painting import Dot
from kumi.recording.scenery import Scenery

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kumi.geometry import Point
    from kumi.recording.latest import BodyState

# Sizes in pixels of a picture of 720 rows; larger pictures have larger letters.
ROWS = 720
SIDE, STRIP, LETTERS, LARGE_LETTERS = 20.0, 44.0, 16.0, 20.0


class Viewport(msgspec.Struct, frozen=True):
    """Which part of the plane is shown, and how large. Pixels are counted from the upper left corner."""

    size: tuple[int, int]
    window: Bounds
    scale: float
    left: float
    top: float

    @property
    def unit(self) -> float:
        """Return how much larger than usual letters and margins are."""
        return unit_of(self.size)

    def dot(self, x: float, y: float) -> Dot:
        """Return where a place is in the picture."""
        return self.left + (x - self.window.left) * self.scale, self.top + (self.window.top - y) * self.scale

    def dots(self, places: Sequence[Point]) -> list[Dot]:
        """Return where many places are in the picture."""
        left, top, scale = self.left, self.top, self.scale
        x0, y0 = self.window.left, self.window.top
        return [(left + (x - x0) * scale, top + (y0 - y) * scale) for x, y in places]


def unit_of(size: tuple[int, int]) -> float:
    """Return how much larger than usual the letters and margins of a picture are."""
    return max(min(*size) / ROWS, 0.6)


def view_of(window: Bounds, size: tuple[int, int], *, fills: bool = False) -> Viewport:
    """Put a part of the plane into the middle of a picture, as large as it can be.

    A window that `fills` the picture is widened to its proportions.
    """
    width, height = window.right - window.left, window.top - window.bottom
    unit = unit_of(size)
    room_x, room_y = max(size[0] - 2 * SIDE * unit, 1.0), max(size[1] - 2 * STRIP * unit, 1.0)
    scale = min(room_x / width, room_y / height)
    if fills:
        x, y = (window.left + window.right) / 2, (window.bottom + window.top) / 2
        width, height = room_x / scale, room_y / scale
        window = Bounds(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return Viewport(size, window, scale, (size[0] - width * scale) / 2, (size[1] - height * scale) / 2)


def window_around(states: Sequence[BodyState], scenery: Scenery) -> Bounds:
    """Return the part of the plane to show: all of a finite one, or where the robots are, with some room."""
    if scenery.bounds:
        return scenery.bounds
    boxes = [around(state) for state in states] or [Bounds(-1.0, -1.0, 1.0, 1.0)]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    left, bottom, right, top = min(lefts), min(bottoms), max(rights), max(tops)
    # A robot alone still has some ground around it.
    room = max(0.05 * max(right - left, top - bottom), 2.0 * max(box.right - box.left for box in boxes))
    return Bounds(left - room, bottom - room, right + room, top + room)


def joined(one: Bounds, other: Bounds) -> Bounds:
    """Return the least window that shows two."""
    return Bounds(
        min(one.left, other.left),
        min(one.bottom, other.bottom),
        max(one.right, other.right),
        max(one.top, other.top),
    )


def around(state: BodyState) -> Bounds:
    """Return a box around a body."""
    (x, y), reach = state.pose.position, state.shape.reach
    return Bounds(x - reach, y - reach, x + reach, y + reach)


def scale_step(view: Viewport) -> float:
    """Return a round length that is at least an eighth of the picture's shorter side."""
    return next(step for step in round_lengths() if step * view.scale >= min(view.size) / 8)


def round_lengths() -> Iterator[float]:
    """Give 1, 2 and 5 with all powers of ten, from the smallest."""
    for power in range(-12, 13):
        for factor in (1, 2, 5):
            yield float(f"{factor}e{power}")


def multiples(step: float, first: float, last: float) -> list[float]:
    """Return all multiples of a step between two numbers."""
    return [k * step for k in range(ceil(first / step), floor(last / step) + 1)]


def length(metres: float) -> str:
    """Write a length with the unit that suits it."""
    for unit, size in (("km", 1e3), ("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)):
        if metres >= size:
            return f"{metres / size:g} {unit}"
    return f"{metres / 1e-6:g} µm"
