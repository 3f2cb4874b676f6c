"""Who comes within range, and when, to the instant?"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import Disc, Point
from kumi.motion import Leg, Omni
from kumi.world import SimulatedBody, World
from tests.world.oracle import Place, TooHard, Way, first_below, line, rest
from tests.world.play import about, all_speeds, angles, few, places, put, speeds, ways

Seen: TypeAlias = tuple[float, bool, str]


def observe(
    owner: SimulatedBody,
    simulation: Simulation,
    within: float,
    view: float = math.tau,
    bearing: float = 0,
) -> list[Seen]:
    """Return a list to which each entering and leaving is added."""
    seen: list[Seen] = []
    owner.watch(
        within,
        lambda enters, who: seen.append((simulation.now, enters, who.name)),
        view=view,
        bearing=bearing,
    )
    return seen


def outside(way: Way, other: Way, reach: float, view: float, bearing: float) -> Callable[[float], float]:
    """Return how far the other is outside the field of view, below 0 inside, as a function of time."""

    def away(time: float) -> float:
        (x, y, heading), (ox, oy, _) = way.at(time), other.at(time)
        far = math.hypot(ox - x, oy - y)
        if view >= math.tau:
            return far - reach
        off = abs(math.remainder(math.atan2(oy - y, ox - x) - heading - bearing, math.tau)) - view / 2
        # The distance from the edge of the sector, as long as that is ahead.
        side = far * math.sin(off) if abs(off) < math.pi / 2 else math.copysign(far, off)
        return max(far - reach, side)

    return away


def passings(away: Callable[[float], float], way: Way, other: Way, reach: float) -> list[tuple[float, bool]]:
    """Return all times at which the border is passed, and whether inwards."""
    ends = sorted({0.0, way.duration, other.duration})
    found = []
    inside = away(0.0) < 0
    for start, end in pairwise(ends):
        slope = sum(w.speed + w.turning * (reach + 9) for w in (way, other) if start < w.duration)
        now = start
        while True:

            def level(time: float, sign: float = -1.0 if inside else 1.0) -> float:
                return sign * away(time)

            time = first_below(level, -1e-9, [(now, end, slope)], 1e-10, 4000)
            if time is None:
                break
            found.append((time, not inside))
            inside, now = not inside, time
    return found


def test_what_happens_on_the_plane_is_counted_once() -> None:
    """Who passes 3 m beside the eye is within 5 m from t = 6 to 14 s; it touches another at 20 s, and goes back.

    What it crosses on its way are cells, which are counted by themselves.
    """
    world = World()
    eye, passer = world.add_body((0.0, 3.0)), world.add_body((-10.0, 0.0), shape=Disc(0.5), drive=Omni())
    world.add_body((11.0, 0.0), shape=Disc(0.5))
    with Simulation(world, seed=0) as simulation:
        seen: list[tuple[float, bool]] = []
        eye.watch(5.0, lambda enters, _: seen.append((simulation.now, enters)), to_centres=True)
        counts = []
        passer.start(Leg.line((20.0, 0.0), 1.0))
        for time in (5.9, 6.0, 13.9, 14.0, 19.9, 20.0):
            simulation.run(time)
            counts.append(world.events)
        passer.start(Leg.line((-10.0, 0.0), 1.0))
        for time in (25.9, 26.0, 33.9, 34.0, 39.9, 40.0):
            simulation.run(time)
            counts.append(world.events)

    assert seen == [(6.0, True), (14.0, False), (26.0, True), (34.0, False)]
    assert counts == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]


@given(places(), places(), st.floats(0.5, 4), st.booleans(), st.data())
@few
def test_entering_and_leaving_are_told_when_the_oracle_says(
    one: Place, other: Place, within: float, narrow: bool, data: st.DataObject
) -> None:
    way, other_way = data.draw(ways(one)), data.draw(ways(other))
    view = data.draw(st.floats(0.2, 6)) if narrow else math.tau
    bearing = data.draw(angles) if narrow else 0.0
    world = World(ghost=True)
    owner, body = put(world, Disc(0.1), one), put(world, Disc(0.2), other)
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, within, view, bearing)
        for moving, legs in ((owner, way.legs), (body, other_way.legs)):
            if legs:
                moving.start(legs)
        simulation.run(until=max(way.duration, other_way.duration) + 1)
    away = outside(way, other_way, within + 0.2, view, bearing)
    try:
        expected = passings(away, way, other_way, within + 0.2)
    except TooHard:
        reject()
    ends = [0.0, way.duration, other_way.duration]
    if (
        any(abs(b - a) < 1e-3 for (a, _), (b, _) in pairwise(expected))
        or min(abs(away(end)) for end in ends) < 1e-6
    ):
        reject()  # it grazes: rounding decides
    blur = 1e-6 * (1 + max(way.duration, other_way.duration))
    assert [enters for _, enters, _ in seen] == [enters for _, enters in expected], (seen, expected)
    for (time, _, _), (due, _) in zip(seen, expected, strict=True):
        assert time == pytest.approx(due, abs=blur)
        assert abs(away(time)) <= 1e-8 * (within + 0.2)


@given(all_speeds, st.floats(0.1, 5), st.floats(-0.9, 0.9))
def test_a_straight_pass_is_seen_in_closed_form(speed: float, within: float, aside: float) -> None:
    world = World(ghost=True)
    reach = within + 0.2
    offset = aside * reach
    world.add_body((0, 0), shape=Disc(0.1), name="eye")
    body = world.add_body((-9, offset), shape=Disc(0.2), name="other")
    with Simulation(world) as simulation:
        seen = observe(world.bodies[0], simulation, within)
        body.start(Leg.line((9, offset), speed))
        simulation.run()
    half = math.sqrt(reach**2 - offset**2)
    assert [enters for _, enters, _ in seen] == [True, False]
    assert [time for time, _, _ in seen] == [pytest.approx((9 + s * half) / speed, rel=1e-9) for s in (-1, 1)]


@given(st.floats(0.1, 3), st.floats(0.05, 3), angles, st.sampled_from([1.0, -1.0]))
def test_an_owner_that_turns_sees_who_stands_still(
    rate: float, view: float, bearing: float, sense: float
) -> None:
    # The other stands at angle 0; the middle of the view turns over it once a round.
    world = World()
    owner = world.add_body((0, 0), shape=Disc(0.1), name="eye")
    world.add_body((2, 0), shape=Disc(0.2), name="other")
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 5.0, view, bearing)
        owner.start(Leg.spin(sense * math.tau, rate))
        simulation.run()
    start = math.remainder(bearing, math.tau)
    # Angles travelled until the near and the far edge of the view stand at 0.
    edges = [((-sense * start - side * view / 2) % math.tau, side > 0) for side in (1, -1)]
    expected = sorted((angle / rate, enters) for angle, enters in edges if 1e-6 < angle < math.tau - 1e-6)
    if len(expected) < 2:
        reject()
    assert [(about(time, abs=1e-6), enters) for time, enters in expected] == [(t, e) for t, e, _ in seen]


@pytest.mark.parametrize("view", [math.tau, math.pi / 2])
@pytest.mark.parametrize("crowd", [0, 30])
def test_who_is_put_within_range_is_told_at_once(view: float, crowd: int) -> None:
    world = World()
    owner = world.add_body((0, 0), name="eye")
    other = world.add_body((-30, 0), name="other")
    for i in range(crowd):
        world.add_body((100 + i, 100))
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 5.0, view)
        simulation.run(until=1)
        other.teleport((3, 0))
        simulation.run(until=2)
        other.teleport((-30, 0))
        simulation.run(until=3)
        owner.teleport((-33, 0), 0.0)
        simulation.run(until=4)
        owner.teleport((0, 0))
        simulation.run(until=5)
    assert seen == [(1, True, "other"), (2, False, "other"), (3, True, "other"), (4, False, "other")]


@pytest.mark.parametrize("crowd", [0, 11, 22, 23, 24, 25, 30, 60])
@pytest.mark.parametrize("view", [math.tau, math.pi / 2])
def test_who_is_added_or_removed_within_range_is_told_at_once(crowd: int, view: float) -> None:
    world = World()
    owner = world.add_body((0, 0), name="eye")
    for i in range(crowd):
        world.add_body((100 + i, 100))
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 5.0, view)
        simulation.run(until=1)
        for i in range(30):
            world.add_body((50 + i, -100))
        other = world.add_body((3, 0), name="other")
        simulation.run(until=2)
        other.remove()
        simulation.run(until=3)
    assert seen == [(1, True, "other"), (2, False, "other")]


def test_who_is_turned_away_from_is_told_at_once() -> None:
    world = World()
    owner, other = world.add_body((0, 0), name="eye"), world.add_body((3, 0), name="other")
    with Simulation(world) as simulation:
        seen: list[Seen] = []
        watch = owner.watch(
            5.0, lambda enters, who: seen.append((simulation.now, enters, who.name)), view=1.0
        )
        assert watch.inside == [other]
        simulation.run(until=1)
        owner.teleport((0, 0), math.pi)
        simulation.run(until=2)
        owner.teleport((0, 0), 0.0)
        simulation.run(until=3)
        assert seen == [(1, False, "other"), (2, True, "other")]
        watch.close()
        owner.teleport((0, 0), math.pi)
        simulation.run(until=4)
        assert (len(seen), watch.inside) == (2, [])


def test_who_grows_into_range_is_told_and_a_large_one_from_afar_too() -> None:
    world = World()
    owner, other = world.add_body((0, 0), name="eye"), world.add_body((50, 0), name="other")
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 5.0)
        simulation.run(until=1)
        other.resize(Disc(46))
        simulation.run(until=2)
        other.resize(Disc(30))
        simulation.run(until=3)
        other.start(Leg.line((33, 0), 1.0))
        simulation.run(until=30)
    assert seen == [(1, True, "other"), (2, False, "other"), (pytest.approx(18), True, "other")]


def test_a_large_one_added_later_is_seen_in_time() -> None:
    world = World()
    owner = world.add_body((0, 0), name="eye")
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 5.0)
        simulation.run(until=1)
        world.add_body((100, 0), shape=Disc(40), name="other").start(Leg.line((42, 0), 1.0))
        simulation.run(until=90)
    assert seen == [(about(56), True, "other")]


def test_a_wider_watch_later_leaves_nobody_unseen_by_an_earlier_one() -> None:
    world = World()
    owner, wide = world.add_body((0, 0), name="eye"), world.add_body((0, 300), name="wide")
    other = world.add_body((30, 0), shape=Disc(1), name="other")
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 5.0)
        other.start(Leg.line((2, 0), 1.0))
        simulation.run(until=1)
        observe(wide, simulation, 100.0)
        simulation.run(until=26)
    assert seen == [(about(24), True, "other")]


@given(st.integers(2, 40), st.integers(0, 2**32), st.floats(0.5, 6), st.booleans())
@few
def test_among_many_that_move_watches_always_know_who_is_inside(
    count: int, seed: int, within: float, narrow: bool
) -> None:
    view = 2.0 if narrow else math.tau
    world = World(width=20, height=20, ghost=True)
    with Simulation(world, seed=seed) as simulation:
        chance = simulation.chance("places")
        bodies = [
            world.add_body(
                (chance.uniform(1, 19), chance.uniform(1, 19)), heading=chance.uniform(-3, 3), shape=Disc(0.3)
            )
            for _ in range(count)
        ]
        watches = {body: body.watch(within, lambda *_: None, view=view, bearing=0.5) for body in bodies[:5]}
        for _ in range(6):
            for body in bodies:
                goal = chance.uniform(1, 19), chance.uniform(1, 19)
                body.start(
                    chance.choice(
                        [
                            Leg.line(goal, chance.uniform(0.1, 9)),
                            Leg.arc(0.4, chance.uniform(-9, 9), 1.0),
                            Leg.spin(3, 1),
                        ]
                    )
                    if 1 < body.position.x < 19 and 1 < body.position.y < 19
                    else Leg.line((10, 10), 1.0)
                )
            simulation.run(until=simulation.now + chance.uniform(0.1, 3))
            for owner, watch in watches.items():
                sure = {
                    other: is_inside(owner, other, within, view) for other in bodies if other is not owner
                }
                inside = set(watch.inside)
                assert {o for o, known in sure.items() if known} <= inside
                assert not inside & {o for o, known in sure.items() if known is False}


def is_inside(owner: SimulatedBody, other: SimulatedBody, within: float, view: float) -> bool | None:
    """Tell whether one sees another; None where it is on the border."""
    step: Point = other.position - owner.position
    far = abs(step) - within - other.shape.reach
    off = abs(math.remainder(step.direction - owner.heading - 0.5, math.tau)) - view / 2
    if view >= math.tau:
        off = -1.0
    if far > 1e-6 or off > 1e-6:
        return False
    return True if far < -1e-6 and off < -1e-6 else None


@given(speeds)
def test_one_that_stays_on_the_border_is_told_at_most_once(speed: float) -> None:
    way = line((0.0, 0.0, 0.0), (9.0, 0.0), speed)
    world = World(ghost=True)
    owner, other = put(world, Disc(0.1), way.at(0.0)), put(world, Disc(0.5), rest((0.0, 3.0, 0.0)).at(0.0))
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 2.5)
        owner.start(Leg.line((9.0, 0.0), speed))
        other.start(Leg.line((9.0, 3.0), speed))
        simulation.run()
    assert len(seen) <= 1


@pytest.mark.parametrize("view", [math.tau, 4.0])
def test_one_that_circles_on_the_border_is_told_seldom(view: float) -> None:
    world = World(ghost=True)
    owner = world.add_body((0, 0), shape=Disc(0.1))
    other = world.add_body((3, 0), heading=math.pi / 2, shape=Disc(0.1))
    with Simulation(world) as simulation:
        seen = observe(owner, simulation, 2.9, view)
        other.start(Leg.arc(3.0, 20.0, 1.0))
        simulation.run(until=70)
    assert len(seen) <= 20
