"""A scenario with programs, some of whose robots are real: who starts them, and who lets time pass.

It is staged and run as any scenario. Before its first robot is put on the stage, the processes of emulated robots are
started, and all real robots are greeted. Then each robot gets its program, and what stands between a real robot's
program and its body are the devices that were chosen for it. The run is over at its end, when all programs have ended,
or when a robot is gone and nobody has moved for some time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from kumi.contract import Body
from kumi.devs import Coupled
from kumi.loop.mixed_body import MixedBody
from kumi.loop.outcome import Loss, RealOutcome
from kumi.loop.real_robots import Crew
from kumi.loop.real_time import RealTime
from kumi.loop.scenario import RealTeam
from kumi.loop.showing import Showing
from kumi.scenario.staging import Staging
from kumi.stage.stage import Stage
from kumi.world import SimulatedBody

TICK = 0.1
"""Seconds between two looks at progress and at whether anybody still moves."""


class StagedLoop:
    """The real robots of a scenario's run; use it in a `with` block, which ends their processes.

    If it is not paced, emulated robots live in the run, in simulated time. `on_start` is told when they have answered.
    """

    def __init__(
        self,
        staging: Staging,
        team: RealTeam,
        say: Callable[[str], object],
        *,
        is_paced: bool = True,
        on_start: Callable[[Crew], object] = lambda _crew: None,
    ) -> None:
        self._staging, self._team, self._say = staging, team, say
        self._on_start = on_start
        self._settings = staging.scenario.settings
        self.pace = (self._settings.pace or 1.0) if is_paced else None
        self.run_file = Path(f"{staging.scenario.name}.kumi")
        """The run file where the scenario names none."""
        self.whole = Coupled("run")
        self.end = ""
        self.is_broken_off = False
        """Whether it ended because a robot is gone and nobody moved any more."""
        self._open = ExitStack()
        self._showing: Showing | None = None
        self._crew: Crew | None = None
        self._stage: Stage | None = None
        self._moved = 0.0

    @property
    def crew(self) -> Crew:
        """The real robots, once they are on a stage."""
        assert self._crew is not None
        return self._crew

    @property
    def real(self) -> tuple[RealOutcome, ...]:
        """What the run showed of each real robot."""
        return self.crew.outcomes()

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Who disappeared, when and why."""
        return tuple(self.crew.losses)

    def join(self, stage: Stage) -> None:
        """Start and greet the robots of a stage that has none yet."""
        robots, settings = self._team.robots, self._settings
        self._stage = stage
        within = self.whole if self.pace is None else None
        self._crew = Crew(
            stage.simulation,
            robots,
            self._team.tracking,
            pace=self.pace or 1.0,
            say=self._say,
            within=within,
        )
        self._crew.on_start = self._on_start
        poses = {one.number: self._staging.pose_of(one.number) for one in robots}
        self._crew.start(self._open, poses, self._staging.map, until=settings.until)
        self.real_time = RealTime(self._crew, tolerance=settings.tolerance)

    def between(self, body: SimulatedBody) -> Body:
        """Return the body that a program gets: the simulated one, or one of the devices that were chosen."""
        real = self.crew.real.get(body.number)
        return body if real is None else MixedBody(real, body, self._team.tracking)

    def open(self, record: Path | None) -> None:
        """Watch the robots from now on, and write a run file of the floor beside that of the environment model."""
        assert self._stage is not None
        self.crew.begin(at=0.0)
        showing = Showing(
            self._stage.simulation, self.whole, self._stage.world, self.crew, record, is_both=False
        )
        self._showing = self._open.enter_context(showing)

    def run(self, until: float, told: Callable[[], object]) -> None:
        """Let time pass up to an instant, or until the run is over; `told` is called now and then."""
        simulation = self.crew.simulation

        def tick() -> None:
            self.crew.look()
            told()
            if self._is_over():
                simulation.stop()
            else:
                simulation.schedule(simulation.now + TICK, tick)

        simulation.schedule(simulation.now, tick)
        self.real_time.run(until)
        self.end = self.end or (
            "it was interrupted" if self.real_time.is_interrupted else f"{until:g} s are over"
        )
        self.real_time.stop_robots()

    def interrupt(self) -> None:
        """End the run after the present instant."""
        self.real_time.interrupt()

    def _is_over(self) -> bool:
        assert self._stage is not None
        simulation, gone = self.crew.simulation, self.crew.gone
        patience, still_since = self._settings.patience, self._stage.world.still_since
        if still_since is None or any(body.is_moving for body in self.crew.bodies):
            self._moved = simulation.now  # a counterpart is put from place to place, which is no motion
        if not simulation.tasks:
            self.end = "all programs have ended"
        elif gone and simulation.now - max(self._moved, still_since or 0.0) > patience:
            self.is_broken_off = True
            self.end = f"nobody moved for {patience:g} s: {gone} is gone"
        return bool(self.end)

    def finish(self) -> None:
        """Write down how the run ended."""
        if self._showing is not None:
            self._showing.finish(self.end, is_interrupted=self.real_time.is_interrupted)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()
