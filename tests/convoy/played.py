"""What robots of a convoy drive and look with, played by a test or listened to by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kumi.contract import Blocked, Body, BodyAround, Command, Forward
from kumi.contract.readings import Range
from kumi.convoy.program import ConvoyRobot
from kumi.devs import Coupled, Program, Simulation, Stream
from kumi.geometry import Point


class Watched(BodyAround[Body]):
    """A body whose commands are told, and whether all of each was done."""

    def __init__(
        self, body: Body, begun: Callable[[Command], object], ended: Callable[[bool], object]
    ) -> None:
        super().__init__(body)
        self._begun, self._ended = begun, ended
        self._is_stopped = False

    async def carry_out(self, command: Command) -> Point:
        self._is_stopped = False
        self._begun(command)
        try:
            place = await self.body.carry_out(command)
        except Blocked:
            self._ended(False)
            raise
        self._ended(not self._is_stopped)
        return place

    def stop(self) -> None:
        self._is_stopped = True
        self.body.stop()


class WatchedEye:
    """A range finder whose readings are told."""

    def __init__(self, eye: Any, seen: Callable[[Range], object]) -> None:
        self._eye, self._seen = eye, seen

    async def read(self) -> Range:
        reading: Range = await self._eye.read()
        self._seen(reading)
        return reading


def watch(
    robot: ConvoyRobot,
    begun: Callable[[Command], object] = lambda _: None,
    ended: Callable[[bool], object] = lambda _: None,
) -> None:
    """Hear of each motion of a robot, before its run begins or between two motions."""
    robot.avoid.body = Watched(robot.avoid.body, begun, ended)


def watch_eye(robot: ConvoyRobot, seen: Callable[[Range], object]) -> None:
    """Hear of each reading ahead, before the run begins."""
    middle = len(robot.eyes) // 2
    eyes = list(robot.eyes)
    eyes[middle] = WatchedEye(eyes[middle], seen)
    robot.eyes = tuple(eyes)


class Stage(Program):
    """Where what a robot waits for is brought: how a motion ended, and what a range finder sees."""

    def __init__(self) -> None:
        super().__init__("stage")
        self.ended = self.add_input("ended", Command)
        self.seen = self.add_input("seen", Range)

    async def run(self) -> None:
        """Do nothing: others wait at the ports."""


class PlayedBody:
    """A body and its range finders, all played: what the robot does is written down, and goes on when the test says so.

    A way that is answered by another `Forward` is cut short after that distance, as by a contact.
    """

    name, number, heading, is_moving = "played", 0, 0.0, False

    def __init__(self, log: list[object], stage: Stage) -> None:
        self.position = Point(0.0, 0.0)
        self._log = log
        self._answers: Stream[Any] = stage.ended.arrivals.stream()
        self._readings: Stream[Any] = stage.seen.arrivals.stream()

    async def carry_out(self, command: Command) -> Point:
        self._log.append(command)
        answer = await anext(self._answers)
        if isinstance(answer, Forward):
            self.position += Point(answer.distance, 0.0)
        if answer != command:
            raise Blocked(self.position, "a test", 0.0, None)
        return self.position

    def stop(self) -> None:
        self._log.append("stop")

    async def read(self) -> Range:
        self._log.append("look")
        return await anext(self._readings)


class Bench:
    """A robot alone in a run, on a played body; what it does and tells is collected."""

    def __init__(self, make: Callable[[Any, list[Any]], ConvoyRobot], eyes: int = 1) -> None:
        whole = Coupled("bench")
        self.log: list[object] = []
        self.stage = whole.add(Stage())
        body = PlayedBody(self.log, self.stage)
        self.robot = whole.add(make(body, [body] * eyes))
        self.simulation = Simulation(whole)
        for port in self.robot.outputs:
            port.watch(lambda _, value: self.log.append(value))
        self.simulation.run()

    def give(self, port: Any, value: object) -> list[object]:
        """Give the robot an input, and return what it answers."""
        self.log.clear()
        self.simulation.inject(port, value)
        self.simulation.run()
        return list(self.log)

    def see(self, reading: Range) -> list[object]:
        """Let a range finder answer."""
        return self.give(self.stage.seen, reading)

    def end(self, command: object) -> list[object]:
        """End the motion under way: all of it, or cut short by another command."""
        return self.give(self.stage.ended, command)
