"""Control loops for kumi: the cost of a step with a sensor, of a sensor that reports on its own, and of recording a run.

Discs of 8.5 cm fill a share of a square. Ten times a second each reads its sensor and steers straight on; the
figure is CPU microseconds for a robot and step, and `ratio` is that to the step without any sensor of the same
process. Sensors that report on their own, and recording, are measured on robots that walk at random, in CPU microseconds for a robot and
simulated second.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from math import hypot, pi, sqrt, tau
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from kumi.contract import Blocked
from kumi.devs import sleep
from kumi.geometry import Disc
from kumi.motion import Wheel
from kumi.sensing import (
    Battery,
    Bumper,
    Camera,
    Infrared,
    Lidar,
    Proximity,
    ProximityAlarm,
    Ultrasonic,
    View,
    Whisker,
)
from kumi.stage.stage import Stage
from kumi.world import Map, Wall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.scene import Place
    from benchmarks.tasks import Sample
    from kumi.robot import Robot, Team
    from kumi.sensing import Sensor

RADIUS = 0.085
SLOW = 0.02
WALL = 1.0
"""Metres of a wall."""

ASKED: dict[str, Callable[[], dict[str, Sensor]]] = {
    "none": dict,
    "infrared": lambda: {"a": Infrared(noise=0.01)},
    "ring": lambda: {f"a{number}": Infrared(number * pi / 4) for number in range(8)},
    "ultrasonic": lambda: {"a": Ultrasonic()},
    "proximity": lambda: {"a": Proximity(0.5)},
    "view": lambda: {"a": View(1.0)},
    "lidar-24": lambda: {"a": Lidar(24, reach=1.0)},
    "lidar-24-noise": lambda: {"a": Lidar(24, reach=1.0, noise=0.01)},
    "lidar-360": lambda: {"a": Lidar(360, reach=10.0)},
    "lidar-360-noise": lambda: {"a": Lidar(360, reach=10.0, noise=0.01)},
    "camera": lambda: {"a": Camera()},
}
PUSHED: dict[str, Callable[[], dict[str, Sensor]]] = {
    "none": dict,
    "bumper": lambda: {"a": Bumper()},
    "alarm": lambda: {"a": ProximityAlarm(1.0)},
    "whisker": lambda: {"a": Whisker(0.0, 0.1)},
    "battery": lambda: {"a": Battery()},
}


async def loop(robot: Robot, sensors: int) -> None:
    """Read and steer, ten times a second; robots begin at different times within the first step."""
    await sleep(robot.chance.uniform(0.0, 0.1))
    asked = [getattr(robot, name) for name in (("a",) if sensors == 1 else [f"a{i}" for i in range(sensors)])]
    while True:
        for sensor in asked:
            await sensor.read()
        robot.steer(SLOW)
        await sleep(0.1)


async def loop_together(team: Team, sensors: int) -> None:
    """Do the same as a team, all at one time."""
    await sleep(0.05)
    asked = [getattr(team, name) for name in (("a",) if sensors == 1 else [f"a{i}" for i in range(sensors)])]
    while True:
        for sensor in asked:
            await sensor.read()
        team.steer(SLOW)
        await sleep(0.1)


async def walk(robot: Robot) -> None:
    """Turn to somewhere and go there, again and again: 0.9 motions a second, and half as many contacts."""
    draw = robot.chance.uniform
    while True:
        with suppress(Blocked):
            await robot.turn(draw(-pi, pi))
            await robot.forward(draw(0.5, 2.0))


def places(number: int, density: float, seed: int) -> tuple[float, Iterator[Place]]:
    """Return the side of a square, and places where discs in it do not overlap."""
    side = sqrt(number * pi * RADIUS**2 / density)
    return side, drawn(side, number, Random(seed))


def drawn(side: float, number: int, chance: Random) -> Iterator[Place]:
    """Draw places one after another, wherever there is still room."""
    taken: dict[tuple[int, int], list[Place]] = {}
    while number:
        x, y = (chance.uniform(2 * RADIUS, side - 2 * RADIUS) for _ in "xy")
        column, row = int(x), int(y)
        near = (one for i in (-1, 0, 1) for j in (-1, 0, 1) for one in taken.get((column + i, row + j), ()))
        if all(hypot(x - there_x, y - there_y) > 2.2 * RADIUS for there_x, there_y in near):
            taken.setdefault((column, row), []).append((x, y))
            number -= 1
            yield x, y


def walled(side: float, walls: int) -> Map:
    """Return a map with thin walls, each a metre long: curtains, which nobody stands in the way of."""
    chance = Random("walls")
    found = []
    for _ in range(walls):
        x, y, angle = chance.uniform(0.0, side), chance.uniform(0.0, side), chance.uniform(0.0, tau)
        across = WALL / 2 * (1j ** (4.0 * angle / tau))
        found.append(
            Wall(
                (min(max(x - across.real, 0.0), side), min(max(y - across.imag, 0.0), side)),
                (min(max(x + across.real, 0.0), side), min(max(y + across.imag, 0.0), side)),
                material="curtain",
            )
        )
    return Map(side, side, obstacles=found)


def per_step(sensors: dict[str, Sensor], number: int, walls: int, seconds: float, *, team: bool) -> float:
    """Return the CPU microseconds of a robot's step."""
    side, starts = places(number, 0.05, 1)
    stage = Stage(walled(side, walls), on_contact="pass", seed=1)
    shape, drive = Disc(RADIUS), Wheel(speed=SLOW)
    if team:
        at = list(starts)
        headings = [100.0 * x for x, _ in at]
        stage.add_team(
            loop_together,
            number,
            len(sensors),
            at=at,
            heading=headings,
            shape=shape,
            drive=drive,
            sensors=sensors,
        )
    else:
        for place in starts:
            stage.add(
                loop,
                len(sensors),
                at=place,
                heading=100.0 * place[0],
                shape=shape,
                drive=drive,
                sensors=sensors,
            )
    stage.run(0.2)
    begun = process_time()
    stage.run(0.2 + seconds)
    return 1e6 * (process_time() - begun) / (10.0 * seconds * number)


