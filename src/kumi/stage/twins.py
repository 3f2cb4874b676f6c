"""What does a run file show of robots that are not simulated?

Where they believe to be. Each robot has a twin in a world where nothing touches. Some ten times a second the twin is
put to where its robot believes to be, and goes on as the robot did since the time before.
"""

from __future__ import annotations

from math import remainder, tau
from pathlib import Path

from kumi.devs import Simulation
from kumi.geometry import Point, Pose
from kumi.link.linked_body import LinkedBody
from kumi.motion.drives import steered
from kumi.recording import RunMeta, RunSummary, RunWriter
from kumi.world import Map, SimulatedBody, World, map_to_table

PERIOD = 0.1
"""Seconds from one look at where robots believe to be to the next."""

STILL = 1e-3
"""Metres, or radians, a second that are taken for rest."""


class Twin:
    """A robot, and the body that stands for it."""

    def __init__(self, robot: LinkedBody, twin: SimulatedBody) -> None:
        self.robot = robot
        self.twin = twin
        self._before = Pose(robot.position, robot.heading)

    def follow(self) -> None:
        """Put the twin to where the robot believes to be, and let it go on as the robot does."""
        before, here = self._before, Pose(self.robot.position, self.robot.heading)
        self._before = here
        turned = remainder(here.heading - before.heading, tau)
        along = Point.polar(1.0, before.heading + turned / 2)
        speed, turning = (here.position - before.position).dot(along) / PERIOD, turned / PERIOD
        self.twin.put(here.position.x, here.position.y, here.heading)
        if abs(speed) > STILL or abs(turning) > STILL:
            self.twin.start(steered(speed, turning))


class Twins:
    """The twins of linked robots; `map_` is what pictures of the run show around them."""

    def __init__(self, map_: Map | None = None) -> None:
        self.world = World(Map() if map_ is None else map_, ghost=True, name="twins")
        self.world.keep_journal(True)
        self._twins: list[Twin] = []
        self._writer: RunWriter | None = None

    def add(self, body: LinkedBody) -> int:
        """Give a robot a twin; return the number of that."""
        shape = body.calibration.shape
        twin = self.world.add_body(body.position, heading=body.heading, shape=shape, name=body.name)
        self._twins.append(Twin(body, twin))
        return twin.number

    def open(self, path: str | Path, simulation: Simulation) -> None:
        """Begin the run file, and follow the robots from now on."""
        meta = RunMeta(
            seed=simulation.seed,
            map=map_to_table(self.world.map),
            robots={one.twin.number: one.twin.name for one in self._twins},
        )
        self._writer = RunWriter(path, meta, snapshot=self.world.snapshot)

        def follow() -> None:
            self._follow()
            simulation.schedule(simulation.now + PERIOD, follow)

        simulation.schedule(simulation.now, follow)

    def _follow(self) -> None:
        for twin in self._twins:
            twin.follow()
        self._write()

    def _write(self) -> None:
        if self._writer is not None:
            self._writer.write(self.world.take_journal())

    def close(self, end: float, errors: tuple[str, ...], *, is_interrupted: bool) -> None:
        """Finish the run file."""
        self._write()
        if self._writer is not None:
            self._writer.close(
                RunSummary(end=end, robots=len(self._twins), errors=errors, is_interrupted=is_interrupted)
            )
            self._writer = None
