"""A convoy with real robots whose robots, lines and floor are in the same simulation: nothing takes wall time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from kumi.contract import Body, Command
from kumi.convoy import ConvoyTeam
from kumi.devs import Coupled
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Hardware, PacketRobot, ReadingErrors
from kumi.link.line import Line
from kumi.link.linked_body import LinkedBody
from kumi.link.remote import Remote
from kumi.link.tables import Table
from kumi.link.wires import CrossedWire, SlowWire, crossed
from kumi.loop import Choices, Tracking
from kumi.loop.devices import RealRobot
from kumi.loop.mixed_body import mixed
from kumi.loop.real import ROBOT
from kumi.loop.real_robots import FloorCamera
from kumi.stage import Stage
from kumi.world import SimulatedBody, World
from tests.convoy.played import watch

CALIBRATION = Calibration.load(ROBOT)
BAUD = 57600
HIL = Choices("hil", contacts="real")
HIL_THAT_SEES = Choices("hil", contacts="real", front="real")


def convoy(robots: int = 4, steps: int = 4, noise: float = 0.0) -> ConvoyTeam:
    """Return a convoy without whiskers; robots drive at 0.3 m/s."""
    return ConvoyTeam(
        robots=robots, steps=steps, dnf=noise, anf=noise, speed=0.3, turn_speed=2 / 3, whisker_length=0.0
    )


@dataclass(frozen=True)
class Motion:
    """A motion of a robot that is over, and how far it led in truth."""

    command: Command
    begin: float
    end: float
    way: float


class OneAgenda:
    """A convoy, its real robots by number from 0, and the floor they stand on."""

    def __init__(
        self,
        team: ConvoyTeam,
        real: Mapping[int, Choices],
        *,
        tracking: Tracking | None = None,
        errors: ReadingErrors | None = None,
        motor: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.team = team
        speeds = Table((byte, speed * motor) for byte, speed in CALIBRATION.motor.entries)
        self._truth = replace(CALIBRATION, motor=speeds)
        whole = Coupled("run")
        whole.add(team.whole)
        self.stage = Stage(team.world, seed=seed, within=whole)
        self.simulation = self.stage.simulation
        self.floor = whole.add(World(team.world.map, name="floor"))
        self.hardware: dict[int, Hardware] = {}
        self.wires: dict[int, CrossedWire] = {}
        self._tracking = tracking
        self.real = {
            number: RealRobot(number, choices, self._link(number, errors)) for number, choices in real.items()
        }
        self.simulation.run(0.5)
        team.assemble(self)
        team.join(self.stage)
        self.convoy = team.whole.convoy
        self.motions: list[list[Motion]] = [[] for _ in self.convoy.robots]
        for number, robot in enumerate(self.convoy.robots):
            watch(robot, partial(self._begun, number), partial(self._moved, number))
        self._under_way: dict[int, tuple[Command, float, Point]] = {}
        if tracking is not None:
            counterparts = {number: one.counterpart for number, one in self.real.items() if one.counterpart}
            FloorCamera(self.simulation, self.truth_of, tracking, counterparts)

    def between(self, body: SimulatedBody) -> Body:
        real = self.real.get(body.number)
        return body if real is None else mixed(real, body, self._tracking)

    def _link(self, number: int, errors: ReadingErrors | None) -> LinkedBody:
        name, at = f"robot {number + 1}", self.team.world.bodies[number].position
        self.hardware[number] = Hardware(self.floor, self._truth, at=at, errors=errors, name=f"true {number}")
        near, far = crossed(self.simulation)
        self.wires[number] = near
        slow = SlowWire(self.simulation, far, Line(BAUD), Line(BAUD))
        PacketRobot(self.simulation, self.hardware[number], slow, number)
        remote = Remote(self.simulation, near, number, baud=BAUD, name=name)
        return LinkedBody(remote, CALIBRATION, at=at, number=number, has_clock=True)

    def _begun(self, number: int, command: Command) -> None:
        self._under_way[number] = command, self.simulation.now, self.place(number)

    def _moved(self, number: int, _is_complete: bool) -> None:
        command, begin, start = self._under_way.pop(number)
        time = self.simulation.now
        self.motions[number].append(Motion(command, begin, time, self.place(number).distance_to(start)))

    def truth(self, number: int) -> Pose | None:
        """Return where a real robot truly is; None for another one."""
        return self.truth_of(number) if number in self.real else None

    def truth_of(self, number: int) -> Pose:
        """Return where a real robot truly is."""
        return self.hardware[number].body.pose

    def place(self, number: int) -> Point:
        """Return where a robot truly is."""
        found = self.truth(number)
        return self.convoy.bodies[number].position if found is None else found.position

    def off(self, number: int) -> float:
        """Return how far the counterpart of a robot is from it, in metres."""
        counterpart = self.real[number].counterpart
        assert counterpart is not None
        return self.truth_of(number).position.distance_to(counterpart.twin.position)

    def run(self, until: float = 120.0) -> None:
        """Run until the leader has made its steps, and close."""
        with self.stage:
            self.stage.run(until)
