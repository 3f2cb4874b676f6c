"""How do one to three robots carry out their lists side by side, watched and recorded?

A session is a run: each robot is a unit with a task of its own, and a twin of each stands in a world where
nothing touches, moved to where the robot believes it is with every reading. What the twins do is the run
file; what the units tell stands in it as notes. From the same beliefs and from what is left of the lists the
warnings are played ahead.

In simulated time a session goes as fast as it can; with real robots it follows the wall clock.

For the warnings, the steps that are left become a plan: the wheel stays where a step turned it, so each way is a straight
line or an arc of the back axle. Reading takes no time here, and neither does the wheel. A way without an end goes on beside
the waits after it, until the next step that drives or stops.

Of the warnings, a pair is one, whoever of the two is said to hit the other. It is told when its contact comes within the horizon,
and again with each second less. It is over, and told to be, when the plans lead to no contact of the two however far one
looks, also for robots that reach a hand's breadth farther to all sides: places are believed, and a stop may come late. A contact that has come is not taken back: the robots tell it themselves. What is due now, or seems to have come
although no robot has told so, stays as it is until the robots are clear of each other or tell of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import copysign, inf, isinf
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import tomlkit

from kumi.control.steps import Aim, Go, ReadStep, Step, StopMotor, Wait
from kumi.control.telling import ListEnded, RobotValues, Telling, Warned, WarningCleared, words_of
from kumi.control.unit import Unit
from kumi.control.warnings import HORIZON, CollisionForecast, Danger, PredictedMotion, grown
from kumi.control.words import Order, WordsError, check_order
from kumi.devs import Coupled, Model, Simulation, together
from kumi.geometry import Pose
from kumi.link.calibration import Calibration
from kumi.link.device_io import Panel
from kumi.link.reckoning import arc_angle, radius_of
from kumi.maths import cos
from kumi.motion import Leg
from kumi.recording import RunMeta, RunSummary, RunWriter
from kumi.world import Map, SimulatedBody, World, map_to_table

MOST_ROBOTS = 3
FORECAST_FACTOR = 20.0
"""Horizons that are looked ahead to know that a contact will not come; exact motions make that cheap."""
CLEAR = 0.08
"""Metres that two keep apart who no longer hit each other: what a robot drives in two thirds of a second, as late as a stop
may come on a line that damages a quarter of all packets."""


class Session:
    """Robots in the hands of a person. Use it in a `with` block.

    `told` takes all that happens; `record` names a run file; `beside` are models that live in the same run, such
    as the world of emulated robots.
    """

    def __init__(
        self,
        map_: Map | None = None,
        *,
        told: Callable[[Telling], object] = lambda _told: None,
        record: str | Path | None = None,
        horizon: float = HORIZON,
        beside: Sequence[Model] = (),
    ) -> None:
        self.map = Map() if map_ is None else map_
        self.units: dict[int, Unit] = {}
        self.left_out: set[int] = set()
        """Robots that could not be added; what is for them alone is dropped."""
        self.has_failed = False
        """Whether a robot gave up its list."""
        self._world = World(self.map, ghost=True, name="twins")
        everything = Coupled("session")
        for model in (self._world, *beside):
            everything.add(model)
        self.simulation = Simulation(everything, hashed=False)
        self._told = told
        self._record = record
        self._writer: RunWriter | None = None
        self._horizon = horizon
        self._forecast: CollisionForecast | None = None
        self._wide_forecast: CollisionForecast | None = None
        self._twins: dict[str, SimulatedBody] = {}
        self._watch = WarningWatch(horizon)
        self._orders: list[str] = []

    def add(self, panel: Panel, calibration: Calibration, pose: Pose, *, number: int = 0) -> Unit:
        """Put a robot at a place of the map; Overlap where something stands there."""
        if len(self.units) == MOST_ROBOTS:
            raise ValueError(f"a session has one to {MOST_ROBOTS} robots")
        name = f"robot {number}"
        twin = self._world.add_body(pose.position, heading=pose.heading, shape=calibration.shape, name=name)
        self._twins[name] = twin
        self.units[number] = unit = Unit(name, panel, calibration, pose, self._take)
        return unit

    def give(self, orders: Iterable[Order]) -> None:
        """Check commands and add them to the lists of those they are for."""
        checked = [(unit, order) for order in orders for unit in self._receivers(order)]
        for unit, order in checked:
            check_order(order, unit.calibration, unit.name)
        for unit, order in checked:
            unit.steps.append(order.step)
            self._orders.append(f"{unit.name.removeprefix('robot ')}: {order.step}")

    def _receivers(self, order: Order) -> list[Unit]:
        if order.robot is None:
            return list(self.units.values())
        if order.robot in self.left_out:
            return []
        if order.robot not in self.units:
            there = [f"robot {number}" for number in self.units]
            known = f"only {there[0]} is" if len(there) == 1 else f"{', '.join(there)} are"
            raise WordsError(f"line {order.line}: there is no robot {order.robot}; {known} here")
        return [self.units[order.robot]]

    def close_lists(self) -> None:
        """Let each robot end when its list is done."""
        for unit in self.units.values():
            unit.is_closing = True

    def drop_lists(self) -> None:
        """Drop what the robots have yet to do, and the way under way; what is given next comes at once."""
        for unit in self.units.values():
            unit.drop()

    def halt(self) -> None:
        """Stop all robots and drop what they had to do."""
        for unit in self.units.values():
            unit.halt()

    def run(self, *, pace: float | None = None) -> None:
        """Let the robots carry out their lists, to the end."""
        shapes = {unit.name: unit.calibration.shape for unit in self.units.values()}
        farthest = FORECAST_FACTOR * self._horizon
        self._forecast = CollisionForecast(self.map, shapes, horizon=farthest)
        wide = {name: grown(shape, CLEAR) for name, shape in shapes.items()}
        self._wide_forecast = CollisionForecast(self.map, wide, horizon=farthest)
        self._open_record()
        self.simulation.start_main(self._run_all)
        self.simulation.run(pace=pace, open_ended=pace is not None)

    async def _run_all(self) -> None:
        async with together() as tasks:
            for unit in self.units.values():
                tasks.start(unit.run)

    def _take(self, told: Telling) -> None:
        """Pass on what a unit tells, write it down, and look ahead."""
        self._tell(told)
        if isinstance(told, RobotValues):
            self._move_twin(told.robot)
            self._warn()
        elif isinstance(told, ListEnded):
            self._move_twin(told.robot)
            self.has_failed |= told.end == "gave up"
        if self._writer is not None:
            self._writer.write(self._world.take_journal())

    def _tell(self, told: Telling) -> None:
        self._told(told)
        if not isinstance(told, RobotValues):
            self._world.write_note(self._twins[told.robot], words_of(told))

    def _unit(self, name: str) -> Unit:
        return next(unit for unit in self.units.values() if unit.name == name)

    def _move_twin(self, name: str) -> None:
        """Put the twin where the robot believes it is, and let it go on as the robot does."""
        unit, twin = self._unit(name), self._twins[name]
        at = unit.pose.position
        twin.put(at.x, at.y, unit.pose.heading)
        if unit.speed:
            way = unit.speed * self._horizon
            twin.start(leg(way, unit.speed, unit.steering, unit.calibration.wheelbase))

    def _warn(self) -> None:
        """Tell of new dangers, of each second less, and of those that are over."""
        foresight, wide, outlooks = self._forecast, self._wide_forecast, self._predictions()
        assert foresight is not None
        assert wide is not None

        def may_come(danger: Danger) -> bool:
            pair = {danger.robot, danger.other}
            nearly = any(pair == {one.robot, one.other} for one in wide.dangers(outlooks))
            return nearly or foresight.is_touching(danger, outlooks)

        now, touching = self.simulation.now, {unit.name for unit in self.units.values() if unit.is_touching}
        warned, cleared = self._watch.take(now, foresight.dangers(outlooks), touching, may_come)
        for one in warned:
            seconds, x, y = round(one.seconds, 3), round(one.at.x, 4), round(one.at.y, 4)
            self._tell(Warned(now, one.robot, one.other, seconds, x, y))
        for one in cleared:
            self._tell(WarningCleared(now, one.robot, one.other))

    def _predictions(self) -> dict[str, PredictedMotion]:
        outlooks = {}
        for unit in self.units.values():
            legs = legs_of(unit.plan, unit.calibration, steering=unit.steering, speed=unit.cruising)
            outlooks[unit.name] = PredictedMotion(unit.pose, legs)
        return outlooks

    def _open_record(self) -> None:
        if self._record is None:
            return
        self._world.keep_journal(True)
        meta = RunMeta(
            scenario=self._describe(),
            map=map_to_table(self.map),
            robots={twin.number: name for name, twin in self._twins.items()},
        )
        self._writer = RunWriter(self._record, meta, snapshot=self._world.snapshot)

    def _describe(self) -> str:
        """Return the session as a text: the lists, and each robot with its calibration."""
        robots: list[dict[str, Any]] = [
            {"name": unit.name, "at": [*unit.pose.position, unit.pose.heading], **unit.calibration.to_dict()}
            for unit in self.units.values()
        ]
        return tomlkit.dumps({"orders": self._orders, "robots": robots})

    def close(self) -> None:
        """Finish the run file and let everything go."""
        if self._writer is not None:
            self._writer.write(self._world.take_journal())
            self._writer.close(RunSummary(end=self.simulation.now, robots=len(self.units)))
        for forecast in (self._forecast, self._wide_forecast):
            if forecast is not None:
                forecast.close()
        self.simulation.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def legs_of(
    steps: Iterable[Step], calibration: Calibration, *, steering: float = 0.0, speed: float = 0.0
) -> list[Leg]:
    """Return the legs of a list of steps, for a robot whose wheel and motor are so now."""
    legs: list[Leg] = []
    for step in steps:
        match step:
            case Aim(angle):
                steering = calibration.angle_of(calibration.servo_byte(angle))
            case StopMotor():
                speed = 0.0
            case Go(way) if isinf(way):
                speed = step.speed_on(calibration)
            case Go(way):
                legs.append(leg(way, step.speed_on(calibration), steering, calibration.wheelbase))
                speed = 0.0
            case Wait(seconds):
                legs.append(leg(speed * seconds, speed, steering, calibration.wheelbase, rest=seconds))
            case ReadStep():
                pass
    if speed:
        legs.append(leg(copysign(inf, speed), speed, steering, calibration.wheelbase))
    return legs


def leg(way: float, speed: float, steering: float, wheelbase: float, *, rest: float = 0.0) -> Leg:
    """Return the leg of a way of the front wheel at its speed; without a speed the robot rests so long."""
    if speed == 0.0:
        return Leg.rest(rest)
    if steering == 0.0:
        return Leg.forward(way, abs(speed))
    angle = arc_angle(way, steering, wheelbase)
    return Leg.arc(radius_of(steering, wheelbase), angle, abs(speed) * cos(steering))


DUE = 1.0
"""Seconds around the instant of a contact in which it may come: some centimetres at the speed of a robot."""


@dataclass
class StandingWarning:
    """A warning that holds: as it was told last, and when the contact is due."""

    told: Danger
    due: float


class WarningWatch:
    """Tells pairs that will touch within a horizon, once each, and when they no longer will."""

    def __init__(self, horizon: float) -> None:
        self._horizon = horizon
        self._standing: dict[frozenset[str], StandingWarning] = {}

    def take(
        self,
        now: float,
        dangers: Iterable[Danger],
        touching: Collection[str],
        may_come: Callable[[Danger], bool],
    ) -> tuple[list[Danger], list[Danger]]:
        """Take the contacts to come, as far as one can look; return what to warn of, and what will no longer happen.

        `touching` are robots that feel something, and `may_come` tells of a pair whether it is in contact by where its two
        are believed to be, or nearly comes to that.
        """
        found = {
            pair: self._named(pair, one) for one in dangers if (pair := frozenset((one.robot, one.other)))
        }
        warned = [one for pair, one in found.items() if self._is_news(pair, one)]
        for pair, one in found.items():
            if one in warned:
                self._standing[pair] = StandingWarning(one, now + one.seconds)
            elif pair in self._standing:
                self._standing[pair].due = now + one.seconds
        cleared = []
        for pair in [pair for pair in self._standing if pair not in found]:
            standing = self._standing[pair]
            is_due = abs(standing.due - now) <= DUE
            if is_due and not pair.isdisjoint(touching):
                del self._standing[pair]  # it has come
            elif not is_due and not may_come(standing.told):
                cleared.append(self._standing.pop(pair).told)
        return warned, cleared

    def _named(self, pair: frozenset[str], danger: Danger) -> Danger:
        """Return a contact with its two named as they were in the warning before."""
        before = self._standing.get(pair)
        return danger if before is None else replace(danger, robot=before.told.robot, other=before.told.other)

    def _is_news(self, pair: frozenset[str], danger: Danger) -> bool:
        """Tell whether a contact is to be told: for the first time, or with a second less."""
        before = self._standing.get(pair)
        if before is None:
            return danger.seconds <= self._horizon
        return int(danger.seconds) < int(before.told.seconds)
