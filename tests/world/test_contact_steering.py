"""Bodies that bend without end, as programs steer them, touch when their places say so, however long they are left to it."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from kumi.contract import Steer
from kumi.devs import Simulation, sleep
from kumi.geometry import Disc, Ellipse, Outline, Polygon
from kumi.motion import Leg, Wheel
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import Block, Map, Overlap, Pillar, SimulatedBody, World
from tests.world.oracle import Place, gap
from tests.world.play import CLOSE, about, overhear

SIDE = 6.0
STEP = 1e-3


def steered(world: World, place: Place, speed: float, turning: float, radius: float = 0.1) -> SimulatedBody:
    """Put a disc at a place and let it go round."""
    body = world.add_body(place[:2], heading=place[2], shape=Disc(radius))
    body.start(Wheel().plan(Steer(speed, turning), body))
    return body


def crowd(count: int, holds: tuple[float, ...], seed: int) -> Stage:
    """Return a stage of robots of several sizes that steer, with something between them."""

    async def program(robot: Robot) -> None:
        chance = robot.chance
        while True:
            robot.steer(chance.uniform(-0.6, 1.0), chance.uniform(-2.0, 2.0) * chance.integer(0, 1))
            await sleep(holds[chance.integer(0, len(holds) - 1)])

    plan = Map(SIDE, SIDE, obstacles=[Pillar((3, 3), 0.3), Block(Outline([(1, 4), (2, 4), (1.5, 5)]))])
    stage = Stage(plan, seed=seed)
    row = math.ceil(math.sqrt(count))
    for number in range(count):
        at = ((number % row + 0.5) * SIDE / row, (number // row + 0.5) * SIDE / row)
        with suppress(Overlap):  # something stands there
            stage.add(program, at=at, radius=0.08 + 0.02 * (number % 3))
    return stage


def least_gap(bodies: tuple[SimulatedBody, ...]) -> float:
    """Return the smallest gap of discs to each other, to the border and to the pillar."""
    x, y, r = np.array([(*body.position, body.shape.reach) for body in bodies]).T
    gaps = np.hypot(x[:, None] - x, y[:, None] - y) - (r[:, None] + r)
    np.fill_diagonal(gaps, np.inf)
    border = min(float(np.min(side - r)) for side in (x, y, SIDE - x, SIDE - y))
    pillar = float(np.min(np.hypot(x - 3, y - 3) - 0.3 - r))
    return min(float(gaps.min()), border, pillar)


@pytest.mark.parametrize("holds", [(0.1,), (0.02, 0.1, 3.0), (1.0, 60.0)], ids=str)
@pytest.mark.parametrize("count", [9, 64, 144])
def test_robots_that_steer_never_overlap(count: int, holds: tuple[float, ...]) -> None:
    """Compared with all, and by cells; looked at for less than a motion lasts, and for much more."""
    with crowd(count, holds, seed=count) as stage:
        chance = stage.simulation.chance("times")
        for step in range(150):
            now = stage.simulation.now
            until = now + chance.exponential(0.05) if step % 2 else max(now, stage.simulation.next_time)
            stage.simulation.run(until=until)
            assert least_gap(stage.world.bodies) >= -CLOSE, f"at {stage.simulation.now}"
        assert stage.world.contact_count > 5


def overlaps(paths: list[NDArray[np.float64]], radii: list[float]) -> dict[tuple[int, int], list[float]]:
    """Return when each two began to overlap, to within a step, of places that were looked at each step."""
    found = {}
    for one, other in combinations(range(len(paths)), 2):
        open_ = np.hypot(*(paths[one] - paths[other]).T) > radii[one] + radii[other]
        found[one, other] = [float(k) * STEP for k in np.flatnonzero(open_[:-1] & ~open_[1:])]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_each_overlap_of_those_who_pass_through_each_other_is_one_contact(seed: int) -> None:
    """The places are closed forms, whatever is predicted: looking at them often is an oracle of the predictions."""
    world = World(on_contact="pass")
    draw = np.random.default_rng(seed)
    bodies = []
    for number in range(14):
        x, y = (number % 4) * 0.5 + draw.uniform(-0.1, 0.1), (number // 4) * 0.5 + draw.uniform(-0.1, 0.1)
        turning = draw.uniform(0.05, 3.0) * draw.choice([-1, 1])
        place = (x, y, draw.uniform(-3, 3))
        bodies.append(steered(world, place, draw.uniform(0.05, 0.5), turning, radius=draw.uniform(0.03, 0.1)))
    with Simulation(world) as simulation:
        told = overhear(simulation, bodies)
        paths: list[list[tuple[float, float]]] = [[] for _ in bodies]
        for k in range(12_000):
            simulation.run(until=k * STEP)
            for path, body in zip(paths, bodies, strict=True):
                path.append((body.position.x, body.position.y))
    radii = [body.shape.reach for body in bodies]
    expected = overlaps([np.array(path) for path in paths], radii)
    names = {body.name: body.number for body in bodies}
    seen: dict[tuple[int, int], list[float]] = {pair: [] for pair in expected}
    for who, time, by in told:
        if who < names[by]:
            seen[who, names[by]].append(time)
    assert sum(map(len, expected.values())) > 5
    for pair, times in expected.items():
        # A graze that is shorter than a step is seen by the contact alone.
        missed = [time for time in times if not any(time <= one <= time + STEP for one in seen[pair])]
        assert missed == [], f"{pair}: {missed} of {times} are not in {seen[pair]}"


def test_two_that_circle_for_ever_meet_when_they_come_to_the_same_place() -> None:
    """One goes round once in 2 pi s, the other once in 4 pi s the other way round: they meet head on where both circles touch.

    Their centres are 2 m apart and their circles 1 m and 1 m: the bodies, of 0.1 m, are at the touching point at multiples of
    2 pi and of 4 pi. The first starts a third of its round ahead, so it is there at 4 pi / 3 + 2 pi n, the second, which starts
    at the opposite side, at 2 pi + 4 pi n: apart by at least 2 pi / 3 rad, so they never touch.
    """
    world = World()
    third = 2 * math.pi / 3
    steered(world, (math.cos(third), math.sin(third), third + math.pi / 2), 1.0, 1.0)
    steered(world, (3.0, 0.0, -math.pi / 2), 0.5, -0.5)
    with Simulation(world) as simulation:
        simulation.run(until=1e4)
        assert world.contact_count == 0


@pytest.mark.parametrize("ahead", [0.3, 3.0, 30.0])
def test_who_is_slower_on_the_same_circle_is_caught_up_with(ahead: float) -> None:
    """On a circle of 10 m, at 1 and at 0.9 m/s: 0.1 m of the arc a second, until chords are the sum of the radii."""
    world = World()
    steered(world, (10.0, 0.0, math.pi / 2), 1.0, 0.1)
    angle = ahead / 10.0
    slow = steered(world, (10 * math.cos(angle), 10 * math.sin(angle), angle + math.pi / 2), 0.9, 0.09)
    with Simulation(world) as simulation:
        told = overhear(simulation, [slow])
        simulation.run(until=1e4)
    touching = 10.0 * 2.0 * math.asin(0.2 / 20.0)  # metres of the arc, for a chord of 0.2 m
    assert told[0].time == about((ahead - touching) / 0.1, rel=1e-9)


def test_a_run_in_which_all_circle_apart_from_each_other_has_an_end() -> None:
    """Nothing is left to happen, so it ends without being told when."""
    world = World()
    for number in range(12):
        steered(world, (100.0 * number, 0.0, 0.3), 0.3, 1.0)
    with Simulation(world) as simulation:
        assert simulation.run().finished


@pytest.mark.parametrize(
    "shape", [Ellipse(0.2, 0.1), Polygon([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)])], ids=str
)
def test_other_shapes_that_steer_do_not_overlap(shape: Ellipse | Polygon) -> None:
    """Twelve in a room, in new ways four times a second."""
    world = World(width=2.6, height=2.0)
    bodies = [
        world.add_body((0.4 + 0.6 * (n % 4), 0.4 + 0.6 * (n // 4)), heading=n, shape=shape) for n in range(12)
    ]
    draw = np.random.default_rng(3)
    with Simulation(world) as simulation:
        for step in range(30):
            for body in bodies:
                body.start(
                    Leg.arc(draw.uniform(0.1, 1.0) * draw.choice([-1, 1]), math.inf, draw.uniform(0.1, 0.6))
                )
            for part in range(5):
                simulation.run(until=0.25 * step + 0.05 * part)
                for one, other in combinations(bodies, 2):
                    at, to = ((*body.position, body.heading) for body in (one, other))
                    assert gap(shape, at, shape, to) >= -CLOSE * shape.reach
        assert world.contact_count > 3
