"""A computer and an emulated packet robot with a line between them, in one simulation: nothing takes wall time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from kumi.devs import Simulation
from kumi.link.calibration import Calibration
from kumi.link.emulators import Hardware, Lags, PacketRobot, ReadingErrors
from kumi.link.line import CLEAN, Interference, Line
from kumi.link.linked_body import LinkedBody
from kumi.link.remote import Remote
from kumi.link.stop_and_wait import FADE
from kumi.link.wires import CrossedWire, SlowWire, crossed
from kumi.robot import Robot
from kumi.world import Map, World


class Pair:
    """A linked body, and the robot it is linked to; at first both think they are at the same place."""

    def __init__(
        self,
        map_: Map | None = None,
        *,
        at: tuple[float, float] = (1.0, 1.5),
        heading: float = 0.0,
        baud: int = 9600,
        interference: Interference = CLEAN,
        calibration: Calibration | None = None,
        truth: Calibration | None = None,
        lags: Lags | None = None,
        errors: ReadingErrors | None = None,
        believed_lag: float = 0.1,
        fade: float = FADE,
        seed: int = 0,
        is_on: bool = True,
        aliases: dict[str, str] | None = None,
    ) -> None:
        calibration = calibration or Calibration.default()
        self.world = World(map_ or Map(4.0, 3.0))
        self.simulation = Simulation(self.world, seed=seed)
        self.near, far = crossed(self.simulation)
        chances = [self.simulation.chance(way) for way in ("in", "out")]
        lines = [Line(baud, interference, chance) for chance in chances]
        self.hardware = Hardware(
            self.world, truth or calibration, at=at, heading=heading, lags=lags, errors=errors, name="true"
        )
        self.far: CrossedWire = far
        self._slow = SlowWire(self.simulation, far, lines[0], lines[1])
        self.robot: PacketRobot[Hardware] | None = None
        if is_on:
            self.switch_on()
        self.remote = Remote(self.simulation, self.near, baud=baud, fade=fade)
        believed = replace(calibration, motor_lag=believed_lag)
        self.body = LinkedBody(self.remote, believed, at=at, heading=heading, aliases=aliases)

    def switch_on(self) -> None:
        """Let the robot's program begin anew."""
        self.robot = PacketRobot(self.simulation, self.hardware, self._slow)

    def run(self, program: Callable[[Robot], Coroutine[Any, Any, Any]], until: float = 600.0) -> None:
        """Run a program on the linked robot to its end."""

        async def main() -> None:
            await self.remote.connect()
            await program(Robot(self.body))

        task = self.simulation.start_main(main)
        self.simulation.run(until)
        assert task.has_ended, f"the program did not end within {until} s"

    @property
    def gap(self) -> float:
        """How far the robot is from where it believes it is, in metres."""
        return self.body.position.distance_to(self.hardware.body.position)
