"""Which smooth path follows a route?

Control points of a β-spline are laid along the route at even steps, half the least turning radius apart or
finer. The curve cuts corners; so where it bends too much, or comes too near to an obstacle, `relaxing` moves
the points until both limits hold, and `verdict` judges the curve. If that fails, other steps and wider swings
around obstacles are tried, and if none does, the error says where it cannot be. Nothing is returned that was not tested:

- obstacles: the straight ways between 16 places a piece, less how far a cubic can leave them, are exact;
- the radius: at the same 16 places a piece, joints included.

The path begins and ends exactly at the ends of the route, straight (with curvature 0). Where a heading is
asked for it is exact, too; elsewhere the path takes the one that suits it. It goes near sub-goals, not through
them, and a route that folds back on itself is cut short. A failure is no proof that there is no path of
another family, or around another side of an obstacle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, inf, pi, sin

import numpy as np

from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_number, as_real, as_several
from kumi.planning.beta_spline import BetaSpline, Numbers, coefficients
from kumi.planning.kinds import as_kind, as_not_negative
from kumi.planning.leads import length_of, with_leads
from kumi.planning.paths import Path
from kumi.planning.relaxing import Chain, relax, ripple
from kumi.planning.space import Space
from kumi.planning.verdict import PathError, Verdict

MOST_POINTS = 4_000
MOST_POSTURES = 10_000_000
FARTHEST = 1e9
"""Metres beyond which no place, no radius and no clearance makes sense."""
TRIES = ((2.0, 0.0), (2.0, 0.3), (4.0, 0.3), (2.0, 0.6), (4.0, 0.6), (1.0, 0.6), (4.0, 1.0), (8.0, 0.0))
"""Control points to a length of one least radius, and with how many radii of swing at first, in turn."""

WIDER = 1.4
"""The radius of the circles on which a path turns from a given heading, in least radii."""

FREE_TRIES = tuple((2.0**power, 0.0) for power in range(6))
"""The same where any radius will do, to a length of one clearance."""

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
    spacing: float | None = None,
) -> Path:
    """Return a path of continuous curvature along a route, with postures at even ways; or raise PathError.

    `min_radius` is that of the tightest turn, in metres, 0 if any will do. The path keeps farther than the
    clearance from the obstacles of the space. Without a `spacing` in metres there are 1,001 postures.
    """
    spline = fit_spline(
        route,
        bias=bias,
        tension=tension,
        min_radius=min_radius,
        clearance=clearance,
        space=space,
        start_heading=start_heading,
        goal_heading=goal_heading,
    )
    ends = as_point(route[0]), as_point(route[-1])
    return _pinned(sample(spline, spacing), ends, start_heading, goal_heading)


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
) -> BetaSpline:
    """Return the curve of `fit_path`."""
    places = _as_route(route)
    coefficients(bias, tension)
    for value, name in ((min_radius, "the least turning radius"), (clearance, "the clearance of a path")):
        if as_not_negative(value, name) > FARTHEST:
            raise ValueError(f"{name} is a number of metres up to {FARTHEST:g}, not {value!r}")
    if space is None and clearance > 0.0:
        raise ValueError(f"a clearance of {clearance:g} m is kept from the obstacles of a space; give one")
    room = Space() if space is None else as_kind(space, Space, "a space")
    ends = (
        _direction(start_heading, "the heading at the start"),
        _direction(goal_heading, "the heading at the goal"),
    )
    _check_on_route(room, places, clearance)
    worst: Verdict | None = None
    unit = _unit(places, min_radius, clearance)
    guide = with_leads(room, places, ends, clearance, WIDER * unit * ripple(bias, tension))
    for fineness, swing in TRIES if min_radius else FREE_TRIES:
        count = min(max(int(np.ceil(length_of(guide) / unit * fineness)), 4), MOST_POINTS)
        chain = Chain(laid(guide, count), bias, tension, ends)
        found = relax(chain, room, clearance, min_radius, swing * min_radius)
        if found.is_good:
            return found.spline
        worst = found if worst is None or found.badness < worst.badness else worst
    assert worst is not None
    raise worst.error(min_radius, clearance)


def sample(spline: BetaSpline, spacing: float | None = None) -> Path:
    """Return the postures of a curve at even ways, no farther apart than a spacing in metres."""
    if spacing is not None and not 0 < as_real(spacing, "the spacing of postures") < inf:
        raise ValueError(f"the spacing of postures is a finite number of metres > 0, not {spacing!r}")
    if spacing is not None and spline.length > MOST_POSTURES * spacing:
        raise ValueError(
            f"{spline.length:g} m with a posture each {spacing:g} m are more than {MOST_POSTURES:,} postures"
        )
    steps = 1000 if spacing is None else max(1, int(np.ceil(spline.length / spacing - 1e-9)))
    s = np.linspace(0.0, spline.length, steps + 1)
    piece, u = spline.find(s)
    places, rates = spline.places(piece, u), spline.rates(piece, u)
    heading = np.unwrap(np.arctan2(rates[:, 1], rates[:, 0]))
    return Path(places[:, 0], places[:, 1], heading, spline.curvatures(piece, u), s)


def _pinned(
    path: Path, ends: tuple[Point, Point], start_heading: float | None, goal_heading: float | None
) -> Path:
    """Return a path whose ends are what was asked for, without the last rounding."""
    x, y, heading = path.x.copy(), path.y.copy(), path.heading.copy()
    (x[0], y[0]), (x[-1], y[-1]) = ends
    if start_heading is not None:
        heading += 2 * pi * round((start_heading - heading[0]) / (2 * pi))
        heading[0] = start_heading
    if goal_heading is not None:
        heading[-1] = goal_heading + 2 * pi * round((heading[-1] - goal_heading) / (2 * pi))
    return Path(x, y, heading, path.curvature, path.s)


def laid(places: Numbers, count: int) -> Numbers:
    """Return so many points, and one more, at even ways along a chain of places."""
    ways = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(places, axis=0).T))])
    at = np.linspace(0.0, ways[-1], count + 1)
    return np.column_stack([np.interp(at, ways, places[:, 0]), np.interp(at, ways, places[:, 1])])


def _unit(places: Numbers, min_radius: float, clearance: float) -> float:
    """Return the length by which a path is measured: its least radius, or its clearance, or a part of it."""
    return min_radius or clearance or length_of(places) / FREE_STEPS


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


def _direction(heading: float | None, name: str) -> Point | None:
    if heading is None:
        return None
    angle = as_number(heading, name)
    return Point(cos(angle), sin(angle))


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
