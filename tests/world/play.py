"""Small runs of a world: bodies on their ways, and what they were told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import reject, settings
from hypothesis import strategies as st

from kumi.contract import BadGoal
from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Polygon, wrapped
from kumi.world import Map, SimulatedBody, World
from tests.world.oracle import Bar, Pair, Pairing, Place, TooHard, Way, arc, glide, line, rest

few = settings(max_examples=settings().max_examples // 4)
"""For what takes long; grows with the profile."""

CLOSE = 1e-9
"""Of the size: what the gap of two bodies may be wrong by."""


def about(value: float, rel: float | None = None, abs: float | None = None) -> Any:  # noqa: A002
    """Return what equals a number that is close, where a number is asked for."""
    return pytest.approx(value, rel=rel, abs=abs)


class Told(NamedTuple):
    """What a body was told of a contact."""

    who: int
    time: float
    by: str


async def listen(body: SimulatedBody, told: list[Told]) -> None:
    """Write down each contact of a body."""
    async for contact in body.contacts:
        told += [Told(body.number, contact.time, contact.by)]


def overhear(simulation: Simulation, bodies: Iterable[SimulatedBody]) -> list[Told]:
    """Return a list to which each contact of these bodies will be added."""
    told: list[Told] = []
    for body in bodies:
        simulation.start(listen, body, told)
    simulation.run(until=0.0)
    return told


def put(world: World, shape: BodyShape, place: Place) -> SimulatedBody:
    """Put a body at a place."""
    return world.add_body(place[:2], heading=place[2], shape=shape)


def play(
    world: World, cast: Sequence[tuple[BodyShape, Way]], *, until: float = math.inf, begin: float = 0.0
) -> list[Told]:
    """Let bodies go their ways, all from `begin` on; return what they were told, times counted from there."""
    bodies = [put(world, shape, way.at(0.0)) for shape, way in cast]
    with Simulation(world) as simulation:
        told = overhear(simulation, bodies)
        simulation.run(until=begin)
        for body, (_, way) in zip(bodies, cast, strict=True):
            if not way.legs:
                continue
            try:
                body.start(way.legs)
            except BadGoal:  # which is another law
                reject()
        simulation.run(until=begin + until)
    return [Told(who, time - begin, by) for who, time, by in told]


def check_first_contact(pairing: Pairing, told: Sequence[Told], until: float) -> None:
    """Hold the law of contact: no overlap goes without one, and there is none while they are apart."""
    size = pairing.size
    try:
        overlap = pairing.overlap(until, CLOSE * size)
    except TooHard:
        reject()
    if not told:
        assert overlap is None, f"an overlap at {overlap} without a contact"
        return
    time = told[0].time
    blur = pairing.slope(0.0) * 4 * math.ulp(time) + 4 * math.ulp(max(map(abs, pairing.way.at(time)[:2])))
    apart = pairing.gap(time)
    assert apart <= CLOSE * size + blur, f"a contact at {time} with a gap of {apart}"
    assert overlap is None or time <= overlap + 4 * math.ulp(time), f"an overlap at {overlap}, told at {time}"


def check_walls(
    world: World, shape: BodyShape, way: Way, bars: Iterable[Bar], *, begin: float = 0.0
) -> list[Told]:
    """Let one body go its way among bars; hold the law of contact for the nearest."""
    until = way.duration * 1.001
    told = play(world, [(shape, way)], until=until, begin=begin)
    pairings = [Pairing(shape, way, bar, rest((0.0, 0.0, 0.0))) for bar in bars]
    time = told[0].time if told else way.duration
    try:
        overlaps = [pairing.overlap(time, CLOSE * shape.reach) for pairing in pairings]
    except TooHard:
        reject()
    assert not any(overlap is not None and overlap < time - 4 * math.ulp(time) for overlap in overlaps), (
        overlaps
    )
    if told:
        blur = pairings[0].slope(0.0) * 4 * math.ulp(time)
        assert min(pairing.gap(time) for pairing in pairings) <= CLOSE * shape.reach + blur
    return told


def bars_of(corners: Sequence[Pair]) -> list[Bar]:
    """Return the sides of an outline."""
    return [Bar(start, end, 0.0) for start, end in zip(corners, [*corners[1:], corners[0]], strict=True)]


angles = st.floats(-math.pi, math.pi)
near = st.floats(-3, 3)
middle = st.floats(-0.7, 0.7)
speeds = st.floats(-1, 1).map(lambda power: 10**power)
all_speeds = st.floats(-6, 4).map(lambda power: 10**power)
sizes = st.floats(0.1, 1)
discs = st.builds(Disc, sizes)


def regular(corners: int, length: float, width: float) -> Polygon:
    """Return a polygon with corners on an ellipse."""
    turns = [math.tau * i / corners for i in range(corners)]
    return Polygon([(length * math.cos(turn), width * math.sin(turn)) for turn in turns])


polygons = st.builds(regular, st.integers(3, 7), sizes, sizes)
ellipses = st.builds(Ellipse, sizes, sizes)
shapes = discs | polygons | ellipses


@st.composite
def ways(draw: st.DrawFn, place: Place, speeds: st.SearchStrategy[float] = speeds) -> Way:
    """Draw a motion from a place, most often into the middle."""
    speed = draw(speeds)
    goal = draw(middle), draw(middle)
    if math.dist(goal, place[:2]) < 1e-6:
        goal = place[0] + 1.0, place[1]
    match draw(st.sampled_from(["rest", "line", "faster", "slower", "arc", "swifter arc", "glide"])):
        case "line":
            return line(place, goal, speed)
        case "faster":
            return line(place, goal, draw(st.just(0.0) | st.just(speed)), speed)
        case "slower":
            length = math.dist(place[:2], goal)
            return line(place, goal, speed, -(speed**2) / 2 / length * draw(st.floats(0.1, 0.999)))
        case "arc":
            return arc(
                place,
                draw(st.sampled_from([-1, 1])) * draw(st.floats(1, 30)),
                draw(st.floats(0.1, 9)),
                speed,
            )
        case "swifter arc":
            return arc(place, -draw(st.floats(1, 30)), draw(st.floats(-9, -0.1)), speed, speed)
        case "glide":
            return glide(place, (*goal, place[2] + draw(near)), 3 / speed)
    return rest(place)


@st.composite
def places(draw: st.DrawFn, away: float = 3.0) -> Place:
    """Draw a pose some way off the middle, most often looking to it."""
    angle = draw(angles)
    far = away + draw(st.floats(0, 2))
    heading = wrapped(angle + math.pi + draw(st.floats(-0.5, 0.5)))
    return far * math.cos(angle), far * math.sin(angle), heading


def moved(place: Place, dx: float, dy: float) -> Place:
    """Return a place elsewhere."""
    return place[0] + dx, place[1] + dy, place[2]


def world_with(*obstacles: Any, terrain: Sequence[Any] = (), **rest: Any) -> World:
    """Return a world without borders with obstacles and terrain."""
    return World(Map(obstacles=obstacles, terrain=terrain), **rest)
