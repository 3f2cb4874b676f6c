"""Which robot may drive where, among all robots of the station, whatever process they run in?

A robot holds the place where it stands. Before it drives it announces its whole way in pieces, and then reserves one piece after
the other. Overlapping pieces of different robots are never granted at once, so robots that stay on their pieces never touch. A
way on which no waiting would help is refused (see `kumi.reserving.bookings`); the robot then chooses another way or steps aside.
So is the way of a robot that holds up another one for long (see `yielding`). A stopped or lost robot keeps what it holds, and
others find ways around it.

For a robot that does not reserve, the keeper holds a place around its last reported position, as far as that floor is not
granted to another robot. So reserving robots keep away from it as well.

Each request names the way and the piece, so a repeated request gets the same answer. Grants are kept in memory only: after a
start the keeper collects positions and current pieces from the robots for a while before it grants anything. A keeper whose lease
has ended grants nothing, since another process may be the keeper by then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from kumi.geometry import Bounds, Point
from kumi.planning.reservations import FloorAnswer, Reservations
from kumi.reserving import Way, Zone
from kumi.station.floor.reservation_log import BookedFloor, FloorNews
from kumi.station.floor.robot_snapshot import RobotSnapshot
from kumi.station.floor.ways import way_of, zone_of
from kumi.station.floor.yielding import Yielding
from kumi.station.records import Happens, PoseRecord, RobotRecord
from kumi.station.refusals import Reason, Refused, invalid
from kumi.station.store.transaction import LogNotice

State = Literal["granted", "waiting", "refused"]
NEARBY_RADIUS = 10.0
"""Metres around a request within which held places are told, and within which robots that do not reserve are looked for."""
HELD_MARGIN = 0.25
"""Metres held around a robot that does not reserve: the distance that it may have moved since its last report."""
LOST_ROOM = 0.5
"""The same for a lost robot: it may have driven to the end of its last granted piece."""
STIR = 0.1
"""Metres that a robot that does not reserve may move before its hold is moved, when a request comes near it."""
GONE_DISTANCE = 1.0
"""Metres that it may move before its hold is moved without a request near it; the next request there finds smaller moves."""
WATCHED = 2.0
"""Seconds after a request near it for which the hold follows a robot that does not reserve: a waiting robot asks more often."""
ABSENT = 2.0
"""Seconds after which the floor of a robot that is absent from the station becomes free."""
LEAST_GAP = 1e-6
"""Metres of gap between two places that must not overlap."""


@dataclass
class _Driver:
    """The way and the piece that a robot requested last, and the answer."""

    way: int = 0
    piece: int = 0
    state: State = "waiting"
    has_arrived: bool = False


@dataclass
class _Stranger:
    """A robot that does not reserve: the zone around its last position, and the time of the last request nearby."""

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
        self._snapshot = RobotSnapshot()
        self._yielding = Yielding(clock)
        self._lock = threading.Lock()
        self._clock = clock
        self._settled_at = clock()
        self._ends_at = inf

    def restart(self, settle: float) -> None:
        """Forget everything, and grant nothing for `settle` seconds."""
        with self._lock:
            self._reservations, self._drivers, self._seen, self._absent = self._emptied(), {}, {}, {}
            self._snapshot, self._yielding = RobotSnapshot(), Yielding(self._clock)
            # Robots may still be driving on pieces that a keeper before granted. Until they have told theirs with `hold`, any
            # grant could overlap one of them.
            self._settled_at = self._clock() + settle

    def keep_until(self, instant: float) -> None:
        """Set the end of the lease, by the clock; all requests after it are refused."""
        self._ends_at = instant

    def hold(self, robot: str, at: Point, radius: float, path: Sequence[Point] = ()) -> State:
        """Hold the place where a robot stands, or the piece that it is on, and drop the way that it announced before.

        If another robot holds some of that piece, only the place is held, and the robot has to wait.
        """
        with self._lock:
            self._check()
            return "granted" if self._hold(robot, at, zone_of(path or [at], radius)) else "waiting"

    def reserve(
        self, robot: str, way: int, piece: int, paths: Sequence[Sequence[Point]], at: Point, radius: float
    ) -> State:
        """Answer whether a robot may drive a piece of a way; the request for the first piece brings all pieces."""
        with self._lock:
            self._check()
            known = self._drivers.get(robot)
            if self._clock() < self._settled_at:
                return "waiting"
            if known is None or way > known.way:
                return self._begin(robot, way, way_of(paths, radius), at) if paths else "refused"
            # Requests may be lost or come twice. Only the piece after the granted one moves on; the same piece again gets the
            # same answer below; anything else is out of date.
            if way == known.way and piece == known.piece + 1 and known.state == "granted":
                self._go_on(robot, known)
            elif (way, piece) != (known.way, known.piece):
                return "refused"
            if known.state == "waiting" and self._yielding.is_due(robot):
                return self._refuse(robot, way, piece, zone_of([at], radius))
            return known.state

    def release(self, robot: str, way: int, piece: int, at: Point | None = None) -> None:
        """Free the floor behind a robot, which is at the end of its piece, or at a place on it."""
        with self._lock:
            self._check()
            known = self._drivers.get(robot)
            if known is not None and (known.way, known.piece) == (way, piece):
                if at is None:
                    self._arrive(robot, known)
                elif known.state == "granted" and not known.has_arrived:
                    self._pass(robot, at)

    def give_up(self, robot: str) -> None:
        """Drop the way of a robot that stopped somewhere on its piece; it keeps the piece."""
        with self._lock:
            if robot in self._drivers:
                self._tell(self._reservations.give_up(robot))

    def leave(self, robot: str) -> None:
        """Free all floor of a robot that has gone."""
        with self._lock:
            self._leave(robot)

    def see(self, robots: Sequence[RobotRecord], around: Sequence[Point], asker: str) -> None:
        """Hold the places of robots that do not reserve near some points, and free the floor of robots that have gone.

        The asker is left out: its request says where it is. The rest is done once for each new list of robots: robots that
        have moved away from their holds are held where they are now, or not at all if no request came near them lately.
        """
        with self._lock:
            now = self._clock()
            # Several holds may move: answers to waiting robots are given after all of them, or one could be granted floor
            # that a robot handled later turns out to stand on.
            with self._reservations.withheld() as granted:
                if robots is not self._snapshot.robots:
                    self._snapshot = RobotSnapshot(robots)
                    self._forget((self._drivers.keys() | self._seen.keys()) - self._snapshot.present)
                    self._follow(now)
                for one, pose in self._snapshot.within(_box(around, NEARBY_RADIUS)):
                    if one.tag != asker and one.tag not in self._drivers:
                        self._see(one.tag, _stranger(one, pose, now))
            self._tell(granted)

    def others(self, robot: str, at: Point) -> list[Zone]:
        """Return the places nearby that other robots hold."""
        with self._lock:
            return [
                zone.end
                for other, zone in self._reservations.held_near(_box([at], NEARBY_RADIUS))
                if other != robot and zone.path[-1].distance_to(at) <= NEARBY_RADIUS
            ]

    def booked_since(self, keeper: str, known: FloorNews) -> FloorNews:
        """Return the bookings that changed since `known`; `keeper` names the process that keeps the floor."""
        with self._lock:
            return self._booked.since(keeper, known)

    def on_commit(self, told: list[LogNotice]) -> None:
        """Free the floor of robots that left, and drop the ways of lost ones."""
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
        """Return empty reservations, and report the removal of all bookings."""
        self._booked.clear()
        reservations: Reservations[str] = Reservations()
        reservations.watch(self._booked.note)
        return reservations

    def _hold(self, robot: str, at: Point, zone: Zone) -> bool:
        """Hold a zone for a robot, or as much of its place as is free; return whether it has the whole zone."""
        # Robots in `_seen` are shrunk, not respected: their room is a guess, while this robot says that it stands here.
        here = zone if self._is_free(robot, zone) else self._place(robot, at, zone.radius, over=self._seen)
        if here is None:
            # Another robot holds the very point. Two grants must not overlap, so this robot holds nothing and queues for its
            # own place; as an obstacle it is known only by its reports.
            self._leave(robot)
            answers = self._reservations.enter(robot, Zone((at,), zone.radius))
            self._drivers[robot] = _Driver(has_arrived=True)
            self._tell(answers)
        else:
            self._stand(robot, here)
            self._drivers[robot] = _Driver(state="granted", has_arrived=True)
        return here == zone

    def _stand(self, robot: str, zone: Zone) -> None:
        """Hold a zone for a robot; robots that do not reserve and were seen there keep what is left."""
        near = self._reservations.held_near(zone.bounds)
        crowded = {
            tag: self._seen[tag]
            for tag, held in near
            if tag in self._seen and tag != robot and held.overlaps(zone)
        }
        answers = self._reservations.stand(robot, zone, over=crowded)
        self._seen.pop(robot, None)  # it reserves from now on
        self._tell(answers)
        for tag, stranger in crowded.items():
            del self._seen[tag]
            self._see(tag, stranger)

    def _follow(self, now: float) -> None:
        """Move each non-reserving robot's hold to its present position; drop it if no request came near it lately."""
        moved: dict[str, _Stranger] = {}
        for tag, known in self._seen.items():
            found = self._snapshot.find(tag)
            if found is not None and known.zone.path[0].distance_to((found[1].x, found[1].y)) > GONE_DISTANCE:
                moved[tag] = _stranger(*found, known.asked_at)
        # First all old holds go, then the new ones are placed: robots that swap places would otherwise shrink each other's.
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
        """Tell whether a robot is so near the centre of its hold that the hold can stay as it is."""
        before, zone = self._seen.get(robot), stranger.zone
        return (
            before is not None
            and before.is_lost == stranger.is_lost
            and before.zone.radius == zone.radius
            and before.zone.path[0].distance_to(zone.path[0]) <= STIR
            # A hold that was shrunk for another robot is taken anew, since it may grow again.
            and self._reservations.held(robot) == (before.zone,)
        )

    def _is_free(self, robot: str, zone: Zone) -> bool:
        return not any(
            held.overlaps(zone)
            for other, held in self._reservations.held_near(zone.bounds)
            if other != robot and other in self._drivers
        )

    def _place(self, robot: str, at: Point, radius: float, over: Container[str] = ()) -> Zone | None:
        """Return the largest free disc around a point, up to a radius; None if another robot holds the point itself.

        Robots in `over` do not count.
        """
        for other, held in self._reservations.held_near(_box([at], radius + LEAST_GAP)):
            if other != robot and other not in over:
                radius = min(radius, held.gap(at) - LEAST_GAP)
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
        """Take back the way of a waiting robot; if another holds its place, it waits for that before it can have a way."""
        self._hold(robot, here.path[0], here)
        if robot in self._drivers and self._reservations.held(robot):
            self._drivers[robot] = _Driver(way, piece, "refused")
        return "refused"

    def _note_refusals(self, answers: list[FloorAnswer[str]], robot: str, way: Way) -> None:
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

    def _tell(self, answers: list[FloorAnswer[str]]) -> None:
        for answer in answers:
            known = self._drivers.get(answer.robot)
            if known is None:
                continue
            known.state = "granted" if answer.is_granted else "refused"
            if answer.is_granted and known.way > 0:
                self._yielding.grant(answer.robot)
            if known.way == 0 and not answer.is_granted:
                del self._drivers[answer.robot]  # it could not enter


def _stranger(robot: RobotRecord, pose: PoseRecord, asked_at: float) -> _Stranger:
    """Return where a robot is that does not reserve, with the room around it."""
    is_lost = robot.state == "lost"
    room = robot.radius + (LOST_ROOM if is_lost else HELD_MARGIN)
    return _Stranger(Zone((Point(pose.x, pose.y),), room), is_lost, asked_at)


def _box(places: Sequence[Point], reach: float) -> Bounds:
    """Return the rectangle around places, with so much room on each side."""
    xs, ys = [place.x for place in places], [place.y for place in places]
    return Bounds(min(xs) - reach, min(ys) - reach, max(xs) + reach, max(ys) + reach)
