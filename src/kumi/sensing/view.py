"""Who is in sight?

A robot is in range where its surface is within `reach` of this body's centre, and in the field of view where
its own centre is. With occlusion it is hidden when something that stops light stands on the line between the two centres.
"""

from __future__ import annotations

from math import inf, tau

from kumi._core import Point
from kumi.contract.readings import Sighting
from kumi.geometry.points import as_angle, as_size
from kumi.sensing.angles import as_view, is_within, off
from kumi.sensing.asked import AskedSensor
from kumi.sensing.noise import EXACT, Noise, as_noise, as_share
from kumi.sensing.surroundings import distance_to
from kumi.teaching import taught
from kumi.world import SimulatedBody


class View(AskedSensor[tuple[Sighting, ...]]):
    """Tells which robots are in sight, the nearest first; `noise` errs in distance, `bearing_noise` in direction."""

    @taught
    def __init__(
        self,
        reach: float = inf,
        *,
        view: float = tau,
        bearing: float = 0.0,
        occlusion: bool = True,
        noise: Noise | float = EXACT,
        bearing_noise: Noise | float = EXACT,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.reach = as_reach(reach)
        self.view = as_view(view)
        self.bearing = as_angle(bearing, "a bearing")
        self.occlusion = occlusion
        self.noise = as_noise(noise)
        self.bearing_noise = as_noise(bearing_noise, "bearing_noise")
        self.dropout = as_share(dropout, "a dropout")

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    def measure(self) -> tuple[Sighting, ...]:
        """Return who is in sight."""
        seen = [
            self._sighting(other)
            for other in self.world.near(self.body.position, self.reach)
            if self._sees(other)
        ]
        return tuple(sorted(seen, key=lambda sighting: sighting.distance))

    def _sees(self, other: SimulatedBody) -> bool:
        if other is self.body:
            return False
        step = other.position - self.body.position
        is_apart = abs(step) > 0.0
        if is_apart and not is_within(step.direction, self.body.heading + self.bearing, self.view):
            return False
        if is_apart and self.occlusion and self._is_hidden(other, step):
            return False
        return not (self.dropout and self.chance.happens(self.dropout))

    def _is_hidden(self, other: SimulatedBody, step: Point) -> bool:
        hit = self.world.first_hit(self.body.position, step.direction, abs(step), ignoring=self.body)
        return hit is not None and hit.what is not other

    def _sighting(self, other: SimulatedBody) -> Sighting:
        chance, heading, here = self.chance, self.body.heading, self.body.position
        step = other.position - here
        true_distance, true_bearing = distance_to(here, other), off(step.direction, heading)
        distance = max(0.0, self.noise(true_distance, chance))
        bearing = off(self.bearing_noise(true_bearing, chance), 0.0)
        if distance == true_distance and bearing == true_bearing:
            return Sighting(other.number, other.name, distance, bearing, other.position)
        away = abs(step) + distance - true_distance
        place = here + Point.polar(max(0.0, away), heading + bearing)
        return Sighting(other.number, other.name, distance, bearing, place)


def as_reach(value: float) -> float:
    """Return a distance above 0, which may be inf."""
    if value == inf:
        return inf
    return as_size(value, "a reach")
