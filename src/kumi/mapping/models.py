"""How is a mapping robot made, and how do its senses err?

A car with one steered wheel in front: its place is the middle of the rear axle. Beams leave its surface. What its
range finders, its encoder and its steering say is taken to err normally, by the deviations given here; those with
`bias` in their name stay the same for all readings of a robot, the others are drawn anew for each.

The numbers are those of the packet robots, and of the criteria for mapping in docs/mapping.md.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import radians

import numpy as np
from numpy.typing import NDArray

from kumi.mapping.scan import MappingError
from kumi.maths import cos, sin


class _Numbers:
    """What is made of numbers only, for the core."""

    def array(self) -> NDArray[np.float64]:
        """Return the numbers in the order of the fields."""
        return np.array([getattr(self, field.name) for field in fields(self)], dtype=np.float64)  # type: ignore[arg-type]  # each heir is a dataclass

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # each heir is a dataclass
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and np.isfinite(value) and value >= 0.0):
                raise MappingError(f"{field.name} is a finite number of at least 0, not {value!r}")
        for rule, holds in self.rules().items():
            if not holds:
                raise MappingError(rule)

    def rules(self) -> dict[str, bool]:
        """Return what is asked of the numbers beside being some, and whether it holds."""
        return {}


@dataclass(frozen=True, slots=True)
class Beam:
    """A range finder: its place ahead and to the left of the robot's own, in metres, and its bearing."""

    x: float
    y: float
    bearing: float


@dataclass(frozen=True)
class RangeModel(_Numbers):
    """How range finders err, and what a reading weighs on a map of cells; evidence is in nats."""

    cell: float = 0.05
    reach: float = 0.8
    min_reach: float = 0.1
    deviation: float = 0.01
    share: float = 0.02
    hit: float = 2.0
    miss: float = 0.6
    most: float = 6.0
    prior: float = 0.06
    stray: float = 0.05

    def rules(self) -> dict[str, bool]:
        """Return what is asked of the numbers, and whether it holds."""
        return {
            f"cell is greater than 0, not {self.cell}": self.cell > 0.0,
            f"reach is greater than min_reach, {self.min_reach} m, not {self.reach}": self.reach
            > self.min_reach,
            f"reach is at most 10,000 cells of {self.cell} m, not {self.reach} m": self.reach
            <= 1e4 * self.cell,
            f"deviation is greater than 0, not {self.deviation}": self.deviation > 0.0,
            f"most is greater than 0 and at most 60 nats, not {self.most}": 0.0 < self.most <= 60.0,
            f"prior is between 0 and 1, not {self.prior}": 0.0 < self.prior < 1.0,
            f"stray is at most 1, not {self.stray}": self.stray <= 1.0,
        }


@dataclass(frozen=True)
class OdometryModel(_Numbers):
    """How encoder and steering err: shares of the way, and radians.

    `lag` is for how much of the way from one scan to the next the wheel may still stand as it did at the first: an order
    takes time, and so does a servo.
    """

    wheelbase: float = 0.15
    way_noise: float = 0.02
    way_bias: float = 0.02
    steering_noise: float = radians(1.0)
    steering_bias: float = radians(1.0)
    lag: float = 0.1

    def rules(self) -> dict[str, bool]:
        """Return what is asked of the numbers, and whether it holds."""
        return {f"wheelbase is greater than 0, not {self.wheelbase}": self.wheelbase > 0.0}


@dataclass(frozen=True)
class FilterSettings(_Numbers):
    """What the particle filter is told beside the models; see core/mapping/particles.hpp."""

    least_step: float = 0.01
    temper: float = 0.2
    jitter: float = 0.005
    wander: float = 0.05
    shared_most: float = 1.0


def beams_around(distances: dict[float, float]) -> tuple[Beam, ...]:
    """Return beams by their bearings in degrees, each so many metres from the robot's place in that direction."""
    return tuple(
        Beam(way * cos(radians(bearing)), way * sin(radians(bearing)), radians(bearing))
        for bearing, way in distances.items()
    )


FRONT, BACK, SIDE = 0.225, 0.075, 0.1
"""Metres from the middle of the rear axle to the ends and sides of a platform of 20 by 30 cm."""

PACKET_BEAMS = beams_around({0: FRONT, 45: SIDE * 2**0.5, 90: SIDE, 180: BACK, -90: SIDE, -45: SIDE * 2**0.5})
"""The six of the packet robot, in the order of their addresses: front, and round by the left."""
