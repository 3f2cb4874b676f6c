"""Robots begin where their scenario says, or at random where there is room."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from kumi.geometry import BodyShape, Disc, Point, Pose
from kumi.scenario.document import ScenarioError, parse_document
from kumi.scenario.initial_poses import Group, initial_poses
from kumi.scenario.placing import Box, Pair
from kumi.scenario.scenario import check

HALL = Box(0.0, 0.0, 100.0, 50.0)
CIRCLE = Disc(1.0)


class Hall:
    """Stands for a world of 100 x 50 m with a wall below y = 5."""

    def __init__(self, box: Box | None = HALL) -> None:
        self.box = box

    def is_free(self, point: Pair, reach: float) -> bool:
        return point[1] >= 5.0 + reach


def groups(text: str, *shapes: BodyShape) -> list[Group]:
    document = parse_document(text, Path("hall.toml"))
    return [
        Group(document.place("robots", number), robots, shape)
        for (number, robots), shape in zip(enumerate(check(document).robots), shapes, strict=True)
    ]


def born(text: str, *shapes: BodyShape, seed: int = 0) -> list[list[Pose]]:
    return initial_poses(groups(text, *shapes), seed, Hall())


def complaint(text: str, *shapes: BodyShape) -> str:
    with pytest.raises(ScenarioError) as error:
        born(text, *shapes)
    return str(error.value)


LISTED = '[robots]\nborn = [\n[10, 10],\n[12, 10],\n]\nheading_deg = 90\nprogram = "p"\n'
RANDOM = '[[robots]]\ncount = 20\nheading = "random"\nprogram = "p"\n'


def test_listed_points_are_taken_as_they_are() -> None:
    assert born(LISTED, CIRCLE) == [
        [Pose(Point(10, 10), math.pi / 2), Pose(Point(12, 10), math.pi / 2)],
    ]


def test_random_points_keep_clear_of_listed_ones_and_of_walls() -> None:
    first, second = born(RANDOM + LISTED.replace("[robots]", "[[robots]]"), Disc(3.0), CIRCLE)

    assert [pose.position for pose in second] == [Point(10, 10), Point(12, 10)]
    assert min(pose.position.y for pose in first) >= 8.0
    assert min(a.position.distance_to(b.position) for a in first for b in second) > 4.0


def test_random_headings_go_all_the_way_round() -> None:
    headings = [pose.heading for pose in born(RANDOM, CIRCLE)[0]]

    assert all(-math.pi <= heading <= math.pi for heading in headings)
    assert min(headings) < -1.0
    assert max(headings) > 1.0


def test_the_seed_decides_and_another_group_changes_nothing() -> None:
    """Unless it is in the way."""
    alone = born(RANDOM, CIRCLE, seed=5)[0]

    assert born(RANDOM, CIRCLE, seed=5)[0] == alone
    assert born(RANDOM, CIRCLE, seed=6)[0] != alone
    assert born(RANDOM + RANDOM, CIRCLE, Disc(0.1), seed=5)[0] == alone


def test_those_that_do_not_fit_are_refused_with_the_line_of_their_number() -> None:
    said = complaint(RANDOM.replace("20", "2000"), Disc(2.0))

    assert said.startswith("hall.toml, line 2: robots: only ")
    assert "of 2000 robots of radius 2 m found room at random in 100 m x 50 m" in said


def test_an_infinite_world_needs_an_area_for_random_points() -> None:
    with pytest.raises(ScenarioError) as error:
        initial_poses(groups(RANDOM, CIRCLE), 0, Hall(None))
    assert str(error.value) == (
        "hall.toml, line 1: robots.within is missing; random born points in an infinite world need an area"
    )

    within = RANDOM + "within = { x = -100, y = 6, width = 50, height = 20 }\n"
    for pose in initial_poses(groups(within, CIRCLE), 0, Hall(None))[0]:
        assert -99.0 <= pose.position.x <= -51.0
        assert 7.0 <= pose.position.y <= 25.0
