"""How does a vehicle follow a trajectory that it cannot follow at once?

Its controller gets a reference and needs some time to reach it. Here it is a lag of first order: the gap
to the reference falls to 1/e within `lag` seconds. Between samples the reference moves evenly, and the
answer to that has a closed form; it is laid out in short even pieces.
"""

from __future__ import annotations

from math import remainder, tau

from kumi._core import Leg
from kumi.contract import CannotDo, Command, Track
from kumi.geometry import as_point
from kumi.geometry.points import as_number
from kumi.maths import exp, hypot
from kumi.motion.drives import Legs, Moving, in_order, positive


class Follower:
    """Follows timed samples with a lag, and stops when it is within `tolerance` of the last one."""

    def __init__(self, lag: float = 0.3, step: float = 0.02, tolerance: float = 1e-3) -> None:
        self.lag = positive("lag", lag)
        self.step = positive("step", step)
        self.tolerance = positive("tolerance", tolerance)

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that follow a track."""
        if not isinstance(command, Track):
            raise CannotDo(f"a trajectory follower carries out Track alone, not {command}")
        if not command.samples:
            return Leg.rest(0.0)
        state = (body.position.x, body.position.y, body.heading)
        reference = state
        time = 0.0
        legs: list[Leg] = []
        for sample in in_order(command):
            heading = as_number(sample.heading, "the heading of a sample")
            x, y = as_point(sample.at, "the place of a sample")
            target = (x, y, reference[2] + remainder(heading - reference[2], tau))
            state = self._chase(legs, state, reference, target, sample.time - time)
            reference, time = target, sample.time
        while hypot(state[0] - reference[0], state[1] - reference[1]) > self.tolerance:
            state = self._chase(legs, state, reference, reference, self.step)
        legs.append(Leg.glide(reference[:2], reference[2], self.step))
        return legs

    def _chase(
        self,
        legs: list[Leg],
        state: tuple[float, float, float],
        start: tuple[float, float, float],
        end: tuple[float, float, float],
        duration: float,
    ) -> tuple[float, float, float]:
        """Add the pieces in which the reference moves evenly from start to end; return where they lead."""
        if duration <= 0.0:
            return state
        pieces = max(1, round(duration / self.step))
        # The answer of a first-order lag to a ramp: where it settles, behind the ramp, and what fades of the gap to that.
        (x0, x_slope, x_gap), (y0, y_slope, y_gap), (h0, h_slope, h_gap) = (
            (begin, slope := (goal - begin) / duration, first - begin + slope * self.lag)
            for first, begin, goal in zip(state, start, end, strict=True)
        )
        x, y, heading = state
        for piece in range(1, pieces + 1):
            passed = duration * piece / pieces
            fade, behind = exp(-passed / self.lag), passed - self.lag
            x = x0 + x_slope * behind + x_gap * fade
            y = y0 + y_slope * behind + y_gap * fade
            heading = h0 + h_slope * behind + h_gap * fade
            legs.append(Leg.glide((x, y), heading, duration / pieces))
        return x, y, heading

    def __repr__(self) -> str:
        return f"Follower(lag={self.lag})"
