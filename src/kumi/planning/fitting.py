"""Which path follows a route?

Along a straight route with a least radius, and a heading for one of its ends or both, it is the shortest curve of lines
and arcs; with a bound on the rate of curvature, one of lines, arcs and clothoids (see `dubins`). Where obstacles are in the
way of it, the next longer one that is free is taken, unless a spline is shorter; and a spline follows all other routes:

Control points of a β-spline are laid along the route at even steps, half the least turning radius apart or
finer. The curve cuts corners; so where it bends too much, or comes too near to an obstacle, `relaxing` moves
the points until both limits hold, and `verdict` judges the curve. If that fails, other steps and wider swings
around obstacles are tried, and if none does, the error says where it cannot be. Nothing is returned that was not tested:

- obstacles: the straight ways between 16 places a piece, less how far a cubic can leave them, are exact;
- the radius, and the rate of curvature: at the same 16 places a piece, joints included.

The wider the turns of a spline, the more slowly its curvature changes: with a bound on that, they are widened until it holds.

The path begins and ends exactly at the ends of the route, straight (with curvature 0). Where a heading is
asked for it is exact, too; elsewhere the path takes the one that suits it. It goes near sub-goals, not through
them, and a route that folds back on itself is cut short. A failure is no proof that there is no path of
another family, or around another side of an obstacle.

A wish holds a route with its limits and headings, all of it checked once, before a curve is looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, pi, sqrt

import numpy as np

from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_number, as_real, as_several
from kumi.maths import atan2, cos, hypot, interp, sin
from kumi.planning.beta_spline import BetaSpline, Numbers, coefficients
from kumi.planning.clothoids import Curve
from kumi.planning.dubins import CurveEnd, length_of, shortest_curves, with_end_headings
from kumi.planning.path_check import PathError, PathVerdict, fastest_bend, too_sharp
from kumi.planning.paths import Path, even_ways
from kumi.planning.relaxing import Chain, relax, ripple
from kumi.planning.space import Space
from kumi.planning.type_checks import as_kind, as_not_negative

MOST_POINTS = 4_000

TRIED_SWINGS = (
    (2.0, 0.0),
    (2.0, 0.3),
    (4.0, 0.3),
    (2.0, 0.6),
    (4.0, 0.6),
    (1.0, 0.6),
    (4.0, 1.0),
    (8.0, 0.0),
)
"""Control points to a length of one least radius, and with how many radii of swing at first, in turn."""

TURN_RADIUS = 1.4
"""The radius of the circles on which a path turns from a given heading, in least radii."""

FREE_TRIES = tuple((float(2**power), 0.0) for power in range(6))
"""The same where any radius will do, to a length of one clearance."""

WIDENED = (1.0, 1.4, 2.0, 2.8, 4.0)
"""How much wider the turns of a spline are made, in turn, until its curvature changes as slowly as it must."""

FREE_STEPS = 24
"""Control points along the whole route where there is no clearance, either, at first."""


def fit_path(
    route: Sequence[PointLike],
    *,
    bias: float = 1.0,
    tension: float = 0.0,
    min_radius: float = 0.0,
    clearance: float = 0.0,
    space: Space | None = None,
    start_heading: float | None = None,
    goal_heading: float | None = None,
    max_curvature_rate: float = inf,
    spacing: float | None = None,
) -> Path:
    """Return a path along a route, with postures at even ways; or raise PathError.

    `min_radius` is that of the tightest turn, in metres, 0 if any will do. The path keeps farther than the
    clearance from the obstacles of the space. `max_curvature_rate` bounds how fast the curvature changes along the
    path, in rad/m²; `cost_of_bound` of the path tells how much longer it is for that. Without such a bound the
    shortest path between two headings has jumps of the curvature. Without a `spacing` in metres there are 1,001
    postures, and those where pieces of such a path meet.
    """
    wish = wish_of(
        route, bias, tension, min_radius, clearance, space, (start_heading, goal_heading), max_curvature_rate
    )
    free = curve = _best(wish, inf)
    if _rate(free) > wish.rate:
        curve = _best(wish, wish.rate)
    ends = as_point(route[0]), as_point(route[-1])
    path = _moved(curve.path(spacing), *ends) if isinstance(curve, Curve) else sample(curve, spacing)
    cost = max(curve.length - free.length, 0.0)
    return replace(_pinned(path, ends, start_heading, goal_heading), cost_of_bound=cost)


def fit_spline(
    route: Sequence[PointLike],
    *,
    bias: float = 1.0,
    tension: float = 0.0,
    min_radius: float = 0.0,
    clearance: float = 0.0,
    space: Space | None = None,
    start_heading: float | None = None,
    goal_heading: float | None = None,
    max_curvature_rate: float = inf,
) -> BetaSpline:
    """Return the β-spline along a route that keeps the limits of `fit_path`, or raise PathError."""
    wish = wish_of(
        route, bias, tension, min_radius, clearance, space, (start_heading, goal_heading), max_curvature_rate
    )
    return _spline(wish, wish.rate)


def sample(spline: BetaSpline, spacing: float | None = None) -> Path:
    """Return the postures of a curve at even ways, no farther apart than a spacing in metres."""
    s = even_ways(spline.length, spacing)
    piece, u = spline.find(s)
    places, rates = spline.places(piece, u), spline.rates(piece, u)
    heading = np.unwrap(atan2(rates[:, 1], rates[:, 0]))
    return Path(places[:, 0], places[:, 1], heading, spline.curvatures(piece, u), s)


def _best(wish: Wish, rate: float) -> Curve | BetaSpline:
    """Return the shortest curve that is found; a spline only where the shortest of all does not do."""
    if wish.headings == (None, None) or not wish.is_straight or not (wish.min_radius or isfinite(rate)):
        return _spline(wish, rate)
    curves = shortest_curves(*wish.ends(), wish.min_radius, rate)
    clear = next((curve for curve in curves if curve.is_clear(wish.space, wish.clearance)), None)
    if clear is curves[0]:
        return clear
    try:
        spline = _spline(wish, rate)
    except PathError:
        if clear is None:
            raise
        return clear
    return spline if clear is None or spline.length < clear.length else clear


def _spline(wish: Wish, rate: float) -> BetaSpline:
    """Return the first spline that keeps all limits, turns being widened where the curvature changes too fast."""
    if not isfinite(rate):
        return _spline_of(wish, wish.min_radius)
    least = max(wish.min_radius, 1.0 / sqrt(2.0 * rate))
    found: list[BetaSpline] = []
    for wider in WIDENED:
        try:
            found.append(_spline_of(wish, least * wider))
        except PathError as error:
            if found:
                break
            words = f"a rate of curvature of {rate:g} rad/m² takes turns of {least:g} m, and {error}"
            raise PathError(words, error.place) from None
        if _rate(found[-1]) <= rate:
            return found[-1]
    raise too_sharp(min(found, key=_rate), wish.min_radius, wish.clearance, rate)


def _spline_of(wish: Wish, radius: float) -> BetaSpline:
    """Return the first spline with a least radius of turns that keeps it, and the clearance."""
    worst: PathVerdict | None = None
    ends = wish.directions
    unit = _unit(wish.places, radius, wish.clearance)
    turns = TURN_RADIUS * unit * ripple(wish.bias, wish.tension)
    guide = with_end_headings(wish.space, wish.places, ends, wish.clearance, turns)
    for fineness, swing in TRIED_SWINGS if radius else FREE_TRIES:
        count = min(max(int(np.ceil(length_of(guide) / unit * fineness)), 4), MOST_POINTS)
        chain = Chain(laid(guide, count), wish.bias, wish.tension, ends)
        found = relax(chain, wish.space, wish.clearance, radius, swing * radius)
        if found.is_good:
            return found.spline
        worst = found if worst is None or found.badness < worst.badness else worst
    assert worst is not None
    raise worst.error(radius, wish.clearance)


def _rate(curve: Curve | BetaSpline) -> float:
    """Return how fast the curvature changes at most, in rad/m²."""
    return curve.rate if isinstance(curve, Curve) else fastest_bend(curve)[0]


def _moved(path: Path, start: Point, goal: Point) -> Path:
    """Return a path from start to goal, with what it missed them by, which is rounding, spread over all of it."""
    share = path.s / path.length
    x = path.x + (start.x - path.x[0]) * (1.0 - share) + (goal.x - path.x[-1]) * share
    y = path.y + (start.y - path.y[0]) * (1.0 - share) + (goal.y - path.y[-1]) * share
    return replace(path, x=x, y=y)


def _pinned(
    path: Path, ends: tuple[Point, Point], start_heading: float | None, goal_heading: float | None
) -> Path:
    """Return a path whose ends are what was asked for, without the last rounding."""
    x, y, heading = path.x.copy(), path.y.copy(), path.heading.copy()
    first, last = path.s == 0.0, path.s == path.length
    for place, here in zip(ends, (first, last), strict=True):
        x[here], y[here] = place
    if start_heading is not None:
        heading += 2 * pi * round((start_heading - heading[0]) / (2 * pi))
        heading[first] = start_heading
    if goal_heading is not None:
        heading[last] = goal_heading + 2 * pi * round((heading[-1] - goal_heading) / (2 * pi))
    return Path(x, y, heading, path.curvature, path.s)


def laid(places: Numbers, count: int) -> Numbers:
    """Return so many points, and one more, at even ways along a chain of places."""
    ways = np.concatenate([[0.0], np.cumsum(hypot(*np.diff(places, axis=0).T))])
    at = np.linspace(0.0, ways[-1], count + 1)
    return np.column_stack([interp(at, ways, places[:, 0]), interp(at, ways, places[:, 1])])


def _unit(places: Numbers, min_radius: float, clearance: float) -> float:
    """Return the length by which a path is measured: its least radius, or its clearance, or a part of it."""
    return min_radius or clearance or length_of(places) / FREE_STEPS


FARTHEST_COORDINATE = 1e9
"""Metres beyond which no place, no radius and no clearance makes sense."""
SLOWEST, FASTEST = 1e-12, 1e12
"""Between these, in rad/m², lie all bounds on the rate of curvature."""

STRAIGHT_TOLERANCE = 1e-12
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
        return length_of(self.places) <= float(whole) * (1.0 + STRAIGHT_TOLERANCE)

    def ends(self) -> tuple[CurveEnd, CurveEnd]:
        """Return start and goal with their headings."""
        start, goal = (Point(*place) for place in self.places[[0, -1]].tolist())
        return CurveEnd(start, self.headings[0]), CurveEnd(goal, self.headings[1])


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
        if as_not_negative(value, name) > FARTHEST_COORDINATE:
            raise ValueError(f"{name} is a number of metres up to {FARTHEST_COORDINATE:g}, not {value!r}")
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
    if any(max(abs(point.x), abs(point.y)) > FARTHEST_COORDINATE for point in kept):
        raise ValueError(f"the places of a route lie within {FARTHEST_COORDINATE:g} m of the origin")
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
