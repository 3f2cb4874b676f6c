"""Rays, neighbours and sight against looking at everything one by one."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import BodyShape, Circle, Disc, Ellipse, Outline, Point, Polygon
from kumi.motion import Leg
from kumi.world import BORDER, Block, Forbidden, Map, Overlap, Pillar, SimulatedBody, Wall, World
from tests.world.oracle import Bar, Form, Place, extent, gap, to_segment
from tests.world.play import angles, bars_of, few, regular

SIDE = 20.0
inner = st.floats(1, SIDE - 1)
spots = st.tuples(inner, inner)
PIN = Disc(1e-300)


def ray_to(form: Form, place: Place, origin: Point, direction: float) -> float:
    """Return how far a ray goes until it meets a form, 0 from inside, inf if it does not."""
    along = Point.polar(1.0, direction)
    if isinstance(form, Bar):
        start, end = Point(*form.start), Point(*form.end)
        if form.radius and to_segment((origin.x, origin.y), form.start, form.end) <= form.radius:
            return 0.0
        across = (
            Point(0, 0)
            if start == end
            else (end - start).turned(math.pi / 2) / abs(end - start) * form.radius
        )
        sides = [ray_to_side(origin, along, start + off, end + off) for off in (across, -across)]
        return min(
            *sides,
            *(
                ray_to_round((origin - tip) / (form.radius or 1e-300), along / (form.radius or 1e-300))
                for tip in (start, end)
            ),
        )
    own, way = (origin - Point(*place[:2])).turned(-place[2]), along.turned(-place[2])
    if isinstance(form, Polygon):
        edges = list(zip(form.corners, [*form.corners[1:], form.corners[0]], strict=True))
        if all((end - start).cross(own - start) >= 0 for start, end in edges):
            return 0.0
        return min(ray_to_side(own, way, start, end) for start, end in edges)
    length, width = (
        (form.radius, form.radius) if isinstance(form, Disc) else (form.length / 2, form.width / 2)
    )
    return ray_to_round(Point(own.x / length, own.y / width), Point(way.x / length, way.y / width))


def ray_to_side(origin: Point, along: Point, start: Point, end: Point) -> float:
    """Return the distance of a segment along a ray."""
    side = end - start
    slant = along.cross(side)
    if slant == 0:
        return math.inf
    way, share = (start - origin).cross(side) / slant, (start - origin).cross(along) / slant
    return way if way >= 0 and 0 <= share <= 1 else math.inf


def ray_to_round(origin: Point, along: Point) -> float:
    """Return the distance of the unit circle about (0, 0) along a ray."""
    a, b, c = along.dot(along), origin.dot(along), origin.dot(origin) - 1
    if c <= 0:
        return 0.0
    under = b * b - a * c
    return (-b - math.sqrt(under)) / a if under >= 0 and b < 0 else math.inf


def place_of(body: SimulatedBody) -> Place:
    """Return where a body is."""
    return body.position.x, body.position.y, body.heading


def scene(seed: int, count: int, walls: int) -> tuple[World, list[tuple[Form, Place, Any]], Simulation]:
    """Return a world under way with bodies of all shapes, and its parts for the oracle."""
    chance = Simulation(seed=seed).chance("scene")
    obstacles: list[Wall | Pillar | Block] = [
        Block(Outline([(8, 8), (12, 8), (12, 12), (11, 12), (11, 9), (8, 9)])),
        *(Pillar((chance.uniform(0, SIDE), chance.uniform(0, SIDE)), 0.3) for _ in range(walls)),
        *(
            Wall(
                (x := chance.uniform(1, 19), y := chance.uniform(1, 19)),
                (x + 1, y - 1),
                chance.choice([0.0, 0.2]),
            )
            for _ in range(walls)
        ),
    ]
    world = World(Map(SIDE, SIDE, obstacles=obstacles), ghost=True)
    shapes: list[BodyShape] = [Disc(0.3), Disc(0.1), Ellipse(0.8, 0.3), regular(5, 0.4, 0.2)]
    simulation = Simulation(world, seed=seed)
    for number in range(count):
        shape = shapes[number % len(shapes)]
        while True:
            try:
                at = chance.uniform(1, 19), chance.uniform(1, 19)
                body = world.add_body(at, heading=chance.uniform(-3, 3), shape=shape)
                break
            except ValueError:
                continue
        body.start(Leg.arc(0.5, 9, 0.3) if number % 2 else Leg.forward(0.5, 0.1))
    simulation.run(until=chance.uniform(0, 3))
    parts: list[tuple[Form, Place, Any]] = [(body.shape, place_of(body), body) for body in world.bodies]
    nowhere = (0.0, 0.0, 0.0)
    for obstacle in world.map.obstacles:
        match obstacle:
            case Wall(start, end, thickness):
                parts.append((Bar((start.x, start.y), (end.x, end.y), thickness / 2), nowhere, obstacle))
            case Pillar(centre, radius):
                parts.append((Bar((centre.x, centre.y), (centre.x, centre.y), radius), nowhere, obstacle))
            case Block(outline):
                parts += [(bar, nowhere, obstacle) for bar in bars_of([(c.x, c.y) for c in outline.corners])]
    parts += [(bar, nowhere, BORDER) for bar in bars_of([(0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE)])]
    return world, parts, simulation


def in_block(at: Point) -> bool:
    """Tell whether a point is inside the block of the scene."""
    return (8 < at.x < 12 and 8 < at.y < 9) or (11 < at.x < 12 and 8 < at.y < 12)


@given(st.integers(0, 2**32), st.sampled_from([0, 3, 60]), st.sampled_from([0, 5, 40]), st.data())
@few
def test_a_ray_hits_what_is_first_on_it(seed: int, count: int, walls: int, data: st.DataObject) -> None:
    world, parts, simulation = scene(seed, count, walls)
    with simulation:
        for _ in range(3):
            origin, direction = Point(*data.draw(spots)), data.draw(angles)
            reach = data.draw(st.sampled_from([1.0, 5.0, math.inf]))
            hits = [(ray_to(form, place, origin, direction), what) for form, place, what in parts]
            distance, _ = min(hits, key=lambda hit: hit[0])
            if in_block(origin):
                distance = 0.0
            hit = world.first_hit(origin, direction, reach)
            if distance > reach:
                assert hit is None or hit.distance == pytest.approx(reach)
                continue
            assert hit is not None
            assert hit.distance == pytest.approx(distance, abs=1e-7)
            assert abs(hit.point - origin - Point.polar(hit.distance, direction)) < 1e-12


@pytest.mark.parametrize("direction", [-1.859, 1.859])
def test_a_ray_from_the_side_of_a_block_meets_it_at_once(direction: float) -> None:
    world, _, simulation = scene(46417, 0, 5)
    with simulation:
        hit = world.first_hit((8.457169665833556, 9.0), direction)
        assert hit is not None
        assert hit.distance == 0.0


@given(st.integers(0, 2**32), st.sampled_from([0, 3, 24, 25, 90]), st.floats(0, 12), spots)
@few
def test_near_finds_all_whose_surface_is_within(
    seed: int, count: int, within: float, at: tuple[float, float]
) -> None:
    world, parts, simulation = scene(seed, count, 5)
    with simulation:
        found = world.near(at, within)
        assert [body.number for body in found] == sorted({body.number for body in found})
        for form, place, what in parts:
            if isinstance(what, SimulatedBody):
                away = gap(PIN, (*at, 0.0), form, place)
                assert (what in found) == (away <= within) or away == pytest.approx(within, abs=1e-9)
        obstacles = world.near_obstacles(at, within)
        assert [distance for _, distance in obstacles] == sorted(distance for _, distance in obstacles)
        nearest: dict[str, float] = {}
        for form, place, what in parts:
            if not isinstance(what, SimulatedBody):
                key = what if isinstance(what, str) else what.name
                away = (
                    0.0
                    if isinstance(what, Block) and in_block(Point(*at))
                    else gap(PIN, (*at, 0.0), form, place)
                )
                nearest[key] = min(nearest.get(key, math.inf), max(0.0, away))
        names = {
            what if isinstance(what, str) else getattr(what, "name", ""): away for what, away in obstacles
        }
        for name, away in nearest.items():
            if away < within - 1e-9:
                assert names[name] == pytest.approx(away, abs=1e-9)
            elif away > within + 1e-9:
                assert name not in names


@given(st.integers(0, 2**32), st.sampled_from([0, 3, 40]), spots, spots)
@few
def test_sight_is_free_where_no_ray_is_stopped(
    seed: int, count: int, one: tuple[float, float], other: tuple[float, float]
) -> None:
    world, parts, simulation = scene(seed, count, 4)
    here, there = Point(*one), Point(*other)
    distance = abs(there - here)
    with simulation:
        first = min(ray_to(form, place, here, (there - here).direction) for form, place, _ in parts)
        if in_block(here):
            first = 0.0
        if abs(first - distance) > 1e-6 and not grazes(parts, here, there):
            assert world.sees(here, there) == (first > distance)


def grazes(parts: list[tuple[Form, Place, Any]], here: Point, there: Point) -> bool:
    """Tell whether a line only just touches something."""
    across = (there - here).direction + math.pi / 2
    line = here.dot(Point.polar(1.0, across))
    edges = [
        value
        for form, place, _ in parts
        for value in (extent(form, place, across), -extent(form, place, across + math.pi))
    ]
    return any(abs(edge - line) < 1e-6 for edge in edges)


def test_the_one_who_looks_can_be_left_out() -> None:
    world = World(Map(SIDE, SIDE))
    eye, other = world.add_body((5, 5), shape=Disc(0.5)), world.add_body((9, 5), shape=Disc(0.5))
    hit = world.first_hit((5, 5), 0.0, ignoring=eye)
    assert hit == (3.5, Point(8.5, 5), other)
    assert world.first_hit((5, 5), 0.0) == (0.0, Point(5, 5), eye)
    border = world.first_hit((5, 5), 0.0, bodies=False)
    assert border == (15.0, Point(20, 5), BORDER)
    assert world.first_hit((5, 5), 0.0, 3.0, ignoring=eye) is None
    assert world.sees((5, 5), (12, 5), ignoring=[eye, other])
    assert not world.sees((5, 5), (12, 5), ignoring=[eye])


def test_a_polygon_hides_what_is_behind_it_and_nothing_else() -> None:
    world = World()
    world.add_body((5, 0), shape=Polygon([(-0.1, -2), (0.1, -2), (0.1, 2), (-0.1, 2)]))
    assert not world.sees((0, 1.9), (10, 1.9))
    assert world.sees((4, -3), (4, 3))
    assert world.sees((3.5, 0), (4.5, 0))


def test_forbidden_ground_hides_nothing_whatever_its_shape() -> None:
    for area in (Circle((5, 0), 1), Outline([(4, -1), (6, -1), (6, 1), (4, 1)])):
        world = World(Map(terrain=[Forbidden(area)]))
        assert world.first_hit((0, 0), 0.0, 20.0) is None
        assert world.sees((0, 0), (10, 0))
        assert world.near_obstacles((0, 0), 20.0) == []
        assert world.first_hit((5, 0), 0.0, 20.0) is None


def test_a_native_walker_is_no_border() -> None:
    world = World(Map(SIDE, SIDE))
    world.add_walkers(struct.pack("2d", 10.0, 10.0), 0.5, 0.5, 2.0, 3)
    hit = world.first_hit((5, 10), 0.0)
    assert hit is None or hit.what != BORDER or hit.distance == 15
    with pytest.raises(ValueError, match="overlap"):
        world.add_body((10.2, 10))


@given(at=spots, heading=angles, ahead=st.floats(-3, 3), size=st.floats(0.05, 2))
def test_a_body_that_lies_aside_of_its_position_counts_where_it_lies(
    at: tuple[float, float], heading: float, ahead: float, size: float
) -> None:
    """It is refused just where it overlaps the block or reaches over the border, wherever its position is."""
    block = [(8.0, 8.0), (14.0, 8.0), (14.0, 12.0), (8.0, 12.0)]
    shape = Polygon([(ahead, -size / 2), (ahead + size, 0), (ahead, size / 2)])
    corners = [Point(*at) + corner.turned(heading) for corner in shape.corners]
    apart = gap(shape, (*at, heading), Polygon(block), (0.0, 0.0, 0.0))
    within = min(min(one.x, one.y, SIDE - one.x, SIDE - one.y) for one in corners)
    assume(min(abs(apart), abs(within)) > 1e-6)
    world = World(Map(SIDE, SIDE, obstacles=[Block(Outline(block))]))
    if apart > 0 and within > 0:
        world.add_body(at, heading=heading, shape=shape)
    else:
        with pytest.raises(Overlap):
            world.add_body(at, heading=heading, shape=shape)


def test_what_lies_within_a_block_is_not_said_to_overlap_by_so_much() -> None:
    aside = Polygon([(2, -0.1), (2.4, 0), (2, 0.1)])
    block = Block(Outline([(4, 4), (6, 4), (6, 6), (4, 6)]))
    world = World(Map(SIDE, SIDE, obstacles=[block]))
    for at, shape in (((2.8, 5), aside), ((5, 5), Disc(0.1))):
        with pytest.raises(Overlap, match=r"it would lie within block 1$"):
            world.add_body(at, shape=shape)
    world.add_body((5, 5), shape=aside)
    open_world = World(Map(SIDE, SIDE))
    open_world.add_body((2.8, 5), shape=aside)
    with pytest.raises(Overlap, match="robot 0 is in its place"):
        open_world.add_obstacle(block)
