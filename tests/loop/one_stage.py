"""Programs on a stage some of whose robots are real, all in the same simulation: nothing takes wall time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from kumi.contract import Body
from kumi.devs import Coupled
from kumi.geometry import Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Hardware, PacketRobot, ReadingErrors
from kumi.link.line import Line
from kumi.link.linked_body import LinkedBody
from kumi.link.remote import Remote
from kumi.link.wires import CrossedWire, SlowWire, crossed
from kumi.loop import Choices, Tracking
from kumi.loop.devices import RealRobot
from kumi.loop.mixed_body import mixed
from kumi.loop.real import ROBOT
from kumi.loop.real_robots import FloorCamera
from kumi.motion import Drive, Wheel
from kumi.robot import Robot
from kumi.sensing import Sensor
from kumi.stage.stage import Stage
from kumi.world import Map, SimulatedBody, World

CALIBRATION = Calibration.load(ROBOT)
BAUD = 57600
EXACT = Tracking(place_noise=0.002, heading_noise=0.005, latency=0.05, period=0.1)

Program = Callable[[Robot], Coroutine[Any, Any, Any]]


class OneStage:
    """A stage of 4 x 3 m, and a floor of that size on which the real robots stand."""

    def __init__(
        self,
        real: Mapping[int, Choices],
        *,
        tracking: Tracking | None = None,
        errors: ReadingErrors | None = None,
        aliases: Mapping[str, str] | None = None,
        drive: Drive | None = None,
        record: Path | None = None,
    ) -> None:
        self._drive = Wheel(0.3, 2 / 3) if drive is None else drive
        whole = Coupled("whole")
        self.world = whole.add(World(Map(4.0, 3.0)))
        self.floor = whole.add(World(Map(4.0, 3.0), name="floor"))
        self.stage = Stage(self.world, within=whole, between=self._between, on_error="robot", record=record)
        self.choices, self.tracking = real, tracking
        self._errors, self._aliases = errors, aliases
        self.real: dict[int, RealRobot] = {}
        self.hardware: dict[int, Hardware] = {}
        self.wires: dict[int, CrossedWire] = {}

    def add(
        self,
        program: Program,
        x: float,
        y: float = 1.5,
        heading: float = 0.0,
        *,
        sensors: Mapping[str, Sensor] | None = None,
    ) -> None:
        """Put a robot on the stage, and on the floor where it is real."""
        self.stage.add(program, at=(x, y), heading=heading, drive=self._drive, sensors=sensors)

    def _between(self, body: SimulatedBody) -> Body:
        number = body.number
        if number not in self.choices:
            return body
        simulation = self.stage.simulation
        self.hardware[number] = Hardware(
            self.floor, CALIBRATION, at=body.position, heading=body.heading, errors=self._errors
        )
        near, far = crossed(simulation)
        self.wires[number] = near
        PacketRobot(
            simulation, self.hardware[number], SlowWire(simulation, far, Line(BAUD), Line(BAUD)), number
        )
        remote = Remote(simulation, near, number, baud=BAUD, name=body.name)
        linked = LinkedBody(
            remote,
            CALIBRATION,
            at=body.position,
            heading=body.heading,
            number=number,
            has_clock=True,
            aliases=self._aliases,
        )
        self.real[number] = RealRobot(number, self.choices[number], linked)
        return mixed(self.real[number], body, self.tracking)

    def truth(self, number: int) -> Pose:
        """Return where a real robot truly is."""
        return self.hardware[number].body.pose

    def twin(self, number: int) -> SimulatedBody:
        """Return the body of a robot in the environment model."""
        return self.world.bodies[number]

    def off(self, number: int) -> float:
        """Return how far the counterpart of a robot is from it, in metres."""
        return self.truth(number).position.distance_to(self.twin(number).position)

    def run(self, until: float) -> None:
        """Run, with the camera if there is one."""
        if self.tracking is not None:
            counterparts = {number: one.counterpart for number, one in self.real.items() if one.counterpart}
            FloorCamera(self.stage.simulation, self.truth, self.tracking, counterparts)
        self.stage.run(until)
