"""A follower and a leader alone, with devices that a test plays: what goes in, what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi, radians
from typing import cast

import pytest

from kumi.contract import Forward, Turn
from kumi.contract.devices import Halt, Look, Moved, Seen
from kumi.contract.readings import Pressed, Range
from kumi.convoy.program import Avoid, Caught, ConvoyFollower, ConvoyRules, Informed, Leader
from kumi.devs import Atomic, Simulation

NOTHING = Range(0.6, False)


def near(value: float) -> float:
    """Return what equals this number up to rounding, also inside a record."""
    return cast(float, pytest.approx(value))


class Bench:
    """A model alone in a run; what it sends is collected."""

    def __init__(self, model: Atomic) -> None:
        self.simulation = Simulation(model)
        self.sent: list[object] = []
        for port in model.outputs:
            port.watch(lambda _, value: self.sent.append(value))

    def give(self, port: object, value: object) -> list[object]:
        """Give the model an input, and return what it answers."""
        self.sent.clear()
        self.simulation.inject(port, value)  # type: ignore[arg-type]
        self.simulation.run()
        return list(self.sent)


@pytest.fixture
def follower() -> Iterator[tuple[ConvoyFollower, Bench]]:
    model = ConvoyFollower("follower", ConvoyRules(desired=0.5, diameter=0.2, learning=0.0), has_back=True)
    bench = Bench(model)
    with bench.simulation:
        yield model, bench


def test_the_routine_is_predict_and_turn_then_move_then_look_then_inform(
    follower: tuple[ConvoyFollower, Bench],
) -> None:
    model, bench = follower

    assert bench.give(model.front_told, Informed(pi / 2, 0.5, 0.0)) == [Turn(near(pi / 4))]
    way = near(0.5 * 2**0.5 - 0.5)
    assert bench.give(model.moved, Moved(True, 0.0)) == [Forward(way)]
    assert bench.give(model.moved, Moved(True, 0.2)) == [Look()]
    told = bench.give(model.seen, Seen((Range(0.3, True),)))
    assert told == [Caught(), Informed(near(pi / 4), 0.2, 0.0)]
    assert model.gap == near(0.5)
    assert model.delta == near(pi / 4)


def test_a_scan_goes_left_and_right_and_farther_each_time_and_its_end_is_beta(
    follower: tuple[ConvoyFollower, Bench],
) -> None:
    model, bench = follower
    bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
    bench.give(model.moved, Moved(True, 0.3))

    turns = []
    for _ in range(4):
        turns += bench.give(model.seen, Seen((NOTHING,)))
        assert bench.give(model.moved, Moved(True, 0.0)) == [Look()]

    assert turns == [Turn(near(radians(angle))) for angle in (5.0, -10.0, 15.0, -20.0)]
    assert bench.give(model.seen, Seen((Range(0.3, True),))) == [
        Caught(),
        Informed(0.0, 0.3, near(radians(-10.0))),
    ]
    assert model.adjustments == 1


def test_a_scan_that_finds_nothing_ends_where_it_began_and_the_neighbours_are_told(
    follower: tuple[ConvoyFollower, Bench],
) -> None:
    model, bench = follower
    bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
    bench.give(model.moved, Moved(True, 0.3))

    turned, answer = 0.0, list[object]()
    while not model.times_lost:
        (turn,) = bench.give(model.seen, Seen((NOTHING,)))
        assert isinstance(turn, Turn)
        turned += turn.angle
        answer = bench.give(model.moved, Moved(True, 0.0))

    assert turned == near(0.0)
    assert answer == [Caught(), Informed(0.0, 0.3, 0.0)]
    assert model.gap == 0.5


def test_nobody_moves_before_the_robot_behind_has_caught_up(follower: tuple[ConvoyFollower, Bench]) -> None:
    model, bench = follower
    bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
    bench.give(model.moved, Moved(True, 0.3))
    bench.give(model.seen, Seen((Range(0.3, True),)))

    assert bench.give(model.front_told, Informed(0.0, 0.3, 0.0)) == []
    assert bench.give(model.back_told, Caught()) == [Forward(near(0.3))]


def test_the_leader_turns_away_from_the_nearer_side_until_it_is_free() -> None:
    model = Leader("leader", ConvoyRules())
    bench = Bench(model)
    with bench.simulation:
        bench.simulation.run()
        assert bench.sent == [Look()]
        near_left = Seen((Range(0.5, True), Range(0.4, True), Range(0.3, True)))
        assert bench.give(model.seen, near_left) == [Turn(-radians(30.0))]
        assert bench.give(model.moved, Moved(True, 0.0)) == [Look()]
        near_right = Seen((Range(0.2, True), NOTHING, NOTHING))
        assert bench.give(model.seen, near_right) == [Turn(-radians(30.0))], "not to and fro in a corner"
        bench.give(model.moved, Moved(True, 0.0))
        assert bench.give(model.seen, Seen((NOTHING,) * 3)) == [Forward(0.3)]
        assert bench.give(model.moved, Moved(True, 0.3)) == [Informed(near(-pi / 3), 0.3, 0.0)]
        assert bench.give(model.back_told, Caught()) == [Look()]


def test_avoiding_comes_before_following() -> None:
    """It stops at a touch, goes back, and tells the layer below only then."""
    model = Avoid("avoid", 0.05)
    bench = Bench(model)
    with bench.simulation:
        assert bench.give(model.wanted, Forward(0.3)) == [Forward(0.3)]
        assert bench.give(model.touched, Pressed(0.0, 0.5)) == [Halt()]
        assert bench.give(model.motor_moved, Moved(False, 0.2)) == [Forward(-0.05)]
        assert bench.give(model.motor_moved, Moved(True, -0.05)) == [Moved(False, near(0.15))]
        assert model.avoided == 1


def test_a_touch_while_turning_or_standing_changes_nothing() -> None:
    model = Avoid("avoid", 0.05)
    bench = Bench(model)
    with bench.simulation:
        assert bench.give(model.touched, Pressed(0.0, 0.5)) == []
        bench.give(model.wanted, Turn(1.0))
        assert bench.give(model.touched, Pressed(0.0, 0.5)) == []
        assert bench.give(model.motor_moved, Moved(True, 0.0)) == [Moved(True, 0.0)]


def test_what_is_much_nearer_than_the_front_robot_ought_to_be_is_taken_for_something_else() -> None:
    model = ConvoyFollower("follower", ConvoyRules(desired=0.5, diameter=0.2, tolerance=0.1), has_back=False)
    bench = Bench(model)
    with bench.simulation:
        bench.give(model.front_told, Informed(0.0, 0.3, 0.0))
        bench.give(model.moved, Moved(True, 0.3))
        assert bench.give(model.seen, Seen((Range(0.1, True),))) == [Turn(near(radians(5.0)))]
        bench.give(model.moved, Moved(True, 0.0))
        assert bench.give(model.seen, Seen((Range(0.35, True),)))[0] == Caught()


def test_with_learning_1_a_follower_believes_what_it_saw_of_the_front_robots_heading() -> None:
    """It believed that the front robot looks ahead; found at 45 degrees, it must have gone to the left."""
    model = ConvoyFollower("follower", ConvoyRules(desired=0.5, diameter=0.2, learning=1.0), has_back=False)
    bench = Bench(model)
    with bench.simulation:
        model.gap = 0.5
        bench.give(model.front_told, Informed(0.0, 0.5, 0.0))
        bench.give(model.moved, Moved(True, 0.0))  # it did not get ahead at all
        for _ in range(17):  # the 17th turn of a scan goes to 45 degrees on the left
            bench.give(model.seen, Seen((NOTHING,)))
            bench.give(model.moved, Moved(True, 0.0))
        bench.give(model.seen, Seen((Range(0.5 * 2**0.5 - 0.2, True),)))
        assert model.delta == near(pi / 2 - pi / 4)


@pytest.mark.parametrize("word", ["desired", "step", "scan_step", "back_off"])
def test_rules_are_numbers_above_0(word: str) -> None:
    with pytest.raises(ValueError, match=f"{word} of a convoy's rules is a finite number above 0, not -1"):
        ConvoyRules(**{word: -1.0})
