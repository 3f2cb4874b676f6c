"""How far is it to what is ahead, or all around?

A range finder sits on the body's surface, in the direction of its bearing, and looks that way. With a field
of view it finds the nearest point within a cone, otherwise what a single beam meets. What is nearer than it
can measure reads as the least it can; where nothing is in reach, the reading is the reach, and no hit.

All beams of a lidar leave the body's centre at one instant: a scan takes no time, and the answer comes after the
latency. The first beam is that of the right edge of the field of view, the last that of the left edge; all
around there is no edge, and the beams are spread evenly from straight back.

What a beam of light or sound does at an obstacle, the obstacle's material says: it goes on, comes back, or is
swallowed. Glass does not stop light, and from what is dark none comes back.
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from math import pi, radians, tau
from operator import index
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

import numpy as np

from kumi import _core
from kumi._core import PlaneBody, Point
from kumi.contract.readings import LaserScan, Range
from kumi.geometry import Pose
from kumi.geometry.points import as_angle, as_size
from kumi.sensing.noise import EXACT, Exact, Noise, as_noise, as_share, in_core, misread, not_negative
from kumi.sensing.sensor import AskedSensor
from kumi.sensing.surroundings import as_view
from kumi.teaching import taught
from kumi.world import Modality, SimulatedBody
from kumi.world.world import RAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kumi.contract.readings import Sightings

LIGHT = RAYS[Modality.LIGHT]

Steps = TypeVar("Steps", float, "NDArray[np.float64]")


class RangeFinder(AskedSensor[Range]):
    """Measures the distance to the nearest surface in its cone, up to its reach, by light.

    `offset` is where it sits, in metres from the body's centre along the bearing; on the surface where none
    is given. `resolution` rounds: with 0.01 readings are whole centimetres. A dropout reads as no hit.
    What is not given is as the class says.
    """

    modality: ClassVar[Modality] = Modality.LIGHT
    reach: float = 1.0
    min_reach: float = 0.0
    view: float = 0.0
    resolution: float = 0.0

    @taught
    def __init__(
        self,
        bearing: float = 0.0,
        *,
        reach: float | None = None,
        min_reach: float | None = None,
        view: float | None = None,
        resolution: float | None = None,
        offset: float | None = None,
        noise: Noise | float = EXACT,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.bearing = as_angle(bearing, "a bearing")
        kind = type(self)
        self.reach = as_size(kind.reach if reach is None else reach, "a reach")
        self.min_reach = not_negative(kind.min_reach if min_reach is None else min_reach, "a min_reach")
        if self.min_reach >= self.reach:
            raise ValueError(f"a min_reach is less than the reach, {self.reach!r} m, not {self.min_reach!r}")
        self.view = not_negative(kind.view if view is None else view, "a field of view")
        if self.view >= pi:
            raise ValueError(f"the cone of a range finder is narrower than pi radians, not {self.view!r}")
        self.resolution = not_negative(kind.resolution if resolution is None else resolution, "a resolution")
        self.offset = None if offset is None else not_negative(offset, "an offset")
        self.noise = as_noise(noise)
        self.dropout = as_share(dropout, "a dropout")

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    _eye: _core.Eye | None = None
    _is_plain = False

    def __setattr__(self, name: str, value: object) -> None:
        """Take another value, and look with it from now on."""
        super().__setattr__(name, value)
        if not name.startswith("_"):
            self._eye = None

    def read(self) -> Awaitable[Range]:
        """Ask, and wait for the answer."""
        eye = self._eye or self._opened()
        return eye.look() if self._is_plain else super().read()

    def _opened(self) -> _core.Eye:
        """Return what measures in the core, where each reading is made that has no error and comes at once."""
        mine, plain = type(self), RangeFinder
        self._is_plain = (
            isinstance(self.noise, Exact)
            and not (self.dropout or self.latency or self.period is not None)
            and (mine.measure, mine.nearest) == (plain.measure, plain.nearest)
        )
        self._eye = _core.Eye(
            self.body,
            partial(place_on, self.body, self.bearing, self.offset),
            self.bearing,
            self.view,
            self.reach,
            self.min_reach,
            self.resolution,
            *RAYS[self.modality],
            self.noted,
        )
        return self._eye

    @property
    def mount(self) -> Pose:
        """Where it sits and looks, from the place and heading of its body."""
        return Pose(Point.polar(place_on(self.body, self.bearing, self.offset), self.bearing), self.bearing)

    def measure(self) -> Range:
        """Return the distance to the nearest surface."""
        distance = self.nearest()
        if distance is None or (self.dropout and self.chance.happens(self.dropout)):
            return Range(self.reach, False)
        read = self.noise(distance, self.chance)
        read = self.min_reach if read < self.min_reach else min(read, self.reach)
        return Range(
            on_grid(round(read / self.resolution), self.resolution) if self.resolution else read, True
        )

    @property
    def met(self) -> PlaneBody | None:
        """The body that the last beam met, for those who measure: no robot knows it. None for anything else."""
        return None if self._eye is None else self._eye.met

    def nearest(self) -> float | None:
        """Return the true distance, or None where nothing is in reach."""
        return (self._eye or self._opened()).nearest()

    def unread(self, robots: int) -> NDArray[np.float64]:
        """Return a column of NaN."""
        return np.full((robots, 1), np.nan)

    @classmethod
    def measure_together(cls, sensors: Sequence[Self]) -> NDArray[np.float64] | Sightings:
        """Return the readings of all in one call of the core, as a column."""
        one, noise = sensors[0], in_core(sensors[0].noise)
        if noise is None or cls.measure is not RangeFinder.measure or cls.nearest is not RangeFinder.nearest:
            return super().measure_together(sensors)
        bodies, found = [sensor.body for sensor in sensors], np.empty((len(sensors), 1))
        world = one.world
        offset = -1.0 if one.offset is None else one.offset
        rays = RAYS[one.modality]
        world.range_together(bodies, one.bearing, offset, one.view, one.reach, *rays, found)
        world.misread_together(bodies, *noise, one.dropout, one.min_reach, one.reach, found)
        is_hit = found <= one.reach
        found[is_hit] = rounded_all(found[is_hit], one.resolution)
        found[~is_hit] = one.reach
        return found


class Infrared(RangeFinder):
    """Measures the distance along a narrow beam of light, in whole centimetres from 10 to 80."""

    reach = 0.8
    min_reach = 0.1
    resolution = 0.01


class Ultrasonic(RangeFinder):
    """Measures the distance to the nearest surface in a cone of sound, from 0.1 m to 3 m."""

    modality = Modality.SOUND
    reach = 3.0
    min_reach = 0.1
    view = radians(30.0)


def place_on(body: SimulatedBody, bearing: float, offset: float | None) -> float:
    """Return how far from the body's centre a sensor sits: at the offset, or else on the surface."""
    if offset is not None:
        return offset
    shape = body.shape.core
    if shape.kind == "disc":
        return shape.reach
    far = Point.polar(2.0 * shape.reach, bearing)
    back = -far / abs(far)
    return abs(far) - _core.ray_hit(shape, 0.0, 0.0, 0.0, far.x, far.y, back.x, back.y)


