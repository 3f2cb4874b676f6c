"""Which velocity does a robot choose so that it and others, who choose alike, do not meet?

Optimal reciprocal collision avoidance. Two robots that would touch within the `horizon` each take on half of the least change
of their relative velocity that avoids this, so each other robot leaves a half-plane of velocities. A robot takes the one nearest to
what it wants, no faster than its top speed. Where the half-planes leave nothing, it takes the one that violates them least. A wall
leaves the half-plane of the place nearest to a robot at rest, for a shorter `wall_horizon`, and is never given up for a robot.

What is promised: discs that move as they decided, all by this rule, with one period for all, do not touch while the half-planes
leave a velocity; and no wall is touched within `wall_horizon`. Not promised: that anybody arrives. Robots that are symmetric may
stand before each other for ever.

Source: van den Berg, Guy, Lin and Manocha, Reciprocal n-Body Collision Avoidance (2011).
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi import _core
from kumi.geometry.points import as_size
from kumi.planning.velocity_rules import Numbers, VelocityRule


@dataclass(frozen=True, kw_only=True)
class Orca(VelocityRule):
    """Reciprocal avoidance: for how many seconds robots are not to meet, and walls not to be met.

    Robots that overlap part within a `period`, that between two decisions.
    """

    horizon: float = 2.0
    wall_horizon: float = 0.5
    period: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        as_size(self.horizon, "the horizon of a rule")
        as_size(self.wall_horizon, "the wall_horizon of a rule")
        as_size(self.period, "the period of a rule")

    def _decide(self, own: Numbers, seen: Numbers, walls: Numbers, is_among: bool) -> Numbers:
        found: Numbers = _core.orca(
            own, seen, walls, *self._seen, is_among, self.horizon, self.wall_horizon, self.period
        )
        return found
