"""The laws of gathering hold for every schedule for which they are promised."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.geometry import Point
from kumi.planning.gathering import to_centre_of_gravity, within_sight
from kumi.planning.schedulers import (
    Act,
    Law,
    LookTurn,
    Move,
    OwnFrame,
    RobotView,
    Straight,
    Swarm,
    alternating,
    asynchronous,
    play,
    semi_synchronous,
    synchronous,
)
from tests.planning.swarms import disorder, frames, places, rounds, support, width

REACH = 5.0


@given(places())
def test_synchronous_rigid_robots_meet_in_one_round(points: list[Point]) -> None:
    *_, after = play(points, to_centre_of_gravity, synchronous(len(points), 1))

    assert width(after.places) < 1e-9


@given(st.data())
def test_the_hull_of_places_and_goals_never_grows_under_any_schedule(data: st.DataObject) -> None:
    points = data.draw(places())
    swarm = Swarm(tuple(points))
    for after in play(points, to_centre_of_gravity, data.draw(disorder(len(points)))):
        for before, now in zip(support(swarm), support(after), strict=True):
            assert now <= before + 1e-9
        swarm = after


def test_two_robots_in_turn_halve_their_distance_for_ever_and_never_meet() -> None:
    """From 1 m apart it is 2^-k metres after k turns, exactly, as long as numbers can tell."""
    swarms = list(play([(0.0, 0.0), (1.0, 0.0)], to_centre_of_gravity, alternating(2, 50)))

    for turn, swarm in enumerate(swarms[1::2], 1):
        assert width(swarm.places) == 2.0**-turn


@pytest.mark.parametrize("seed", range(3))
def test_many_robots_converge_without_any_order(seed: int) -> None:
    """Each pair is seen under way and long after it looked; still all come together."""
    chance = stream(seed, "places")
    points = [(chance.uniform(), chance.uniform()) for _ in range(6)]
    *_, last = play(points, to_centre_of_gravity, asynchronous(6, 3000, stream(seed, "acts")))

    assert width(last.places) < 1e-6


def edges(points: tuple[Point, ...]) -> set[tuple[int, int]]:
    """Return the pairs of robots that see each other."""
    return {
        (one, other)
        for one, other in combinations(range(len(points)), 2)
        if abs(points[one] - points[other]) <= REACH
    }


@given(st.data())
def test_nobody_ever_gets_out_of_sight_in_rounds(data: st.DataObject) -> None:
    """Whoever moves, and wherever each is stopped."""
    points = data.draw(places())
    seen = edges(tuple(points))
    for after in play(points, within_sight, data.draw(rounds(len(points))), reach=REACH):
        if not after.goals:
            assert seen <= edges(after.places)
            seen = edges(after.places)


def test_who_is_at_the_very_edge_of_sight_stays_in_it() -> None:
    """Two robots that see each other just so move half-way each, and stay where they would part."""
    points = [(0.0, 0.0), (REACH, 0.0), (-REACH, 0.0)]
    for after in play(points, within_sight, synchronous(3, 50), reach=REACH):
        assert {(0, 1), (0, 2)} <= edges(after.places)

    assert width(after.places) < 1e-6


CHAIN = [(0.9 * REACH * number, float(number % 2)) for number in range(6)]


def test_a_chain_of_sights_converges_in_synchronous_rounds() -> None:
    *_, last = play(CHAIN, within_sight, synchronous(6, 60), reach=REACH)

    assert width(last.places) < 1e-6


def test_a_chain_of_sights_converges_in_semi_synchronous_rounds_of_robots_that_are_stopped() -> None:
    acts = semi_synchronous(6, 600, stream(0, "rounds"), is_rigid=False)
    *_, last = play(CHAIN, within_sight, acts, reach=REACH, least=0.01)

    assert width(last.places) < 0.02


def test_who_sees_nobody_stays() -> None:
    assert (
        within_sight(RobotView((), REACH)) == to_centre_of_gravity(RobotView(())) == Straight(Point(0.0, 0.0))
    )


@pytest.mark.parametrize("law", [to_centre_of_gravity, within_sight])
@given(data=st.data())
def test_frames_of_their_own_change_nothing(law: Law, data: st.DataObject) -> None:
    """Turned, scaled and mirrored frames, one for each robot, give the same places to 1e-9."""
    points = data.draw(places())
    acts = data.draw(rounds(len(points), most=4))
    plain = play(points, law, acts, reach=REACH)
    framed = play(points, law, acts, reach=REACH, frames=data.draw(frames(len(points))))
    for one, other in zip(plain, framed, strict=True):
        assert all(dist(a, b) < 1e-9 for a, b in zip(one.places, other.places, strict=True))


def test_a_robot_that_is_stopped_gets_at_least_the_least_way_ahead() -> None:
    """Of 4 m to the middle it goes 1 m although it is stopped at once, and of 0.5 m all."""
    stopped: list[Act] = [LookTurn((0,)), Move((0,), (0.0,))]
    *_, far = play([(0.0, 0.0), (8.0, 0.0)], to_centre_of_gravity, stopped, least=1.0)
    *_, near = play([(0.0, 0.0), (1.0, 0.0)], to_centre_of_gravity, stopped, least=1.0)

    assert far.places[0] == Point(1.0, 0.0)
    assert near.places[0] == Point(0.5, 0.0)


def test_everybody_acts_again_and_again_in_semi_synchronous_rounds() -> None:
    """Nobody waits for more than two rounds for each robot."""
    looks = [act.robots for act in semi_synchronous(4, 500, stream(0, "rounds")) if isinstance(act, LookTurn)]
    for robot in range(4):
        turns = [number for number, robots in enumerate(looks) if robot in robots]
        assert all(after - before <= 9 for before, after in pairwise(turns))
        assert turns[-1] > 490


def test_there_is_a_frame_for_each_robot() -> None:
    with pytest.raises(ValueError, match="each of 2 robots has a frame, but there are 1"):
        list(play([(0, 0), (1, 0)], to_centre_of_gravity, [], frames=[OwnFrame()]))
