"""What a program would refuse at its start is refused before the run, with its place in the scenario."""

from __future__ import annotations

import pytest

from kumi.devs import KumiError
from kumi.robot import Robot, check_parameters, checked_by
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging


@pytest.mark.parametrize(
    ("scenario", "setting", "said"),
    [
        ("formation", "course=nowhere", "a course is one of straight, turn, obstacles, not 'nowhere'"),
        ("formation", "formation=[[0,0],[1,0],[2,0]]", "a formation of 4 robots has 4 places, not 3"),
        ("formation", "speed=0", "a speed is a finite number > 0, not 0"),
        ("reservations", "radius=-1", "a radius is a finite number > 0, not -1"),
        ("reservations", "square=[6,6,0,0]", r"a square is \[left, bottom, right, top\] with left < right"),
        ("crossing-twenty", "top_speed=0", "the limit top_speed is a number > 0, not 0"),
        ("crossing-twenty", 'centre=["a",2.0]', "it takes an array, each of it a number"),
    ],
)
def test_shipped_programs_check_their_parameters(scenario: str, setting: str, said: str) -> None:
    with pytest.raises(KumiError, match=rf"robots\.parameters.*{said}"):
        Staging(load_scenario(scenario, [f"robots.parameters.{setting}"]))


def test_a_check_gets_the_defaults_and_the_number_of_robots() -> None:
    seen: list[tuple[int, float, float]] = []

    def look(count: int, speed: float, pause: float) -> None:
        seen.append((count, speed, pause))

    @checked_by(look)
    async def program(robot: Robot, speed: float, pause: float = 2.0) -> None:
        await robot.forward(speed * pause)

    check_parameters(program, 3, {"speed": 1.0})

    assert seen == [(3, 1.0, 2.0)]
