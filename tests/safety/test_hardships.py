"""Threads, forks, limits of memory, deep recursion, pickle and copies: each is answered with an error, not a crash."""

from __future__ import annotations

import copy
import pickle
from math import inf
from typing import Any

import pytest

from kumi import Signal, _core
from kumi.contract import Blocked
from kumi.devs import Simulation
from tests.memory import IS_SANITIZED
from tests.safety.test_crashes import said

MEMORY = """
import resource
import struct
import sys
from itertools import count
from kumi import run, sleep, Signal
from kumi._core import CellGrid, Engine, Plane, PlaneBody, Shape
import kumi.contract, kumi.world, numpy

with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
limit = used + {room} * 1024 * 1024
most = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (limit, most))
kept = []

def walkers():
    plane = Plane("plane", (0.0, 0.0, 1e4, 1e4))
    kept.append(plane)
    plane.add_walkers(struct.pack("2d", 5.0, 5.0) * 2_000_000, 0.1, 0.5, 1.0, 1)

def rays():
    plane = Plane("plane", None)
    directions = numpy.linspace(0.0, 6.0, 1_000_000)
    while True:
        kept.append(plane.echoes((0.0, 0.0), directions, 1.0, None, True, 1, 1))

def bodies():
    plane = Plane("plane", None)
    kept.append(plane)
    for number in count():
        PlaneBody(plane, "body", Shape.disc(0.1), float(number), 0.0, 0.0)

def tasks():
    engine = Engine(False)
    kept.append(engine)
    async def program():
        await sleep(1.0)
    while True:
        engine.start(program(), "task", None, None)

def events():
    signal = Signal("bell")
    stream = signal.stream(keep=1 << 60)
    kept.append(stream)
    while True:
        signal.fire(bytes(1000))

def grid():
    kept.append(CellGrid(numpy.zeros((9000, 9000), bool)))
    while True:
        kept.append(kept[0].squared_distances())

for act in (walkers, rays, bodies, tasks, events, grid):
    try:
        act()
        print("done")
    except MemoryError:
        kept.clear()
        print("refused")
async def rest():
    await sleep(1.0)

resource.setrlimit(resource.RLIMIT_AS, (most, most))
run(rest)
print("over")
"""

FORK = """
import os
from kumi import sleep
from kumi.devs import Simulation

simulation = Simulation()
statuses = []

async def program():
    await sleep(1.0)
    child = os.fork()
    if child:
        statuses.append(os.waitpid(child, 0)[1])
    await sleep(1.0)

simulation.start(program)
simulation.run()
simulation.close()
if not statuses:
    os._exit(0)
print("child ended with", statuses[0])
"""

THREADS = """
import threading
from kumi import Signal, sleep
from kumi.stage import Stage
from kumi.devs import KumiError
from kumi.motion import Leg, Omni
from kumi.world import Map, World

class Wavy:
    def plan(self, command, body, /):
        x, y = body.position
        return Leg.pattern(lambda t: (x + 0.1 * t, y, 0.0), 3.0, 0.5, 0.0)

async def wander(robot):
    while True:
        try:
            await robot.move_to((robot.chance.uniform(0.5, 9.5), robot.chance.uniform(0.5, 9.5)))
        except KumiError:
            await sleep(0.01)

stage = Stage(World(Map(10.0, 10.0)), seed=1)
for number in range(20):
    stage.add(wander, at=(0.5 + number % 10, 0.5 + number // 10), drive=Wavy() if number % 4 == 0 else Omni())
is_over = False

def meddle():
    while not is_over:
        for robot in list(stage.robots):
            for act in (
                lambda: robot.position,
                lambda: robot._body.stop(),
                lambda: robot._body.put(5.0, 5.0, 0.0),
                lambda: stage.world.near((5.0, 5.0), 3.0),
                lambda: stage.simulation.run(1.0),
                lambda: stage.simulation._engine.close(),
                lambda: stage.world.add_body((5.0, 5.0)).remove(),
                lambda: stage.simulation.schedule(stage.simulation.now + 1.0, print),
            ):
                try:
                    act()
                except (KumiError, RuntimeError, ValueError, TypeError):
                    pass

threads = [threading.Thread(target=meddle) for _ in range(3)]
for thread in threads:
    thread.start()
try:
    stage.run(3.0)
except Exception as error:
    print(type(error).__name__)
is_over = True
for thread in threads:
    thread.join()
print("over")
"""

