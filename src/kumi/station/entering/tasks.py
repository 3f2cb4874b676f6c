"""The tasks that every robot of ours can do: goTo, followPath.

Ways are planned on the robot's own copy of the map, around what stands there and what was discovered. Where something is in the
way that the map does not know, the robot backs off and plans anew around it, a few times.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec

from kumi.contract.errors import BadGoal, Blocked
from kumi.experiment.spaces import space_of
from kumi.geometry import Circle, Point
from kumi.planning import Space, plan_route
from kumi.robot import Robot
from kumi.station.entering.desk import Desk
from kumi.station.entering.errands import Doing, Failed
from kumi.station.records import Parameter, Spot, TaskOption
from kumi.world import map_from_table

OPTIONS = (
    TaskOption(
        name="goTo", about="go there, around obstacles", parameters=(Parameter(name="at", kind="spot"),)
    ),
    TaskOption(
        name="followPath",
        about="go straight from each place to the next",
        parameters=(Parameter(name="path", kind="spots"),),
    ),
)
MARGIN = 0.05
"""Metres that are kept free around a robot, besides its own size."""
BACK = 0.1
"""Metres to back off from what is in the way."""
ATTEMPTS = 5
"""Ways that are tried before a robot gives up."""
REMEMBERED = 0.2
"""Metres around a contact that the next way leaves out."""


class Driver:
    """Takes a robot of some size to places."""

    def __init__(self, radius: float) -> None:
        self.radius = radius
        self._space: tuple[int, Space] | None = None

    @property
    def tasks(self) -> dict[str, Doing]:
        """How each task is done."""
        return {"goTo": self.go_to, "followPath": self.follow_path}

    async def go_to(self, robot: Robot, desk: Desk, arguments: dict[str, Any]) -> str:
        """Go to a place, around obstacles."""
        spot = msgspec.convert(arguments["at"], Spot)
        goal = Point(spot.x, spot.y)
        met: list[Circle] = []
        for _ in range(ATTEMPTS):
            try:
                await self._drive(robot, desk, self._route(robot, desk, goal, met))
            except Blocked as blocked:
                met.append(Circle(blocked.at, REMEMBERED))
                await _back_off(robot)
            else:
                return f"at ({robot.position.x:.2f}, {robot.position.y:.2f})"
        raise Failed(f"no path: {len(met)} things were in the way that the map does not know")

    async def follow_path(self, robot: Robot, desk: Desk, arguments: dict[str, Any]) -> str:
        """Go from place to place, in straight lines."""
        spots = msgspec.convert(arguments["path"], tuple[Spot, ...])
        await self._drive(robot, desk, [Point(spot.x, spot.y) for spot in spots])
        return f"{len(spots)} places, at ({robot.position.x:.2f}, {robot.position.y:.2f})"

    async def _drive(self, robot: Robot, desk: Desk, route: list[Point]) -> None:
        for place in route:
            desk.breathe()
            try:
                await robot.move_to(place)
            except BadGoal as error:
                raise Failed(f"unwalkable: {error}") from error

    def _route(self, robot: Robot, desk: Desk, goal: Point, met: list[Circle]) -> list[Point]:
        space = self._known(desk)
        if met:
            space = Space([*space.obstacles, *met], space.bounds)
        why = ""
        for clearance in (self.radius + MARGIN, self.radius):
            try:
                route = plan_route(space, robot.position, goal, clearance)
            except ValueError as error:
                why = f"unwalkable: {error}"
            else:
                if route is not None:
                    return list(route[1:])
                why = f"no path to ({goal.x:g}, {goal.y:g})"
        raise Failed(why)

    def _known(self, desk: Desk) -> Space:
        """Return the space of the map that the robot has; without a map, an open plane."""
        if desk.map is None or desk.map.map is None:
            return Space([], None)
        if self._space is None or self._space[0] != desk.map.version:
            self._space = desk.map.version, space_of(map_from_table(desk.map.map, "map"))
        return self._space[1]


async def _back_off(robot: Robot) -> None:
    with suppress(Blocked):  # between two things, the next way may lead out sideways
        await robot.back_up(BACK)
