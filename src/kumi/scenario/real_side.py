"""A scenario some of whose robots are real: who starts them, and who lets time pass.

It is staged and run as any scenario. Before its first robot is put on the stage, the processes of emulated robots are
started, and all real robots are greeted. Then each robot gets its program, or its models are made, and what stands
between that and the body of a real robot are the devices that were chosen for it. The run is over as any run is, and
when a robot is gone and nobody has moved for some time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from weakref import finalize

from kumi.contract import Body
from kumi.devs import Coupled
from kumi.geometry import Pose
from kumi.loop.mixed_body import mixed
from kumi.loop.outcome import LostRobot, RealOutcome
from kumi.loop.real_robots import LinkedRobots
from kumi.loop.real_time import RealTime
from kumi.loop.showing import FloorFile
from kumi.scenario.real import RealTeam
from kumi.scenario.schema import ScenarioSettings
from kumi.stage.outcome import Outcome
from kumi.stage.stage import Stage
from kumi.world import Map, SimulatedBody

LOOK_PERIOD = 0.1
"""Seconds between two looks at progress and at whether anybody still moves."""


class RealSide:
    """The real robots of a run, which begin at `poses` on a floor; they are gone when it is closed.

    If it is not paced, emulated robots live in the run, in simulated time. `on_start` is told when they have answered.
    """

    def __init__(
        self,
        team: RealTeam,
        poses: Mapping[int, Pose],
        floor: Map,
        settings: ScenarioSettings,
        *,
        is_paced: bool,
        say: Callable[[str], object],
        on_start: Callable[[LinkedRobots], object],
    ) -> None:
        self.team = team
        self._poses, self._floor, self._settings = poses, floor, settings
        self._say, self._on_start = say, on_start
        self.pace = (settings.pace or 1.0) if is_paced else None
        self.whole = Coupled("run")
        """The model that the world is a part of."""
        self.is_broken_off = False
        """Whether it ended because a robot is gone and nobody moved any more."""
        self._open = ExitStack()
        finalize(self, self._open.close)  # where nobody closes the stage, when the script ends
        self._floor_file: FloorFile | None = None
        self._real_robots: LinkedRobots | None = None
        self._stage: Stage | None = None
        self._moved = 0.0

    @property
    def real_robots(self) -> LinkedRobots:
        """The real robots, once they are on a stage."""
        assert self._real_robots is not None
        return self._real_robots

    @property
    def outcomes(self) -> tuple[RealOutcome, ...]:
        """What the run showed of each real robot."""
        return self.real_robots.outcomes()

    @property
    def losses(self) -> tuple[LostRobot, ...]:
        """The robots that disappeared, when and why."""
        return tuple(self.real_robots.losses)

    def join(self, stage: Stage) -> None:
        """Start and greet the robots of a stage that has none yet."""
        settings = self._settings
        self._stage = stage
        self._real_robots = LinkedRobots(
            stage.simulation,
            self.team.robots,
            self.team.tracking,
            pace=self.pace or 1.0,
            say=self._say,
            within=self.whole if self.pace is None else None,
        )
        self._real_robots.on_start = self._on_start
        self.real_time = RealTime(
            stage.simulation,
            lambda: self.real_robots.bodies,
            pace=self._real_robots.pace,
            tolerance=settings.tolerance,
        )
        self._real_robots.start(self._open, self._poses, self._floor, until=settings.until)

    def between(self, body: SimulatedBody) -> Body:
        """Return the body that drives for a robot: the simulated one, or one of the devices that were chosen."""
        real = self.real_robots.real.get(body.number)
        return body if real is None else mixed(real, body, self.team.tracking)

    def truth(self, number: int) -> Pose | None:
        """Return where a robot truly is; None for one that is not real, and where nobody knows."""
        return self.real_robots.truth(number) if number in self.real_robots.real else None

    def run(self, until: float, told: Callable[[], object]) -> None:
        """Let time pass up to an instant, or until the run is over; `told` is called now and then."""
        simulation = self.real_robots.simulation
        if self._floor_file is None:
            self._begin()

        def tick() -> None:
            if has_passed:
                return
            self.real_robots.look()
            told()
            self._look_whether_over()
            simulation.schedule(simulation.now + LOOK_PERIOD, tick)

        has_passed = False
        simulation.schedule(simulation.now, tick)
        self.real_time.run(until)
        has_passed = True
        self.real_time.stop_robots()

    def interrupt(self) -> None:
        """End the run after the present instant."""
        self.real_time.interrupt()

    def _look_whether_over(self) -> None:
        assert self._stage is not None
        simulation, gone = self.real_robots.simulation, self.real_robots.gone
        patience, still_since = self._settings.patience, self._stage.world.still_since
        if still_since is None or any(body.is_moving for body in self.real_robots.bodies):
            self._moved = simulation.now  # a counterpart is put from place to place, which is no motion
        if self._stage.robots and not simulation.tasks:
            self._stage.end("all programs have ended")
        elif gone and simulation.now - max(self._moved, still_since or 0.0) > patience:
            self.is_broken_off = True
            self._stage.end(f"nobody moved for {patience:g} s: {gone} is gone")

    def _begin(self) -> None:
        """Watch the robots from now on, and write a run file of the floor beside that of the environment model."""
        assert self._stage is not None
        self.real_robots.begin(at=0.0)
        record = self._stage.outcome.record
        floor = FloorFile(self._stage.simulation, self.whole, self._stage.world, self.real_robots, record)
        self._floor_file = self._open.enter_context(floor)

    def close(self, outcome: Outcome) -> None:
        """End the robots' processes, and finish the run file of the floor."""
        if self._floor_file is not None:
            self._floor_file.finish(outcome.end, is_interrupted=outcome.is_interrupted)
        self._open.close()
