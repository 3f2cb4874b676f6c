"""At which angle does the front wheel stand?

A car whose rear axle follows a curve has its front wheel at atan(wheelbase * curvature), to the left positive. At
rest the wheel stands as it stood before; at first it stands straight.
"""

from __future__ import annotations

from kumi._core import Point
from kumi.geometry.points import as_number, as_size
from kumi.maths import atan
from kumi.sensing.asked import AskedSensor
from kumi.sensing.noise import EXACT, Noise, as_noise, not_negative
from kumi.teaching import taught


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
