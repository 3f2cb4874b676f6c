"""A table with a kind becomes an object of that kind, or a sentence about what is wrong with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from kumi.scenario.document import Place, ScenarioError, parse_document
from kumi.scenario.parts import fit, make


@dataclass(frozen=True)
class Uniform:
    """Stands for a kind of noise."""

    share: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise ValueError(f"a share lies between 0 and 1, but it is {self.share}")


class Sonar:
    """Stands for a kind of sensor."""

    def __init__(
        self,
        bearing: float = 0.0,
        *,
        reach: float,
        at: tuple[float, float] = (0.0, 0.0),
        mode: Literal["near", "far"] = "near",
        noise: Uniform | None = None,
    ) -> None:
        self.all = (bearing, reach, at, mode, noise)


KINDS = {"sonar": Sonar, "nothing": object}
NOISES = {"uniform": Uniform}


def place(text: str) -> Place:
    return parse_document(f"[robots.sensors]\nfront = {text}\n", Path("hall.toml")).place(
        "robots", 0, "sensors", "front"
    )


def made(text: str) -> Any:
    spot = place(text)
    return make(spot.document.table["robots"]["sensors"]["front"], KINDS, spot, noises=NOISES)


def test_a_table_gives_the_keywords() -> None:
    sonar = made("{ kind = 'sonar', bearing = 1, reach = 3, at = [1, 2.5], mode = 'far' }")

    assert sonar.all == (1.0, 3.0, (1.0, 2.5), "far", None)


def test_a_number_may_be_infinite() -> None:
    assert made("{ kind = 'sonar', reach = inf }").all[1] == math.inf


def test_an_angle_may_be_in_degrees() -> None:
    assert made("{ kind = 'sonar', bearing_deg = 90, reach = 3 }").all[0] == math.pi / 2


def test_a_string_is_short_for_a_kind_alone() -> None:
    assert type(made("'nothing'")) is object


def test_a_noise_is_a_thing_inside() -> None:
    assert made("{ kind = 'sonar', reach = 1, noise = { kind = 'uniform', share = 0.1 } }").all[
        -1
    ] == Uniform(0.1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("'sonnar'", 'robots.sensors.front is "sonnar"; it takes nothing or sonar'),
        ("3", "robots.sensors.front is 3; it takes the name of a kind, or a table with one"),
        ("{ reach = 3 }", "robots.sensors.front.kind is missing; it takes nothing or sonar"),
        ("{ kind = 'x' }", 'robots.sensors.front.kind is "x"; it takes nothing or sonar'),
        ("{ kind = 'sonar' }", "robots.sensors.front.reach is missing"),
        (
            "{ kind = 'sonar', raech = 3 }",
            "robots.sensors.front.raech is unknown; did you mean robots.sensors.front.reach?",
        ),
        (
            "{ kind = 'sonar', q = 3 }",
            "robots.sensors.front.q is unknown; robots.sensors.front takes at, bearing, mode, noise and reach",
        ),
        (
            "{ kind = 'nothing', q = 3 }",
            "robots.sensors.front.q is unknown; robots.sensors.front takes nothing",
        ),
        ("{ kind = 'sonar', reach = 'far' }", 'robots.sensors.front.reach is "far"; it takes a number'),
        ("{ kind = 'sonar', reach = nan }", "robots.sensors.front.reach is nan; it takes a number"),
        (
            "{ kind = 'sonar', reach = 1, bearing_deg = '9' }",
            'robots.sensors.front.bearing_deg is "9"; it takes a number of degrees',
        ),
        (
            "{ kind = 'sonar', bearing = 1, bearing_deg = 9 }",
            "robots.sensors.front.bearing_deg is given twice: as bearing and as bearing_deg",
        ),
        (
            "{ kind = 'sonar', bearing = 90 }",
            (
                "robots.sensors.front.bearing is 90 radians, which is 14.3 revolutions; for 90 degrees write "
                "bearing_deg = 90"
            ),
        ),
        (
            "{ kind = 'sonar', reach = 1, noise = 0.1 }",
            "robots.sensors.front.noise is 0.1; it takes the name of a kind, or a table with one",
        ),
        (
            "{ kind = 'nothing', noise = 'uniform' }",
            "robots.sensors.front.noise.share is missing",
        ),
        (
            "{ kind = 'nothing', noise = { kind = 'uniform', share = 0 } }",
            "robots.sensors.front.noise is unknown; robots.sensors.front takes nothing",
        ),
        (
            "{ kind = 'sonar', reach = 1, mode = 'x' }",
            'robots.sensors.front.mode is "x"; it takes "near" or "far"',
        ),
        (
            "{ kind = 'sonar', reach = 1, noise = { kind = 'uniform', share = 7.0 } }",
            "robots.sensors.front.noise: a share lies between 0 and 1, but it is 7.0",
        ),
    ],
)
def test_what_does_not_fit_is_named(text: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as error:
        made(text)
    assert str(error.value) == f"hall.toml, line 2: {sentence}"


async def patrol(robot: object, speed: float, rounds: int = 1) -> None:
    """Stand for a program."""


def test_a_program_takes_its_parameters_after_its_robot() -> None:
    spot = place("'x'")

    assert fit(patrol, {"speed": 1}, spot, also={}, skip=1) == {"speed": 1.0}
    with pytest.raises(
        ScenarioError, match=r"robot is unknown; robots\.sensors\.front takes rounds and speed"
    ):
        fit(patrol, {"robot": 1}, spot, also={}, skip=1)
