"""Does the floor go on ahead?

A beam goes from the body's edge, at a height, forward and down to the floor. On floor it is as long as
height and tilt say. Over a hole, such as stairs, and beyond the border of the world it finds nothing. A wall
or a robot that stands before the spot makes it shorter; the beam is one of light.
"""

from __future__ import annotations

from math import pi, radians

from kumi._core import Point
from kumi.contract.readings import Range
from kumi.geometry.points import as_angle, as_size
from kumi.maths import cos, sin, tan
from kumi.sensing.noise import EXACT, Noise, as_noise, not_negative
from kumi.sensing.range_finders import place_on, rounded
from kumi.sensing.sensor import AskedSensor
from kumi.teaching import taught


class FloorSensor(AskedSensor[Range]):
    """Measures the distance to the floor ahead; far where there is a hole.

    `tilt` is the angle between the beam and straight down, so the beam meets the floor height * tan(tilt)
    ahead of where the sensor sits: on the body's surface, or at `offset` from its centre.
    """

    @taught
    def __init__(
        self,
        bearing: float = 0.0,
        *,
        height: float = 0.2,
        tilt: float = radians(45.0),
        reach: float = 3.0,
        resolution: float = 0.0,
        offset: float | None = None,
        noise: Noise | float = EXACT,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.bearing = as_angle(bearing, "a bearing")
        self.height = as_size(height, "a height")
        self.tilt = not_negative(tilt, "a tilt")
        if self.tilt >= pi / 2:
            raise ValueError(f"a tilt is an angle from straight down, less than pi / 2 radians, not {tilt!r}")
        self.reach = as_size(reach, "a reach")
        if self.height / cos(self.tilt) > self.reach:
            raise ValueError(
                f"the floor is {self.height / cos(self.tilt):.3g} m away, beyond the reach of {reach!r} m"
            )
        self.resolution = not_negative(resolution, "a resolution")
        self.offset = None if offset is None else not_negative(offset, "an offset")
        self.noise = as_noise(noise)

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    def measure(self) -> Range:
        """Return the length of the beam."""
        distance = self.true_length()
        if distance is None:
            return Range(self.reach, False)
        read = self.noise(distance, self.chance)
        return Range(rounded(min(max(read, 0.0), self.reach), self.resolution), True)

    def true_length(self) -> float | None:
        """Return how long the beam is, or None where it meets nothing."""
        direction = self.body.heading + self.bearing
        eye = self.body.position + Point.polar(place_on(self.body, self.bearing, self.offset), direction)
        ahead = self.height * tan(self.tilt)
        if ahead > 0.0:
            hit = self.world.first_hit(eye, direction, ahead, ignoring=self.body)
            if hit is not None:
                return hit.distance / sin(self.tilt) if hit.echoes() else None
        ground = self.world.ground(eye + Point.polar(ahead, direction))
        return self.height / cos(self.tilt) if ground in {"floor", "slow"} else None