DEPTH = """
import sys
from kumi import Signal, run, sleep
from kumi.devs import Atomic
from kumi.devs import Coupled, Simulation
from kumi._core import TraceDigest, make_input, wire, Engine

nested = []
for _ in range(100_000):
    nested = [nested]
TraceDigest().put("n", 0.0, "a", nested)

model = inner = Coupled("m")
for _ in range(5000):
    inner = inner.add(Coupled("m"))
inner.path

ports = [make_input(model, f"p{number}", object) for number in range(50_000)]
for one, two in zip(ports, ports[1:]):
    wire(one, two)
Engine(False).prepare(ports[:1])
del ports, one, two

union = Signal("a")
for _ in range(5000):
    union = union | Signal("b")
repr(union)

async def deep(depth):
    if depth:
        await deep(depth - 1)
    else:
        await sleep(1.0)

try:
    run(deep, 10_000)
except RecursionError as error:
    print("refused:", type(error).__name__)

class Endless:
    @property
    def parent(self):
        return Endless()
    name = "endless"

lonely = Atomic("lonely")
lonely.parent = Endless()
try:
    lonely.path
except Exception as error:
    print("refused:", type(error).__name__)
print("over")
"""


@pytest.mark.slow
@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer takes all addresses there are")
@pytest.mark.parametrize("room", [30, 90])
def test_too_little_memory_is_an_error(room: int) -> None:
    """At whatever place it runs out; when there is memory again all goes on."""
    lines = said(MEMORY.format(room=room))

    assert lines[1:4] == ["refused"] * 3
    assert lines[-1] == "over"


def test_a_forked_process_goes_on_as_the_first_does() -> None:
    assert said(FORK) == ["child ended with 0"]


def test_other_threads_may_meddle_with_a_run() -> None:
    """They are refused or served."""
    assert said(THREADS)[-1] == "over"


@pytest.mark.slow
def test_there_is_no_depth_that_ends_the_interpreter() -> None:
    assert said(DEPTH) == ["refused: RecursionError", "refused: StructureError", "over"]


def objects() -> dict[str, Any]:
    """Return one object of each class of the core that can be had without a run."""
    plane = _core.Plane("plane", (0.0, 0.0, 10.0, 10.0))
    engine = _core.Engine(False)
    model = _core.Atomic("model")
    body = _core.PlaneBody(plane, "body", _core.Shape.disc(0.1), 1.0, 1.0, 0.0)
    leg = _core.Leg.forward(1.0, 1.0)
    things = [
        plane,
        engine,
        model,
        body,
        leg,
        model.add_input("into", object),
        model.add_output("out", object),
        Signal("bell"),
        Signal("bell").stream(),
        _core.until(Signal("bell")),
        engine.schedule(1.0, print),
        _core.Piece.of(leg, (0.0, 0.0), 0.0),
        _core.Shape.disc(0.1),
        _core.TraceDigest(),
        _core.Chance(bytes(range(32))),
        _core.sleep(1.0),
    ]
    return {type(thing).__name__: thing for thing in things}


@pytest.mark.parametrize("name", sorted(objects()))
@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_lives_in_a_run_is_neither_stored_nor_copied(name: str, act: Any) -> None:
    """It is told in an error."""
    with pytest.raises(TypeError):
        act(objects()[name])


@pytest.mark.parametrize("act", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])  # noqa: S301
def test_plain_values_are_stored_and_copied(act: Any) -> None:
    point = _core.Point(1.0, inf)
    blocked = act(Blocked(point, "wall", 0.5, None))

    assert act(point) == point
    assert (blocked.at, blocked.by, blocked.bearing, blocked.number) == (point, "wall", 0.5, None)


def test_a_model_that_was_not_begun_by_its_class_is_refused() -> None:
    """An object that was made without its __init__ says so."""
    with pytest.raises(TypeError, match="did not call"):
        _core.Plane.__new__(_core.Plane).near_bodies((0.0, 0.0), 1.0)
    with pytest.raises(TypeError, match="on no plane"):
        _core.PlaneBody.__new__(_core.PlaneBody).stop()
    with pytest.raises(Exception, match="did not call"), Simulation(_core.Atomic.__new__(_core.Atomic)):
        pass
