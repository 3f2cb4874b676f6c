"""The tasks that every robot of ours can do: goTo, followPath.

What a robot with a camera can do besides is in `examining`.

Ways are planned on the robot's own copy of the map, around what stands there and what was discovered. Where something is in the
way that the map does not know, the robot backs off and plans anew around it, a few times.

Where other robots are in the way it goes around them, waits for them, or steps aside to where nobody is, in turn. All that it
waits in vain is added up, so a task whose way stays blocked fails in words after three minutes of waiting, or sixty turns.
"""

from __future__ import annotations

from contextlib import suppress
from math import tau
from typing import Any

import msgspec

from kumi.contract.errors import BadGoal, Blocked
from kumi.devs import sleep
from kumi.geometry import Circle, Point
from kumi.planning import Space
from kumi.robot import Robot
from kumi.scenario.spaces import space_of
from kumi.station.entering.task_client import TaskClient
from kumi.station.entering.task_loop import Doing, TaskFailed
from kumi.station.floor.requesting import GRANT_TIMEOUT, NotGranted, RobotFloor
from kumi.station.floor_plan import way_over
from kumi.station.records import Parameter, PlaceRecord, TaskOption
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
BACK_UP = 0.1
"""Metres to back off from what is in the way."""
ATTEMPTS = 5
"""Ways that are tried before a robot gives up."""
ARRIVAL_TOLERANCE = 0.05
"""Metres from a place at which a robot is there, where the station corrected it on the way."""
APPROACHES = 4
"""Times that a robot drives to one place, because it was corrected on the way."""
RETRY_PAUSE = 0.5
"""Seconds until a robot looks again for a way among others."""
TURNS = 60
"""Times that a robot looks for a way among others before it gives up."""
MOST_WAITS = 3
"""Minutes that a robot waits in vain for floor, in all, before it gives up."""
ASIDE_PLACES = 8
"""Directions in which a robot looks for a place to let others pass."""
IN_THE_WAY = "no path: other robots are in the way"
REMEMBERED = 0.2
"""Metres around a contact that the next way leaves out."""


class WaitBudget:
    """What a robot has waited in vain, for one task."""

    def __init__(self) -> None:
        self._waited = 0.0

    def lose(self, refused: NotGranted) -> None:
        """Count a wait; Failed where it was one too many."""
        self._waited += refused.waited
        if self._waited >= MOST_WAITS * GRANT_TIMEOUT:
            raise TaskFailed(IN_THE_WAY) from refused


