"""What is done to a stage by whoever gets the chance, and things that do it: drives, waits, values that go."""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Callable, Generator
from typing import Any

from kumi import Signal, now, sleep
from kumi._core import current_task
from kumi.devs import Coupled, Cut, Program, Simulation
from kumi.geometry import Disc, Ellipse, Polygon
from kumi.motion import Leg
from kumi.robot import Robot, Team
from kumi.stage import Stage
from kumi.world import Wall, World

SHAPES: list[Any] = [
    Disc(0.2),
    Disc(0.05),
    Ellipse(0.5, 0.2),
    Polygon([(0.2, 0.0), (-0.1, 0.2), (-0.1, -0.2)]),
]


class Wavy:
    """Answers every command with a pattern, which may break."""

    def __init__(self, script: Meddler) -> None:
        self.script = script

    def plan(self, command: object, body: Any, /) -> Any:
        """Give a wave that may end in an error."""
        (x, y), heading, breaks = body.position, body.heading, self.script.rng.random() < 0.3

        def pose(clock: float) -> tuple[float, float, float]:
            if breaks and clock > 0.5:
                raise ValueError("meant")
            self.script.seldom()
            return x + 0.4 * clock, y, heading

        return Leg.pattern(pose, 3.0, 0.8, 0.0)


class Half:
    """Begins a wait and does not end it."""

    def __init__(self, wait: Any, script: Meddler) -> None:
        self.wait = wait
        self.script = script

    def __await__(self) -> Generator[Any, None, None]:
        self.script.kept.append(self.wait)
        yield from [next(iter(self.wait.__await__()))] * self.script.rng.choice([1, 1, 1, 2])


class Goer:
    """A value, or anything else, that acts when it goes."""

    def __init__(self, script: Meddler) -> None:
        self.script = script
        self.itself = self if script.rng.random() < 0.5 else None

    def __del__(self) -> None:
        self.script.act()


class Passing(Program):
    """A model with ports, whose program sends values that act when they go."""

    def __init__(self, name: str, script: Meddler) -> None:
        super().__init__(name)
        self.script = script
        self.into = self.add_input("into", object)
        self.out = self.add_output("out", object)

    async def main(self) -> None:
        """Send, and look at what comes."""
        for _ in range(self.script.rng.randrange(1, 6)):
            self.out.send(Goer(self.script))
            self.script.kept.append([*self.into])
            await sleep(self.script.rng.choice([0.0, 0.5]))


class Meddler:
    """A stage, and deeds that a script chooses from; a deed may raise what it likes."""

    rng: random.Random
    stage: Stage
    world: World
    signals: list[Signal[Any]]
    teams: list[Team]
    kept: list[Any]
    acts: int

    def act(self) -> None:
        """Do something to somebody."""
        raise NotImplementedError

    def seldom(self) -> None:
        """Act now and then."""
        if self.rng.random() < 0.15:
            self.act()

    def robot(self) -> Robot:
        """Give some robot."""
        return self.rng.choice(self.stage.robots)

    def body(self) -> Any:
        """Give the body of some robot."""
        return self.robot()._body

    def another(self) -> Any:
        """Make another script of the same kind."""
        raise NotImplementedError

    def live(self, robot: Robot) -> Any:
        """Give a robot's program."""
        raise NotImplementedError

    def add(self, x: float, y: float) -> None:
        """Add a robot."""
        raise NotImplementedError

    def deeds(self) -> list[Callable[[], None]]:
        """Give all deeds."""
        return [deed.__get__(self) for name, deed in vars(Meddler).items() if name.startswith("do_")]

    def do_collect(self) -> None:
        gc.collect()

    def do_drop(self) -> None:
        self.kept.clear()

    def do_fire(self) -> None:
        self.rng.choice(self.signals).fire(Goer(self))

    def do_stop(self) -> None:
        self.body().stop()

    def do_remove(self) -> None:
        self.body().remove()

    def do_take_from_stage(self) -> None:
        self.stage.remove(self.robot())

    def do_grow_a_team(self) -> None:
        self.stage.add_to_team(self.rng.choice(self.teams), 1, at=[(self.rng.uniform(1, 9), 9.0)])

    def do_put(self) -> None:
        self.body().put(self.rng.uniform(0, 10), self.rng.uniform(0, 10), 0.0)

    def do_reshape(self) -> None:
        self.body().reshape(self.rng.choice(SHAPES).core)

    def do_join(self) -> None:
        self.add(self.rng.uniform(0.5, 9.5), self.rng.uniform(0.5, 9.5))

    def do_close_kept(self) -> None:
        for one in [*self.kept]:
            # Python itself does not survive the closing of a coroutine that is just being unwound.
            if hasattr(one, "close") and not getattr(one, "cr_running", False):
                one.close()

    def do_cut(self) -> None:
        self.rng.choice(self.stage.simulation.tasks).cut()

    def do_cut_myself(self) -> None:
        task = current_task()
        if task is not None:
            task.cut()

    def do_run_inside(self) -> None:
        self.stage.run(self.stage.simulation.now + 1.0)

    def do_run_another(self) -> None:
        other = self.another()
        other.add(1.0, 1.0)
        other.stage.run(0.5)
        self.kept.append(other)

    def do_close(self) -> None:
        self.stage.close()

    def do_close_engine(self) -> None:
        self.stage.simulation._engine.close()

    def do_end(self) -> None:
        self.stage.end()

    def do_build(self) -> None:
        wall = Wall((self.rng.uniform(1, 9), 1.0), (self.rng.uniform(1, 9), 9.0), 0.05, name=f"w{self.acts}")
        self.world.add_obstacle(wall)
        self.kept.append(wall)

    def do_pull_down(self) -> None:
        self.world.remove_obstacle(next(one.name for one in self.kept if isinstance(one, Wall)))

    def do_look(self) -> None:
        robot = self.robot()
        self.kept += [self.world.near(robot.position, 3.0), self.body().command, robot.position, now()]
        self.kept += [task.waits_for for task in self.stage.simulation.tasks]

    def do_stream(self) -> None:
        self.kept += [self.rng.choice(self.signals).stream(keep=2), self.rng.choice(self.signals).next()]

    def do_plan(self) -> None:
        self.kept.append(self.stage.simulation.schedule(self.stage.simulation.now + 0.1, self.act))

    def do_program(self) -> None:
        self.stage.give_program(self.robot(), self.live, lambda _error: None)

    def do_record(self) -> None:
        self.world.keep_journal(self.rng.random() < 0.5)
        self.kept.append(self.world.take_journal())

    def do_thread(self) -> None:
        worker = threading.Thread(target=self.act)
        worker.start()
        worker.join()

    def do_fail(self) -> None:
        raise RuntimeError("meant")

    def do_interrupt(self) -> None:
        raise Cut

    def do_pass_on(self) -> None:
        """Run models whose values act when they go."""
        pair = Coupled("pair")
        one, two = pair.add(Passing("one", self)), pair.add(Passing("two", self))
        pair.couple(one.out, two.into)
        pair.couple(two.out, one.into)
        simulation = Simulation(pair)
        self.kept.append(simulation)
        simulation.run(3.0)
