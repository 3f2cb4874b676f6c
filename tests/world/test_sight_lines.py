"""Shadows in time: when the line between two moving bodies comes into an obstacle, and out of it.

The oracle looks at very many instants whether one body sees the other, by the rays of the core, and halves
between two that differ.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kumi._core import Piece
from kumi.devs import Simulation
from kumi.geometry import Disc, Outline, Point
from kumi.motion import Leg
from kumi.network import RadioWaves, SimulatedNetwork
from kumi.network.ether import Shadow, Shadowed, Unshadowed
from kumi.world import Block, Map, Obstacle, Pillar, Slow, Wall, World, WorldEther
from kumi.world.shadows import clearance, thickness_along

TIME = 10.0
SHORT = 0.05
"""Seconds: shadows and gaps that are shorter may fall between the oracle's looks."""


def told_changes(world: World, legs: list[Leg], until: float = TIME) -> list[tuple[float, bool]]:
    """Return when the line between bodies 0 and 1 comes into a shadow, and out of it."""
    changes: list[tuple[float, bool]] = []
    with Simulation(world) as simulation:
        WorldEther(world).watch_shadow(0, 1, lambda begins: changes.append((simulation.now, begins)))
        for body, leg in zip(world.bodies, legs, strict=True):
            body.start(leg)
        simulation.run(until=until)
    return changes


def looked_changes(world: World, place: Callable[[int, float], Point]) -> list[tuple[float, bool]]:
    def hidden(time: float) -> bool:
        return not world.sees(place(0, time), place(1, time), ignoring=world.bodies)

    count = 1000
    times = [TIME * k / count for k in range(count + 1)]
    states = [hidden(time) for time in times]
    changes = []
    for k in range(count):
        if states[k] != states[k + 1]:
            before, after = times[k], times[k + 1]
            for _ in range(50):
                middle = (before + after) / 2
                before, after = (middle, after) if hidden(middle) == states[k] else (before, middle)
            changes.append((after, states[k + 1]))
    return changes


def long_ones(changes: list[tuple[float, bool]]) -> list[tuple[float, bool]]:
    """Leave out what begins and ends within a short time."""
    left: list[tuple[float, bool]] = []
    for change in changes:
        if left and change[0] - left[-1][0] < SHORT:
            left.pop()
        else:
            left.append(change)
    return left


L_SHAPE = Outline([(3.5, 3), (6.5, 3), (6.5, 4), (4.5, 4), (4.5, 7), (3.5, 7)])

middle = st.floats(3.5, 6.5)
obstacles = st.one_of(
    st.builds(lambda x, y, r: Pillar((x, y), r), middle, st.floats(2, 8), st.floats(0.05, 1.0)),
    st.builds(
        lambda x, y, dx, dy, w: Wall((x, y), (x + dx, y + dy), w),
        middle,
        st.floats(2, 8),
        st.floats(-0.5, 0.5),
        st.floats(0.1, 2.0),
        st.floats(0.01, 0.5),
    ),
    st.just(Block(L_SHAPE)),
)
left = st.tuples(st.floats(0, 2.3), st.floats(0, 10))
right = st.tuples(st.floats(7.7, 10), st.floats(0, 10))


@given(st.lists(obstacles, min_size=1, max_size=3), left, left, right, right)
@settings(deadline=None, max_examples=80)
def test_shadows_on_straight_ways_begin_and_end_when_one_ceases_to_see_the_other(
    things: list[Obstacle],
    start: tuple[float, float],
    end: tuple[float, float],
    other_start: tuple[float, float],
    other_end: tuple[float, float],
) -> None:
    ways = [(Point(*start), Point(*end)), (Point(*other_start), Point(*other_end))]
    assume(all(abs(goal - begin) > 0.1 for begin, goal in ways))
    world = World(Map(obstacles=things), ghost=True)
    for begin, _ in ways:
        world.add_body(begin)
    legs = [Leg.line(goal, abs(goal - begin) / TIME) for begin, goal in ways]
    told = long_ones(told_changes(world, legs))

    def place(number: int, time: float) -> Point:
        begin, goal = ways[number]
        return begin + (goal - begin) * (time / TIME)

    assert told == compared(long_ones(looked_changes(world, place)))


