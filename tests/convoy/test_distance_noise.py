"""Why distance noise without angle noise breaks most convoys: what docs/convoy.md says of it, number by number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import radians
from pathlib import Path

import numpy as np
import pytest

from kumi.convoy import Cause, ConvoyRun, Setup, run_twin
from kumi.convoy.program import ConvoyRules
from kumi.geometry import Point
from kumi.motion import Wheel
from kumi.motion.noise import UniformErrors
from tests.convoy.played import watch

TEXT = (Path(__file__).parents[2] / "docs" / "convoy.md").read_text(encoding="utf-8")
EXACT = Setup(dnf=0.1, anf=0.0)
NOISY = Setup(dnf=0.1, anf=0.08)
SEEDS = range(20)
SOONEST = (12, 19, 16)
"""Seeds with which the convoy with exact angles breaks up soonest: within 190 steps of the leader."""
TOLD = {
    "DNF 0.04": replace(EXACT, dnf=0.04),
    "DNF 0.1": EXACT,
    "DNF 0.2": replace(EXACT, dnf=0.2),
    "ANF 0.01": replace(EXACT, anf=0.01),
    "the leader turns by 29°": replace(EXACT, rules=ConvoyRules(leader_turn=radians(29.0))),
    "the leader turns by 31°": replace(EXACT, rules=ConvoyRules(leader_turn=radians(31.0))),
    "5 robots": replace(EXACT, robots=5, field_side=EXACT.side),
    "10 robots": replace(EXACT, robots=10, field_side=EXACT.side),
    "20 robots": replace(EXACT, robots=20, field_side=EXACT.side),
    "learning 0": replace(EXACT, rules=ConvoyRules(learning=0.0)),
    "learning 0.05": replace(EXACT, rules=ConvoyRules(learning=0.05)),
}


def rows() -> Iterator[tuple[str, int, int]]:
    """Return the rows of the table in the document: what is changed, how many broke up, and how many by a wall."""
    section = TEXT.split("## Distance noise alone")[1].split("\n## ")[0]
    for label, broke, by_wall in re.findall(r"^\| ([^|]+) \| (\d+) \| (\d+) \|$", section, re.MULTILINE):
        yield label, int(broke), int(by_wall)


def broken_by(setup: Setup, seeds: range) -> list[Cause]:
    """Return the causes of all break-ups."""
    found = [run_twin(setup, seed).break_up for seed in seeds]
    return [one.cause for one in found if one is not None]


@pytest.mark.slow
@pytest.mark.parametrize(("label", "broke", "by_wall"), list(rows()))
def test_the_table_tells_how_many_of_20_break_up_and_how_many_by_a_wall(
    label: str, broke: int, by_wall: int
) -> None:
    found = broken_by(TOLD[label], SEEDS)

    assert (len(found), found.count(Cause.WALL)) == (broke, by_wall)


def test_every_row_of_the_table_is_one_that_is_tried() -> None:
    assert [label for label, _, _ in rows()] == list(TOLD)


def test_exact_angles_break_convoys_at_walls_unless_the_leader_turns_by_no_part_of_a_right_angle() -> None:
    few = range(4)

    assert broken_by(EXACT, few) == [Cause.WALL] * 4
    assert broken_by(TOLD["the leader turns by 31°"], few) == []


def test_the_run_that_is_told_of_is_as_it_is_told() -> None:
    found = run_twin(EXACT, 12)
    why = found.break_up

    assert why is not None
    assert (why.cause, why.robot, round(why.at, 1), found.steps) == (Cause.WALL, 11, 235.3, 115)
    assert str(why) in TEXT.replace("\n", " ")


@pytest.mark.slow
@pytest.mark.parametrize(("setup", "least", "most"), [(EXACT, 0.65, 0.87), (NOISY, 0.13, 0.26)])
def test_a_leader_with_exact_angles_goes_along_walls(setup: Setup, least: float, most: float) -> None:
    """Its headings are multiples of 30 degrees, so after a right angle it is parallel to a wall, beyond its beams."""
    shares = []
    for seed in range(5):
        run = ConvoyRun(replace(setup, robots=2, field_side=setup.side), seed)
        near: list[bool] = []
        body = run.convoy.bodies[0]
        run.convoy.robots[0].to_back.watch(
            lambda _, __, near=near, body=body: near.append(from_walls(body.position) < 0.75)  # type: ignore[misc]
        )
        run.run()
        shares.append(round(sum(near) / len(near), 2))

    assert (min(shares), max(shares)) == (least, most)
    assert f"{100 * least:.0f} to {100 * most:.0f} %" in TEXT


def from_walls(at: Point) -> float:
    """Return how far a place is from the nearest wall."""
    side = EXACT.side
    return min(at.x, at.y, side - at.x, side - at.y)


@pytest.mark.parametrize(("aside", "is_seen_to"), [(0.09, False), (0.11, True)])
def test_a_follower_does_not_see_that_it_is_beside_the_way_by_less_than_the_radius(
    aside: float, is_seen_to: bool
) -> None:
    """Its beam meets the front robot, 10 cm in radius, and for all it knows straight ahead."""
    run = ConvoyRun(Setup(robots=2, steps=20, dnf=0.0, anf=0.0, field_side=20.0))
    body = run.convoy.bodies[1]
    body.teleport(body.position + Point(0.0, aside), 0.0)

    measured = run.run()

    assert (measured.adjustments > 0.0) is is_seen_to
    assert (body.position.y == pytest.approx(10.0 + aside)) is not is_seen_to


@pytest.mark.slow
def test_the_way_to_the_wall_grows_along_the_line() -> None:
    """How far robots are nearer to a wall than the leader was, at most, beside walls and 2 m from corners."""
    told = {2: 13, 4: 22, 7: 31, 11: 38, 13: 46}
    largest = dict.fromkeys(told, 0.0)
    for seed in range(5):
        run = ConvoyRun(replace(EXACT, steps=400), seed)
        ways: list[list[Point]] = [[] for _ in run.convoy.robots]
        for robot, body, way in zip(run.convoy.robots, run.convoy.bodies, ways, strict=True):
            watch(robot, ended=lambda _, body=body, way=way: way.append(body.position))  # type: ignore[misc]
        run.run()
        led = np.array(ways[0])
        for number in told:
            way = ways[number - 1]
            for at in way[len(way) // 6 :]:
                lead = ways[0][int(np.square(led - at).sum(axis=1).argmin())]
                if from_walls(lead) < 0.75 and from_corners(lead) > 4.0:
                    largest[number] = max(largest[number], from_walls(lead) - from_walls(at))

    assert {number: round(100 * most) for number, most in largest.items()} == told
    said = " and ".join(f"{most} for robot {number}" for number, most in list(told.items())[-2:])
    assert f"13 cm for robot 2, 22 for robot 4, 31 for robot 7, {said}" in TEXT


def from_corners(at: Point) -> float:
    """Return how far it is to the nearest corner, along both axes."""
    return min(at.x, EXACT.side - at.x) + min(at.y, EXACT.side - at.y)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("leader", "followers", "breaks"),
    [(EXACT, EXACT, True), (NOISY, EXACT, False), (EXACT, NOISY, False)],
)
def test_it_takes_both_a_leader_and_followers_with_exact_angles(
    leader: Setup, followers: Setup, breaks: bool
) -> None:
    """Those that break up soonest do not if either the leader or the followers err in angle."""
    for seed in SOONEST:
        run = ConvoyRun(replace(followers, steps=190), seed)
        noise = UniformErrors(leader.dnf, 100.0 * leader.anf)
        run.convoy.bodies[0].drive = Wheel(leader.speed, leader.turn_speed, noise=noise)
        assert (run.run().break_up is not None) is breaks
