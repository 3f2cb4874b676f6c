"""Degrees that are given for radians are told in one sentence, with the line; what is meant in radians is not."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, radians, tau
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import DegreesForRadians, Point, Pose
from kumi.geometry.headings import seems_degrees
from kumi.robot import Robot
from kumi.scenario import ScenarioError, load_scenario
from kumi.sensing import Camera, Compass, Lidar, Ultrasonic, Whisker
from kumi.world import World


class Stub:
    """A body of any kind: it hears commands, and does nothing."""

    position, heading, name, number = Point(0, 0), 0.0, "stub", 0

    def carry_out(self, command: object) -> object:
        return command


robot = Robot(Stub())  # type: ignore[arg-type]
MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: robot.turn(90), "the angle of turn()"),
    (lambda: robot.turn(-90.0), "the angle of turn()"),
    (lambda: robot.turn_to(90), "the heading of turn_to()"),
    (lambda: robot.arc(1, 90), "the angle of arc()"),
    (lambda: Pose(Point(0, 0), 90), "a heading"),
    (lambda: World().add_body((0, 0), heading=90), "a heading"),
    (lambda: World().add_body((0, 0)).watch(1.0, print, bearing=90), "the bearing of watch()"),
    (lambda: Camera(bearing=90), "a bearing"),
    (lambda: Lidar(bearing=90), "a bearing"),
    (lambda: Ultrasonic(bearing=90), "a bearing"),
    (lambda: Whisker(bearing=90), "a bearing"),
    (lambda: Compass(bias=90), "a bias"),
]


@pytest.mark.parametrize(("act", "name"), MISTAKES)
def test_each_mistake_is_told_in_a_sentence_that_names_the_line(act: Callable[[], Any], name: str) -> None:
    with pytest.warns(DegreesForRadians) as told:
        act()

    [warning] = told
    given = "-90" if "-90" in str(warning.message) else "90"
    assert str(warning.message) == (
        f"{name} is {given} radians, which is 14.3 revolutions; for {given} degrees write radians({given})"
    )
    assert (warning.filename, warning.lineno) == (__file__, act.__code__.co_firstlineno)


@given(st.integers(1, 720).map(float) | st.sampled_from([22.5, 67.5, 112.5, 157.5]))
def test_whole_and_half_numbers_beyond_a_revolution_seem_degrees(angle: float) -> None:
    assert seems_degrees(angle) == seems_degrees(-angle) == (angle > tau)


@given(st.integers(-10_000, 10_000), st.integers(1, 360))
def test_multiples_and_parts_of_pi_and_converted_degrees_do_not(many: int, part: int) -> None:
    assert not seems_degrees(many * pi / part)
    assert not seems_degrees(radians(many))


@given(st.floats(-1e4, 1e4))
def test_what_is_computed_does_not(angle: float) -> None:
    assert not seems_degrees(angle) or (2 * angle).is_integer()


def test_a_view_in_degrees_is_refused_with_what_to_write() -> None:
    with pytest.raises(ValueError, match=r"not 90; for 90 degrees write radians\(90\)"):
        Lidar(view=90)


def test_a_scenario_with_degrees_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(
        '[map]\nwidth = 10\nheight = 10\n\n[robots]\ncount = 1\nprogram = "circle"\nheading = 90\n'
    )
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)

    assert str(caught.value).endswith(
        "scenario.toml, line 8: robots.heading is 90 radians, which is 14.3 revolutions; "
        "for 90 degrees write heading_deg = 90"
    )
