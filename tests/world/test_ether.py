"""A world as an ether: exact distances, exact thicknesses, exact instants."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import hypot, log10, pi, sqrt
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kumi.contract import MoveTo
from kumi.contract.messages import Message
from kumi.devs import Simulation
from kumi.geometry import Disc, Outline, Point, Rectangle
from kumi.motion import Leg, Omni
from kumi.network.ether import InRange, Meeting, OutOfRange
from kumi.network.radio import RadioWaves
from kumi.network.simulated import SimulatedNetwork
from kumi.world import MATERIALS, Block, Map, Obstacle, Pillar, Wall, World
from kumi.world.ether import WorldEther
from kumi.world.shadows import thickness_along


class Silent:
    """A station that takes whatever comes."""

    is_up = True

    def arrive(self, message: Message, sender: int) -> None:
        pass


def reaching(world: World, metres: float) -> RadioWaves:
    """Return a radio that reaches so many metres where nothing is in the way."""
    return RadioWaves(WorldEther(world), power=20.0, sensitivity=20.0 - 40.0 - 25.0 * log10(metres))


L = Outline([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)])


@pytest.mark.parametrize(
    ("thing", "start", "end", "thickness"),
    [
        (Wall((0, -2), (0, 2), 0.5), (-3, 0), (3, 0), 0.5),
        (Wall((0, -2), (0, 2), 0.5), (-3, -3), (3, 3), 0.5 * sqrt(2)),
        (Wall((0, -2), (0, 2), 0.5), (-3, 2.25), (3, 2.25), 0.0),  # touches the round end
        (Wall((0, -2), (0, 2), 2.0), (-3, 2.6), (3, 2.6), 1.6),  # through the round end: 2 sqrt(1 - 0.36)
        (Wall((0, -2), (0, 2), 0.5), (0, -9), (0, 9), 4.5),  # along it
        (Wall((0, -2), (0, 2), 0.5), (-3, 0), (0, 0), 0.25),  # ends in it
        (Wall((0, -2), (0, 2)), (-3, 0), (3, 0), 0.0),  # without thickness there is no shadow
        (Pillar((1, 1), 0.5), (-9, 1), (9, 1), 1.0),
        (Pillar((1, 1), 0.5), (-9, 1.3), (9, 1.3), 0.8),
        (Pillar((1, 1), 0.5), (1, 1), (9, 1), 0.5),  # begins in it
        (Pillar((1, 1), 0.5), (-9, 1), (0.4, 1), 0.0),  # ends before it
        (Block(Rectangle(0, 0, 2, 1)), (-1, 0.5), (5, 0.5), 2.0),
        (Block(Rectangle(0, 0, 2, 1)), (-1, -1), (5, 5), sqrt(2)),  # from corner (0, 0) to (1, 1)
        (Block(L), (2, -1), (2, 5), 1.0),
        (Block(L), (-1, 3), (3, -1), 2 * sqrt(2)),
        (Block(L), (0, 4), (4, 0), 0.0),  # past the notch of the L
        (Block(L), (-1, 2.5), (3, 2.5), 1.0),
        (Block(L), (0.5, 4.0), (4.0, 0.5), 0.0),
        (Block(L), (0, 3), (1, 3), 0.0),  # along a side
        (Block(L), (1, -1), (1, 5), 1.0),  # through the foot, then along the side above it
    ],
)
def test_the_thickness_on_a_line_follows_by_hand(
    thing: object, start: tuple[float, float], end: tuple[float, float], thickness: float
) -> None:
    for one, other in ((start, end), (end, start)):
        assert thickness_along(thing, Point(*one), Point(*other)) == pytest.approx(thickness, abs=1e-9)


coordinates = st.floats(-4, 4)


@given(
    st.sampled_from([Wall((-1, -1), (1, 2), 0.8), Pillar((0.3, 0.2), 1.1), Block(L)]),
    st.tuples(coordinates, coordinates),
    st.tuples(coordinates, coordinates),
)
@settings(max_examples=100, deadline=None)
def test_the_thickness_is_that_found_by_looking_at_many_points(
    thing: Wall | Pillar | Block, start: tuple[float, float], end: tuple[float, float]
) -> None:
    assume(min(abs(start[0] - end[0]), abs(start[1] - end[1])) > 0.1)  # along a side, rounding decides
    world = World(Map(obstacles=[thing]))
    one, other = Point(*start), Point(*end)
    count = 400
    inside = sum(world.is_solid(one + (other - one) * ((k + 0.5) / count)) for k in range(count))

    away = hypot(end[0] - start[0], end[1] - start[1])
    assert thickness_along(thing, one, other) == pytest.approx(
        inside / count * away, abs=away * 5 / count + 1e-9
    )


@given(
    st.lists(st.tuples(st.sampled_from("wpb"), *(st.floats(0, 20),) * 2, st.floats(0.1, 2)), max_size=60),
    st.tuples(*(st.floats(0, 20),) * 4),
    st.floats(0, 3),
    st.booleans(),
)
@settings(deadline=None)
def test_obstacles_beside_a_line_are_those_that_are_near_it(
    drawn: list[tuple[str, float, float, float]],
    line: tuple[float, float, float, float],
    within: float,
    has_cells: bool,
) -> None:
    """By cells or without, they are those with a place on the line nearby; a few steps along it show which."""
    kinds: dict[str, Any] = {
        "w": lambda x, y, size: Wall((x, y), (x + size, y + 0.5), 0.1),
        "p": lambda x, y, size: Pillar((x, y), size / 4),
        "b": lambda x, y, size: Block(Rectangle(x, y, size, size / 2)),
    }
    things = [kinds[kind](x, y, size) for kind, x, y, size in drawn]
    world = World(Map(obstacles=things), ghost=True)
    for number in range(40 if has_cells else 0):
        world.add_body((20.0 * number / 40, -3.0), shape=Disc(0.05))  # beside all that stands
    start, end = Point(*line[:2]), Point(*line[2:])

    found = world.obstacles_beside(start, end, within)
    step = max(abs(end - start) / 200, 1e-9)
    at = [start + (end - start) * (k / 200) for k in range(201)]
    near = {id(thing) for place in at for thing, _ in world.near_obstacles(place, within - 1e-9)}
    not_far = {id(thing) for place in at for thing, _ in world.near_obstacles(place, within + step + 1e-9)}
    assert near <= {id(thing) for thing in found} <= not_far
    assert len(found) == len({id(thing) for thing in found})


def test_who_is_near_is_measured_from_centre_to_centre() -> None:
    world = World(ghost=True)
    for x, radius in ((0.0, 0.1), (2.0, 0.5), (3.0, 0.5), (3.2, 0.5)):
        world.add_body((x, 0), shape=Disc(radius))
    ether = WorldEther(world)

    assert ether.near(0, 3.0) == [(1, 2.0), (2, 3.0)]
    assert ether.distance(0, 3) == pytest.approx(3.2)
    world.bodies[1].remove()
    assert ether.near(0, 3.0) == [(2, 3.0)]
    assert ether.distance(0, 1) is None
    assert ether.near(1, 3.0) == []


def test_each_obstacle_takes_what_its_own_material_does() -> None:
    """A door of wood at 14 dB a metre, a wall of which nothing is said, as concrete at 65, and one that is not between."""
    door = Wall((1, -1), (1, 1), 0.2, "door", "wood")
    world = World(Map(obstacles=[door, Wall((2, -1), (2, 1), 0.4), Wall((9, -1), (9, 1), 1)]))
    for x in (0.0, 3.0):
        world.add_body((x, 0))

    (thin, wood), (thick, concrete) = sorted(WorldEther(world).obstacles_between(0, 1))
    assert (wood, concrete) == (14.0, 65.0)
    assert (thin, thick) == pytest.approx((0.2, 0.4))


@given(st.floats(0.1, 5.0), st.floats(-0.9, 0.9), st.sampled_from([0.1, 0.3]))
@settings(max_examples=40, deadline=None)
def test_leaving_range_is_told_at_the_exact_instant(speed: float, aside: float, radius: float) -> None:
    """A robot passes at a distance of `aside` ranges: it is in range for sqrt(reach² - aside²) on each side."""
    reach = 10.0
    world = World(ghost=True)
    world.add_body((0, 0), shape=Disc(0.2))
    mover = world.add_body((-20, aside * reach), shape=Disc(radius))
    radio = reaching(world, reach)
    told: list[Meeting] = []
    with Simulation(world) as simulation:
        network = SimulatedNetwork(simulation, radio)
        for address in (0, 1):
            network.join(address, Silent())
        radio.watch(0, told.append)
        mover.start(Leg.line((20, aside * reach), speed))
        simulation.run(until=40 / speed)
    half = sqrt(reach**2 - (aside * reach) ** 2)

    assert [type(one) for one in told] == [InRange, OutOfRange]
    assert [one.time for one in told] == pytest.approx([(20 - half) / speed, (20 + half) / speed], rel=1e-9)
    assert {(one.address, one.neighbour) for one in told} == {(0, 1)}


def test_bodies_of_different_sizes_are_each_told_by_their_centres() -> None:
    """At 1 m/s from 5 m, three sizes come within 3 m after 2 s, all at once."""
    world = World(ghost=True)
    world.add_body((0, 0), shape=Disc(0.1))
    movers = [
        world.add_body(at, shape=Disc(radius))
        for at, radius in (((5, 0), 0.1), ((0, 5), 0.4), ((-5, 0), 0.7))
    ]
    radio = reaching(world, 3.0)
    told: list[Meeting] = []
    with Simulation(world) as simulation:
        network = SimulatedNetwork(simulation, radio)
        for address in range(4):
            network.join(address, Silent())
        close = radio.watch(0, told.append)
        for mover in movers:
            mover.start(Leg.line((0, 0), 1.0))
        simulation.run(until=2.5)
        close()
        simulation.run(until=30.0)

    assert [one.time for one in told] == pytest.approx([2.0] * 3)
    assert sorted(one.neighbour for one in told) == [1, 2, 3]


def test_who_hears_follows_the_motion() -> None:
    """Range 10 m, away at 2 m/s from 4 m: heard until 3 s."""
    world = World()
    world.add_body((0, 0))
    mover = world.add_body((4, 0))
    radio = reaching(world, 10.0)
    heard = []
    with Simulation(world) as simulation:
        network = SimulatedNetwork(simulation, radio)
        for address in (0, 1):
            network.join(address, Silent())
        mover.start(Leg.line((50, 0), 2.0))
        for time in (0.0, 2.9, 3.1):
            simulation.schedule(time, lambda: heard.append(radio.neighbours(0)), rank=3)
        simulation.run(until=5.0)

    assert heard == [(1,), (1,), ()]


def test_a_robot_behind_a_thick_wall_does_not_hear() -> None:
    """Range 100 m: 10 m leave 25 dB to spare, which 0.4 m of concrete (26 dB) take and 0.3 m (19.5 dB) do not."""
    for thickness, hears in ((0.3, True), (0.4, False)):
        world = World(Map(obstacles=[Wall((5, -3), (5, 3), thickness)]))
        for x in (0.0, 10.0):
            world.add_body((x, 0))
        radio = reaching(world, 100.0)

        assert radio.hears(1, 0) is hears
        assert radio.hearers(0) == ([1] if hears else [])


TAKEN = {
    "solid": 6.5,
    "glass": 0.8,
    "mesh": 2.0,
    "curtain": 0.1,
    "dark": 6.5,
    "concrete": 6.5,
    "brick": 2.3,
    "plasterboard": 1.9,
    "wood": 1.4,
    "metal": 100_000.0,
}
"""Decibels that 0.1 m of each material takes."""


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", ["wall", "pillar", "block"])
def test_ten_centimetres_take_what_the_material_says(shape: str, material: str) -> None:
    thing = dict[str, Obstacle](
        wall=Wall((5, -3), (5, 3), 0.1, material=material),
        pillar=Pillar((5, 0), 0.05, material=material),
        block=Block(Rectangle(4.95, -3, 0.1, 6), material=material),
    )[shape]
    world = World(Map(obstacles=[thing]))
    for x in (0.0, 10.0):
        world.add_body((x, 0))
    radio = reaching(world, 100.0)
    taken = radio.received_power(10.0) - radio.received_power(10.0, radio.ether.obstacles_between(0, 1))

    assert taken == pytest.approx(TAKEN[material])


def test_the_power_behind_a_slanted_wall_falls_with_the_way_through_it() -> None:
    """At 60 degrees to the wall's normal the way through 0.1 m of it is 0.2 m."""
    world = World(Map(obstacles=[Wall((0, -50), (0, 50), 0.1)]))
    a, b = Point.polar(5.0, pi / 3), -Point.polar(5.0, pi / 3)

    ((thickness, loss),) = WorldEther(world).obstacles_on(a, b)
    assert loss == 65.0
    assert thickness == pytest.approx(0.2)


