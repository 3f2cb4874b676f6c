"""What the core plans for kumi's own wheels is what their `plan` says, to the last bit: the same legs, the same draws of chance."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract import BadGoal, Blocked, Forward, MoveTo, Turn
from kumi.geometry import Point
from kumi.motion import Drive, GaussianErrors, Omni, UniformErrors, Wheel
from kumi.motion.noise import MotionNoise
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import Map, Pillar, World

NOISES: list[MotionNoise | None] = [
    None,
    UniformErrors(0.1, 8.0),
    UniformErrors(0.0, 5.0),
    UniformErrors(0.2, 0.0),
    GaussianErrors(0.1, 0.05, 0.02),
    GaussianErrors(0.0, 0.0, 0.1),
]


class AskedWheel(Wheel):
    """Wheels of a user's own: the core asks them."""


class AskedOmni(Omni):
    """The same, of those that go anywhere."""


COMMANDS = st.one_of(
    st.builds(Forward, st.floats(-1.0, 1.0), st.none() | st.floats(0.1, 2.0)),
    st.builds(Turn, st.floats(-2.0 * pi, 2.0 * pi), st.none() | st.floats(0.1, 2.0)),
    st.builds(
        lambda x, y, speed: MoveTo(Point(x, y), speed),
        st.floats(-1.0, 1.0),
        st.floats(-1.0, 1.0),
        st.none() | st.floats(0.1, 2.0),
    ),
)


def driven(drive: Drive, commands: list[Any], by_name: bool) -> tuple[str, list[object]]:
    """Return the hash of a run in which a robot carries commands out, and where it was after each."""
    seen: list[object] = []

    async def go(robot: Robot) -> None:
        for command in commands:
            try:
                if by_name and isinstance(command, MoveTo):
                    await robot.move_to(command.goal, command.speed)
                else:
                    await robot._body.carry_out(command)
            except Blocked as blocked:
                seen.append(blocked.at)
            except BadGoal:
                seen.append("a bad goal")
            seen.append((robot.position, robot.heading))

    stage = Stage(World(Map(obstacles=[Pillar((0.9, 0.9), 0.2)])), seed=3)
    stage.add(go, at=(0.0, 0.0), drive=drive)
    with stage:
        return stage.run(1000.0).trace_hash, seen


@settings(max_examples=60, deadline=None)
@given(st.lists(COMMANDS, min_size=1, max_size=6), st.sampled_from(NOISES), st.booleans())
def test_wheels_that_the_core_plans_for_go_as_those_that_plan_themselves(
    commands: list[Any], noise: MotionNoise | None, by_name: bool
) -> None:
    for own, asked in ((Wheel, AskedWheel), (Omni, AskedOmni)):
        assert driven(own(0.7, 1.1, noise=noise), commands, by_name) == driven(
            asked(0.7, 1.1, noise=noise), commands, by_name
        )


def test_an_acceleration_is_planned_by_the_drive() -> None:
    commands = [Forward(0.5), Turn(1.0)]

    assert driven(Wheel(acceleration=0.5), commands, False) == driven(
        AskedWheel(acceleration=0.5), commands, False
    )


class Straying(UniformErrors):
    """A noise of a user's own."""

    def way(self, distance: float, chance: Any) -> float:
        return 2.0 * distance


def test_a_noise_of_a_users_own_is_asked() -> None:
    _, seen = driven(Wheel(noise=Straying()), [Forward(0.4)], False)

    assert seen == [(Point(0.8, 0.0), 0.0)]


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (Forward(nan), ValueError),
        (Forward(0.3, -1.0), ValueError),
        (Forward(0.3, inf), ValueError),
        (Turn("far"), TypeError),  # type: ignore[arg-type]
        (Forward(0.3, "fast"), TypeError),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_motion_is_refused_in_the_words_of_the_drive(command: Any, error: type[Exception]) -> None:
    said = []
    for drive in (Wheel(), AskedWheel()):
        with pytest.raises(error) as raised:
            driven(drive, [command], False)
        said.append(str(raised.value))

    assert said[0] == said[1]


def test_an_error_without_end_is_no_arc() -> None:
    """The drift is infinite, so the way has no radius."""
    for drive in (
        Wheel(noise=UniformErrors(0.0, 1e308)),
        AskedWheel(noise=UniformErrors(0.0, 1e308)),
    ):
        with pytest.raises(ValueError, match=r"arc\(\): radius is a number of metres other than 0"):
            driven(drive, [Forward(100.0)], False)