def rounded(value: float, resolution: float) -> float:
    """Return the nearest whole multiple of a resolution; 0 rounds nothing.

    Whole parts of a metre are divided, not multiplied: 57 hundredths are 0.57, and 57 * 0.01 is not.
    """
    if resolution == 0.0:
        return value
    return on_grid(round(value / resolution), resolution)


def rounded_all(values: NDArray[np.float64], resolution: float) -> NDArray[np.float64]:
    """Return the same of many."""
    return on_grid(np.rint(values / resolution), resolution) if resolution else values


def on_grid(steps: Steps, resolution: float) -> Steps:
    """Return so many steps of a resolution."""
    parts = round(1.0 / resolution)
    return steps / parts if abs(parts * resolution - 1.0) < 1e-12 else steps * resolution


class Lidar(AskedSensor[LaserScan]):
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
        step = self.view / (self.rays if whole else max(1, self.rays - 1))
        self._first = self.bearing - (self.view / 2 if self.rays > 1 or whole else 0.0)
        self._turns = step * np.arange(self.rays, dtype=np.float64)
        self._bearings = self._first + self._turns
        self._bearings.flags.writeable = False
        self._is_exact = isinstance(self.noise, Exact) and not self.dropout and not self.min_reach

    @property
    def asked_for(self) -> str:
        """The number of rays and the reach."""
        return f"{self.rays} {self.reach:g}"

    def measure(self) -> LaserScan:
        """Return the distances of all rays."""
        body = self.body
        directions = (body.heading + self._first) + self._turns
        found = body.world.echoes(body.position, directions, self.reach, body, True, *LIGHT)
        if not self._is_exact:
            found = misread(found, self.noise, self.dropout, self.min_reach, self.reach, body.chance)
        return LaserScan(self._bearings, np.frombuffer(found, np.float64))

    def unread(self, robots: int) -> NDArray[np.float64]:
        """Return rows of NaN."""
        return np.full((robots, self.rays), np.nan)

    @classmethod
    def measure_together(cls, sensors: Sequence[Self]) -> NDArray[np.float64] | Sightings:
        """Return the distances of all in one call of the core, a row for each."""
        one, noise = sensors[0], in_core(sensors[0].noise)
        if noise is None or cls.measure is not Lidar.measure:
            return super().measure_together(sensors)
        bodies, rows = [sensor.body for sensor in sensors], np.empty((len(sensors), one.rays))
        one.world.scan_together(bodies, one._first, one._turns, one.reach, *LIGHT, rows)
        if not one._is_exact:
            one.world.misread_together(bodies, *noise, one.dropout, one.min_reach, one.reach, rows)
        return rows
