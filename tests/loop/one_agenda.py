"""A convoy with real robots whose robots, lines and floor are in the same simulation: nothing takes wall time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kumi.convoy import Setup
from kumi.convoy.loop import LoopSetup
from kumi.convoy.loop.frame import Frame, Placed
from kumi.convoy.loop.team import LoopConvoy
from kumi.convoy.setup import ROOM
from kumi.devs import Coupled, Simulation
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Errors, Hardware, PacketRobot
from kumi.link.line import Line
from kumi.link.linked_body import LinkedBody
from kumi.link.remote import Remote
from kumi.link.tables import Table
from kumi.link.wires import CrossedWire, SlowWire, crossed
from kumi.loop import Choices, Real, Tracking
from kumi.loop.camera import Camera
from kumi.loop.devices import RealRobot
from kumi.loop.real import ROBOT
from kumi.world import World

CALIBRATION = Calibration.load(ROBOT)
BAUD = 57600
HIL = Choices("hil", infrared="virtual", whiskers="real")
HIL_THAT_SEES = Choices("hil", infrared="real", whiskers="real")


def convoy(robots: int = 4, steps: int = 4, noise: float = 0.0) -> Setup:
    """Return a convoy without whiskers; robots drive at 0.3 m/s."""
    return Setup(
        robots=robots, steps=steps, dnf=noise, anf=noise, speed=0.3, turn_speed=2 / 3, whisker_length=0.0
    )


class OneAgenda:
    """A convoy, its real robots, and the floor they stand on."""

    def __init__(
        self,
        setup: Setup,
        real: Mapping[int, Choices],
        *,
        tracking: Tracking | None = None,
        errors: Errors | None = None,
        motor: float = 1.0,
        setting_off: float = 0.0,
        turning_wheel: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.setup = setup
        speeds = Table((byte, speed * motor) for byte, speed in CALIBRATION.motor.entries)
        self._truth = replace(CALIBRATION, motor=speeds)
        whole = Coupled("study")
        self.simulation = Simulation(whole, seed=seed)
        self.floor = whole.add(World(width=setup.side, height=setup.side, name="floor"))
        self.hardware: dict[int, Hardware] = {}
        self.wires: dict[int, CrossedWire] = {}
        self.real = {
            number: RealRobot(number, choices, self._link(number, errors)) for number, choices in real.items()
        }
        self.simulation.run(0.5)
        plan = LoopSetup(
            convoy=setup,
            robots=tuple(Real(number, choices) for number, choices in real.items()),
            tracking=tracking,
        )
        self.convoy = LoopConvoy(
            setup, self.real, tracking, setting_off=setting_off, turning_wheel=turning_wheel
        )
        placed = [self._placed(number) for number in range(setup.robots)]
        self.frame = Frame(plan, self.convoy, placed)
        self.frame.acceptor.end = self.simulation.stop
        self.frame.errors.advance(self.simulation.now)
        whole.add(self.frame)
        if tracking is not None:
            counterparts = {number: one.counterpart for number, one in self.real.items() if one.counterpart}
            Camera(self.simulation, self.truth, tracking, counterparts)

    def _link(self, number: int, errors: Errors | None) -> LinkedBody:
        at = (
            ROOM + self.setup.line - (number - 1) * self.setup.rules.desired,
            self.setup.side / 2,
        )
        self.hardware[number] = Hardware(self.floor, self._truth, at=at, errors=errors, name=f"true {number}")
        near, far = crossed(self.simulation)
        self.wires[number] = near
        slow = SlowWire(self.simulation, far, Line(BAUD), Line(BAUD))
        PacketRobot(self.simulation, self.hardware[number], slow, number)
        remote = Remote(self.simulation, near, number, baud=BAUD, name=f"robot {number}")
        return LinkedBody(remote, CALIBRATION, at=at, number=number - 1, has_clock=True)

    def _placed(self, number: int) -> Placed:
        body = self.convoy.bodies[number]
        if number + 1 not in self.real:
            return Placed(body)
        return Placed(body, lambda: self.truth(number + 1))

    def truth(self, number: int) -> Pose:
        """Return where a real robot truly is."""
        body = self.hardware[number].body
        return Pose(Point(body.position.x, body.position.y), body.heading)

    def off(self, number: int) -> float:
        """Return how far the counterpart of a robot is from it, in metres."""
        counterpart = self.real[number].counterpart
        assert counterpart is not None
        return self.truth(number).position.distance_to(counterpart.twin.position)

    def run(self, until: float = 120.0) -> None:
        """Run until the leader has made its steps, and close."""
        with self.simulation:
            self.simulation.run(until)
