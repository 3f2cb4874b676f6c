"""check_drive passes drives that keep their promises, and says which promise another breaks."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import nan
from typing import Any

import pytest

from kumi.contract import CannotDo, Command, Forward, MoveTo, Turn
from kumi.motion import Car, Drive, Follower, GaussianErrors, Leg, Legs, Moving, Omni, UniformErrors, Wheel
from kumi.testing import check_drive


@pytest.mark.parametrize(
    "drive",
    [
        Wheel(),
        Wheel(speed=0.2, turn_speed=0.1),
        Wheel(acceleration=0.5),
        Wheel(noise=UniformErrors(0.1, 0.1)),
        Omni(),
        Omni(noise=GaussianErrors(0.1, 0.1)),
        Car(),
        Car(min_radius=1.0, noise=GaussianErrors(0.1, 0.1)),
    ],
    ids=repr,
)
def test_our_own_drives_pass(drive: Drive) -> None:
    check_drive(drive)


def test_a_drive_that_lags_ends_within_its_tolerance() -> None:
    check_drive(Follower(tolerance=1e-3), tolerance=1e-3)


class Slider:
    """Goes to places and nothing else: as it should be."""

    def plan(self, command: Command, _body: Moving, /) -> Legs:
        if not isinstance(command, MoveTo):
            raise CannotDo(f"a slider cannot carry out {command}")
        return Leg.line(command.goal, 1.0)


def test_a_drive_may_do_one_thing_only() -> None:
    check_drive(Slider())


class Refuses:
    """Carries out nothing."""

    def plan(self, command: Command, _body: Moving, /) -> Legs:
        raise CannotDo(f"never {command}")


class Crashes(Slider):
    """Raises whatever comes when it does not know a command."""

    def plan(self, command: Command, body: Moving, /) -> Legs:
        if isinstance(command, Turn):
            raise KeyError("turn")
        return super().plan(command, body)


class NoLegs(Slider):
    """Gives something that is no leg."""

    def plan(self, command: Command, body: Moving, /) -> Legs:
        super().plan(command, body)
        return "straight on"  # type: ignore[return-value]


class Short(Slider):
    """Stops before the goal."""

    def plan(self, command: Command, body: Moving, /) -> Legs:
        if isinstance(command, MoveTo):
            x, y = command.goal
            return Leg.line((x - 0.01, y), 1.0)
        return super().plan(command, body)


class Overturns:
    """Turns too far."""

    def plan(self, command: Command, _body: Moving, /) -> Legs:
        if isinstance(command, Turn):
            return Leg.spin(command.angle * 1.01, 1.0)
        raise CannotDo(f"it cannot carry out {command}")


class Dice(Slider):
    """Draws its way from a generator that all share."""

    noise = "dice"

    def plan(self, command: Command, body: Moving, /) -> Legs:
        super().plan(command, body)
        return Leg.forward(1.0 + random.random(), 1.0)


class Fickle(Slider):
    """Plans anew what it planned before."""

    noise = "time"
    asked = 0

    def plan(self, command: Command, body: Moving, /) -> Legs:
        super().plan(command, body)
        self.asked += 1
        return Leg.forward(float(self.asked), 1.0)


class Runs:
    """A pattern that leaves the numbers behind."""

    def plan(self, command: Command, _body: Moving, /) -> Legs:
        if isinstance(command, Forward):
            return Leg.pattern(lambda time: (time, nan if time > 0.4 else 0.0, 0.0), 1.0, 1.0, 1.0)
        raise CannotDo(f"it cannot carry out {command}")


class TakesAnything(Slider):
    """Makes a motion of what is no number."""

    def plan(self, command: Command, body: Moving, /) -> Legs:
        if isinstance(command, MoveTo):
            x, y = command.goal
            return Leg.line((x if x == x else 0.0, y), 1.0)  # noqa: PLR0124
        return super().plan(command, body)


BROKEN: list[tuple[Callable[[], Any], str]] = [
    (Refuses, "Refuses raises CannotDo for every command; a drive carries out at least one"),
    (
        Crashes,
        "Crashes raised KeyError for Turn(angle=1.0, speed=None): 'turn'; it raises CannotDo for what it",
    ),
    (NoLegs, "NoLegs.plan gives 'straight on' for MoveTo"),
    (Short, "at Point(2.99, 2.0), not at Point(3.0, 2.0)"),
    (Overturns, "with a heading of 1.01, not 1.0"),
    (Dice, "plans MoveTo(goal=(3.0, 2.0), speed=None, turn_speed=None) in two ways with the same seed (0)"),
    (Fickle, "plans MoveTo(goal=(3.0, 2.0), speed=None, turn_speed=None) in two ways with the same seed (0)"),
    (
        Runs,
        "Runs carries out Forward(distance=2.0, speed=None) with a leg that cannot be",
    ),
    (TakesAnything, "TakesAnything makes legs of MoveTo(goal=(nan, 0.0), speed=None, turn_speed=None)"),
]


@pytest.mark.parametrize(("make", "sentence"), BROKEN, ids=[make.__name__ for make, _ in BROKEN])
def test_a_broken_promise_is_named(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(AssertionError) as error:
        check_drive(make())
    assert sentence in str(error.value)
