"""Where am I, where is everybody?

Positioning from outside, such as by satellites or by a camera under the ceiling. The noise applies to each
coordinate. Where a signal can be lost, `dropout` is the probability of it.
"""

from __future__ import annotations

from kumi._core import Chance, Point
from kumi.contract.readings import NoReading
from kumi.sensing.asked import AskedSensor
from kumi.sensing.noise import EXACT, Exact, Noise, as_noise, as_share
from kumi.teaching import taught


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