class RouteDriver:
    """Takes a robot of some size to places."""

    def __init__(self, radius: float, floor: RobotFloor | None = None) -> None:
        self.radius = radius
        self._floor = floor
        self._space: tuple[int, Space] | None = None

    @property
    def tasks(self) -> dict[str, Doing]:
        """How each task is done."""
        return {"goTo": self.go_to, "followPath": self.follow_path}

    async def go_to(self, robot: Robot, client: TaskClient, arguments: dict[str, Any]) -> str:
        """Go to a place, around obstacles."""
        spot = msgspec.convert(arguments["at"], PlaceRecord)
        goal = Point(spot.x, spot.y)
        met: list[Circle] = []
        budget = WaitBudget()
        for _ in range(ATTEMPTS):
            try:
                await self._go(robot, client, goal, met, budget)
            except Blocked as blocked:
                met.append(Circle(client.correction.to_station(blocked.at), REMEMBERED))
                await _back_off(robot)
            else:
                return f"at {shown(robot, client)}"
        raise TaskFailed(f"no path: {len(met)} things were in the way that the map does not know")

    async def follow_path(self, robot: Robot, client: TaskClient, arguments: dict[str, Any]) -> str:
        """Go from place to place, in straight lines."""
        spots = msgspec.convert(arguments["path"], tuple[PlaceRecord, ...])
        left = [Point(spot.x, spot.y) for spot in spots]
        for _ in range(TURNS):
            try:
                await self._drive(robot, client, left)
            except NotGranted as refused:
                if refused.has_waited:
                    break
                await sleep(RETRY_PAUSE)  # those in the way may go another one
            else:
                return f"{len(spots)} places, at {shown(robot, client)}"
        raise TaskFailed("no path: another robot is in the way")

    async def _go(
        self, robot: Robot, client: TaskClient, goal: Point, met: list[Circle], budget: WaitBudget
    ) -> None:
        """Go to a place around what is in the way: obstacles, and robots that stand there, if that can be."""
        if self._floor is None:
            await self._drive(robot, client, self._route(robot, client, goal, met))
            return
        await self._floor.look()
        for _ in range(TURNS):
            for avoided in self._choices(goal, met, self._floor.others):
                try:
                    await self._drive(robot, client, self._route(robot, client, goal, avoided))
                except NotGranted as refused:
                    budget.lose(refused)
                    continue
                except TaskFailed:
                    if avoided is met:
                        raise
                    continue
                return
            await self._step_aside(robot, client, self._floor, met, budget)
            await sleep(RETRY_PAUSE)
        raise TaskFailed(IN_THE_WAY)

    def _choices(self, goal: Point, met: list[Circle], others: list[Circle]) -> list[list[Circle]]:
        """Return what a way may lead around: all robots, all but those who are where it ends, or none of them."""
        beside = [one for one in others if goal.distance_to(one.centre) > one.radius + self.radius]
        choices = [[*met, *others], [*met, *beside], met]
        return [one for one, then in zip(choices, [*choices[1:], None], strict=True) if one != then]

    async def _step_aside(
        self, robot: Robot, client: TaskClient, floor: RobotFloor, met: list[Circle], budget: WaitBudget
    ) -> None:
        """Let others pass: go to a place nearby from which all ways can be driven, if there is one.

        Only places count that can be reached past the places that others hold: who stands there may stay for good.
        """
        here = client.correction.to_station(robot.position)
        for number in range(4 * ASIDE_PLACES):
            place = here + Point.polar(
                2.5 * self.radius * (1 + number // ASIDE_PLACES), tau * number / ASIDE_PLACES
            )
            try:
                route = self._route(robot, client, place, [*met, *floor.others])
            except TaskFailed:
                continue
            try:
                await self._drive(robot, client, route)
            except NotGranted as refused:
                budget.lose(refused)
            else:
                return

    async def _drive(self, robot: Robot, client: TaskClient, route: list[Point]) -> None:
        """Go from place to place; where floor is reserved, on reserved floor alone, and places behind leave the route."""
        if self._floor is None:
            await self._drive_freely(robot, client, route)
            return
        goal = route[-1:]
        for _ in range(APPROACHES):
            await self._drive_reserved(robot, client, self._floor, route)
            if not goal or abs(client.correction.to_station(robot.position) - goal[0]) <= ARRIVAL_TOLERANCE:
                return
            route[:] = goal

    async def _drive_reserved(
        self, robot: Robot, client: TaskClient, floor: RobotFloor, route: list[Point]
    ) -> None:
        places = [robot.position, *map(client.correction.to_body, route)]
        way = floor.way(places)
        ahead = places[1:]
        with floor.driving():
            for number, zone in enumerate(() if way is None else way.zones):
                await floor.request(way if number == 0 else None)
                for place in zone.path[1:]:
                    try:
                        await robot.move_to(place)
                    except BadGoal as error:
                        raise TaskFailed(f"unwalkable: {error}") from error
                    if place in places:
                        client.checkpoint()
                    while ahead and ahead[0] == place:
                        del ahead[0], route[0]
                floor.arrive()

    async def _drive_freely(self, robot: Robot, client: TaskClient, route: list[Point]) -> None:
        for place in route:
            for _ in range(APPROACHES):
                client.checkpoint()
                try:
                    await robot.move_to(client.correction.to_body(place))
                except BadGoal as error:
                    raise TaskFailed(f"unwalkable: {error}") from error
                if abs(client.correction.to_station(robot.position) - place) <= ARRIVAL_TOLERANCE:
                    break

    def _route(self, robot: Robot, client: TaskClient, goal: Point, met: list[Circle]) -> list[Point]:
        space = self.space(client)
        if met:
            space = Space([*space.obstacles, *met], space.bounds)
        start = client.correction.to_station(robot.position)
        try:
            return list(way_over(space, start, goal, self.radius))
        except ValueError as error:
            raise TaskFailed(str(error)) from error

    def space(self, client: TaskClient) -> Space:
        """Return the space of the map that the robot has; without a map, an open plane."""
        if client.map is None or client.map.map is None:
            return Space([], None)
        if self._space is None or self._space[0] != client.map.version:
            self._space = client.map.version, space_of(map_from_table(client.map.map, "map"))
        return self._space[1]


def shown(robot: Robot, client: TaskClient) -> str:
    """Return where a robot is, in words."""
    at = client.correction.to_station(robot.position)
    return f"({at.x:.2f}, {at.y:.2f})"


async def _back_off(robot: Robot) -> None:
    with suppress(Blocked):  # between two things, the next way may lead out sideways
        await robot.back_up(BACK_UP)
