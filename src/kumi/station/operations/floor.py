"""Floor that robots reserve, as they ask whoever keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from kumi.geometry import Point
from kumi.station.operation import Done, Home, Means, Request, Who, operation
from kumi.station.records import MOST_RADIUS, Length, Number, PlaceRecord, Reach, RobotRecord, StationRecord

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.floor.keeper import FloorKeeper

Path = Annotated[tuple[PlaceRecord, ...], Meta(min_length=1, max_length=200)]
"""Where a piece of a way leads through."""


class HeldPlace(StationRecord, frozen=True, kw_only=True):
    """A place that a robot holds, or as much of it as others leave."""

    x: Length
    y: Length
    radius: Annotated[float, Meta(ge=0.0, le=MOST_RADIUS + 1.0)]


class ReservedFloor(StationRecord, frozen=True, kw_only=True):
    """Whether a robot may drive a piece of its way, and which places nearby others hold."""

    state: Literal["granted", "waiting", "refused"]
    others: tuple[HeldPlace, ...] = ()


@operation("reserve", Who.ROBOT, is_audited=False, home=Home.FLOOR)
class Reserve(Request[ReservedFloor], frozen=True, kw_only=True):
    """A robot asks for the floor of a piece of its way; with way 0 it only tells where it is.

    Ways are numbered by the robot, each higher than the one before. With the first piece come the paths of all; those that
    follow are asked for by their number. A robot that tells where it is in the midst of a piece tells that piece, too.
    """

    way: Number
    piece: Number = 0
    at: PlaceRecord
    radius: Reach
    pieces: Annotated[tuple[Path, ...], Meta(max_length=2000)] = ()

    async def serve(self, means: Means, caller: Caller) -> ReservedFloor:
        """Ask the keeper of the floor, which sees by this where the robot is, and all others as they were seen last."""
        return self.answered(means.floor, caller.name, await means.known.robots())

    def answered(
        self, keeper: FloorKeeper, robot: str, robots: Sequence[RobotRecord] | None = None
    ) -> ReservedFloor:
        """Return what a keeper answers; `robots` are all in the station, as they were seen last."""
        at = _point(self.at)
        paths = [[_point(spot) for spot in piece] for piece in self.pieces]
        if robots is not None:
            keeper.see(robots, [at, *(point for path in paths for point in path)], robot)
        if self.way == 0:
            state = keeper.hold(robot, at, self.radius, paths[0] if paths else ())
        else:
            state = keeper.reserve(robot, self.way, self.piece, paths, at, self.radius)
        held = [(zone.path[-1], zone.radius) for zone in keeper.others(robot, at)]
        others = tuple(HeldPlace(x=place.x, y=place.y, radius=radius) for place, radius in held)
        return ReservedFloor(state=state, others=others)


@operation("release", Who.ROBOT, is_audited=False, home=Home.FLOOR)
class Release(Request[Done], frozen=True, kw_only=True):
    """A robot has arrived at the end of a piece of its way, or `at` a place on it, or, `is_cut`, goes no farther."""

    way: Number
    piece: Number = 0
    is_cut: bool = False
    at: PlaceRecord | None = None

    async def serve(self, means: Means, caller: Caller) -> Done:
        """Tell the keeper of the floor."""
        return self.answered(means.floor, caller.name)

    def answered(self, keeper: FloorKeeper, robot: str) -> Done:
        """Take back floor of a robot, or hear that it goes no farther."""
        if self.is_cut:
            keeper.give_up(robot)
        else:
            keeper.release(robot, self.way, self.piece, None if self.at is None else _point(self.at))
        return Done()


def _point(spot: PlaceRecord) -> Point:
    return Point(spot.x, spot.y)
