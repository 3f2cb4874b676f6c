"""Scenes of motion and contact: every drive, every shape, every kind of ground, and errors of motion."""

from __future__ import annotations

import struct
from contextlib import suppress
from math import pi
from typing import TYPE_CHECKING

from kumi import sleep
from kumi.contract import BadGoal, Blocked, Sample
from kumi.devs import Simulation, chance, note
from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Rectangle
from kumi.motion import (
    Car,
    Drive,
    Follower,
    GaussianErrors,
    Leg,
    MotionNoise,
    Moving,
    Omni,
    UniformErrors,
    Wheel,
)
from kumi.stage import Stage
from kumi.world import Block, Forbidden, Hole, Map, Pillar, Slow, Terrain, Wall, World
from tests.golden.content import content_hash, staged_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.contract import Command
    from kumi.robot import Robot

OCTAGON = Polygon(
    [(0.5, 0.2), (0.2, 0.5), (-0.2, 0.5), (-0.5, 0.2), (-0.5, -0.2), (-0.2, -0.5), (0.2, -0.5), (0.5, -0.2)]
)
ASIDE = Polygon([(-0.075, -0.1), (0.425, -0.1), (0.225, 0.2)])
CLOSED = [
    Wall((2, 1), (2, 5), 0.1),
    Wall((8, 9), (11, 6)),
    Pillar((6, 3), 0.4),
    Block(Rectangle(9, 2, 1.5, 1)),
]


async def wander(robot: Robot, side: float = 12.0) -> None:
    """Drive on, in arcs and to places, and turn where something is in the way."""
    while True:
        with suppress(Blocked, BadGoal):
            await robot.arc(chance().uniform(0.6, 2.0), chance().uniform(-pi, pi))
            await robot.forward(chance().uniform(0.2, 2.0))
            await robot.move_to((chance().uniform(1, side - 1), chance().uniform(1, side - 1)))
            note(f"{robot.position.x!r} {robot.position.y!r} {robot.heading!r}")
        with suppress(Blocked):
            await robot.back_up(0.1)
        await sleep(0.05)


