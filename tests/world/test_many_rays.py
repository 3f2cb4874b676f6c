"""What many rays from one place find, against each ray alone; who is in sight and what is around, against looking at all one by one."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi import _core
from kumi.geometry import BodyShape, Disc, Ellipse, Outline, Point, Polygon
from kumi.sensing.noise import GaussianNoise, Noise, UniformNoise, misread
from kumi.world import Block, Map, Material, Modality, Obstacle, Pillar, Wall, World
from kumi.world.materials import DARK, GLASS, SOLID
from kumi.world.world import RAYS, SimulatedBody

SIDE = 20.0
EYE = _core.Shape.disc(1e-300)
coordinates = st.floats(1.0, SIDE - 1.0)
spots = st.tuples(coordinates, coordinates)
angles = st.floats(-7.0, 7.0)
materials = st.sampled_from((SOLID, DARK, GLASS))
shapes: st.SearchStrategy[BodyShape] = st.sampled_from(
    (Disc(0.3), Ellipse(0.8, 0.3), Polygon([(-0.3, -0.2), (0.3, -0.2), (0.2, 0.3)]), Disc(1.5))
)
walls = st.builds(
    lambda start, way, turn, thickness, material: Wall(
        start, Point(*start) + Point.polar(way, turn), thickness, material=material
    ),
    spots,
    st.floats(0.1, 5.0),
    angles,
    st.sampled_from((0.0, 0.1, 0.5)),
    materials,
)
pillars = st.builds(
    lambda centre, radius, material: Pillar(centre, radius, material=material),
    spots,
    st.floats(0.1, 1.0),
    materials,
)
blocks = st.builds(
    lambda at, size, material: Block(
        Outline([at, (at[0] + size, at[1]), (at[0] + size, at[1] + 0.5), (at[0], at[1] + 0.5)]),
        material=material,
    ),
    spots,
    st.floats(0.2, 2.0),
    materials,
)
robots = st.lists(st.tuples(spots, angles, shapes), max_size=40)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw a world with some obstacles and robots, which may overlap."""
    obstacles: list[Obstacle] = draw(st.lists(walls | pillars | blocks, max_size=6))
    bounds = draw(st.sampled_from((None, SIDE)))
    world = World(Map(bounds, bounds, obstacles=obstacles), ghost=True)
    for at, heading, shape in draw(robots):
        put(world, at, heading, shape)
    return world


def put(world: World, at: Any, heading: float, shape: BodyShape) -> SimulatedBody | None:
    """Add a body where it may stand."""
    try:
        return world.add_body(at, heading=heading, shape=shape)
    except ValueError:
        return None


@given(
    worlds(),
    spots,
    angles,
    st.integers(1, 80),
    st.floats(0.1, 6.28),
    st.sampled_from((0.5, 4.0, 30.0, math.inf)),
    st.sampled_from(tuple(Modality)),
    st.booleans(),
)
def test_many_rays_find_what_each_finds_alone(
    world: World,
    at: tuple[float, float],
    first: float,
    count: int,
    view: float,
    reach: float,
    modality: Modality,
    sees_bodies: bool,
) -> None:
    directions = first + view / count * np.arange(count)

    found = world.rays(at, directions, reach, bodies=sees_bodies, modality=modality)

    alone = [
        hit.distance if hit is not None and hit.echoes(modality) else math.inf
        for hit in (
            world.first_hit(at, direction, reach, bodies=sees_bodies, modality=modality)
            for direction in directions.tolist()
        )
    ]
    assert found.tolist() == alone


@given(worlds(), spots, st.lists(angles, min_size=1, max_size=20))
def test_rays_in_any_order_find_the_same(
    world: World, at: tuple[float, float], directions: list[float]
) -> None:
    found = world.rays(at, directions, 15.0)

    assert found.tolist() == [
        math.inf if (way := world.echo(at, direction, 15.0)) is None else way for direction in directions
    ]


