"""Which robot may drive where, among all that are in the station, whatever process they run in?

A robot holds the place where it stands. Before it drives it announces its whole way in pieces, and then reserves one piece after
the other; pieces of different robots that overlap are never granted at once, so robots that stay on theirs never touch. A way on
which no waiting would help is refused (see `kumi.reserving.bookings`); the robot then chooses another, or steps aside. A robot
that is stopped or lost keeps what it holds, and others find ways around it.

Each question names the way and the piece, so one that is asked again gets the same answer. What is granted is kept in memory: a
keeper that starts lets robots tell where they stand for a while before it grants anything.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kumi.geometry import Point
from kumi.planning.reservations import Answer, Reservations
from kumi.reserving import Booking, Way, Zone
from kumi.station.answers import Done, Reserved, Standing
from kumi.station.refusals import invalid
from kumi.station.requests import Release, Reserve
from kumi.station.store.transaction import Told

State = Literal["granted", "waiting", "refused"]
Booked: TypeAlias = tuple[tuple[Zone, bool], ...]
"""The zones that a robot asked for and did not give back, and whether each is granted."""
NEARBY = 10.0
"""Metres within which a robot hears of places that others hold."""
FARTHEST = 500.0
"""Metres of the longest way that can be announced."""


@dataclass
class _Driver:
    """The way and the piece that a robot asked for last, and what became of it."""

    way: int = 0
    piece: int = 0
    state: State = "waiting"
    has_arrived: bool = False


class FloorKeeper:
    """Grants floor to robots by their tags."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._booked: dict[str, tuple[int, Booked]] = {}
        self._changes = 0
        self._reservations = self._emptied()
        self._drivers: dict[str, _Driver] = {}
        self._lock = threading.Lock()
        self._clock = clock
        self._settled_at = clock()

    def restart(self, settle: float) -> None:
        """Know nothing any more, and grant nothing for some seconds."""
        with self._lock:
            self._reservations, self._drivers = self._emptied(), {}
            self._settled_at = self._clock() + settle

    def hold(self, robot: str, at: Point, radius: float) -> State:
        """Take where a robot stands; ways that it announced before are worth nothing."""
        with self._lock:
            self._hold(robot, at, radius)
            return self._state(robot)

    def reserve(
        self, robot: str, way: int, piece: int, paths: Sequence[Sequence[Point]], at: Point, radius: float
    ) -> State:
        """Answer whether a robot may drive a piece of a way, whose pieces are told with the first of them."""
        with self._lock:
            known = self._drivers.get(robot)
            if self._clock() < self._settled_at:
                return "waiting"
            if known is None or way > known.way:
                return self._begin(robot, way, _way(paths, radius), at, radius) if paths else "refused"
            if way == known.way and piece == known.piece + 1 and known.state == "granted":
                self._go_on(robot, known)
            elif (way, piece) != (known.way, known.piece):
                return "refused"
            return self._state(robot)

    def release(self, robot: str, way: int, piece: int) -> None:
        """A robot is at the end of a piece: what lies behind it is free."""
        with self._lock:
            known = self._drivers.get(robot)
            if known is not None and (known.way, known.piece) == (way, piece):
                self._arrive(robot, known)

    def give_up(self, robot: str) -> None:
        """A robot stands somewhere on its piece, and waits for nothing any more."""
        with self._lock:
            if robot in self._drivers:
                self._tell(self._reservations.give_up(robot))

    def leave(self, robot: str) -> None:
        """A robot is not there any more."""
        with self._lock:
            self._leave(robot)

    def others(self, robot: str, at: Point) -> list[Zone]:
        """Return the places nearby that other robots hold."""
        with self._lock:
            return [
                zone.end
                for other in self._drivers
                if other != robot
                for zone in self._reservations.held(other)
                if zone.path[-1].distance_to(at) <= NEARBY
            ]

    def booked_since(self, change: int) -> tuple[int, dict[str, Booked]]:
        """Return how many changes there were, and what the robots have booked that changed after so many."""
        with self._lock:
            return self._changes, {
                robot: booked for robot, (changed, booked) in self._booked.items() if changed > change
            }

    def on_commit(self, told: list[Told]) -> None:
        """Hear who left, and who was lost."""
        for one in told:
            if one.robot is None:
                continue
            if one.kind in ("robot_left", "robot_removed"):
                self.leave(one.robot)
            elif one.kind == "robot_lost":
                self.give_up(one.robot)

    def _emptied(self) -> Reservations[str]:
        """Return a list without any reservation, which is told of as far as there were some."""
        for robot in self._booked:
            self._note(robot, [])
        reservations: Reservations[str] = Reservations()
        reservations.watch(self._note)
        return reservations

    def _note(self, robot: str, bookings: Sequence[Booking[str]]) -> None:
        self._changes += 1
        booked = tuple((booking.zone, booking.is_granted) for booking in bookings)
        self._booked[robot] = self._changes, booked

    def _hold(self, robot: str, at: Point, radius: float) -> None:
        known = self._drivers.get(robot)
        if known is not None and known.way > 0 and known.state == "waiting":
            self._tell(self._reservations.give_up(robot))
        if known is not None and any(
            zone.radius == radius and zone.contains(at) for zone in self._reservations.held(robot)
        ):
            known.way, known.piece, known.state, known.has_arrived = 0, 0, "granted", True
            return
        self._leave(robot)
        self._drivers[robot] = _Driver(has_arrived=True)
        self._tell(self._reservations.enter(robot, Zone((at,), radius)))

    def _begin(self, robot: str, number: int, way: Way, at: Point, radius: float) -> State:
        self._hold(robot, at, radius)
        entered = self._drivers.get(robot)
        if entered is None:
            return "refused"
        if not self._reservations.held(robot):
            return "waiting"
        self._drivers[robot] = _Driver(number)
        try:
            self._tell(self._reservations.request(robot, way))
        except ValueError as error:
            entered.state = "granted"
            self._drivers[robot] = entered
            raise invalid(f"that way cannot be reserved: {error}") from None
        return self._state(robot)

    def _go_on(self, robot: str, known: _Driver) -> None:
        self._arrive(robot, known)
        if not self._reservations.rest(robot):
            raise invalid(f"way {known.way} has {known.piece + 1} pieces, and no more")
        known.piece, known.state, known.has_arrived = known.piece + 1, "waiting", False
        self._tell(self._reservations.request(robot))

    def _arrive(self, robot: str, known: _Driver) -> None:
        if known.state == "granted" and not known.has_arrived:
            known.has_arrived = True
            self._tell(self._reservations.arrive(robot))

    def _leave(self, robot: str) -> None:
        if self._drivers.pop(robot, None) is not None:
            self._tell(self._reservations.leave(robot))

    def _state(self, robot: str) -> State:
        known = self._drivers.get(robot)
        return "refused" if known is None else known.state

    def _tell(self, answers: list[Answer[str]]) -> None:
        for answer in answers:
            known = self._drivers.get(answer.robot)
            if known is None:
                continue
            known.state = "granted" if answer.is_granted else "refused"
            if known.way == 0 and not answer.is_granted:
                del self._drivers[answer.robot]  # it could not enter