def crowd(shapes: Sequence[BodyShape], *, policy: str = "stop", seed: int = 1) -> Stage:
    """Return bodies of these shapes among obstacles, each with a drive of its own."""
    stage = Stage(World(Map(12, 12, obstacles=CLOSED), on_contact=policy), seed=seed)  # type: ignore[arg-type]
    drives: list[Drive] = [Wheel(), Omni(), Car(), Wheel(speed=0.7, acceleration=0.5)]
    for number, shape in enumerate(shapes):
        at = 1.0 + 3.3 * (number % 4), 1.0 + 2.5 * (number // 4)
        stage.add(wander, at=at, heading=0.7 * number, shape=shape, drive=drives[number % 4])
    return stage


def discs_in_arcs() -> str:
    """Discs drive in arcs and touch each other, walls, pillars and blocks."""
    return staged_hash(crowd([Disc(0.3)] * 8))


def polygons() -> str:
    """Octagons, and triangles that lie aside of their position, drive and turn against each other."""
    return staged_hash(crowd([OCTAGON, ASIDE] * 4))


def ellipses() -> str:
    """Long and round ellipses, among discs and octagons."""
    return staged_hash(crowd([Ellipse(1.0, 0.4), Ellipse(0.3, 0.7), OCTAGON, Disc(0.2)] * 2))


def sliding() -> str:
    """Bodies that slide on along what they touch."""
    return staged_hash(crowd([Disc(0.3), OCTAGON, Ellipse(0.8, 0.4), Disc(0.1)] * 2, policy="slide"))


def passing() -> str:
    """Bodies that pass through what they touch; each contact is told."""
    return staged_hash(crowd([Disc(0.3), ASIDE, Ellipse(0.8, 0.4), OCTAGON] * 2, policy="pass"))


def terrain() -> str:
    """Slow ground, a hole into which robots fall, and ground that stops them."""
    ground: list[Terrain] = [
        Slow(Rectangle(3, 3, 4, 2), 0.3),
        Slow(Rectangle(5, 4, 4, 4), 0.6),
        Hole(Rectangle(10, 10, 1, 1)),
        Forbidden(Rectangle(1, 8, 2, 2)),
    ]
    stage = Stage(World(Map(12, 12, terrain=ground)), seed=2)
    for number in range(6):
        drives: list[Drive] = [Wheel(), Omni(), Car()]
        stage.add(wander, at=(1.0 + 2 * number, 1.0), shape=Disc(0.15), drive=drives[number % 3])
    return staged_hash(stage)


def motion_noise() -> str:
    """Ways, turns and arcs that err by uniform and normal errors."""
    stage = Stage(World(width=12, height=12), seed=3)
    noises: list[MotionNoise] = [
        UniformErrors(dnf=0.1, anf=0.08),
        GaussianErrors(distance=0.05, drift=0.1, angle=0.05),
    ]
    for number in range(6):
        noise = noises[number % 2]
        drives: list[Drive] = [Wheel(noise=noise), Omni(noise=noise), Car(noise=noise)]
        stage.add(wander, at=(1.0 + 2 * number, 6.0), shape=Disc(0.2), drive=drives[number % 3])
    return staged_hash(stage)


class Wave:
    """A drive of one's own: forward along a curve that no built-in leg knows, made of plain arithmetic."""

    def plan(self, command: Command, body: Moving, /) -> Leg:
        """Give the same curve for every command."""
        del command
        start, heading = body.position, body.heading

        def pose(t: float) -> tuple[float, float, float]:
            return start.x + t, start.y + t * (3.0 - t) * 0.3, heading + 0.1 * t

        return Leg.pattern(pose, 6.0, 3.0, 0.1)


def patterns() -> str:
    """A curve of one's own meets a wall, and one that nothing stops."""

    async def once(robot: Robot) -> None:
        with suppress(Blocked):
            await robot.forward(1.0)

    stage = Stage(World(Map(12, 12, obstacles=[Wall((4, 0), (5, 3))])))
    stage.add(once, at=(1, 1), drive=Wave(), shape=OCTAGON)
    stage.add(once, at=(1, 6), drive=Wave(), shape=Disc(0.3))
    return staged_hash(stage)


def cars_and_followers() -> str:
    """Cars keep to curves and to times; followers lag behind a track; a car steers freely."""
    curve = [(1 + 0.3 * k, 2 + 0.0015 * k * (30 - k) * (k % 30)) for k in range(30)]

    async def along(robot: Robot) -> None:
        with suppress(Blocked):
            await robot.follow(curve)

    async def on_time(robot: Robot) -> None:
        start = robot.position
        await robot.track(
            [Sample(0.25 * k, start + Point(0.2 * k, 0.01 * k * k), 0.02 * k) for k in range(25)]
        )

    async def steering(robot: Robot) -> None:
        for turn in (0.3, -0.5, 0.0, 0.8):
            robot.steer(0.6, turn)
            await sleep(1.3)
        robot.stop()

    stage = Stage(World(width=20, height=20))
    stage.add(along, at=(1, 2), drive=Car(0.5))
    stage.add(along, at=(1, 5), drive=Wheel())
    stage.add(on_time, at=(1, 8), drive=Follower(lag=0.3))
    stage.add(on_time, at=(1, 11), drive=Omni())
    stage.add(steering, at=(5, 15), drive=Car(0.5))
    stage.add(steering, at=(10, 15), drive=Wheel())
    return staged_hash(stage)


def native_walkers() -> str:
    """Two hundred walkers that only the core knows."""
    world = World(width=24, height=24)
    places = [(k + 0.5) * 1.6 for n in range(200) for k in (n % 15, n // 15)]
    world.add_walkers(struct.pack("400d", *places), 0.4, 0.5, 2.0, 3)
    with Simulation(world) as simulation:
        simulation.run(30.0)
        return content_hash(simulation.trace_hash, world.snapshot(), world.contact_count, world.events)


def comings_and_goings() -> str:
    """Bodies come, jump, grow and go, and obstacles with them, while others move."""
    stage = crowd([Disc(0.3)] * 4)
    world = stage.world

    def change() -> None:
        guest = world.add_body((6, 6), shape=Ellipse(0.6, 0.3), drive=Omni(), name="guest")
        guest.start(Leg.line((11, 8), 1.0))
        world.add_obstacle(Pillar((4, 8), 0.5, name="new"))

    def change_again() -> None:
        guest = world.body_of("guest")
        assert guest is not None
        guest.teleport((5, 10), 1.0)
        guest.resize(Disc(0.1))
        guest.start(Leg.arc(1.0, 2.0, 1.0))

    stage.simulation.schedule(5.0, change)
    stage.simulation.schedule(9.0, change_again)
    stage.simulation.schedule(12.0, lambda: world.remove_obstacle("new"))
    return staged_hash(stage, 30.0)


SCENES = [
    discs_in_arcs,
    polygons,
    ellipses,
    sliding,
    passing,
    terrain,
    motion_noise,
    patterns,
    cars_and_followers,
    native_walkers,
    comings_and_goings,
]