def test_rays_come_back_in_the_shape_of_their_directions() -> None:
    world = World(width=4.0, height=4.0)

    found = world.rays((2.0, 2.0), np.zeros((2, 3)))

    assert found.tolist() == [[2.0] * 3] * 2
    assert world.rays((2.0, 2.0), []).tolist() == []
    assert world.rays((2.0, 2.0), np.zeros((2, 3)), 1.0).tolist() == [[math.inf] * 3] * 2


def test_rays_say_what_they_take() -> None:
    with pytest.raises(ValueError, match=r"rays\(\): directions are finite angles"):
        World().rays((0.0, 0.0), [math.nan])
    with pytest.raises(ValueError, match=r"a reach is a number of metres > 0, not -1\.0"):
        World().rays((0.0, 0.0), [0.0], -1.0)


@given(
    worlds(), spots, angles, shapes, st.floats(0.1, math.tau), angles, st.sampled_from((2.0, 9.0, math.inf))
)
def test_who_is_in_sight_is_found_by_a_ray_to_each(
    world: World,
    at: tuple[float, float],
    heading: float,
    shape: BodyShape,
    view: float,
    bearing: float,
    reach: float,
) -> None:
    viewer = put(world, at, heading, shape)
    if viewer is None:
        return
    here = viewer.position

    def off(direction: float) -> float:
        return math.remainder(direction, math.tau)

    expected = []
    for other in world.bodies:
        step = other.position - here
        (x, y), (there_x, there_y) = here, other.position
        gap = _core.gap(EYE, x, y, 0.0, other.shape.core, there_x, there_y, other.heading)[0]
        hit = world.first_hit(here, step.direction, abs(step), ignoring=viewer) if abs(step) > 0.0 else None
        if (
            other is not viewer
            and gap <= reach
            and (abs(step) == 0.0 or abs(off(step.direction - (viewer.heading + bearing))) <= view / 2)
            and (hit is None or hit.what is other)
        ):
            expected.append((other, max(0.0, gap), off(step.direction - viewer.heading)))

    assert world.visible(viewer, reach, view=view, bearing=bearing) == expected


@given(worlds(), spots, st.floats(0.2, 12.0), angles, st.floats(0.1, math.tau))
def test_what_is_around_is_each_thing_at_its_nearest_point_in_view(
    world: World, at: tuple[float, float], within: float, middle: float, view: float
) -> None:
    nearest: dict[object, float] = {}

    def look(thing: object, shape: _core.Shape, x: float, y: float, heading: float) -> None:
        gap, right, up, *_ = _core.gap(EYE, at[0], at[1], 0.0, shape, x, y, heading)
        off = abs(math.remainder(Point(right, up).direction - middle, math.tau))
        assume(min(abs(gap), abs(gap - within), abs(off - view / 2)) > 1e-9)  # else rounding decides
        if gap <= within and off <= view / 2:
            nearest[thing] = min(gap, nearest.get(thing, math.inf))

    def look_at_side(thing: object, a: Point, b: Point, radius: float) -> None:
        middle_x, middle_y = (a + b) / 2
        (to_x, to_y) = b - Point(middle_x, middle_y)
        corners = [(-to_x, -to_y), (to_x, to_y)] if a != b else [(0.0, 0.0)]
        look(thing, _core.Shape.polygon(corners, radius), middle_x, middle_y, 0.0)

    for body in world.bodies:
        look(body, body.shape.core, body.position.x, body.position.y, body.heading)
    for thing in world.map.obstacles:
        for a, b, radius in sides_of(thing):
            look_at_side(thing, a, b, radius)
    if world.map.is_finite:
        left, bottom, right, top = world.map.bounds
        ring = [Point(left, bottom), Point(right, bottom), Point(right, top), Point(left, top)]
        for a, b in pairwise([*ring, ring[0]]):
            look_at_side("border", a, b, 0.0)

    found = world.around(at, within, middle, view, None, RAYS[Modality.TOUCH][0])

    assert {
        other if other is not None else world.thing(obstacle): gap for gap, other, obstacle, _ in found
    } == pytest.approx(nearest, abs=1e-9)


