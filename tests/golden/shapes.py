"""Scenes of geometry: every function of places, headings, shapes and areas, on drawn values."""

from __future__ import annotations

from math import pi

from kumi._core import Chance, Shape, contains, extent, ray_hit
from kumi.devs.chance import stream
from kumi.geometry import (
    BodyShape,
    Circle,
    Disc,
    Ellipse,
    Outline,
    Point,
    Polygon,
    Pose,
    Rectangle,
    Segment,
    gap,
)
from kumi.motion import Leg, Piece
from kumi.motion.pursuit import PursuitCurve, after_arc, arcs_along, is_curve, last_arc
from kumi.world import Block, Map, Obstacle, Pillar, Wall, World
from tests.golden.content import content_hash

SHAPES: list[BodyShape] = [
    Disc(0.4),
    Ellipse(1.2, 0.3),
    Ellipse(0.5, 0.5),
    Polygon([(0.5, 0.0), (-0.3, 0.4), (-0.3, -0.4)]),
    Polygon([(0.5, 0.2), (0.2, 0.5), (-0.5, 0.2), (-0.5, -0.2), (0.2, -0.5)]),
]


def place(drawn: Chance) -> Point:
    """Draw a place."""
    return Point(drawn.normal(0, 2), drawn.normal(0, 2))


def points() -> str:
    """Sums, products, lengths, directions and turns of places."""
    drawn, found = stream(1, "points"), list[object]()
    for _ in range(500):
        one, other, angle = place(drawn), place(drawn), drawn.uniform(-20, 20)
        found += [one + other, one - other, one * angle, one / angle, -one, abs(one), one.distance_to(other)]
        found += [
            one.dot(other),
            one.cross(other),
            one.turned(angle),
            one.direction,
            Point.polar(angle, angle),
        ]
    return content_hash(found)


def areas() -> str:
    """Lengths, areas, bounds, and what is inside."""
    drawn, found = stream(2, "areas"), list[object]()
    star = Outline([(0, 2), (0.5, 0.5), (2, 0), (0.5, -0.5), (0, -2), (-0.5, -0.5), (-2, 0), (-0.5, 0.5)])
    for _ in range(300):
        one, other = place(drawn), place(drawn)
        circle, segment = Circle(one, 1 + abs(other)), Segment(one, other)
        found += [segment.length, list(segment.bounds), list(circle.bounds), circle.contains(other)]
        found += [star.contains(one), Rectangle(-1, -1, 2, 3).contains(one)]
    return content_hash(found, star.area, list(star.bounds))


def gaps() -> str:
    """How far apart shapes of all kinds are, or how deep in each other."""
    drawn, found = stream(3, "gaps"), list[object]()
    for one in SHAPES:
        for other in SHAPES:
            for _ in range(40):
                poses = [Pose(place(drawn), drawn.uniform(-7, 7)) for _ in range(2)]
                found.append(gap(one, poses[0], other, poses[1]))
    return content_hash(found, [shape.reach for shape in SHAPES])


def rays() -> str:
    """What rays meet, what is near, and what can be seen."""
    things: list[Obstacle] = [
        Wall((1, -3), (1, 3), 0.2),
        Pillar((-2, 1), 0.6),
        Block(Outline([(-1, -3), (0.5, -3), (0, -2)])),
    ]
    world = World(Map(obstacles=things))
    for number, shape in enumerate(SHAPES):
        world.add_body((3.0 + 2 * number, 1.5 * number), heading=number, shape=shape)
    drawn, found = stream(4, "rays"), list[object]()
    for _ in range(400):
        start, along = place(drawn), drawn.uniform(-pi, pi)
        hit = world.first_hit(start, along, 30.0)
        found += [None if hit is None else [hit.distance, hit.point]]
        found += [world.sees(start, place(drawn)), [away for _, away in world.near_obstacles(start, 3.0)]]
        found += [extents(drawn, shape.core, start) for shape in SHAPES]
    return content_hash(found, world.least_gap())


def extents(drawn: Chance, shape: Shape, start: Point) -> list[object]:
    """Return where a ray meets a turned shape, how far the shape extends, and whether it holds a place."""
    heading, end = drawn.uniform(-7, 7), place(drawn)
    return [
        ray_hit(shape, 0.3, -0.2, heading, *start, *end),
        extent(shape, heading, *end),
        contains(shape, 0.3, -0.2, heading, *start),
    ]


def legs() -> str:
    """Where bodies are on legs of every kind, at many instants."""
    kinds = [
        Leg.line((3, 4), 1.3, 0.4),
        Leg.forward(2.5, 0.7, 0.0),
        Leg.spin(2.0, 0.9),
        Leg.arc(1.5, -4.0, 0.8, 0.3),
        Leg.rest(2.0),
        Leg.glide((2, -1), 1.2, 3.0),
    ]
    found: list[object] = []
    for leg in kinds:
        for heading in (0.0, 0.7, -2.9):
            piece = Piece.of(leg, Point(0.3, -0.4), heading)
            found += [piece.duration, piece.length, [list(piece.at(0.037 * k)) for k in range(120)]]
    return content_hash(found)


def pursuits() -> str:
    """Arcs of a car along curves, and to their ends."""
    drawn, found = stream(5, "pursuits"), list[object]()
    for _ in range(12):
        places, heading = [Point(0.0, 0.0)], 0.0
        for _ in range(40):
            heading += drawn.uniform(-0.15, 0.15)
            places.append(places[-1] + Point.polar(0.3, heading))
        curve, here, course = PursuitCurve(places), places[0], 0.0
        found += [is_curve(places, 1.0), curve.length, list(curve.at(0.5 * curve.length))]
        for curvature, way in arcs_along(curve, here, course, 0.5):
            here, course = after_arc(here, course, curvature, way)
            found += [curvature, way, here, course]
        found += [last_arc(place(drawn), drawn.uniform(-pi, pi), 0.5), curve.nearest(place(drawn), 3.0)]
    return content_hash(found)


SCENES = [points, areas, gaps, rays, legs, pursuits]
