"""Questions for floor, as robots ask them of whoever keeps it."""

from __future__ import annotations

from collections.abc import Sequence

from kumi.geometry import Point
from kumi.station.answers import Done, Reserved, Standing
from kumi.station.floor.keeper import FloorKeeper
from kumi.station.records import Robot, Spot
from kumi.station.requests import Release, Reserve


def reserve(
    keeper: FloorKeeper, request: Reserve, robot: str, robots: Sequence[Robot] | None = None
) -> Reserved:
    """Answer a robot that asks for floor; `robots` are all in the station, as they were seen last."""
    at = _point(request.at)
    paths = [[_point(spot) for spot in piece] for piece in request.pieces]
    if robots is not None:
        keeper.see(robots, [at, *(point for path in paths for point in path)], robot)
    if request.way == 0:
        state = keeper.hold(robot, at, request.radius, paths[0] if paths else ())
    else:
        state = keeper.reserve(robot, request.way, request.piece, paths, at, request.radius)
    held = [(zone.path[-1], zone.radius) for zone in keeper.others(robot, at)]
    others = tuple(Standing(x=place.x, y=place.y, radius=radius) for place, radius in held)
    return Reserved(state=state, others=others)


def release(keeper: FloorKeeper, request: Release, robot: str) -> Done:
    """Take back floor of a robot, or hear that it goes no farther."""
    if request.is_cut:
        keeper.give_up(robot)
    else:
        at = None if request.at is None else _point(request.at)
        keeper.release(robot, request.way, request.piece, at)
    return Done()


def _point(spot: Spot) -> Point:
    return Point(spot.x, spot.y)
