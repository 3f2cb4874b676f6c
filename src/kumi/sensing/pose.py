"""Where am I, where is everybody, and which way is north?

Positioning comes from outside, such as from satellites or from a camera under the ceiling. Its noise applies to each
coordinate; `dropout` is the probability that a signal is lost. A compass tells the heading. A bad one is off by the same
angle all day: that is its bias, given or drawn once for each robot. On top of it comes the noise of each reading.
"""

from __future__ import annotations

from kumi._core import Chance, Point
from kumi.contract.readings import NoReading
from kumi.geometry import wrapped
from kumi.geometry.points import as_angle
from kumi.sensing.noise import EXACT, Exact, Noise, as_noise, as_share, not_negative
from kumi.sensing.sensor import AskedSensor
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


class Position(AskedSensor[Point]):
    """Tells where the robot itself is; a dropout raises NoReading."""

    @taught
    def __init__(
        self,
        noise: Noise | float = EXACT,
        *,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.noise = as_noise(noise)
        self.dropout = as_share(dropout, "a dropout")

    def measure(self) -> Point:
        """Return where the body is, with the error."""
        if self.dropout and self.chance.happens(self.dropout):
            raise NoReading(f"the {self.name} of {self.body.name} got no signal at t = {self.world.now:g} s")
        return blurred(self.body.position, self.noise, self.body.chance)


class Positions(AskedSensor[tuple[Point, ...]]):
    """Tells where all robots are, itself included, by number; each drops out alone."""

    @taught
    def __init__(
        self,
        noise: Noise | float = EXACT,
        *,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.noise = as_noise(noise)
        self.dropout = as_share(dropout, "a dropout")

    def measure(self) -> tuple[Point, ...]:
        """Return where all bodies are, with the errors."""
        if isinstance(self.noise, Exact) and not self.dropout:
            return tuple(body.position for body in self.world.bodies)
        chance = self.chance
        return tuple(
            blurred(body.position, self.noise, chance)
            for body in self.world.bodies
            if not (self.dropout and chance.happens(self.dropout))
        )


def blurred(place: Point, noise: Noise, chance: Chance) -> Point:
    """Return a place with an error in each coordinate."""
    return Point(noise(place.x, chance), noise(place.y, chance))
