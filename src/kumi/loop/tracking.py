"""Where is a real robot, when its own reckoning drifts?

A camera over the floor tells now and then where a robot was and how it looked, a little wrong and a little late. The
robot's reckoning tells every change at once, and its error grows with the way. A `CounterpartTracker` joins both: what the robot
reckoned at the instant of a picture is compared with the picture, and the reckoning is shifted and turned by a share of
the difference. The share is Kalman's: the doubt of the reckoning, which grows with the way, against that of the picture.

The robot's answers carry their instants by the clock of the run (`LinkedBody.read_at`), with the error of the robot's
own clock taken out, so the two that are compared belong together.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import remainder, tau

from kumi.geometry import Point, Pose, wrapped

KEPT_POSES = 200
"""So many reckoned poses are remembered: some ten seconds of driving."""


@dataclass(frozen=True)
class Tracking:
    """A tracking source: standard deviations in metres and radians, a latency and a period in seconds."""

    place_noise: float = 0.01
    heading_noise: float = 0.02
    latency: float = 0.1
    period: float = 0.2

    def __post_init__(self) -> None:
        for name in ("place_noise", "heading_noise", "latency"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"the {name} of tracking is a number >= 0, not {getattr(self, name)!r}")
        if not 0.0 < self.period < float("inf"):
            raise ValueError(f"the period of tracking is a number of seconds > 0, not {self.period!r}")


@dataclass(frozen=True)
class Doubt:
    """How far a reckoning may be off after a metre: a share of the way, and radians for each metre."""

    way: float = 0.1
    turn: float = 0.15


class CounterpartTracker:
    """Joins the reckoning of a robot with what a camera tells of it."""

    def __init__(self, start: Pose, tracking: Tracking, doubt: Doubt | None = None) -> None:
        self._tracking = tracking
        self._doubt = doubt or Doubt()
        self._reckoned: deque[tuple[float, Pose]] = deque([(float("-inf"), start)], maxlen=KEPT_POSES)
        self._turn = 0.0
        self._shift = Point(0.0, 0.0)
        self._place_variance = self._turn_variance = 0.0

    @property
    def pose(self) -> Pose:
        """Where the robot is now, as well as is known."""
        return self.corrected(self._reckoned[-1][1])

    def corrected(self, reckoned: Pose) -> Pose:
        """Return a reckoned pose, shifted and turned by what is known."""
        return Pose(
            self._shift + reckoned.position.turned(self._turn), wrapped(reckoned.heading + self._turn)
        )

    def reckoned_place(self, place: Point) -> Point:
        """Return where the robot, by its own reckoning, would believe a place to be: `corrected`, undone."""
        return (place - self._shift).turned(-self._turn)

    def reckon(self, time: float, pose: Pose) -> None:
        """Take where the robot believed to be at a time of the run; the way since adds to the doubt."""
        way = abs(pose.position - self._reckoned[-1][1].position)
        self._place_variance += way * way * (self._doubt.way * self._doubt.way + self._turn_variance)
        self._turn_variance += way * way * self._doubt.turn * self._doubt.turn
        self._reckoned.append((max(time, self._reckoned[-1][0]), pose))

    def see(self, time: float, seen: Pose) -> None:
        """Take where a camera saw the robot at a time of the run."""
        reckoned = self._reckoned_at(time)
        believed = self.corrected(reckoned)
        share = _share(self._place_variance, self._tracking.place_noise)
        turn_share = _share(self._turn_variance, self._tracking.heading_noise)
        heading = believed.heading + turn_share * remainder(seen.heading - believed.heading, tau)
        place = believed.position + (seen.position - believed.position) * share
        self._place_variance *= 1.0 - share
        self._turn_variance *= 1.0 - turn_share
        self._turn = heading - reckoned.heading
        self._shift = place - reckoned.position.turned(self._turn)

    def _reckoned_at(self, time: float) -> Pose:
        """Return where the robot believed to be at a time, on a straight line between two answers."""
        later_time, later = self._reckoned[-1]
        for earlier_time, earlier in reversed(self._reckoned):
            if earlier_time <= time:
                break
            later_time, later = earlier_time, earlier
        if later_time <= time or earlier_time == float("-inf"):
            return later if later_time <= time else earlier
        share = (time - earlier_time) / (later_time - earlier_time)
        return Pose(
            earlier.position + (later.position - earlier.position) * share,
            earlier.heading + remainder(later.heading - earlier.heading, tau) * share,
        )


def _share(variance: float, deviation: float) -> float:
    """Return the share of a difference that is believed: all of it where the picture is exact."""
    total = variance + deviation * deviation
    return variance / total if total > 0.0 else 1.0
