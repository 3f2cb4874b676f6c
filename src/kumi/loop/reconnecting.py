"""What if a real robot is not there for a while?

Then its motions and its readings take as long: they go on when it answers again, with what is left of the command.
Nothing is told meanwhile, so the robot's neighbours wait for it, and whoever runs the team decides how long.
"""

from __future__ import annotations

from collections.abc import Awaitable
from math import remainder, tau
from typing import Any, Generic, TypeVar

import msgspec

from kumi.contract import Asked, BodyAround, Command, Forward, LinkLost, Turn
from kumi.geometry import Point, Pose
from kumi.link.linked_body import LinkedBody
from kumi.world import SimulatedBody

T = TypeVar("T")
DONE = 1e-3
"""Metres, or radians, of a command that are none."""


class ReconnectingBody(BodyAround[LinkedBody]):
    """A linked body that waits for its robot where the link is lost, and drives as its twin in the model would."""

    def __init__(self, real: LinkedBody, twin: SimulatedBody) -> None:
        super().__init__(real)
        self.twin = twin

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await."""
        return self._carry_out(command)

    async def _carry_out(self, command: Command) -> Point:
        command = as_driven(command, self.twin)
        start = self.body.reckoning.pose
        left: Command | None = command
        while left is not None:
            try:
                return await self.body.carry_out(left)
            except LinkLost:
                await back(self.body)
                left = rest_of(command, start, self.body.reckoning.pose)
        return self.body.position

    def steer(self, command: Command) -> None:
        """Drive on without being awaited; while the robot is gone it stands, whatever it is told."""
        command = as_driven(command, self.twin)
        if self.body.is_there:
            self.body.steer(command)


class ReconnectingSensor(Generic[T]):
    """A sensor of a linked body that is asked again when its robot is back."""

    def __init__(self, real: LinkedBody, sensor: Asked[T]) -> None:
        self._real, self._sensor = real, sensor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sensor, name)  # what it tells of itself, such as its mount

    async def read(self) -> T:
        """Return what it reads."""
        while True:
            try:
                return await self._sensor.read()
            except LinkLost:
                await back(self._real)


async def back(real: LinkedBody) -> None:
    """Wait until a robot answers."""
    while not real.is_there:
        await real.remote.found.next()


def as_driven(command: Command, twin: SimulatedBody) -> Command:
    """Return a command with the speeds of the model's drive where it states none; what that cannot do is refused."""
    twin.drive.plan(command, twin)
    usual = {
        "speed": getattr(twin.drive, "speed", None),
        "turn_speed": getattr(twin.drive, "turn_speed", None),
    }
    if isinstance(command, Turn):
        usual["speed"] = usual["turn_speed"]
    missing = {name: value for name, value in usual.items() if getattr(command, name, ...) is None}
    return msgspec.structs.replace(command, **missing) if missing else command


def rest_of(command: Command, start: Pose, here: Pose) -> Command | None:
    """Return what is left of a command that was begun at a pose; None where nothing is. Headings count on."""
    match command:
        case Forward(distance, speed):
            along = (here.position - start.position).dot(Point.polar(1.0, start.heading))
            left = distance - along
            return Forward(left, speed) if abs(left) > DONE and left * distance > 0.0 else None
        case Turn(angle, speed):
            turned = here.heading - start.heading
            turned = turned if abs(turned) <= abs(angle) + tau else remainder(turned, tau)
            left = angle - turned
            return Turn(left, speed) if abs(left) > DONE and left * angle > 0.0 else None
        case _:
            return command
