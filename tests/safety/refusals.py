"""Scripts that ended the interpreter, or never ended, and are now refused where they go wrong; see crashes.py."""

from __future__ import annotations

SELF_PARENT = """
from kumi.devs import Atomic
from kumi.devs import StructureError

model = Atomic("one")
try:
    model.parent = model
except StructureError as error:
    print("refused:", error)
other = Atomic("two")
model.parent, other.parent = other, model
try:
    model.path
except StructureError as error:
    print("refused:", error)
print("over")
"""

CIRCULAR_WIRING = """
from kumi._core import make_input, make_output, wire
from kumi.devs import Coupled, StructureError

outer = Coupled("outer")
ports = [make_input(outer, f"p{i}", object) for i in range(3)]
wire(ports[0], ports[1])
wire(ports[1], ports[2])
wire(ports[2], ports[0])
ladder = [make_input(outer, f"l{i}", object) for i in range(80)]
for one, two in zip(ladder, ladder[1:]):
    wire(one, two)
    wire(one, two)
from kumi._core import Engine
for start in (ports[0], ladder[0]):
    try:
        Engine(False).prepare([start])
    except StructureError as error:
        print("refused:", error)
print("over")
"""

TWO_READERS = """
import gc
from kumi import Signal, run, sleep
from kumi.devs import together

async def read(stream):
    try:
        await stream.__aiter__()
    except RuntimeError as error:
        print("refused:", error)

async def program():
    signal = Signal("bell")
    stream = signal.stream()
    async with together() as group:
        first = group.start(read, stream)
        await sleep(0.1)
        for _ in range(3):
            group.start(read, stream)
            await sleep(0.1)
        signal.fire(1)
        del stream
        gc.collect()
        first.waits_for

run(program)
print("over")
"""

LATE_DEADLINE = """
from kumi import after, run

kept = []

async def program():
    kept.append(after(1.0))

run(program)
try:
    kept[0].stream()
except Exception as error:
    print("refused:", error)
print("over")
"""

NO_EXCEPTION = """
from kumi._core import Engine, TraceDigest

engine = Engine(True)
for act in (
    lambda: engine.report(5),
    lambda: engine.interrupt(0, int),
    lambda: engine.record("\\ud800", "a", None),
    lambda: TraceDigest().put("\\ud800", 0.0, "a", None),
):
    try:
        act()
        print("accepted")
    except (TypeError, UnicodeEncodeError) as error:
        print("refused:", type(error).__name__)
print("over")
"""

SUDDEN_REMOVAL = """
from kumi.geometry import Disc
from kumi.world import World
from kumi._core import Engine

world = World()
body = world.add_body((0.0, 0.0), shape=Disc(0.2))
def gone():
    body.remove()
    body.remove()
body.on_gone(gone)
body.remove()
body.remove()
print("over")
"""

EXTREME_NUMBERS = """
import itertools, struct
from math import inf, nan, pi
import kumi.world
from kumi._core import Engine, Leg, Plane, PlaneBody, Shape

NUMBERS = [0.0, 1e-300, 1.0, 1e18, 1e155, 1.7e308]
for large, far in itertools.product(NUMBERS, NUMBERS):
    try:
        plane = Plane("plane", None if far == 0.0 else (-far, -far, far, far))
        engine = Engine(False)
        engine.enter(plane)
        bodies = [PlaneBody(plane, f"b{i}", Shape.disc(large or 1.0), i * (far or 1.0), 0.0, 0.0) for i in range(3)]
        for body, view in zip(bodies, (1.0, pi, 7.0)):
            body.open_watch(large or 1.0, view, 0.0, lambda *_: None)
        bodies[0].start(Leg.forward(inf, large or 1.0))
        bodies[1].start(Leg.arc(large or 1.0, inf, far or 1.0))
        bodies[2].start(Leg.spin(inf, large or 1.0))
        engine.run(100.0)
    except Exception as error:
        print(type(error).__name__, error)
box = Plane("walkers", (0.0, 0.0, 10.0, 10.0))
for radius, fastest, place in ((inf, 1.0, 1.0), (0.1, inf, 1.0), (0.1, 1.0, nan), (1e200, 1.0, 1.0)):
    try:
        box.add_walkers(struct.pack("dd", place, place), radius, 0.5, fastest, 1)
    except ValueError as error:
        print("refused:", error)
print("over")
"""
