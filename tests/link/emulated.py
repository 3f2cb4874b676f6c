"""Emulated packet robots within a simulation, at the other end of a line that takes its time."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

from kumi.devs import Simulation
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Hardware, PacketRobot, ReadingErrors
from kumi.link.line import CLEAN, Interference, Line
from kumi.link.remote import Remote
from kumi.link.wires import CrossedWire, SlowWire, crossed
from kumi.world import World

EXACT = ReadingErrors()


@dataclass
class Emulated:
    """A robot, and the link to it."""

    remote: Remote
    hardware: Hardware
    wire: CrossedWire

    @property
    def pose(self) -> Pose:
        """Where the robot truly is."""
        return Pose(self.hardware.body.position, self.hardware.body.heading)


def emulated(
    simulation: Simulation,
    world: World,
    pose: Pose,
    *,
    truth: Calibration | None = None,
    errors: ReadingErrors = EXACT,
    address: int = 0,
    baud: int = 57600,
    interference: Interference = CLEAN,
) -> Emulated:
    """Put a robot into a world, and return it with its link."""
    hardware = Hardware(
        world, truth or Calibration.default(), at=pose.position, heading=pose.heading, errors=errors
    )
    near, far = crossed(simulation)
    lines = [Line(baud, interference, simulation.chance(f"line {address} {way}")) for way in ("in", "out")]
    PacketRobot(simulation, hardware, SlowWire(simulation, far, *lines), address)
    return Emulated(Remote(simulation, near, address, baud=baud), hardware, near)


def place(x: float, y: float, heading: float) -> Pose:
    """Return a place and a heading in degrees."""
    return Pose(Point(x, y), radians(heading))