def test_robots_that_come_and_go_during_a_run_are_heard_while_they_are_there() -> None:
    world = World(ghost=True)
    world.add_body((0, 0))
    radio = reaching(world, 10.0)

    assert radio.hearers(0) == []
    guest = world.add_body((3, 0))
    assert radio.hearers(0) == [guest.number]
    assert radio.hears(guest.number, 0)
    guest.remove()
    assert radio.hearers(0) == []
    assert not radio.hears(guest.number, 0)
    assert not radio.hears(7, 0)


@dataclass(frozen=True)
class Hello(Message):
    """A greeting."""


@pytest.mark.parametrize("seed", range(40))
def test_who_has_come_into_range_is_heard_at_that_instant(seed: int) -> None:
    """The natural program, to say hello when somebody comes into range, loses no hello to rounding."""
    chance = random.Random(seed)
    world = World()
    one = world.add_body((0.0, 0.0), shape=Disc(0.1), drive=Omni(speed=1.0))
    angle = chance.uniform(0.0, 6.28)
    start = Point.polar(chance.uniform(150.0, 400.0), angle)
    other = world.add_body(start, shape=Disc(0.1), drive=Omni(speed=chance.uniform(0.5, 20.0)))
    simulation = Simulation(world)
    waves = RadioWaves(WorldEther(world), exponent=chance.uniform(2.0, 3.0), sensitivity=-60.0)
    network = SimulatedNetwork(simulation, waves)
    heard: list[int] = []

    class Ear:
        is_up = True

        def arrive(self, _message: Message, sender: int) -> None:
            heard.append(sender)

    for body in (one, other):
        network.join(body.number, Ear())
    waves.watch(0, lambda meeting: network.send(0, 1, Hello()) if isinstance(meeting, InRange) else None)
    other.steer(MoveTo(Point(chance.uniform(-5.0, 5.0), chance.uniform(-5.0, 5.0))))
    simulation.run(until=2000.0)

    assert heard == [0]


def test_between_somebody_and_one_that_is_gone_stands_nothing() -> None:
    world = World(Map(obstacles=[Wall((1, -1), (1, 1), 0.2)]))
    here, there = world.add_body((0, 0)), world.add_body((2, 0))
    ether = WorldEther(world)
    assert len(ether.obstacles_between(here.number, there.number)) == 1

    there.remove()
    assert ether.obstacles_between(here.number, there.number) == ()
    assert ether.obstacles_between(there.number, here.number) == ()


def test_who_is_near_is_asked_of_a_body_on_the_plane() -> None:
    world, elsewhere = World(), World()
    for x in (0, 1, 2):
        world.add_body((x, 0))
    stranger, gone = elsewhere.add_body((0, 0)), world.bodies[2]
    gone.remove()

    assert world.near_centres(world.bodies[0], 1.0) == [(1, 1.0)]
    for body in (stranger, gone, None, 3):
        with pytest.raises(TypeError, match="a body"):
            world.near_centres(body, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a distance is a number of metres >= 0, not nan"):
        world.near_centres(world.bodies[0], float("nan"))
