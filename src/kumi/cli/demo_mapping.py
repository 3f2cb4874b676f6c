"""How do emulated robots at their ports become a team that maps a place?

In two runs on the same ports. First the control program gives each robot a list in words and reads its devices; a
robot that does not answer, or cannot carry its list out, is left out. Then the program `mapping`, the one of
`kumi run mapping`, runs on those that are left. Where rangers sit, how far they reach and how long the robot is between
its axles stands in the calibration, by which the emulated robots are made, too.

A robot that is lost on the way is told of, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kumi.cli.control import halting
from kumi.control.session import Session
from kumi.control.telling import ListEnded, Telling
from kumi.control.words import parse_orders
from kumi.devs import Lateness
from kumi.link.calibration import Calibration
from kumi.link.ports import open_port
from kumi.link.remote import Remote
from kumi.link.wires import PortWire
from kumi.programs.mapping import mapping
from kumi.stage import RobotPort, Stage

if TYPE_CHECKING:
    from kumi.geometry import Pose
    from kumi.loop.device_processes import RobotProcess
    from kumi.mapping import Exploration
    from kumi.world import Map

ORDERS = "read all; left 24 deg; forward 4 cm; right 24 deg; back 4 cm; straight"
"""What the control program asks of each robot before it is trusted."""

LOOK_PERIOD = 0.5
"""Seconds from one look at the processes and at the map to the next."""


@dataclass(frozen=True)
class EmulatedRobots:
    """Emulated robots at their ports, all with the same baud rate and clock; `say` takes what a person should read."""

    ports: dict[str, tuple[RobotProcess, str]]
    baud: int
    pace: float
    say: Callable[[str], object]
    calibration: Calibration = field(default_factory=Calibration.default)

    def check(
        self, record: Path, told: Callable[[Telling], object] | None = None
    ) -> tuple[dict[str, Pose], bool]:
        """Let the control program try the robots; return where those are that are fine, and whether it was ended."""
        failed: set[str] = set()

        def take(what: Telling) -> None:
            if told is not None:
                told(what)
            if isinstance(what, ListEnded) and what.end == "gave up":
                failed.add(what.robot)

        with Session(told=take, record=record) as session:
            remotes = []
            for name, (robot, port) in self.ports.items():
                wire = PortWire(session.simulation, partial(open_port, port, baud=self.baud))
                remote = Remote(session.simulation, wire, robot.address, baud=self.baud, name=name)
                session.add(remote, self.calibration, robot.pose, number=robot.address)
                remote.open()
                remotes.append(remote)
            session.give(parse_orders(ORDERS))
            session.close_lists()
            with halting(session) as code:
                session.run(pace=self.pace)
            for remote in remotes:
                remote.close()
            poses = {unit.name: unit.pose for unit in session.units.values() if unit.name not in failed}
        for name in sorted(failed):
            self.say(f"{name} is left out")
        return poses, code() is not None

    def explore(
        self,
        poses: dict[str, Pose],
        *,
        until: float,
        record: Path,
        map_: Map,
        seed: int,
        progress: Callable[[float, Exploration], object],
    ) -> ShownExploration:
        """Let the robots map the place; `progress` is told the time and the exploration now and then."""
        explored = ShownExploration()
        with Stage(map_, seed=seed, on_error="robot", record=record, pace=self.pace) as stage:
            stage.connect()
            _, reach = self.calibration.reach
            for name, pose in poses.items():
                robot, port = self.ports[name]
                link = RobotPort(
                    port,
                    address=robot.address,
                    baud=self.baud,
                    calibration=self.calibration,
                    contacts="real",  # its belief drifts, and the walls of the map are real
                )
                stage.add(
                    mapping,
                    port=link,
                    at=pose.position,
                    heading=pose.heading,
                    name=name,
                    reach=reach,
                    wheelbase=self.calibration.wheelbase,
                    watch=explored.begin,
                )

            def look() -> None:
                self._tell_of_the_dead(poses, explored)
                if explored.exploration is not None:
                    progress(stage.simulation.now, explored.exploration)
                if len(explored.lost) == len(poses):
                    stage.end("all robots are lost")
                else:
                    stage.simulation.schedule(stage.simulation.now + LOOK_PERIOD, look)

            stage.simulation.schedule(0.0, look)
            with suppress(KeyboardInterrupt):  # what was explored until then is shown
                stage.run(until)
            outcome = stage.outcome
        explored.seconds, explored.is_interrupted = outcome.simulated_seconds, outcome.is_interrupted
        explored.lateness = stage.simulation.lateness
        for error in outcome.errors:
            self.say(f"{error.robot} ended: {error.error}")
        return explored

    def _tell_of_the_dead(self, poses: dict[str, Pose], explored: ShownExploration) -> None:
        for name in poses:
            robot, _ = self.ports[name]
            if not robot.is_alive and name not in explored.lost:
                explored.lost.append(name)
                self.say(
                    f"{name} is gone: its process ended with {robot.process.returncode}; the others go on"
                )


@dataclass
class ShownExploration:
    """What came of an exploration."""

    exploration: Exploration | None = None
    lost: list[str] = field(default_factory=list)
    seconds: float = 0.0
    is_interrupted: bool = False
    lateness: Lateness = field(default_factory=Lateness)

    def begin(self, exploration: Exploration) -> None:
        """Take note of the exploration."""
        self.exploration = exploration
