"""What a sensor tells a program: frozen values, the same from a simulated sensor and from a real one.

Distances are metres, bearings radians from the heading, positive to the left, between -pi and pi.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kumi._core import provide
from kumi.devs.errors import KumiError
from kumi.geometry import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class NoReading(KumiError):
    """A sensor was asked and had no answer this time."""


class Range(msgspec.Struct, frozen=True, gc=False):
    """The distance to the nearest surface; where nothing was hit, the farthest that can be measured."""

    distance: float
    is_hit: bool


provide("Range", Range)  # the core makes it for range finders without errors


class Sighting(msgspec.Struct, frozen=True):
    """Somebody or something that was seen: how far its surface, where its middle, and who.

    `number` is the number of a robot, or None for an obstacle, whose place is its nearest point.
    """

    number: int | None
    name: str
    distance: float
    bearing: float
    position: Point


class Sightings(NamedTuple):
    """What the robots of a team see, as arrays: one entry for each sighting, by robots, for each of them as it says.

    `robots` are the numbers in the team of those who see; `numbers` those of the robots seen, and -1 for an obstacle.
    """

    robots: NDArray[np.int64]
    numbers: NDArray[np.int64]
    distances: NDArray[np.float64]
    bearings: NDArray[np.float64]
    positions: NDArray[np.float64]


class LaserScan(msgspec.Struct, frozen=True, eq=False):
    """Distances all around: one for each bearing, from right to left; inf where nothing was hit.

    Both arrays are read-only.
    """

    bearings: NDArray[np.float64]
    distances: NDArray[np.float64]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LaserScan):
            return NotImplemented
        return _same(self.bearings, other.bearings) and _same(self.distances, other.distances)

    def __hash__(self) -> int:
        return hash((self.bearings.tobytes(), self.distances.tobytes()))


class Picture(msgspec.Struct, frozen=True, eq=False):
    """What a camera saw: rows from top to bottom, in each from left to right, red, green and blue from 0 to 255.

    The array is read-only.
    """

    pixels: NDArray[np.uint8]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Picture):
            return NotImplemented
        return _same(self.pixels, other.pixels)

    def __hash__(self) -> int:
        return hash((self.pixels.shape, self.pixels.tobytes()))


class Counts(msgspec.Struct, frozen=True, gc=False):
    """How far the wheels have turned, in counts of their encoders; forward counts up, back down."""

    left: int
    right: int


class Pressed(msgspec.Struct, frozen=True, gc=False):
    """A bumper or a whisker was touched: when, and where around the body."""

    time: float
    bearing: float


class Low(msgspec.Struct, frozen=True, gc=False):
    """The battery has fallen to the level at which it warns."""

    time: float
    level: float


def _same(one: NDArray[np.generic], other: NDArray[np.generic]) -> bool:
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def as_numbers(reading: object) -> NDArray[np.float64]:
    """Return a reading as an array: the distances of a scan, the distance of a range, a number, numbers in a row."""
    import numpy as np  # Late: most programs read robot by robot.

    if isinstance(reading, LaserScan):
        return reading.distances
    if isinstance(reading, Range):
        return np.array([reading.distance])
    try:
        return np.atleast_1d(np.asarray(reading, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(
            f"a team reads numbers, one row for each robot, but a reading is {type(reading).__name__}; "
            "ask the robots one by one, as in `await team.robots[0].camera.read()`"
        ) from None


def as_sightings(readings: Sequence[Sequence[Sighting]]) -> Sightings:
    """Return what each robot sees, in the order of the robots."""
    import numpy as np

    seen = list(chain.from_iterable(readings))
    return Sightings(
        np.repeat(np.arange(len(readings)), [len(reading) for reading in readings]),
        np.array([-1 if one.number is None else one.number for one in seen], np.int64),
        np.array([one.distance for one in seen], np.float64),
        np.array([one.bearing for one in seen], np.float64),
        np.array([tuple(one.position) for one in seen], np.float64).reshape(-1, 2),
    )
