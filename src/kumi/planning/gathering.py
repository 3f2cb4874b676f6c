"""Where does a robot go that wants to meet all others?

Two laws for robots that remember nothing. Who sees everybody goes to their centre of gravity. Nobody then leaves the
hull of all places and goals, whatever the schedule. Synchronous rigid robots meet in one round. Two robots that move
in turn halve their distance each time, and never meet.

Who sees only so far goes towards the centre of the smallest circle around those it sees, and stops before it could
lose one of them: each pair stays within a circle across its middle, as wide as the reach. So in synchronous and
semi-synchronous rounds nobody loses sight of anybody, also where robots are stopped on their way, and all who are
linked by a chain of sights converge to one point. With asynchronous schedules neither is promised.

Source: Ando, Oasa, Suzuki and Yamashita (1999) for the second law.
"""

from __future__ import annotations

from math import isinf, sqrt

from kumi.geometry import Point
from kumi.maths import cos, sin
from kumi.planning.enclosing_circle import mean, smallest_circle
from kumi.planning.schedulers import Straight, View

SLACK = 1e-12
"""The share of the reach that is kept back, so that rounding takes nobody out of sight."""


def to_centre_of_gravity(view: View) -> Straight:
    """Go to the mean of all places."""
    return Straight(mean(view.all))


def within_sight(view: View) -> Straight:
    """Go to the centre of the smallest circle around all who are seen, as far as nobody gets out of sight."""
    centre = smallest_circle(view.all).centre
    far = abs(centre)
    if far == 0.0 or isinf(view.reach):
        return Straight(centre)
    return Straight(centre * (min([far, *(_room(other, centre, view.reach) for other in view.others)]) / far))


def _room(other: Point, goal: Point, reach: float) -> float:
    """Return how far towards a goal the edge of the circle is that both keep within."""
    half, reach = abs(other) / 2.0, reach * (1.0 - SLACK)
    angle = other.direction - goal.direction
    aside = half * sin(angle)
    return max(0.0, half * cos(angle) + sqrt(max(0.0, (reach / 2.0 - aside) * (reach / 2.0 + aside))))
