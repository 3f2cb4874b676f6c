"""Where is a car by what its wheel and its potentiometer tell, and where after one more piece of way?

Dead reckoning: from one answer to the next the front wheel went a way, at the angle between the two that were
read; the exact arc of that way leads to the next place. The encoder's two bytes begin again at 0 after 65536
counts, which is some 24 m; the shorter way round is meant. When the robot read what it answers, is known as well as
this: after it was asked the first time, and before its answer was heard. A way that it cannot have gone from one
question until the next answer means that it was switched off and counts anew; that way is left out.

One wheel in front is steered, two behind are not. While the steering holds, the car goes around one centre,
on the line of the back axle: the front wheel at radius L / sin α, the middle of the back axle at L / tan α,
with the wheelbase L and the steering α, positive to the left. The place of a car is the middle of its back
axle, which always moves along the heading.

A way is that of the front wheel, since the encoder counts there; it is below 0 going back. The arcs are
exact: a way in one piece and the same way in many lead to the same place. Source: Taşdelen (2008), whose
step formula takes the way for the chord and so agrees with these arcs as the way goes to 0.
"""

from __future__ import annotations

from math import inf

from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.device_io import counts_between
from kumi.link.devices import Answer, Device
from kumi.link.stop_and_wait import FADE
from kumi.maths import atan, cos, sin, tan

JITTER = 0.1
"""Seconds by which a computer that is late may take a question to be asked later than it was."""

ALONE = 1.5
"""Seconds; no robot drives on for longer when it is asked nothing."""


class Reckoning:
    """Keeps the pose of a packet robot, and what it told last."""

    def __init__(self, calibration: Calibration, pose: Pose, *, fade: float = FADE) -> None:
        self.calibration = calibration
        self._longest = (
            fade + ALONE
        )  # for which it may drive between two answers; it hears what is asked, perhaps
        self.pose = pose
        """Its heading counts on beyond a revolution, since strokes go by how far it turned."""
        self.steering = 0.0
        """The angle of the front wheel."""
        self.way = 0.0
        """How far the middle of the back axle has gone, forward less back."""
        self.counts = 0
        """How far the encoder has counted since the first answer."""
        self.has_moved = False
        """Whether the wheel went on between the last two answers."""
        self._raw: int | None = None
        self._asked = 0.0

    def take(self, answer: Answer, asked: float, heard: float) -> None:
        """Take in an answer with encoder and potentiometer, by when it was asked for first and when it was heard."""
        raw, steering = answer[Device.ENCODER], self.calibration.pot_angle(answer[Device.POTENTIOMETER])
        if self._raw is None:
            self._raw, self._asked, self.steering = raw, asked, steering
        step = counts_between(self._raw, raw)
        wheel = self.calibration.distance_of(step)
        if abs(wheel) <= 1.5 * self._fastest * (min(heard - self._asked, self._longest) + JITTER):
            mean = (self.steering + steering) / 2
            self.pose = drive_arc(self.pose, wheel, mean, self.calibration.wheelbase)
            self.way += wheel * cos(mean)
            self.counts += step
        self.has_moved = step != 0
        self._raw, self._asked, self.steering = raw, asked, steering

    @property
    def _fastest(self) -> float:
        return max(self.calibration.motor.highest, -self.calibration.motor.lowest)


def arc_angle(way: float, steering: float, wheelbase: float) -> float:
    """Return by how much the heading turns on a way of the front wheel."""
    return way * sin(steering) / wheelbase


def drive_arc(pose: Pose, way: float, steering: float, wheelbase: float) -> Pose:
    """Return where a car is after a way of its front wheel, with the steering held."""
    turn = arc_angle(way, steering, wheelbase)
    chord = way * cos(steering) * _chord_share(turn / 2)
    step = Point.polar(chord, pose.heading + turn / 2)
    return Pose(pose.position + step, pose.heading + turn)


def front_wheel(pose: Pose, wheelbase: float) -> Point:
    """Return where the front wheel of a car is."""
    return pose.position + Point.polar(wheelbase, pose.heading)


def radius_of(steering: float, wheelbase: float) -> float:
    """Return the radius of the back axle's arc, below 0 to the right; inf straight ahead."""
    return inf if steering == 0.0 else wheelbase / tan(steering)


def steering_of(radius: float, wheelbase: float) -> float:
    """Return the steering for a radius of the back axle's arc, below 0 to the right; inf is straight ahead."""
    return atan(wheelbase / radius)


def _chord_share(half: float) -> float:
    """Return how long a chord is as a share of its arc, from half the angle of the arc."""
    return 1.0 - half * half / 6.0 if abs(half) < 1e-4 else sin(half) / half
