"""A convoy with real robots in its frame: started, run in real time, and told in numbers.

Virtual robots, counterparts, links and the frame share one agenda, which follows the wall clock where a real robot takes
part, and is as fast as it can be where none does.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from kumi.convoy.loop.frame import Frame, Placed
from kumi.convoy.loop.outcome import LoopOutcome, outcome_of
from kumi.convoy.loop.plan import LoopSetup
from kumi.convoy.loop.team import LoopConvoy
from kumi.convoy.setup import ROOM
from kumi.devs import Coupled, Simulation
from kumi.devs.interrupts import ended_by_signals
from kumi.geometry import Point, Pose
from kumi.loop.real_robots import Crew
from kumi.loop.real_time import RealTime
from kumi.loop.showing import Showing
from kumi.world import Map, SimulatedBody

TICK = 0.1
"""Seconds between two looks at progress and at whether anybody still moves."""


class LoopRun:
    """One run. `record` names a run file of the environment model; that of the floor lies beside it.

    If it is not paced, emulated robots live in the run, in simulated time.
    """

    def __init__(
        self,
        plan: LoopSetup,
        seed: int = 0,
        *,
        is_paced: bool = True,
        record: str | Path | None = None,
        say: Callable[[str], object] = lambda _: None,
        on_progress: Callable[[LoopRun], object] | None = None,
    ) -> None:
        self.plan = plan
        self._record = None if record is None else Path(record)
        self._on_progress = on_progress
        self._whole = Coupled("study")
        self.simulation = Simulation(self._whole, seed=seed, patience=60.0)
        within = None if is_paced else self._whole
        self.crew = Crew(self.simulation, plan.robots, plan.tracking, pace=plan.pace, say=say, within=within)
        self.real_time = RealTime(self.crew, tolerance=plan.tolerance)
        self.end = ""
        self.is_broken_off = self._has_begun = self._is_ending = False
        self.outcome: LoopOutcome | None = None
        """What the run showed, once it is over."""

    def run(self) -> LoopOutcome:
        """Run to the end, and return what it showed.

        Ctrl-C and SIGTERM end it, too: all robots stop and files are closed, `outcome` has what it showed, and then
        KeyboardInterrupt is raised, or the process ends.
        """
        plan, side = self.plan, self.plan.convoy.side
        with ended_by_signals(self._interrupt), ExitStack() as stack:
            stack.callback(self.simulation.close)
            if not plan.is_virtual:
                self.crew.start(stack, self._poses(), Map(side, side), until=plan.until)
                # Before the links: a link that is closed ends a motion, and who waits for that has to be gone.
                stack.callback(self.simulation.close)
            self._build()
            showing = stack.enter_context(
                Showing(self.simulation, self._whole, self.convoy.world, self.crew, self._record)
            )
            self._has_begun = True
            self.simulation.schedule(self.simulation.now, self._tick)
            self.real_time.run(self.begin + plan.until)
            self._is_ending = True
            self.end = self.end or self._why_over()
            self.real_time.stop_robots()
            self.frame.errors.advance(self.simulation.now)
            showing.finish(self.end, is_interrupted=self.is_interrupted)
            self.outcome = outcome_of(self)
        return self.outcome

    def _interrupt(self) -> None:
        """End the run; what is not a run yet is left, and what was started is ended on the way out."""
        if not self._has_begun:
            raise KeyboardInterrupt
        if not self._is_ending:  # else robots are about to hear that they should stop
            self.real_time.interrupt()

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody ended it."""
        return self.real_time.is_interrupted

    def truth(self, number: int) -> Pose:
        """Return where a robot truly is, by its number from 1."""
        return self.placed[number - 1].pose

    def start_of(self, number: int) -> Point:
        """Return where a real robot stood at first."""
        return self._poses()[number].position

    def _poses(self) -> dict[int, Pose]:
        """Return where the real robots stand at first: in their places in the line."""
        setup = self.plan.convoy
        front = ROOM + setup.line
        return {
            one.number: Pose(Point(front - (one.number - 1) * setup.rules.desired, setup.side / 2))
            for one in self.plan.robots
        }

    def _build(self) -> None:
        """Make the team and its frame, which begin at the present instant."""
        plan, now = self.plan, self.simulation.now
        self.convoy = LoopConvoy(
            plan.convoy,
            self.crew.real,
            plan.tracking,
            setting_off=plan.setting_off,
            turning_wheel=plan.turning_wheel,
        )
        self.placed = [self._placed(number, body) for number, body in enumerate(self.convoy.bodies)]
        frame = self.frame = Frame(plan, self.convoy, self.placed)
        frame.acceptor.end = self.simulation.stop
        self.begin = frame.logbook.last_moved = now
        frame.errors.advance(now)
        self._whole.add(frame)
        self.crew.begin()

    def _placed(self, number: int, body: SimulatedBody) -> Placed:
        if number + 1 not in self.crew.real:
            return Placed(body)
        return Placed(body, lambda: self.crew.truth(number + 1))

    def _why_over(self) -> str:
        if self.is_interrupted:
            return "it was interrupted"
        over = self.frame.acceptor
        if over.broke_up_at is not None:
            return f"the convoy broke up: {over.break_up}"
        return "the leader has made its steps" if over.is_over else f"{self.plan.until:g} s are over"

    def _tick(self) -> None:
        """Look whether anybody still moves, and tell how far it is."""
        now, log = self.simulation.now, self.frame.logbook
        self.crew.look()
        if now - log.last_moved > self.plan.patience:
            gone = self.crew.gone
            self.is_broken_off = True
            self.end = f"nobody moved for {self.plan.patience:g} s" + (f": {gone} is gone" if gone else "")
            self.simulation.stop()
        if self._on_progress is not None:
            self._on_progress(self)
        if not self.frame.acceptor.is_over:
            self.simulation.schedule(now + TICK, self._tick)
