"""What a contact does to a body: it stops, slides, passes, or does what a function says."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kumi.contract import Blocked, Contact, Forward, MoveTo
from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Outline, Point
from kumi.motion import Leg, Omni
from kumi.world import Block, Pillar, SimulatedBody, Wall, World
from kumi.world.world import PolicyName
from tests.world.play import CLOSE, about, angles, few, overhear, speeds, world_with


def blocked_by(world: World, body: SimulatedBody, command: Forward | MoveTo) -> Blocked:
    """Return what a command that cannot be carried out raises."""
    found: list[Blocked] = []

    async def program() -> None:
        try:
            await body.carry_out(command)
        except Blocked as error:
            found.append(error)

    with Simulation(world) as simulation:
        simulation.start(program)
        simulation.run(until=100)
    assert len(found) == 1
    return found[0]


@given(angles, angles, st.floats(-0.9, 0.9))
def test_blocked_tells_with_whom_where_and_in_which_direction(
    turn: float, facing: float, aside: float
) -> None:
    # The other lies at distance 5 and `aside` to the left of the way.
    along = Point.polar(1.0, turn)
    left = along.turned(math.pi / 2)
    world = world_with()
    body = world.add_body((0, 0), heading=facing, shape=Disc(0.5), drive=Omni())
    other = world.add_body(along * 5 + left * aside, shape=Disc(0.5), name="other")
    error = blocked_by(world, body, MoveTo(along * 9))
    stop = along * (5 - math.sqrt(1 - aside**2))
    touch = (stop + other.position) / 2
    assert (error.by, error.number) == ("other", other.number)
    assert abs(error.at - touch) < 1e-9
    assert abs(body.position - stop) < 1e-9
    assert abs(math.remainder(error.bearing - ((touch - stop).direction - facing), math.tau)) < 1e-9


@pytest.mark.parametrize(
    ("obstacle", "at"),
    [
        (Wall((5, -1), (5, 1), 0.5, "thing"), (4.75, 0)),
        (Pillar((5, 0), 0.5, "thing"), (4.5, 0)),
        (Block(Outline([(5, -1), (6, -1), (6, 1), (5, 1)]), "thing"), (5, 0)),
    ],
)
def test_blocked_names_the_obstacle_and_the_point(obstacle: Any, at: tuple[float, float]) -> None:
    world = world_with(obstacle)
    body = world.add_body((0, 0), shape=Disc(0.5), drive=Omni())
    error = blocked_by(world, body, Forward(9.0))
    assert (error.by, error.number, error.bearing) == ("thing", None, about(0))
    assert abs(error.at - Point(*at)) < 1e-12


def test_the_contact_comes_before_the_end_of_the_motion() -> None:
    world = world_with(Wall((5, -1), (5, 1)))
    body = world.add_body((0, 0), shape=Disc(0.5), drive=Omni())
    log: list[str] = []

    async def listen() -> None:
        await body.contacts.next()
        log.append("contact")

    async def drive() -> None:
        with suppress(Blocked):
            await body.carry_out(Forward(9.0))
        log.append("end")

    with Simulation(world) as simulation:
        simulation.start(drive)
        simulation.start(listen)
        simulation.run(until=9)
    assert log == ["contact", "end"]


@given(angles, st.floats(0.1, 1.4), speeds)
def test_slide_goes_on_along_a_wall(turn: float, slope: float, speed: float) -> None:
    # Towards a wall through the origin at an angle: what is left is the part along the wall.
    along = Point.polar(1.0, turn)
    up = along.turned(math.pi / 2)
    world = world_with(Wall(along * -90, along * 90), on_contact="slide")
    start = up * 2.5
    goal = start + (along * math.cos(slope) - up * math.sin(slope)) * 12
    body = world.add_body(start, shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        with suppress(ValueError):
            body.start(Leg.line(goal, speed))
        simulation.run(until=100 / speed)
    before = 2.0 / math.sin(slope)
    if before < 12:
        assert [(who, by) for who, _, by in told] == [(0, "wall 1")]
        expected = along * (12 * math.cos(slope)) + up * 0.5
    else:
        expected = goal
    assert abs(body.position - expected) < 1e-7
    assert body.position.dot(up) - 0.5 >= -CLOSE


@given(st.lists(st.tuples(angles, speeds), min_size=1, max_size=8), st.sampled_from([0.4, 1.0, 2.0, 2.7]))
@few
def test_slide_never_overlaps_nor_hangs_in_a_corner(
    drives: list[tuple[float, float]], opening: float
) -> None:
    walls = [Wall((0, 0), Point.polar(20, side * opening / 2), 0.1) for side in (1, -1)]
    world = world_with(*walls, Pillar((12, 0), 0.5), on_contact="slide")
    body = world.add_body((9, 0), shape=Disc(0.5))
    with Simulation(world) as simulation:
        for turn, speed in drives:
            with suppress(ValueError):
                body.start(
                    Leg.forward(15.0, speed)
                    if turn > 3
                    else Leg.line(body.position + Point.polar(9, turn), speed)
                )
            simulation.run(until=simulation.now + 3.0)
            assert world.least_gap() >= -CLOSE * 0.5
        assert world.contact_count < 200


@given(st.integers(0, 2**32))
@example(736746)
@few
def test_sliding_crowds_never_overlap(seed: int) -> None:
    world = World(width=12, height=12, on_contact="slide")
    with Simulation(world, seed=seed) as simulation:
        chance = simulation.chance("drives")
        bodies = [world.add_body((2 + n % 4 * 2.5, 2 + n // 4 * 2.5), shape=Disc(0.7)) for n in range(16)]
        for _ in range(10):
            for body in bodies:
                goal = chance.uniform(1, 11), chance.uniform(1, 11)
                body.start(Leg.line(goal, chance.uniform(0.2, 5)))
            simulation.run(until=simulation.now + chance.uniform(0.1, 3))
            assert world.least_gap() >= -CLOSE


def test_in_ghost_mode_nothing_touches() -> None:
    world = world_with(Wall((5, -1), (5, 1)), ghost=True)
    a, b = world.add_body((0, 0), shape=Disc(0.5)), world.add_body((10, 0), shape=Disc(0.5))
    world.add_body((0.1, 0), shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [a, b])
        a.start(Leg.line((10, 0), 1.0))
        b.start(Leg.line((0, 0), 1.0))
        simulation.run(until=20)
    assert (told, a.position, b.position, world.contact_count) == ([], Point(10, 0), Point(0, 0), 0)


def test_a_function_decides_for_each_body_once() -> None:
    asked: list[tuple[str, float, str]] = []

    def decide(body: SimulatedBody, contact: Contact) -> PolicyName:
        asked.append((body.name, contact.time, contact.by))
        return "pass" if body.name == "ghost" else "stop"

    world = World(on_contact=decide)
    a = world.add_body((0, 0), shape=Disc(0.5), name="ghost")
    b = world.add_body((10, 0), shape=Disc(0.5), name="other")
    with Simulation(world) as simulation:
        told = overhear(simulation, [a, b])
        a.start(Leg.line((20, 0), 1.0))
        b.start(Leg.line((-10, 0), 1.0))
        simulation.run(until=30)
    assert asked == [("ghost", 4.5, "other"), ("other", 4.5, "ghost")]
    assert [(who, time) for who, time, _ in told] == [(0, 4.5), (1, 4.5)]
    assert (a.position, b.position) == (Point(20, 0), Point(5.5, 0))


def test_who_passed_is_in_the_way_again_on_the_next_motion() -> None:
    world = World(on_contact=lambda _, contact: "pass" if contact.time < 10 else "stop")
    a, b = world.add_body((0, 0), shape=Disc(0.5)), world.add_body((5, 0), shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [a, b])
        a.start(Leg.line((10, 0), 1.0))
        simulation.run(until=20)
        a.start(Leg.line((0, 0), 1.0))
        simulation.run(until=40)
    assert [(who, time) for who, time, _ in told] == [(0, 4), (1, 4), (0, 24), (1, 24)]
    assert a.position == Point(6, 0)


def test_a_policy_that_fails_ends_the_run_with_its_error() -> None:
    def decide(body: SimulatedBody, contact: Contact) -> PolicyName:
        raise LookupError("no idea")

    world = World(on_contact=decide)
    a, _ = world.add_body((0, 0), shape=Disc(0.5)), world.add_body((5, 0), shape=Disc(0.5))
    with Simulation(world) as simulation:
        a.start(Leg.line((10, 0), 1.0))
        with pytest.raises(LookupError, match="no idea"):
            simulation.run(until=20)


def test_a_policy_may_change_the_world() -> None:
    def decide(body: SimulatedBody, contact: Contact) -> PolicyName:
        for other in body.world.bodies:
            if other.name == contact.by:
                other.remove()
        return "pass"

    world = World(on_contact=decide)
    a, b = world.add_body((0, 0), shape=Disc(0.5)), world.add_body((5, 0), shape=Disc(0.5))
    with Simulation(world) as simulation:
        a.start(Leg.line((10, 0), 1.0))
        simulation.run(until=20)
    assert (a.position, b.is_gone) == (Point(10, 0), True)


def test_a_program_may_move_on_at_the_very_instant_of_the_contact() -> None:
    world = world_with(Wall((5, -9), (5, 9)))
    body = world.add_body((0, 0), shape=Disc(0.5), drive=Omni())
    log: list[tuple[float, float]] = []

    async def bounce() -> None:
        for goal in [(9, 0), (2, 3), (9, 3), (4.5, 8), (4.5, -8)]:
            try:
                await body.carry_out(MoveTo(goal))
            except Blocked:
                log.append((round(simulation.now, 9), body.position.y))

    with Simulation(world) as simulation:
        simulation.start(bounce)
        simulation.run(until=90)
    assert log == [(4.5, 0), (pytest.approx(4.5 + math.hypot(2.5, 3) + 2.5), 3)]
    assert body.position == Point(4.5, -8)


@pytest.mark.parametrize("shape", [Disc(0.6), Ellipse(1.2, 0.8)])
@pytest.mark.parametrize("leg", [Leg.forward(6.0, 1.0), Leg.arc(3.0, 1.5, 1.0)])
def test_who_is_let_pass_over_the_border_is_asked_once_and_asked_again_on_the_way_back(
    shape: BodyShape, leg: Leg
) -> None:
    """It touches the border at x = 10 on its way out; out there nothing is in its way until it comes back."""
    asked: list[float] = []

    def policy(body: SimulatedBody, contact: Contact) -> PolicyName:
        asked.append(contact.time)
        return "pass"

    world = World(width=10, height=10, on_contact=policy)
    body = world.add_body((8.13, 5), shape=shape)
    with Simulation(world) as simulation:
        body.start([leg])
        simulation.run(until=10.0)
        assert len(asked) == 1
        out = body.position
        assert out.x - shape.reach > 10
        body.start([Leg.forward(2.0, 1.0)])
        simulation.run(until=20.0)
        assert len(asked) == 1
        body.start([Leg.line((5, 5), 1.0)])
        simulation.run(until=40.0)
    assert len(asked) == 2
    assert body.position == Point(5, 5)
