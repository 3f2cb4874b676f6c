"""Which velocity is nearest to what a program wants, and safe?

A control barrier function. The clearance to each other robot and each wall may shrink at most at `gain` times itself, so it does not
come to nothing. Each robot leaves half of that to the other; each leaves a half-plane of velocities, and of those in all of
them the one nearest to the wanted velocity is taken: a quadratic program in two unknowns, solved exactly. Far from others it lets every
command through as it is.

What is promised: discs that move as they decided, all by this rule, at least once in `1 / gain` seconds, touch neither each other nor a
wall. Standing still is always allowed. A robot that has no half to leave, since the others do not give way, has a `share` of 1, and
reckons with their velocities; then there may be no safe velocity, and it takes the one that violates least. Not promised: that
anybody arrives.

Source: after Wang, Ames and Egerstedt, Safety Barrier Certificates for Collisions-Free Multirobot Systems (2017), with the
distance in place of its square: that holds between two decisions, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi import _core
from kumi.geometry.points import as_size
from kumi.planning.velocity_rules import Numbers, VelocityRule


@dataclass(frozen=True, kw_only=True)
class Barrier(VelocityRule):
    """A safety filter: the clearance shrinks by at most a `gain` a second of itself.

    Others count from a distance of twice the top speed divided by the gain; `reach` is to be no less.
    """

    gain: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        as_size(self.gain, "the gain of a barrier")

    def _decide(self, own: Numbers, seen: Numbers, walls: Numbers, is_among: bool) -> Numbers:
        found: Numbers = _core.barrier(own, seen, walls, *self._seen, is_among, self.gain)
        return found
