"""What does a robot at the other end of a link perceive, for its program?

The same kinds of readings as simulated sensors give. Rangers, encoder and steering are asked over the link, and
the answer takes its time; `rangers` asks all six in one packet. The bumper reports on its own. A robot that
does not answer raises LinkLost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from math import remainder, tau
from typing import Any, Protocol

from kumi.contract import Asked, Pushed
from kumi.contract.readings import Counts, Pressed, Range
from kumi.devs import Signal, Stream, now
from kumi.geometry import Pose
from kumi.link.calibration import Calibration
from kumi.link.device_io import Panel
from kumi.link.devices import RANGERS, Device, Read
from kumi.link.reckoning import Reckoning
from kumi.maths import atan

LEAST_TRAVEL = 2e-3
"""Metres that a robot goes before its way tells the angle of its wheel better than the potentiometer."""


class Owner(Protocol):
    """What sensors need of their body."""

    @property
    def remote(self) -> Panel:
        """The robot to ask."""

    @property
    def calibration(self) -> Calibration:
        """What its numbers mean."""

    @property
    def odometry(self) -> Reckoning:
        """Its way since it was read first; takes each answer of encoder and potentiometer."""

    @property
    def bumper(self) -> LinkedBumper:
        """Its bumper."""


def linked_sensors(body: Owner, aliases: Mapping[str, str]) -> Mapping[str, Asked[Any] | Pushed[Any]]:
    """Return the sensors of a packet robot by name, and by further names."""
    sensors: dict[str, Asked[Any] | Pushed[Any]] = {
        device.name.removeprefix("IR_").lower(): LinkedRanger(body.remote, body.calibration, device)
        for device in RANGERS
    }
    sensors["rangers"] = LinkedRangers(body.remote, body.calibration)
    sensors["encoder"] = LinkedEncoder(body)
    sensors["steering"] = LinkedSteering(body)
    sensors["bumper"] = body.bumper
    for alias, name in aliases.items():
        if name not in sensors:
            raise ValueError(f"{alias!r} cannot stand for {name!r}: the sensors are {', '.join(sensors)}")
    return sensors | {alias: sensors[name] for alias, name in aliases.items()}


class LinkedRanger:
    """One of the six rangers."""

    def __init__(self, panel: Panel, calibration: Calibration, device: Device) -> None:
        self._panel, self._calibration, self._device = panel, calibration, device

    @property
    def mount(self) -> Pose:
        """Where it sits and looks, from the place and heading of the robot."""
        return self._calibration.mounts[RANGERS.index(self._device)]

    async def read(self) -> Range:
        """Return the distance to what is ahead of it."""
        answer = await self._panel.ask(Read(self._device))
        return range_of(answer[self._device], self._calibration)


class LinkedRangers:
    """All six rangers, in the order of their addresses."""

    def __init__(self, panel: Panel, calibration: Calibration) -> None:
        self._panel, self._calibration = panel, calibration

    async def read(self) -> tuple[Range, ...]:
        """Return six distances that were measured together."""
        answer = await self._panel.ask(*(Read(device) for device in RANGERS))
        return tuple(range_of(answer[device], self._calibration) for device in RANGERS)


class LinkedEncoder:
    """How far the robot has gone since it was read first, as an encoder at its back axle would count it.

    The encoder sits at the front wheel, whose way is longer where it is steered; a simulated one counts the way of the
    robot's place. So the wheel's angle is read with it, and the way reckoned.
    """

    def __init__(self, body: Owner) -> None:
        self._body = body

    async def read(self) -> Counts:
        """Return the counts so far, as one number for both sides."""
        await read_wheel(self._body)
        counts = round(self._body.calibration.counts_of(self._body.odometry.way))
        return Counts(counts, counts)


class LinkedSteering:
    """The angle of the front wheel: on the way since it was read before, in the mean, and at rest as it is now.

    The wheel takes its time to turn, so that the angle at the end of a way is not that of the arc. What the robot told
    meanwhile is reckoned in.
    """

    def __init__(self, body: Owner) -> None:
        self._body = body
        self._way = self._heading = 0.0

    async def read(self) -> float:
        """Return the angle in radians, to the left above 0."""
        await read_wheel(self._body)
        wheel, servo = self._body.odometry, self._body.calibration.servo
        way, turned = wheel.way - self._way, remainder(wheel.pose.heading - self._heading, tau)
        self._way, self._heading = wheel.way, wheel.pose.heading
        if abs(way) < LEAST_TRAVEL:
            return wheel.steering
        angle = atan(self._body.calibration.wheelbase * turned / way)
        return min(max(angle, servo.lowest), servo.highest)


async def read_wheel(body: Owner) -> None:
    """Ask for encoder and potentiometer, and reckon on."""
    asked = now()
    answer = await body.remote.ask(Read(Device.ENCODER), Read(Device.POTENTIOMETER))
    body.odometry.take(answer, asked, now())


class LinkedBumper:
    """The switches around the body, which report when one closes."""

    def __init__(self, name: str) -> None:
        self.reports: Signal[Pressed] = Signal(name)

    @property
    def pressed(self) -> Signal[Pressed]:
        """Each press, at its instant."""
        return self.reports

    def wait_pressed(self) -> Awaitable[Pressed]:
        """Wait for the next press."""
        return self.reports.next()

    def __aiter__(self) -> Stream[Pressed]:
        return self.reports.__aiter__()

    def press(self, now: float, bearing: float) -> None:
        """Report a press."""
        self.reports.fire(Pressed(now, bearing))


def range_of(value: int, calibration: Calibration) -> Range:
    """Return the reading that a ranger's value means."""
    distance = calibration.range_of(value)
    return Range(calibration.reach[1], False) if distance is None else Range(distance, True)
