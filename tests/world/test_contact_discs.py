"""When do discs touch? Every law against formulas written on their own."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import Disc
from kumi.motion import Leg
from kumi.world import World
from tests.world.oracle import Pairing, Place, arc, line, rest
from tests.world.play import (
    CLOSE,
    Told,
    all_speeds,
    angles,
    check_first_contact,
    discs,
    few,
    moved,
    overhear,
    places,
    play,
    sizes,
    speeds,
    ways,
)

LEFT: Place = (0.0, 0.0, 0.0)


def test_head_on_discs_touch_at_the_exact_instant_and_both_are_told() -> None:
    a, b = line(LEFT, (20.0, 0.0), 1.0), line((10.0, 0.0, math.pi), (-10.0, 0.0), 1.0)
    told = play(World(), [(Disc(0.5), a), (Disc(0.5), b)])
    assert told == [Told(0, 4.5, "robot 1"), Told(1, 4.5, "robot 0")]


@pytest.mark.parametrize("turn", [0.0, 0.3, math.pi / 2, 2.0, -2.5])
@pytest.mark.parametrize("offset", [9.999, 10.0, 10.001])
def test_discs_of_radius_5_that_graze_are_told_where_they_touch(offset: float, turn: float) -> None:
    c, s = math.cos(turn), math.sin(turn)
    start = (-20 * c - offset * s, -20 * s + offset * c, 0.0)
    goal = (20 * c - offset * s, 20 * s + offset * c)
    told = play(World(), [(Disc(5.0), line(start, goal, 1.0)), (Disc(5.0), rest(LEFT))])
    if offset == 10.0 and turn != 0.0:  # rounding decides, but not when
        assert all(time == pytest.approx(20, abs=1e-6) for _, time, _ in told)
        return
    assert bool(told) == (offset <= 10.0)
    assert all(time == pytest.approx(20 - math.sqrt(100 - offset**2), abs=1e-9) for _, time, _ in told)


@given(places(), places(), discs, discs, st.data())
def test_discs_on_any_ways_first_touch_when_the_oracle_says(
    one: Place, other: Place, a: Disc, b: Disc, data: st.DataObject
) -> None:
    if math.dist(one[:2], other[:2]) < a.radius + b.radius:
        other = moved(one, -2 * one[0], -2 * one[1])
    way, other_way = data.draw(ways(one)), data.draw(ways(other))
    until = max(way.duration, other_way.duration) * 1.001 + 1e-3
    told = play(World(), [(a, way), (b, other_way)], until=until)
    check_first_contact(Pairing(a, way, b, other_way), told, until)


@given(places(), places(), all_speeds, all_speeds, st.data())
def test_very_slow_and_very_fast_discs_first_touch_when_the_oracle_says(
    one: Place, other: Place, slow: float, fast: float, data: st.DataObject
) -> None:
    if math.dist(one[:2], other[:2]) < 0.4:
        other = moved(one, -2 * one[0], -2 * one[1])
    way = data.draw(ways(one, st.just(slow)))
    other_way = data.draw(ways(other, st.just(fast)))
    until = max(way.duration, other_way.duration) * 1.001 + 1e-3
    told = play(World(), [(Disc(0.2), way), (Disc(0.1), other_way)], until=until)
    check_first_contact(Pairing(Disc(0.2), way, Disc(0.1), other_way), told, until)


@given(
    st.floats(-2, 2).map(lambda power: 10**power),
    st.floats(-2, 2).map(lambda power: 10**power),
    angles,
    speeds,
)
def test_a_disc_of_any_size_stops_at_one_of_any_other(
    small: float, large: float, turn: float, speed: float
) -> None:
    far = 3 * (small + large)
    start = (far * math.cos(turn), far * math.sin(turn), 0.0)
    way = line(start, (-start[0], -start[1]), speed)
    told = play(World(), [(Disc(small), way), (Disc(large), rest(LEFT))])
    assert [who for who, _, _ in told] == [0, 1]
    assert told[0].time == told[1].time == pytest.approx((far - small - large) / speed, rel=1e-9)


@given(st.sampled_from([1e6, -1e6, 12345678.9]), st.sampled_from([1e6, -3e6]), angles, sizes, speeds)
def test_far_from_the_origin_contacts_are_as_exact_as_positions(
    x: float, y: float, turn: float, radius: float, speed: float
) -> None:
    start = (x + 4 * math.cos(turn), y + 4 * math.sin(turn), 0.0)
    goal = (x - 4 * math.cos(turn), y - 4 * math.sin(turn))
    way = line(start, goal, speed)
    told = play(World(), [(Disc(radius), way), (Disc(0.5), rest((x, y, 0.0)))])
    assert len(told) == 2
    assert told[0].time == pytest.approx((4 - radius - 0.5) / speed, abs=8 * math.ulp(x) / speed)


@given(
    st.sampled_from([1.0, 1e3, 1e6, 1e7 + 0.1]),
    st.floats(-3, 4),
    angles,
    st.floats(-0.25, 0.25),
    st.booleans(),
)
def test_late_in_a_run_fast_discs_still_touch(
    begin: float, power: float, turn: float, offset: float, arcs: bool
) -> None:
    speed = 10**power
    start = (4 * math.cos(turn), 4 * math.sin(turn), turn + math.pi + offset)
    way = arc(start, 50.0, 0.2, speed) if arcs else line(start, (-start[0], -start[1] + offset), speed)
    told = play(World(), [(Disc(0.2), way), (Disc(0.3), rest(LEFT))], begin=begin)
    pairing = Pairing(Disc(0.2), way, Disc(0.3), rest(LEFT))
    overlap = pairing.overlap(way.duration, 1e-4)
    if overlap is None:
        assert not arcs or len(told) in {0, 2}
        return
    assert len(told) == 2
    before = pairing.gap(told[0].time)
    assert abs(before) <= CLOSE * 0.5 + 4 * speed * math.ulp(begin + told[0].time)


@given(st.integers(3, 9), speeds, angles, sizes)
def test_many_that_meet_in_one_point_at_one_instant_are_all_told(
    count: int, speed: float, turn: float, radius: float
) -> None:
    # n discs touch their neighbours in a ring of radius r / sin(pi / n).
    ring = radius / math.sin(math.pi / count)
    turns = [turn + math.tau * i / count for i in range(count)]
    cast = [
        (
            Disc(radius),
            line(
                ((ring + 5) * math.cos(t), (ring + 5) * math.sin(t), 0.0),
                (math.cos(t) * 1e-3, math.sin(t) * 1e-3),
                speed,
            ),
        )
        for t in turns
    ]
    told = play(World(), cast)
    assert {who for who, _, _ in told} == set(range(count))
    assert all(time == pytest.approx(5 / speed, rel=1e-9) for _, time, _ in told)


def test_the_third_of_a_row_is_told_when_two_that_touch_are_hit() -> None:
    cast = [
        (Disc(0.5), line((-5.0, 0.0, 0.0), (9.0, 0.0), 1.0)),
        (Disc(0.5), rest(LEFT)),
        (Disc(0.5), rest((1.0, 0.0, 0.0))),
    ]
    assert play(World(), cast) == [Told(0, 4.0, "robot 1"), Told(1, 4.0, "robot 0")]


def test_one_that_drives_between_two_touches_both_at_once() -> None:
    way = line((-5.0, 0.0, 0.0), (5.0, 0.0), 1.0)
    cast = [(Disc(0.5), way), (Disc(0.5), rest((0.0, 0.6, 0.0))), (Disc(0.5), rest((0.0, -0.6, 0.0)))]
    told = play(World(), cast)
    assert told[0].time == pytest.approx(5 - math.sqrt(1 - 0.36), rel=1e-12)
    assert told[0].who == 0


@given(angles, speeds, discs, discs)
def test_discs_created_touching_are_in_contact_at_once_when_they_press(
    turn: float, speed: float, a: Disc, b: Disc
) -> None:
    way = a.radius + b.radius
    start = (way * math.cos(turn), way * math.sin(turn), 0.0)
    told = play(World(), [(a, line(start, (0.0, 0.0), speed)), (b, rest(LEFT))])
    assert [(who, time) for who, time, _ in told] == [(0, 0.0), (1, 0.0)]


@given(angles, st.floats(-math.pi / 2, math.pi / 2), speeds, discs, discs)
def test_discs_created_touching_part_without_a_contact(
    turn: float, aside: float, speed: float, a: Disc, b: Disc
) -> None:
    way = a.radius + b.radius
    start = (way * math.cos(turn), way * math.sin(turn), 0.0)
    goal = (start[0] + 9 * math.cos(turn + aside), start[1] + 9 * math.sin(turn + aside))
    assert play(World(), [(a, line(start, goal, speed)), (b, rest(LEFT))]) == []


@given(angles, angles, all_speeds, sizes)
def test_discs_side_by_side_at_zero_gap_move_in_parallel(
    turn: float, side: float, speed: float, radius: float
) -> None:
    start = (2 * radius * math.cos(side), 2 * radius * math.sin(side), 0.0)
    step = 7 * math.cos(turn), 7 * math.sin(turn)
    cast = [
        (Disc(radius), line(LEFT, step, speed)),
        (Disc(radius), line(start, (start[0] + step[0], start[1] + step[1]), speed)),
    ]
    assert play(World(), cast) == []


@given(angles, speeds, st.sampled_from([1, -1]))
@few
def test_discs_side_by_side_follow_one_circle(turn: float, speed: float, sense: int) -> None:
    # Both on a circle of radius 2 about the origin, touching, at the same speed: the gap stays 0.
    apart = 2 * math.asin(0.25 / 2)
    cast = []
    for angle in (turn, turn + apart):
        place = (2 * math.cos(angle), 2 * math.sin(angle), angle + sense * math.pi / 2)
        cast.append((Disc(0.25 - 1e-15), arc(place, 2.0 * sense, sense * 0.1, speed)))
    assert play(World(), cast) == []


@given(angles, speeds, speeds)
def test_a_faster_one_stops_behind_a_slower_one(turn: float, slow: float, more: float) -> None:
    c, s = math.cos(turn), math.sin(turn)
    fast = slow + more
    behind = line((0.0, 0.0, 0.0), (1e4 * c, 1e4 * s), fast)
    ahead = line((3 * c, 3 * s, 0.0), (1e4 * c, 1e4 * s), slow)
    told = play(World(), [(Disc(0.5), behind), (Disc(0.5), ahead)], until=2.5 / more)
    assert [who for who, _, _ in told] == [0, 1]
    assert told[0].time == pytest.approx(2 / more, rel=1e-9)


def test_from_rest_into_one_that_touches_is_a_contact_at_once() -> None:
    way = line(LEFT, (5.0, 0.0), 0.0, 1.0)
    told = play(World(), [(Disc(0.5), way), (Disc(0.5), rest((1.0, 0.0, 0.0)))])
    assert [(who, time) for who, time, _ in told] == [(0, 0.0), (1, 0.0)]


@given(angles, st.floats(0.5, 2), st.booleans())
def test_one_that_ends_its_way_where_it_touches_is_told(turn: float, speed: float, slows: bool) -> None:
    # Touching counts as contact, also at the end of the way.
    goal = (math.cos(turn), math.sin(turn))
    start = (4 * goal[0], 4 * goal[1], 0.0)
    way = line(start, goal, speed, -(speed**2) / 6 if slows else 0.0)
    told = play(World(), [(Disc(0.5), way), (Disc(0.5), rest(LEFT))])
    assert [who for who, _, _ in told] == [0, 1]


@pytest.mark.parametrize("speed", [1e-6, 1.0, 1e4, 1e9])
def test_nothing_tunnels(speed: float) -> None:
    told = play(World(), [(Disc(0.01), line((-1e3, 0.0, 0.0), (1e3, 0.0), speed)), (Disc(0.01), rest(LEFT))])
    assert told[0].time == pytest.approx((1e3 - 0.02) / speed, rel=1e-12)


def test_a_body_stops_where_it_touches_and_stays() -> None:
    world = World()
    a, b = world.add_body((0, 0), shape=Disc(0.5)), world.add_body((3, 0.6), shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [a, b])
        a.start(Leg.line((9, 0), 2.0))
        simulation.run(until=9)
        assert a.position.x == pytest.approx(3 - 0.8, abs=1e-12)
        assert not a.is_moving
        assert [who for who, _, _ in told] == [0, 1]
        assert abs(a.position - b.position) - 1.0 >= -1e-9
        assert a.odometer == pytest.approx(2.2, abs=1e-12)


@pytest.mark.slow
@given(st.floats(-8, 2), st.floats(-5, 3), st.floats(-7, 0), angles)
@example(-4.3, 2.0, -4.8, 0.0)
@example(-6.0, 1.0, -5.0, 1.0)
def test_one_that_speeds_up_after_one_that_slips_away_catches_it(
    speed_power: float, more_power: float, length_power: float, turn: float
) -> None:
    # Touching at first: v t - a t² / 2 is the gap, which closes again at 2 v / a if the way is long enough.
    speed, more, length = 10**speed_power, 10**more_power, 10**length_power
    c, s = math.cos(turn), math.sin(turn)
    chaser = line(LEFT, (length * c, length * s), 0.0, more)
    fleeing = line((c, s, 0.0), (c + 9 * c, s + 9 * s), speed)
    told = play(World(), [(Disc(0.5), chaser), (Disc(0.5), fleeing)], until=chaser.duration)
    check_first_contact(Pairing(Disc(0.5), chaser, Disc(0.5), fleeing), told, chaser.duration)
