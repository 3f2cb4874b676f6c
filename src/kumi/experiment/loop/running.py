"""A convoy with real robots in its frame: started, run in real time, and told in numbers.

Virtual robots, counterparts, links and the frame share one agenda, which follows the wall clock where a real robot takes
part, and is as fast as it can be where none does. The clock of the run does not hurry after the wall clock: where the
machine stood still, time stood still in the run, and the robots stopped by their watchdogs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from kumi.experiment.convoy.setup import ROOM
from kumi.experiment.interrupts import ended_by_ctrl_c
from kumi.experiment.loop.camera import Camera
from kumi.experiment.loop.fleet import Fleet, greet, linked, started
from kumi.experiment.loop.frame import Frame, Placed
from kumi.experiment.loop.outcome import LoopOutcome, Loss, Sampler, outcome_of
from kumi.experiment.loop.plan import LoopSetup
from kumi.experiment.loop.showing import Showing
from kumi.experiment.loop.team import LoopConvoy, RealRobot
from kumi.geometry import Point, Pose
from kumi.kernel import Coupled, Simulation
from kumi.link.happenings import Happening, Reached, Unreachable
from kumi.link.linked_body import LinkedBody
from kumi.world import SimulatedBody

TICK = 0.1
"""Seconds between two looks at progress and at whether anybody still moves."""
LAST_WORDS = 0.5
"""Seconds that robots have to hear that they should stop."""
SLICE = 0.02
"""Seconds between two looks whether they have."""


class LoopRun:
    """One run. `record` names a run file of the environment model; that of the floor lies beside it."""

    def __init__(
        self,
        plan: LoopSetup,
        seed: int = 0,
        *,
        record: str | Path | None = None,
        say: Callable[[str], object] = lambda _: None,
        on_progress: Callable[[LoopRun], object] | None = None,
    ) -> None:
        self.plan = plan
        self.seed = seed
        self._record = None if record is None else Path(record)
        self._say = say
        self._on_progress = on_progress
        self._whole = Coupled("study")
        self.simulation = Simulation(self._whole, seed=seed, patience=60.0)
        self.real: dict[int, RealRobot] = {}
        self.losses: list[Loss] = []
        self.end = ""
        self.is_interrupted = self.is_broken_off = False
        self._is_paused = threading.Event()
        self._goes_on = threading.Event()
        self._then: Callable[[], object] | None = None
        self.fleet: Fleet | None = None
        self._pace = None if plan.is_virtual else plan.pace

    def run(self) -> LoopOutcome:
        """Run to the end, and return what it showed. Ctrl-C ends it, and all robots stop."""
        with ExitStack() as stack:
            stack.callback(self.simulation.close)
            if not self.plan.is_virtual:
                with ended_by_ctrl_c(_break_off):
                    self._start(stack)
            self._build()
            showing = stack.enter_context(
                Showing(self.simulation, self._whole, self.convoy, self.real, self.fleet, self._record)
            )
            with ended_by_ctrl_c(self.interrupt):
                self._go()
            self._stop_robots()
            self.frame.errors.advance(self.simulation.now)
            showing.finish(self.end, is_interrupted=self.is_interrupted)
            return outcome_of(self)

    def _start(self, stack: ExitStack) -> None:
        """Start and greet the robots, which are gone when the stack is closed."""
        self._say("starting the robots")
        self.fleet = fleet = stack.enter_context(started(self.plan, self._poses(), self.seed))
        for number, process in fleet.processes.items():
            self._say(f"robot {number} is process {process.process.pid} at {fleet.ports[number]}")
        stack.callback(self._unlink)
        self._link(fleet)

    def interrupt(self) -> None:
        """End the run after the present instant; may be called from any thread."""
        self.is_interrupted = True
        self.end = self.end or "it was interrupted"
        self._is_paused.clear()
        self._goes_on.set()
        self.simulation.stop()

    def pause(self, then: Callable[[], object] | None = None) -> None:
        """Stop all motors, and let time stand still until `resume`; may be called from any thread.

        `then` is called when the motors have stopped, in the thread of the run.
        """
        self._then = then
        self._goes_on.clear()
        self._is_paused.set()
        self.simulation.stop()

    def resume(self) -> None:
        """Go on after `pause`: motions are taken up where they were; may be called from any thread."""
        self._is_paused.clear()
        self._goes_on.set()

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

    def _link(self, fleet: Fleet) -> None:
        poses = self._poses()
        for one in self.plan.robots:
            body = linked(self.simulation, one, fleet, poses[one.number])
            self.real[one.number] = RealRobot(one.number, one.choices, body)
        greet(self.simulation, [one.body for one in self.real.values()], self.plan.pace)

    def _unlink(self) -> None:
        for one in self.real.values():
            one.body.remote.close()

    def _build(self) -> None:
        """Make the team and its frame, which begin at the present instant."""
        plan, now = self.plan, self.simulation.now
        self.convoy = LoopConvoy(
            plan.convoy,
            self.real,
            plan.tracking,
            setting_off=plan.setting_off,
            turning_wheel=plan.turning_wheel,
        )
        self.placed = [self._placed(number, body) for number, body in enumerate(self.convoy.bodies)]
        frame = self.frame = Frame(plan, self.convoy, self.placed, self.simulation.stop)
        self.begin = frame.logbook.last_moved = now
        frame.errors.advance(now)
        self._whole.add(frame)
        self.sampler = Sampler(self.real, self.fleet)
        if self.fleet is not None and plan.tracking is not None:
            counterparts = {
                number: one.counterpart for number, one in self.real.items() if one.counterpart is not None
            }
            Camera(self.simulation, self.fleet.truth, plan.tracking, counterparts)
        for number, one in self.real.items():
            one.body.remote.watch(partial(self._happened, number))

    def _placed(self, number: int, body: SimulatedBody) -> Placed:
        fleet = self.fleet
        if fleet is None or number + 1 not in self.real:
            return Placed(body)
        return Placed(body, lambda: fleet.truth(number + 1))

    def _happened(self, number: int, happening: Happening) -> None:
        """Tell of a robot that is gone, and of one that is back; its counterpart stands meanwhile."""
        now = self.simulation.now - self.begin
        counterpart = self.real[number].counterpart
        if isinstance(happening, Unreachable):
            reason = happening.reason.partition(" is gone: ")[2] or happening.reason
            self.losses.append(Loss(number, now, reason))
            self._say(f"robot {number} has disappeared at {now:.1f} s: {reason}")
            if counterpart is not None:
                counterpart.twin.stop()
        elif isinstance(happening, Reached):
            self._say(f"robot {number} is back at {now:.1f} s")

    def _go(self) -> None:
        """Run to the end, with pauses in between."""
        end = self.begin + self.plan.until
        self.simulation.schedule(self.simulation.now, self._tick)
        while not self.is_interrupted:
            for one in self.real.values():
                if one.body.clock is not None:
                    one.body.clock.jump()
            self.simulation.run(end, pace=self._pace, late="wait", tolerance=self.plan.tolerance)
            if not self._is_paused.is_set():
                break
            self._hold()
        if not self.end:
            self.end = self._why_over()

    def _why_over(self) -> str:
        over = self.frame.acceptor
        if over.broke_up_at is not None:
            return "the convoy broke up"
        return "the leader has made its steps" if over.is_over else f"{self.plan.until:g} s are over"

    def _tick(self) -> None:
        """Look whether anybody still moves, and tell how far it is."""
        now, log = self.simulation.now, self.frame.logbook
        self.sampler.look()
        if now - log.last_moved > self.plan.patience:
            gone = ", ".join(f"robot {one.number}" for one in self.real.values() if not one.body.is_there)
            self.is_broken_off = True
            self.end = f"nobody moved for {self.plan.patience:g} s" + (f": {gone} is gone" if gone else "")
            self.simulation.stop()
        if self._on_progress is not None:
            self._on_progress(self)
        if not self.frame.acceptor.is_over:
            self.simulation.schedule(now + TICK, self._tick)

    def _hold(self) -> None:
        """Stop all motors, wait until somebody goes on, and take the motions up again."""
        bodies = [one.body for one in self.real.values()]
        for body in bodies:
            body.hold()
        self._wait_for_answers(bodies)
        if self._then is not None:
            self._then()
        self._goes_on.wait()
        for body in bodies:
            body.go_on()

    def _stop_robots(self) -> None:
        """Let all robots hear that they should stop."""
        bodies = [one.body for one in self.real.values()]
        for body in bodies:
            body.hold()
        self._wait_for_answers(bodies)

    def _wait_for_answers(self, bodies: list[LinkedBody]) -> None:
        """Run on until the robots have answered, and no longer."""
        end = self.simulation.now + LAST_WORDS
        while self.simulation.now < end and any(body.remote.waiting for body in bodies):
            self.simulation.run(min(end, self.simulation.now + SLICE), pace=self._pace)


def _break_off() -> None:
    """Leave what is not a run yet; what was started is ended on the way out."""
    raise KeyboardInterrupt
