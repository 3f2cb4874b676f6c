"""Where does a robot go that wants to meet all others, or to stand on a circle with them?

Two laws for robots that remember nothing. A robot that sees all others goes to their centre of gravity. Nobody then leaves the
hull of all places and goals, whatever the schedule. Synchronous rigid robots meet in one round. Two robots that move
in turn halve their distance each time, and never meet.

A robot of limited sight goes towards the centre of the smallest circle around those it sees, and stops before it could
lose one of them: each pair stays within a circle across its middle, as wide as the reach. So in synchronous and
semi-synchronous rounds nobody loses sight of anybody, also where robots are stopped on their way, and all who are
linked by a chain of sights converge to one point. With asynchronous schedules neither is promised.

Source: Ando, Oasa, Suzuki and Yamashita (1999) for the second law.

The circle is the smallest one around all robots. Those inside go straight out to it, while those on it stay. When all
are on it, each goes along it, half-way to the middle between its two neighbours. A share of cos²(pi / n) of the
unevenness is left after each synchronous round of n robots. A full step instead of the half does not converge for
an even number: every second gap can stay wide for ever.

A robot inside that would meet another one on its way out first turns around the centre, by a third of the wider gap
beside it. One in the very centre goes out in the middle of the widest gap. Where two gaps are equally wide, its own
frame decides.

The circle stays what it is in synchronous and semi-synchronous rounds, also where robots are stopped on their way: no
gap grows beyond the widest one. With asynchronous schedules that is promised only until all are on the circle. No two
robots may begin in the same place.

Source: after Défago and Souissi's "Non-uniform circle formation algorithm for oblivious mobile robots with
convergence toward uniformity" (2008).
"""

from __future__ import annotations

from itertools import pairwise
from math import isinf, pi, sqrt, tau

from kumi.geometry import Point
from kumi.maths import cos, sin
from kumi.planning.enclosing_circle import mean, smallest_circle
from kumi.planning.schedulers import Around, RobotView, Straight, Way

ROUNDING_SHARE = 1e-12
"""The share of the reach that is kept back, so that rounding takes nobody out of sight."""


def to_centre_of_gravity(view: RobotView) -> Straight:
    """Go to the mean of all places."""
    return Straight(mean(view.all))


def within_sight(view: RobotView) -> Straight:
    """Go to the centre of the smallest circle around all who are seen, as far as nobody gets out of sight."""
    centre = smallest_circle(view.all).centre
    far = abs(centre)
    if far == 0.0 or isinf(view.reach):
        return Straight(centre)
    return Straight(centre * (min([far, *(_room(other, centre, view.reach) for other in view.others)]) / far))


def _room(other: Point, goal: Point, reach: float) -> float:
    """Return how far towards a goal the edge of the circle is that both keep within."""
    half, reach = abs(other) / 2.0, reach * (1.0 - ROUNDING_SHARE)
    angle = other.direction - goal.direction
    aside = half * sin(angle)
    return max(0.0, half * cos(angle) + sqrt(max(0.0, (reach / 2.0 - aside) * (reach / 2.0 + aside))))


ON = 1e-9
"""The share of the radius by which a robot on the circle may be off it, and the angle that counts as none."""
STAY = Straight(Point(0.0, 0.0))


def to_circle(view: RobotView, step: float = 0.5) -> Way:
    """Go to the circle, or, if all are there, along it by a share of the way to the middle of the neighbours."""
    centre, radius = smallest_circle(view.all)
    if radius == 0.0:
        return STAY
    if abs(abs(centre) - radius) > ON * radius:
        return _out(view, centre, radius)
    if any(abs(centre.distance_to(other) - radius) > ON * radius for other in view.others):
        return STAY
    ahead, behind = _gaps(view, centre)
    return Around(centre, step * (ahead - behind) / 2.0)


def _out(view: RobotView, centre: Point, radius: float) -> Way:
    """Return the way of a robot inside the circle."""
    here = -centre
    if abs(here) <= ON * radius:
        return Straight(centre + Point.polar(radius, _middle_of_widest(view, centre)))
    is_blocked = any(
        abs(_turn(here, other - centre)) <= ON and centre.distance_to(other) > abs(here)
        for other in view.others
        if centre.distance_to(other) > ON * radius
    )
    if not is_blocked:
        return Straight(here * (radius / abs(here) - 1.0))
    ahead, behind = _gaps(view, centre)
    return Around(centre, ahead / 3.0 if ahead >= behind else -behind / 3.0)


def _gaps(view: RobotView, centre: Point) -> tuple[float, float]:
    """Return the angles to the next robots in other directions, counter-clockwise and clockwise."""
    turns = [_turn(-centre, other - centre) % tau for other in view.others if abs(other - centre) > 0.0]
    others = [turn for turn in turns if ON < turn < tau - ON]
    if not others:
        return tau, tau
    return min(others), tau - max(others)


def _middle_of_widest(view: RobotView, centre: Point) -> float:
    """Return the direction in the middle of the widest gap between the others, as seen from the centre."""
    directions = sorted((other - centre).direction % tau for other in view.others)
    wide, before = max(
        (after - before, before) for before, after in pairwise([*directions, directions[0] + tau])
    )
    return before + wide / 2.0


def _turn(one: Point, other: Point) -> float:
    """Return the angle from one direction to another, between -pi and pi."""
    turn = (other.direction - one.direction) % tau
    return turn - tau if turn > pi else turn
