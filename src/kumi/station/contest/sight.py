"""What does a robot see?

Walls, pillars and blocks that stop light hide what is behind them; robots hide nothing. What is within sight, within the view and not hidden is
seen, with the distance to its middle and its bearing from ahead, positive to the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, remainder, tau

from kumi.contract.readings import Sighting
from kumi.geometry import Point, Pose
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.rules import RobotRules
from kumi.world import SimulatedBody, World


def is_clear(world: World, start: Point, end: Point) -> bool:
    """Tell whether no obstacle stops the light between two points."""
    step = end - start
    distance = abs(step)
    return distance == 0.0 or world.first_hit(start, step.direction, distance, bodies=False) is None


def seen_at(world: World, pose: Pose, place: Point, robots: RobotRules) -> tuple[float, float] | None:
    """Return distance and bearing of a place that is in sight and in view, or None."""
    step = place - pose.position
    distance = abs(step)
    bearing = 0.0 if distance == 0.0 else remainder(step.direction - pose.heading, tau)
    if distance > robots.sight or abs(bearing) > robots.view_deg * pi / 360.0 + 1e-9:
        return None
    return (distance, bearing) if is_clear(world, pose.position, place) else None


def look(body: SimulatedBody, hidden: Sequence[Hidden], robots: RobotRules) -> tuple[Sighting, ...]:
    """Return all that a robot sees, the nearest first, with the distances of middles; what has no number is an object."""
    things: list[tuple[int | None, str, Point]] = [(None, one.name, one.at) for one in hidden]
    things += [(other.number, other.name, other.position) for other in body.world.bodies if other is not body]
    seen = [
        Sighting(number, name, *found, place)
        for number, name, place in things
        if (found := seen_at(body.world, body.pose, place, robots)) is not None
    ]
    return tuple(sorted(seen, key=lambda one: (one.distance, one.name)))
