"""Stages, robots, teams, sensors, signals, scopes, tasks, programs and motions, ended at any moment in any way.

A script puts robots and a team on a stage and lets their programs, their listeners and what goes away do what they like to each
other: drop, close, collect, cut, raise, remove, begin a run inside a run, drive an awaitable by hand and leave it. The
stage is closed or left as it is; the process ends with all that is left over.

    python -m tests.safety.fuzz_lifetimes FIRST COUNT
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from kumi import Signal, after, sleep, together, unless, until
from kumi.devs import Cut
from kumi.geometry import Circle
from kumi.motion import Car, Drive, Omni, Wheel
from kumi.network import Constant, Loss
from kumi.robot import Robot, Team
from kumi.stage import Stage
from kumi.world import Hole, Map, Pillar, Slow, Wall, World
from tests.safety.batches import main
from tests.safety.meddling import SHAPES, Half, Meddler, Wavy
from tests.safety.using import lead, sensors_of, use_robot, use_sensor

DEEPEST = 3
ENDS = ["close", "close", "leave", "collect", "twice"]


class Script(Meddler):
    """A stage, and what is done to it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        terrain = (Slow(Circle((6.0, 3.0), 1.0), 0.3), Hole(Circle((9.0, 1.0), 0.3)))
        obstacles = (Wall((3.0, 3.0), (3.0, 7.0), 0.1), Pillar((7.0, 7.0), 0.5))
        around = Map(10.0, 10.0, obstacles=obstacles, terrain=terrain) if rng.random() < 0.8 else Map()
        policies: list[Any] = ["stop", "stop", "slide", "pass", self.decide]
        self.world = World(around, on_contact=rng.choice(policies))
        self.stage = Stage(self.world, seed=rng.randrange(100), on_error=rng.choice(["robot", "run"]))
        if rng.random() < 0.5:
            self.stage.connect(Constant(0.1), Loss(0.1))
        self.signals: list[Signal[Any]] = [Signal("a"), Signal("b"), Signal("c", once=True)]
        self.teams: list[Team] = []
        self.kept: list[Any] = []
        self.acts = 0
        self.is_acting = 0

    def another(self) -> Script:
        """Make another stage, with the same chance."""
        return Script(self.rng)

    def play(self) -> None:
        """Furnish the stage, run it, end it."""
        for number in range(self.rng.choice([1, 2, 3, 4, 6, 9, 26])):
            self.add(1.0 + number % 6 * 1.4, 0.7 + number // 6 * 1.4)
        if self.rng.random() < 0.4:
            self.quietly(self.add_team)
        for _ in range(self.rng.randrange(1, 4)):
            self.quietly(lambda: self.stage.run(self.stage.simulation.now + self.rng.choice([0.5, 2.0, 5.0])))
            self.act()
        match self.rng.choice(ENDS):
            case "close":
                self.quietly(self.stage.close)
            case "twice":
                self.quietly(self.stage.close)
                self.quietly(self.stage.close)
                self.quietly(lambda: self.stage.run(5.0))
            case "collect":
                del self.stage, self.world
                self.kept.clear()
                gc.collect()

    def add(self, x: float, y: float) -> None:
        """Add a robot with any drive, shape and sensors."""
        sensors = sensors_of(self, 0.2)
        drives: list[Any] = [Omni(), Omni(), Wheel(), Wheel(acceleration=2.0), Car(0.3), Wavy(self)]
        drive = self.rng.choice(drives)
        shape = self.rng.choice(SHAPES)
        self.quietly(lambda: self.stage.add(self.live, at=(x, y), drive=drive, shape=shape, sensors=sensors))

    def add_team(self) -> None:
        """Add a team of robots that are led by one program."""
        places = [(9.3, 3.0), (9.3, 4.2), (9.3, 5.4)]
        drives: list[Drive] = [Wheel(), Omni(), Wheel(acceleration=2.0)]
        team = self.stage.add_team(
            lead, 3, self, at=places, drive=self.rng.choice(drives), sensors=sensors_of(self, 0.2)
        )
        self.teams.append(team)

    def quietly(self, action: Callable[[], Any]) -> Any:
        """Do something, whatever it raises, unless it is what no code may raise."""
        try:
            return action()
        except SystemError:
            raise
        except (Exception, Cut):  # noqa: BLE001
            return None

    def decide(self, *_: Any) -> str:
        """Say what a contact does."""
        self.seldom()
        return self.rng.choice(["stop", "slide", "pass", "nonsense"])

    def listen(self, *_: Any) -> None:
        """Hear of something: handle an error, act, or fail."""
        with suppress(KeyError):
            raise KeyError("meant")
        self.seldom()
        if self.rng.random() < 0.02:
            raise ValueError("meant")

    async def live(self, robot: Robot) -> None:
        """Do one thing after the other, as any robot's program."""
        body: Any = robot._body
        for listen in (body.on_motion, body.on_contact, body.on_gone):
            if self.rng.random() < 0.4:
                listen(self.listen)
        for _ in range(self.rng.randrange(2, 12)):
            try:
                await self.step(robot, 0)
            except SystemError:
                raise
            except Exception:
                if self.rng.random() < 0.1:
                    raise
            self.seldom()

    async def step(self, robot: Robot, depth: int) -> None:
        """Wait for something, perhaps in a block that is ended from outside."""
        x, y = self.rng.uniform(0.3, 9.7), self.rng.uniform(0.3, 9.7)
        chosen = self.rng.random()
        if chosen < 0.1:
            await robot.move_to((x, y))
        elif chosen < 0.2:
            await use_robot(self, robot)
        elif chosen < 0.3:
            await use_sensor(self, robot)
        elif chosen < 0.4:
            await sleep(self.rng.choice([0.0, 0.1, 1.0]))
        elif chosen < 0.5:
            with self.rng.choice([until, unless])(after(self.rng.random())):
                await robot.move_to((x, y))
        elif chosen < 0.6:
            waits = [sleep(0.3), robot.move_to((x, y)), self.rng.choice(self.signals).next()]
            await Half(self.rng.choice(waits), self)
        else:
            await self.step_aside(robot, depth, chosen)

    async def step_aside(self, robot: Robot, depth: int, chosen: float) -> None:
        """Wait for what is less common: in blocks, with tasks, by hand."""
        if chosen < 0.68 and depth < DEEPEST:
            with self.rng.choice([until, unless])(self.rng.choice(self.signals) | after(1.0)):
                await self.step(robot, depth + 1)
        elif chosen < 0.78 and depth < DEEPEST:
            async with together() as tasks:
                for _ in range(self.rng.randrange(1, 4)):
                    self.kept.append(tasks.start(self.step, self.robot(), depth + 1))
                self.seldom()
        elif chosen < 0.84:
            with until(after(1.0)):
                async for _ in self.rng.choice(self.signals):
                    self.seldom()
        elif chosen < 0.9:
            waiting: Any = self.robot().move_to((1.0, 1.0))
            if self.rng.random() < 0.5:
                waiting = self.step(robot, DEEPEST)
            with suppress(StopIteration):
                self.kept.append(waiting)
                waiting.__await__().send(None)
            self.act()
        else:
            self.act()
            await sleep(0.05)

    def act(self) -> None:
        """Do something to somebody."""
        self.acts += 1
        if self.acts > 300 or self.is_acting > 2:
            return
        self.is_acting += 1
        try:
            self.quietly(self.rng.choice(self.deeds()))
        finally:
            self.is_acting -= 1


def script(seed: int) -> None:
    """Play one script; some of them with the collector at work all the time."""
    rng = random.Random(seed)
    thresholds = gc.get_threshold()
    if rng.random() < 0.3:
        gc.set_threshold(20, 2, 2)
    try:
        Script(rng).play()
    finally:
        gc.set_threshold(*thresholds)


if __name__ == "__main__":
    main(script)
