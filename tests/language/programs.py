"""Programs that run as they are in every place: what each is, and what it says at its end, or how it is refused."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class OneProgram:
    """The text of a program. It prints `says` line by line; or it fails everywhere with the words `lacks`, for a reason."""

    text: str
    says: tuple[str, ...] = ("done",)
    lacks: str = ""
    because: str = ""
    elsewhere: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What it says in places that have what others lack."""


def shipped(module: str, name: str, arguments: str = "") -> str:
    """Return a file that runs a shipped program for eight seconds."""
    return f"""from kumi import after, now, until
from kumi.programs.{module} import {name}


async def main(robot):
    with until(after(8.0)):
        await {name}(robot{arguments})
    print("done")
"""


LACKS_POSITIONS = "has no 'positions'; its sensors are"
NO_POSITIONS = "it reads where all robots are, which no robot of these places can"
LAYERS = "it talks through layers that the plain radio of these places does not have"

SHIPPED = {
    "random-movement": OneProgram(
        shipped("random_movement", "random_movement", ", 2.0, 2.0, 0.5, 0.1, 0.2, 1.0")
    ),
    "gathering": OneProgram(shipped("gathering", "gathering"), (), LACKS_POSITIONS, NO_POSITIONS),
    "circle": OneProgram(shipped("circle", "circle"), (), LACKS_POSITIONS, NO_POSITIONS),
    "wall-following": OneProgram(
        shipped("wall_following", "wall_following"),
        (),
        "has no '(front|left)'; its sensors are",
        "it hears walls by four sensors; a robot on a line has one of that name",
    ),
    "asking-for-help": OneProgram(shipped("asking_for_help", "asking_for_help", ", 2.0, 2.0")),
    "flooding": OneProgram(shipped("flooding", "flooding", ", 2.0, 2.0, 0.5, 0, 0.5")),
    "swarm-leader": OneProgram(
        shipped("swarm_leader", "swarm_leader", ", 2.0, 2.0"), (), "EventualLeader", LAYERS
    ),
    "crossing": OneProgram(
        shipped("crossing", "crossing", ", {'kind': 'disc', 'radius': 0.2}, [3.0, 2.0], begin=now() + 3.0"),
        (),
        "cannot carry out Track of",
        "it drives by the clock along a trajectory, which two wheels and cars on a line do not",
    ),
    "junction": OneProgram(shipped("junction", "junction", ", 2.0, 1.0, 0.1, reserve=False")),
    "junction, reserving": OneProgram(
        shipped("junction", "junction", ", 2.0, 1.0, 0.1"), (), "Reservation", LAYERS
    ),
    "reservations": OneProgram(
        shipped("reservations", "reservations", ", [0.0, 0.0, 4.0, 3.0], 0.2, goals=[[1.5, 1.0]]"),
        (),
        "Reservation",
        LAYERS,
    ),
    "formation": OneProgram(
        shipped(
            "formation",
            "formation",
            ", [[0.0, 0.0]], 'unit-centre', 'on', {'on': [[1.0, 1.0], [3.0, 1.0]]}",
        ),
        (),
        "has no 'near'; its sensors are",
        "it keeps off others by a sensor of who is near",
    ),
    "warehouse": OneProgram(
        shipped(
            "warehouse",
            "warehouse",
            ", [8.0, 8.0], [{'block': [4.0, 4.0], 'size': [2.0, 2.0]}], cell=2.0, ahead=3.0",
        ),
        (),
        "cannot carry out Track of",
        "it drives by the clock from cell to cell, which two wheels and cars on a line do not",
    ),
    "mapping": OneProgram(
        shipped("mapping", "mapping"),
        (),
        "has no 'front'; its sensors are",
        "it maps by the six range finders of a robot on a line",
        {"linked": ("done",)},
    ),
    "flocking": OneProgram(shipped("flocking", "flocking"), (), LACKS_POSITIONS, NO_POSITIONS),
    "lattice": OneProgram(shipped("lattice", "lattice"), (), LACKS_POSITIONS, NO_POSITIONS),
    "coverage": OneProgram(shipped("coverage", "coverage", ", 4.0, 3.0"), (), LACKS_POSITIONS, NO_POSITIONS),
    "diffusion": OneProgram(
        shipped("diffusion", "diffusion"),
        (),
        "has no 'lidar'; its sensors are",
        "it looks around by a lidar, which robots on a line and at a station do not have",
        dict.fromkeys(("simulation", "study", "loop", "page", "contest"), ("done",)),
    ),
    "avoidance": OneProgram(
        shipped("avoidance", "avoidance", ", 0.1, goal=(1.0, 1.0)"),
        (),
        "has no 'eyes'; its sensors are",
        "it sees others by a view",
    ),
    "aggregation": OneProgram(
        shipped("aggregation", "aggregation"),
        (),
        "has no 'eyes'; its sensors are",
        "it sees others by a view",
    ),
}

