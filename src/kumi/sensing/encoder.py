"""How far have the wheels turned?

Two wheels stand a track apart, with the body's centre in the middle between them. Turning to the left, the
right wheel goes ahead of the centre and the left one falls behind. Forward counts up, back counts down.
"""

from __future__ import annotations

from math import copysign, floor

from kumi._core import Point
from kumi.contract.readings import Counts
from kumi.geometry.points import as_size
from kumi.sensing.asked import AskedSensor
from kumi.sensing.noise import EXACT, Noise, as_noise, as_share, not_negative
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
