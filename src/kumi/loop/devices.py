"""What stands behind the devices of a robot that is real: the real device, its virtual twin, or both.

The same for every team: a motor is a `Body`, and a sensor one that is asked or one that reports. The program is
coupled to them as it would be to virtual ones. Of a sensor that is both, the real one answers, and how far its twin is off
is written down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from kumi.contract import Asked, Body, Pushed
from kumi.contract.readings import Range
from kumi.link.linked_body import LinkedBody
from kumi.loop.choices import Choices, Kind
from kumi.loop.counterpart import Counterpart, HilBody, Tracking
from kumi.loop.reconnecting import ReconnectingBody, ReconnectingSensor
from kumi.motion import Car
from kumi.world import SimulatedBody

T = TypeVar("T")


class ComparedSensor(Generic[T]):
    """A hardware-in-the-loop sensor."""

    def __init__(self, real: Asked[T], virtual: Asked[T]) -> None:
        self._real, self._virtual = real, virtual
        self.pairs: list[tuple[T, T]] = []
        """What the real one and the virtual one read, each time it was asked."""

    async def read(self) -> T:
        """Return what the real one reads."""
        virtual = await self._virtual.read()
        real = await self._real.read()
        self.pairs.append((real, virtual))
        return real

    @property
    def differences(self) -> list[float]:
        """By how many metres the real one read more, each time that both of two range finders saw something."""
        return [
            real.distance - virtual.distance
            for real, virtual in self.pairs
            if isinstance(real, Range) and isinstance(virtual, Range) and real.is_hit and virtual.is_hit
        ]


@dataclass
class RealRobot:
    """A real robot of a team: what its devices are, its link, and its counterpart once there is one."""

    number: int
    choices: Choices
    body: LinkedBody
    counterpart: Counterpart | None = None
    compared: dict[str, ComparedSensor[Any]] = field(default_factory=dict)
    on_rest: Callable[[], object] = lambda: None
    """Called when a motion of a program is over and the robot stands."""

    def motor(self, twin: SimulatedBody, tracking: Tracking | None) -> Body:
        """Return what drives: the body in the environment model, or the real robot, whose counterpart that then is."""
        if self.choices.motor == "virtual":
            return twin
        if isinstance(twin.drive, Car):
            self.body.drive_as_car(twin.drive.min_radius)
        is_hil = self.choices.motor == "hil"
        self.counterpart = Counterpart(self.body, twin, tracking, is_told=is_hil)
        return HilBody(self.counterpart) if is_hil else ReconnectingBody(self.body, twin)

    def asked(self, kind: Kind, name: str, virtual: Asked[T]) -> Asked[T]:
        """Return a sensor that is asked: the virtual one, that of the real robot, or that beside the virtual one."""
        if kind == "virtual":
            return virtual
        real = ReconnectingSensor[T](self.body, self.real_sensor(name))
        if kind == "real":
            return real
        self.compared[name] = compared = ComparedSensor(real, virtual)
        return compared

    def real_sensor(self, name: str) -> Any:
        """Return a sensor of the real robot."""
        return self.body.sensors[name]

    def pushed(self, kind: Kind, name: str, virtual: list[Pushed[T]]) -> list[Pushed[T]]:
        """Return those that report: virtual ones, that of the real robot, or all."""
        if kind == "virtual":
            return virtual
        real: list[Pushed[T]] = [self.real_sensor(name)]
        return real if kind == "real" else real + virtual
