"""How far have the wheels turned, and at which angle does the front wheel stand?

An encoder belongs to two wheels a track apart, with the body's centre in the middle between them. Turning to the left,
the right wheel goes ahead of the centre and the left one falls behind. Forward counts up, back counts down.

A potentiometer measures the front wheel of a car: where the rear axle follows a curve, that wheel stands at
atan(wheelbase * curvature), to the left positive. At rest it stands as it stood before; at first it stands straight.
"""

from __future__ import annotations

from math import copysign, floor

from kumi._core import Point
from kumi.contract.readings import Counts
from kumi.geometry.points import as_number, as_size
from kumi.maths import atan
from kumi.sensing.noise import EXACT, Noise, as_noise, as_share, not_negative
from kumi.sensing.sensor import AskedSensor
from kumi.teaching import taught

ROUNDING = 1e-9
"""Counts; a wheel that has gone 512 counts to the last bit but one has gone 512."""


class WheelEncoder(AskedSensor[Counts]):
    """Counts how far the left and the right wheel have gone since the start.

    A wheel of 19 cm around with 512 counts a turn has 512 / 0.19 counts for a metre. Without a track both
    wheels count the way of the centre. `noise` errs in the way of each wheel between two readings, in
    metres: what slipped once stays in the counts. With a `scale_spread` each robot counts all its ways too long
    or too short by up to that share, as with wheels of another size.
    """

    @taught
    def __init__(
        self,
        counts_per_metre: float = 512 / 0.19,
        *,
        track: float = 0.0,
        scale_spread: float = 0.0,
        noise: Noise | float = EXACT,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.counts_per_metre = as_size(counts_per_metre, "counts_per_metre")
        self.track = not_negative(track, "a track")
        self.scale_spread = as_share(scale_spread, "a scale_spread")
        self.noise = as_noise(noise)

    def start(self) -> None:
        """Begin to count here, with a scale that is still to be drawn."""
        self._scale: float | None = None
        self._ahead = 0.0
        self._begin_piece()
        self._true = self._ways()
        self._read = (0.0, 0.0)
        self.body.on_motion(self._moved)

    def measure(self) -> Counts:
        """Return the counts so far."""
        if self._scale is None:
            self._scale = 1.0 + (self.scale_spread and self.scale_spread * self.chance.uniform(-1.0, 1.0))
        counts = self.counts_per_metre * self._scale
        before, self._true = self._true, self._ways()
        steps = [now - then for now, then in zip(self._true, before, strict=True)]
        self._read = (
            self._read[0] + self.noise(steps[0], self.chance),
            self._read[1] + self.noise(steps[1], self.chance),
        )
        return Counts(*(floor(way * counts + ROUNDING) for way in self._read))

    def _ways(self) -> tuple[float, float]:
        middle, side = self._driven(), self.body.turned * self.track / 2
        return middle - side, middle + side

    def _begin_piece(self) -> None:
        body = self.body
        self._piece = body.odometer, body.turned, body.position, body.heading
        self._towards = body.velocity.dot(Point.polar(1.0, body.heading))

    def _moved(self) -> None:
        self._ahead = self._driven()
        self._begin_piece()

    def _driven(self) -> float:
        """Return how far the centre has gone, ahead minus back; within a piece of motion it is one of them.

        Which of them, the first velocity tells, or, of a piece that began at rest, the way it led.
        """
        way_then, turned_then, place, heading = self._piece
        middle = Point.polar(1.0, heading + (self.body.turned - turned_then) / 2)
        towards = self._towards or (self.body.position - place).dot(middle)
        return self._ahead + copysign(self.body.odometer - way_then, towards)


class Potentiometer(AskedSensor[float]):
    """Tells the steering angle in radians; `bias` is what it reads when the wheel stands straight.

    With a `bias_spread` each robot has a bias of its own, up to that much more or less.
    """

    @taught
    def __init__(
        self,
        wheelbase: float = 0.15,
        *,
        bias: float = 0.0,
        bias_spread: float = 0.0,
        noise: Noise | float = EXACT,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.wheelbase = as_size(wheelbase, "a wheelbase")
        self.bias = as_number(bias, "a bias")
        self.bias_spread = not_negative(bias_spread, "a bias_spread")
        self.noise = as_noise(noise)

    def start(self) -> None:
        """Begin with a wheel that stands straight, and a bias that is still to be drawn."""
        self._bias: float | None = None
        self._angle = 0.0
        self.body.on_motion(self._moved)

    def measure(self) -> float:
        """Return the angle with bias and error."""
        if self._bias is None:
            spread = self.bias_spread and self.bias_spread * self.chance.uniform(-1.0, 1.0)
            self._bias = self.bias + spread
        self._moved()
        return self.noise(self._angle, self.chance) + self._bias

    def _moved(self) -> None:
        ahead = self.body.velocity.dot(Point.polar(1.0, self.body.heading))
        if ahead != 0.0:
            self._angle = atan(self.wheelbase * self.body.turn_rate / ahead)
