"""Which route is the shortest?

Around an obstacle inflated by the clearance the shortest way bends at convex corners, which are round. A
route has straight legs, so each round part is taken as the polygon around it whose sides touch it: with n
sides to a full circle, or more around what is large, so that no corner sticks out by more than 1/cos(π/n) - 1
of the clearance. A* then looks for the shortest way through the corners of these polygons, and tests sight
from each corner it comes to. Legs that would not touch both polygons at their corners are left out: no
shortest way has one.

The route is the shortest among all ways around these polygons. Against a way with true arcs only what goes
around is longer, by at most tan(π/n)/(π/n): 5.5 % for 8 sides, 1.3 % for 16. The polygons close a gap that is
passable, but by less than they stick out, 8 % of the clearance for 8 sides; so n is doubled up to 128, where
that is 0.03 %, before it is said that there is no route. Routes keep a micrometre more than the clearance.

Lozano-Pérez and Wesley, "An algorithm for planning collision-free paths among polyhedral obstacles", 1979.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import ceil, pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Circle, Outline, Point, Segment
from kumi.maths import acos, cos, hypot, sin
from kumi.planning.distances import Numbers
from kumi.planning.space import WallSpace

if TYPE_CHECKING:
    from kumi.planning.criteria import Criterion
    from kumi.planning.space import Obstacle, Space

CLEARANCE_MARGIN = 1e-6
"""Metres that routes keep beyond the clearance, so that rounding never takes it away."""

MOST_SIDES = 128
GREED = 2.0
"""How much more than its length the way ahead counts in a first search, which is fast but not exact."""

PARALLEL = 1e-9
ROUNDING = 1e-15
"""The share of a coordinate by which a place may be off."""


@dataclass(frozen=True, eq=False)
class ObstacleCorners:
    """Corners of the polygons around obstacles, and the directions in which their sides come and leave."""

    place: Numbers
    comes: Numbers
    leaves: Numbers


def visibility_route(
    space: Space, start: Point, goal: Point, clearance: float, criterion: Criterion, sides: int = 8
) -> list[Point] | None:
    """Return the shortest route, or None. Round parts have so many sides, or more where that finds none."""
    while True:
        corners = _corners(space, clearance, sides)
        graph = _Graph(space, corners, start, goal, clearance, criterion)
        found = graph.search(greed=GREED)
        if found:
            # What a greedy search found is a bound: no corner beyond it need be looked at again.
            found = graph.search(limit=found[1] * (1 + 1e-9)) or found
        if found or sides >= MOST_SIDES or not len(space.obstacles):
            return found[0] if found else None
        sides *= 2


class _Graph:
    """Corners, start and goal, between which ways are looked for."""

    def __init__(
        self,
        space: Space,
        corners: ObstacleCorners,
        start: Point,
        goal: Point,
        clearance: float,
        criterion: Criterion,
    ) -> None:
        self.space, self.corners, self.clearance, self.criterion = space, corners, clearance, criterion
        self.places = np.vstack([corners.place, [tuple(start)], [tuple(goal)]])
        self.ahead: Numbers = hypot(*(self.places - self.places[-1]).T)
        self._seen: dict[int, NDArray[np.int64]] = {}

    def search(self, *, greed: float = 1.0, limit: float = np.inf) -> tuple[list[Point], float] | None:
        """Return a way that costs no more than a limit, with its cost, or None; without greed the cheapest."""
        last = len(self.places) - 1
        costs, before = np.full(last + 1, np.inf), np.full(last + 1, -1)
        done = np.zeros(last + 1, dtype=np.bool_)
        costs[last - 1] = 0.0
        queue: list[tuple[float, int]] = [(0.0, last - 1)]
        while queue:
            _, here = heapq.heappop(queue)
            if here == last:
                return _back(self.places, before, last), float(costs[last])
            if done[here]:
                continue
            done[here] = True
            there, total = self._ways_from(here, done, float(costs[here]), limit)
            is_better = total < costs[there]
            there, total = there[is_better], total[is_better]
            costs[there], before[there] = total, here
            for cost, node in zip((total + greed * self.ahead[there]).tolist(), there.tolist(), strict=True):
                heapq.heappush(queue, (cost, node))
        return None

    def _ways_from(
        self, here: int, done: NDArray[np.bool_], cost: float, limit: float
    ) -> tuple[NDArray[np.int64], Numbers]:
        """Return the places seen from one, and what it costs to come to them, as far as the limit allows."""
        known = self._seen.get(here)
        there = _useful(self.places, self.corners, here) if known is None else known
        if known is not None or limit < np.inf:
            there = there[~done[there]]
            least = cost + hypot(*(self.places[there] - self.places[here]).T) + self.ahead[there]
            there = there[least <= limit]
        if known is None:
            from_here = np.repeat(self.places[here : here + 1], len(there), axis=0)
            there = there[self.space.sees(from_here, self.places[there], self.clearance)]
        if limit == np.inf:
            # All that is seen from here, for the search with a limit as well.
            self._seen[here] = there
            there = there[~done[there]]
        return there, cost + self.criterion.of_ways(self.space, self.places[here], self.places[there])


def _useful(places: Numbers, corners: ObstacleCorners, here: int) -> NDArray[np.int64]:
    """Return the places to which a shortest way may go on from here, seen or not."""
    count = len(corners.place)
    way = places - places[here]
    length = hypot(way[:, 0], way[:, 1])
    way = way / np.where(length > 0, length, 1.0)[:, None]
    useful = length > 0
    # Between corners that almost coincide rounding turns the direction of the way.
    turned = PARALLEL + ROUNDING * np.abs(places).max() / np.where(length > 0, length, 1.0)
    useful[:count] &= _touches(way[:count], corners.comes, corners.leaves, turned[:count])
    if here < count:
        useful &= _touches(way, corners.comes[here], corners.leaves[here], turned)
    return np.flatnonzero(useful)


def _touches(way: Numbers, comes: Numbers, leaves: Numbers, turned: Numbers) -> NDArray[np.bool_]:
    """Tell whether the line through a corner in a direction, known so well, has the polygon on one side."""
    of_comes = way[:, 0] * comes[..., 1] - way[:, 1] * comes[..., 0]
    of_leaves = way[:, 0] * leaves[..., 1] - way[:, 1] * leaves[..., 0]
    touches: NDArray[np.bool_] = (of_comes * of_leaves <= 0) | (
        np.minimum(np.abs(of_comes), np.abs(of_leaves)) < turned
    )
    return touches


def _back(places: Numbers, before: NDArray[np.int64], last: int) -> list[Point]:
    chain = [last]
    while before[chain[-1]] >= 0:
        chain.append(int(before[chain[-1]]))
    return [Point(*places[node].tolist()) for node in reversed(chain)]


def _corners(space: Space, clearance: float, sides: int) -> ObstacleCorners:
    """Return the free corners of the polygons around all inflated obstacles."""
    fans = [
        (*centre, radius + clearance + CLEARANCE_MARGIN, start, end, _sides(radius, clearance, sides))
        for thing in space.obstacles
        for centre, radius, start, end in _fans(thing)
    ]
    place, comes, leaves = _around(np.array(fans).reshape(-1, 6))
    free = space.clearances(place, clearance) > clearance
    return ObstacleCorners(place[free], comes[free], leaves[free])


def _fans(thing: Obstacle) -> list[tuple[tuple[float, float], float, float, float]]:
    """Return the round parts of an inflated obstacle: centre, radius, and from which direction to which."""
    match thing:
        case Circle(centre, radius):
            return [((centre.x, centre.y), radius, -pi, pi)]
        case WallSpace(start, end, thickness):
            return _ends_of_wall(start, end, thickness / 2)
        case Segment(start, end):
            return _ends_of_wall(start, end, 0.0)
        case Outline(corners):
            return _fans_of_outline(corners)
    raise AssertionError(thing)


def _ends_of_wall(
    start: Point, end: Point, radius: float
) -> list[tuple[tuple[float, float], float, float, float]]:
    if start == end:
        return [((start.x, start.y), radius, -pi, pi)]
    along = (end - start).direction
    right, left = along - pi / 2, along + pi / 2
    return [((end.x, end.y), radius, right, left), ((start.x, start.y), radius, left, left + pi)]


def _fans_of_outline(corners: tuple[Point, ...]) -> list[tuple[tuple[float, float], float, float, float]]:
    """Return a fan for each corner at which the outline, counter-clockwise, bends to the left."""
    fans = []
    for before, here, after in zip(
        (corners[-1], *corners[:-1]), corners, (*corners[1:], corners[0]), strict=True
    ):
        came, goes = here - before, after - here
        turn = Point(came.dot(goes), came.cross(goes)).direction
        if turn > 0:
            normal = came.direction - pi / 2
            fans.append(((here.x, here.y), 0.0, normal, normal + turn))
    return fans


def _sides(radius: float, clearance: float, sides: int) -> int:
    """Return with how many sides a polygon around a rounding sticks out no more than one around the robot."""
    share = (1 / cos(pi / sides) - 1) * clearance / (radius + clearance + CLEARANCE_MARGIN)
    needed = pi / acos(1 / (1 + share)) if share > 0 else MOST_SIDES
    return max(sides, 4 * ceil(min(needed, MOST_SIDES) / 4 - 1e-9)) if radius > 0 else sides


def _around(fans: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the corners of the polygons around arcs, whose first and last sides touch the ends of the arcs.

    A row has the centre, the radius, the first and the last direction, and the number of sides to a full circle.
    """
    x, y, radius, start, end, sides = fans.T
    pieces = np.maximum(1, np.ceil((end - start) / (2 * pi / sides) - 1e-9)).astype(np.int64)
    step = (end - start) / pieces
    fan = np.repeat(np.arange(len(fans)), pieces)
    number = np.arange(len(fan)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    # Half a turn in one piece has no corner; with four sides or more there is none such.
    at, half = start[fan] + step[fan] * (number + 0.5), step[fan] / 2
    reach = radius[fan] / cos(half)
    place = np.column_stack([x[fan] + reach * cos(at), y[fan] + reach * sin(at)])
    behind, ahead = at + pi / 2 - half, at + pi / 2 + half
    return (
        place,
        np.column_stack([cos(behind), sin(behind)]),
        np.column_stack([cos(ahead), sin(ahead)]),
    )
