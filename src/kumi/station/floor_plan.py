"""The plan of the floor, as a device of a robot: which way leads to a place, around what stands there?

A program asks for the places of a way and drives to one after the other. What is not on the plan, such as other robots, may still
be in the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kumi.geometry import Bounds, Point, PointLike, as_point
from kumi.planning import Space, plan_route

FREE_MARGIN = 0.05
"""Metres that planned ways keep free around a robot, where there is room."""


class Placed(Protocol):
    """Whoever is somewhere."""

    @property
    def position(self) -> Point:
        """Where it is."""


class FloorPlan:
    """Plans ways over a space for a robot of a radius."""

    offered = ("route",)

    def __init__(self, space: Callable[[], Space], radius: float, body: Placed | None = None) -> None:
        self._space, self._radius, self._body = space, radius, body

    def attached_to(self, body: Placed) -> FloorPlan:
        """Give this plan to a body."""
        return FloorPlan(self._space, self._radius, body)

    @property
    def bounds(self) -> Bounds | None:
        """The borders of the floor, where it has some."""
        return self._space().bounds

    async def read(self) -> Bounds | None:
        """Return the borders of the floor, as other sensors return what they read."""
        return self.bounds

    def route(self, goal: PointLike) -> tuple[Point, ...]:
        """Return the places of a way from here to a goal; ValueError where there is none."""
        assert self._body is not None
        goal = as_point(goal, "a goal")
        return way_over(self._space(), self._body.position, goal, self._radius)


def way_over(space: Space, start: Point, goal: Point, radius: float) -> tuple[Point, ...]:
    """Return the places of a way that keeps a margin where it can; ValueError where there is no way."""
    why = ""
    for clearance in (radius + FREE_MARGIN, radius):
        try:
            route = plan_route(space, start, goal, clearance)
        except ValueError as error:
            why = f"unwalkable: {error}"
        else:
            if route is not None:
                return tuple(route[1:])
            why = f"no path to ({goal.x:g}, {goal.y:g})"
    raise ValueError(why)
