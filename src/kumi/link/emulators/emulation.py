"""Emulated packet robots as a process: a world, a clock of its own, and a port for each robot.

The run follows the wall clock, at a rate of its own where one is given, since no two clocks agree. Robots in
one emulation share its world: they see and touch each other. Robots of several processes do in a `SharedWorld`.
On a pseudo-terminal that the other side opened at another rate, both sides hear what a real
line would give them (see `misread`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Generic, Self, TypeVar

from kumi.devs import Run, Simulation
from kumi.geometry import PointLike
from kumi.link.calibration import Calibration
from kumi.link.devices import Device
from kumi.link.emulators.faults import FaultyDevices, SensorFault
from kumi.link.emulators.hardware import Hardware, Lags, ReadingErrors
from kumi.link.emulators.packet_robot import WATCHDOG, PacketRobot, RobotDevices
from kumi.link.line import CLEAN, Interference, Line, misread
from kumi.link.ports import Port, PtyPair
from kumi.link.wires import Listener, PortWire, SlowWire, Wire
from kumi.world import World


@dataclass(frozen=True)
class Make:
    """How an emulated robot is made: its numbers, its lags and errors, its line and its watchdog."""

    calibration: Calibration = field(default_factory=Calibration.default)
    lags: Lags = field(default_factory=Lags)
    errors: ReadingErrors = field(default_factory=ReadingErrors)
    baud: int = 9600
    interference: Interference = CLEAN
    watchdog: float = WATCHDOG
    clock_offset: float = 0.0
    clock_rate: float = 1.0
    """By the clock of its run; a process has a rate of its own besides."""
    latency: float = 0.0
    """Seconds that the line takes each way beyond its bytes."""
    faults: Mapping[Device, SensorFault] = field(default_factory=dict)


D = TypeVar("D", bound=RobotDevices)


class Clocked(Generic[D]):
    """Emulated robots at their ports, in a run that follows the wall clock at a rate of its own."""

    def __init__(self, simulation: Simulation, rate: float) -> None:
        if not (rate > 0.0 and math.isfinite(rate)):
            raise ValueError(f"the rate of a clock is a number > 0 (1 is right), not {rate!r}")
        self.simulation = simulation
        self.robots: list[PacketRobot[D]] = []
        self._rate = rate

    def _connect(
        self, hardware: D, port: Port | Callable[[], Port], address: int, make: Make, name: str
    ) -> PacketRobot[D]:
        """Let a robot's program work its hardware and listen at a port."""
        wire: Wire = PortWire(self.simulation, port if callable(port) else lambda: port)
        if isinstance(port, PtyPair):
            wire = MisreadWire(wire, port, make.baud)
        robot = robot_at(self.simulation, hardware, wire, address, make, name)
        self.robots.append(robot)
        return robot

    def run(self, until: float = math.inf) -> Run[None]:
        """Live for so many seconds, or until `stop` is called."""
        return self.simulation.run(until, pace=self._rate, open_ended=True)

    def stop(self) -> None:
        """End the run; may be called from any thread."""
        self.simulation.stop()

    def close(self) -> None:
        """Close the ports and let the run go."""
        for robot in self.robots:
            robot.close()
        self.simulation.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Emulation(Clocked[Hardware]):
    """A world with emulated robots, in real time. Use it in a `with` block."""

    def __init__(self, world: World, *, seed: int = 0, rate: float = 1.0) -> None:
        super().__init__(Simulation(world, seed=seed), rate)
        self.world = world

    def add(
        self,
        port: Port | Callable[[], Port],
        address: int = 0,
        *,
        at: PointLike,
        heading: float = 0.0,
        make: Make | None = None,
        name: str | None = None,
    ) -> PacketRobot[Hardware]:
        """Put a robot into the world, with its line at a port, which is closed with the emulation.

        A function opens the port, and opens it again when it is gone.
        """
        make = make or Make()
        name = f"packet robot {address}" if name is None else name
        hardware = Hardware(
            self.world,
            make.calibration,
            at=at,
            heading=heading,
            lags=make.lags,
            errors=make.errors,
            clock_offset=make.clock_offset,
            clock_rate=make.clock_rate,
            name=name,
        )
        return self._connect(hardware, port, address, make, name)


def robot_at(
    simulation: Simulation, hardware: D, wire: Wire, address: int, make: Make, name: str
) -> PacketRobot[D]:
    """Return a robot whose program works its hardware, with its faults, at the end of a wire with its line."""
    lines = (
        Line(make.baud, make.interference, simulation.chance(f"{name}.{way}"), latency=make.latency)
        for way in ("in", "out")
    )
    devices = None
    if make.faults:
        devices = FaultyDevices(hardware, make.calibration, make.faults, simulation.chance(f"{name}.faults"))
    return PacketRobot(
        simulation,
        hardware,
        SlowWire(simulation, wire, *lines),
        address,
        watchdog=make.watchdog,
        devices=devices,
    )


class MisreadWire:
    """A wire to a pseudo-terminal, on which each side hears the other at its own rate."""

    def __init__(self, wire: Wire, terminal: PtyPair, baud: int) -> None:
        self._wire = wire
        self._terminal = terminal
        self._baud = baud
        self._listener: Listener | None = None

    def listen(self, listener: Listener) -> None:
        """Tell from now on what comes."""
        self._listener = listener
        self._wire.listen(self)

    def heard(self, data: bytes) -> None:
        """Take what the other side sent."""
        if self._listener is not None:
            self._listener.heard(misread(data, self._terminal.baud or self._baud, self._baud))

    def gone(self, reason: str) -> None:
        """Pass it on."""
        if self._listener is not None:
            self._listener.gone(reason)

    def write(self, data: bytes) -> None:
        """Send to the other side."""
        self._wire.write(misread(data, self._baud, self._terminal.baud or self._baud))

    def close(self) -> None:
        """Let the line go."""
        self._wire.close()
