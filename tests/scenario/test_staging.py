"""A scenario becomes a stage: every robot with its place, shape, drive, program and parameters."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from kumi.geometry import Disc, Ellipse, Point
from kumi.motion import GaussianErrors, Omni, UniformErrors, Wheel
from kumi.scenario.document import ScenarioError, parse_document
from kumi.scenario.scenario import Scenario, check
from kumi.scenario.staging import Staging

HERE = Path(__file__).parent


def staging(text: str) -> Staging:
    document = parse_document(text, HERE / "hall.toml")
    return Staging(Scenario("hall", document, check(document)))


def complaint(text: str) -> str:
    with pytest.raises(ScenarioError) as error:
        staging(text).stage()
    return str(error.value)


GROUPS = """
[map]
width = 20
height = 10

[[robots]]
name = "leader"
born = [[5, 5]]
shape = { kind = "ellipse", length = 2, width = 1 }
heading_deg = 90
program = "random-movement"
parameters = { width = "${map.width}", height = 10, margin = 1.5 }
drive = { kind = "omni", speed = 2, noise = { kind = "uniform", dnf = 0.1 } }

[[robots]]
name = "follower"
count = 3
radius = 0.25
program = "random-movement"
parameters = { width = 20, height = 10, margin = "${robots.radius}" }
drive.noise = { kind = "gaussian", distance = 0.1 }
"""


def test_every_robot_is_as_its_group_says() -> None:
    made = staging(GROUPS)
    with made.stage() as stage:
        leader, *others = stage.world.bodies

        assert (leader.name, leader.position, leader.heading) == ("leader", Point(5, 5), math.pi / 2)
        assert leader.shape == Ellipse(2, 1)
        assert isinstance(leader.drive, Omni)
        assert isinstance(leader.drive.noise, UniformErrors)
        assert [other.name for other in others] == ["follower 0", "follower 1", "follower 2"]
        for other in others:
            assert other.shape == Disc(0.25)
            assert isinstance(other.drive, Wheel)
            assert isinstance(other.drive.noise, GaussianErrors)
    assert made.count == 4
    assert made.names == {0: "leader", 1: "follower 0", 2: "follower 1", 3: "follower 2"}


def test_a_parameter_may_stand_for_another_value_of_the_scenario() -> None:
    first, second = staging(GROUPS).kits

    assert first.parameters == {"width": 20.0, "height": 10.0, "margin": 1.5}
    assert second.parameters["margin"] == 0.25


def test_the_radius_is_told_where_all_have_the_same() -> None:
    assert staging(GROUPS).radius is None
    assert (
        staging(GROUPS.replace('shape = { kind = "ellipse", length = 2, width = 1 }', "radius = 0.25")).radius
        == 0.25
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"follower"', '"leader"', ""),
        ("count = 3", "count = 1", ""),
        (
            "width = 1 }",
            "width = -1 }",
            "line 9: robots.0.shape: the width of an ellipse is a finite number > 0",
        ),
        (
            '"ellipse"',
            '"circle"',
            'line 9: robots.0.shape.kind is "circle"; it takes disc, ellipse or polygon',
        ),
        ("dnf = 0.1", "dnf = -0.1", "line 13: robots.0.drive.noise: dnf is a finite number >= 0, not -0.1"),
        ("dnf = 0.1", "dfn = 0.1", "line 13: robots.0.drive.noise.dfn is unknown; did you mean"),
        (
            "${robots.radius}",
            "${robots.name}",
            'line 20: robots.1.parameters.margin is "follower"; it takes a number',
        ),
        ("${map.width}", "${map}", "line 12: robots.0.parameters.width is a table; it takes a number"),
        ("${map.width}", "${map.file}", "line 12: robots.0.parameters.width stands for map.file, which the"),
        ("[[5, 5]]", "[[0.2, 5]]", "line 8: 'leader' cannot be at (0.2, 5)"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(before: str, after: str, said: str) -> None:
    """The first two are right: names differ by their numbers."""
    text = GROUPS.replace(before, after, 1)
    if not said:
        assert staging(text).count >= 2
    else:
        assert complaint(text).startswith(f"hall.toml, {said}")


def test_two_robots_have_two_names() -> None:
    text = GROUPS.replace("count = 3", "count = 1").replace('"follower"', '"leader"')

    assert (
        complaint(text)
        == "hall.toml, line 16: robots.1.name is that of another group, too; each takes a name of its own"
    )


def test_robots_that_overlap_are_named_both_with_their_gap() -> None:
    text = GROUPS.replace("count = 3", "born = [[1, 1], [1.25, 1]]")

    assert complaint(text) == (
        "hall.toml, line 17: 'follower 1' cannot be at (1.25, 1): it would overlap 'follower 0' by 0.25 m"
    )


def test_robots_may_overlap_in_ghost_mode() -> None:
    text = GROUPS.replace("count = 3", "born = [[1, 1], [1.25, 1]]") + "\n[world]\nghost = true\n"

    with staging(text).stage() as stage:
        assert len(stage.robots) == 3
