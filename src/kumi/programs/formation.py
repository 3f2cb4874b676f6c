"""Robots that drive a course in formation, past obstacles.

Each robot tells the others by radio where it is and how it moves, and sees with a proximity sensor, `near`, what is
close. From that it finds its place in the formation, adds up its wishes (go on along the course, keep the place,
keep off obstacles and other robots) and steers accordingly, again and again.

At first they form up on the course's first waypoint, and set off when all are in their places, or at the latest
after a while. At its end they stop, and correct their places once more.

With the unit centre as reference each robot needs to hear all others; with a leader, the leader; with neighbours,
one other robot, from which it also takes the heading. What they hear is as old as the radio is slow. Between two
messages a robot takes another to go on straight. A robot that is silent for long is left out of the unit centre; a robot that
loses its leader or its neighbour ends with an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import radians, remainder, tau

from kumi.contract.messages import Message
from kumi.devs import KumiError, note, now, sleep_until, together
from kumi.geometry import Point
from kumi.geometry.points import as_size
from kumi.planning.formation_task import (
    LOOKAHEAD,
    SPACING,
    FormationName,
    FormationTask,
    Places,
    ReferenceName,
    as_formation_task,
)
from kumi.planning.formations import LEADER, Reference
from kumi.planning.motor_schemas import NO_PUSH, SchemaZones, Sphere, limited, wheel_speeds
from kumi.robot import Robot, checked_by

FORMING_UP = -1
"""The leg of a robot that does not know yet that all are in their places."""
TURNED = radians(5.0)
"""How far from the course robots may look when they set off."""
SETS_OFF, ARRIVED = "sets off", "arrived"
"""What a robot notes when it begins with its course, and when its formation has ended it."""
FRESH = 0.5
"""Seconds for which a robot takes another to go on as it said."""
SILENT = 3.0
"""Seconds after which a robot that was not heard counts no more."""


@dataclass(frozen=True, slots=True)
class FormationReport(Message):
    """Where a robot is and how it moves, where the formation heads for, on which leg, and whether it is in place."""

    at: Point
    velocity: Point
    heading: float
    direction: float
    leg: int
    is_in_place: bool


class LostReference(KumiError):
    """A robot no longer hears the one by which it finds its place."""


class NotArrived(KumiError):
    """A robot gave its course up."""


@dataclass(frozen=True)
class FormationManner:
    """How a robot drives: its cruising speed in m/s, the most in shares of it, seconds between two looks, its wishes."""

    speed: float
    hurry: float
    period: float
    place: SchemaZones
    obstacles: Sphere
    robots: Sphere


def check_formation(
    count: int,
    formation: FormationName | Places,
    reference: ReferenceName,
    course: str,
    courses: Mapping[str, Places],
    spacing: float,
    ahead: float,
    speed: float,
    hurry: float,
    period: float,
    **_times: float,
) -> None:
    """Refuse words that mean no march of so many robots."""
    as_formation_task(count, formation, reference, course, courses, spacing, ahead)
    as_manner(speed, hurry, period, spacing)


def as_manner(speed: float, hurry: float, period: float, spacing: float) -> FormationManner:
    """Return how a robot drives."""
    return FormationManner(
        as_size(speed, "a speed"),
        as_size(hurry, "a hurry"),
        as_size(period, "a period"),
        place=SchemaZones(dead=0.01 * spacing, controlled=0.5 * spacing, gain=hurry),
        obstacles=Sphere(reach=0.4 * spacing, margin=0.15 * spacing),
        robots=Sphere(reach=0.5 * spacing, margin=0.15 * spacing),
    )


@checked_by(check_formation)
async def formation(
    robot: Robot,
    formation: FormationName | Places,
    reference: ReferenceName,
    course: str,
    courses: Mapping[str, Places],
    spacing: float = SPACING,
    ahead: float = LOOKAHEAD,
    speed: float = 0.5,
    hurry: float = 2.0,
    period: float = 0.2,
    latest: float = 60.0,
    longest: float = 600.0,
    settle: float = 5.0,
) -> None:
    """Form up, drive one of the courses, and stop in formation.

    `formation` is the name of one, or its places ([x ahead, y to the left], in metres) in the order of the robots.
    `spacing` and `ahead` are metres, `speed` is the cruising speed in m/s, `hurry` the top speed in shares of it, and
    `period` the seconds between two looks. The robots set off at the latest after `latest` seconds, give up when
    they have been under way for `longest`, and keep their places for `settle` when they have arrived.
    """
    march = as_formation_task(len(robot.radio.group), formation, reference, course, courses, spacing, ahead)
    manner = as_manner(speed, hurry, period, spacing)
    await FormationMember(robot, march, manner).drive(latest, longest, settle)


class FormationMember:
    """A robot of a formation, with what it knows of the others."""

    def __init__(self, robot: Robot, march: FormationTask, manner: FormationManner) -> None:
        self.robot = robot
        self.formation = march.formation
        self.reference = march.reference
        self.course = course = march.course
        self.manner = manner
        self.leg = FORMING_UP
        self.heading = course.heading_at(course.waypoints[0], 0)
        self.direction = self.heading
        self.is_in_place = False
        self._heard: dict[int, tuple[FormationReport, float]] = {}

    async def drive(self, latest: float, longest: float, settle: float) -> None:
        """Form up, follow the course, and stop in formation."""
        async with together() as tasks:
            listener = tasks.start(self._listen)
            await self._follow(latest, longest, settle)
            listener.cut()
        self.robot.stop()

    async def _listen(self) -> None:
        async for here, sender in self.robot.radio.messages(FormationReport):
            self._heard[sender] = here, now()

    async def _follow(self, latest: float, longest: float, settle: float) -> None:
        self.robot.show("state", "forms up")
        await self._step_until(lambda: self.leg > FORMING_UP or self._are_all_in_place, latest)
        self.leg = max(self.leg, 0)
        note(SETS_OFF)
        self.robot.show("state", "under way")
        await self._step_until(lambda: self.leg >= self.course.legs, longest)
        if self.leg < self.course.legs:
            raise NotArrived(f"{self.robot.name} gave up: it has not arrived within {longest:g} s")
        note(ARRIVED)
        self.robot.show("state", "has arrived")
        await self._step_until(lambda: False, settle)

    async def _step_until(self, is_over: Callable[[], bool], patience: float) -> None:
        """Look, steer and tell, once a period, until something is true or patience ends."""
        begin, steps = now(), 0
        while True:
            await self._step()
            if is_over() or now() - begin >= patience:
                return
            steps += 1
            await sleep_until(begin + steps * self.manner.period)

    async def _step(self) -> None:
        self.leg = max([self.leg, *(here.leg for here, _ in self._heard.values())])
        at = self._positions()
        self._follow_course(at)
        wish = self._wish(self._place(at))
        onward = self.direction if self._is_under_way else wish.direction
        for seen in await self.robot.near.read():
            sphere = self.manner.obstacles if seen.number is None else self.manner.robots
            wish += sphere.keep_off(seen.distance, self.robot.heading + seen.bearing, onward)
        velocity = limited(wish, self.manner.hurry) * self.manner.speed
        speed, turn_speed = wheel_speeds(velocity, self.robot.heading, self.manner.speed, self.heading)
        self.robot.steer(speed, turn_speed)
        moves = Point.polar(speed, self.robot.heading)
        await self.robot.radio.broadcast(
            FormationReport(
                self.robot.position, moves, self.heading, self.direction, self.leg, self.is_in_place
            )
        )

    def _positions(self) -> dict[int, Point]:
        """Return where all robots are that it has heard of lately, and itself."""
        at = {
            number: here.at + here.velocity * min(now() - time, FRESH)
            for number, (here, time) in self._heard.items()
            if now() - time <= SILENT
        }
        return at | {self.robot.number: self.robot.position}

    def _follow_course(self, at: Mapping[int, Point]) -> None:
        """Find out on which leg the formation is, and where it heads for."""
        if self.leg == FORMING_UP:
            return
        number, guide = self.robot.number, self._guide
        if guide not in at:
            raise LostReference(
                f"{self.robot.name} finds its place by robot {guide}, which it has not heard for {SILENT:g} s"
            )
        if guide != number:
            here, _ = self._heard[guide]
            self.heading, self.direction = here.heading, here.direction
            return
        place = at[number]
        if self.reference is Reference.UNIT_CENTRE:
            place = self.formation.origin(self.reference, number, at, self.heading)
        self.leg = self.course.leg_at(place, self.leg)
        self.heading = self.course.heading_at(place, self.leg)
        self.direction = self.course.direction_at(place, self.leg)

    @property
    def _is_under_way(self) -> bool:
        return FORMING_UP < self.leg < self.course.legs

    @property
    def _guide(self) -> int:
        """The robot from which it has the heading."""
        match self.reference:
            case Reference.UNIT_CENTRE:
                return self.robot.number
            case Reference.LEADER:
                return LEADER
            case Reference.NEIGHBOUR:
                return self.formation.neighbours[self.robot.number]

    def _place(self, at: Mapping[int, Point]) -> Point | None:
        """Return where it should be; None for one that keeps no place."""
        number = self.robot.number
        if self.leg == FORMING_UP:
            return self.formation.start(self.reference, number, self.course.waypoints[0], self.heading)
        if number not in self.formation.keepers(self.reference):
            return None
        return self.formation.place(self.reference, number, at, self.heading)

    def _wish(self, place: Point | None) -> Point:
        """Return the wish to go on, and to be in place."""
        wish = Point.polar(1.0, self.direction) if self._is_under_way else NO_PUSH
        off = None if place is None else self.robot.position.distance_to(place)
        self.robot.show("metres off its place", off)
        keep = NO_PUSH if place is None else self.manner.place.keep_place(self.robot.position, place)
        is_turned = abs(remainder(self.robot.heading - self.heading, tau)) < TURNED
        self.is_in_place = keep == NO_PUSH and (is_turned or self.leg > FORMING_UP)
        return wish + keep

    @property
    def _are_all_in_place(self) -> bool:
        others = [here.is_in_place for here, _ in self._heard.values()]
        return self.is_in_place and len(others) == len(self.robot.radio.others) and all(others)
