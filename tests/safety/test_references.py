"""Each kind of work, done again and again, leaves nothing behind: no object, no reference, no memory.

`make test-debug` runs it alone. A Python built for debugging counts all references, too.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from kumi import Signal, _core, after, run, sleep, together, unless, until
from kumi.contract import BadGoal, Blocked, Busy, CannotDo
from kumi.devs import Atomic, Coupled, Interrupted, Simulation
from kumi.geometry import Circle
from kumi.motion import Car, Leg, Omni, Wheel
from kumi.planning import Grid
from kumi.robot import Robot
from kumi.sensing import Battery, Bumper, ProximityAlarm, Whisker
from kumi.stage import Stage
from kumi.world import Hole, Map, Pillar, Slow, Wall, World
from tests.golden.runs import distributed, scenes, stones
from tests.memory import IS_SANITIZED

ROUNDS = 8  # counted, after some that fill caches
WARM_UP = 8
SPARES = 512  # points, sleeps and motions that the core keeps to use again


class Ping(Atomic):
    """Sends each value on, a little later."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.into = self.add_input("into", object)
        self.out = self.add_output("out", object)
        self.hold(1.0)

    def output(self) -> None:
        """Send."""
        self.out.send([self.name])

    def internal(self) -> None:
        """Go on."""
        self.hold(1.0)

    def external(self) -> None:
        """Hear."""
        self.hold(0.5 + len([*self.into]))


def models() -> None:
    """Run models that send to each other, with structure that changes."""
    pair = Coupled("pair")
    one, two = pair.add(Ping("one")), pair.add(Ping("two"))
    pair.couple(one.out, two.into)
    pair.couple(two.out, one.into)
    heard: list[Any] = []
    one.out.watch(lambda time, value: heard.append((time, value)))
    with Simulation(pair, seed=3) as simulation:
        simulation.run(20.0)
        third = pair.add(Ping("three"))
        pair.couple(one.out, third.into)
        simulation.run(30.0)
        pair.remove(third)
        simulation.run(40.0)


async def listen(signal: Signal[int]) -> int:
    """Read some events."""
    total = 0
    with until(after(5.0)):
        async for event in signal:
            total += event
    return total


async def rest() -> None:
    """Sleep for long."""
    await sleep(100.0)


async def busy() -> None:
    """Use everything that waits."""
    signal = Signal[int]("bell")
    async with together() as tasks:
        tasks.start(listen, signal)
        for number in range(5):
            await sleep(0.5)
            signal.fire(number)
        with suppress(Interrupted), unless(signal | after(0.1)):
            await signal.next()
        doomed = tasks.start(rest)
        await sleep(0.1)
        doomed.cut()


def programs() -> None:
    """Run a program with tasks, signals and scopes."""
    run(busy)


def failures() -> None:
    """Let programs fail."""

    async def fail() -> None:
        await sleep(1.0)
        raise ValueError("meant")

    with suppress(ValueError):
        run(fail)


async def wander(robot: Robot) -> None:
    """Go about, blocked and cut short."""
    for _ in range(6):
        goal = robot.chance.uniform(0.5, 9.5), robot.chance.uniform(0.5, 9.5)
        with suppress(BadGoal, Blocked, Busy, CannotDo), until(after(2.0)):
            await robot.move_to(goal)


class Wave:
    """A drive of a user's own."""

    def plan(self, command: object, body: Any, /) -> Leg:
        """Give a pattern."""
        x, y = body.position
        return Leg.pattern(lambda clock: (x + 0.1 * clock, y, 0.0), 2.0, 0.5, 0.0)


DRIVES: list[Any] = [Omni(), Wheel(), Wheel(acceleration=2.0), Car(0.3), Wave()]


