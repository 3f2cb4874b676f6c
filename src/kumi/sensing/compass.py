"""Where is north?

A compass tells the heading. A bad one is off by the same angle all day: that is its bias, given or drawn
once for each robot. On top of it comes the noise of each reading.
"""

from __future__ import annotations

from kumi.contract.readings import NoReading
from kumi.geometry import wrapped
from kumi.geometry.points import as_angle
from kumi.sensing.asked import AskedSensor
from kumi.sensing.noise import EXACT, Noise, as_noise, as_share, not_negative
from kumi.teaching import taught


class Compass(AskedSensor[float]):
    """Tells the heading, above -pi and up to pi; a dropout raises NoReading.

    Each robot's compass is off by `bias`, and by up to `bias_spread` more to either side, drawn once.
    """

    @taught
    def __init__(
        self,
        noise: Noise | float = EXACT,
        *,
        bias: float = 0.0,
        bias_spread: float = 0.0,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.noise = as_noise(noise)
        self.bias = as_angle(bias, "a bias")
        self.bias_spread = not_negative(bias_spread, "a bias_spread")
        self.dropout = as_share(dropout, "a dropout")

    def start(self) -> None:
        """Begin with a bias that is still to be drawn."""
        self._bias: float | None = None

    def measure(self) -> float:
        """Return the heading with bias and error."""
        if self._bias is None:
            spread = self.bias_spread and self.bias_spread * self.chance.uniform(-1.0, 1.0)
            self._bias = self.bias + spread
        if self.dropout and self.chance.happens(self.dropout):
            raise NoReading(f"the {self.name} of {self.body.name} had no reading at t = {self.world.now:g} s")
        return wrapped(self.noise(self.body.heading + self._bias, self.chance))
