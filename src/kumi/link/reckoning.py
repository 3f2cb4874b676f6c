"""Where is a robot, by what its wheel and its potentiometer tell?

Dead reckoning: from one answer to the next the front wheel went a way, at the angle between the two that were
read; the exact arc of that way leads to the next place. The encoder's two bytes begin again at 0 after 65536
counts, which is some 24 m; the shorter way round is meant. A way that the robot cannot have gone in the time
between two answers means that it was switched off and counts anew; that way is left out.
"""

from __future__ import annotations

from kumi.geometry import Pose
from kumi.link.arcs import drive_arc
from kumi.link.calibration import Calibration
from kumi.link.device_io import counts_between
from kumi.link.devices import Answer, Device
from kumi.maths import cos

SLACK = 0.1
"""Seconds by which answers may be nearer to each other than the readings in them."""

ALONE = 1.5
"""Seconds; no robot drives on for longer when it hears nothing."""


class Reckoning:
    """Keeps the pose of a packet robot, and what it told last."""

    def __init__(self, calibration: Calibration, pose: Pose) -> None:
        self.calibration = calibration
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
        self._time = 0.0

    def take(self, answer: Answer, now: float) -> None:
        """Take in an answer with encoder and potentiometer."""
        raw, steering = answer[Device.ENCODER], self.calibration.pot_angle(answer[Device.POTENTIOMETER])
        if self._raw is None:
            self._raw, self._time, self.steering = raw, now, steering
        step = counts_between(self._raw, raw)
        wheel = self.calibration.distance_of(step)
        if abs(wheel) <= 1.5 * self._fastest * (min(now - self._time, ALONE) + SLACK):
            mean = (self.steering + steering) / 2
            self.pose = drive_arc(self.pose, wheel, mean, self.calibration.wheelbase)
            self.way += wheel * cos(mean)
            self.counts += step
        self.has_moved = step != 0
        self._raw, self._time, self.steering = raw, now, steering

    @property
    def _fastest(self) -> float:
        return max(self.calibration.motor.highest, -self.calibration.motor.lowest)