def hall(*, closes: bool) -> None:
    """Run robots of all kinds in a hall."""
    terrain = (Slow(Circle((6.0, 3.0), 1.0), 0.3), Hole(Circle((9.0, 1.0), 0.3)))
    obstacles = (Wall((3.0, 3.0), (3.0, 7.0), 0.1), Pillar((7.0, 7.0), 0.5))
    stage = Stage(World(Map(10.0, 10.0, obstacles=obstacles, terrain=terrain)), seed=1)
    for number, drive in enumerate(DRIVES * 3):
        sensors: dict[str, Any] = {
            "feeler": Whisker(),
            "battery": Battery(),
            "bumper": Bumper(),
            "near": ProximityAlarm(1.0),
        }
        stage.add(wander, at=(1.0 + number % 5 * 1.9, 0.8 + number // 5), drive=drive, sensors=sensors)
    stage.run(15.0)
    body: Any = stage.robots[0]._body
    body.remove()
    if closes:
        stage.close()


def searches() -> None:
    """Search on grids."""
    blocked = np.zeros((40, 40), bool)
    blocked[20, :30] = True
    grid = Grid(blocked)
    grid._core.path(1, 1, 38, 2, 8)
    grid._core.any_angle(1, 1, 38, 2)
    grid._core.squared_distances()
    grid._core.inflated(1.5, True)
    _core.cost_path(np.ones((20, 20)), 0, 0, 19, 19, 8, 1.0, 1.0)
    search = _core.MapfSearch(blocked.astype(np.uint8), np.array([0, 5]), np.array([5, 0]), 1, 1 << 24)
    search.advance(1.0, 20)
    search.paths()


def refusals() -> None:
    """Ask for what is refused."""
    plane: Any = _core.Plane("plane", (0.0, 0.0, 10.0, 10.0))
    body: Any = _core.PlaneBody(plane, "body", _core.Shape.disc(0.1), 1.0, 1.0, 0.0)
    core: Any = _core
    acts: list[Callable[[], Any]] = [
        lambda: plane.add_pillar((0.0, 0.0), -1.0, 2),
        lambda: plane.hits((0.0, 0.0), 0.0, 0.0, -1, 1.0, None),
        lambda: body.walk(1.0, 0.0, 0.0, 0.0, 1.0, 1.0, bytes(32)),
        lambda: body.start(5),
        lambda: body.open_watch(1.0, 1.0, 1.0, 5),
        lambda: core.Leg.arc(0.0, 1.0, 1.0),
        lambda: core.Point("a", 1.0),
        lambda: core.Atomic("x.y"),
        lambda: plane.set_policy("nonsense"),
        lambda: Signal("a").stream(keep=0),
    ]
    for act in acts:
        with suppress(Exception):
            act()


LONG = {"scene planned.between_headings", "scene mapped.team"}
"""What other scenes do, too, again and again."""

WORK: dict[str, Callable[[], object]] = {
    "models": models,
    "programs": programs,
    "failures": failures,
    "a hall that is closed": lambda: hall(closes=True),
    "a hall that is left": lambda: hall(closes=False),
    "searches": searches,
    "refusals": refusals,
}
if not IS_SANITIZED:  # there goldens are run by themselves, and counting them would take many times as long
    WORK |= {one.name: one.run for one in (*stones(), *distributed(), *scenes()) if one.name not in LONG}


class Used(ctypes.Structure):
    """What the C library says of its memory: `in_use` is what was asked for and not given back."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ["arena", "ordblks", "smblks", "hblks", "mapped", "usm", "fsm", "in_use", "free", "keep"]
    ]


def memory() -> int:
    """Return the bytes that C++ holds."""
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = Used
    used = ask()
    return int(used.in_use + used.mapped)


def counts() -> tuple[Counter[str], int, int]:
    """Count live objects by class, blocks of memory, and references where Python counts them."""
    gc.collect()
    live = Counter(type(one).__name__ for one in gc.get_objects())
    total = getattr(sys, "gettotalrefcount", lambda: 0)()
    return live, sys.getallocatedblocks(), total


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_work_leaves_nothing_behind(name: str) -> None:
    for _ in range(WARM_UP):
        WORK[name]()
        counts()  # which has caches, too
    before = counts()
    for _ in range(ROUNDS):
        WORK[name]()
    after_all = counts()

    assert {kind: count for kind, count in (after_all[0] - before[0]).items() if count > ROUNDS} == {}
    assert after_all[1] - before[1] < SPARES
    assert after_all[2] - before[2] < 4 * SPARES


@pytest.mark.slow
@pytest.mark.skipif(IS_SANITIZED, reason="the address sanitizer keeps freed memory")
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="this C library does not count")
@pytest.mark.parametrize("name", WORK)
def test_work_gives_memory_back(name: str) -> None:
    """Also what C++ asked for, which is not among Python's objects."""
    for _ in range(WARM_UP):
        WORK[name]()
        gc.collect()
    before = memory()
    for _ in range(ROUNDS):
        WORK[name]()
        gc.collect()

    assert memory() - before < 2048 * ROUNDS


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Point", "Signal", "Task", "PlaneBody", "Plane", "Engine", "Atomic"])
def test_classes_of_the_core_are_held_by_their_objects_alone(kind: str) -> None:
    """A class that is held once more for each object that was made would count without end."""
    held = getattr(_core, kind)
    hall(closes=True)
    gc.collect()
    before = sys.getrefcount(held)
    for _ in range(3):
        hall(closes=True)
        gc.collect()

    assert sys.getrefcount(held) - before < 3
