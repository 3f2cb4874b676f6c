"""Which way is sure not to be refused? One around what others hold, or one out of their way.

A way is refused if its robot would wait, by way of others perhaps, for a robot that waits for it. A robot that waits for it
because of the floor that it holds is known before its way is. So a way is not refused, announced at that instant, if

- it keeps clear of what those hold who wait for its robot, and of what robots hold that are gone;
- it keeps clear of the places where all others will stay, since those would have to wait for it as well;
- its end, if its robot stays there, keeps clear of the ways of those who wait for it.

Nor is it refused if it keeps clear of all that others hold, and its end of their ways: then its robot waits for nobody.
`way_to` looks for the shortest of the first kind that keeps clear of robots at rest, too, then for one of the second
kind, and at last for one on which it waits until those at rest have gone. `way_aside` leads to a place near by that is
on nobody's way, for a robot that stands where others have to pass.

If all robots go where `way_to` leads, and the floor is well formed, there is always such a way: from each place where
a robot stands one leads to its goal that keeps clear of all places where others stand or will stay. So each robot
comes to its goal, however many there are (Čáp, Vokřínek and Kleiner, "Complete decentralized method for on-line
multi-robot trajectory planning in well-formed infrastructures", 2015). On another floor it may have to step aside,
and in a dead end there may be nowhere to go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Generic

import numpy as np

from kumi.geometry import Bounds, Point, PointLike
from kumi.planning.routes import plan_route
from kumi.planning.space import PlanError, Space, WallSpace, check_ends
from kumi.reserving import Bookings, Way, Zone
from kumi.reserving.booking import Owner
from kumi.reserving.zone import pieces

LATTICE_STEPS = 32
"""How many steps the lattice of places to step aside to goes to each side."""
MOST_PLACES = 8
"""To how many places, the nearest first, a way aside is looked for."""


def way_to(
    bookings: Bookings[Owner],
    robot: Owner,
    start: PointLike,
    goal: PointLike,
    *,
    chunk: float = inf,
    stays: bool = True,
    space: Space | None = None,
) -> Way | None:
    """Return a way to a goal that will not be refused if it is announced now, or None.

    It is as wide as what the robot holds, and keeps that far from the obstacles of the space.
    """
    around = _Surroundings(bookings, robot, space or Space())
    one, other = check_ends(around.space, start, goal, around.radius)
    if one == other:
        return None
    end = Zone((other,), around.radius)
    for closed, passing in around.kinds():
        if stays and any(end.overlaps(zone) for zone in passing):
            continue
        way = around.way(closed, one, other, chunk, stays=stays)
        if way is not None:
            return way
    return None


def way_aside(
    bookings: Bookings[Owner],
    robot: Owner,
    start: PointLike,
    *,
    chunk: float = inf,
    space: Space | None = None,
) -> Way | None:
    """Return a way to a place near by on which nobody has to pass; None if there is none, or nobody waits for the robot.

    It will not be refused if it is announced now. Places on a lattice of half a radius are looked at, and farther away
    on wider ones; a nook that is hardly larger than the robot may be missed.
    """
    around = _Surroundings(bookings, robot, space or Space())
    here, _ = check_ends(around.space, start, start, around.radius)
    if not around.behind:
        return None
    kinds = list(around.kinds())
    for place in islice(around.free_places(here), MOST_PLACES):
        for closed, _ in kinds:
            way = around.way(closed, here, place, chunk, stays=False)
            if way is not None:
                return way
    return None


@dataclass
class _Surroundings(Generic[Owner]):
    """What others hold and want, as one robot sees it."""

    bookings: Bookings[Owner]
    robot: Owner
    space: Space

    def __post_init__(self) -> None:
        self.mine = self.held(self.robot)
        if not self.mine:
            raise ValueError(f"{self.robot} is nowhere: nothing was granted to it")
        self.radius = max(zone.radius for zone in self.mine)
        self.behind = self.bookings.waiting_for(self.robot)
        self.others = [owner for owner in self.bookings.owners if owner != self.robot]

    def held(self, owner: Owner) -> list[Zone]:
        return [booking.zone for booking in self.bookings.of(owner) if booking.is_granted]

    def ahead(self, owners: Iterable[Owner]) -> list[Zone]:
        return [booking.zone for owner in owners for booking in self.bookings.ahead(owner)]

    def kinds(self) -> Iterator[tuple[list[Zone], list[Zone]]]:
        """Go through what a way may keep clear of, and what its end then has to keep clear of."""
        fixed = [owner for owner in self.others if owner in self.behind or self.bookings.is_gone(owner)]
        at_rest = [owner for owner in self.others if owner not in fixed and not self.ahead([owner])]
        ends = [zone for owner in self.others if owner not in self.behind for zone in self._end_of(owner)]
        behind = self.ahead(self.behind)
        yield [*self._held_by([*fixed, *at_rest]), *ends], behind
        yield self._held_by(self.others), self.ahead(self.others)
        if at_rest:
            yield [*self._held_by(fixed), *ends], behind

    def _held_by(self, owners: Iterable[Owner]) -> list[Zone]:
        return [zone for owner in owners for zone in self.held(owner)]

    def _end_of(self, owner: Owner) -> list[Zone]:
        """Return the place where a robot will stay, if this one is not there now: that one waits for it anyway."""
        end = self.bookings.end_of(owner)
        return [] if end is None or any(end.overlaps(zone) for zone in self.mine) else [end]

    def way(self, closed: list[Zone], start: Point, goal: Point, chunk: float, *, stays: bool) -> Way | None:
        """Return the shortest way that keeps clear of zones, or None."""
        try:
            route = plan_route(self._with(closed), start, goal, self.radius)
        except PlanError:  # an end lies in a zone
            return None
        return None if route is None else Way.along(route, self.radius, chunk, stays=stays)

    def free_places(self, here: Point) -> Iterator[Point]:
        """Go through places on which nobody is, will stay or has to pass, about the nearest first."""
        ends = [end for owner in self.others if (end := self.bookings.end_of(owner)) is not None]
        space = self._with([*self._held_by(self.others), *self.ahead(self.others), *ends])
        box = space.window([here], 4.0 * self.radius)
        far = max(here.x - box.left, box.right - here.x, here.y - box.bottom, box.top - here.y)
        step = self.radius / 2.0 or far / LATTICE_STEPS
        while True:
            places = _lattice(here, step, box)
            free = places[space.clearances(places, self.radius) > self.radius]
            yield from (Point(*place) for place in free.tolist())
            if step * LATTICE_STEPS >= far:
                return
            step *= 4.0

    def _with(self, zones: Iterable[Zone]) -> Space:
        """Return the space with zones as obstacles."""
        walls = (WallSpace(*piece, 2.0 * zone.radius) for zone in zones for piece in pieces(zone.path))
        return Space((*self.space.obstacles, *walls), self.space.bounds)


def _lattice(here: Point, step: float, box: Bounds) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return places around one, the nearest first, as far as they lie in a rectangle."""
    side = np.arange(-LATTICE_STEPS, LATTICE_STEPS + 1) * step
    x, y = (each.ravel() for each in np.meshgrid(side, side))
    order = np.argsort(x * x + y * y, kind="stable")
    x, y = here.x + x[order], here.y + y[order]
    within = (x >= box.left) & (x <= box.right) & (y >= box.bottom) & (y <= box.top)
    return np.column_stack([x[within], y[within]])
