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

MANY_WORDS = """
from kumi._core import Chance

for count in (2**28 + 1, 2**61, 2**62, 2**63 - 1):
    try:
        Chance(bytes(range(32))).words(count)
    except ValueError as error:
        print("refused:", error)
print("over")
"""

SHORT_TUPLES = """
from kumi._core import Engine

engine = Engine(False)
engine.divide()
for step in ((), (1.0, 2), (1.0, 2, 3), [1.0, 2, 3, [0]]):
    for act in (lambda: engine.align([step], 0.0), lambda: engine.end_step(0.0, 0, [], [step])):
        try:
            act()
        except TypeError as error:
            print("refused:", str(error).partition(",")[0])
print("over")
"""

GROWING_TEAM = """
import numpy
from kumi._core import Chance, TeamBase

class Guest:
    heading, is_moving, chance = 0.5, True, Chance(bytes(range(32)))
    @property
    def position(self):
        for _ in range(100):
            team._admit(Guest())
        return 1.0, 2.0
    def steer(self, *_):
        self.position
    stop = steer

for ask in (
    lambda: team._positions(numpy.zeros(4)),
    lambda: team._headings(numpy.zeros(2)),
    lambda: team._velocities(numpy.zeros(4)),
    lambda: team._steer(numpy.zeros(2), numpy.zeros(2), None),
    lambda: team._stop(None),
    lambda: team._draw("normal", numpy.zeros(2), numpy.ones(2), None, numpy.zeros(2)),
):
    team = TeamBase()
    team._admit(Guest())
    team._admit(Guest())
    ask()
    print(len(team) in {2, 202})
print("over")
"""

TEAM_ARRAYS = """
import numpy
from kumi._core import TeamBase

class Guest:
    position, heading, is_moving = (1.0, 2.0), 0.5, True
    def __init__(self, x=1.0):
        self.position = x, x
    def steer(self, *_):
        pass

team = TeamBase()
for place in (1.7e308, -1.7e308, 0.0):
    team._admit(Guest(place))
constant = bytes(24)
slanted = numpy.frombuffer(bytearray(25), numpy.uint8)[1:].view(numpy.float64)
for array in (constant, slanted):
    try:
        team._headings(array)
    except (ValueError, BufferError) as error:
        print("refused:", type(error).__name__)
assert constant == bytes(24)
team._steer(numpy.zeros(3), numpy.zeros(3), bytes([0, 1, 255]))
for reach in (float("nan"), float("inf"), -1.0, 0.0, 1e-300, 1.0):
    team._pairs(reach)
print("over")
"""

FAR_RAYS = """
import struct
from math import inf, nan
from kumi._core import Canvas, PlaneBody, Plane, Point, Shape

plane = Plane("plane", None)
for number in range(400):
    PlaneBody(plane, f"b{number}", Shape.disc(0.1), number % 20, number // 20, 0.0)
    plane.add_pillar(Point(number % 20 + 0.5, number // 20 + 0.5), 0.1, 31)
for far in (1e8, 1e10, 1e155, -1e300):
    for place in ((far, 0.5), (0.5, far), (far, far)):
        plane.hit(place, 0.7, 10.0, None, True, 31)
        plane.echoes(place, struct.pack("4d", 0.1, 3.0, 0.2, 2.0), 10.0, None, True, 31, 31)
        plane.nearest_in_cone(place, 0.7, 1.0, 10.0, None, 31, 31)
plane.obstacles_along((0.0, 1.0), (1.0, 1.0 + 5e-324), 0.0)
plane.obstacles_along((0.0, 0.0), (2.0, 5e-324), 0.0)
for within in (-3.0, -0.5, 0.0, 1e300, nan):
    plane.obstacles_along((-1e18, 2.0), (-1e18, 1e100), within)
canvas = Canvas(1.0, struct.pack("3d", nan, inf, 1e300), struct.pack("3d", -1.0, 1e-300, nan))
for number in (nan, inf, 1e300, -1e300):
    canvas.draw_ground(number, 1.0, 1.0, number)
    canvas.draw_round(2.0, number, 0.5, 1.0, number, number, -number)
    canvas.draw_upright(struct.pack("3d", 1.0, number, 2.0), 1.0, struct.pack("9d", *[number] * 9))
assert len(canvas.pixels()) == 27
print("over")
"""

WIDE_BEAMS = """
import numpy
from kumi._core import EvidenceMap

for deviation, share in ((1e9, 0.0), (0.01, 1e9), (-1.0, 0.0), (0.01, -1.0)):
    beams = numpy.array([0.05, 0.8, 0.1, deviation, share, 2.0, 0.6, 6.0, 0.06, 0.05])
    try:
        EvidenceMap(numpy.zeros((1, 3)), beams).add(0.0, 0.0, 0.0, numpy.array([0.5]))
    except ValueError as error:
        print("refused:", error)
print("over")
"""

NO_INSTANT = """
from math import inf, nan
import numpy
from kumi._core import Engine, MapfSearch
from kumi.devs import KumiError

engine, part = Engine(False), Engine(False)
part.divide()
nobody = numpy.empty(0, numpy.int64)
for act in (
    lambda: engine.run(nan),
    lambda: part.run_apart(nan, False),
    lambda: part.end_step(inf, 1, [], []),
    lambda: part.end_step(nan, 1, [], []),
    lambda: MapfSearch(numpy.ones((1, 3), numpy.uint8), nobody, nobody, 3, 1 << 24),
):
    try:
        act()
    except (KumiError, ValueError) as error:
        print("refused:", str(error).partition(",")[0])
print("over")
"""
