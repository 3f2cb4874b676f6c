"""Scripts that ended the interpreter once, by what was wrong; each runs in a process of its own.

Each ends in a sentence on its standard output, or in the last line of a traceback: `test_crashes` says in which.
"""

from __future__ import annotations

SIXTY_ROBOTS = """
from contextlib import suppress
from kumi.contract import Blocked
from kumi.stage import Stage
from kumi.motion import Omni
from kumi.sensing import Battery, Whisker
from kumi.world import Map, World

async def wander(robot):
    for _ in range(50):
        goal = robot.chance.uniform(0.5, 9.5), robot.chance.uniform(0.5, 9.5)
        with suppress(Blocked):
            await robot.move_to(goal)

stage = Stage(World(Map(10.0, 10.0)), seed=1)
for number in range(60):
    sensors = {"feeler": Whisker()} if number % 2 else {"battery": Battery()}
    stage.add(wander, at=(0.5 + number % 10, 0.5 + number // 10), drive=Omni(), sensors=sensors)
stage.run(5.0)
print("over")
"""

CLOSED_INSIDE = """
from contextlib import suppress
from kumi import sleep
from kumi.contract import Blocked
from kumi.stage import Stage
from kumi.devs import Simulation
from kumi.motion import Omni
from kumi.world import World

def listen():
    with suppress(KeyError):
        raise KeyError

async def go(robot):
    with suppress(Blocked):
        await robot.move_to((9.0, 0.0))

async def nothing(robot):
    await sleep(100.0)

async def meddle(robot, other):
    other._body.on_motion(listen)
    coroutine = go(other)
    coroutine.send(None)
    coroutine.close()
    del coroutine
    await sleep(1.0)

with Stage(World()) as stage:
    other = stage.add(nothing, at=(0.0, 0.0), drive=Omni())
    stage.add(meddle, other, at=(0.0, 3.0), drive=Omni())
    stage.run(3.0)
print("over")
"""

BROKEN_PATTERN = """
from kumi import sleep
from kumi.stage import Stage
from kumi.motion import Leg
from kumi.world import World

class Wavy:
    def plan(self, command, body, /):
        def pose(t):
            if t > 0.7:
                raise ValueError("no place")
            return (body_x + t, 0.0, 0.0)
        body_x = body.position.x
        return Leg.pattern(pose, 5.0, 1.5, 0.0)

def listen():
    try:
        raise KeyError
    except KeyError:
        pass

async def go(robot):
    robot._body.on_motion(listen)
    await robot.move_to((3.0, 0.0))

stage = Stage(World(), on_error="robot")
for y in range(3):
    stage.add(go, at=(0.0, 2.0 * y), drive=Wavy())
stage.run(3.0)
print("over")
"""

BAG_READ_IN_DEL = """
import gc
from kumi.devs import Atomic
from kumi.devs import Coupled, Simulation

class Value:
    def __init__(self, port):
        self.port = port
    def __del__(self):
        held.append([len(self.port), [type(value).__name__ for value in self.port]])
        gc.collect()

class Source(Atomic):
    def __init__(self):
        super().__init__("source")
        self.out = self.add_output("out", object)
        self.hold(1.0)
    def output(self):
        for _ in range(5):
            self.out.send(Value(sink.into))

class Sink(Atomic):
    def __init__(self):
        super().__init__("sink")
        self.into = self.add_input("into", object)

held = []
source, sink = Source(), Sink()
both = Coupled("both")
both.add(source)
both.add(sink)
both.couple(source.out, sink.into)
with Simulation(both) as simulation:
    simulation.run(3.0)
assert held == [[0, []]] * 5, held
print("over")
"""

DANGLING_SLEEP = """
import gc
from kumi import run, sleep

kept = []

class Half:
    def __init__(self, wait):
        self.wait = wait
    def __await__(self):
        kept.append(self.wait)
        yield self.wait.__await__().send(None) if hasattr(self.wait, "send") else next(iter(self.wait))

async def short():
    await Half(sleep(1.0))

async def program():
    from kumi.devs import together
    for _ in range(50):
        async with together() as group:
            group.start(short)

run(program)
gc.collect()
filler = [bytearray(600) for _ in range(1000)]
kept.clear()
print("over")
"""

