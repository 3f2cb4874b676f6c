"""A scenario is read with all its fields, and a mistake in it is named with its line and what is allowed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from kumi.scenario.document import ScenarioError
from kumi.scenario.scenario import load_scenario, shipped_scenarios

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = """\
title = "A test"
seed = 3
until = 10.0

[map]
width = 100.0
height = 50

[robots]
count = 5
radius = 0.5
program = "random-movement"
"""


def complaint(folder: Path, text: str, *overrides: str) -> str:
    """Return what is said about the text of a scenario, in a file `hall.toml`."""
    path = folder / "hall.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as error:
        load_scenario(path, overrides)
    return str(error.value)


def changed(before: str, after: str) -> str:
    """Return the plain scenario with one text in it changed."""
    assert before in PLAIN
    return PLAIN.replace(before, after)


def test_every_field_arrives(tmp_path: Path) -> None:
    (tmp_path / "hall.toml").write_text(PLAIN)
    scenario = load_scenario(tmp_path / "hall.toml")
    settings = scenario.settings

    assert (scenario.name, settings.title, settings.seed, settings.until) == ("hall", "A test", 3, 10.0)
    assert (settings.map, settings.world.ghost) == ({"width": 100.0, "height": 50}, False)
    assert [(robots.count, robots.radius, robots.born) for robots in settings.robots] == [(5, 0.5, "random")]
    assert (settings.network.kind, settings.animation.on, settings.output.log) == ("none", False, None)


def test_robots_may_come_in_groups(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(
        '[[robots]]\ncount = 2\nprogram = "gathering"\n\n[[robots]]\nborn = [[1, 2]]\nprogram = "gathering"\n'
    )
    groups = load_scenario(tmp_path / "two.toml").settings.robots

    assert [robots.count for robots in groups] == [2, None]
    assert groups[1].born == [(1.0, 2.0)]


def test_without_an_end_a_run_goes_on_for_ever(tmp_path: Path) -> None:
    (tmp_path / "hall.toml").write_text(changed("until = 10.0\n", ""))

    assert load_scenario(tmp_path / "hall.toml").settings.until == math.inf


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("count = 5", "cuont = 5", "hall.toml, line 10: robots.cuont is unknown; did you mean robots.count?"),
        ("count = 5", "count = -5", "line 10: robots.count is -5; it takes a whole number of at least 1"),
        ("count = 5", "count = 5.0", "line 10: robots.count is 5.0; it takes a whole number of at least 1"),
        ("count = 5", 'count = "5"', 'line 10: robots.count is "5"; it takes a whole number of at least 1'),
        (
            "radius = 0.5",
            "radius = 0",
            "line 11: robots.radius is 0; it takes a number of metres greater than 0",
        ),
        ("radius = 0.5", "radius = -1.5", "line 11: robots.radius is -1.5; it takes a number of metres"),
        ("radius = 0.5", "radius = nan", "line 11: robots.radius is nan; it takes a number of metres"),
        ("radius = 0.5", "radius = true", "line 11: robots.radius is true; it takes a number of metres"),
        (
            "until = 10.0",
            "until = nan",
            "line 3: until is nan; it takes a number of seconds of at least 0, or inf",
        ),
        ("until = 10.0", "unitl = 10.0", "line 3: unitl is unknown; did you mean until?"),
        ("until = 10.0", "radius = 10.0", "line 3: radius is unknown; did you mean robots.radius?"),
        (
            "until = 10.0",
            "zzz = 10.0",
            "line 3: zzz is unknown; a scenario takes animation, map, models, network,",
        ),
        ("until = 10.0", 'on_error = "stop"', 'line 3: on_error is "stop"; it takes "robot" or "run"'),
        ("[map]", "[wordl]", "line 5: wordl is unknown; did you mean world?"),
        (
            "count = 5",
            'born = "rnd"',
            'line 10: robots.born is "rnd"; it takes "random", or an array with a point',
        ),
        (
            "count = 5",
            "born = {}",
            'line 10: robots.born is a table; it takes "random", or an array with a point',
        ),
        ("count = 5", "born = 3", 'line 10: robots.born is 3; it takes "random", or an array with a point'),
        ("count = 5", "born = [[1, 2],\n[3]]", "line 11: robots.born.1 is [3]; robots.born takes"),
        (
            "count = 5",
            'born = [\n[1, "x"]]',
            'line 11: robots.born.0.1 is "x"; robots.born takes "random", or',
        ),
        ("count = 5", "born = []", "line 10: robots.born is empty; it takes a point [x, y] for each robot"),
        (
            "count = 5",
            "count = 5\nborn = [[1, 2]]",
            "line 11: robots.born has 1 points, and robots.count is 5",
        ),
        ("count = 5\n", "", "line 9: robots.count is missing; random born points need the number of robots"),
        (
            'program = "random-movement"',
            "",
            "line 9: robots.program is missing; it takes the name of a shipped",
        ),
        ('program = "random-movement"', "program = 3", "line 12: robots.program is 3; it takes the name of"),
        (
            "count = 5",
            "count = 5\nshape = 'disc'",
            "line 11: robots has a radius and a shape; give one of them",
        ),
        (
            "count = 5",
            "count = 5\nheading = 1\nheading_deg = 2",
            "line 12: robots has a heading and a heading_deg",
        ),
        ("count = 5", "count = 5\nsensors = 7", "line 11: robots.sensors is 7; it takes a table with a name"),
        (
            "count = 5",
            "count = 5\nsensors = { a-b = 'x' }",
            "line 11: robots.sensors.a-b is no name for a sensor",
        ),
        (
            "count = 5",
            "count = 5\nsensors = { move_to = 'x' }",
            "line 11: robots.sensors.move_to is no name for a sensor: it takes a word that a robot does not have yet",
        ),
        (
            "count = 5",
            "count = 5\nwithin = { width = 3 }",
            "line 11: robots.within.height is missing; it takes",
        ),
        (
            "[robots]",
            "[animation]\nfile = 'x.avi'\n[robots]",
            'line 10: animation.file is "x.avi"; it takes a path',
        ),
        (
            "[robots]",
            "[network]\nkind = 'lossy'\n[robots]",
            'line 10: network.kind is "lossy"; it takes "none", "simulated"',
        ),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_is_allowed(
    tmp_path: Path, before: str, after: str, sentence: str
) -> None:
    said = complaint(tmp_path, changed(before, after))

    assert said.startswith("hall.toml, line ")
    assert sentence in said
    assert len(said.splitlines()) == 1


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    said = complaint(tmp_path, PLAIN.replace("count = 5", "cuont = 5").replace("seed = 3", "seed = 0.5"))

    assert said.splitlines() == [
        "hall.toml, line 2: seed is 0.5; it takes a whole number",
        "hall.toml, line 10: robots.cuont is unknown; did you mean robots.count?",
    ]


def test_a_scenario_without_robots_is_none(tmp_path: Path) -> None:
    assert (
        complaint(tmp_path, "seed = 1\n")
        == "hall.toml: robots is missing; it takes a table, or an array of tables"
    )


def test_groups_are_told_apart_by_number(tmp_path: Path) -> None:
    said = complaint(tmp_path, '[[robots]]\ncount = 1\nprogram = "p"\n[[robots]]\ncount = 0\nprogram = "p"\n')

    assert said == "hall.toml, line 5: robots.1.count is 0; it takes a whole number of at least 1"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("seed = \n", "hall.toml, line 1: invalid value at column 8 of 'seed ='"),
        ("seed = 1\nseed = 2\n", "hall.toml, line 2: cannot overwrite a value at column 9 of 'seed = 2'"),
        (
            "[robots\n",
            "hall.toml, line 1: expected ']' at the end of a table declaration at column 8 of '[robots'",
        ),
        ("a = [1,\n\n", "hall.toml, line 2: invalid value at the end of the file"),
        ("a = " + "[" * 2000, "hall.toml: tables or arrays lie inside one another too deeply"),
    ],
)
def test_what_is_no_toml_is_named_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    assert complaint(tmp_path, text) == sentence


def test_what_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "hall.toml").write_bytes(b"seed = 1\ntitle = '\xff'\n")

    with pytest.raises(ScenarioError, match=r"hall\.toml, line 2: a scenario is UTF-8 text, and this is not"):
        load_scenario(tmp_path / "hall.toml")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"gone\.toml: there is no such file"):
        load_scenario(tmp_path / "gone.toml")
    with pytest.raises(ScenarioError, match="it cannot be read: is a directory"):
        load_scenario(tmp_path)


def test_a_name_that_is_nearly_right_suggests_the_right_one() -> None:
    with pytest.raises(ScenarioError, match=r"there is no scenario 'gatherin'; did you mean 'gathering'\?"):
        load_scenario("gatherin")
    with pytest.raises(ScenarioError, match="swarm-leader, wall-following and warehouse ship"):
        load_scenario("xyzzy")


@pytest.mark.parametrize("name", ["random-movement", "gathering", "wall-following"])
def test_what_ships_is_right(name: str) -> None:
    """Each has a title for the list, an end, and another number of robots if one wants."""
    assert name in shipped_scenarios()
    settings = load_scenario(
        name, ["robots.count=1"] if name == "wall-following" else ["robots.count=1000"]
    ).settings

    assert settings.title
    assert settings.until < math.inf
    assert len(settings.robots) == 1


def test_the_shipped_convoy_has_models_in_place_of_robots() -> None:
    settings = load_scenario("convoy", ["models.robots=10"]).settings

    assert settings.title
    assert settings.until < math.inf
    assert settings.robots == []
    assert settings.models is not None
    assert settings.models["robots"] == 10
