"""What does a turning beam see all around?

All beams leave the body's centre at one instant: a scan takes no time, and the answer comes after the
latency. The first beam is that of the right edge of the field of view, the last that of the left edge; all
around there is no edge, and the beams are spread evenly from straight back. Beams are of light: glass does not
stop them, and from what is dark none comes back.
"""

from __future__ import annotations

from math import tau
from operator import index

import numpy as np

from kumi.contract.readings import Scan
from kumi.geometry.points import as_angle, as_size
from kumi.sensing.angles import as_view
from kumi.sensing.asked import AskedSensor
from kumi.sensing.noise import EXACT, Exact, Noise, as_noise, as_share, not_negative
from kumi.teaching import taught


class Lidar(AskedSensor[Scan]):
    """Measures the distances in many directions at once; inf where nothing is in reach."""

    @taught
    def __init__(
        self,
        rays: int = 360,
        *,
        view: float = tau,
        bearing: float = 0.0,
        reach: float = 10.0,
        min_reach: float = 0.0,
        noise: Noise | float = EXACT,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.rays = index(rays)
        if self.rays < 1:
            raise ValueError(f"the rays of a lidar are a whole number >= 1, not {rays!r}")
        self.view = as_view(view)
        self.bearing = as_angle(bearing, "a bearing")
        self.reach = as_size(reach, "a reach")
        self.min_reach = not_negative(min_reach, "a min_reach")
        self.noise = as_noise(noise)
        self.dropout = as_share(dropout, "a dropout")

    def start(self) -> None:
        """Work out the bearings once."""
        whole = self.view >= tau
        self._step = self.view / (self.rays if whole else max(1, self.rays - 1))
        self._first = self.bearing - (self.view / 2 if self.rays > 1 or whole else 0.0)
        self._bearings = self._first + self._step * np.arange(self.rays, dtype=np.float64)
        self._bearings.flags.writeable = False

    @property
    def asked_for(self) -> str:
        """The number of rays and the reach."""
        return f"{self.rays} {self.reach:g}"

    def measure(self) -> Scan:
        """Return the distances of all rays."""
        first = self.body.heading + self._first
        found = self.world.hits(self.body.position, first, self._step, self.rays, self.reach, self.body)
        distances = np.frombuffer(found, np.float64)
        if not isinstance(self.noise, Exact) or self.dropout or self.min_reach:
            distances = np.array([self._read(distance) for distance in distances.tolist()], np.float64)
            distances.flags.writeable = False
        return Scan(self._bearings, distances)

    def _read(self, distance: float) -> float:
        if distance > self.reach or (self.dropout and self.chance.happens(self.dropout)):
            return np.inf
        return min(max(self.noise(distance, self.chance), self.min_reach), self.reach)
