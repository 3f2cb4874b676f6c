"""When does a disc meet what stands on the plane: walls, pillars, blocks, the border?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import Disc, Outline, Point
from kumi.motion import Leg
from kumi.world import Block, Forbidden, Map, Pillar, Wall, World
from tests.world.oracle import Bar, Pair, Place, Way, arc, line
from tests.world.play import (
    Told,
    about,
    all_speeds,
    angles,
    bars_of,
    check_walls,
    discs,
    few,
    near,
    overhear,
    places,
    play,
    speeds,
    ways,
    world_with,
)

pairs = st.tuples(near, near)
HOOK: list[Pair] = [(-2, -2), (2, -2), (2, 2), (1, 2), (1, -1), (-1, -1), (-1, 2), (-2, 2)]
"""A concave block, open above."""


@given(places(5.0), discs, pairs, pairs, st.just(0.0) | st.floats(0, 1), st.data())
def test_a_disc_on_any_way_meets_a_wall_when_the_oracle_says(
    place: Place, disc: Disc, start: Pair, end: Pair, thickness: float, data: st.DataObject
) -> None:
    if math.dist(start, end) < 1e-3:
        end = (start[0] - math.copysign(1.0, start[0]), start[1])  # inwards, where no robot begins
    way = data.draw(ways(place))
    world = world_with(Wall(start, end, thickness))
    check_walls(world, disc, way, [Bar(start, end, thickness / 2)])


@given(places(5.0), discs, pairs, st.floats(0.01, 2), all_speeds, st.data())
def test_a_disc_on_any_way_meets_a_pillar_when_the_oracle_says(
    place: Place, disc: Disc, centre: Pair, radius: float, speed: float, data: st.DataObject
) -> None:
    centre = (centre[0] / 3, centre[1] / 3)
    way = data.draw(ways(place, st.just(speed)))
    check_walls(world_with(Pillar(centre, radius)), disc, way, [Bar(centre, centre, radius)])


@given(places(5.0), st.floats(0.1, 0.9), st.data())
def test_a_disc_on_any_way_meets_a_concave_block_when_the_oracle_says(
    place: Place, radius: float, data: st.DataObject
) -> None:
    way = data.draw(ways(place))
    check_walls(world_with(Block(Outline(HOOK))), Disc(radius), way, bars_of(HOOK))


@given(pairs, angles, discs, st.data())
def test_a_disc_on_any_way_meets_the_border_when_the_oracle_says(
    at: Pair, heading: float, disc: Disc, data: st.DataObject
) -> None:
    way = data.draw(ways((*at, heading)))
    box: list[Pair] = [(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)]
    check_walls(World(Map(9.0, 9.0, (-4.5, -4.5))), disc, way, bars_of(box))


@given(angles, all_speeds, st.booleans(), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 1e6]))
def test_a_disc_moves_along_a_wall_at_zero_gap_in_any_direction(
    turn: float, speed: float, back: bool, thickness: float, shift: float
) -> None:
    along = Point.polar(1.0, turn)
    away = along.turned(math.pi / 2) * (0.5 + thickness / 2)
    origin = Point(shift, -shift)
    start, goal = origin - along * 5 + away, origin + along * 5 + away
    if back:
        start, goal = goal, start
    world = world_with(Wall(origin - along * 9, origin + along * 9, thickness))
    if not shift:
        assert play(world, [(Disc(0.5), line((*start, 0.0), (goal.x, goal.y), speed))]) == []


@pytest.mark.parametrize("turn", [0.0, 0.1, 1.0, math.pi / 3, math.pi / 2, 2.0, math.pi, -0.3, -math.pi / 2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_disc_driven_without_end_moves_along_a_wall_at_zero_gap(turn: float, sign: float) -> None:
    along = Point.polar(1.0, turn)
    world = world_with(Wall(along * -100, along * 100))
    body = world.add_body(along.turned(math.pi / 2) * 0.5, heading=turn, shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start(Leg.forward(math.copysign(math.inf, sign), 1.0))
        simulation.run(until=50)
        assert (told, body.position.dot(along)) == ([], about(50 * sign))


@pytest.mark.parametrize("heading", [0.0, math.pi / 2, math.pi, -math.pi / 2])
@pytest.mark.parametrize("endless", [False, True])
def test_a_disc_moves_along_the_border_at_zero_gap(heading: float, endless: bool) -> None:
    world = World(width=10, height=10)
    along = Point.polar(1.0, heading)
    start = Point(5, 5) + along.turned(math.pi / 2) * 4.5
    body = world.add_body((round(start.x, 9), round(start.y, 9)), heading=heading, shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [body])
        body.start(Leg.forward(math.inf if endless else 4.0, 1.0))
        simulation.run(until=4)
        assert told == []
        simulation.run(until=9)
        assert told == ([Told(0, about(4.5), "border")] if endless else [])


@given(st.floats(0.3, 3), speeds, st.sampled_from([1, -1]), st.floats(0.1, 6))
def test_a_disc_circles_a_pillar_at_zero_gap(radius: float, speed: float, sense: int, angle: float) -> None:
    world = world_with(Pillar((0, 0), radius))
    way = arc((radius + 0.5, 0.0, sense * math.pi / 2), sense * (radius + 0.5), sense * angle, speed)
    assert play(world, [(Disc(0.5), way)]) == []


@given(angles, st.floats(0.01, 1.5), st.sampled_from([1, -1]), speeds)
def test_an_arc_that_leaves_a_wall_it_touches_meets_it_again_after_the_way_round(
    turn: float, radius: float, sense: int, speed: float
) -> None:
    # The circle touches the line of centres at its lowest point: after one turn the disc is back there.
    along = Point.polar(1.0, turn)
    start = along.turned(math.pi / 2) * 0.5
    if sense < 0:
        along = -along
    world = world_with(Wall(along * -9, along * 9))
    heading = turn if sense > 0 else turn + math.pi
    way = arc((start.x, start.y, heading), sense * radius, sense * 3.0, speed)
    assert play(world, [(Disc(0.5), way)]) == []


@given(angles, speeds, st.sampled_from([1, -1]))
def test_an_arc_into_a_wall_it_touches_is_a_contact_at_once(turn: float, speed: float, sense: int) -> None:
    along = Point.polar(1.0, turn)
    start = along.turned(math.pi / 2) * 0.5
    world = world_with(Wall(along * -9, along * 9))
    heading = turn if sense < 0 else turn + math.pi
    way = arc((start.x, start.y, heading), sense * 2.0, sense * 3.0, speed)
    told = play(world, [(Disc(0.5), way)])
    assert [(who, by) for who, _, by in told] == [(0, "wall 1")]
    assert told[0].time == pytest.approx(0, abs=1e-4 / speed)


def test_forbidden_ground_is_met_like_a_wall() -> None:
    ground = [
        Forbidden(Outline([(2, -1), (3, -1), (3, 1), (2, 1)])),
        Forbidden(Outline([(-3, -1), (-2, -1), (-2, 1)])),
    ]
    right = play(world_with(terrain=ground), [(Disc(0.5), line((0.0, 0.0, 0.0), (5.0, 0.0), 1.0))])
    left = play(world_with(terrain=ground), [(Disc(0.5), line((0.0, 0.0, 0.0), (-5.0, 0.0), 1.0))])
    assert right == [Told(0, 1.5, "forbidden 1")]
    assert left == [Told(0, 1.5, "forbidden 2")]


def test_a_corner_is_met_by_the_round_of_the_disc() -> None:
    # Towards (5, 0.3) past the corner (3, 0) of a block below: contact where the distance is 0.5.
    world = world_with(Block(Outline([(3, 0), (3, -2), (4, -2), (4, 0)])))
    told = play(world, [(Disc(0.5), line((0.0, 0.3, 0.0), (9.0, 0.3), 1.0))])
    assert told == [Told(0, about(3 - 0.4, abs=1e-12), "block 1")]


@pytest.mark.parametrize("speed", [1e-3, 1.0, 1e6, 1e12])
def test_nothing_tunnels_through_a_wall_without_thickness(speed: float) -> None:
    world = world_with(Wall((5, -1), (5, 1)))
    told = play(world, [(Disc(1e-3), line((0.0, 0.0, 0.0), (1e3, 0.0), speed))])
    assert told == [Told(0, about(4.999 / speed, rel=1e-12), "wall 1")]


@given(st.integers(25, 60), angles, speeds)
@few
def test_among_many_walls_the_first_on_the_way_is_met(count: int, turn: float, speed: float) -> None:
    # More parts than are compared one by one: cells hold them.
    walls = [Wall((i, -1), (i + 0.25, 1), 0.1) for i in range(2, 3 * count, 2)]
    c, s = math.cos(turn), math.sin(turn)
    turned = [Wall(wall.start.turned(turn), wall.end.turned(turn), 0.1) for wall in walls[::-1]]
    start, goal = (0.0, 0.0, 0.0), (3 * count * c, 3 * count * s)
    bars = [Bar((wall.start.x, wall.start.y), (wall.end.x, wall.end.y), 0.05) for wall in turned[-2:]]
    told = check_walls(world_with(*turned), Disc(0.3), line(start, goal, speed), bars)
    assert [by for _, _, by in told] == [f"wall {len(turned)}"]


@given(places(9.0), st.data())
def test_among_many_pillars_the_first_on_the_way_is_met(place: Place, data: st.DataObject) -> None:
    centres = [(x + 0.0, y + 0.0) for x in range(-6, 7, 2) for y in range(-6, 7, 2)] * 2
    way: Way = data.draw(ways(place))
    bars = [Bar(centre, centre, 0.25) for centre in centres[:49]]
    check_walls(world_with(*(Pillar(centre, 0.25) for centre in centres)), Disc(0.1), way, bars)
