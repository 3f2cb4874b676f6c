"""Which robot may drive where, among all that are in the station, whatever process they run in?

A robot holds the place where it stands. Before it drives it announces its whole way in pieces, and then reserves one piece after
the other; pieces of different robots that overlap are never granted at once, so robots that stay on theirs never touch. A way on
which no waiting would help is refused (see `kumi.reserving.bookings`); the robot then chooses another, or steps aside. So is one
that waits where it holds up another for long (see `yielding`). A robot that is stopped or lost keeps what it holds, and others
find ways around it.

A robot that tells nothing of this is held where it was seen last, with some room around, as far as that is not granted to
another: so all others keep away from it as well.

Each question names the way and the piece, so one that is asked again gets the same answer. What is granted is kept in memory: a
keeper that starts lets robots tell where they are, and the piece that they are on, for a while before it grants anything. A
keeper whose time is over grants nothing, since another may keep the floor by then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from kumi.geometry import Bounds, Point
from kumi.planning.reservations import Answer, Reservations
from kumi.reserving import Way, Zone
from kumi.station.floor.reservation_log import BookedFloor, FloorNews
from kumi.station.floor.robot_snapshot import Glimpse
from kumi.station.floor.ways import way_of, zone_of
from kumi.station.floor.yielding import Yielding
from kumi.station.records import Happens, Pose, Robot
from kumi.station.refusals import Reason, Refused, invalid
from kumi.station.store.transaction import Told

State = Literal["granted", "waiting", "refused"]
NEARBY = 10.0
"""Metres within which a robot hears of places that others hold, and within which robots are looked for that do not reserve."""
ROOM = 0.25
"""Metres around a robot that does not reserve: it may have come so far since it was seen."""
LOST_ROOM = 0.5
"""The same for one that was lost: it may have gone to the end of a piece that was granted to it."""
STIR = 0.1
"""Metres by which a robot that does not reserve moves until its place is taken anew."""
GONE = 1.0
"""Metres by which it moves until its place is taken anew although nobody asks near it; less is seen by whoever asks there."""
WATCHED = 2.0
"""Seconds for which a robot that does not reserve is held wherever it goes, after a question near it: who waits asks more often."""
ABSENT = 2.0
"""Seconds for which a robot is not in the station until what it holds is free."""
APART = 1e-6
"""Metres between two places that do not overlap."""


@dataclass
class _Driver:
    """The way and the piece that a robot asked for last, and what became of it."""

    way: int = 0
    piece: int = 0
    state: State = "waiting"
    has_arrived: bool = False


@dataclass
class _Stranger:
    """A robot that does not reserve: where it was seen with the room around, and when somebody asked for floor nearby."""

    zone: Zone
    is_lost: bool
    asked_at: float


class FloorKeeper:
    """Grants floor to robots by their tags."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._booked = BookedFloor()
        self._reservations = self._emptied()
        self._drivers: dict[str, _Driver] = {}
        self._seen: dict[str, _Stranger] = {}
        self._absent: dict[str, float] = {}
        self._glimpse = Glimpse()
        self._yielding = Yielding(clock)
        self._lock = threading.Lock()
        self._clock = clock
        self._settled_at = clock()
        self._ends_at = inf

    def restart(self, settle: float) -> None:
        """Know nothing any more, and grant nothing for some seconds."""
        with self._lock:
            self._reservations, self._drivers, self._seen, self._absent = self._emptied(), {}, {}, {}
            self._glimpse, self._yielding = Glimpse(), Yielding(self._clock)
            self._settled_at = self._clock() + settle

    def keep_until(self, instant: float) -> None:
        """Keep the floor until an instant of the clock, and refuse all questions then."""
        self._ends_at = instant

    def hold(self, robot: str, at: Point, radius: float, path: Sequence[Point] = ()) -> State:
        """Take where a robot stands, or the piece that it is on; ways that it announced before are worth nothing.

        Where another holds some of that piece, the place counts alone, and the robot waits.
        """
        with self._lock:
            self._check()
            return "granted" if self._hold(robot, at, zone_of(path or [at], radius)) else "waiting"

    def reserve(
        self, robot: str, way: int, piece: int, paths: Sequence[Sequence[Point]], at: Point, radius: float
    ) -> State:
        """Answer whether a robot may drive a piece of a way, whose pieces are told with the first of them."""
        with self._lock:
            self._check()
            known = self._drivers.get(robot)
            if self._clock() < self._settled_at:
                return "waiting"
            if known is None or way > known.way:
                return self._begin(robot, way, way_of(paths, radius), at) if paths else "refused"
            if way == known.way and piece == known.piece + 1 and known.state == "granted":
                self._go_on(robot, known)
            elif (way, piece) != (known.way, known.piece):
                return "refused"
            if known.state == "waiting" and self._yielding.is_due(robot):
                return self._refuse(robot, way, piece, zone_of([at], radius))
            return known.state

    def release(self, robot: str, way: int, piece: int, at: Point | None = None) -> None:
        """A robot is at the end of a piece, or at a place on it: what lies behind it is free."""
        with self._lock:
            self._check()
            known = self._drivers.get(robot)
            if known is not None and (known.way, known.piece) == (way, piece):
                if at is None:
                    self._arrive(robot, known)
                elif known.state == "granted" and not known.has_arrived:
                    self._pass(robot, at)

    def give_up(self, robot: str) -> None:
        """A robot stands somewhere on its piece, and waits for nothing any more."""
        with self._lock:
            if robot in self._drivers:
                self._tell(self._reservations.give_up(robot))

    def leave(self, robot: str) -> None:
        """A robot is not there any more."""
        with self._lock:
            self._leave(robot)

    def see(self, robots: Sequence[Robot], around: Sequence[Point], asker: str) -> None:
        """Hold the places of robots that do not reserve, near some places; forget those who are not there any more.

        Who asks for floor tells by that where it is. Robots that are as they were seen last are not looked through again. Where
        they are not, those that have gone away are held where they are now, or nowhere if nobody has asked near them of late.
        """
        with self._lock:
            now = self._clock()
            with self._reservations.withheld() as granted:
                if robots is not self._glimpse.robots:
                    self._glimpse = Glimpse(robots)
                    self._forget((self._drivers.keys() | self._seen.keys()) - self._glimpse.present)
                    self._follow(now)
                for one, pose in self._glimpse.within(_box(around, NEARBY)):
                    if one.tag != asker and one.tag not in self._drivers:
                        self._see(one.tag, _stranger(one, pose, now))
            self._tell(granted)

    def others(self, robot: str, at: Point) -> list[Zone]:
        """Return the places nearby that other robots hold."""
        with self._lock:
            return [
                zone.end
                for other, zone in self._reservations.held_near(_box([at], NEARBY))
                if other != robot and zone.path[-1].distance_to(at) <= NEARBY
            ]

    def booked_since(self, keeper: str, known: FloorNews) -> FloorNews:
        """Return what robots have booked, as far as that is not known; `keeper` is the process that keeps the floor."""
        with self._lock:
            return self._booked.since(keeper, known)

    def on_commit(self, told: list[Told]) -> None:
        """Hear who left, and who was lost."""
        for one in told:
            if one.robot is None:
                continue
            if one.kind in (Happens.ROBOT_LEFT, Happens.ROBOT_REMOVED):
                self.leave(one.robot)
            elif one.kind == Happens.ROBOT_LOST:
                self.give_up(one.robot)

    def _check(self) -> None:
        if self._clock() >= self._ends_at:
            raise Refused(Reason.UNAVAILABLE, "this process does not keep the floor; ask again")

    def _emptied(self) -> Reservations[str]:
        """Return a list without any reservation, and have all told that there is none."""
        self._booked.clear()
        reservations: Reservations[str] = Reservations()
        reservations.watch(self._booked.note)
        return reservations

    def _hold(self, robot: str, at: Point, zone: Zone) -> bool:
        """Hold a zone for a robot, or as much of its place as is free; return whether it has the whole zone."""
        here = zone if self._is_free(robot, zone) else self._place(robot, at, zone.radius, over=self._seen)
        if here is None:
            self._leave(robot)
            answers = self._reservations.enter(robot, Zone((at,), zone.radius))
            self._drivers[robot] = _Driver(has_arrived=True)
            self._tell(answers)
        else:
            self._stand(robot, here)
            self._drivers[robot] = _Driver(state="granted", has_arrived=True)
        return here == zone

    def _stand(self, robot: str, zone: Zone) -> None:
        """Let a robot be somewhere; robots that were seen there get what is left."""
        near = self._reservations.held_near(zone.bounds)
        crowded = {
            tag: self._seen[tag]
            for tag, held in near
            if tag in self._seen and tag != robot and held.overlaps(zone)
        }
        answers = self._reservations.stand(robot, zone, over=crowded)
        self._seen.pop(robot, None)
        self._tell(answers)
        for tag, stranger in crowded.items():
            del self._seen[tag]
            self._see(tag, stranger)

    def _follow(self, now: float) -> None:
        """Have robots that have gone from where they were held be held where they are, those near which nobody asks nowhere."""
        moved: dict[str, _Stranger] = {}
        for tag, known in self._seen.items():
            found = self._glimpse.find(tag)
            if found is not None and known.zone.path[0].distance_to((found[1].x, found[1].y)) > GONE:
                moved[tag] = _stranger(*found, known.asked_at)
        for tag in moved:
            self._leave(tag)
        for tag, stranger in moved.items():
            if now - stranger.asked_at <= WATCHED:
                self._see(tag, stranger)

    def _see(self, robot: str, stranger: _Stranger) -> None:
        """Hold the place of a robot that does not reserve, as far as it is free."""
        if self._is_still_there(robot, stranger):
            self._seen[robot].asked_at = stranger.asked_at
            return
        here = self._place(robot, stranger.zone.path[0], stranger.zone.radius)
        if here is None:
            self._leave(robot)
            return
        answers = self._reservations.stand(robot, here)
        self._seen[robot] = stranger
        self._tell(answers)
        if stranger.is_lost:
            self._tell(self._reservations.give_up(robot))

    def _is_still_there(self, robot: str, stranger: _Stranger) -> bool:
        """Tell whether a robot is where it was held, or so near that the room around it is enough."""
        before, zone = self._seen.get(robot), stranger.zone
        return (
            before is not None
            and before.is_lost == stranger.is_lost
            and before.zone.radius == zone.radius
            and before.zone.path[0].distance_to(zone.path[0]) <= STIR
            and self._reservations.held(robot) == (before.zone,)
        )

    def _is_free(self, robot: str, zone: Zone) -> bool:
        return not any(
            held.overlaps(zone)
            for other, held in self._reservations.held_near(zone.bounds)
            if other != robot and other in self._drivers
        )

    def _place(self, robot: str, at: Point, radius: float, over: Container[str] = ()) -> Zone | None:
        """Return the largest place around a point that no other robot holds; None where another holds the point.

        Robots in `over` do not count.
        """
        for other, held in self._reservations.held_near(_box([at], radius + APART)):
            if other != robot and other not in over:
                radius = min(radius, held.gap(at) - APART)
        return Zone((at,), radius) if radius > 0.0 else None

    def _forget(self, absent: set[str]) -> None:
        """Free what those hold who have been absent for a while."""
        now = self._clock()
        self._absent = {tag: self._absent.get(tag, now) for tag in absent}
        for tag, since in self._absent.items():
            if tag in self._seen or now - since > ABSENT:
                self._leave(tag)

    def _begin(self, robot: str, number: int, way: Way, at: Point) -> State:
        self._hold(robot, at, zone_of([at], way.first.radius))
        entered = self._drivers.get(robot)
        if entered is None:
            return "refused"
        if not self._reservations.held(robot):
            return "waiting"
        if not self._yielding.allows(robot, way):
            self._drivers[robot] = _Driver(number, state="refused")
            return "refused"
        self._drivers[robot] = _Driver(number)
        try:
            answers = self._reservations.request(robot, way)
            self._note_refusals(answers, robot, way)
            self._tell(answers)
        except ValueError as error:
            self._drivers[robot] = entered
            raise invalid(f"that way cannot be reserved: {error}") from None
        return self._drivers[robot].state

    def _refuse(self, robot: str, way: int, piece: int, here: Zone) -> State:
        """Take back the way of a robot that waits; one whose place another holds has no way until it has entered anew."""
        self._hold(robot, here.path[0], here)
        if robot in self._drivers and self._reservations.held(robot):
            self._drivers[robot] = _Driver(way, piece, "refused")
        return "refused"

    def _note_refusals(self, answers: list[Answer[str]], robot: str, way: Way) -> None:
        """Remember because of whom a robot cannot go the way that it asked for."""
        for answer in answers:
            if answer.robot == robot and not answer.is_granted:
                others = [tag for tag in answer.against if tag != robot and tag in self._drivers]
                self._yielding.refuse(
                    robot, way, [tag for tag in others if self._drivers[tag].state == "waiting"]
                )

    def _go_on(self, robot: str, known: _Driver) -> None:
        if not self._reservations.rest(robot):
            raise invalid(f"way {known.way} has {known.piece + 1} pieces, and no more")
        self._arrive(robot, known)
        known.piece, known.state, known.has_arrived = known.piece + 1, "waiting", False
        self._tell(self._reservations.request(robot))

    def _arrive(self, robot: str, known: _Driver) -> None:
        if known.state == "granted" and not known.has_arrived:
            known.has_arrived = True
            self._tell(self._reservations.arrive(robot))

    def _pass(self, robot: str, at: Point) -> None:
        """Keep a piece from its first straight on which a robot may be."""
        zone = self._reservations.held(robot)[-1]
        for first in range(1, len(zone.path) - 1):
            if Zone(zone.path[first - 1 : first + 1], zone.radius).contains(at):
                if first > 1:
                    self._tell(self._reservations.keep(robot, Zone(zone.path[first - 1 :], zone.radius)))
                return

    def _leave(self, robot: str) -> None:
        self._yielding.leave(robot)
        self._drivers.pop(robot, None)
        self._seen.pop(robot, None)
        if robot in self._reservations:
            self._tell(self._reservations.leave(robot))

    def _tell(self, answers: list[Answer[str]]) -> None:
        for answer in answers:
            known = self._drivers.get(answer.robot)
            if known is None:
                continue
            known.state = "granted" if answer.is_granted else "refused"
            if answer.is_granted and known.way > 0:
                self._yielding.grant(answer.robot)
            if known.way == 0 and not answer.is_granted:
                del self._drivers[answer.robot]  # it could not enter


def _stranger(robot: Robot, pose: Pose, asked_at: float) -> _Stranger:
    """Return where a robot is that does not reserve, with the room around it."""
    is_lost = robot.state == "lost"
    room = robot.radius + (LOST_ROOM if is_lost else ROOM)
    return _Stranger(Zone((Point(pose.x, pose.y),), room), is_lost, asked_at)


def _box(places: Sequence[Point], reach: float) -> Bounds:
    """Return the rectangle around places, with so much room on each side."""
    xs, ys = [place.x for place in places], [place.y for place in places]
    return Bounds(min(xs) - reach, min(ys) - reach, max(xs) + reach, max(ys) + reach)
