"""What does a person tell robots, one step after the other, and how is a list of commands written in words?

A step is a value: the wheel is turned and stays so, a way is driven with the wheel as it is, devices are
read, time passes, the motor stops. Each is checked against the calibration of the robot that gets it, and
turns into the entries of packets. Lengths are metres, angles radians, positive to the left.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees, inf, isinf
from typing import TypeAlias

from kumi.link.calibration import Calibration
from kumi.link.devices import READABLE, Device, Entry, Read, Write


@dataclass(frozen=True)
class Aim:
    """Turn the front wheel to an angle, where it stays."""

    angle: float

    def __str__(self) -> str:
        if self.angle == 0.0:
            return "straight"
        return f"{'left' if self.angle > 0 else 'right'} {abs(degrees(self.angle)):.6g} deg"


@dataclass(frozen=True)
class Go:
    """Drive a way of the front wheel, back where it is below 0; inf goes on until the next step that drives.

    Without a speed the robot drives at that of its calibration.
    """

    way: float
    speed: float | None = None

    def __str__(self) -> str:
        verb = "forward" if self.way > 0 else "back"
        way = "" if isinf(self.way) else f" {100 * abs(self.way):.6g} cm"
        return f"{verb}{way}" + ("" if self.speed is None else f" at {100 * self.speed:.6g} cm/s")

    def byte_on(self, calibration: Calibration) -> int:
        """Return the byte of the motor that is nearest to what is asked for."""
        if self.way > 0:
            return calibration.motor_byte(self.speed or calibration.cruise)
        return calibration.motor_byte(-(self.speed or calibration.reverse))

    def speed_on(self, calibration: Calibration) -> float:
        """Return how fast the robot drives with that byte, below 0 back."""
        return calibration.speed_of(self.byte_on(calibration))


@dataclass(frozen=True)
class ReadStep:
    """Read devices."""

    devices: tuple[Device, ...]

    def __str__(self) -> str:
        names = "all" if self.devices == READABLE else ", ".join(name_of(device) for device in self.devices)
        return f"read {names}"


@dataclass(frozen=True)
class Wait:
    """Let time pass."""

    seconds: float

    def __str__(self) -> str:
        return f"wait {self.seconds:g} s"


@dataclass(frozen=True)
class StopMotor:
    """Stop the motor."""

    def __str__(self) -> str:
        return "stop"


Step: TypeAlias = Aim | Go | ReadStep | Wait | StopMotor


def name_of(device: Device) -> str:
    """Return a device's name in words: front left, encoder."""
    return device.name.removeprefix("IR_").replace("_", " ").lower()


def entries_of(step: Step, calibration: Calibration) -> tuple[Entry, ...]:
    """Return what is written and read to begin a step; a way also ends with a stop. CannotDo where it is too much."""
    match step:
        case Aim(angle):
            return (Write(Device.SERVO, calibration.servo_byte(angle)),)
        case Go():
            return (Write(Device.MOTOR, step.byte_on(calibration)),)
        case ReadStep(devices):
            return tuple(Read(device) for device in devices)
        case StopMotor():
            return (Write(Device.MOTOR, calibration.stop_byte),)
        case Wait():
            return ()


GO_ON = inf
"""A way without an end."""