def step(sensor: str, number: int, walls: int = 0, seconds: float = 2.0, team: bool = False) -> Sample:
    """Measure a step with a sensor, and one without by programs of single robots, in turn."""
    bare, figures = [], []
    for _ in range(3):
        bare.append(per_step({}, number, walls, 2.0, team=False))
        figures.append(per_step(ASKED[sensor](), number, walls, seconds, team=team))
    return {"figure": min(figures), "bare": min(bare), "ratio": min(figures) / min(bare)}


def per_second(sensors: dict[str, Sensor], number: int, seconds: float, record: Path | None = None) -> float:
    """Return the CPU microseconds of a robot that walks for a simulated second."""
    side, starts = places(number, 0.05, 1)
    stage = Stage(Map(side, side), seed=1, record=record)
    for place in starts:
        stage.add(walk, at=place, shape=Disc(RADIUS), drive=Wheel(speed=1.0, turn_speed=tau), sensors=sensors)
    stage.run(1.0)
    begun = process_time()
    stage.run(1.0 + seconds)
    stage.close()
    taken = process_time() - begun
    return 1e6 * taken / (seconds * number)


def push(sensor: str, number: int, seconds: float = 10.0) -> Sample:
    """Measure what a sensor that pushes takes beyond the walk itself."""
    bare, whole = [], []
    for _ in range(3):
        bare.append(per_second({}, number, seconds))
        whole.append(per_second(PUSHED[sensor](), number, seconds))
    return {"figure": min(whole) - min(bare), "bare": min(bare), "whole": min(whole)}


def kept(number: int, seconds: float = 10.0) -> Sample:
    """Measure how many times as much a walk takes that is written to a run file."""
    bare, whole, size = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(3):
            file = Path(folder) / f"{turn}.kumi"
            bare.append(per_second({}, number, seconds))
            whole.append(per_second({}, number, seconds, file))
            size = file.stat().st_size
    return {
        "figure": min(whole) / min(bare),
        "bare": min(bare),
        "whole": min(whole),
        "bytes_per_robot_second": size / (number * (1.0 + seconds)),
    }
