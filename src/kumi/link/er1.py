"""How does a program drive an ER1, whose control centre speaks text?

`Er1Body` is a body like any other: it turns commands into lines and waits for `move done`. An ER1 turns on
the spot and drives straight, so arcs are refused. It has no odometry to ask, so the body believes in its
motions: on the way it counts time and speed, and when a motion is done it is where the motion led. A motion
that is stopped midway ends where that count is, to the delay of the line.

Every request gets one answer, in order; an event that comes before the answer to a motion belongs to the one
before and is dropped. Silence is `LinkLost`; when the line is back, so is the body. Source: Skadsem (2006).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum, auto
from math import inf, isfinite, pi
from typing import Any

from kumi.contract import (
    Asked,
    Blocked,
    Busy,
    CannotDo,
    Command,
    Contact,
    LinkLost,
    Pushed,
)
from kumi.contract.readings import Range
from kumi.devs import Chance, Signal, Simulation, after, until
from kumi.geometry import Point, PointLike, as_point, wrapped
from kumi.geometry.points import as_angle
from kumi.link.er1_dialect import (
    DONE,
    ERROR,
    MOVE_ERROR,
    OK,
    RANGERS,
    Er1Events,
    Er1Halt,
    Er1Stroke,
    Request,
    Sense,
    SetSpeed,
    SetTurnSpeed,
    parse_range,
    stated_speeds,
    strokes_of,
    text_of,
)
from kumi.link.text_line import TextWire
from kumi.motion import Piece

ANSWER_WITHIN = 2.0
"""Seconds in which a request is answered; Skadsem (2006) waited as long."""
ANSWER_TIMEOUT = 5.0
"""Seconds that a motion may take longer than it should."""
ULTRASONIC_REACH = 3.0
"""Metres; the farthest that the ultrasonic rangers measure."""


class StrokeEnd(Enum):
    """How a stroke ended."""

    DONE = auto()
    STUCK = auto()
    HALTED = auto()
    LOST = auto()


class Er1Body:
    """An ER1 at the other end of a wire. It takes the speeds a command states, or its own."""

    def __init__(
        self,
        simulation: Simulation,
        wire: TextWire,
        *,
        name: str = "er1",
        number: int = 0,
        at: PointLike = (0.0, 0.0),
        heading: float = 0.0,
        speed: float = 0.1,
        turn_speed: float = pi / 6,
    ) -> None:
        self.name = name
        self.number = number
        self.contacts: Signal[Contact] = Signal(f"{name}.contacts")
        self.chance: Chance = simulation.chance(name)
        self.speed = speed
        self.turn_speed = turn_speed
        self.sensors: Mapping[str, Asked[Any] | Pushed[Any]] = {
            ranger: Er1Ranger(self, ranger) for ranger in RANGERS
        }
        self.ranges: Signal[tuple[str, float]] = Signal(f"{name}.ranges")
        self._simulation = simulation
        self._wire = wire
        self._at, self._heading = as_point(at), wrapped(as_angle(heading, "a heading"))
        self._piece: Piece | None = None
        self._since = 0.0
        self._command: Command | None = None
        self._ends: Signal[StrokeEnd] = Signal(f"{name}.ends")
        self._answers: deque[Callable[[str], object]] = deque()
        self._is_there = False
        self._told_speeds: tuple[float, float] | None = None
        wire.open(self._take, self._change)

    @property
    def position(self) -> Point:
        """Where it believes it is."""
        return self._pose()[0]

    @property
    def heading(self) -> float:
        """Where it believes it looks."""
        return self._pose()[1]

    @property
    def is_moving(self) -> bool:
        """Whether a motion is under way."""
        return self._piece is not None

    @property
    def is_there(self) -> bool:
        """Whether the wire is there."""
        return self._is_there

    def _pose(self) -> tuple[Point, float]:
        if self._piece is None:
            return self._at, self._heading
        passed = min(self._simulation.now - self._since, self._piece.duration)
        x, y, heading = self._piece.at(passed)
        return Point(x, y), wrapped(heading)

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await."""
        return self._carry_out(command)

    async def _carry_out(self, command: Command) -> Point:
        if self._command is not None:
            raise Busy(self.name, self._command, command)
        strokes = strokes_of(command, self.position, self.heading, self.speeds_of(command))
        self._command = command
        try:
            for stroke in strokes:
                if not await self._drive(stroke, command):
                    break
        finally:
            self._command = None
            self.stop()
        return self.position

    async def _drive(self, stroke: Er1Stroke, command: Command) -> bool:
        """Do one stroke; tell whether it was not stopped."""
        self._set_speeds(command)
        await self.ask(stroke.request, lambda: self._begin(stroke))
        long = Piece.of(stroke.leg, self._at, self._heading).duration
        with until(after(long + ANSWER_TIMEOUT if isfinite(long) else inf)):
            end = await self._ends.next()
            if end is StrokeEnd.STUCK:
                raise self._blocked
            if end is StrokeEnd.LOST:
                raise self._lost()
            return end is StrokeEnd.DONE
        raise LinkLost(
            f"{self.name} did not tell within {ANSWER_TIMEOUT:g} s of its time that '{command}' is done"
        )

    def steer(self, command: Command) -> None:
        """Drive on without being awaited; a new command takes the place of the one before."""
        if self._command is not None:
            raise Busy(self.name, self._command, command)
        if not self._is_there:
            raise self._lost()
        first, *others = strokes_of(command, self.position, self.heading, self.speeds_of(command))
        if others:
            raise CannotDo(
                f"an ER1 cannot carry out {command} without being awaited: it takes several motions"
            )
        self.stop()
        self._set_speeds(command)
        self._request(first.request, self._ignore)
        self._begin(first)

    def stop(self) -> None:
        """End the motion under way."""
        if self._piece is None:
            return
        self._rest()
        self._request(Er1Halt(), self._ignore)
        self._ends.fire(StrokeEnd.HALTED)

    async def ask(self, request: Request, begin: Callable[[], None] = lambda: None) -> None:
        """Send a request and wait for its answer: nothing, LinkLost, or CannotDo with the robot's words.

        Where the robot does it, it has begun when its answer is read: a short motion is done by the next line.
        """
        if not self._is_there:
            raise self._lost()
        answered: Signal[str] = Signal(f"{self.name}.answer", once=True)

        def take(answer: str) -> None:
            if answer == OK:
                begin()
            answered.fire(answer)

        self._request(request, take)
        with until(after(ANSWER_WITHIN)):
            answer = await answered.next()
            if not answer:
                raise self._lost()
            if answer.startswith(ERROR):
                raise CannotDo(f"{self.name} refused '{text_of(request)}': {answer}")
            return
        raise LinkLost(f"{self.name} did not answer '{text_of(request)}' within {ANSWER_WITHIN:g} s")

    def _request(self, request: Request, answered: Callable[[str], object]) -> None:
        self._answers.append(answered)
        self._wire.send(text_of(request))

    def _ignore(self, _answer: str) -> None:
        """Nobody waits for this answer; without it there is a LinkLost at the next request."""

    def _set_speeds(self, command: Command) -> None:
        """Tell the robot how fast to drive and turn, where it does not know."""
        speed, turn_speed = self.speeds_of(command)
        if self._told_speeds != (speed, turn_speed):
            self._request(SetSpeed(speed), self._ignore)
            self._request(SetTurnSpeed(turn_speed), self._ignore)
            self._told_speeds = (speed, turn_speed)

    def speeds_of(self, command: Command) -> tuple[float, float]:
        """Return how fast to drive and to turn for a command: as it says, or as this robot does."""
        speed, turn_speed = stated_speeds(command)
        return speed or self.speed, turn_speed or self.turn_speed

    def _begin(self, stroke: Er1Stroke) -> None:
        self._at, self._heading = self._pose()
        self._piece = Piece.of(stroke.leg, self._at, self._heading)
        self._since = self._simulation.now
        self._ends = Signal(f"{self.name}.ends", once=True)

    def _rest(self) -> None:
        self._at, self._heading = self._pose()
        self._piece = None

    def _arrive(self) -> None:
        """Be where the motion leads."""
        assert self._piece is not None
        x, y, heading = self._piece.at(self._piece.duration)
        self._at, self._heading, self._piece = Point(x, y), wrapped(heading), None

    def _take(self, line: str) -> None:
        """Take a line from the robot."""
        if line == OK or line.startswith(ERROR):
            if self._answers:
                self._answers.popleft()(line)
        elif (found := parse_range(line)) is not None:
            self.ranges.fire(found)
        elif self._piece is None or self._answers:
            return  # the end of a motion that was stopped or replaced
        elif line == DONE:
            if isfinite(self._piece.duration):
                self._arrive()
            else:
                self._rest()
            self._ends.fire(StrokeEnd.DONE)
        elif line.startswith(MOVE_ERROR):
            self._bump()

    def _bump(self) -> None:
        assert self._piece is not None
        x, y, _ = self._piece.at(0.0)
        self._rest()
        ahead = (self._at - Point(x, y)).dot(Point.polar(1.0, self._heading)) >= 0.0
        bearing = 0.0 if ahead else pi
        contact = Contact(self._simulation.now, self._at, bearing, "something")
        self._blocked = Blocked(self._at, "something", bearing, None)
        self.contacts.fire(contact)
        self._ends.fire(StrokeEnd.STUCK)

    def _change(self, is_there: bool) -> None:
        """Take note that the wire broke, or is back."""
        self._is_there = is_there
        waiting, self._answers = self._answers, deque()
        for answered in waiting:
            answered("")
        self._told_speeds = None
        if is_there:
            self._request(Er1Events(), self._ignore)
        elif self._piece is not None:
            self._rest()
            self._ends.fire(StrokeEnd.LOST)

    def _lost(self) -> LinkLost:
        return LinkLost(f"{self.name} is gone: the connection is broken")


class Er1Ranger:
    """One of the ultrasonic rangers: asked, it is turned on until it has reported."""

    def __init__(self, body: Er1Body, ranger: str) -> None:
        self._body = body
        self._ranger = ranger

    async def read(self) -> Range:
        """Return the distance to what the ranger sees."""
        reports = self._body.ranges.stream()
        await self._body.ask(Sense(self._ranger))
        with until(after(ANSWER_WITHIN)):
            async for ranger, distance in reports:
                if ranger == self._ranger:
                    await self._body.ask(Sense(self._ranger, is_on=False))
                    return Range(min(distance, ULTRASONIC_REACH), distance <= ULTRASONIC_REACH)
        raise LinkLost(
            f"{self._body.name} did not report its {self._ranger} ranger within {ANSWER_WITHIN:g} s"
        )
