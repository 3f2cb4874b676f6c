"""Whatever is called from within what: nothing crashes, and the world stays in order."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from math import pi
from pathlib import Path
from typing import Any

import pytest

from kumi import KumiError, now
from kumi.contract import Command
from kumi.devs import Simulation
from kumi.geometry import Disc, Point
from kumi.motion import Leg, Moving, Wheel
from kumi.robot import Robot
from kumi.world import SimulatedBody, World
from tests.waiting import PATIENCE

ROOT = Path(__file__).parent.parent.parent
MANY = 300


def empty(world: World) -> None:
    """Remove every body."""
    for body in world.bodies:
        body.remove()


def keep(world: World) -> None:
    """Keep a journal and take it."""
    world.keep_journal(True)
    assert world.take_journal() + world.snapshot() != b"-"


def acts(world: World, body: SimulatedBody) -> dict[str, Callable[[], object]]:
    """Return all that can be done to a world and a body in it."""
    numbers = count()
    return {
        "stop": body.stop,
        "remove": body.remove,
        "teleport": lambda: body.teleport((50.0 + next(numbers), 50.0)),
        "add": lambda: [world.add_body((100.0 + next(numbers), -20.0)) for _ in range(20)],
        "resize": lambda: body.resize(Disc(0.05)),
        "start": lambda: body.start(Leg.forward(1.0, 1.0)),
        "watch": lambda: body.watch(3.0, lambda *_: None),
        "ask": lambda: (body.position, body.velocity, body.odometer, body.turned, body.turn_rate),
        "hit": lambda: world.first_hit((0.0, 0.5), 0.1, 100.0),
        "near": lambda: world.near((0.0, 0.0), 100.0),
        "gap": world.least_gap,
        "remove all": partial(empty, world),
        "journal": partial(keep, world),
        "policy": lambda: world.set_policy("slide"),
        "collect": lambda: gc.collect(0),
        "fail": lambda: int("x"),
    }


NAMES = list(acts(World(), World().add_body((0.0, 0.0))))


class Hooked:
    """Two robots that drive at each other, five that pass by, and somebody who is called on the way."""

    def __init__(self, where: str, act: str, whom: int) -> None:
        self.calls = 0
        self.log: list[tuple[float, int, str]] = []
        self.world = World(on_contact=self.decide if where == "policy" else "stop")
        bodies = [
            self.world.add_body((x, 0.0), heading=0.0 if x < 0 else pi, drive=Wheel()) for x in (-3.0, 3.0)
        ] + [self.world.add_body((0.0, 3.0 + k), drive=Wheel()) for k in range(5)]
        self.bodies = bodies
        self.act = acts(self.world, bodies[whom])[act]
        if where in {"plan", "pattern"}:
            for body in bodies[:2]:
                body.drive = self
        if where == "watch":
            for body in bodies[:2]:
                body.watch(1.0, self.call)
        self.where = where

    def call(self, *_: object) -> None:
        self.calls += 1
        if self.calls < MANY:
            self.act()

    def decide(self, body: SimulatedBody, contact: object) -> Any:
        self.call()
        return "stop"

    def plan(self, command: Command, body: Moving, /) -> Leg:
        """Give a leg, or a pattern that calls."""
        x, y = body.position
        if self.where == "plan":
            self.call()
            return Leg.forward(10.0, 1.0)

        def pose(time: float) -> tuple[float, float, float]:
            self.call()
            return (x + time if x < 0.0 else x - time), y, 0.0

        return Leg.pattern(pose, 10.0, 1.0, 0.0)

    async def drive(self, body: SimulatedBody, distance: float, speed: float) -> None:
        try:
            await Robot(body).forward(distance, speed)
            self.log.append((now(), body.number, "arrived"))
        except Exception as error:  # noqa: BLE001  # whatever comes of it
            self.log.append((now(), body.number, type(error).__name__))

    async def listen(self, signal: Any) -> None:
        async for _ in signal.stream():
            self.call()

    def run(self) -> None:
        """Run it to the end, whatever comes out."""
        simulation = Simulation(self.world)
        for body in self.bodies:
            first = body in self.bodies[:2]
            simulation.start(self.drive, body, 10.0 if first else 20.0, 1.0 if first else 0.3)
        for body in self.bodies[:2]:
            if self.where == "contacts":
                simulation.start(self.listen, body.contacts)
            elif self.where == "on_contact":
                body.on_contact(lambda _: self.call())
            elif self.where == "on_motion":
                body.on_motion(self.call)
        try:
            simulation.run(100.0)
        finally:
            with suppress(Exception):
                simulation.close()


@pytest.mark.parametrize("act", NAMES)
@pytest.mark.parametrize("where", ["policy", "plan", "watch", "contacts", "on_contact", "on_motion"])
def test_the_world_stays_in_order_whatever_is_done_from_within(where: str, act: str) -> None:
    for whom in (0, 1, 2):
        hooked = Hooked(where, act, whom)
        with suppress(*([ValueError, KumiError, ExceptionGroup] if act in {"fail", "start"} else [])):
            hooked.run()

        assert hooked.calls > 0
        assert hooked.world.least_gap() > -1e-9
        # Nobody waits for ever.
        ended = {number for _, number, _ in hooked.log}
        assert act in {"fail", "start"} or ended == set(range(7)), (where, act, whom, hooked.log)


WITHIN_PATTERNS = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.robot.test_reentrancy import NAMES, Hooked
for act in NAMES:
    for whom in (0, 1, 2):
        print(act, whom, flush=True)
        hooked = Hooked("pattern", act, whom)
        try:
            hooked.run()
        except SystemError as error:
            sys.exit(f"SystemError: {{error}}")
        except Exception as error:
            pass
        if any(name == "SystemError" for _, _, name in hooked.log):
            sys.exit("SystemError in a program")
print("all", flush=True)
"""


