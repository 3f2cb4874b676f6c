"""Scenes of sensors: every kind that ships, asked at once and by period, with latency, noise and gaps."""

from __future__ import annotations

from contextlib import suppress
from math import pi
from typing import TYPE_CHECKING, Any

from kumi import sleep
from kumi.contract import Blocked
from kumi.devs import note, together
from kumi.geometry import Disc, Ellipse, Rectangle
from kumi.motion import Car, Omni, Wheel
from kumi.sensing import (
    KINDS,
    AskedSensor,
    Battery,
    Bumper,
    Camera,
    Compass,
    ContactSensor,
    FloorSensor,
    GaussianNoise,
    Infrared,
    Lidar,
    NoReading,
    Position,
    Positions,
    Potentiometer,
    Prop,
    Proximity,
    ProximityAlarm,
    Sensor,
    Ultrasonic,
    UniformNoise,
    View,
    WheelEncoder,
    Whisker,
)
from kumi.stage import Stage
from kumi.world import Block, Hole, Map, Pillar, Slow, Wall, World
from tests.golden.content import staged_hash, written

if TYPE_CHECKING:
    from collections.abc import Callable

    from kumi.robot import Robot

HALL = Map(
    10,
    8,
    obstacles=[Wall((3, 1), (3, 4), 0.1), Pillar((6, 5), 0.4), Block(Rectangle(7, 1, 1, 2))],
    terrain=[Hole(Rectangle(8.5, 6.5, 1, 1)), Slow(Rectangle(1, 5, 3, 2), 0.5)],
)
GAUSS, UNIFORM = GaussianNoise(0.01, 0.02), UniformNoise(0.02, 0.01)


def at_once() -> dict[str, Sensor]:
    """Return every kind, asked and answering at once."""
    camera = Camera(24, 16)
    camera.props = lambda: (Prop((5, 2), 0.2),)
    return {
        "place": Position(0.05),
        "places": Positions(UNIFORM),
        "eyes": View(8.0, view=2.0),
        "near": Proximity(3.0, noise=GAUSS),
        "front": Infrared(noise=GAUSS),
        "side": Infrared(pi / 2),
        "cone": Ultrasonic(0.3, noise=UNIFORM),
        "down": FloorSensor(),
        "lidar": Lidar(36, noise=GAUSS, dropout=0.1),
        "camera": camera,
        "wheels": WheelEncoder(track=0.2, scale_spread=0.03, noise=GAUSS),
        "steering": Potentiometer(bias_spread=0.03, noise=0.02),
        "compass": Compass(0.05, bias_spread=0.1, dropout=0.1),
        "battery": Battery(100.0, per_metre=2.0, per_radian=0.5, warns_at=0.7),
        "alarm": ProximityAlarm(1.5),
        "touch": ContactSensor(),
        "bumper": Bumper(),
        "whisker": Whisker(0.4, length=0.3),
    }


def by_period() -> dict[str, Sensor]:
    """Return every kind with a latency and a period of its own."""
    return {
        "place": Position(0.05, dropout=0.2, latency=0.1, period=0.5),
        "places": Positions(latency=0.05, period=0.25),
        "eyes": View(8.0, latency=0.02, period=0.3),
        "near": Proximity(3.0, period=0.35),
        "front": Infrared(latency=0.04, period=0.1),
        "side": Infrared(-pi / 2, dropout=0.1, period=0.15),
        "cone": Ultrasonic(latency=0.06, period=0.2),
        "down": FloorSensor(latency=0.03, period=0.1),
        "lidar": Lidar(24, view=pi, latency=0.1, period=0.4),
        "camera": Camera(16, 16, latency=0.1, period=0.5),
        "wheels": WheelEncoder(latency=0.01, period=0.05),
        "steering": Potentiometer(period=0.1),
        "compass": Compass(period=0.2),
        "battery": Battery(100.0, per_metre=2.0, warns_at=0.8, period=0.5),
        "alarm": ProximityAlarm(1.5, noise=GAUSS, latency=0.1, period=0.2),
        "touch": ContactSensor(latency=0.05),
        "bumper": Bumper(latency=0.05),
        "whisker": Whisker(-0.4, length=0.3, latency=0.02, period=0.05),
    }


async def tell(what: str, sensor: Any) -> None:
    """Note all that a sensor reports."""
    async for report in sensor:
        note(f"{what} {written(report)}")


async def ask(robot: Robot, asked: list[str]) -> None:
    """Note what each sensor reads, in turn, again and again."""
    while True:
        for what in asked:
            with suppress(NoReading):
                note(f"{what} {written(await getattr(robot, what).read())}")
        await sleep(0.33)


async def patrol(robot: Robot, asked: list[str], pushing: list[str]) -> None:
    """Drive about among walls and others, while every sensor is asked or listened to."""
    async with together() as tasks:
        tasks.start(ask, robot, asked)
        for what in pushing:
            tasks.start(tell, what, getattr(robot, what))
        while True:
            with suppress(Blocked):
                await robot.arc(0.8, 1.1)
                await robot.forward(1.7)
            with suppress(Blocked):
                await robot.back_up(0.3)
            await sleep(0.1)


def surveyed(sensors: Callable[[], dict[str, Sensor]], seed: int) -> str:
    """Run three robots of three shapes and drives, each with all sensors."""
    kinds = sensors()
    missing = set(KINDS.values()) - {type(sensor) for sensor in kinds.values()}
    assert not missing, f"no scene has a sensor of kind {missing}"
    asked = [name for name, sensor in kinds.items() if isinstance(sensor, AskedSensor)]
    pushing = [name for name in kinds if name not in asked]
    stage = Stage(World(HALL), seed=seed)
    stage.add(patrol, asked, pushing, at=(1, 1), shape=Disc(0.2), drive=Wheel(), sensors=sensors())
    stage.add(patrol, asked, pushing, at=(5, 2), shape=Ellipse(0.5, 0.3), drive=Omni(), sensors=sensors())
    stage.add(patrol, asked, pushing, at=(5, 7), shape=Disc(0.15), drive=Car(), sensors=sensors())
    return staged_hash(stage, 20.0)


def sensors_at_once() -> str:
    """Every sensor, answering at once."""
    return surveyed(at_once, 4)


def sensors_by_period() -> str:
    """Every sensor, with latency and period."""
    return surveyed(by_period, 5)


SCENES = [sensors_at_once, sensors_by_period]
