"""How does a robot on two wheels follow a velocity in any direction?

Its middle cannot go sideways at once, but a place ahead of it can: while the robot drives at v and turns at w, the place `offset` metres
ahead moves at v along the heading and at w * offset across it. So a rule for discs decides for that effective centre, and its
velocity is driven exactly at the instant of the decision. The disc around it that covers the robot has the radius of the robot and
the offset. Until the next decision the centre moves along an arc, not straight: by about half the product of velocity, turning speed
and the square of the time it is beside.

Source: Snape, van den Berg, Guy and Manocha, Smooth and Collision-Free Navigation for Multiple Robots under
Differential-Drive Constraints (2010).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kumi.geometry import Point
from kumi.geometry.points import as_size
from kumi.maths import cos, sin
from kumi.planning.type_checks import as_row
from kumi.planning.velocity_rules import Numbers, as_pairs


@dataclass(frozen=True)
class EffectiveCentre:
    """A place so many metres ahead of the middle between two wheels."""

    offset: float

    def __post_init__(self) -> None:
        as_size(self.offset, "the offset of an effective centre")

    def top_speed(self, speed: float, turn_speed: float) -> float:
        """Return how fast the centre can go in every direction: no faster than either of the two."""
        return min(as_size(speed, "a speed"), as_size(turn_speed, "a turning speed") * self.offset)

    def place(self, position: Point, heading: float) -> Point:
        """Return where the centre is."""
        return position + Point.polar(self.offset, heading)

    def wheels(self, heading: float, velocity: Point) -> tuple[float, float]:
        """Return the speed and the turning speed that move the centre at a velocity."""
        ahead, left = cos(heading), sin(heading)
        return (
            velocity.x * ahead + velocity.y * left,
            (velocity.y * ahead - velocity.x * left) / self.offset,
        )

    def places(self, positions: ArrayLike, headings: ArrayLike) -> Numbers:
        """Return where the centres of many robots are, one row each."""
        turned = as_row(headings, "headings")
        return as_pairs(positions, "positions") + self.offset * np.column_stack([cos(turned), sin(turned)])

    def wheels_of(self, headings: ArrayLike, velocities: ArrayLike) -> tuple[Numbers, Numbers]:
        """Return the speeds and the turning speeds of many robots."""
        turned, moving = as_row(headings, "headings"), as_pairs(velocities, "velocities")
        ahead, left = cos(turned), sin(turned)
        x, y = moving[:, 0], moving[:, 1]
        return x * ahead + y * left, (y * ahead - x * left) / self.offset
