"""How does a robot use what the station knows better about where it is?

Its body goes on reckoning as before, and so do its reports; between the body's plane and the station's lies a turn and a shift,
which the last correction tells. Goals are taken from the station's plane to the body's, and places back. So a correction never
counts twice, and a body that cannot be told where it is needs not be.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.geometry import Point
from kumi.station.records import PoseRecord

ORIGIN = Point(0.0, 0.0)


@dataclass(frozen=True)
class Correction:
    """A turn around the origin, and then a shift."""

    turn: float = 0.0
    shift: Point = ORIGIN

    @classmethod
    def from_poses(cls, believed: PoseRecord, corrected: PoseRecord) -> Correction:
        """Return what takes a pose of the body to the same pose as the station knows it."""
        turn = corrected.heading - believed.heading
        shift = Point(corrected.x, corrected.y) - Point(believed.x, believed.y).turned(turn)
        return cls(turn, shift)

    def to_station(self, place: Point) -> Point:
        """Return a place of the body's plane in the station's."""
        return place.turned(self.turn) + self.shift

    def to_body(self, place: Point) -> Point:
        """Return a place of the station's plane in the body's."""
        return (place - self.shift).turned(-self.turn)
