"""Where is a vehicle on its path, where does it look, and how does the path bend there?"""

from __future__ import annotations

from typing import NamedTuple

from kumi.geometry import Point


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