@given(
    st.lists(obstacles, min_size=1, max_size=2),
    st.floats(0.3, 1.0),
    st.floats(-2 * pi, 2 * pi),
    st.floats(0.0, 0.2),
    st.floats(0.5, 2.5),
)
@settings(deadline=None, max_examples=40)
def test_shadows_on_arcs_and_accelerated_ways_do_so_too(
    things: list[Obstacle], radius: float, angle: float, acceleration: float, speed: float
) -> None:
    assume(abs(angle) > 0.5)
    world = World(Map(obstacles=things), ghost=True)
    legs = [Leg.arc(radius, angle, speed), Leg.line((9.0, 9.0), speed / 3, acceleration)]
    places = [Point(1.2, 5.0), Point(9.0, 1.0)]
    for at in places:
        world.add_body(at)
    pieces = [Piece.of(leg, at, 0.0) for leg, at in zip(legs, places, strict=True)]
    told = long_ones(told_changes(world, legs))

    def place(number: int, time: float) -> Point:
        x, y, _ = pieces[number].at(time)
        return Point(x, y)

    assert told == compared(long_ones(looked_changes(world, place)))


def compared(changes: list[tuple[float, bool]], within: float = 1e-6) -> list[tuple[Any, bool]]:
    return [(pytest.approx(time, abs=within), state) for time, state in changes]


@given(
    st.sampled_from([Wall((4, 4), (6, 6), 0.8), Pillar((5, 5), 1.1), Block(L_SHAPE)]),
    left,
    right,
    st.tuples(st.floats(0, 1), st.floats(-pi, pi)),
    st.tuples(st.floats(0, 1), st.floats(-pi, pi)),
)
@settings(deadline=None, max_examples=300)
def test_within_its_clearance_a_line_neither_comes_to_an_obstacle_nor_leaves_it(
    thing: Obstacle,
    start: tuple[float, float],
    end: tuple[float, float],
    step: tuple[float, float],
    other_step: tuple[float, float],
) -> None:
    here, there = Point(*start), Point(*end)
    free = clearance(thing, here, there)
    is_hidden = thickness_along(thing, here, there) > 0.0
    assert free <= 1e-9 if is_hidden else free >= -1e-9
    least = 0.999 * abs(free)
    moved = (
        here + Point.polar(least * step[0], step[1]),
        there + Point.polar(least * other_step[0], other_step[1]),
    )
    if abs(free) > 1e-6:
        assert (thickness_along(thing, *moved) > 0.0) is is_hidden


def test_a_pillar_hides_two_that_go_side_by_side_for_its_diameter() -> None:
    """At 2 m/s from y = 0, a pillar of 1 m around y = 6: from 2.5 s to 3.5 s."""
    world = World(Map(obstacles=[Pillar((5, 6), 1.0)]), ghost=True)
    for x in (0, 10):
        world.add_body((x, 0))
    changes = told_changes(world, [Leg.line((0, 20), 2.0), Leg.line((10, 20), 2.0)])

    assert changes == compared([(2.5, True), (3.5, False)], 1e-10)


def test_one_that_passes_a_corner_comes_out_of_the_shadow_by_similar_triangles() -> None:
    """From (0, 0) past the end of a wall's side at (5, 5): at x = 10 the line is free above y = 10."""
    block = Block(Outline([(4, 0.5), (5, 0.5), (5, 5), (4, 5)]))
    world = World(Map(obstacles=[block]), ghost=True)
    world.add_body((0, 0))
    world.add_body((10, 2))
    changes = told_changes(world, [Leg.rest(1.0), Leg.line((10, 20), 2.0)])

    # The upper left corner (4, 5) is steeper: y = 12.5 at x = 10.
    assert changes == compared([(5.25, False)], 1e-10)


def test_a_shadow_on_slow_ground_takes_longer() -> None:
    """Half as fast in a strip below y = 4: 2 m/s for 4 m take 4 s, then 1 m more to the pillar's edge."""
    strip = Slow(Outline([(-1, -1), (11, -1), (11, 4), (-1, 4)]), 0.5)
    world = World(Map(obstacles=[Pillar((5, 6), 1.0)], terrain=[strip]), ghost=True)
    for x in (0, 10):
        world.add_body((x, 0))
    changes = told_changes(world, [Leg.line((0, 20), 2.0), Leg.line((10, 20), 2.0)])

    assert changes == compared([(4.5, True), (5.5, False)])


def test_one_that_runs_along_a_wall_on_its_side_is_in_no_shadow() -> None:
    world = World(Map(obstacles=[Wall((3, 0), (7, 0), 1.0)]), ghost=True)
    world.add_body((0, 0.5))
    world.add_body((0.5, 0.5))
    changes = told_changes(world, [Leg.line((10, 0.5), 1.0), Leg.line((10.5, 0.5), 1.0)], until=15.0)

    assert changes == []


