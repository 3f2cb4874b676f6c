"""What may the code of a robot ask for in a match?

Each call does what it says with the robot of that code and no other, and takes simulated time: a stated time to think, and what
the call itself takes. Ways are planned on the plan of the arena, which every team has; other robots are not on it. What cannot be
done is an error of the code, which goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from kumi.contract import BadGoal, Blocked, Lost
from kumi.devs import note, now, sleep
from kumi.geometry import Point
from kumi.planning import Space, plan_route
from kumi.robot import Robot
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.player import Call, Player
from kumi.station.contest.referee import Referee
from kumi.station.contest.rules import Rules
from kumi.station.contest.sight import look, ranges
from kumi.station.sandbox.run import Contained
from kumi.world import SimulatedBody

FARTHEST = 1000.0
"""Metres, radians or seconds that one call may ask for."""
MARGIN = 0.05
"""Metres that planned ways keep free around a robot, where there is room."""


class Refused(Exception):
    """A call that cannot be done; the code is told."""


@dataclass(frozen=True)
class Field:
    """What all robots of a match share."""

    rules: Rules
    space: Space
    hidden: tuple[Hidden, ...]
    referee: Referee
    photograph: Callable[[SimulatedBody, str], None]
    """Keeps the picture of a report."""
    leave: Callable[[], None]
    """Is told of the end of each robot's code."""
    is_over: Callable[[], bool]
    """Tells whether somebody has ended the match."""


class Seat:
    """Where the code of one robot sits: it does the calls, and keeps what was printed."""

    def __init__(self, field: Field, team: str, number: int, player: Player) -> None:
        self.team = team
        self.printed: list[tuple[float, str]] = []
        self.calls = 0
        self.ended: Contained | None = None
        self._field = field
        self._number = number
        self._player = player
        self._body: SimulatedBody | None = None

    def sit(self, body: SimulatedBody) -> None:
        """Say which body is the robot's."""
        self._body = body

    async def play(self, robot: Robot) -> None:
        """Do what the code asks for, until it ends."""
        while True:
            word = self._player.next(self._hear, self._field.is_over)
            if isinstance(word, Contained):
                self._end(robot, word)
                return
            self.calls += 1
            await sleep(self._field.rules.limits.think)
            try:
                await self._answer(robot, word)
            except Lost as lost:
                self._end(robot, Contained(outcome=str(lost)))
                return

    def _hear(self, text: str) -> None:
        self.printed.append((now(), text))

    def _end(self, robot: Robot, ended: Contained) -> None:
        """Keep how the code ended; what failed is told to the referee."""
        self.ended = ended
        if not ended.succeeded:
            self._field.referee.take_failure(self.team, robot.name, now(), ended.outcome)
            note(f"the code failed: {ended.outcome}")
        self._field.leave()

    async def _answer(self, robot: Robot, call: Call) -> None:
        try:
            value = await self._done(robot, call.name, call.arguments)
        except (Blocked, BadGoal, Refused) as error:
            call.refuse(str(error))
        else:
            call.answer(value)

    async def _done(self, robot: Robot, name: str, arguments: list[Any]) -> Any:
        match name, arguments:
            case "go_to", [x, y]:
                await self._go_to(robot, Point(_number(x), _number(y)))
            case "forward", [distance]:
                await robot.forward(_number(distance))
            case "turn", [angle]:
                await robot.turn(_number(angle))
            case "sleep", [seconds]:
                await sleep(abs(_number(seconds)))
            case "position", []:
                return [robot.position.x, robot.position.y, robot.heading]
            case "report", [str(what), x, y]:
                return await self._report(robot, (what, _number(x), _number(y)))
            case _:
                return await self._told(name, arguments)
        return None

    async def _told(self, name: str, arguments: list[Any]) -> Any:
        """Answer what a robot knows or senses."""
        rules = self._field.rules
        assert self._body is not None
        match name, arguments:
            case "look", []:
                await sleep(rules.limits.look)
                return msgspec.to_builtins(look(self._body, self._field.hidden, rules.robots))
            case "ranges", []:
                return ranges(self._body, rules.robots)
            case "arena", []:
                return list(rules.arena.bounds)
            case "time", []:
                return now()
            case "number", []:
                return self._number
        raise Refused(f"a robot in this contest has no call {name[:40]} with {len(arguments)} values")

    async def _report(self, robot: Robot, report: tuple[str, float, float]) -> str:
        assert self._body is not None
        await sleep(self._field.rules.limits.report)
        answer = self._field.referee.take_report(self.team, self._body, now(), report)
        note(f"reports {report[0][:40]} at ({report[1]:.2f}, {report[2]:.2f}): {answer}")
        if answer.startswith("right"):
            self._field.photograph(self._body, report[0])
        return answer

    async def _go_to(self, robot: Robot, goal: Point) -> None:
        why = ""
        radius = self._field.rules.robots.radius
        for clearance in (radius + MARGIN, radius):
            try:
                route = plan_route(self._field.space, robot.position, goal, clearance)
            except ValueError as error:
                why = str(error)
                continue
            if route is None:
                why = f"there is no way to ({goal.x:g}, {goal.y:g})"
                continue
            for place in route[1:]:
                await robot.move_to(place)
            return
        raise Refused(why)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= FARTHEST:
        raise Refused(f"that takes a number from {-FARTHEST:g} to {FARTHEST:g}, not {str(value)[:40]!r}")
    return float(value)
