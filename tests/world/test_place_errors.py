"""How far members of a formation are from places that others carry: between the ends of motions, and over time."""

from __future__ import annotations

from math import hypot, pi
from struct import unpack
from typing import Any

import pytest

from kumi._core import PlaceErrors
from kumi.contract import Blocked
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import Map, Wall, World
from tests.sensing.scenes import rest


class Pair:
    """A leader at the origin, and a robot 0.5 m behind it and `aside`, whose place is 0.5 m behind the leader."""

    def __init__(self, lead: Any, follow: Any = rest, aside: float = 0.0) -> None:
        self.stage = Stage(World(Map(obstacles=[Wall((3.0, -5.0), (3.0, 5.0))])))
        self.stage.add(lead, at=(0.0, 0.0), radius=0.1)
        self.stage.add(follow, at=(-0.5, aside), radius=0.1)
        self.errors = PlaceErrors([None, (0, -0.5, 0.0)], 2.0)
        self.errors.follow(self.stage.world.bodies)

    def run(self, until: float) -> None:
        with self.stage as stage:
            stage.run(until)


def test_an_error_changes_when_a_motion_ends_and_its_mean_counts_the_time_between() -> None:
    """The leader goes 1 m at 1 m/s, turns to the left in a second and rests: the place is 0.5 m below it then."""
    seen: list[float] = []

    async def lead(robot: Robot) -> None:
        await robot.forward(1.0, 1.0)
        seen.append(errors.errors[1])
        await robot.turn(pi / 2, pi / 2)
        seen.append(errors.errors[1])

    two = Pair(lead)
    errors = two.errors
    errors.keeps_history = True
    two.run(10.0)
    errors.advance(3.0)

    assert seen == [pytest.approx(1.0), pytest.approx(hypot(1.5, 0.5))]
    assert errors.mean == pytest.approx(seen[1] / 2)
    assert errors.largest == pytest.approx(seen[1])
    assert errors.integral == pytest.approx((1.0 * seen[0] + 1.0 * seen[1]) / 2)
    assert unpack("=4d", errors.history) == pytest.approx((1.0, seen[0] / 2, 2.0, seen[1] / 2))


def test_a_place_may_be_aside_of_another_member() -> None:
    errors = PlaceErrors([None, (0, 1.0, 2.0)], 10.0)
    poses = {0: (5.0, 5.0, pi / 2), 1: (3.0, 6.0, 0.0)}
    errors.pose_of = poses.__getitem__

    errors.ended(0, 1.0, True)

    assert errors.errors == [0.0, pytest.approx(0.0, abs=1e-12)]


def test_the_first_error_above_the_limit_is_told_once_and_cut_motions_before_it() -> None:
    """The leader is told to go 4 m and meets the wall after 2.9: the place is 2.9 m away."""
    told: list[tuple[str, int]] = []

    async def lead(robot: Robot) -> None:
        with pytest.raises(Blocked):
            await robot.forward(4.0)
        await robot.back_up(0.1)

    two = Pair(lead)
    errors = two.errors
    errors.over = lambda number: told.append(("over", number))
    errors.cut = lambda number: told.append(("cut", number))
    errors.changed = lambda number: told.append(("changed", number))
    two.run(60.0)

    assert told == [("cut", 0), ("changed", 1), ("over", 1), ("changed", 1)]
    assert errors.largest == pytest.approx(2.9)


def test_what_ends_with_the_run_is_not_measured() -> None:
    cut: list[int] = []

    async def lead(robot: Robot) -> None:
        await robot.forward(2.0, 0.1)

    two = Pair(lead, lead, aside=2.0)
    two.errors.cut = cut.append
    two.run(1.0)

    assert cut == []
    assert two.errors.errors == [0.0, 0.0]


def test_a_mistake_of_who_is_told_comes_out_of_the_run() -> None:

    def mistaken(_number: int) -> None:
        raise KeyError("a measure")

    async def lead(robot: Robot) -> None:
        await robot.forward(0.2)

    two = Pair(lead)
    two.errors.changed = mistaken
    with pytest.raises(KeyError, match="a measure"):
        two.run(10.0)


def test_a_formation_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="a formation has members"):
        PlaceErrors([], 1.0)
    with pytest.raises(ValueError, match=r"the number of a member from 0 to 1, .* not \(2, 0.0, 0.0\)"):
        PlaceErrors([None, (2, 0.0, 0.0)], 1.0)
    errors = PlaceErrors([None, (0, 0.0, 0.0)], 1.0)
    with pytest.raises(TypeError, match=r"follow\(\) takes 2 bodies on a plane"):
        errors.follow([])
    with pytest.raises(IndexError, match="a formation of 2 has no member 2"):
        errors.ended(2, 0.0, True)
    with pytest.raises(TypeError, match="places are not known"):
        errors.ended(1, 0.0, True)
