"""What is a path asked to be, and does that make sense?

A wish holds a route with its limits and headings, all of it checked once, before a curve is looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_number, as_real, as_several
from kumi.maths import cos, hypot, sin
from kumi.planning.beta_spline import Numbers, coefficients
from kumi.planning.dubins import End
from kumi.planning.dubins_ends import length_of
from kumi.planning.path_check import PathError
from kumi.planning.space import Space
from kumi.planning.type_checks import as_kind, as_not_negative

FARTHEST = 1e9
"""Metres beyond which no place, no radius and no clearance makes sense."""
SLOWEST, FASTEST = 1e-12, 1e12
"""Between these, in rad/m², lie all bounds on the rate of curvature."""

STRAIGHT = 1e-12
"""By which share a straight route is longer than the way between its ends, at most, by rounding."""


@dataclass(frozen=True, eq=False)
class Wish:
    """What a path is to be, all of it checked."""

    places: Numbers
    bias: float
    tension: float
    min_radius: float
    clearance: float
    space: Space
    headings: tuple[float | None, float | None]
    rate: float

    @property
    def directions(self) -> tuple[Point | None, Point | None]:
        """The headings as directions."""
        start, goal = (None if angle is None else Point(cos(angle), sin(angle)) for angle in self.headings)
        return start, goal

    @property
    def is_straight(self) -> bool:
        """Tells whether the route leads straight to its end."""
        whole = hypot(*(self.places[-1] - self.places[0]).tolist())
        return length_of(self.places) <= float(whole) * (1.0 + STRAIGHT)

    def ends(self) -> tuple[End, End]:
        """Return start and goal with their headings."""
        start, goal = (Point(*place) for place in self.places[[0, -1]].tolist())
        return End(start, self.headings[0]), End(goal, self.headings[1])


def wish_of(
    route: Sequence[PointLike],
    bias: float,
    tension: float,
    min_radius: float,
    clearance: float,
    space: Space | None,
    headings: tuple[float | None, float | None],
    rate: float,
) -> Wish:
    """Return what is asked for, or say what of it is none."""
    places = _as_route(route)
    coefficients(bias, tension)
    for value, name in ((min_radius, "the least turning radius"), (clearance, "the clearance of a path")):
        if as_not_negative(value, name) > FARTHEST:
            raise ValueError(f"{name} is a number of metres up to {FARTHEST:g}, not {value!r}")
    if space is None and clearance > 0.0:
        raise ValueError(f"a clearance of {clearance:g} m is kept from the obstacles of a space; give one")
    room = Space() if space is None else as_kind(space, Space, "a space")
    start, goal = (
        None if heading is None else as_number(heading, f"the heading at the {end}")
        for heading, end in zip(headings, ("start", "goal"), strict=True)
    )
    bound = as_real(rate, "the bound on the rate of curvature")
    if not (SLOWEST <= bound <= FASTEST or bound == inf):
        raise ValueError(
            f"the bound on the rate of curvature is a number of rad/m² from {SLOWEST:g} to {FASTEST:g}, or inf, "
            f"not {rate!r}"
        )
    _check_on_route(room, places, clearance)
    return Wish(places, bias, tension, float(min_radius), float(clearance), room, (start, goal), bound)


def _as_route(route: Sequence[PointLike]) -> Numbers:
    if route is None:
        raise TypeError("a path needs a route; None is what plan_route gives where there is none")
    points = [
        as_point(point, "a sub-goal of a route") for point in as_several(route, "the places of a route")
    ]
    kept = [point for number, point in enumerate(points) if number == 0 or point != points[number - 1]]
    if any(max(abs(point.x), abs(point.y)) > FARTHEST for point in kept):
        raise ValueError(f"the places of a route lie within {FARTHEST:g} m of the origin")
    if len(kept) < 2:
        raise ValueError(f"a path needs a route of at least two places, not {len(kept)}")
    return np.array([tuple(point) for point in kept])


def _check_on_route(space: Space, places: Numbers, clearance: float) -> None:
    are_free = (space.clearances(places, clearance) > clearance).all()
    if not (are_free and space.sees(places[:-1], places[1:], clearance).all()):
        gaps = space.clearances_between(places[:-1], places[1:])
        leg = int(gaps.argmin())
        one, other = Point(*places[leg].tolist()), Point(*places[leg + 1].tolist())
        raise PathError(
            f"the leg of the route from ({one.x:g}, {one.y:g}) to ({other.x:g}, {other.y:g}) comes within "
            f"{gaps[leg]:g} m of an obstacle or border; a clearance of {clearance:g} m takes more",
            one,
        )
