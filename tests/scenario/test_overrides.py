"""Any value of a scenario can be given on the command line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from kumi.scenario.document import Document, ScenarioError, parse_document
from kumi.scenario.overrides import override, read_value
from kumi.scenario.scenario import check, load_scenario
from kumi.scenario.staging import Staging

ONE = 'seed = 1\n[robots]\ncount = 2\nprogram = "p"\nborn = "random"\n'
TWO = '[[robots]]\ncount = 2\nprogram = "p"\n[[robots]]\ncount = 3\nprogram = "p"\n'


def document(text: str, *settings: str) -> Document:
    made = parse_document(text, Path("hall.toml"))
    override(made, settings)
    return made


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("0.5", 0.5),
        ("true", True),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ('{ kind = "disc" }', {"kind": "disc"}),
        ('"quoted"', "quoted"),
        ("gathering", "gathering"),
        ("a.py:name", "a.py:name"),
        (" two words ", "two words"),
        ("", ""),
        ("1\nx = 2", "1\nx = 2"),
    ],
)
def test_a_value_is_toml_or_else_a_string(text: str, value: Any) -> None:
    assert read_value(text) == value


def test_a_value_is_replaced_and_a_new_one_added() -> None:
    table = document(
        ONE, "robots.count=1000", "world.width = 5.5", "robots.drive.noise.dnf=0.1", "seed=7"
    ).table

    assert table["robots"]["count"] == 1000
    assert table["world"] == {"width": 5.5}
    assert table["robots"]["drive"] == {"noise": {"dnf": 0.1}}
    assert table["seed"] == 7


def test_the_last_of_two_counts() -> None:
    assert document(ONE, "seed=7", "seed=8").table["seed"] == 8


def test_a_group_is_named_by_its_number() -> None:
    table = document(TWO, "robots.1.count=9").table

    assert [robots["count"] for robots in table["robots"]] == [2, 9]


def test_the_only_group_needs_no_number() -> None:
    """However it is written in the file."""
    text = TWO.split("[[robots]]")[1]
    assert document("[[robots]]" + text, "robots.count=9").table["robots"][0]["count"] == 9
    assert document("[robots]" + text, "robots.0.count=9").table["robots"]["count"] == 9


def test_an_element_of_an_array_is_named_by_its_number() -> None:
    text = ONE.replace('"random"', "[[1, 2], [3, 4]]")

    assert document(text, "robots.born.1.0=9").table["robots"]["born"] == [[1, 2], [9, 4]]


@pytest.mark.parametrize(
    ("text", "setting", "sentence"),
    [
        (ONE, "robots.count", "--set robots.count: give a key and a value, as in robots.count=100"),
        (ONE, "=3", "--set =3: give a key and a value, as in robots.count=100"),
        (ONE, "robots..count=3", "--set robots..count=3: give a key and a value, as in robots.count=100"),
        (ONE, "seed.x=3", "--set seed.x=3: seed is 1, and has no 'x' inside"),
        (
            TWO,
            "robots.count=3",
            "--set robots.count=3: there are 2 groups of robots; say which: robots.0.count, robots.1.count",
        ),
        (
            TWO,
            "robots.3.count=3",
            "--set robots.3.count=3: robots is an array of 2; give a number from 0 to 1, or 2 to add one, not '3'",
        ),
    ],
)
def test_what_cannot_be_put_is_refused(text: str, setting: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as error:
        document(text, setting)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            "robots.cuont=5",
            "--set robots.cuont=5: robots.cuont is unknown; did you mean robots.count?",
        ),
        (
            "what.ever=5",
            "--set what.ever=5: what is unknown; a scenario takes animation, map, models, network, on_error, output, pace, patience, real, robots, seed, title, tolerance, tracking, until and world",
        ),
        (
            "robots.count=many",
            '--set robots.count=many: robots.count is "many"; it takes a whole number of at least 1',
        ),
        (
            "robots.born=[[1]]",
            '--set robots.born=[[1]]: robots.born.0 is [1]; robots.born takes "random", or an array with a point [x, y] for each robot',
        ),
    ],
)
def test_a_wrong_value_is_traced_to_the_command_line(setting: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as error:
        check(document(ONE, setting))
    assert str(error.value) == sentence


def test_a_shipped_scenario_takes_another_number_of_robots() -> None:
    assert load_scenario("random-movement", ["robots.count=1000"]).settings.robots[0].count == 1000


def test_a_changed_document_can_be_written_down() -> None:
    """As it was read if nothing changed, else with the new values."""
    assert document(ONE).present_text == ONE
    assert tomllib.loads(document(ONE, "robots.count=7").present_text)["robots"]["count"] == 7


def test_the_number_after_the_last_adds_one() -> None:
    """An effect can be added to those of a scenario that ships."""
    scenario = load_scenario(
        "asking-for-help", ["network.effects.1.kind=loss", "network.effects.1.probability=0.5"]
    )

    assert scenario.settings.network.effects == [
        {"kind": "exponential", "mean": 0.1},
        {"kind": "loss", "probability": 0.5},
    ]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("network.effects.0.mean=-0.5", "network.effects.0: "),
        ("network.kind=none", "network has effects"),
    ],
)
def test_what_a_setting_makes_wrong_is_told_with_the_setting(setting: str, sentence: str) -> None:
    """The file is right by itself, so its line alone would send the reader to the wrong place."""
    with pytest.raises(ScenarioError) as told:
        Staging(load_scenario("asking-for-help", [setting]))

    assert f"--set {setting}: {sentence}" in str(told.value)
