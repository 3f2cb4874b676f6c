"""Where does a robot go that wants to stand on a circle with all others, at equal distances?

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
from math import pi, tau

from kumi.geometry import Point
from kumi.planning.enclosing_circle import smallest_circle
from kumi.planning.schedulers import Around, Straight, View, Way

ON = 1e-9
"""The share of the radius by which a robot on the circle may be off it, and the angle that counts as none."""
STAY = Straight(Point(0.0, 0.0))


def to_circle(view: View, step: float = 0.5) -> Way:
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


def _out(view: View, centre: Point, radius: float) -> Way:
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


def _gaps(view: View, centre: Point) -> tuple[float, float]:
    """Return the angles to the next robots in other directions, counter-clockwise and clockwise."""
    turns = [_turn(-centre, other - centre) % tau for other in view.others if abs(other - centre) > 0.0]
    others = [turn for turn in turns if ON < turn < tau - ON]
    if not others:
        return tau, tau
    return min(others), tau - max(others)


def _middle_of_widest(view: View, centre: Point) -> float:
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
