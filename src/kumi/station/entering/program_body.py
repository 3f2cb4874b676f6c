"""What is the body of a robot in a station to a program that a team sent?

A body as every other: it takes the same commands and raises the same errors. It knows places as the station does, and drives on
floor that the station has granted, piece by piece. Where floor is not granted another robot is in the way, and the motion ends as
at a contact: with Blocked. Whatever drives on without being awaited goes along such pieces, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, copysign, inf, isfinite, pi
from typing import Any

import msgspec

from kumi.contract import Asked, Blocked, Body, Busy, Contact, Pushed
from kumi.contract.commands import Arc, Command, Follow, Forward, MoveTo, Steer, Track, Turn
from kumi.devs import Chance, Signal, Task, Together, until
from kumi.geometry import Point, as_point, wrapped
from kumi.maths import acos
from kumi.reserving import Way, Zone
from kumi.station.entering.task_client import TaskClient
from kumi.station.floor.requesting import CHUNK, NotGranted, RobotFloor

FARTHEST_GOAL = 50.0
"""Metres of one announced way of a motion that has no end."""
ARC_TOLERANCE = 0.001
"""Metres by which the pieces that are reserved for an arc lie beside it."""
OTHERS = "floor that others hold"

Piece = tuple[Sequence[Point], Command]
"""A path on the body's plane, and the command that drives it."""


