"""Emulated robots within a run: no processes and no wall clock.

The floor is a second world beside the environment model, and the robots on it, their programs, their lines and their
clocks are in the agenda of the run. So a run with real robots takes no longer than it computes, can be repeated to the
last bit, and no instant of it is late. What drives them cannot tell: there are the same bytes on the same line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kumi.devs import Coupled, Simulation
from kumi.geometry import Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Hardware
from kumi.link.emulators.emulation import robot_at
from kumi.link.wires import Wire, crossed
from kumi.loop.device_processes import RobotProcess
from kumi.loop.real import Real
from kumi.loop.robot_processes import addresses_of
from kumi.world import Map, World

FLOOR = "floor of real robots"


class FleetInRun:
    """Emulated robots on a floor that is a part of the run's model `whole`."""

    def __init__(self, whole: Coupled, robots: Sequence[Real], poses: Mapping[int, Pose], floor: Map) -> None:
        self.addresses = addresses_of(robots)
        self.ports = {one.number: "a line within the run" for one in robots}
        self.processes: Mapping[int, RobotProcess] = {}
        self.floor = whole.add(World(floor, name=FLOOR))
        self._made = {
            one.number: one.emulated.make(Calibration.load(one.calibration), one.baud) for one in robots
        }
        self._hardware = {one.number: self._on_floor(one, poses[one.number]) for one in robots}

    def _on_floor(self, one: Real, pose: Pose) -> Hardware:
        make = self._made[one.number]
        return Hardware(
            self.floor,
            make.calibration,
            at=pose.position,
            heading=pose.heading,
            lags=make.lags,
            errors=make.errors,
            clock_offset=make.clock_offset,
            clock_rate=make.clock_rate,
            name=one.name,
        )

    def wire(self, simulation: Simulation, one: Real) -> Wire:
        """Return our end of the line to a robot, whose program begins."""
        near, far = crossed(simulation)
        number = one.number
        robot_at(
            simulation, self._hardware[number], far, self.addresses[number], self._made[number], one.name
        )
        return near

    def truth(self, one: Real) -> Pose:
        """Return where a robot truly is."""
        return self._hardware[one.number].body.pose
