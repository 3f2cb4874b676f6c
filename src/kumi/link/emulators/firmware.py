"""What does the program in a packet robot do?

It answers packets, as the `Responder` does. When nothing has come for it during the watchdog time, it stops
the motor. When a switch closes, it stops the motor and reports the collision, again and again until the
computer says something, but not for ever.

Pure: it is told the time and what came, and gives back the packets to send. `deadline` says when it wants to
be told the time again.
"""

from __future__ import annotations

import math
from typing import Protocol

from kumi.link.devices import STOP, Device, Value, answer_payload
from kumi.link.packets import Control
from kumi.link.responder import Responder

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
        switches = Value(Device.SWITCHES, self._machine.read(Device.SWITCHES))
        return self.responder.report(Control.COLLISION, answer_payload([switches]))
