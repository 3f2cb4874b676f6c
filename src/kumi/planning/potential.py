"""Which velocity follows from a goal that attracts and from what repels?

An artificial potential field. What is wanted is the way to the goal: it attracts with `attraction` times that way, up to the top
speed. Each robot and wall whose clearance c is below the `influence` i repels with repulsion * (1/c - 1/i) / c². The sum, up to the top
speed, is the velocity.

Known local minima, in which a robot stays for ever: before a wall that lies square to the way to the goal, where both forces
are equal; in the middle of a group that surrounds it, or in a corner that points to the goal; and beside a goal that lies within
the influence of a wall, since it repels there as well. Two robots that head for each other push each other back. In narrow passages a robot
swings from side to side where the field changes much within a period. Nothing is promised: fast robots with long periods collide.

Source: Khatib, Real-Time Obstacle Avoidance for Manipulators and Mobile Robots (1986); for the minima, Koren and Borenstein (1991).
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi import _core
from kumi.geometry.points import as_size
from kumi.planning.velocity_rules import Numbers, VelocityRule


@dataclass(frozen=True, kw_only=True)
class Potential(VelocityRule):
    """A potential field: attraction in m/s for each metre of way, the influence of obstacles in metres, and their strength."""

    attraction: float = 1.0
    influence: float = 0.5
    repulsion: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        as_size(self.attraction, "the attraction of a field")
        as_size(self.influence, "the influence of a field")
        as_size(self.repulsion, "the repulsion of a field")

    def _decide(self, own: Numbers, seen: Numbers, walls: Numbers, is_among: bool) -> Numbers:
        found: Numbers = _core.potential(
            own, seen, walls, *self._seen, is_among, self.attraction, self.repulsion, self.influence
        )
        return found
