"""An emulated packet robot: its program, its body, and the end of the line it listens to.

Nothing but bytes goes in or out. The robot lives in the run of its world; whether that run follows the wall
clock, and whether the wire is a real port, makes no difference to it.

It answers packets, as the `Responder` does. When nothing has come for it during the watchdog time, it stops
the motor. When a switch closes, it stops the motor and reports the collision, again and again until the
computer says something, but not for ever.

Pure: it is told the time and what came, and gives back the packets to send. `deadline` says when it wants to
be told the time again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from kumi.devs import Event, Simulation
from kumi.link.devices import STOP, Device, DeviceValue, answer_payload
from kumi.link.packets import Control
from kumi.link.responder import Responder
from kumi.link.wires import Wire

WATCHDOG = 1.0
"""Seconds of silence after which the motor stops."""

REPORT_EVERY = 0.25
REPORTS = 4
"""A collision is reported so often, so many seconds apart, unless the computer is heard."""


class Machine(Protocol):
    """The devices of a robot, and whether its motor is on."""

    def read(self, device: Device) -> int:
        """Return the value of a device."""

    def write(self, device: Device, value: int) -> None:
        """Give a byte to a device."""

    @property
    def motor(self) -> int:
        """The byte that the motor was given last."""


class Firmware:
    """The program in a packet robot."""

    def __init__(self, address: int, machine: Machine, *, watchdog: float = WATCHDOG) -> None:
        if not watchdog > 0.0:
            raise ValueError(f"a watchdog waits a number of seconds > 0, not {watchdog!r}")
        self.responder = Responder(address, machine)
        self.watchdog = watchdog
        self._machine = machine
        self._reports = 0
        self._report_at = math.inf

    @property
    def deadline(self) -> float:
        """When it wants to be told the time."""
        return min(self.responder.deadline, self._report_at, self._silent_at)

    @property
    def _silent_at(self) -> float:
        """When the motor stops unless something comes."""
        return math.inf if self._machine.motor == STOP else self.responder.heard_at + self.watchdog

    def receive(self, now: float, data: bytes) -> list[bytes]:
        """Take bytes from the line; return the packets to send."""
        heard_before = self.responder.heard_at
        replies = self.responder.receive(now, data)
        if self.responder.heard_at > heard_before:
            self._report_at = math.inf
        return replies

    def tick(self, now: float) -> list[bytes]:
        """Take note of the time; return the packets to send."""
        replies = self.responder.tick(now)
        if now >= self._silent_at:
            self._stop()
        if now >= self._report_at:
            replies.append(self._report(now))
        return replies

    def collided(self, now: float) -> list[bytes]:
        """Stop and report: a switch has closed."""
        self._stop()
        self._reports = REPORTS
        return [self._report(now)]

    def _stop(self) -> None:
        self._machine.write(Device.MOTOR, STOP)
        self.responder.has_changed()

    def _report(self, now: float) -> bytes:
        self._reports -= 1
        self._report_at = now + REPORT_EVERY if self._reports > 0 else math.inf
        switches = DeviceValue(Device.SWITCHES, self._machine.read(Device.SWITCHES))
        return self.responder.report(Control.COLLISION, answer_payload([switches]))


class RobotDevices(Machine, Protocol):
    """A robot's devices, in a world of its own or in one of another process."""

    on_collision: Callable[[], object] | None
    """Called when a switch closes."""


D = TypeVar("D", bound=RobotDevices)


class PacketRobot(Generic[D]):
    """A packet robot at the end of a wire; it is there from the moment it is made.

    Its program works the hardware, or the `devices` that stand between both.
    """

    def __init__(
        self,
        simulation: Simulation,
        hardware: D,
        wire: Wire,
        address: int = 0,
        *,
        watchdog: float = WATCHDOG,
        devices: RobotDevices | None = None,
    ) -> None:
        devices = hardware if devices is None else devices
        self.hardware = hardware
        self.firmware = Firmware(address, devices, watchdog=watchdog)
        self._simulation = simulation
        self._wire = wire
        self._timer: Event | None = None
        devices.on_collision = self._collided
        wire.listen(self)

    def heard(self, data: bytes) -> None:
        """Take bytes from the wire."""
        self._send(self.firmware.receive(self._simulation.now, data))

    def gone(self, reason: str) -> None:
        """Take no note: a robot does not know whether anybody listens."""

    def close(self) -> None:
        """Let the wire go and stop."""
        self._wire.close()
        self._cancel()

    def _collided(self) -> None:
        self._send(self.firmware.collided(self._simulation.now))

    def _tick(self) -> None:
        self._timer = None
        self._send(self.firmware.tick(self._simulation.now))

    def _send(self, packets: list[bytes]) -> None:
        for data in packets:
            self._wire.write(data)
        self._cancel()
        if self.firmware.deadline < math.inf:
            due = max(self.firmware.deadline, self._simulation.now)
            self._timer = self._simulation.schedule(due, self._tick)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.withdraw()
            self._timer = None
