"""A follower and a leader alone, on bodies that a test plays: what goes in, what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi, radians
from typing import Any, cast

import pytest

from kumi.contract import Forward, Turn
from kumi.contract.readings import Range
from kumi.convoy.program import Caught, ConvoyFollower, ConvoyRules, Informed, Leader
from tests.convoy.played import Bench

NOTHING = Range(0.6, False)


def near(value: float) -> float:
    """Return what equals this number up to rounding, also inside a record."""
    return cast(float, pytest.approx(value))


def follower_bench(has_back: bool = True, **rules: Any) -> tuple[ConvoyFollower, Bench]:
    own = ConvoyRules(**{"desired": 0.5, "diameter": 0.2, "learning": 0.0, **rules})
    bench = Bench(lambda body, eyes: ConvoyFollower("follower", own, body, eyes, has_back=has_back))
    assert isinstance(bench.robot, ConvoyFollower)
    return bench.robot, bench


@pytest.fixture
def follower() -> Iterator[tuple[ConvoyFollower, Bench]]:
    model, bench = follower_bench()
    with bench.simulation:
        yield model, bench


def test_the_routine_is_predict_and_turn_then_move_then_look_then_inform(
    follower: tuple[ConvoyFollower, Bench],
) -> None:
    """The way ends short, after 0.2 m, so it goes 5 cm back: 0.15 m in all."""
    model, bench = follower

    assert bench.give(model.front_told, Informed(pi / 2, 0.5, 0.0)) == [Turn(near(pi / 4))]
    way = near(0.5 * 2**0.5 - 0.5)
    assert bench.end(Turn(pi / 4)) == [Forward(way)]
    assert bench.end(Forward(0.2)) == [Forward(-0.05)]
    assert bench.end(Forward(-0.05)) == ["look"]
    assert bench.see(Range(0.3, True)) == [Caught(), Informed(near(pi / 4), near(0.15), 0.0)]
    assert model.gap == near(0.5)
    assert model.delta == near(pi / 4)


def test_a_scan_goes_left_and_right_and_farther_each_time_and_its_end_is_beta(
    follower: tuple[ConvoyFollower, Bench],
) -> None:
    model, bench = follower
    (way,) = bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
    bench.end(way)

    turns = []
    for _ in range(4):
        (turn,) = bench.see(NOTHING)
        turns.append(turn)
        assert bench.end(turn) == ["look"]

    assert turns == [Turn(near(radians(angle))) for angle in (5.0, -10.0, 15.0, -20.0)]
    assert bench.see(Range(0.3, True)) == [Caught(), Informed(0.0, near(0.3), near(radians(-10.0)))]
    assert model.adjustments == 1


def test_a_scan_that_finds_nothing_ends_where_it_began_and_the_neighbours_are_told(
    follower: tuple[ConvoyFollower, Bench],
) -> None:
    model, bench = follower
    (way,) = bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
    bench.end(way)

    turned, answer = 0.0, list[object]()
    while not model.times_lost:
        (turn,) = bench.see(NOTHING)
        assert isinstance(turn, Turn)
        turned += turn.angle
        answer = bench.end(turn)

    assert turned == near(0.0)
    assert answer == [Caught(), Informed(0.0, near(0.3), 0.0)]
    assert model.gap == 0.5


def test_nobody_moves_before_the_robot_behind_has_caught_up(follower: tuple[ConvoyFollower, Bench]) -> None:
    model, bench = follower
    (way,) = bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
    bench.end(way)
    bench.see(Range(0.3, True))

    assert bench.give(model.front_told, Informed(0.0, 0.3, 0.0)) == []
    assert bench.give(model.back_told, Caught()) == [Forward(near(0.3))]


def test_the_leader_turns_away_from_the_nearer_side_until_it_is_free() -> None:
    bench = Bench(lambda body, eyes: Leader("leader", ConvoyRules(), body, eyes), eyes=3)

    def see(*readings: Range) -> list[object]:
        """Answer one after the other, from right to left."""
        answers = [bench.see(reading) for reading in readings]
        assert answers[:-1] == [["look"], ["look"]]
        return answers[-1]

    with bench.simulation:
        assert bench.log == ["look"]
        (turn,) = see(Range(0.5, True), Range(0.4, True), Range(0.3, True))
        assert turn == Turn(-radians(30.0))
        assert bench.end(turn) == ["look"]
        (turn,) = see(Range(0.2, True), NOTHING, NOTHING)
        assert turn == Turn(-radians(30.0)), "not to and fro in a corner"
        bench.end(turn)
        assert see(NOTHING, NOTHING, NOTHING) == [Forward(0.3)]
        assert bench.end(Forward(0.3)) == [Informed(near(-pi / 3), 0.3, 0.0)]
        assert bench.give(bench.robot.back_told, Caught()) == ["look"]


def test_a_step_of_the_leader_that_was_cut_short_is_told_with_what_was_gone_and_it_turns_next() -> None:
    bench = Bench(lambda body, eyes: Leader("leader", ConvoyRules(), body, eyes), eyes=3)

    with bench.simulation:
        assert [bench.see(NOTHING) for _ in range(3)][-1] == [Forward(0.3)]
        assert bench.end(Forward(0.1)) == [Forward(-0.05)]
        assert bench.end(Forward(-0.05)) == [Informed(0.0, near(0.05), 0.0)]
        assert bench.robot.avoid.avoided == 1
        bench.give(bench.robot.back_told, Caught())
        assert [bench.see(NOTHING) for _ in range(3)][-1] == [Turn(radians(30.0))]


def test_what_is_much_nearer_than_the_front_robot_ought_to_be_is_taken_for_something_else() -> None:
    model, bench = follower_bench(has_back=False, tolerance=0.1)
    with bench.simulation:
        (way,) = bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
        bench.end(way)
        (turn,) = bench.see(Range(0.1, True))
        assert turn == Turn(near(radians(5.0)))
        bench.end(turn)
        assert bench.see(Range(0.35, True))[0] == Caught()


def test_with_learning_1_a_follower_believes_what_it_saw_of_the_front_robots_heading() -> None:
    """It believed that the front robot looks ahead; found at 45 degrees, it must have gone to the left."""
    model, bench = follower_bench(has_back=False, learning=1.0, back_off=0.05)
    with bench.simulation:
        bench.give(model.front_told, Informed(0.0, 0.5, 0.0))
        bench.end(Forward(0.05))  # and 5 cm back: it did not get ahead at all
        bench.end(Forward(-0.05))
        for _ in range(17):  # the 17th turn of a scan goes to 45 degrees on the left
            (turn,) = bench.see(NOTHING)
            bench.end(turn)
        bench.see(Range(0.5 * 2**0.5 - 0.2, True))
        assert model.delta == near(pi / 2 - pi / 4)


@pytest.mark.parametrize("word", ["desired", "step", "scan_step", "back_off"])
def test_rules_are_numbers_above_0(word: str) -> None:
    with pytest.raises(ValueError, match=f"{word} of a convoy's rules is a finite number above 0, not -1"):
        ConvoyRules(**{word: -1.0})
