"""Every sensor that ships keeps the promises of sensors, and has its place in a scenario."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.sensing import KINDS, NOISES, AskedSensor, PushSensor
from kumi.testing import check_sensor

VARIANTS: list[dict[str, Any]] = [
    {},
    {"latency": 0.05},
    {"period": 0.1},
    {"period": 0.1, "latency": 0.05},
    {"noise": 0.01},
    {"dropout": 0.2},
    {"view": 1.0},
    {"capacity": 60.0, "per_metre": 10.0},
]


def takes(kind: str, arguments: dict[str, Any]) -> bool:
    return arguments.keys() <= inspect.signature(KINDS[kind]).parameters.keys()


CASES = [(kind, arguments) for kind in KINDS for arguments in VARIANTS if takes(kind, arguments)]


@pytest.mark.some_of(2)
@pytest.mark.parametrize(
    ("kind", "arguments"), CASES, ids=[f"{kind}-{'-'.join(a) or 'plain'}" for kind, a in CASES]
)
def test_it_keeps_the_promises_of_a_sensor(kind: str, arguments: dict[str, Any]) -> None:
    check_sensor(KINDS[kind](**arguments))


def test_what_ships_is_what_was_asked_for() -> None:
    assert set(KINDS) == {
        "position",
        "positions",
        "view",
        "proximity",
        "proximity-alarm",
        "contact",
        "bumper",
        "whisker",
        "infrared",
        "ultrasonic",
        "floor",
        "lidar",
        "camera",
        "encoder",
        "potentiometer",
        "compass",
        "battery",
    }


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_asked_or_it_pushes(kind: str) -> None:
    assert issubclass(KINDS[kind], AskedSensor) != issubclass(KINDS[kind], PushSensor)


@pytest.mark.parametrize("kind", KINDS)
def test_its_first_sentence_says_what_it_does(kind: str) -> None:
    first = (inspect.getdoc(KINDS[kind]) or "").partition("\n")[0]

    assert first.split()[0] in {"Tells", "Reports", "Measures", "Counts"}
    assert len(first) <= 110


@pytest.mark.parametrize("kind", KINDS)
def test_a_scenario_can_name_it(kind: str) -> None:
    scenario = load_scenario("wall-following", [f"robots.sensors.extra={kind}"])
    with Staging(scenario).stage() as stage:
        (body,) = stage.world.bodies

        extra: object = body.sensors["extra"]
        assert isinstance(extra, KINDS[kind])


@pytest.mark.parametrize("noise", [f'{{ kind = "{name}" }}' for name in NOISES] + ["0.1"])
def test_a_scenario_can_say_how_it_errs(noise: str) -> None:
    table = f'robots.sensors.extra={{ kind = "view", reach = 2.0, noise = {noise}, bearing_noise = {noise} }}'
    with Staging(load_scenario("wall-following", [table])).stage() as stage:
        assert "extra" in stage.world.bodies[0].sensors