CLOSED_ENGINE = """
from kumi import sleep
from kumi.devs import Simulation

simulation = Simulation()

async def program():
    try:
        simulation._engine.close()
    except Exception as error:
        print("refused:", error)
    await sleep(1.0)
    print("slept")

simulation.start(program)
simulation.run()
simulation.close()
print("over")
"""

TAKEN_OUT_TASK = """
from kumi import sleep
from kumi.devs import Simulation
from kumi._core import current_task

simulation = Simulation()

async def program():
    task = current_task()
    for act in (simulation._engine.take_out, simulation._engine.enter):
        try:
            act(task)
        except TypeError as error:
            print("refused:", error)
    await sleep(1.0)

task = simulation.start(program)
simulation.run()
try:
    simulation._engine.enter(task)
except TypeError as error:
    print("refused:", error)
simulation.run(5.0)
simulation.close()
print("over")
"""

WITHOUT_PARTS = """
import sys
import kumi._core as core
sys.modules["kumi.contract"] = sys.modules["kumi.contract.events"] = None
plane = core.Plane("plane", (0.0, 0.0, 10.0, 10.0))
body = core.PlaneBody(plane, "one", core.Shape.disc(0.2), 1.0, 1.0, 0.0)
engine = core.Engine(False)
engine.enter(plane)
body.contacts
body.start(core.Leg.forward(100.0, 1.0))
try:
    engine.run(20.0)
except Exception as error:
    print(type(error).__name__, error)
del sys.modules["kumi.contract"], sys.modules["kumi.contract.events"]
import kumi.contract
for _ in range(3):
    body.put(1.0, 1.0, 0.0)
    body.start(core.Leg.forward(100.0, 1.0))
    engine.run(engine.now + 20.0)
print("over")
"""

RUN_BROUGHT_BACK = """
import gc
from kumi import sleep
from kumi.devs import Simulation

class Last:
    def __init__(self, simulation):
        self.simulation = simulation
        simulation.last = self
    def __del__(self):
        self.simulation.run(5.0)
        print("ran until", self.simulation.now)

async def program():
    await sleep(1.0)
    print("goes on")

simulation = Simulation(seed=1)
simulation.start(program)
Last(simulation)
del simulation
gc.collect()
print("over")
"""

NO_COROUTINE = """
import gc
from kumi.devs import Simulation

simulation = Simulation(seed=1)
simulation._engine.start(float, "float", None, None)
gc.collect()
print("over")
"""

FINALIZED_BY_HAND = """
from kumi import sleep
from kumi._core import Engine, current_task

async def program():
    current_task().__del__()
    await sleep(1.0)
    print("slept")

async def rest():
    await sleep(1.0)
    print("never")

def listen(tag, time, source, value):
    if source == "heard":
        heard.__del__()

engine = Engine(True)
engine.start(program(), "running", None, None)
planned = engine.start(rest(), "planned", None, None)
heard = engine.start(rest(), "heard", None, None)
engine.set_sink(listen)
planned.__del__()
engine.run(5.0)
print(planned.has_ended, heard.has_ended)
print("over")
"""

CELLS_MADE_ANEW = """
from contextlib import suppress
from math import sqrt
from kumi import Blocked, Map, Pillar, Stage

SIDE, RADIUS, LANES, IDLE = 40.0, 0.2, 18, 8
CELL = 0.6 * sqrt(SIDE**2 / (1 + LANES + IDLE))  # of the broad phase: others come to its borders at 1 s

async def go(robot):
    with suppress(Blocked):
        await robot.forward(30.0, speed=1.0)

async def rest(robot):
    pass

stage = Stage(Map(width=SIDE, height=SIDE, obstacles=[Pillar((39, 39), radius=0.1)]))
stage.add(go, at=(SIDE - RADIUS - 1.0, 0.5), radius=RADIUS, name="first")
for lane in range(LANES):
    stage.add(go, at=((lane % 7 + 1) * CELL - 1.0, 1.5 + lane), radius=RADIUS)
for number in range(IDLE):
    stage.add(rest, at=(2.0 + number, 38.5), radius=RADIUS, name=f"idle {number}")

def change(contact):
    stage.world.add_obstacle(Pillar((20, 38.5), radius=0.1))
    for number in range(IDLE):
        stage.world.body_of(f"idle {number}").remove()
    stage.world.add_body((30.0, 36.0))
    print("changed at", contact.time)

stage.world.body_of("first").on_contact(change)
print(stage.run(8.0).contacts, "contact")
"""
