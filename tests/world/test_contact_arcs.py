"""When does a disc on an arc of any radius meet something? Against decimal numbers of 60 digits.

The oracle goes along the circle about its centre, each step as far as the gap is wide, so it never passes
the first contact. A gap that closes steadily is nothing after some hundred steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import Circle, Disc, Point, Rectangle
from kumi.motion import Leg
from kumi.world import Obstacle, Pillar, Slow, Wall, World
from tests.motion.exactly import DIGITS, Exact, on_arc, root
from tests.world.play import Told, about, angles, few, overhear, world_with

radii = st.builds(lambda power, side: side * 10**power, st.floats(-1, 12), st.sampled_from([1, -1]))
places = st.tuples(st.floats(-50, 50), st.floats(-50, 50), angles)
aims = st.floats(-1.1, 1.1)
"""From the direction in which a disc goes to that in which it touches: less than a quarter turn."""
Place = tuple[float, float, float]
SIZE = Decimal("0.5")
NOTHING = Decimal("1e-25")


def contacts(world: World, place: Place, radius: float, until: float) -> list[Told]:
    """Drive a disc of half a metre at 1 m/s along an arc without end; return what it was told."""
    body = world.add_body(place[:2], heading=place[2], shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start(Leg.arc(radius, math.copysign(math.inf, radius), 1.0))
        simulation.run(until=until)
    return told


def to_segment(at: Exact, start: tuple[float, float], end: tuple[float, float]) -> Decimal:
    """Return the distance of a place from a segment."""
    ax, ay, bx, by = map(Decimal, (*start, *end))
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    share = ((at.x - ax) * dx + (at.y - ay) * dy) / square if square else Decimal(0)
    share = min(Decimal(1), max(Decimal(0), share))
    return root((at.x - ax - share * dx) ** 2 + (at.y - ay - share * dy) ** 2)


def first_contact(gap: Callable[[Decimal], Decimal], closing: int, until: float) -> Decimal | None:
    """Return when a gap is used up that closes by no more than `closing` a second."""
    with localcontext(DIGITS):
        time, steps = Decimal(0), 0
        while (apart := gap(time)) >= NOTHING:
            time += apart / closing
            steps += 1
            if time > until:
                return None
            assume(steps < 2000)  # a graze, which takes too long
        return time


def border(outside: Callable[[Decimal], Decimal], out: int, within: int) -> float:
    """Return where something is 0 that is positive at the one number, and negative at the other."""
    with localcontext(DIGITS):
        low, high = Decimal(out), Decimal(within)
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (middle, high) if outside(middle) > 0 else (low, middle)
    return float(high)


def check(told: list[Told], due: Decimal | None, until: float) -> None:
    """Hold the law: one contact, at the instant that the oracle gives."""
    if due is None:
        assert told == []
    else:
        assert [one.who for one in told] == [0]
        assert abs(Decimal(told[0].time) - due) < 1e-12 * (100 + until)


def ahead_of(place: Place, radius: float, way: float, aim: float, far: float) -> tuple[float, float]:
    """Return the point that is `far` from the disc once it has gone a way, seen under an angle from there."""
    at = on_arc(place, radius, Decimal(way))
    point = Point(float(at.x), float(at.y)) + Point.polar(far, float(at.heading) + aim)
    return point.x, point.y


@few
@given(places, radii, st.floats(1, 30), aims, st.floats(0.1, 3))
def test_a_pillar_is_met_when_the_oracle_says(
    place: Place, radius: float, way: float, aim: float, size: float
) -> None:
    centre = ahead_of(place, radius, way, aim, 0.5 + size)
    assume(math.dist(centre, place[:2]) > 0.51 + size)
    due = first_contact(
        lambda time: to_segment(on_arc(place, radius, time), centre, centre) - SIZE - Decimal(size),
        1,
        2 * way,
    )
    check(contacts(world_with(Pillar(centre, size)), place, radius, 2 * way), due, 2 * way)


@few
@given(places, radii, st.floats(1, 30), aims, st.floats(0.1, 9), st.floats(0, 1), angles)
def test_a_wall_is_met_when_the_oracle_says(
    place: Place, radius: float, way: float, aim: float, length: float, share: float, slant: float
) -> None:
    """On a side where it lies across the way, or at an end."""
    foot = Point(*ahead_of(place, radius, way, aim, 0.6))
    along = Point.polar(length, slant)
    start, end = foot - along * share, foot + along * (1 - share)
    ends = (start.x, start.y), (end.x, end.y)
    assume(to_segment(Exact(*map(Decimal, place)), *ends) > Decimal("0.61"))
    due = first_contact(
        lambda time: to_segment(on_arc(place, radius, time), *ends) - Decimal("0.6"), 1, 2 * way
    )
    check(contacts(world_with(Wall(*ends, 0.2)), place, radius, 2 * way), due, 2 * way)


@few
@given(places, radii, radii, st.floats(1, 20), aims, angles, st.booleans())
def test_another_disc_on_an_arc_is_met_when_the_oracle_says(
    place: Place, radius: float, other: float, way: float, aim: float, heading: float, backwards: bool
) -> None:
    meet = ahead_of(place, radius, way, aim, 1.0)
    assume(abs(other) > 1)
    # From where they meet the other one goes back the same way, turned round.
    come = on_arc((*meet, heading), other, Decimal(way))
    turned = float(come.heading) + (0.0 if backwards else math.pi)
    there = (float(come.x), float(come.y), turned)
    bend, ahead = (other, -1) if backwards else (-other, 1)
    assume(math.dist(there[:2], place[:2]) > 1.01)

    def gap(time: Decimal) -> Decimal:
        one, two = on_arc(place, radius, time), on_arc(there, bend, time, ahead)
        return root((one.x - two.x) ** 2 + (one.y - two.y) ** 2) - 1

    due = first_contact(gap, 2, way + 1)
    world = World()
    bodies = [world.add_body(at[:2], heading=at[2], shape=Disc(0.5)) for at in (place, there)]
    with Simulation(world) as simulation:
        told = overhear(simulation, bodies[:1])
        bodies[0].start(Leg.arc(radius, math.copysign(math.inf, radius), 1.0))
        bodies[1].start(Leg.arc(bend, ahead * math.copysign(math.inf, bend), 1.0))
        simulation.run(until=way + 1)
    check(told, due, way + 1)


@pytest.mark.parametrize("aside", [0.0, 0.2, -0.3])
def test_the_flatter_the_arc_the_closer_the_contact_is_to_that_of_the_line(aside: float) -> None:
    """From 50 to a pillar of 0.3 m at 60; the disc has half a metre."""
    line = 10 - math.sqrt(0.8**2 - aside**2)
    errors = []
    for power in range(2, 301):
        told = contacts(world_with(Pillar((60, 50 + aside), 0.3)), (50, 50, 0), 10.0**power, 30)
        assert [one.by for one in told] == ["pillar 1"]
        errors.append(abs(told[0].time - line))
    assert errors[0] < 1.0
    assert all(later <= max(before, 2e-14) for before, later in pairwise(errors))
    assert errors[-1] < 2e-14


@given(places, st.floats(-1, 300), st.sampled_from([1, -1]), st.floats(0.1, 100))
def test_on_an_empty_plane_nothing_is_met(place: Place, power: float, side: int, until: float) -> None:
    radius = side * 10**power
    world = World()
    body = world.add_body(place[:2], heading=place[2], shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start(Leg.arc(radius, math.copysign(math.inf, radius), 1.0))
        simulation.run(until=until)
        at = on_arc(place, radius, Decimal(until)) if abs(radius) < 1e20 else on_arc(place, 0, Decimal(until))
        assert (told, body.is_moving) == ([], True)
        assert (body.position.x, body.position.y) == (
            about(float(at.x), abs=1e-12),
            about(float(at.y), abs=1e-12),
        )


@given(places, radii, st.integers(1, 5))
def test_what_stands_beside_the_way_is_never_met(place: Place, radius: float, count: int) -> None:
    """Pillars on both sides of an arc, a millimetre out of reach, for thirty metres or half the circle."""
    assume(abs(radius) > 2)
    length = min(30.0, math.pi * abs(radius))
    pillars: list[Obstacle] = [
        Pillar(ahead_of(place, radius, length * step / count, side * math.pi / 2, 0.801), 0.3)
        for step in range(1, count + 1)
        for side in (1, -1)
    ]
    assert contacts(world_with(*pillars), place, radius, length) == []


# Touching at the beginning.


@given(st.floats(-1, 2), st.floats(-7, -1), angles, st.sampled_from([1, -1]))
def test_a_disc_that_leaves_a_wall_and_bends_back_meets_it_at_the_end_of_the_chord(
    power: float, small: float, turn: float, side: int
) -> None:
    """It goes out by an angle, and is back when it has turned by twice that: at 2 * radius * angle."""
    due, leaving = 10**power, 10**small
    radius = due / (2 * leaving)
    along = Point.polar(1.0, turn)
    start = along.turned(side * math.pi / 2) * 0.5
    world = world_with(Wall(along * -200, along * 200))
    told = contacts(world, (start.x, start.y, turn + side * leaving), -side * radius, 2 * due)
    assert [(one.who, one.by) for one in told] == [(0, "wall 1")]
    # The ends of the wall are rounded to 3e-14 m, which is that much more along it.
    assert told[0].time == about(due, rel=1e-12, abs=1e-13 / leaving)


@given(st.floats(0, 12), angles, st.sampled_from([1, -1]))
def test_a_disc_that_touches_a_wall_and_bends_into_it_never_overlaps(
    power: float, turn: float, side: int
) -> None:
    radius = 10**power
    along = Point.polar(1.0, turn)
    across = along.turned(side * math.pi / 2)
    world = world_with(Wall(along * -200, along * 200))
    body = world.add_body(across * 0.5, heading=turn, shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start(Leg.arc(-side * radius, -side * math.inf, 1.0))
        simulation.run(until=100)
        assert body.position.dot(across) > 0.5 * (1 - 1e-9)
    # At once, but for the rounding of the wall, 3e-14 m; or where it has sunk in by 1e-10 of its size, s² / (2 * radius),
    # if it goes all but along the wall.
    assert [one.by for one in told] == ["wall 1"]
    if radius < 0.99e8 or told[0].time < 1e-3:
        assert told[0].time < math.sqrt(1e-13 * radius)
    else:
        assert told[0].time == about(math.sqrt(1e-10 * radius), rel=0.01)


@given(st.floats(0, 12), angles, st.sampled_from([1, -1]), st.sampled_from([0.0, 1e-12, 1e-3]))
def test_a_disc_that_touches_a_wall_and_bends_away_goes_on(
    power: float, turn: float, side: int, leaving: float
) -> None:
    radius = 10**power
    along = Point.polar(1.0, turn)
    start = along.turned(side * math.pi / 2) * 0.5
    world = world_with(Wall(along * -200, along * 200))
    until = min(100.0, 6 * radius)
    assert contacts(world, (start.x, start.y, turn + side * leaving), side * radius, until) == []


# The ground.


@few
@given(st.floats(1, 12), st.sampled_from([1, -1]), st.floats(0.1, 0.9))
def test_slow_ground_is_entered_and_left_at_its_border_on_the_flattest_arc(
    power: float, side: int, factor: float
) -> None:
    """From x = 0 an arc is at x after radius * asin(x / radius); slow are 2 to 4 m, and a disc about 7 m."""
    radius = 10**power
    regions = [Slow(Rectangle(2, -9, 2, 18), factor), Slow(Circle((7, 0), 1), factor)]
    world = world_with(terrain=regions)
    body = world.add_body((0, 0), shape=Disc(0.1))
    with Simulation(world) as simulation:
        body.start(Leg.arc(side * radius, side * math.inf, 1.0))
        simulation.run(until=6 / factor + 20)
        way = body.odometer
    strip = radius * (math.asin(4 / radius) - math.asin(2 / radius))

    def outside(way: Decimal) -> Decimal:
        return to_segment(on_arc((0, 0, 0), radius, way), (7, 0), (7, 0)) - 1

    slow = strip + border(outside, 9, 7) - border(outside, 5, 7)
    assert way == about(6 / factor + 20 - slow * (1 / factor - 1), rel=1e-12)