def _way(paths: Sequence[Sequence[Point]], radius: float) -> Way:
    try:
        way = Way(tuple(Zone(tuple(path), radius) for path in paths))
    except (ValueError, TypeError) as error:
        raise invalid(f"that is no way: {error}") from None
    long = sum(
        here.distance_to(there)
        for zone in way.zones
        for here, there in zip(zone.path, zone.path[1:], strict=False)
    )
    if long > FARTHEST:
        raise invalid(f"a way of {long:g} m is too long to be reserved: at most {FARTHEST:g} m are")
    return way


def reserve(keeper: FloorKeeper, request: Reserve, robot: str) -> Reserved:
    """Answer a robot that asks for floor."""
    at = Point(request.at.x, request.at.y)
    if request.way == 0:
        state = keeper.hold(robot, at, request.radius)
    else:
        paths = [[Point(spot.x, spot.y) for spot in piece] for piece in request.pieces]
        state = keeper.reserve(robot, request.way, request.piece, paths, at, request.radius)
    held = [(zone.path[-1], zone.radius) for zone in keeper.others(robot, at)]
    others = tuple(Standing(x=place.x, y=place.y, radius=radius) for place, radius in held)
    return Reserved(state=state, others=others)


def release(keeper: FloorKeeper, request: Release, robot: str) -> Done:
    """Take back floor of a robot, or hear that it goes no farther."""
    if request.is_cut:
        keeper.give_up(robot)
    else:
        keeper.release(robot, request.way, request.piece)
    return Done()
