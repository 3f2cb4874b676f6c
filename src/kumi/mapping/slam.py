"""Where is a robot that draws its map as it goes?

A `Slam` takes the scans of one robot as they come. Five hundred particles, each with its own way, its own map and its
own guess of what is wrong with encoder and steering, are weighed by how well their maps foresaw the beams; the work
is done in the core. See docs/decisions/0026-mapping.md for why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kumi._core import Chance, ParticleFilter, Point
from kumi.geometry import Pose
from kumi.mapping.models import PACKET_BEAMS, Beam, FilterSettings, OdometryModel, RangeModel
from kumi.mapping.occupancy import OccupancyMap, mounts, trimmed
from kumi.mapping.scan import MappingError, Scan

PARTICLES = 500
MOST_SCAN_STEP = 10.0
"""Metres from one scan to the next; more is no way but a mistake."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Where a robot believes it is, and how far its particles are from there, as a root mean square in metres."""

    pose: Pose
    spread: float


class SystematicErrors(NamedTuple):
    """What is wrong all the time.

    Ways are longer than read by the share `scale`, the wheel stands `zero` radians more to the left, and for the share
    `lag` of each way as it did before.
    """

    scale: float
    zero: float
    lag: float


NO_ERRORS = SystematicErrors(0.0, 0.0, 0.0)


class Slam:
    """Finds a robot and draws its map, from its start on; the start is known up to `doubt`, metres and radians.

    `errors` is what is known to be wrong with its encoder and its steering; how much may be wrong beside that, the model
    of its odometry says.
    """

    def __init__(
        self,
        chance: Chance,
        start: Pose,
        *,
        ranges: RangeModel | None = None,
        odometry: OdometryModel | None = None,
        beams: Sequence[Beam] = PACKET_BEAMS,
        particles: int = PARTICLES,
        doubt: tuple[float, float] = (0.0, 0.0),
        errors: SystematicErrors = NO_ERRORS,
        settings: FilterSettings | None = None,
    ) -> None:
        if particles < 1:
            raise MappingError(f"a filter has at least one particle, not {particles}")
        self.ranges = ranges or RangeModel()
        self.beams = tuple(beams)
        self._core = ParticleFilter(
            chance,
            particles,
            start.position.x,
            start.position.y,
            start.heading,
            *doubt,
            np.array(errors),
            mounts(beams),
            self.ranges.array(),
            (odometry or OdometryModel()).array(),
            (settings or FilterSettings()).array(),
        )
        self._before: Scan | None = None

    def add(self, scan: Scan) -> Estimate:
        """Take the next scan and return where the robot is."""
        if self._before is not None and scan.time < self._before.time:
            raise MappingError(
                f"scans come in the order of time, but one at {scan.time:g} s follows one at {self._before.time:g} s"
            )
        way = 0.0 if self._before is None else scan.distance - self._before.distance
        if abs(way) > MOST_SCAN_STEP:
            raise MappingError(
                f"from one scan to the next a robot goes at most {MOST_SCAN_STEP:g} m, but this one at {scan.time:g} s says "
                f"{way:g} m; was its encoder reset?"
            )
        self._before = scan
        self._core.step(way, scan.steering, scan.array())
        return self.estimate

    @property
    def estimate(self) -> Estimate:
        """Where the robot is."""
        x, y, heading, spread = self._core.estimate()
        return Estimate(Pose(Point(x, y), heading), spread)

    @property
    def particles(self) -> NDArray[np.float64]:
        """Where the robot may be: x, y, heading and weight of each particle."""
        poses: NDArray[np.float64] = self._core.poses
        return poses

    @property
    def map(self) -> OccupancyMap:
        """The map of the particle that foresaw the readings best."""
        return trimmed(*self._core.evidence(), self.ranges.cell)

    @property
    def errors(self) -> SystematicErrors:
        """What is wrong with encoder and steering, by the particle that foresaw the readings best."""
        return SystematicErrors(*self._core.errors())

    def share(self, others: OccupancyMap) -> None:
        """Let the map of others, in the same frame, count for where this robot is."""
        self._core.share(np.ascontiguousarray(others.evidence, dtype=np.float32), others.column, others.row)