OWN = {
    "sensors and tasks": OneProgram(
        """from kumi import Signal, sleep, together

NAMES = ("front", "lidar", "camera")


async def main(robot):
    sensor = next(getattr(robot, name) for name in NAMES if hasattr(robot, name))
    felt = []
    async with together() as tasks:
        tasks.start(feel, robot, felt)
        reading = tasks.start(sensor.read)
        await robot.forward(0.2)
        await sleep(0.5)
        print(reading.result is not None, len(felt), robot.home.distance_to(robot.position) > 0.1)
        tasks.cut()
    try:
        getattr(robot, "no_such_sensor")
    except AttributeError as error:
        print("has no 'no_such_sensor'; its sensors are" in str(error))


async def feel(robot, felt):
    async for contact in robot.contacts:
        felt.append(contact)
""",
        ("True 0 True", "True"),
    ),
    "radio": OneProgram(
        """from __future__ import annotations

from dataclasses import dataclass

from kumi import Message, Point, after, now, until


@dataclass(frozen=True)
class Hello(Message):
    name: str
    places: tuple[Point, ...]


async def main(robot):
    radio = robot.radio
    print(radio.address == robot.number, robot.number in radio.group)
    began = now()
    await radio.send(Hello("me", (Point(1.0, 2.0),)), to=radio.address)
    hello, sender = await radio.receive(Hello)
    print(hello.name, hello.places, sender == robot.number, now() - began < 1.0)
    with until(after(0.5)) as over:
        await radio.receive(Hello)
    print(over.is_cut)
    try:
        await radio.broadcast("no message")
    except Exception as error:
        print(type(error).__name__, error)
    try:
        await radio.send(Hello("you", ()), to=99)
    except Exception as error:
        print(type(error).__name__)
""",
        (
            "True True",
            "me (Point(1.0, 2.0),) True True",
            "True",
            "NotAMessage a message is a frozen dataclass that is a Message, not 'no message' of class str",
            "UnknownNode",
        ),
    ),
    "scopes": OneProgram(
        """from kumi import Interrupted, Signal, after, now, sleep, together, unless, until


async def main(robot):
    began = now()
    with until(after(0.5)) as short:
        await robot.forward(9.0, speed=0.1)
    print(short.is_cut, robot.is_moving, 0.5 <= now() - began < 1.5)
    try:
        with unless(after(0.3)):
            await robot.back_up(9.0, speed=0.1)
    except Interrupted:
        print("interrupted", robot.is_moving)
    bell = Signal("bell")
    async with together() as tasks:
        tasks.start(ring, bell)
        with until(bell | after(9.0)) as rung:
            await robot.forward(9.0, speed=0.1)
        print(rung.is_cut, robot.is_moving, now() - began < 9.0)


async def ring(bell):
    await sleep(0.3)
    bell.fire()
""",
        ("True False True", "interrupted False", "True False True"),
    ),
    "errors": OneProgram(
        """from kumi import Busy, sleep, together


async def main(robot):
    tries = 0
    async with together() as tasks:
        tasks.start(go, robot)
        await sleep(0.0)
        while True:
            tries += 1
            try:
                await robot.back_up(0.1)
                break
            except Busy as busy:
                if tries == 1:
                    print("busy with Forward" in str(busy))
                await sleep(0.3)
    print(tries > 1)
    for wrong in (float("nan"), float("inf")):
        try:
            await robot.turn_to(wrong)
        except ValueError as error:
            print(error)
    try:
        await robot.forward("far")
    except TypeError:
        print("TypeError")
    raise KeyError("the end")


async def go(robot):
    await robot.forward(0.2)
""",
        (
            "True",
            "True",
            "a heading is a finite number, not nan",
            "a heading is a finite number, not inf",
            "TypeError",
        ),
        "KeyError: 'the end'",
        "it raises that itself",
    ),
    "shown and by chance": OneProgram(
        """import kumi


async def main(robot):
    robot.show("state", "shows")
    robot.show("share", 0.5)
    robot.show("is ready", True)
    robot.show("share", None)
    robot.show_mark(robot.position, "here")
    robot.show_path([robot.home, robot.position])
    robot.show_map([[0.0, 1.0], [float("nan"), 0.5]], cell=0.1)
    kumi.note("noted")
    print(0.0 <= robot.chance.uniform() < 1.0, 0.0 <= kumi.chance().uniform() < 1.0)
    for wrong in ("", "x" * 61):
        try:
            robot.show(wrong, 1.0)
        except ValueError as error:
            print(str(error)[:40])
    try:
        robot.show("list", [1])
    except TypeError as error:
        print(error)
""",
        (
            "True True",
            *["a name to show something under has 1 to "] * 2,
            "show() takes a number, a text, True, False or None for 'list', not [1]",
        ),
    ),
}
PROGRAMS = SHIPPED | OWN