class ProgramBody:
    """A body that drives on granted floor alone, for as long as `tasks` go on."""

    def __init__(self, body: Body, client: TaskClient, floor: RobotFloor, radius: float) -> None:
        self.sensors: Mapping[str, Asked[Any] | Pushed[Any]] = body.sensors
        self._body, self._client, self._floor, self._radius = body, client, floor, radius
        self._halted: Signal[None] = Signal("the end of a motion")
        self._under_way: Command | None = None
        self._steering: Task[None] | None = None
        self.tasks: Together | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self._body.name

    @property
    def number(self) -> int:
        """Its number among the robots of its process."""
        return self._body.number

    @property
    def chance(self) -> Chance:
        """Its own random numbers."""
        return self._body.chance

    @property
    def position(self) -> Point:
        """Where it is, as the station knows."""
        return self._client.correction.to_station(self._body.position)

    @property
    def heading(self) -> float:
        """Where it looks, as the station knows."""
        return wrapped(self._body.heading + self._client.correction.turn)

    @property
    def is_moving(self) -> bool:
        """Whether a motion is under way."""
        return self._under_way is not None or self._steers or self._body.is_moving

    @property
    def contacts(self) -> Signal[Contact]:
        """Each contact, on the body's own plane; see `as_known`."""
        return self._body.contacts

    def as_known(self, value: Any) -> Any:
        """Return what a signal told, with the place of a contact as the station knows it."""
        if isinstance(value, Contact):
            return msgspec.structs.replace(value, at=self._client.correction.to_station(value.at))
        return value

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await."""
        return self._carry_out(command)

    async def _carry_out(self, command: Command) -> Point:
        if self._under_way is not None:
            raise Busy(self.name, self._under_way, command)
        self._end_steering()
        self._client.checkpoint()
        self._under_way = command
        try:
            with until(self._halted):
                await self._drive(command)
        finally:
            self._under_way = None
        return self.position

    def steer(self, command: Command) -> None:
        """Drive on without being awaited."""
        if self._under_way is not None:
            raise Busy(self.name, self._under_way, command)
        assert isinstance(command, Steer)
        if not (isfinite(command.speed) and isfinite(command.turn_speed)):
            raise ValueError(f"speeds are finite numbers, unlike those of {command}")
        self._end_steering()
        if command.speed == 0.0:
            self._body.steer(command)
            return
        assert self.tasks is not None
        self._steering = self.tasks.start(self._drive_on, command)

    def stop(self) -> None:
        """End the motion under way."""
        self._end_steering()
        self._halted.fire()
        self._body.stop()

    @property
    def _steers(self) -> bool:
        return self._steering is not None and not self._steering.has_ended

    def _end_steering(self) -> None:
        if self._steering is not None and not self._steering.has_ended:
            self._steering.cut()
            self._body.stop()
        self._steering = None

    async def _drive_on(self, command: Steer) -> None:
        try:
            if command.turn_speed == 0.0:
                await self._drive(Forward(copysign(inf, command.speed), abs(command.speed)))
                return
            radius = command.speed / command.turn_speed
            while True:
                await self._drive(Arc(radius, copysign(pi, command.turn_speed), abs(command.speed)))
        except Blocked:
            return  # it stands, and whoever listens to contacts has heard why

    async def _drive(self, command: Command) -> None:
        """Carry out a command on granted floor; where nothing is driven there is nothing to ask for."""
        match command:
            case Turn():
                await self._body.carry_out(command)
            case Forward(distance, speed) if distance in (inf, -inf):
                while True:
                    await self._drive(Forward(copysign(FARTHEST_GOAL, distance), speed))
            case _:
                await self._drive_pieces([piece for piece in self._pieces(command) if is_way(piece[0])])

    async def _drive_pieces(self, pieces: Sequence[Piece]) -> None:
        if not pieces:
            return
        way = Way(tuple(Zone(tuple(path), self._radius) for path, _ in pieces))
        with self._floor.driving():
            for number, (path, command) in enumerate(pieces):
                try:
                    await self._floor.request(way if number == 0 else None)
                except NotGranted:
                    raise self._no_floor(path) from None
                try:
                    await self._body.carry_out(command)
                except Blocked as met:
                    at = self._client.correction.to_station(met.at)
                    raise Blocked(at, met.by, met.bearing, met.number) from None
                self._client.checkpoint()
                self._floor.arrive()

    def _no_floor(self, path: Sequence[Point]) -> Blocked:
        ahead = path[1] - self._body.position
        bearing = wrapped(ahead.direction - self._body.heading)
        return Blocked(self._client.correction.to_station(path[1]), OTHERS, bearing, None)

    def _pieces(self, command: Command) -> Iterator[Piece]:
        """Cut a command into pieces that are reserved one after the other."""
        here, to_body = self._body.position, self._client.correction.to_body
        match command:
            case MoveTo(goal, speed, turn_speed):
                places = [to_body(as_point(goal, "a goal"))]
                yield from straight([here, *places], lambda place: MoveTo(place, speed, turn_speed))
            case Follow(path, speed, turn_speed):
                places = [to_body(as_point(place, "a place of a path")) for place in path]
                yield from straight([here, *places], lambda place: MoveTo(place, speed, turn_speed))
            case Forward(distance, speed):
                end = here + Point.polar(distance, self._body.heading)
                for path, _ in straight([here, end], MoveTo):
                    yield path, Forward(copysign(path[0].distance_to(path[1]), distance), speed)
            case Arc(radius, angle, speed):
                yield from self._arcs(here, radius, angle, speed)
            case Track(samples):
                turn = self._client.correction.turn
                known = [
                    msgspec.structs.replace(
                        one, at=to_body(as_point(one.at, "a place of a track")), heading=one.heading - turn
                    )
                    for one in samples
                ]
                yield [here, *(as_point(one.at) for one in known)], Track(tuple(known))

    def _arcs(self, here: Point, radius: float, angle: float, speed: float | None) -> Iterator[Piece]:
        heading = self._body.heading
        count = max(1, ceil(abs(radius * angle) / CHUNK))
        centre = here + Point.polar(radius, heading + pi / 2)
        finest = 2.0 * acos(max(0.0, 1.0 - ARC_TOLERANCE / max(abs(radius), ARC_TOLERANCE)))
        steps = max(1, ceil(abs(angle) / count / finest))
        for number in range(count):
            turns = [angle * (number + step / steps) / count for step in range(steps + 1)]
            path = [centre + (here - centre).turned(turn) for turn in turns]
            yield path, Arc(radius, angle / count, speed)


def straight(places: Sequence[Point], command: Callable[[Point], Command]) -> Iterator[Piece]:
    """Cut straight ways from place to place into pieces."""
    for start, end in pairwise(places):
        count = max(1, ceil(start.distance_to(end) / CHUNK))
        cuts = [*(start + (end - start) * (number / count) for number in range(count)), end]
        for path in pairwise(cuts):
            yield path, command(path[1])


def is_way(path: Sequence[Point]) -> bool:
    """Tell whether a path leads anywhere."""
    return any(one != other for one, other in pairwise(path))
