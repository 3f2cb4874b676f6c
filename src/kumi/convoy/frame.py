"""What is measured of a convoy, and when is a run over?

The frame is made of models coupled to the team. The transducer hears when a motion is over and then knows where the
robot is; the error of that robot and of the one behind it are computed anew, and stand until the next such event.
So positions change at the ends of motions, as in the paper, and the mean over time is exact. The acceptor ends the
run after the last step of the leader, or when the convoy breaks up, and has it from those who watch why it did.

The error of robot i is its distance from the place that is the desired distance behind robot i - 1, against the
heading of that robot: formulas (4) to (6). The mean over the team, (7), divides by all robots, the leader included,
who has no error.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from kumi.contract.devices import Moved
from kumi.convoy.causes import BreakUp, Mishaps
from kumi.convoy.links import Waiting
from kumi.convoy.program import Informed
from kumi.convoy.setup import Setup
from kumi.devs import Atomic
from kumi.maths import cos, hypot, sin
from kumi.world import SimulatedBody


class Errors(Atomic):
    """Keeps the position errors, and their mean over the team and over time.

    With a list as `history` it also writes down each (instant, mean error of the team in metres).
    """

    def __init__(self, name: str, bodies: list[SimulatedBody], desired: float, limit: float) -> None:
        super().__init__(name)
        self._bodies = bodies
        self._desired = desired
        self._limit = limit
        self.ended = [self.add_input(f"moved {number}", Moved) for number in range(len(bodies))]
        self.errors = [0.0] * len(bodies)
        self.largest = 0.0
        self.broke_up = self.add_output("broke_up", int)
        self.integral = 0.0
        self.history: list[tuple[float, float]] | None = None
        self.shows: list[Callable[[str, float | str], object]] = []
        """What shows values of each robot, where somebody looks at the run."""
        self._since = 0.0
        self._broken: int | None = None

    @property
    def mean(self) -> float:
        """The mean error of the team now, in metres."""
        return fsum(self.errors) / len(self.errors)

    def advance(self, now: float) -> None:
        """Count the time until now."""
        self.integral += self.mean * (now - self._since)
        self._since = now

    def external(self) -> None:
        """Compute the errors of those who moved, and of those behind them."""
        self.advance(self.now)
        for number, port in enumerate(self.ended):
            if len(port):
                self._update(number)
                self._update(number + 1)
        if self.history is not None:
            self.history.append((self.now, self.mean))

    def _update(self, number: int) -> None:
        if not 0 < number < len(self._bodies):
            return
        error = error_of(self._bodies[number - 1], self._bodies[number], self._desired)
        self.errors[number] = error
        if self.shows:
            gap = self._bodies[number - 1].position.distance_to(self._bodies[number].position)
            self.shows[number]("gap (m)", gap)
            self.shows[number]("metres off its place", error)
        self.largest = max(self.largest, error)
        if error > self._limit and self._broken is None:
            self._broken = number
            self.hold(0.0)

    def output(self) -> None:
        """Tell who broke the convoy up."""
        assert self._broken is not None
        self.broke_up.send(self._broken)


class Acceptor(Atomic):
    """Ends the run when the leader has made its steps, or when the convoy breaks up."""

    def __init__(self, name: str, setup: Setup, errors: Errors, mishaps: Mishaps) -> None:
        super().__init__(name)
        self.stepped = self.add_input("stepped", Informed)
        self.broke_up = self.add_input("broke_up", int)
        self.lost = self.add_input("lost", Waiting)
        self.broke_up_at: float | None = None
        self.break_up: BreakUp | None = None
        self.warm_at: float | None = None
        self.integral_when_warm = 0.0
        self.way = 0.0
        self._steps_left = setup.steps
        self._warm_left = setup.robots
        self._errors = errors
        self._mishaps = mishaps
        self.end: Callable[[], object] = lambda: None
        """What ends the run under way; set by the one who runs it."""

    @property
    def is_over(self) -> bool:
        """Whether the run has come to its end."""
        return self._steps_left <= 0 or self.broke_up_at is not None

    def external(self) -> None:
        """Count steps."""
        for informed in self.stepped:
            self.way += informed.distance
            self._steps_left -= 1
            self._warm_left -= 1
            if self._warm_left == 0:
                self._errors.advance(self.now)
                self.warm_at, self.integral_when_warm = self.now, self._errors.integral
        for number in self.broke_up:
            self._break_up(self._mishaps.break_up(number, self.now))
        for waiting in self.lost:
            self._break_up(self._mishaps.message_lost(waiting, self.now))
        if self.is_over:
            self.end()

    def _break_up(self, why: BreakUp) -> None:
        if self.broke_up_at is None:
            self.broke_up_at = self.now
            self.break_up = why
            self._mishaps.write_down(why)


def error_of(front: SimulatedBody, back: SimulatedBody, desired: float) -> float:
    """Return how far a robot is from its place behind the one in front, in metres."""
    at, place, heading = back.position, front.position, front.heading
    return hypot(at.x - place.x + desired * cos(heading), at.y - place.y + desired * sin(heading))
