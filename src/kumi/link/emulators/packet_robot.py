"""An emulated packet robot: its program, its body, and the end of the line it listens to.

Nothing but bytes goes in or out. The robot lives in the run of its world; whether that run follows the wall
clock, and whether the wire is a real port, makes no difference to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from kumi.devs import Event, Simulation
from kumi.link.emulators.firmware import WATCHDOG, Firmware, Machine
from kumi.link.wires import Wire


class Devices(Machine, Protocol):
    """A robot's devices, in a world of its own or in one of another process."""

    on_collision: Callable[[], object] | None
    """Who is told when a switch closes."""


D = TypeVar("D", bound=Devices)


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
        devices: Devices | None = None,
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
