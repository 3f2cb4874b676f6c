"""What does a robot tell of its way: how far, how steered, and what it saw?

A log is a list of scans in the order of time. The distance counts from the start of the log, forward up and back
down; the steering angle is that under which the robot came here from the scan before. A range is a distance in
metres, infinite where nothing was within reach, or None where there is no reading.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan

import numpy as np
from numpy.typing import NDArray

from kumi.contract.readings import Range


class MappingError(ValueError):
    """A log, a map or a question that has no meaning."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Readings of one instant: seconds, metres so far, steering in radians (left positive), ranges in metres."""

    time: float
    distance: float
    steering: float
    ranges: tuple[float | None, ...]

    def __post_init__(self) -> None:
        for name, value in (("time", self.time), ("distance", self.distance), ("steering", self.steering)):
            if not isfinite(value):
                raise MappingError(f"the {name} of a scan is a finite number, not {value!r}")
        object.__setattr__(self, "ranges", tuple(_range(value) for value in self.ranges))

    def array(self) -> NDArray[np.float64]:
        """Return the ranges as numbers: NaN where there is no reading."""
        return np.array([nan if value is None else value for value in self.ranges])


def _range(value: float | None) -> float | None:
    if value is None:
        return None
    if isnan(value) or value < 0.0:
        raise MappingError(f"a range is a distance of at least 0 m, inf or None, not {value!r}")
    return float(value)


def ranges_of(readings: Iterable[Range]) -> tuple[float, ...]:
    """Return the ranges of a scan from what range finders read."""
    return tuple(reading.distance if reading.is_hit else inf for reading in readings)
