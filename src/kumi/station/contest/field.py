"""What has the program of a robot in a match, besides the robot?

Sensors and devices by name, as every robot has them: `sight` tells what is in view, `lidar` measures all around, `plan` knows the
arena and plans ways over it, `referee` takes reports. Looks and reports take simulated time, and computing takes none: the match
waits for each program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from math import tau
from typing import Self

from kumi.contract.published import Shown
from kumi.contract.readings import Sighting
from kumi.devs import note, now, sleep
from kumi.geometry import PointLike, as_point
from kumi.planning import Space
from kumi.robot import Robot
from kumi.sensing import Lidar, Sensor
from kumi.sensing.sensor import AskedSensor
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.referee import Referee
from kumi.station.contest.rules import ContestRules, RobotRules
from kumi.station.contest.sight import look
from kumi.station.floor_plan import FloorPlan
from kumi.station.sandbox.host import Host
from kumi.station.sandbox.jail import CodeLimits
from kumi.station.sandbox.run import Contained, Sandbox
from kumi.station.sandbox.words import OrderWord, Said, Word
from kumi.world import SimulatedBody

DEVICES = ("lidar", "plan", "referee", "sight")
"""What each robot has, by name."""


@dataclass(frozen=True)
class Field:
    """What all robots of a match share."""

    rules: ContestRules
    space: Space
    hidden: tuple[Hidden, ...]
    referee: Referee
    photograph: Callable[[SimulatedBody, str], None]
    """Keeps the picture of a report."""
    leave: Callable[[], None]
    """Is told of the end of each program."""
    is_over: Callable[[], bool]
    """Tells whether somebody has ended the match."""

    def devices(self, team: str) -> Mapping[str, Sensor]:
        """Return what a robot of a team has by name."""
        rules = self.rules

        def told(seen: Sequence[Sighting]) -> None:  # a function is not copied with the sensor
            self.referee.take_look(team, seen)

        return {
            "lidar": Lidar(rules.robots.rays, view=tau, reach=rules.robots.reach),
            "plan": FloorPlan(lambda: self.space, rules.robots.radius),
            "referee": FieldDesk(self, team),
            "sight": Sight(self.hidden, rules.robots, told, latency=rules.limits.look),
        }


class Sight(AskedSensor[tuple[Sighting, ...]]):
    """Tells what is in sight and in view, the nearest first: objects, which have no number, and robots."""

    def __init__(
        self,
        hidden: Sequence[Hidden],
        robots: RobotRules,
        take_look: Callable[[Sequence[Sighting]], None],
        *,
        latency: float = 0.0,
    ) -> None:
        super().__init__(latency=latency)
        self._hidden, self._robots, self._take_look = tuple(hidden), robots, take_look

    def measure(self) -> tuple[Sighting, ...]:
        """Return what is in sight; the referee learns it, too."""
        seen = look(self.body, self._hidden, self._robots)
        self._take_look(seen)
        return seen


class FieldDesk:
    """Takes the reports of one robot to the referee."""

    offered = ("report",)

    def __init__(self, field: Field, team: str) -> None:
        self._field, self._team = field, team
        self._body: SimulatedBody | None = None

    def attached_to(self, body: SimulatedBody) -> Self:
        """Give the robot of a body a client of its own."""
        one = copy(self)
        one._body = body
        return one

    async def read(self) -> float:
        """Return how many seconds of the match are left."""
        return self._field.rules.time - now()

    async def report(self, name: str, place: PointLike) -> str:
        """Report an object at a place, with a picture of what is ahead; return the referee's answer."""
        field, body = self._field, self._body
        assert body is not None
        if not isinstance(name, str):
            raise TypeError(f"a report names what was found, not {name!r}")
        at = as_point(place, "the place of a report")
        await sleep(field.rules.limits.report)
        answer = field.referee.take_report(self._team, body, now(), (name, at.x, at.y))
        note(f"reports {name[:40]} at ({at.x:.2f}, {at.y:.2f}): {answer}")
        if answer.startswith("right"):
            field.photograph(body, name)
        return answer


class Lockstep:
    """Talks to a sandbox while the match stands still."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def say(self, word: Word) -> None:
        """Say something to it."""
        self._sandbox.say(word)

    async def hear(self) -> Said:
        """Wait for what it says; nobody else has a turn meanwhile."""
        return self._sandbox.hear()


class Seat:
    """Where the program of one robot sits; it keeps what was printed, and how the program ended."""

    def __init__(self, field: Field, team: str, order: OrderWord, limits: CodeLimits) -> None:
        self.team = team
        self.printed: list[tuple[float, str]] = []
        self.ended: Contained | None = None
        self.group: tuple[int, ...] = ()
        """The numbers of the robots of the team."""
        self._field = field
        self._order = order
        self._sandbox = Sandbox(limits, field.is_over)
        self._host: Host | None = None

    @property
    def calls(self) -> int:
        """How often the program called its robot."""
        return 0 if self._host is None else self._host.contained.calls

    async def play(self, robot: Robot) -> None:
        """Run the program to its end; a match that is ended before it begins has no radios yet, and runs nothing."""
        if not hasattr(robot.radio, "node"):
            return
        self._host = host = Host(
            robot._body,
            robot.home,
            radio=robot.radio,
            group=self.group,
            show=shown_by(robot),
            heard=self._hear,
        )
        contained = await host.run(self._order, Lockstep(self._sandbox))
        self.ended = contained
        if not contained.succeeded:
            self._field.referee.take_failure(self.team, robot.name, now(), contained.outcome)
            note(f"the program failed: {contained.outcome}")
        self._field.leave()

    def close(self) -> None:
        """End the process."""
        self._sandbox.close()

    def _hear(self, text: str) -> None:
        self.printed.append((now(), text))


def shown_by(robot: Robot) -> Callable[[str, Shown], object]:
    """Return what shows on the stage what a program shows."""
    publish = robot._publish
    return (lambda _name, _value: None) if publish is None else publish