def sides_of(thing: Obstacle) -> list[tuple[Point, Point, float]]:
    """Return the stretches of which an obstacle is made, with half their thickness."""
    match thing:
        case Wall(start, end, thickness):
            return [(start, end, thickness / 2)]
        case Pillar(centre, radius):
            return [(centre, centre, radius)]
        case Block(outline):
            return [(side.start, side.end, 0.0) for side in outline.sides]


@given(worlds(), spots, angles, st.floats(0.05, 3.1), st.sampled_from((Modality.LIGHT, Modality.SOUND)))
def test_no_beam_of_a_cone_comes_nearer_than_the_cone(
    world: World, at: tuple[float, float], middle: float, width: float, modality: Modality
) -> None:
    beams = world.rays(at, np.linspace(middle - width / 2, middle + width / 2, 2_000), 8.0, modality=modality)

    found = world.nearest_in_cone(at, middle, width, 8.0, None, *RAYS[modality])

    assert (math.inf if found is None else found) <= beams.min() + 1e-9


@given(st.lists(st.tuples(spots, st.floats(0.1, 0.8)), max_size=12), spots, angles, st.floats(0.05, 3.1))
def test_a_cone_finds_the_nearest_point_of_discs(
    discs: list[tuple[tuple[float, float], float]], at: tuple[float, float], middle: float, width: float
) -> None:
    """Of a disc, that is the point towards the middle if it lies in the cone, else where an edge of the cone meets it."""
    world = World(Map(obstacles=[Pillar(centre, radius) for centre, radius in discs]))
    found = world.nearest_in_cone(at, middle, width, 8.0, None, *RAYS[Modality.LIGHT])

    distances = []
    for centre, radius in discs:
        step = Point(*centre) - Point(*at)
        if abs(step) <= radius:
            distances.append(0.0)
        elif abs(math.remainder(step.direction - middle, math.tau)) <= width / 2:
            distances.append(abs(step) - radius)
        else:
            for edge in (middle - width / 2, middle + width / 2):
                along = Point.polar(1.0, edge)
                aside, ahead = abs(along.cross(step)), along.dot(step)
                if aside <= radius and ahead > 0.0:
                    distances.append(ahead - math.sqrt(radius**2 - aside**2))
    nearest = min((one for one in distances if one <= 8.0), default=None)
    assert found == (None if nearest is None else pytest.approx(nearest, abs=1e-9))


class Twice:
    """A noise of a user's own."""

    def __call__(self, value: float, chance: _core.Chance) -> float:
        return 2.0 * value + chance.uniform()


@given(
    st.lists(st.floats(0.0, 10.0) | st.just(math.inf), max_size=30),
    st.sampled_from((GaussianNoise(0.1, 0.02), UniformNoise(0.2, 0.01), Twice())),
    st.sampled_from((0.0, 0.3, 1.0)),
    st.integers(1, 2**32),
)
def test_readings_err_as_each_alone_does(
    distances: list[float], noise: Noise, dropout: float, seed: int
) -> None:
    one, other = (_core.Chance(seed.to_bytes(32, "little")) for _ in range(2))

    found = misread(np.array(distances).tobytes(), noise, dropout, 0.5, 8.0, one)

    alone = [
        math.inf
        if distance > 8.0 or (dropout and other.happens(dropout))
        else min(max(noise(distance, other), 0.5), 8.0)
        for distance in distances
    ]
    assert np.frombuffer(found).tolist() == alone
    assert one.uniform() == other.uniform()


def test_a_material_that_swallows_hides_what_is_behind() -> None:
    velvet = Material("velvet", echoes_light=False)
    world = World(Map(obstacles=[Wall((2, -1), (2, 1), material=velvet), Wall((3, -9), (3, 9))]))

    beside = math.hypot(3.0, 1.5)  # the beam past the rim of the nearer one meets the farther one there

    found = world.nearest_in_cone((0.0, 0.0), 0.0, math.pi / 2, 9.0, None, *RAYS[Modality.LIGHT])

    assert found == pytest.approx(beside, abs=1e-6)
