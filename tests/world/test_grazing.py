"""Touching counts, everywhere: who comes from afar and grazes is in contact, in range, hit.

All numbers are exact in binary, so the least gap of each pass is 0 to the last bit.
"""

from __future__ import annotations

import math

import pytest

from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Outline, Point, Polygon, Rectangle
from kumi.motion import Leg
from kumi.world import Block, Map, Obstacle, Pillar, SimulatedBody, Wall, World
from kumi.world.world import PolicyName
from tests.world.play import about, overhear

DISC = Disc(0.5)
SQUARE = Polygon([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
DIAMOND = Polygon([(0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5)])
ELLIPSE = Ellipse(2.0, 1.0)
SHAPES: dict[str, BodyShape] = {"disc": DISC, "square": SQUARE, "diamond": DIAMOND, "ellipse": ELLIPSE}
FLAT = {"square": 0.5}
"""How far before its centre a shape is as high as it ever is; all others there alone."""

LEGS = {
    "line": Leg.line((10.0, 0.0), 1.0),
    "forward": Leg.forward(10.0, 1.0),
    "faster": Leg.forward(10.0, 0.0, 0.5),
    "glide": Leg.glide((10.0, 0.0), 0.0, 10.0),
}


def time_at(way: str, x: float) -> float:
    """Return when a body that begins at 0 comes to x on a way."""
    return math.sqrt(4 * x) if way == "faster" else x


@pytest.mark.some_of(3)
@pytest.mark.parametrize("policy", ["stop", "pass"])
@pytest.mark.parametrize("way", LEGS)
@pytest.mark.parametrize("other", SHAPES)
@pytest.mark.parametrize("one", SHAPES)
def test_bodies_that_graze_are_in_contact(one: str, other: str, way: str, policy: PolicyName) -> None:
    """The highest points of one pass along y = 0.5, where the lowest of the other are, at x = 5."""
    world = World(on_contact=policy)
    mover = world.add_body((0, 0), shape=SHAPES[one], name="mover")
    world.add_body((5, 1), shape=SHAPES[other], name="stander")
    with Simulation(world) as simulation:
        told = overhear(simulation, [mover])
        mover.start(LEGS[way])
        simulation.run(until=20.0)
    x = 5.0 - FLAT.get(one, 0.0) - FLAT.get(other, 0.0)
    assert [by for _, _, by in told] == ["stander"]
    assert told[0].time == pytest.approx(time_at(way, x), abs=1e-4)
    assert mover.position.x == pytest.approx(x if policy == "stop" else 10.0, abs=1e-4)


@pytest.mark.parametrize("one", SHAPES)
@pytest.mark.parametrize("other", SHAPES)
def test_bodies_that_graze_on_opposite_ways_are_in_contact(one: str, other: str) -> None:
    world = World(on_contact="pass")
    mover = world.add_body((0, 0), shape=SHAPES[one], name="mover")
    comes = world.add_body((10, 1), shape=SHAPES[other], name="comes")
    with Simulation(world) as simulation:
        told = overhear(simulation, [mover])
        mover.start(Leg.line((10, 0), 1.0))
        comes.start(Leg.line((0, 1), 1.0))
        simulation.run(until=20.0)
    assert [by for _, _, by in told] == ["comes"]
    x = 5.0 - (FLAT.get(one, 0.0) + FLAT.get(other, 0.0)) / 2
    assert told[0].time == pytest.approx(x, abs=1e-4)


OBSTACLES: dict[str, Obstacle] = {
    "pillar": Pillar((5, 1), 0.5, "thing"),
    "end of a wall": Wall((5, 0.5), (5, 3), 0.0, "thing"),
    "round end of a wall": Wall((5, 0.75), (5, 3), 0.5, "thing"),
    "wall along the way": Wall((5, 0.5), (8, 0.5), 0.0, "thing"),
    "thick wall along the way": Wall((5, 1), (8, 1), 1.0, "thing"),
    "corner of a block": Block(Outline([(5, 0.5), (6, 2), (4, 2)]), "thing"),
    "side of a block": Block(Rectangle(5, 0.5, 2, 1), "thing"),
}


@pytest.mark.some_of(3)
@pytest.mark.parametrize("policy", ["stop", "pass"])
@pytest.mark.parametrize("way", LEGS)
@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("one", SHAPES)
def test_bodies_that_graze_an_obstacle_are_in_contact(
    one: str, obstacle: str, way: str, policy: PolicyName
) -> None:
    world = World(Map(obstacles=[OBSTACLES[obstacle]]), on_contact=policy)
    mover = world.add_body((0, 0), shape=SHAPES[one], name="mover")
    with Simulation(world) as simulation:
        told = overhear(simulation, [mover])
        mover.start(LEGS[way])
        simulation.run(until=20.0)
    assert [by for _, _, by in told] == ["thing"]
    assert told[0].time == pytest.approx(time_at(way, 5.0 - FLAT.get(one, 0.0)), abs=1e-4)


ASIDE = {"wall": 0.0, "border": 0.0, "pillar": 1e-11, "disc": 1e-11}
"""How much nearer than touching something stands. The way to a round thing on an arc has roots, so rounding decides
about the last bits."""


@pytest.mark.parametrize("thing", ASIDE)
@pytest.mark.parametrize("radius", [2.0, -2.0])
def test_a_disc_whose_arc_grazes_something_is_in_contact(radius: float, thing: str) -> None:
    """An arc from (2, 5) along x: a quarter leads to x = 4, and everything stands 0.5 m farther."""
    nearest = Point(4, 5 + radius)
    x = 5 - ASIDE[thing]
    obstacles: list[Obstacle] = [Wall((4.5, 0), (4.5, 9), 0.0, thing)] if thing == "wall" else []
    if thing == "pillar":
        obstacles = [Pillar((x, nearest.y), 0.5, thing)]
    world = World(Map(4.5 if thing == "border" else 20.0, 10, obstacles=obstacles), on_contact="pass")
    mover = world.add_body((2, 5), shape=DISC, name="mover")
    if thing == "disc":
        world.add_body((x, nearest.y), shape=DISC, name=thing)
    with Simulation(world) as simulation:
        told = overhear(simulation, [mover])
        mover.start(Leg.arc(radius, math.copysign(math.pi, radius), 1.0))
        simulation.run(until=20.0)
    assert [by for _, _, by in told] == [thing]
    assert told[0].time == pytest.approx(math.pi, abs=1e-4)


@pytest.mark.parametrize("way", LEGS)
def test_who_grazes_a_range_comes_in_and_leaves_at_once(way: str) -> None:
    """The disc's surface comes to within 1 m of the eye, and no nearer, at x = 5."""
    world = World(ghost=True)
    mover = world.add_body((0, 0), shape=DISC, name="mover")
    eye = world.add_body((5, 1.5), shape=DISC, name="eye")
    seen: list[tuple[float, bool]] = []
    with Simulation(world) as simulation:
        eye.watch(1.0, lambda enters, _: seen.append((simulation.now, enters)))
        mover.start(LEGS[way])
        simulation.run(until=20.0)
    due = time_at(way, 5.0)
    assert seen == [(about(due, abs=1e-4), True), (about(due, abs=1e-4), False)]


@pytest.mark.parametrize("way", LEGS)
def test_who_ends_exactly_at_a_range_is_within_it(way: str) -> None:
    """It comes to rest where its surface is 1 m from the eye; from there it goes on, and then away."""
    world = World(ghost=True)
    mover = world.add_body((0, 0), shape=DISC, name="mover")
    eye = world.add_body((11.5, 0), shape=DISC, name="eye")
    seen: list[tuple[float, bool]] = []
    with Simulation(world) as simulation:
        watch = eye.watch(1.0, lambda enters, _: seen.append((simulation.now, enters)))
        mover.start(LEGS[way])
        simulation.run(until=20.0)
        assert seen == [(about(time_at(way, 10.0)), True)]
        assert watch.inside == [mover]
        mover.start(Leg.line((0, 0), 1.0))
        simulation.run(until=40.0)
    assert seen[1:] == [(20.0, False)]


@pytest.mark.parametrize("body", [DISC, SQUARE, DIAMOND, ELLIPSE])
def test_a_ray_that_grazes_a_body_hits_it(body: BodyShape) -> None:
    world = World()
    world.add_body((5, 0.5), shape=body, name="thing")
    hit = world.first_hit((0, 0), 0.0)
    assert hit is not None
    assert isinstance(hit.what, SimulatedBody)
    assert hit.distance == pytest.approx(4.5 if body is SQUARE else 5.0, abs=1e-6)


RAYS: dict[str, tuple[Obstacle, float]] = {
    "pillar": (Pillar((5, 0.5), 0.5), 5.0),
    "end of a wall": (Wall((5, 0), (5, 3)), 5.0),
    "round end of a wall": (Wall((5, 0.25), (5, 3), 0.5), 5.0),
    "wall along the ray": (Wall((5, 0), (8, 0)), 5.0),
    "wall along the ray, from behind": (Wall((8, 0), (5, 0)), 5.0),
    "side of a thick wall": (Wall((5, 0.5), (8, 0.5), 1.0), 5.0),
    "corner of a block": (Block(Outline([(5, 0), (6, 2), (4, 2)])), 5.0),
    "side of a block": (Block(Rectangle(5, 0, 2, 1)), 5.0),
}


@pytest.mark.parametrize("obstacle", RAYS)
def test_a_ray_that_grazes_an_obstacle_hits_it(obstacle: str) -> None:
    thing, distance = RAYS[obstacle]
    hit = World(Map(obstacles=[thing])).first_hit((0, 0), 0.0)
    assert hit is not None
    assert hit.distance == distance


def test_a_reach_that_ends_at_a_surface_reaches_it() -> None:
    world = World(Map(obstacles=[Wall((5, -1), (5, 1))]))
    assert world.first_hit((0, 0), 0.0, 5.0) is not None
    assert world.first_hit((0, 0), 0.0, 4.999) is None
    body = world.add_body((0, 8), shape=DISC)
    assert world.near((0, 0), 7.5) == [body]
    assert [distance for _, distance in world.near_obstacles((0, 0), 5.0)] == [5.0]


@pytest.mark.parametrize("aside", [0.25, -0.25])
@pytest.mark.parametrize("other", ["disc", "diamond", "ellipse", "pillar", "end of a wall"])
def test_a_side_that_turns_away_from_what_it_touches_is_not_in_contact(other: str, aside: float) -> None:
    """The right side of a square is touched above its middle: it turns away to the left, and presses on to the right."""
    things: dict[str, Obstacle] = {
        "pillar": Pillar((1, aside), 0.5, "thing"),
        "end of a wall": Wall((0.5, aside), (3, aside), 0.0, "thing"),
    }
    for angle, due in ((0.125, []), (-0.125, [1.0])):
        world = World(Map(obstacles=[things[other]] if other in things else []))
        square = world.add_body((0, 0), shape=SQUARE, name="square")
        if other in SHAPES:
            x = 1.5 if other == "ellipse" else 1.0
            world.add_body((x, aside), shape=SHAPES[other], name="thing")
        with Simulation(world) as simulation:
            told = overhear(simulation, [square])
            simulation.run(until=1.0)
            square.start(Leg.spin(math.copysign(angle, angle * aside), 1.0))
            simulation.run(until=2.0)
        assert [time for _, time, _ in told] == due


def test_sides_that_lie_along_each_other_press_on_whichever_way_one_turns() -> None:
    for angle in (0.125, -0.125):
        world = World()
        square = world.add_body((0, 0), shape=SQUARE)
        world.add_body((1, 0), shape=SQUARE)
        with Simulation(world) as simulation:
            told = overhear(simulation, [square])
            square.start(Leg.spin(angle, 1.0))
            simulation.run(until=2.0)
        assert [time for _, time, _ in told] == [0.0]
