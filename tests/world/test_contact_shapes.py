"""When do polygons and ellipses touch, each other and walls, on any ways and turning?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Outline, Polygon
from kumi.motion import Leg
from kumi.world import Block, Map, Pillar, Wall, World
from tests.world.oracle import Bar, Pair, Pairing, Place, Way, extent, glide, line, rest
from tests.world.play import (
    CLOSE,
    Told,
    about,
    all_speeds,
    angles,
    bars_of,
    check_first_contact,
    check_walls,
    ellipses,
    few,
    moved,
    near,
    overhear,
    places,
    play,
    polygons,
    shapes,
    speeds,
    ways,
    world_with,
)

SQUARE = Polygon([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
MIDDLE: Place = (0.0, 0.0, 0.0)


@given(places(), places(), shapes, polygons | ellipses, st.data())
@few
def test_shapes_on_any_ways_first_touch_when_the_oracle_says(
    one: Place, other: Place, a: BodyShape, b: BodyShape, data: st.DataObject
) -> None:
    if math.dist(one[:2], other[:2]) < a.reach + b.reach:
        other = moved(one, -2 * one[0], -2 * one[1])
    way, other_way = data.draw(ways(one)), data.draw(ways(other))
    until = max(way.duration, other_way.duration) * 1.001 + 1e-3
    told = play(World(), [(a, way), (b, other_way)], until=until)
    check_first_contact(Pairing(a, way, b, other_way), told, until)


@given(places(5.0), polygons | ellipses, st.tuples(near, near), st.sampled_from([0.0, 0.4]), st.data())
@few
def test_shapes_on_any_ways_meet_a_wall_when_the_oracle_says(
    place: Place, shape: BodyShape, start: Pair, thickness: float, data: st.DataObject
) -> None:
    end = (start[0] / 2 + 0.5, -start[1] / 2 + 0.5)
    if math.dist(start, end) < 1e-3:
        end = (start[0] + 1, start[1])
    check_walls(
        world_with(Wall(start, end, thickness)),
        shape,
        data.draw(ways(place)),
        [Bar(start, end, thickness / 2)],
    )


@given(st.tuples(near, near), angles, polygons | ellipses, st.data())
@few
def test_shapes_on_any_ways_meet_the_border_when_the_oracle_says(
    at: Pair, heading: float, shape: BodyShape, data: st.DataObject
) -> None:
    box: list[Pair] = [(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)]
    check_walls(World(Map(9.0, 9.0, (-4.5, -4.5))), shape, data.draw(ways((*at, heading))), bars_of(box))


@given(places(), polygons | ellipses, st.floats(0.1, 30), speeds)
@few
def test_a_fast_turning_slowly_moving_shape_stops_when_the_oracle_says(
    place: Place, shape: BodyShape, turns: float, speed: float
) -> None:
    way = glide(place, (-place[0], -place[1], place[2] + turns), 6 / speed)
    told = play(World(), [(shape, way), (Disc(0.3), rest(MIDDLE))])
    assert sorted(who for who, _, _ in told) == [0, 1]
    check_first_contact(Pairing(shape, way, Disc(0.3), rest(MIDDLE)), told, way.duration)


@given(all_speeds, st.sampled_from([0.0, 1e3, 1e6]), st.sampled_from([0.0, 1e6]))
def test_squares_touch_in_closed_form_at_any_speed_time_and_place(
    speed: float, begin: float, shift: float
) -> None:
    way = line((shift, 0.2, 0.0), (shift + 9, 0.2), speed)
    told = play(World(), [(SQUARE, way), (SQUARE, rest((shift + 4, 0.0, 0.0)))], begin=begin)
    blur = 4 * math.ulp(shift) / speed + 4 * math.ulp(begin + 3 / speed) + 1e-9 / speed
    assert sorted(who for who, _, _ in told) == [0, 1]
    assert told[0].time == pytest.approx(3 / speed, abs=blur)


@pytest.mark.parametrize("shape", [SQUARE, Ellipse(1.0, 1.0), Disc(0.5)])
@pytest.mark.parametrize("leg", [Leg.rest(0.0), Leg.spin(1.0, 1.0), Leg.spin(9.0, 1.0), Leg.rest(1.0)])
def test_a_disc_that_turns_meanwhile_is_no_less_there(shape: BodyShape, leg: Leg) -> None:
    still = Way((leg,), lambda _: (5.0, 0.0, 0.0), 0.0, 0.0)
    for way in (
        line(MIDDLE, (9.0, 0.0), 1.0),
        glide(MIDDLE, (9.0, 0.0, 0.0), 9.0),
        line(MIDDLE, (9.0, 0.0), 1.0, 1e-9),
    ):
        told = play(World(), [(shape, way), (Disc(0.5), still)])
        assert sorted(told) == [
            Told(0, about(4.0), "robot 1"),
            Told(1, about(4.0), "robot 0"),
        ]


@given(st.floats(0.2, 3), st.floats(0.2, 3), speeds)
def test_an_ellipse_meets_a_wall_ahead_with_its_tip_and_aside_with_its_flank(
    length: float, width: float, speed: float
) -> None:
    world = world_with(Wall((9, -9), (9, 9)))
    ahead = play(world, [(Ellipse(length, width), line(MIDDLE, (12.0, 0.0), speed))])
    world = world_with(Wall((9, -9), (9, 9)))
    aside = play(world, [(Ellipse(length, width), line((0.0, 0.0, math.pi / 2), (12.0, 0.0), speed))])
    assert [told.time for told in ahead] == [pytest.approx((9 - length / 2) / speed, rel=1e-9)]
    assert [told.time for told in aside] == [pytest.approx((9 - width / 2) / speed, rel=1e-9)]


def test_a_square_that_spins_beside_a_wall_touches_with_its_corner() -> None:
    # Half the diagonal is 0.7071; the wall is 0.6 away: contact when 0.7071 * cos(45° - turn) = 0.6.
    world = world_with(Wall((-5, 0.6), (5, 0.6)))
    body = world.add_body((0, 0), shape=SQUARE)
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start(Leg.spin(3.0, 1.0))
        simulation.run(until=4)
        turn = math.pi / 4 - math.acos(0.6 / math.sqrt(0.5))
        assert told == [Told(0, about(turn, abs=1e-9), "wall 1")]
        assert body.heading == about(turn, abs=1e-9)
        assert body.turned == about(turn, abs=1e-9)


@pytest.mark.parametrize("shape", [Ellipse(1.0, 0.2), Ellipse(1.0, 0.9), SQUARE])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_shape_that_lies_flat_on_a_wall_cannot_spin(shape: BodyShape, sense: int) -> None:
    low = 0.5 if shape is SQUARE else shape.width / 2 if isinstance(shape, Ellipse) else 0.0
    world = world_with(Wall((-5, 0), (5, 0)))
    body = world.add_body((0, low), shape=shape)
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start(Leg.spin(sense * 1.0, 1.0))
        simulation.run(until=4)
        place = (body.position.x, body.position.y, body.heading)
        pairing = Pairing(shape, rest(place), Bar((-5, 0), (5, 0), 0.0), rest(MIDDLE))
        assert pairing.gap(0.0) >= -CLOSE * shape.reach
        assert [who for who, _, _ in told] == [0]


@given(angles, speeds, st.booleans())
def test_squares_side_by_side_at_zero_gap_move_in_parallel(turn: float, speed: float, along: bool) -> None:
    c, s = math.cos(turn), math.sin(turn)
    step = (7 * c, 7 * s) if along else (-7 * s, 7 * c)
    cast = [
        (SQUARE, line((0.0, 0.0, turn), step, speed)),
        (SQUARE, line((-s, c, turn), (step[0] - s, step[1] + c), speed)),
    ]
    assert play(World(), cast) == []


@given(angles, speeds)
def test_a_square_moves_along_a_wall_at_zero_gap(turn: float, speed: float) -> None:
    c, s = math.cos(turn), math.sin(turn)
    world = world_with(Wall((-9 * c, -9 * s), (9 * c, 9 * s)))
    way = line((-s / 2 - 5 * c, c / 2 - 5 * s, turn), (-s / 2 + 5 * c, c / 2 + 5 * s), speed)
    assert play(world, [(SQUARE, way)]) == []


@given(st.sampled_from([SQUARE, Ellipse(0.5, 1.0), Ellipse(1.0, 1.0)]), angles, speeds)
@few
def test_shapes_speed_up_along_a_wall_at_zero_gap(shape: BodyShape, turn: float, speed: float) -> None:
    c, s = math.cos(turn), math.sin(turn)
    world = world_with(Wall((-9 * c, -9 * s), (9 * c, 9 * s)))
    way = line((-s / 2 - 5 * c, c / 2 - 5 * s, turn), (-s / 2 + 5 * c, c / 2 + 5 * s), 0.0, speed)
    assert play(world, [(shape, way)]) == []


def test_that_a_disc_turns_makes_no_work_for_what_slides_along_it() -> None:
    world = World()
    square, disc = world.add_body((0, 0), shape=SQUARE), world.add_body((0.5, 0.75), shape=Disc(0.25))
    with Simulation(world) as simulation:
        told = overhear(simulation, [square, disc])
        disc.start(Leg.spin(9.0, 1.0))
        square.start(Leg.line((5, 0), 1.0))
        simulation.run(until=9)
        assert (told, square.position.x) == ([], 5)
        assert world.events < 50


@given(polygons | ellipses, angles, speeds)
def test_shapes_that_touch_part_without_a_contact(shape: BodyShape, turn: float, speed: float) -> None:
    # Beside a wall on the right, as near as the shape allows, driving to the left.
    reach = extent(shape, (0.0, 0.0, turn), 0.0)
    world = world_with(Wall((reach, -9), (reach, 9)))
    assert play(world, [(shape, line((0.0, 0.0, turn), (-5.0, 0.0), speed))]) == []


@given(polygons | ellipses, angles, speeds)
def test_shapes_that_touch_and_press_are_in_contact_at_once(
    shape: BodyShape, turn: float, speed: float
) -> None:
    reach = extent(shape, (0.0, 0.0, turn), 0.0)
    world = world_with(Wall((reach, -9), (reach, 9)))
    told = play(world, [(shape, line((0.0, 0.0, turn), (5.0, 0.0), speed))])
    assert [(who, by) for who, _, by in told] == [(0, "wall 1")]
    assert told[0].time <= 1e-9 / speed


@pytest.mark.slow
@given(places(4.0), st.data())
@few
def test_a_thin_needle_meets_a_thin_needle(place: Place, data: st.DataObject) -> None:
    needle = Polygon([(-1, 0), (0, -1e-2), (1, 0), (0, 1e-2)])
    way: Way = data.draw(ways(place))
    other = rest((0.0, 0.0, data.draw(angles)))
    told = play(World(), [(needle, way), (needle, other)])
    check_first_contact(Pairing(needle, way, needle, other), told, way.duration)


@pytest.mark.slow
@given(places(5.0), polygons | ellipses, st.data())
@few
def test_shapes_meet_a_concave_block_and_pillars(place: Place, shape: BodyShape, data: st.DataObject) -> None:
    hook: list[Pair] = [(-2, -2), (2, -2), (2, 2), (1, 2), (1, -1), (-1, -1), (-1, 2), (-2, 2)]
    bars = [*bars_of(hook), Bar((0, 0), (0, 0), 0.3)]
    world = world_with(Block(Outline(hook)), Pillar((0, 0), 0.3))
    check_walls(world, shape, data.draw(ways(place)), bars)


@pytest.mark.parametrize("shape", [SQUARE, Ellipse(1.0, 1.0), Disc(0.5)])
@pytest.mark.parametrize("other", ["wall", "body"])
def test_sinking_into_something_little_by_little_ends_too(shape: BodyShape, other: str) -> None:
    # Each way leads by less than what counts as nothing into the other; two hundred of them are something.
    world = world_with(Wall((-200, -0.5), (200, -0.5))) if other == "wall" else World()
    size = shape.reach
    if other == "body":
        block = world.add_body((0, -1.5), shape=Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)]))
        size += block.shape.reach
    body = world.add_body((0, 0), shape=shape)
    with Simulation(world) as simulation:
        for step in range(1, 200):
            body.start(Leg.line((step % 2 / 2, body.position.y - 4e-11), 1.0))
            simulation.run(until=step)
            assert body.position.y >= -CLOSE * size
