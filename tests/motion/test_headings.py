"""A heading is a number above -pi and up to pi, whoever tells it, and it does not drift with the revolutions."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal, localcontext
from math import inf, nextafter, pi, tau, ulp
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kumi import after, sleep, until
from kumi.contract import CannotDo, Sample
from kumi.devs import Simulation
from kumi.geometry import Disc, Point, Polygon, wrapped
from kumi.motion import Car, Drive, Follower, Leg, Omni, Wheel
from kumi.recording.journal import JournalReader
from kumi.recording.records import BodyAdded, Jumped, MotionEnded, Moves
from kumi.robot import Robot
from kumi.world import World
from tests.motion.exactly import DIGITS, PI
from tests.robot.stages import play

angles = st.floats(-100.0, 100.0) | st.sampled_from([k * pi / 4 for k in range(-16, 17)])
headings = st.floats(-50.0, 50.0) | st.sampled_from([-pi, pi, -tau, tau, 3 * pi / 2, 9 * pi])


def apart(angle: float, exact: Decimal) -> Decimal:
    """Return how far two directions are apart, in decimal numbers of 60 digits."""
    with localcontext(DIGITS):
        off = (Decimal(angle) - exact) % (2 * PI)
        off += 2 * PI if off < 0 else 0
        return min(off, 2 * PI - off)


def is_heading(value: float) -> bool:
    return -pi < value <= pi


# One number for each direction.


@given(st.floats(-1e6, 1e6))
@example(pi)
@example(-pi)
@example(3 * pi)
@example(nextafter(pi, 4.0))
def test_a_wrapped_angle_is_the_same_direction(angle: float) -> None:
    assert is_heading(wrapped(angle))
    assert apart(wrapped(angle), Decimal(angle)) <= Decimal(ulp(max(abs(angle), 4.0))) / 2
    assert wrapped(wrapped(angle)) == wrapped(angle)


def test_quarter_turns_come_round_without_rounding() -> None:
    assert [wrapped(k * (pi / 2)) for k in range(5)] == [0.0, pi / 2, pi, -pi / 2, 0.0]
    assert wrapped(-pi) == pi


# What errors of direction add up to.


@pytest.mark.parametrize("sides", [20_000, pytest.param(400_000, marks=pytest.mark.slow)])
def test_a_square_that_is_driven_again_and_again_ends_where_it_began(sides: int) -> None:
    ends: list[tuple[Point, float]] = []

    async def go_round(robot: Robot) -> None:
        for _ in range(sides):
            await robot.forward(1.0)
            await robot.turn(pi / 2)
        ends.append((robot.position, robot.heading))

    play(go_round, drive=Wheel())

    [(place, heading)] = ends
    assert abs(place) < 1e-9
    assert abs(heading) < 1e-9


def test_a_square_in_one_motion_ends_where_it_began() -> None:
    """A body keeps its heading wrapped from leg to leg, too."""
    world = World()
    body = world.add_body((0, 0), drive=Wheel())
    with Simulation(world, seed=0) as simulation:
        body.start([Leg.forward(1.0, 1.0), Leg.spin(pi / 2, 1.0)] * 40_000)
        simulation.run()

    assert not body.is_moving
    assert abs(body.position) < 1e-9
    assert abs(body.heading) < 1e-9
    assert body.turned == pytest.approx(40_000 * pi / 2)


@given(heading=headings, turns=st.lists(angles, min_size=1, max_size=30))
def test_turns_add_up_to_the_exact_direction(heading: float, turns: list[float]) -> None:
    """Each turn may lose half the last digit of what it leads to, and no more."""
    ends: list[float] = []

    async def turn(robot: Robot) -> None:
        for angle in turns:
            await robot.turn(angle)
        ends.append(robot.heading)

    play(turn, heading=heading)

    with localcontext(DIGITS):
        exact = sum(map(Decimal, turns), Decimal(heading))
    assert is_heading(ends[0])
    blur = ulp(heading) + sum(ulp(4.0 + abs(angle)) for angle in turns)
    assert apart(ends[0], exact) <= Decimal(blur)


# Whoever tells it.

commands = st.one_of(
    st.tuples(st.just("turn"), st.floats(-30.0, 30.0)),
    st.tuples(st.just("turn_to"), st.floats(-30.0, 30.0)),
    st.tuples(st.just("forward"), st.floats(-2.0, 2.0)),
    st.tuples(st.just("move_to"), st.tuples(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))),
    st.tuples(st.just("arc"), st.floats(0.6, 2.0) | st.floats(-2.0, -0.6), st.floats(-30.0, 30.0)),
    st.tuples(st.just("steer"), st.floats(-1.0, 1.0), st.floats(-3.0, 3.0)),
    st.tuples(st.just("track"), st.lists(st.floats(-30.0, 30.0), min_size=1, max_size=4)),
)
drives = st.sampled_from([Wheel(), Wheel(acceleration=2.0), Omni(), Car(min_radius=0.5), Follower(lag=0.1)])
shapes = st.sampled_from([Disc(0.1), Polygon([(0.2, 0.0), (-0.1, 0.1), (-0.1, -0.1)])])


async def obey(robot: Robot, command: tuple[Any, ...]) -> None:
    match command:
        case "track", list(looks):
            samples = [Sample(1.0 + k, (0.3 * k, 0.2), look) for k, look in enumerate(looks)]
            await robot.track(samples)
        case "steer", speed, rate:
            robot.steer(speed, rate)
            await sleep(5.0)
            robot.stop()
        case name, *arguments:
            await getattr(robot, name)(*arguments)


@given(
    heading=headings, drive=drives, shape=shapes, orders=st.lists(commands, max_size=6), cut=st.floats(0.1, 9)
)
def test_every_heading_that_is_told_is_wrapped(
    heading: float, drive: Drive, shape: Disc, orders: list[tuple[Any, ...]], cut: float
) -> None:
    world = World(on_contact="slide")
    body = world.add_body((0, 0), heading=heading, shape=shape, drive=drive)
    world.keep_journal(True)
    told: list[float] = []

    async def look() -> None:
        while True:
            told.extend((body.heading, robot.heading, body.pose.heading))
            told.extend(
                each.pose.heading
                for each in JournalReader().read(world.snapshot())
                if isinstance(each, BodyAdded)
            )
            await sleep(0.37)

    async def act() -> None:
        for order in orders:
            with suppress(CannotDo), until(after(cut)):
                await obey(robot, order)
        body.teleport((3, 3), heading)

    robot = Robot(body)
    with Simulation(world, seed=0) as simulation:
        simulation.start(look)
        simulation.start(act)
        simulation.run(60.0)
    for record in JournalReader().read(world.take_journal()):
        match record:
            case BodyAdded(pose=pose) | Jumped(pose=pose) | MotionEnded(pose=pose):
                told.append(pose.heading)
            case Moves():
                told.append(record.piece.at(0.0)[2])  # how a piece begins; it turns on from there
                told.extend(record.pose(record.time + 0.3 * k).heading for k in range(10))

    assert all(is_heading(one) for one in told)


# What is shown is wrapped; what is done is not.


@pytest.mark.parametrize("angle", [20 * pi, -7.5 * pi, 40.0])
def test_a_long_turn_is_turned_in_full(angle: float) -> None:
    world = World()
    body = world.add_body((0, 0), heading=3.0)
    seen: list[float] = []

    async def look() -> None:
        for _ in range(10):
            await sleep(abs(angle) / 10)
            seen.append(body.heading)

    with Simulation(world, seed=0) as simulation:
        simulation.start(look)
        body.start(Leg.spin(angle, 1.0))
        simulation.run()

    assert simulation.now == abs(angle)
    assert body.turned == pytest.approx(angle)
    assert seen == pytest.approx([wrapped(3.0 + angle * k / 10) for k in range(1, 11)])


@given(heading=st.floats(-pi, pi), looks=st.lists(st.floats(-20.0, 20.0), min_size=1, max_size=8))
def test_a_row_of_glides_turns_as_far_as_its_headings_say(heading: float, looks: list[float]) -> None:
    """A leg that states a heading counts it on through those before: here from 3 to 9 is a turn by 6."""
    assume(heading != -pi)
    world = World()
    body = world.add_body((0, 0), heading=heading)
    ways = [abs(here - there) for here, there in zip(looks, [heading, *looks], strict=False)]
    with Simulation(world, seed=0) as simulation:
        body.start([Leg.glide((k + 1.0, 0.0), look, 1.0) for k, look in enumerate(looks)])
        turned = 0.0
        for k, way in enumerate(ways):
            simulation.run(k + 0.5)
            assert abs(body.turn_rate) == pytest.approx(way, abs=1e-9)
            turned += way
        simulation.run()

    assert body.turned == pytest.approx(looks[-1] - heading, abs=1e-9)
    assert body.heading == pytest.approx(wrapped(looks[-1]), abs=1e-9) or abs(body.heading) == pytest.approx(
        pi
    )


def test_two_samples_of_one_time_are_no_jump_after_many_revolutions() -> None:
    world = World()
    body = world.add_body((0, 0))
    with Simulation(world, seed=0) as simulation:
        body.start(
            [Leg.glide((k, 0), 3.0 * k, 1.0 * (k != 8)) for k in (1, 2, 3, 4, 5, 6, 7)]
            + [Leg.glide((7, 0), 21.0, 0.0)]
        )
        simulation.run(inf)

    assert body.turned == pytest.approx(21.0)
