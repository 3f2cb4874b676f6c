"""What may a vehicle do on its way, and what is it told to do there?

Limits belong to the vehicle: its motor, brakes, tyres and steering. Zones, stops and deadlines belong to the
errand. A limit of inf is none. All numbers are in metres, seconds and radians.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf, isfinite, isnan

from kumi.geometry.points import as_number, as_size

LEAST_LIMIT, MOST_LIMIT = 1e-6, 1e6
"""Between these lie all limits that are not infinite, so that no number of a profile loses its meaning."""


class Impossible(ValueError):
    """No speed along the path keeps all that was asked for; the sentence says where and why."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How fast a vehicle may go, speed up, brake, turn and steer.

    `braking` is as strong as `acceleration` unless a finite number is given. `lateral` bounds v²|κ|, `turn_speed` bounds
    v|κ|, `steering_rate` the speed of the steering angle of a car with that `wheelbase`. `grip` bounds the
    acceleration along and across the path together, as a circle of friction does. `jerk` bounds how fast
    the acceleration changes.
    """

    top_speed: float
    acceleration: float
    braking: float = inf
    lateral: float = inf
    turn_speed: float = inf
    steering_rate: float = inf
    wheelbase: float = 1.0
    grip: float = inf
    jerk: float = inf

    def __post_init__(self) -> None:
        if self.braking == inf:
            object.__setattr__(self, "braking", self.acceleration)
        for one in fields(self):
            value = getattr(self, one.name)
            is_needed = one.name in {"top_speed", "acceleration", "braking", "wheelbase"}
            if not isinstance(value, int | float) or isnan(value) or value <= 0:
                raise ValueError(f"the limit {one.name} is a number > 0, not {value!r}")
            if is_needed and not isfinite(value):
                raise ValueError(f"the limit {one.name} is a finite number > 0, not {value!r}")
            if not LEAST_LIMIT <= value <= MOST_LIMIT and isfinite(value):
                raise ValueError(
                    f"the limit {one.name} is a number from {LEAST_LIMIT:g} to {MOST_LIMIT:g}, not {value!r}"
                )
            object.__setattr__(self, one.name, float(value))
        if isfinite(self.jerk) and isfinite(self.grip):
            raise ValueError("limits have a jerk or a grip, not both: only one of them can be kept at a time")


@dataclass(frozen=True)
class SpeedZone:
    """A part of the way, from `start` to `end` metres, on which a lower speed is the highest allowed."""

    start: float
    end: float
    speed: float

    def __post_init__(self) -> None:
        as_number(self.start, "the start of a zone")
        as_number(self.end, "the end of a zone")
        as_size(self.speed, "the speed of a zone")
        if self.end <= self.start:
            raise ValueError(
                f"a zone ends after its start, but this one goes from {self.start} to {self.end}"
            )


@dataclass(frozen=True)
class PlannedStop:
    """A place on the way, `s` metres along it, where the vehicle stands for some seconds."""

    s: float
    seconds: float = 0.0

    def __post_init__(self) -> None:
        as_number(self.s, "the place of a stop")
        if not 0.0 <= as_number(self.seconds, "the time of a stop"):
            raise ValueError(f"a stop lasts a number of seconds >= 0, not {self.seconds!r}")


@dataclass(frozen=True)
class Deadline:
    """The vehicle is `s` metres along its way no later than `time` seconds after its start."""

    s: float
    time: float

    def __post_init__(self) -> None:
        as_number(self.s, "the place of a deadline")
        as_number(self.time, "the time of a deadline")
