"""Over which sub-goals does a robot get to its goal?

A route is a tuple of points, from the start to the goal; from each the next is seen with the clearance. There
are four ways to find one, behind one function:

- "visibility": the shortest, along the inflated obstacles; see `visibility` for how near to it.
- "grid": the cheapest path over cells of the configuration space, cut short; see `grid_routes`.
- "voronoi": as far from obstacles on the left as on the right; see `voronoi`.
- "cells": through free squares of all sizes, cut short; see `cells`.

None is returned if there is no route, as far as the way of looking can tell: see there. A start or a goal that
is blocked or outside is an error. Every route is tested once more, exactly, before it is returned.
"""

from __future__ import annotations

from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_several, shown
from kumi.planning.cells import cells_route, decompose
from kumi.planning.criteria import LENGTH, Criterion
from kumi.planning.field import size_of_cell
from kumi.planning.grid_routes import as_points, grid_route, shortened, strays, turns, voronoi_route
from kumi.planning.space import PlanError, Space, check_ends
from kumi.planning.type_checks import as_kind
from kumi.planning.visibility import visibility_route

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kumi.geometry import Bounds
    from kumi.planning.distances import Numbers

Route: TypeAlias = tuple[Point, ...]
"""Points of which each sees the next, the start and the goal included."""

By: TypeAlias = Literal["visibility", "grid", "voronoi", "cells"]

ROUND_ABOUT = 4.0
"""Room around everything in an endless space, in clearances, so that ways lead around what is outermost."""


def plan_route(
    space: Space,
    start: PointLike,
    goal: PointLike,
    clearance: float,
    *,
    by: By = "visibility",
    criterion: Criterion = LENGTH,
    cell: float | None = None,
) -> Route | None:
    """Return a route that keeps farther than the clearance from obstacles and borders, or None.

    The clearance is in metres: the radius of a round robot, and what is to be kept free around it. `cell` is
    the side of the (smallest) cells in metres for all ways but "visibility"; the criterion is length unless
    another is given.
    """
    as_kind(space, Space, "a space")
    as_kind(criterion, Criterion, "a criterion")
    if not isinstance(by, str):
        raise TypeError(f"a way to find a route is one of four words, not {shown(by)}")
    one, other = check_ends(space, start, goal, clearance)
    if one == other:
        return (one, other)
    if by == "visibility":
        found = visibility_route(space, one, other, clearance, criterion)
        return _checked(space, found, clearance)
    window = _window(space, one, other, clearance, cell)
    size = size_of_cell(window, clearance) if cell is None else cell
    chain: list[Point] | None
    match by:
        case "grid":
            places = grid_route(space, window, one, other, clearance, criterion, size)
            chain = _cut_short(space, places, clearance, criterion)
        case "cells":
            pieces = decompose(space, window, clearance, size)
            places = cells_route(space, pieces, one, other, clearance, criterion)
            chain = _cut_short(space, places, clearance, criterion)
        case "voronoi":
            along = voronoi_route(space, window, one, other, clearance, criterion, size)
            chain = None if along is None else _thinned(space, *along, clearance)
        case _:
            raise PlanError(f'a route is found by "visibility", "grid", "voronoi" or "cells", not by {by!r}')
    return _checked(space, chain, clearance)


def route_length(route: Route) -> float:
    """Return the length of a route in metres."""
    points = [as_point(place, "a place of a route") for place in as_several(route, "the places of a route")]
    return fsum(one.distance_to(other) for one, other in pairwise(points))


def _window(space: Space, start: Point, goal: Point, clearance: float, cell: float | None) -> Bounds:
    room = ROUND_ABOUT * max(clearance, cell or 0.0) + 0.05 * start.distance_to(goal)
    return space.window((start, goal), room)


def _cut_short(
    space: Space, places: Numbers | None, clearance: float, criterion: Criterion
) -> list[Point] | None:
    """Return the sub-goals of the shortest way through a part of the places, or all turns if length is not all."""
    if places is None:
        return None
    at = places[turns(places)]
    if criterion.per_metre is not None:
        return as_points(at)

    def allowed(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
        return space.sees(at[one], at[other], clearance)

    return as_points(at[shortened(at, allowed)])


def _thinned(space: Space, places: Numbers, cell: float, clearance: float) -> list[Point]:
    """Return sub-goals between which the places lie within two cells of the straight way."""
    at = places[turns(places)]

    def allowed(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
        return space.sees(at[one], at[other], clearance) & (strays(at, one, other) <= 2 * cell)

    return as_points(at[shortened(at, allowed)])


def _checked(space: Space, chain: list[Point] | None, clearance: float) -> Route | None:
    if chain is None:
        return None
    places = np.array([tuple(point) for point in chain])
    assert space.sees(places[:-1], places[1:], clearance).all(), chain
    return tuple(chain)
