"""Every formation meets the criteria by every reference, and the page about formations says how well."""

from __future__ import annotations

import re
from itertools import product
from math import dist
from pathlib import Path

import pytest

from kumi.devs.chance import stream
from kumi.planning.formation_task import FormationMetrics
from kumi.planning.formations import FORMATIONS, Reference
from kumi.study.formations import MarchResult, NotDriven, driven, measure_run, study, table
from tests.shipped.staged import recorded

PAGE = (Path(__file__).parents[2] / "docs" / "formations.md").read_text()
NAMES = [
    (course, formation, reference)
    for course, formation, reference in product(("turn", "obstacles"), FORMATIONS, Reference)
]


@pytest.fixture(scope="module")
def drives() -> dict[tuple[str, str, Reference], MarchResult]:
    """Return all drives in a turn and past obstacles."""
    return {(one.course, one.formation, one.reference): one for one in study(courses=("turn", "obstacles"))}


@pytest.mark.slow
def test_all_criteria_are_met_in_a_turn_and_past_obstacles(
    drives: dict[tuple[str, str, Reference], MarchResult],
) -> None:
    """Path ratio, position error, no contact, and back in formation at the end."""
    assert list(drives) == NAMES
    assert {name: one.broken for name, one in drives.items() if one.broken} == {}


@pytest.mark.slow
def test_the_page_has_the_numbers_of_the_study(drives: dict[tuple[str, str, Reference], MarchResult]) -> None:
    """Each row of the table, to the last digits that it prints and some more room for other machines."""
    rows = re.findall(
        r"^\| (\w+) \| (\w+) \| ([\w-]+) \| ([\d.]+) \| ([\d.]+) \| (\d+) % \|$", PAGE, re.MULTILINE
    )

    assert [(course, formation, Reference(reference)) for course, formation, reference, *_ in rows] == NAMES
    for row, one in zip(rows, drives.values(), strict=True):
        assert float(row[3]) == pytest.approx(one.metrics.path_ratio, abs=0.003)
        assert float(row[4]) == pytest.approx(one.error, abs=0.003)
        assert float(row[5]) / 100 == pytest.approx(one.metrics.in_formation, abs=0.02)


@pytest.mark.slow
def test_the_unit_centre_keeps_a_turning_formation_best(
    drives: dict[tuple[str, str, Reference], MarchResult],
) -> None:
    """The diamond most of all; with a leader errors are at least one and a half times as large."""
    centred = {name: drives["turn", name, Reference.UNIT_CENTRE].error for name in FORMATIONS}

    assert min(centred, key=lambda name: centred[name]) == "diamond"
    for name in FORMATIONS:
        assert drives["turn", name, Reference.LEADER].error > 1.5 * centred[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formation", "reference"),
    [
        ("line", Reference.LEADER),
        ("column", Reference.NEIGHBOUR),
        ("diamond", Reference.UNIT_CENTRE),
        ("wedge", Reference.LEADER),
    ],
)
def test_on_a_straight_course_the_error_is_within_two_hundredths(
    formation: str, reference: Reference
) -> None:
    one = driven(formation, reference, "straight")

    assert one.error <= 0.02
    assert one.broken == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "formation", "reference"),
    [(1, "wedge", Reference.UNIT_CENTRE), (2, "column", Reference.LEADER), (3, "line", Reference.NEIGHBOUR)],
)
def test_criteria_are_met_on_other_fields_too(seed: int, formation: str, reference: Reference) -> None:
    """Nine pillars anywhere in 8 m x 8 m, with 2 m from centre to centre, and other born points."""
    chance = stream(seed, "field")
    field: list[tuple[float, float]] = []
    while len(field) < 9:
        pillar = chance.uniform(20.5, 28.5), chance.uniform(12.0, 20.0)
        if all(dist(pillar, other) > 2.0 for other in field):
            field.append(pillar)
    pillars = ",".join(f"{{pillar=[{x:.3f},{y:.3f}],radius=0.3}}" for x, y in field)

    one = driven(formation, reference, "obstacles", f"map.obstacles=[{pillars}]", f"seed={seed}")

    assert one.broken == ()


def test_criteria_that_are_not_met_are_named() -> None:
    bad = MarchResult("line", Reference.LEADER, "turn", FormationMetrics(1.07, 0.9, 0.3, 0.5), 2.0, 1)

    assert bad.broken == (
        "path ratio above 1.06",
        "error above 0.4 spacings",
        "contact",
        "not in formation at the end",
    )
    assert list(table([bad]))[1].endswith(", ".join(bad.broken))


def test_what_is_no_march_in_formation_is_refused(tmp_path: Path) -> None:
    recorded(tmp_path, "gathering", "until=1")
    recorded(tmp_path, "formation", "until=1")

    with pytest.raises(NotDriven, match="is no run of robots with the program 'formation'"):
        measure_run(tmp_path / "gathering.kumi")
    with pytest.raises(NotDriven, match=r"of 4 robots in .*, 0 set off and 0 arrived"):
        measure_run(tmp_path / "formation.kumi")
