"""Where a body is at any time, by formulas written on their own; and motions given as functions of time."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import Disc, Point, Rectangle
from kumi.motion import Leg
from kumi.world import Slow, Wall, World
from tests.world.oracle import Pairing, Place, Way, arc, line
from tests.world.play import (
    Told,
    about,
    all_speeds,
    angles,
    check_first_contact,
    few,
    overhear,
    places,
    play,
    put,
    speeds,
    ways,
    world_with,
)

MIDDLE: Place = (0.0, 0.0, 0.0)


@given(places(), all_speeds, st.lists(st.floats(0, 1.2), min_size=1, max_size=5).map(sorted), st.data())
def test_at_any_time_a_body_is_where_the_formula_says(
    place: Place, speed: float, shares: list[float], data: st.DataObject
) -> None:
    way = data.draw(ways(place, st.just(speed)))
    world = World()
    body = put(world, Disc(0.1), place)
    with Simulation(world) as simulation:
        if way.legs:
            body.start(way.legs)
        for share in shares:
            time = share * way.duration
            simulation.run(until=time)
            x, y, heading = way.at(time)
            assert abs(body.position - Point(x, y)) < 1e-11
            assert math.remainder(body.heading - heading, math.tau) == pytest.approx(0.0, abs=1e-11)
            assert body.is_moving == (time < way.duration)
            if not body.is_moving:
                assert body.speed == 0


@given(places(), st.floats(0.01, 0.99), st.data())
def test_a_body_stopped_anywhere_is_exactly_there(place: Place, share: float, data: st.DataObject) -> None:
    way = data.draw(ways(place))
    world = World()
    body = put(world, Disc(0.1), place)
    with Simulation(world) as simulation:
        if way.legs:
            body.start(way.legs)
        simulation.run(until=share * way.duration)
        body.stop()
        simulation.run(until=9 * way.duration + 1)
        x, y, heading = way.at(share * way.duration)
        assert abs(body.position - Point(x, y)) < 1e-11
        assert math.remainder(body.heading - heading, math.tau) == pytest.approx(0.0, abs=1e-11)
        assert (body.is_moving, body.speed) == (False, 0)


@given(places(), st.data())
def test_the_odometer_counts_the_way(place: Place, data: st.DataObject) -> None:
    way = data.draw(ways(place))
    world = World()
    body = put(world, Disc(0.1), place)
    with Simulation(world) as simulation:
        if way.legs:
            body.start(way.legs)
        simulation.run()
        steps = 2000
        stations = [way.at(way.duration * i / steps)[:2] for i in range(steps + 1)]
        gone = sum(math.dist(a, b) for a, b in pairwise(stations))
        assert body.odometer == pytest.approx(gone, rel=1e-4, abs=1e-9)
        assert body.turned == pytest.approx(way.at(way.duration)[2] - place[2], abs=1e-9)


def as_pattern(way: Way) -> Way:
    """Return the same motion, given to the core as a function of time."""
    legs = (Leg.pattern(way.at, way.duration, way.speed * 1.5, way.turning * 1.5),)
    return Way(legs, way.at, way.duration, way.speed, way.turning)


@given(places(), places(), st.floats(0.3, 6), angles, speeds, st.data())
@few
def test_a_pattern_first_touches_when_the_oracle_says(
    one: Place, other: Place, radius: float, angle: float, speed: float, data: st.DataObject
) -> None:
    if math.dist(one[:2], other[:2]) < 0.7:
        other = (-one[0], -one[1], one[2])
    way = as_pattern(arc(one, radius, angle or 1.0, speed))
    other_way = data.draw(ways(other, st.just(speed)))
    until = max(way.duration, other_way.duration) * 1.001 + 1e-3
    told = play(World(), [(Disc(0.3), way), (Disc(0.4), other_way)], until=until)
    check_first_contact(Pairing(Disc(0.3), way, Disc(0.4), other_way), told, until)


@given(speeds)
@few
def test_a_pattern_meets_walls_and_slow_ground_like_any_motion(speed: float) -> None:
    way = as_pattern(line(MIDDLE, (10.0, 0.0), speed))
    wall = world_with(Wall((5, -5), (5, 5)))
    assert play(wall, [(Disc(0.5), way)]) == [Told(0, about(4.5 / speed, rel=1e-9), "wall 1")]
    slow = world_with(Wall((7, -5), (7, 5)), terrain=[Slow(Rectangle(2, -9, 2, 18), 0.25)])
    # 2 m, 2 m at a quarter of the speed, 2.5 m.
    assert play(slow, [(Disc(0.5), way)]) == [Told(0, about((4.5 + 8) / speed, rel=1e-8), "wall 1")]


@given(st.floats(0.1, 1), speeds)
def test_on_slow_ground_contacts_come_as_much_later(factor: float, speed: float) -> None:
    world = world_with(Wall((5.5, -5), (5.5, 5)), terrain=[Slow(Rectangle(4, -9, 2, 18), factor)])
    told = play(world, [(Disc(0.5), line(MIDDLE, (9.0, 0.0), speed))])
    assert told == [Told(0, about((4 + 1 / factor) / speed, rel=1e-9), "wall 1")]


@given(st.floats(0.3, 0.4), st.booleans())
def test_two_on_different_ground_meet_in_closed_form(factor: float, swifter: bool) -> None:
    # The left one stays on slow ground, the right one off it: 10 m apart, less two radii.
    world = world_with(terrain=[Slow(Rectangle(-5, -9, 8, 18), factor)])
    left = line(MIDDLE, (40.0, 0.0), 0.0, 1.0) if swifter else line(MIDDLE, (40.0, 0.0), 1.0)
    # From rest at 1 m/s² on a clock at rate f: (f t)² / 2 + t = 9.
    due = (-1 + math.sqrt(1 + 18 * factor**2)) / factor**2 if swifter else 9 / (1 + factor)
    told = play(world, [(Disc(0.5), left), (Disc(0.5), line((10.0, 0.0, 0.0), (-40.0, 0.0), 1.0))])
    assert sorted(told) == [
        Told(0, about(due, rel=1e-9), "robot 1"),
        Told(1, about(due, rel=1e-9), "robot 0"),
    ]


def test_a_new_motion_may_begin_while_one_is_under_way() -> None:
    world = World()
    body, other = put(world, Disc(0.5), MIDDLE), put(world, Disc(0.5), (3.0, 4.0, 0.0))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body, other])
        body.start(Leg.line((9, 0), 1.0))
        simulation.run(until=3)
        body.start(Leg.line((3, 9), 2.0))
        simulation.run(until=9)
        assert sorted(told) == [Told(0, 4.5, "robot 1"), Told(1, 4.5, "robot 0")]
        assert body.position == Point(3, 3)
        assert body.odometer == pytest.approx(6)


def test_legs_follow_each_other_without_a_gap() -> None:
    world = World()
    body = put(world, Disc(0.1), MIDDLE)
    with Simulation(world) as simulation:
        body.start(
            [
                Leg.forward(2.0, 1.0),
                Leg.spin(math.pi / 2, math.pi / 2),
                Leg.arc(1.0, math.pi, math.pi),
                Leg.rest(1.0),
                Leg.line((0, 0), 2.0),
            ]
        )
        log = []
        for time in (2, 3, 4, 5, 5.5, 6):
            simulation.run(until=time)
            log.append(
                (
                    round(body.position.x, 12) + 0.0,
                    round(body.position.y, 12) + 0.0,
                    round(body.heading / math.pi, 12),
                )
            )
    assert log == [(2, 0, 0), (2, 0, 0.5), (0, 0, -0.5), (0, 0, -0.5), (0, 0, -0.5), (0, 0, -0.5)]


def test_what_never_moves_costs_nothing() -> None:
    world = World()
    for number in range(100):
        put(world, Disc(0.4), (float(number % 10), float(number // 10), 0.0))
    with Simulation(world) as simulation:
        simulation.run(until=1e6)
        assert (world.events, world.crossings, simulation.next_time) == (0, 0, math.inf)