def test_obstacles_and_bodies_that_come_and_go_make_and_end_shadows_at_once() -> None:
    world = World(ghost=True)
    for x in (0, 10):
        world.add_body((x, 0))
    told: list[Shadow] = []
    with Simulation(world) as simulation:
        radio = RadioWaves(WorldEther(world), range=100.0)
        SimulatedNetwork(simulation, radio)
        close = radio.watch_shadow(0, 1, told.append)
        simulation.schedule(1.0, lambda: world.add_obstacle(Wall((5, -1), (5, 1), 0.5, "gate")), rank=3)
        simulation.schedule(2.0, lambda: world.remove_obstacle("gate"), rank=3)
        simulation.schedule(3.0, lambda: world.add_obstacle(Wall((5, -1), (5, 1), 0.5, "gate")), rank=3)
        simulation.schedule(4.0, lambda: world.bodies[1].teleport((0, 10)), rank=3)
        simulation.schedule(5.0, lambda: world.bodies[1].teleport((10, 0)), rank=3)
        simulation.schedule(6.0, world.bodies[1].remove, rank=3)
        simulation.run(until=10.0)
        close()

    begin, end = Shadowed, Unshadowed
    assert told == [kind(time, 0, 1) for time, kind in enumerate((begin, end, begin, end, begin, end), 1)]


def test_who_asks_no_more_is_told_no_more() -> None:
    world = World(Map(obstacles=[Pillar((5, 6), 1.0)]), ghost=True)
    for x in (0, 10):
        world.add_body((x, 0))
    told: list[bool] = []
    with Simulation(world) as simulation:
        ether = WorldEther(world)
        close = ether.watch_shadow(0, 1, told.append)
        for body in world.bodies:
            body.start(Leg.line((body.position.x, 20), 2.0))
        simulation.run(until=3.0)
        assert told == [True]
        close()
        close()
        simulation.run(until=10.0)
        assert told == [True]
        ether.watch_shadow(0, 7, told.append)()  # nobody has that number


@pytest.mark.parametrize("radius", [0.05, 0.5])
def test_a_range_smaller_than_a_body_is_watched(radius: float) -> None:
    """Centres 0.2 m apart are reached whatever the bodies' size: from 5 m at 1 m/s after 4.8 s, until 5.2 s."""
    world = World(ghost=True)
    world.add_body((0, 0))
    mover = world.add_body((5, 0), shape=Disc(radius))
    told: list[tuple[float, bool]] = []
    with Simulation(world) as simulation:
        WorldEther(world).watch(0, 0.2, lambda enters, _: told.append((simulation.now, enters)))
        mover.start(Leg.line((-5, 0), 1.0))
        simulation.run(until=5.0)
        mover.resize(Disc(2 * radius))
        simulation.run(until=10.0)

    assert told == compared([(4.8, True), (5.2, False)])


@given(st.floats(0.01, 30.0), st.floats(-0.99, 0.99), st.floats(0.1, 5.0))
@settings(deadline=None, max_examples=60)
def test_a_range_of_any_size_is_left_at_the_root_of_the_quadratic(
    reach: float, aside: float, speed: float
) -> None:
    world = World(ghost=True)
    world.add_body((0, 0))
    mover = world.add_body((-2 * reach, aside * reach))
    told: list[float] = []
    with Simulation(world) as simulation:
        WorldEther(world).watch(0, reach, lambda *_: told.append(simulation.now))
        mover.start(Leg.line((2 * reach, aside * reach), speed))
        simulation.run(until=5 * reach / speed)

    half = reach * sqrt(1 - aside * aside)
    assert told == pytest.approx([(2 * reach - half) / speed, (2 * reach + half) / speed], rel=1e-7)


def test_a_body_that_is_gone_leaves_no_line_behind() -> None:
    world = World(ghost=True)
    for x in (0, 10):
        world.add_body((x, 0))
    told: list[bool] = []
    with Simulation(world) as simulation:
        ether = WorldEther(world)
        close = ether.watch_hearing(0, 1, 100.0, lambda *_: False, 50.0, told.append)
        simulation.run(until=1.0)
        world.bodies[1].remove()
        simulation.run(until=2.0)
        assert told == [False]
        assert not any(ether._lines.values())
        close()
        world.add_obstacle(Wall((5, -1), (5, 1), 0.5))
    world.remove_obstacle(world.map.obstacles[0].name)  # after the run nobody is told
