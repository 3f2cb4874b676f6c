"""Where the ground changes, motion changes at the exact border; holes swallow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract import Forward, Lost
from kumi.devs import Simulation
from kumi.geometry import Circle, Disc, Outline, Point, Rectangle
from kumi.motion import Leg, Wheel
from kumi.world import Hole, SimulatedBody, Slow, World
from tests.world.oracle import Way, arc, first_below, line
from tests.world.play import about, all_speeds, angles, few, put, speeds, world_with

STRIP = Rectangle(4, -9, 2, 18)
"""From x = 4 to x = 6."""


async def until_end(body: SimulatedBody, command: Forward, told: list[object]) -> None:
    """Carry out a command and write down how and when it ended."""
    try:
        told.append(await body.carry_out(command))
    except Lost as lost:
        told.append(lost)
        told.append(lost.at)


def arrival(world: World, body: SimulatedBody, leg: Leg | Sequence[Leg]) -> float:
    """Return when a motion from time 0 on ends."""
    with Simulation(world) as simulation:
        body.start(leg)
        last = 0.0
        while body.is_moving:
            last = simulation.next_time
            assert last < math.inf
            simulation.run(until=last)
        return last


def world_on(*terrain: Slow | Hole) -> World:
    """Return a world with some ground."""
    return world_with(terrain=terrain)


@given(all_speeds, st.floats(0.01, 1))
def test_a_slow_strip_takes_as_much_longer(speed: float, factor: float) -> None:
    world = world_on(Slow(STRIP, factor))
    body = world.add_body((0, 0))
    assert arrival(world, body, Leg.line((10, 0), speed)) == pytest.approx(
        (8 + 2 / factor) / speed, rel=1e-12
    )
    assert body.position == Point(10, 0)
    assert body.odometer == pytest.approx(10)


def test_the_speed_changes_at_the_border() -> None:
    world = world_on(Slow(STRIP, 0.5))
    body = world.add_body((0, 0))
    with Simulation(world) as simulation:
        body.start(Leg.line((10, 0), 1.0))
        log = []
        for time in (3.999999, 4.000001, 6, 7.999999, 8.000001, 12):
            simulation.run(until=time)
            log.append((about(body.position.x, abs=1e-9), about(body.speed)))
    assert log == [(3.999999, 1), (4.0000005, 0.5), (5, 0.5), (5.9999995, 0.5), (6.000001, 1), (10, 0)]


@given(st.floats(0.1, 1), st.floats(0, 1.9), speeds)
def test_a_round_slow_ground_is_crossed_along_its_chord(factor: float, aside: float, speed: float) -> None:
    world = world_on(Slow(Circle((5, 0), 2), factor))
    body = world.add_body((0, aside))
    chord = 2 * math.sqrt(4 - aside**2)
    due = (10 - chord + chord / factor) / speed
    assert arrival(world, body, Leg.line((10, aside), speed)) == pytest.approx(due, rel=1e-9)


def test_an_accelerated_motion_keeps_its_own_clock() -> None:
    # From rest at 2 m/s²: 4 m take 2 s, 6 m sqrt(6) s of its own clock, which runs at half rate between.
    world = world_on(Slow(STRIP, 0.5))
    body = world.add_body((0, 0))
    due = 2 + 2 * (math.sqrt(6) - 2) + (3 - math.sqrt(6))
    assert arrival(world, body, Leg.line((9, 0), 0.0, 2.0)) == pytest.approx(due, rel=1e-12)


@given(st.floats(0.1, 1), angles, st.sampled_from([1, -1]), st.sampled_from([0.0, 1.0]))
def test_an_arc_is_slowed_between_its_exact_borders(
    factor: float, turn: float, sense: int, more: float
) -> None:
    # A whole circle of radius 5 about the origin; slow is the disc of radius 2 about (5, 0), turned:
    # the arc within it is seen from the origin under 4 * asin(1 / 5).
    world = world_on(Slow(Circle(Point.polar(5, turn), 2), factor))
    start = Point.polar(5, turn + 2.0)
    body = world.add_body(start, heading=turn + 2.0 + sense * math.pi / 2)
    inside = 5 * 4 * math.asin(1 / 5)
    if not more:
        due = 5 * math.tau - inside + inside / factor
    else:  # from 1 m/s at 1 m/s²: the clock stands at sqrt(1 + 2 s) - 1 after s metres
        first = 5 * ((-sense * 2.0) % math.tau) - inside / 2
        clocks = [math.sqrt(1 + 2 * s) - 1 for s in (first, first + inside, 5 * math.tau)]
        due = clocks[0] + (clocks[1] - clocks[0]) / factor + clocks[2] - clocks[1]
    leg = Leg.arc(5.0 * sense, sense * math.tau, 1.0, more)
    assert arrival(world, body, leg) == pytest.approx(due, rel=1e-9)


@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9), speeds)
def test_where_regions_overlap_the_slowest_counts(one: float, other: float, speed: float) -> None:
    # 0..4 floor, 4..5 one, 5..6 both, 6..7 other, 7..10 floor.
    world = world_on(Slow(STRIP, one), Slow(Rectangle(5, -9, 2, 18), other))
    body = world.add_body((0, 0.5))
    due = (4 + 1 / one + 1 / min(one, other) + 1 / other + 3) / speed
    assert arrival(world, body, Leg.line((10, 0.5), speed)) == pytest.approx(due, rel=1e-12)


@given(st.floats(0.1, 0.9), speeds, st.booleans())
def test_a_concave_slow_ground_is_entered_and_left_twice(factor: float, speed: float, back: bool) -> None:
    # Two legs of a U, each a metre wide, at x = 2..3 and 5..6.
    outline = Outline([(2, -2), (6, -2), (6, 2), (5, 2), (5, -1), (3, -1), (3, 2), (2, 2)])
    world = world_on(Slow(outline, factor))
    start, goal = ((10, 0.3), (0, 0.3)) if back else ((0, 0.3), (10, 0.3))
    body = world.add_body(start)
    assert arrival(world, body, Leg.line(goal, speed)) == pytest.approx((8 + 2 / factor) / speed, rel=1e-12)


@given(angles, st.floats(0.1, 0.9))
def test_a_way_through_the_corners_of_slow_ground_is_slowed_between_them(turn: float, factor: float) -> None:
    corners = [Point.polar(2, turn + math.pi / 2 * i) for i in range(4)]
    world = world_on(Slow(Outline(corners), factor))
    body = world.add_body(Point.polar(5, turn))
    assert arrival(world, body, Leg.line(Point.polar(5, turn + math.pi), 1.0)) == pytest.approx(
        6 + 4 / factor
    )


@given(st.floats(0.1, 0.9))
def test_a_way_that_only_touches_slow_ground_is_not_slowed(factor: float) -> None:
    world = world_on(Slow(Outline([(4, -3), (6, -3), (5, 0)]), factor), Slow(Circle((5, 2), 2), factor))
    body = world.add_body((0, 0))
    assert arrival(world, body, Leg.line((10, 0), 1.0)) == pytest.approx(10, rel=1e-9)


@given(st.floats(0.1, 0.9), st.floats(0.5, 3))
def test_starting_stopping_and_turning_back_on_the_border(factor: float, speed: float) -> None:
    world = world_on(Slow(STRIP, factor))
    body = world.add_body((3, 0))
    legs = [
        Leg.line((4, 0), speed),
        Leg.line((3, 0), speed),
        Leg.line((4, 0), speed),
        Leg.line((6, 0), speed),
    ]
    legs += [Leg.line((5, 0), speed), Leg.line((6, 0), speed), Leg.line((7, 0), speed)]
    assert arrival(world, body, legs) == pytest.approx((4 + 4 / factor) / speed)


def test_a_motion_that_begins_on_slow_ground_is_slow() -> None:
    world = world_on(Slow(STRIP, 0.5))
    body = world.add_body((5, 0))
    assert arrival(world, body, Leg.line((9, 0), 1.0)) == 5.0


def test_turning_is_slowed_too_where_the_ground_is_slow() -> None:
    world = world_on(Slow(STRIP, 0.5))
    body = world.add_body((5, 0))
    assert arrival(world, body, Leg.spin(1.0, 1.0)) == pytest.approx(2.0)


@given(st.floats(0.5, 3), st.floats(-1.9, 1.9))
def test_a_robot_falls_when_its_centre_passes_the_edge_of_a_hole(speed: float, aside: float) -> None:
    world = world_on(Hole(Circle((5, 0), 2)))
    body = world.add_body((0, aside), drive=Wheel(speed))
    with Simulation(world) as simulation:
        told: list[object] = []
        task = simulation.start(until_end, body, Forward(9.0), told)
        edge = 5 - math.sqrt(4 - aside**2)
        simulation.run(until=edge / speed * (1 - 1e-9))
        assert not told
        simulation.run(until=edge / speed * (1 + 1e-9))
        lost, at = told
        assert isinstance(lost, Lost)
        assert isinstance(at, Point)
        assert (at.x, at.y) == (about(edge, abs=1e-9), about(aside))
        assert (body.is_gone, world.bodies, task.error) == (True, (), None)


def test_what_fell_is_in_nobodys_way() -> None:
    world = world_on(Hole(Rectangle(5, -2, 2, 4)))
    first, second = put(world, Disc(0.5), (0, 0, 0)), put(world, Disc(0.5), (5, 8, 0))
    with Simulation(world) as simulation:
        first.start(Leg.line((10, 0), 1.0))
        second.start(Leg.line((4.6, -8), 1.0))
        simulation.run(until=20)
        assert first.is_gone
        assert second.position == Point(4.6, -8)


@given(st.floats(1, 8), st.floats(0.3, 6), angles, st.sampled_from([1, -1]), st.booleans(), st.booleans())
@few
def test_any_way_enters_slow_ground_when_the_oracle_says(
    radius: float, angle: float, turn: float, sense: int, swifter: bool, is_round: bool
) -> None:
    # Slow by half: the clock of the motion is found by adding up where it is inside.
    area = Circle((0, 0), 1.5) if is_round else Outline([(-1, -1), (2, -1), (1, 0), (2, 2), (-1, 1)])
    way = arc(
        (4.0, 0.0, math.pi - 0.3 + turn / 9), sense * radius, sense * angle, 1.0, 0.5 if swifter else 0.0
    )
    world = world_on(Slow(area, 0.5))
    body = put(world, Disc(0.1), way.at(0.0))
    assert arrival(world, body, way.legs) == pytest.approx(way.duration + time_inside(way, area), abs=1e-6)


def time_inside(way: Way, area: Circle | Outline) -> float:
    """Return how long a way is inside an area, by looking for each passing of its border."""

    def depth(time: float) -> float:
        x, y, _ = way.at(time)
        return signed(Point(x, y), area)

    inside, now, total = depth(0.0) > 0, 0.0, 0.0
    while True:
        sign = 1.0 if inside else -1.0
        passed = first_below(lambda t, s=sign: s * depth(t), -1e-9, [(now, way.duration, way.speed)], 1e-10)  # type: ignore[misc]
        end = way.duration if passed is None else passed
        total += end - now if inside else 0.0
        if passed is None:
            return total
        now, inside = passed, not inside


def signed(point: Point, area: Circle | Outline) -> float:
    """Return how deep a point is inside an area, below 0 outside."""
    if isinstance(area, Circle):
        return area.radius - abs(point - area.centre)
    sides = list(zip(area.corners, [*area.corners[1:], area.corners[0]], strict=True))
    nearest = math.inf
    turns = 0.0
    for start, end in sides:
        step = end - start
        share = min(1.0, max(0.0, (point - start).dot(step) / step.dot(step)))
        nearest = min(nearest, abs(point - start - step * share))
        turns += math.atan2((start - point).cross(end - point), (start - point).dot(end - point))
    return nearest if abs(turns) > 1 else -nearest


def test_ground_tells_what_is_underfoot() -> None:
    world = world_on(Slow(STRIP, 0.5), Hole(Circle((0, 5), 1)))
    assert [world.ground(at) for at in [(5, 0), (0, 5), (0, 0)]] == ["slow", "hole", "floor"]
    assert World(width=2, height=2).ground((3, 1)) == "outside"


@given(st.integers(1, 40), speeds, st.floats(0.1, 0.9))
@few
def test_among_much_ground_each_border_counts(count: int, speed: float, factor: float) -> None:
    strips = [Slow(Rectangle(2 * i + 1, -1, 1, 2), factor) for i in range(count)]
    world = world_on(*strips, *(Slow(Circle((i, 50), 0.5), 0.5) for i in range(70)))
    for i in range(30):
        world.add_body((i, -50))
    body = world.add_body((0, 0.25))
    due = (count + count / factor) / speed
    assert arrival(world, body, Leg.line((2 * count, 0.25), speed)) == pytest.approx(due, rel=1e-9)


def test_a_straight_way_ends_at_the_same_place_by_both_formulas() -> None:
    way = line((0.0, 0.0, 0.0), (3.0, 4.0), 1.0)
    assert way.at(way.duration) == (3.0, 4.0, 0.0)
