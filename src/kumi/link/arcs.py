"""Where is a car after a piece of way, and which way does it then look?

One wheel in front is steered, two behind are not. While the steering holds, the car goes around one centre,
on the line of the back axle: the front wheel at radius L / sin α, the middle of the back axle at L / tan α,
with the wheelbase L and the steering α, positive to the left. The place of a car is the middle of its back
axle, which always moves along the heading.

A way is that of the front wheel, since the encoder counts there; it is below 0 going back. The arcs are
exact: a way in one piece and the same way in many lead to the same place. Source: Taşdelen (2008), whose
step formula takes the way for the chord and so agrees with these arcs as the way goes to 0.
"""

from __future__ import annotations

from math import inf

from kumi.geometry import Point, Pose
from kumi.maths import atan, cos, sin, tan


def arc_angle(way: float, steering: float, wheelbase: float) -> float:
    """Return by how much the heading turns on a way of the front wheel."""
    return way * sin(steering) / wheelbase


def drive_arc(pose: Pose, way: float, steering: float, wheelbase: float) -> Pose:
    """Return where a car is after a way of its front wheel, with the steering held."""
    turn = arc_angle(way, steering, wheelbase)
    chord = way * cos(steering) * _chord_share(turn / 2)
    step = Point.polar(chord, pose.heading + turn / 2)
    return Pose(pose.position + step, pose.heading + turn)


def front_wheel(pose: Pose, wheelbase: float) -> Point:
    """Return where the front wheel of a car is."""
    return pose.position + Point.polar(wheelbase, pose.heading)


def radius_of(steering: float, wheelbase: float) -> float:
    """Return the radius of the back axle's arc, below 0 to the right; inf straight ahead."""
    return inf if steering == 0.0 else wheelbase / tan(steering)


def steering_of(radius: float, wheelbase: float) -> float:
    """Return the steering for a radius of the back axle's arc, below 0 to the right; inf is straight ahead."""
    return atan(wheelbase / radius)


def _chord_share(half: float) -> float:
    """Return how long a chord is as a share of its arc, from half the angle of the arc."""
    return 1.0 - half * half / 6.0 if abs(half) < 1e-4 else sin(half) / half
