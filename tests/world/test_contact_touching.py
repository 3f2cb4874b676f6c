"""Who touches goes on along, away or round, wherever on the plane and of whatever shape: not blocked, and with little work."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract import BadGoal
from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Outline, Point, Polygon
from kumi.motion import Leg
from kumi.world import Block, Map, SimulatedBody, Wall, World
from tests.world.play import few, overhear

FAR = st.sampled_from([0.0, 1e3, 1e6, -1e6])
MANY = 20_000
"""Events that no second of a few bodies needs."""
ULP = 2.0**-52
ROUND = [Disc(0.4), Ellipse(0.8, 0.8)]


def regular(corners: int, size: float, ahead: float) -> Polygon:
    """Return a polygon whose middle lies so far before its position."""
    turns = [math.tau * number / corners for number in range(corners)]
    return Polygon([(ahead + size * math.cos(turn), size * math.sin(turn)) for turn in turns])


sizes = st.floats(0.2, 1.5)
shapes: st.SearchStrategy[BodyShape] = st.one_of(
    st.builds(Disc, sizes),
    st.builds(
        lambda size, slim: Ellipse(size, size * slim),
        sizes,
        st.sampled_from([1.0, 1 - 1e-9, 1.001, 0.3, 0.02]),
    ),
    st.builds(regular, st.integers(3, 8), sizes, st.sampled_from([0.0, 0.0, -1.2, 0.7])),
)


@given(FAR, st.lists(shapes, min_size=2, max_size=4), st.randoms(use_true_random=False))
@few
def test_bodies_that_jostle_never_overlap_and_make_little_work(
    far: float, forms: list[BodyShape], chance: Random
) -> None:
    """They drive at each other, along each other and along a wall and a block, turn, and go on after each contact."""
    wall = Wall((far + 4, far - 6), (far + 4, far + 6), 0.3)
    block = Block(Outline([(far - 6, far - 6), (far + 9, far - 6), (far + 9, far - 5)]))
    world = World(Map(obstacles=[wall, block]))
    bodies = []
    for form, (x, y) in zip(forms, [(-2.5, -2.5), (1, -2), (-2, 2), (1.5, 2)], strict=False):
        bodies.append(world.add_body((far + x, far + y), heading=chance.uniform(-3, 3), shape=form))
    large = max(form.reach for form in forms)  # which of them is nearest is not told
    with Simulation(world) as simulation:
        for _ in range(12):
            for body in bodies:
                leg = a_leg(chance, body, chance.choice(bodies))
                try:
                    body.start([leg])
                except BadGoal:
                    continue
            before = world.events
            simulation.run(until=simulation.now + chance.uniform(0.05, 1.0))
            assert world.events - before < MANY
            assert world.least_gap() >= -1e-9 * large - 4 * ULP * abs(far)


def a_leg(chance: Random, body: SimulatedBody, other: SimulatedBody) -> Leg:
    """Return some motion of a body, often towards another."""
    speed = 10 ** chance.uniform(-1, 1)
    goal = chance.choice(
        [other.position, body.position + Point(chance.uniform(-2, 2), chance.uniform(-2, 2))]
    )
    kinds: list[Callable[[], Leg]] = [
        lambda: Leg.spin(chance.uniform(-6, 6), speed),
        lambda: Leg.arc(chance.choice([-1, 1]) * 10 ** chance.uniform(-1, 1), chance.uniform(0.1, 3), speed),
        lambda: Leg.line(goal, speed),
        lambda: Leg.forward(chance.uniform(0.1, 3), speed),
        lambda: Leg.glide(goal, body.heading + chance.uniform(-3, 3), chance.uniform(0.3, 3)),
    ]
    return chance.choice(kinds)()


def along(x: float, y: float) -> Callable[[Point], Leg]:
    """Return a pattern of a second, straight on."""
    return lambda here: Leg.pattern(lambda t: (here.x + x * t, here.y + y * t, 0.0), 1.0, 1.0, 0.0)


WAYS: dict[str, Callable[[Point], Leg]] = {
    "turns": lambda _: Leg.spin(3.0, 3.0),
    "goes along": lambda here: Leg.line((here.x, here.y + 1), 1.0),
    "goes along on a pattern": along(0.0, 1.0),
    "leaves at a flat angle on a pattern": along(-0.001, 0.9),
    "leaves on a pattern": along(-1.0, 0.0),
    "glides along": lambda here: Leg.glide((here.x, here.y + 1), 2.0, 1.0),
}


@pytest.mark.parametrize("far", [0.0, 1e4, 1e6])
@pytest.mark.parametrize("shape", ROUND, ids=["disc", "round ellipse"])
@pytest.mark.parametrize("way", WAYS)
def test_a_round_body_at_a_wall_is_free_to_go_along_and_away(way: str, shape: BodyShape, far: float) -> None:
    world = World(Map(obstacles=[Wall((far + 2, far - 50), (far + 2, far + 50))]))
    body = world.add_body((far, far), shape=shape)
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start([Leg.forward(5.0, 1.0)])
        simulation.run(until=10.0)
        assert [round(one.time, 6) for one in told] == [1.6]
        body.start([WAYS[way](body.position)])
        simulation.run(until=12.0)
    assert len(told) == 1
    assert not body.is_moving
    assert world.events < MANY


@pytest.mark.slow
@pytest.mark.parametrize("far", [0.0, 1e4, 1e6])
@pytest.mark.parametrize("shape", ROUND, ids=["disc", "round ellipse"])
def test_a_round_body_goes_round_another_at_no_distance(shape: BodyShape, far: float) -> None:
    """All the way round at a gap of 0, on an arc about the middle of the other."""
    world = World()
    body = world.add_body((far + 0.9, far), heading=math.pi / 2, shape=shape)
    world.add_body((far, far), shape=Disc(0.5) if isinstance(shape, Disc) else Ellipse(1, 1))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start([Leg.arc(0.9, math.tau, 1.0)])
        simulation.run(until=10.0)
    assert told == []
    assert abs(body.position - Point(far + 0.9, far)) < 1e-9
    assert world.events < MANY


def test_a_small_disc_does_not_go_through_the_side_of_a_block_far_away() -> None:
    """It touches the slanted side, up to rounding; from there it drives on into it."""
    far, radius = 1e6, 0.05921738428507809
    block = Block(Outline([(far - 5, far - 5), (far + 9, far - 5), (far + 9, far - 4)]))
    for number in range(300):
        world = World(Map(obstacles=[block]))
        body = world.add_body((far - 4 + 0.04 * number, far), shape=Disc(radius))
        with Simulation(world) as simulation:
            for _ in range(3):
                here = body.position
                body.start([Leg.line((here.x + 0.003 * (number % 7 - 3), here.y - 6), 1.0)])
                simulation.run(until=simulation.now + 10.0)
            assert world.least_gap() > -1e-9


def test_nearly_round_shapes_turn_beside_each_other_with_little_work() -> None:
    world = World()
    one = world.add_body((0, 0), shape=Ellipse(0.8, 0.8 + 1e-9))
    world.add_body((0.8 + 2e-9, 0), shape=Disc(0.4))
    with Simulation(world) as simulation:
        one.start([Leg.spin(30.0, 1.0)])
        simulation.run(until=40.0)
    assert world.events < MANY
