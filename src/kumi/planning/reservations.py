"""May this robot drive on? Floor for robots that one process knows, without any network.

A robot enters where it stands, announces its way with its first request, and asks for one zone of it after the
other. It moves only in zones that are granted to it. When it has arrived at the end of a zone it keeps the place
where it stands, and what lies behind it goes to others. A program waits for its zones:

    async with floor.visit("ada", Zone(((0, 0),), 0.25)):
        async for zone in floor.along("ada", Way.along([(0, 0), (6, 0)], radius=0.25, chunk=0.5)):
            await ada.follow(zone.path)

`trip` finds the way as well, around what others hold, and `reserve` waits for one zone. All of them raise `ZoneRefused` if
no waiting helps: the way would end in a circle, or leads through a robot that is gone.

A caller that does not wait, such as a service, calls `enter`, `request`, `arrive` and `leave`. Each returns the answers that came
with it, to any robot: a grant, or a refusal. A refused robot announces another way; `way_to` and `way_aside` know one.
How zones are granted is told in `kumi.reserving.bookings`; `kumi.protocols.ReserveInOrder` does the same by radio.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self

from kumi.geometry import Point, PointLike, as_point
from kumi.planning.floor_list import FloorAnswer, FloorList, Name, ZoneRefused, check_running
from kumi.reserving import Way, Zone

if TYPE_CHECKING:
    from kumi.planning.space import Space

__all__ = ["FloorAnswer", "Reservations", "ZoneRefused"]


class Reservations(FloorList[Name]):
    """Grants zones to robots by name, such that all can finish their ways."""

    def visit(self, robot: Name, place: Zone) -> Visit[Name]:
        """Have a robot on the floor in a block: `async with floor.visit("ada", place):` waits until its place is granted.

        Where no waiting helps, as where another robot will stay, it raises `ZoneRefused`.
        At the end of the block, however it ends, all is given back, and nothing asked for any more.
        """
        return Visit(self, robot, place)

    def along(self, robot: Name, way: Way) -> Zones[Name]:
        """Give the zones of a way, each when it is granted: `async for zone in floor.along("ada", way):`.

        The robot is at the end of a zone when the next one is asked for, which gives back what lies behind. A robot that leaves
        the loop early keeps the zone, and the rest stays announced until another way is, or it is withdrawn.
        """
        return Zones(self, robot, way)

    def trip(
        self,
        robot: Name,
        goal: PointLike,
        *,
        chunk: float = inf,
        stays: bool = True,
        space: Space | None = None,
    ) -> Trip[Name]:
        """Give the zones on the way to a goal, each when it is granted: `async for zone in floor.trip("ada", goal):`.

        The way leads around the obstacles of a space and what others hold; see `way_to`. Where there is none the robot
        steps aside if it stands in somebody's way, or waits until something has changed.
        """
        return Trip(self, robot, goal, chunk, stays, space)

    def way_to(
        self,
        robot: Name,
        goal: PointLike,
        *,
        start: PointLike | None = None,
        chunk: float = inf,
        stays: bool = True,
        space: Space | None = None,
    ) -> Way | None:
        """Return a way to a goal that is not refused if it is announced now, or None; see `kumi.planning.detours`.

        It begins where the robot arrives at the end of its last zone, unless a start is given.
        """
        from kumi.planning.detours import way_to  # Late: only who plans needs arrays of numbers.

        here = self._end_of(robot) if start is None else start
        return way_to(self._bookings, robot, here, goal, chunk=chunk, stays=stays, space=space)

    def way_aside(
        self,
        robot: Name,
        *,
        start: PointLike | None = None,
        chunk: float = inf,
        space: Space | None = None,
    ) -> Way | None:
        """Return a way to a place near by where nobody has to pass, or None if there is none or nobody waits for the robot."""
        from kumi.planning.detours import way_aside  # Late, as above.

        here = self._end_of(robot) if start is None else start
        return way_aside(self._bookings, robot, here, chunk=chunk, space=space)


class Visit(Generic[Name]):
    """A robot on the floor, from the beginning of a block to its end: `async with floor.visit("ada", place): ...`."""

    def __init__(self, floor: Reservations[Name], robot: Name, place: Zone) -> None:
        self._floor = floor
        self._robot = robot
        self._place = place

    async def __aenter__(self) -> Zone:
        """Wait until the robot's place is granted; return it."""
        await check_running("visit()")
        return await self._floor._await(self._robot, lambda: self._floor.enter(self._robot, self._place))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._robot in self._floor:
            self._floor.leave(self._robot)


class Zones(Generic[Name]):
    """The zones of a robot's way, each when it is granted; asking for the next one gives back what lies behind."""

    def __init__(self, floor: Reservations[Name], robot: Name, way: Way) -> None:
        self._floor = floor
        self._robot = robot
        self._way: Way | None = way
        self._is_on = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Zone:
        if self._is_on:
            self._floor.arrive(self._robot)
            self._is_on = False
            if not self._floor.rest(self._robot):
                raise StopAsyncIteration
        way, self._way = self._way, None
        zone = await self._floor.reserve(self._robot, way)
        self._is_on = True
        return zone


class Trip(Generic[Name]):
    """The zones on a robot's way to a goal, each when it is granted, by whatever ways others leave it."""

    def __init__(
        self,
        floor: Reservations[Name],
        robot: Name,
        goal: PointLike,
        chunk: float,
        stays: bool,
        space: Space | None,
    ) -> None:
        self._floor = floor
        self._robot = robot
        self._goal = as_point(goal, "the goal of a trip")
        self._plan: Callable[[], Way | None] = lambda: (
            floor.way_to(robot, self._goal, chunk=chunk, stays=stays, space=space)
            or floor.way_aside(robot, chunk=chunk, space=space)
        )
        self._zones: Zones[Name] | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Zone:
        while True:
            try:
                if self._zones is not None:
                    return await anext(self._zones)
            except StopAsyncIteration:
                pass
            except ZoneRefused as refused:
                if not refused.against:
                    raise
                await self._floor.changed()
            if self._here == self._goal:
                raise StopAsyncIteration
            self._zones = await self._announce()

    @property
    def _here(self) -> Point:
        return self._floor.held(self._robot)[-1].path[-1]

    async def _announce(self) -> Zones[Name]:
        """Wait until there is a way that is not refused."""
        while True:
            way = self._plan()
            if way is not None:
                return Zones(self._floor, self._robot, way)
            # Its robot stays nowhere for good now: others may plan to go where it is.
            self._floor.withdraw(self._robot)
            await self._floor.changed()
