"""The real robots of a run: linked, greeted, watched, tracked by a camera over their floor, and stopped at the end.

Whose counterparts they have in the environment model, and what decides for them, is the matter of the team. A robot that
is gone is told of at once, and its counterpart stands; what follows from that is the matter of the team's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

from kumi.devs import Coupled, Simulation
from kumi.geometry import Point, Pose, wrapped
from kumi.link.happenings import Happening, Reached, Unreachable
from kumi.link.linked_body import LinkedBody
from kumi.loop.counterpart import Counterpart, Tracking
from kumi.loop.devices import RealRobot
from kumi.loop.outcome import LostRobot, RealOutcome, Sampler, outcome_of
from kumi.loop.real import Real
from kumi.loop.robot_processes import Fleet, FleetInRun, greet, linked, started
from kumi.world import Map


class FloorCamera:
    """Takes a picture of the floor once a period, and tells the counterparts what it shows."""

    def __init__(
        self,
        simulation: Simulation,
        truth: Callable[[int], Pose | None],
        tracking: Tracking,
        counterparts: Mapping[int, Counterpart],
    ) -> None:
        self._simulation = simulation
        self._truth = truth
        self._tracking = tracking
        self._counterparts = counterparts
        self._chance = simulation.chance("camera")
        simulation.schedule(simulation.now + tracking.period, self._take)

    def _take(self) -> None:
        now = self._simulation.now
        for number, counterpart in self._counterparts.items():
            truth = self._truth(number)
            if truth is not None:
                tell = partial(counterpart.see, now, self._blurred(truth))
                self._simulation.schedule(now + self._tracking.latency, tell)
        self._simulation.schedule(now + self._tracking.period, self._take)

    def _blurred(self, truth: Pose) -> Pose:
        chance, noise = self._chance, self._tracking.place_noise
        shift = Point(chance.normal(0.0, noise), chance.normal(0.0, noise))
        heading = wrapped(truth.heading + chance.normal(0.0, self._tracking.heading_noise))
        return Pose(truth.position + shift, heading)


class LinkedRobots:
    """The real robots of a run, by number; none until they are started.

    Emulated ones are processes, and the run follows the wall clock; or they live `within` the model of the run, in its time.
    """

    def __init__(
        self,
        simulation: Simulation,
        robots: Sequence[Real],
        tracking: Tracking | None,
        *,
        pace: float,
        say: Callable[[str], object],
        within: Coupled | None = None,
    ) -> None:
        self.simulation = simulation
        self.tracking = tracking
        self.pace = None if within is not None else pace
        """How fast the run follows the wall clock; None where it does not."""
        self.fleet: Fleet | None = None
        self.real: dict[int, RealRobot] = {}
        self.losses: list[LostRobot] = []
        self.begin_at = 0.0
        self.on_start: Callable[[LinkedRobots], object] = lambda _real_robots: None
        """Called when the robots have answered, before anything moves."""
        self._robots = {one.number: one for one in robots}
        self._within = within
        self._say = say
        self._sampler: Sampler | None = None

    def start(self, stack: ExitStack, poses: Mapping[int, Pose], floor: Map, *, until: float) -> None:
        """Start and greet the robots, which are gone when the stack is closed."""
        robots, simulation = list(self._robots.values()), self.simulation
        self.fleet = fleet = self._fleet(stack, poses, floor, until)
        for number, process in fleet.processes.items():
            self._say(f"{self.name(number)} is process {process.process.pid} at {fleet.ports[number]}")
        stack.callback(self._unlink)
        for one in robots:
            body = linked(simulation, one, fleet, poses[one.number])
            body.on_other_speed = self._say
            self.real[one.number] = RealRobot(one.number, one.choices, body)
        greet(simulation, self.bodies, self.pace)
        self.on_start(self)

    def _fleet(self, stack: ExitStack, poses: Mapping[int, Pose], floor: Map, until: float) -> Fleet:
        robots = list(self._robots.values())
        if self._within is not None:
            return FleetInRun(self._within, robots, poses, floor)
        assert self.pace is not None
        self._say("starting the robots")
        return stack.enter_context(
            started(robots, poses, floor, pace=self.pace, until=until, seed=self.simulation.seed)
        )

    def _unlink(self) -> None:
        for body in self.bodies:
            body.remote.close()

    def begin(self, *, at: float | None = None) -> None:
        """Watch the robots from now on, and let the camera tell their counterparts where they are.

        Times are told from now on, or from the instant `at` of the run.
        """
        self.begin_at = self.simulation.now if at is None else at
        self._sampler = Sampler(self.real, self.truth)
        if self.fleet is not None and self.tracking is not None:
            counterparts = {
                number: one.counterpart for number, one in self.real.items() if one.counterpart is not None
            }
            FloorCamera(self.simulation, self.truth, self.tracking, counterparts)
        for number, one in self.real.items():
            one.on_rest = partial(self._sampler.look_at, number)
            one.body.remote.watch(partial(self._happened, number))

    @property
    def bodies(self) -> list[LinkedBody]:
        """The links of all real robots."""
        return [one.body for one in self.real.values()]

    @property
    def gone(self) -> str:
        """The names of those that do not answer now, with commas."""
        return ", ".join(self.name(number) for number, one in self.real.items() if not one.body.is_there)

    def name(self, number: int) -> str:
        """Return what a robot is called."""
        return self._robots[number].name

    def truth(self, number: int) -> Pose | None:
        """Return where a robot truly is; None where nobody knows."""
        return None if self.fleet is None else self.fleet.truth(self._robots[number])

    def look(self) -> None:
        """Look how far counterparts are from their robots, which is told at the end."""
        assert self._sampler is not None
        self._sampler.look()

    def outcomes(self) -> tuple[RealOutcome, ...]:
        """Return what the run showed of each robot."""
        if self.fleet is None or self._sampler is None:
            return ()
        return tuple(
            outcome_of(one, self.name(number), self.fleet.ports[number], self._sampler)
            for number, one in sorted(self.real.items())
        )

    def _happened(self, number: int, happening: Happening) -> None:
        """Tell of a robot that is gone, and of one that is back; its counterpart stands meanwhile."""
        now, name = self.simulation.now - self.begin_at, self.name(number)
        counterpart = self.real[number].counterpart
        if isinstance(happening, Unreachable):
            reason = happening.reason.partition(" is gone: ")[2] or happening.reason
            self.losses.append(LostRobot(number, name, now, reason))
            self._say(f"{name} has disappeared at {now:.1f} s: {reason}")
            if counterpart is not None:
                counterpart.twin.stop()
        elif isinstance(happening, Reached):
            self._say(f"{name} is back at {now:.1f} s")
