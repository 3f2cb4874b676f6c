"""How does a run of a scenario go on from decision to decision, when its robots are told what to do from outside?

An episode puts the robots of a scenario on a stage, with their bodies, drives and sensors, and with a program that waits in place of
their own. The learner tells each robot a share of its speed and of its turning speed; time then passes up to the next decision, and
contacts are found at their instants, as in every run.

By period, all decide every `period` seconds. By events, a robot decides when it has touched something, and after `period` seconds at
the latest; a robot that is blocked and tries again is asked no sooner than after a tenth of the period, so that time passes. A robot
whose drive cannot be steered has two wheels here.

Each robot has a goal: what `goals` gives for the places where all begin, or the `goal` among its program's parameters, or else
the place opposite to where it began, about the middle of all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kumi.contract import CannotDo, Steer
from kumi.devs import sleep
from kumi.geometry import as_point
from kumi.geometry.points import as_size, shown
from kumi.maths import cos, sin, total
from kumi.motion import Drive, Wheel
from kumi.robot import Team
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging

if TYPE_CHECKING:
    from kumi.robot import Robot

Numbers: TypeAlias = NDArray[np.float64]
Decide: TypeAlias = Literal["period", "events"]

SIGHT = 5.0
"""Metres within which another robot is observed, and in which ways are measured."""
CONTACT_COST = 0.2
"""What a contact takes from the reward, in metres of way."""
SHORTEST = 0.1
"""The share of a period after which a robot that was asked may be asked again."""


@dataclass(frozen=True)
class Situation:
    """What is so at a decision, in arrays with an entry or a row for each robot."""

    now: float
    positions: Numbers
    headings: Numbers
    goals: Numbers
    radii: Numbers
    touched: NDArray[np.int64]
    """How many contacts each has had since the situation before."""
    last: Situation | None = None

    @property
    def distances(self) -> Numbers:
        """How far each is from its goal."""
        way = self.goals - self.positions
        lengths: Numbers = np.sqrt(way[:, 0] * way[:, 0] + way[:, 1] * way[:, 1])
        return lengths


Observe: TypeAlias = Callable[[Situation], NDArray[np.float32]]
Reward: TypeAlias = Callable[[Situation], Numbers]
Done: TypeAlias = Callable[[Situation], NDArray[np.bool_]]
Act: TypeAlias = Callable[[Numbers], Numbers]
Goals: TypeAlias = Callable[[Numbers], Numbers]


def nearest_other(situation: Situation) -> NDArray[np.float32]:
    """Observe the way to the goal and to the nearest other robot, ahead and to the left, in [-1, 1], and whether it was touched."""
    positions, count = situation.positions, len(situation.positions)
    ahead, left = cos(situation.headings), sin(situation.headings)
    seen = np.zeros((count, 5), dtype=np.float32)
    ways = [situation.goals - positions]
    if count > 1:
        between = positions[None, :, :] - positions[:, None, :]
        squares = between[:, :, 0] * between[:, :, 0] + between[:, :, 1] * between[:, :, 1]
        squares.flat[:: count + 1] = inf
        nearest = squares.argmin(axis=1)
        rows = np.arange(count)
        near = (squares[rows, nearest] <= SIGHT * SIGHT)[:, None]
        ways.append(np.where(near, between[rows, nearest], 0.0))
    for column, way in enumerate(ways):
        x, y = way[:, 0] / SIGHT, way[:, 1] / SIGHT
        seen[:, 2 * column] = x * ahead + y * left
        seen[:, 2 * column + 1] = y * ahead - x * left
    seen[:, 4] = situation.touched > 0
    np.minimum(np.maximum(seen, -1.0, out=seen), 1.0, out=seen)
    return seen


def progress(situation: Situation) -> Numbers:
    """Reward the metres by which a robot came nearer to its goal, less what its contacts cost."""
    assert situation.last is not None
    return situation.last.distances - situation.distances - CONTACT_COST * situation.touched


def arrived(situation: Situation) -> NDArray[np.bool_]:
    """Tell who is nearer to its goal than its own radius."""
    near: NDArray[np.bool_] = situation.distances < situation.radii
    return near


def as_told(actions: Numbers) -> Numbers:
    """Take actions as shares of speed and turning speed."""
    return actions


@dataclass(frozen=True)
class Lesson:
    """What is learned: a scenario with changes, when robots decide, what they perceive and are to want."""

    scenario: str | Path
    changes: Sequence[str] = ()
    period: float = 0.1
    until: float | None = None
    decide: Decide = "period"
    observe: Observe = nearest_other
    act: Act = as_told
    reward: Reward = progress
    done: Done = arrived
    goals: Goals | None = None

    def __post_init__(self) -> None:
        as_size(self.period, "the period of an environment")
        if self.decide not in ("period", "events"):
            raise ValueError(f'robots decide by "period" or by "events", not {self.decide!r}')
        if self.until is not None:
            as_size(self.until, "the end of an episode")


DEFAULT_UNTIL = 60.0
"""Seconds of an episode, where neither who learns nor the scenario says."""


class Episode:
    """A run of a lesson's scenario with a seed, at a decision of at least one robot."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self.lesson = lesson
        scenario = load_scenario(str(lesson.scenario), [*lesson.changes, f"seed={seed}"])
        staging = Staging(scenario)
        if staging.models is not None or staging.real is not None:
            raise ValueError(
                f"robots of {lesson.scenario} are models or real; who learns takes simulated robots with programs"
            )
        given = [kit.parameters.get("goal") for kit in staging.kits for _ in range(kit.group.count)]
        staging.kits = [
            replace(kit, program=self._led, parameters={}, drive=steerable(kit.drive)) for kit in staging.kits
        ]
        end = scenario.settings.until if lesson.until is None else lesson.until
        self.until = end if end < inf else DEFAULT_UNTIL
        self.stage = staging.stage()
        self.robots: list[Robot] = self.stage.robots
        self.names = [robot.name for robot in self.robots]
        count = len(self.robots)
        self._team = Team("agents")
        for robot in self.robots:
            self._team._admit(robot)
        self._contact_at = np.full(count, inf)
        self._numbers = {robot.number: index for index, robot in enumerate(self.robots)}
        drives = [self.stage.world.bodies[index].drive for index in range(count)]
        self.speeds = np.array([getattr(drive, "speed", 1.0) for drive in drives])
        self.turn_speeds = np.array([getattr(drive, "turn_speed", 1.0) for drive in drives])
        self.tightest = np.array([getattr(drive, "min_radius", 0.0) for drive in drives])
        self._simulation = self.stage.simulation
        self._steps = 0
        self.stage.begin()
        self._simulation.run_through(0.0)
        starts = self._team.positions
        middle = total(starts) / max(1, count)
        self._goals = 2.0 * middle - starts
        for index, goal in enumerate(given):
            if goal is not None:
                self._goals[index] = as_point(tuple(goal), "a goal")
        if lesson.goals is not None:
            self._goals = np.array(lesson.goals(starts), dtype=np.float64)
            if self._goals.shape != starts.shape or not np.isfinite(self._goals).all():
                raise ValueError(
                    f"goals are two finite numbers for each of {count} robots, not {shown(self._goals)}"
                )
        self._radii = np.array([body.shape.reach for body in self.stage.world.bodies])
        self._contacts = self._team.contacts
        self.situation = Situation(
            0.0, starts, self._team.headings, self._goals, self._radii, np.zeros(count, dtype=np.int64)
        )
        self._asked = np.full(count, self.now)

    @property
    def now(self) -> float:
        """The present time."""
        return self._simulation.now

    @property
    def is_over(self) -> bool:
        """Whether the time of the episode has passed."""
        return self.now >= self.until

    @property
    def trace_hash(self) -> str:
        """The hash of all that happened so far."""
        return self.stage.outcome.trace_hash

    def tell(self, actions: Numbers, which: NDArray[np.bool_]) -> None:
        """Let robots drive by their actions, a share of speed and one of turning speed each, from now on."""
        told = np.asarray(self.lesson.act(actions), dtype=np.float64)
        if told.shape != (len(self.robots), 2) or np.isnan(told[which]).any():
            raise ValueError(
                f"actions are two numbers for each of {len(self.robots)} robots, none of them NaN, not {shown(told)}"
            )
        shares = np.minimum(np.maximum(told, -1.0), 1.0)
        speeds, turns = shares[:, 0] * self.speeds, shares[:, 1] * self.turn_speeds
        if self.tightest.any():
            # A little less than the tightest, which by rounding would be too tight now and then.
            most = np.where(self.tightest > 0.0, np.abs(speeds) / np.maximum(self.tightest, 1e-9), inf) * (
                1.0 - 1e-9
            )
            turns = np.clip(turns, -most, most)
        self._team.steer(speeds, turns, None if which.all() else which)
        self._asked[which] = self.now

    @property
    def is_gone(self) -> NDArray[np.bool_]:
        """The robots that have left the world, as into a hole."""
        return ~self._team.present

    def stop(self, which: NDArray[np.bool_]) -> None:
        """Let robots stand from now on."""
        self._team.stop(which)

    def advance(self, alive: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Let time pass to the next decision of one of those alive, and tell who decides."""
        if self.lesson.decide == "period":
            self._steps += 1
            self._simulation.run_through(min(self.until, self._steps * self.lesson.period))
            asked = alive.copy()
        else:
            asked = self._to_event(alive)
        team, contacts = self._team, self._team.contacts
        touched, self._contacts = contacts - self._contacts, contacts
        last = replace(self.situation, last=None)
        self.situation = Situation(
            self.now, team.positions, team.headings, self._goals, self._radii, touched, last
        )
        return asked

    def elapsed(self) -> Numbers:
        """Return the seconds since each robot was told something."""
        since: Numbers = self.now - self._asked
        return since

    def close(self) -> None:
        """End the run."""
        self.stage.close()

    def _to_event(self, alive: NDArray[np.bool_]) -> NDArray[np.bool_]:
        period = self.lesson.period
        while True:
            latest = self._asked + period
            soonest = self._asked + SHORTEST * period
            due = np.where(alive, np.minimum(latest, np.maximum(soonest, self._contact_at)), inf)
            target = min(self.until, float(due.min(initial=inf)))
            if self.now >= target:
                break
            self._simulation.run_through(target)
        asked: NDArray[np.bool_] = alive & ((due <= self.now) | self.is_over)
        self._contact_at[asked] = inf
        return asked

    async def _led(self, robot: Robot) -> None:
        """Wait; by events, let the run pause at the first contact that is to be decided on."""
        if self.lesson.decide == "period":
            await sleep(inf)
        async for _ in robot.contacts:
            index = self._numbers[robot.number]
            if self._contact_at[index] == inf:
                self._contact_at[index] = self._simulation.now
                self._simulation.stop()


class _Standing:
    """What a drive may ask of a body, of none."""

    def __init__(self) -> None:
        self.position = as_point((0.0, 0.0))
        self.heading = 0.0
        self.chance: Any = None


def steerable(drive: Drive | None) -> Drive:
    """Return a drive, or two wheels in place of one that cannot be steered."""
    if drive is None:
        return Wheel()
    try:
        drive.plan(Steer(1.0, 0.0), _Standing())
    except CannotDo:
        return Wheel()
    return drive
