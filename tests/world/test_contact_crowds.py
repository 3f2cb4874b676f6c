"""In a crowd nobody overlaps at any time, whatever happens; and what happens is the same every time."""

from __future__ import annotations

import math
import os
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kumi.contract import Blocked
from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Polygon, Rectangle
from kumi.motion import Leg, Omni, Wheel
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import Map, Pillar, SimulatedBody, Slow, Wall, World
from tests.world.oracle import Place, gap
from tests.world.play import CLOSE, about, world_with

SIDE = 24.0


async def wander(robot: Robot, fastest: float = 2.0) -> None:
    """Go from one random place to the next, by all kinds of motion."""
    chance = robot.chance
    while True:
        with suppress(Blocked):
            speed = fastest ** chance.uniform(-1, 1)
            match chance.integer(0, 3):
                case 0:
                    await robot.arc(chance.uniform(0.3, 3), chance.uniform(-6, 6), speed)
                case 1:
                    await robot.turn(chance.uniform(-3, 3))
                case _:
                    await robot.move_to((chance.uniform(1, SIDE - 1), chance.uniform(1, SIDE - 1)), speed)


def crowd(
    count: int, *, radius: float = 0.3, fastest: float = 2.0, seed: int = 1, acceleration: float = 3.0
) -> Stage:
    """Return a stage with robots in rows, half of which speed up and slow down."""
    stage = Stage(World(width=SIDE, height=SIDE), seed=seed, on_error="robot")
    row = math.ceil(math.sqrt(count))
    for number in range(count):
        at = ((number % row + 0.5) * SIDE / row, (number // row + 0.5) * SIDE / row)
        drive = Wheel(acceleration=acceleration) if number % 2 else Omni()
        stage.add(wander, fastest, at=at, shape=Disc(radius * (1 + number % 3 / 4)), drive=drive)
    return stage


def least_gap(bodies: tuple[SimulatedBody, ...]) -> float:
    """Return the smallest gap of discs to each other and to the border, as a share of their size."""
    x, y, r = np.array([(*body.position, body.shape.reach) for body in bodies]).T
    size: NDArray[np.float64] = r[:, None] + r
    gaps = (np.hypot(x[:, None] - x, y[:, None] - y) - size) / size
    np.fill_diagonal(gaps, np.inf)
    border = min(np.min((side - r) / r) for side in (x, y, SIDE - x, SIDE - y))
    return float(min(gaps.min(), border))


@pytest.mark.parametrize(
    ("count", "radius", "fastest"), [(20, 0.8, 2.0), (200, 0.3, 2.0), (150, 0.4, 1000.0), (10, 1.3, 1e5)]
)
def test_in_a_crowd_nobody_overlaps_at_any_time(count: int, radius: float, fastest: float) -> None:
    with crowd(count, radius=radius, fastest=fastest) as stage:
        simulation = stage.simulation
        chance = simulation.chance("times")
        for step in range(400):
            # Half of the looks are at the very instants of events, half between them.
            until = simulation.now + chance.exponential(0.03) if step % 2 else simulation.next_time
            simulation.run(until=until)
            assert least_gap(stage.world.bodies) >= -CLOSE, f"at {simulation.now}"
        assert stage.world.contact_count > 10


def walkers(count: int, radius: float, *, seed: int = 5, fastest: float = 2.0) -> World:
    """Return a world with native walkers in rows."""
    world = World(width=SIDE, height=SIDE)
    row = math.ceil(math.sqrt(count))
    places = [(k + 0.5) * SIDE / row for n in range(count) for k in (n % row, n // row)]
    world.add_walkers(struct.pack(f"{2 * count}d", *places), radius, 0.5, fastest, seed)
    return world


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (b"\0" * 24, "not 24 bytes of format 'B'"),
        (np.ones((3, 2), np.float32), "not 24 bytes of format 'f'"),
        (np.ones((2, 2), np.int64), "not 32 bytes of format 'l'"),
        (np.ones(3), "not 24 bytes of format 'd'"),
    ],
)
def test_places_of_walkers_that_are_no_pairs_of_doubles_are_refused(places: object, said: str) -> None:
    with pytest.raises(ValueError, match=f"takes places as pairs of float64, x and y, {said}"):
        World(width=SIDE, height=SIDE).add_walkers(places, 0.1, 0.5, 2.0, 1)


@pytest.mark.parametrize(("count", "radius", "fastest"), [(10, 1.5, 2.0), (300, 0.4, 2.0), (300, 0.4, 1e4)])
def test_native_walkers_never_overlap(count: int, radius: float, fastest: float) -> None:
    world = walkers(count, radius, fastest=fastest)
    with Simulation(world) as simulation:
        for step in range(100):
            simulation.run(until=simulation.now + 0.1 / fastest if step % 2 else simulation.next_time)
            x, y = places_of(world)
            gaps = np.hypot(x[:, None] - x, y[:, None] - y) - 2 * radius
            np.fill_diagonal(gaps, np.inf)
            border = min(float(np.min(side)) for side in (x, y, SIDE - x, SIDE - y)) - radius
            assert min(float(gaps.min()), border) >= -CLOSE * 2 * radius
        assert world.contact_count > 10


def places_of(world: World) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the positions of bodies that nobody in Python holds, from the records of a snapshot."""
    journal, x, y = world.snapshot(), [], []
    at = 0
    while at < len(journal):
        match journal[at : at + 1]:
            case b"T":
                at += 9
            case b"A":
                values = struct.unpack_from("<ddd", journal, at + 5)
                x.append(values[0])
                y.append(values[1])
                at += 5 + 24 + 9
            case b"M":
                at += 5 + 16 + 97
            case tag:
                pytest.fail(f"a snapshot has no record {tag!r}")
    return np.array(x), np.array(y)


def test_in_a_crowd_of_shapes_nobody_overlaps() -> None:
    shapes: list[BodyShape] = [Disc(0.5), Ellipse(1.4, 0.5), Polygon([(-0.5, -0.4), (0.6, 0), (-0.5, 0.4)])]
    stage = Stage(World(width=SIDE, height=SIDE), seed=4, on_error="robot")
    for number in range(49):
        at = (number % 7 * 3 + 3, number // 7 * 3 + 3)
        stage.add(
            wander, at=at, heading=number, shape=shapes[number % 3], drive=Wheel() if number % 2 else Omni()
        )
    with stage:
        simulation = stage.simulation
        for step in range(40):
            simulation.run(until=simulation.now + 0.2 if step % 2 else simulation.next_time)
            bodies = stage.world.bodies
            poses: list[Place] = [(body.position.x, body.position.y, body.heading) for body in bodies]
            for i, one in enumerate(bodies):
                for j, other in enumerate(bodies[:i]):
                    size = one.shape.reach + other.shape.reach
                    if math.dist(poses[i][:2], poses[j][:2]) < size:
                        assert gap(one.shape, poses[i], other.shape, poses[j]) >= -CLOSE * size
        assert stage.world.contact_count > 10


def test_a_crowd_among_walls_pillars_and_slow_ground_never_overlaps() -> None:
    room = Map(
        SIDE,
        SIDE,
        obstacles=[Wall((5, 5), (19, 5), 0.4), Wall((5, 19), (19, 17)), Pillar((12, 12), 1.5)],
        terrain=[Slow(Rectangle(0, 8, 8, 8), 0.3)],
    )
    stage = Stage(World(room), seed=9, on_error="robot")
    for number in range(40):
        stage.add(wander, at=(number % 8 * 2.5 + 2, number // 8 * 0.8 + 0.6), shape=Disc(0.3))
    with stage:
        for _ in range(100):
            stage.run(stage.simulation.now + 0.1)
            assert stage.world.least_gap() >= -CLOSE * 0.6
            for body in stage.world.bodies:
                x, y = body.position
                assert math.dist((x, y), (12, 12)) - 1.8 >= -CLOSE
                assert abs(y - 5) - 0.5 >= -CLOSE or not 5 <= x <= 19
        assert stage.world.contact_count > 10


@pytest.mark.parametrize(
    "slices", [[20.0], [float(t) for t in range(1, 21)], [t / 7 for t in range(1, 140)] + [20.0]]
)
def test_what_happens_does_not_depend_on_how_a_run_is_sliced(slices: list[float]) -> None:
    with crowd(30, radius=0.6) as whole, crowd(30, radius=0.6) as sliced:
        whole.run(20.0)
        for until in slices:
            sliced.run(until)
        assert sliced.outcome.trace_hash == whole.outcome.trace_hash
        assert [b.position for b in sliced.world.bodies] == [b.position for b in whole.world.bodies]
        assert sliced.world.contact_count == whole.world.contact_count > 10


def test_walkers_do_not_depend_on_slices_either_and_another_seed_is_another_run() -> None:
    hashes = []
    for seed, step in ((5, 8.0), (5, 0.37), (6, 8.0)):
        world = walkers(60, 0.5, seed=seed)
        with Simulation(world) as simulation:
            while simulation.now < 8:
                simulation.run(until=min(8.0, simulation.now + step))
            hashes.append(simulation.trace_hash)
    assert hashes[0] == hashes[1] != hashes[2]


def test_looking_changes_nothing() -> None:
    with crowd(30, radius=0.6) as quiet, crowd(30, radius=0.6) as looked_at:
        quiet.run(10.0)
        world = looked_at.world
        world.keep_journal(True)
        for step in range(1, 101):
            looked_at.run(step / 10)
            world.take_journal()
            world.near((12, 12), 5.0)
            world.first_hit((12, 12), step)
            world.near_obstacles((12, 12), 50.0)
            assert [body.velocity for body in world.bodies]
        assert quiet.outcome.trace_hash == looked_at.outcome.trace_hash


@pytest.mark.slow
def test_the_same_seed_gives_the_same_trace_in_another_process() -> None:
    code = "from tests.world.test_contact_crowds import crowd\nimport sys\nsys.stdout.write(crowd(30, radius=0.6).run(5.0).trace_hash)"
    here = crowd(30, radius=0.6).run(5.0).trace_hash
    for hashing in ("0", "1234"):
        there = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PYTHONHASHSEED": hashing},
        )
        assert there.stdout == here


@pytest.mark.parametrize("count", [5, 40])
def test_bodies_may_come_go_jump_and_grow_while_others_move(count: int) -> None:
    with crowd(count, radius=0.5) as stage:
        simulation, world = stage.simulation, stage.world
        chance = simulation.chance("changes")
        guests: list[SimulatedBody] = []
        for step in range(300):
            simulation.run(until=simulation.now + chance.exponential(0.05))
            place = chance.uniform(1, SIDE - 1), chance.uniform(1, SIDE - 1)
            with suppress(ValueError):  # of which Overlap is one
                match step % 4:
                    case 0:
                        guest = world.add_body(place, shape=Disc(chance.uniform(0.05, 1.0)), drive=Omni())
                        guest.start(Leg.line((12, 12), 2.0))
                        guests.append(guest)
                    case 1 if guests:
                        chance.choice(guests).resize(Disc(chance.uniform(0.05, 1.5)))
                    case 2 if guests:
                        chance.choice(guests).teleport(place)
                    case 3 if len(guests) > 20:
                        guests.pop(0).remove()
            assert least_gap(world.bodies) >= -CLOSE, f"at {simulation.now}"
        assert world.contact_count > 10


def test_a_body_put_in_the_way_is_met_and_one_taken_out_of_it_is_not() -> None:
    for change, end in (
        ("none", 4.0),
        ("remove", 20.0),
        ("teleport away", 20.0),
        ("teleport into", 2.0),
        ("grow", 3.0),
    ):
        world = world_with()
        mover, other = world.add_body((0, 0), shape=Disc(0.5)), world.add_body((5, 0), shape=Disc(0.5))
        with Simulation(world) as simulation:
            mover.start(Leg.line((20, 0), 1.0))
            simulation.run(until=1)
            match change:
                case "remove":
                    other.remove()
                case "teleport away":
                    other.teleport((5, 9))
                case "teleport into":
                    other.teleport((3, 0))
                case "grow":
                    other.resize(Disc(1.5))
            simulation.run(until=30)
            assert (change, mover.position.x) == (change, about(end))