def test_a_pattern_that_does_more_than_give_a_pose_does_no_harm() -> None:
    """In a process of its own: a crash would take all tests with it. The last line tells who crashed."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", WITHIN_PATTERNS],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=ROOT,
    )

    assert (done.stdout.splitlines()[-1:], done.stderr[-300:]) == (["all"], "")


# Gone bodies, closed runs, other runs.


def test_a_removed_body_is_no_longer_in_the_world() -> None:
    """Whether it moved, rested, or fell."""
    world = World()
    rests, moves = world.add_body((0.0, 0.0)), world.add_body((0.0, 5.0))
    with Simulation(world) as simulation:
        moves.start(Leg.forward(100.0, 1.0))
        simulation.run(1.0)
        for body in (rests, moves):
            body.remove()
            body.remove()
            assert body.is_gone
        simulation.run(2.0)

        assert (world.bodies, world.count, world.near((0.0, 0.0), 50.0)) == ((), 0, [])
        assert (rests.position, moves.position) == (Point(0.0, 0.0), Point(1.0, 5.0))
        assert world.add_body((0.0, 0.0)).number == 2


def test_a_body_removed_before_the_run_is_gone() -> None:
    world = World()
    world.add_body((0.0, 0.0)).remove()

    assert (world.bodies, world.count) == ((), 0)
    with Simulation(world) as simulation:
        simulation.run(1.0)


def test_a_gone_body_refuses_everything_but_stop_and_remove() -> None:
    world = World()
    body = world.add_body((0.0, 0.0), drive=Wheel())
    with Simulation(world) as simulation:
        simulation.run(1.0)
        body.remove()
        body.stop()
        for act in (
            lambda: body.teleport((1.0, 1.0)),
            lambda: body.resize(Disc(0.3)),
            lambda: body.start(Leg.rest(1.0)),
            lambda: body.watch(1.0, lambda *_: None),
        ):
            with pytest.raises(Exception, match=r"robot 0.* (is gone|is lost)"):
                act()
        simulation.run(5.0)
        assert not body.is_moving


def test_a_body_outlives_its_world() -> None:
    world = World()
    body = world.add_body((1.0, 2.0), drive=Wheel())
    robot = Robot(body)
    with Simulation(world) as simulation:
        body.start(Leg.forward(10.0, 1.0))
        simulation.run(1.0)
    del world, simulation
    gc.collect()

    assert robot.position == Point(2.0, 2.0)
    body.stop()
    body.remove()
    assert body.is_gone


def test_a_world_that_was_in_a_run_stands_still_and_goes_on_in_the_next() -> None:
    """Or it is refused; but its bodies do not jump, nor move for ever."""
    world = World()
    body = world.add_body((0.0, 0.0), drive=Wheel())
    with Simulation(world) as simulation:
        body.start(Leg.forward(10.0, 1.0))
        simulation.run(5.0)
    place = body.position
    assert place == Point(5.0, 0.0)

    try:
        again = Simulation(world)
    except Exception as error:  # noqa: BLE001
        assert "world" in str(error)  # noqa: PT017
        return
    with again:
        assert body.position == place
        again.run(20.0)
        assert not body.is_moving
        assert body.position in {place, Point(10.0, 0.0)}


def test_a_body_without_a_world_says_so() -> None:
    body = SimulatedBody.__new__(SimulatedBody)

    with pytest.raises(TypeError, match="this body is on no plane"):
        _ = body.position
    with pytest.raises(TypeError, match="this body is on no plane"):
        body.stop()
    assert repr(body).startswith("<SimulatedBody")


def test_a_body_on_a_world_that_was_never_made_is_refused() -> None:
    """In a process of its own, as above."""
    code = (
        "from kumi.geometry import Disc, Point, Pose\n"
        "from kumi.world import SimulatedBody, World\n"
        "try:\n"
        "    SimulatedBody(World.__new__(World), 'x', Disc(1), Pose(Point(0, 0), 0.0), None)\n"
        "except TypeError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert (done.returncode, "did not call" in done.stdout) == (0, True)


def test_a_body_moves_in_its_own_run_only() -> None:
    world = World()
    body = world.add_body((0.0, 0.0), drive=Wheel())
    heard: list[str] = []

    async def go() -> None:
        try:
            await Robot(body).forward(1.0)
        except Exception as error:  # noqa: BLE001
            heard.append(str(error))

    with Simulation() as other, Simulation(world):
        other.start(go)
        other.run()
    with Simulation() as other:
        other.start(go)
        other.run()

    assert heard == ["body 'robot 0' is part of another run than the program that moves it"] * 2


def test_a_motion_dropped_while_it_is_awaited_by_hand() -> None:
    """A coroutine that somebody drives himself is no task; awaiting there is refused."""
    world = World()
    robot = Robot(world.add_body((0.0, 0.0), drive=Wheel()))
    with Simulation(world):

        async def go() -> None:
            await robot.forward(1.0)

        coroutine = go()
        with pytest.raises(Exception, match="program"):
            coroutine.send(None)
        coroutine.close()
        assert not robot.is_moving
