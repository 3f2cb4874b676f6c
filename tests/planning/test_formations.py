"""Everyone has a place of its own, and all references agree on it where all are in place."""

from __future__ import annotations

from itertools import combinations
from math import hypot, pi, sqrt
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.planning.enclosing_circle import mean
from kumi.planning.formation_task import FormationName, ReferenceName, as_formation_task
from kumi.planning.formations import FORMATIONS, Formation, Reference, column, diamond, line, wedge

COUNTS = st.integers(1, 30)
RING: Any = "circle"
BOSS: Any = "boss"
ANGLES = st.floats(-pi, pi)


def flat(formation: Formation) -> list[tuple[float, float]]:
    """Return the places relative to robot 0, to the micrometre."""
    first = formation.places[0]
    return [(round(p.x - first.x, 6) + 0.0, round(p.y - first.y, 6) + 0.0) for p in formation.places]


def test_four_robots_have_the_places_that_one_would_draw() -> None:
    """With a spacing of 2 m; a step to the side and back in wedge and diamond is 2 / sqrt(2) m each."""
    half, whole = round(sqrt(2.0), 6), round(2 * sqrt(2.0), 6)
    assert flat(line(4, 2.0)) == [(0, 0), (0, 2), (0, -2), (0, 4)]
    assert flat(column(4, 2.0)) == [(0, 0), (-2, 0), (-4, 0), (-6, 0)]
    assert flat(wedge(4, 2.0)) == [(0, 0), (-half, half), (-half, -half), (-whole, whole)]
    assert flat(diamond(4, 2.0)) == [(0, 0), (-half, half), (-half, -half), (-whole, 0)]


def test_eight_robots_are_on_the_corners_and_middles_of_a_diamond() -> None:
    """Its sides are 4 m, so the corners are 4 / sqrt(2) m from the centre and the middles half of that aside."""
    far, near = 2 * sqrt(2.0), sqrt(2.0)
    corners = {(far, 0), (0, far), (0, -far), (-far, 0)}
    middles = {(near, near), (near, -near), (-near, near), (-near, -near)}

    places = {(round(p.x, 9) + 0.0, round(p.y, 9) + 0.0) for p in diamond(8, 2.0).places}

    assert places == {(round(x, 9), round(y, 9)) for x, y in corners | middles}


@given(st.sampled_from(sorted(FORMATIONS)), COUNTS, st.floats(0.1, 100.0))
def test_any_number_fits(name: str, count: int, spacing: float) -> None:
    """The mean is the origin, nobody is nearer than a spacing or, around a corner, a spacing / sqrt(2)."""
    formation = FORMATIONS[name](count, spacing)

    assert len(formation) == count
    assert abs(mean(formation.places)) < 1e-9 * spacing * count
    nearest = min((a.distance_to(b) for a, b in combinations(formation.places, 2)), default=spacing)
    assert nearest >= spacing * (0.5**0.5 if name == "diamond" else 1.0) * (1 - 1e-9)


@given(st.sampled_from(sorted(FORMATIONS)), COUNTS)
def test_each_neighbour_is_a_spacing_away_at_most(name: str, count: int) -> None:
    """And has a lower number, so that all chains of neighbours end at the leader."""
    formation = FORMATIONS[name](count, 1.0)

    assert formation.neighbours[0] == 0
    for number in range(1, count):
        neighbour = formation.neighbours[number]
        assert neighbour < number
        assert formation.places[number].distance_to(formation.places[neighbour]) <= 1.0 + 1e-9


@given(st.sampled_from(sorted(FORMATIONS)), COUNTS, ANGLES, st.floats(-9, 9), st.floats(-9, 9))
def test_all_references_agree_where_all_are_in_place(
    name: str, count: int, heading: float, x: float, y: float
) -> None:
    formation = FORMATIONS[name](count, 2.0)
    at = {k: Point(x, y) + place.turned(heading) for k, place in enumerate(formation.places)}
    for reference in Reference:
        for number in range(count):
            assert formation.place(reference, number, at, heading).distance_to(at[number]) < 1e-9


def test_each_reference_asks_those_whom_it_names() -> None:
    """Robot 3 of a column is put elsewhere by 4 m: the unit centre moves by 1 m, and nobody else cares."""
    formation = column(4, 2.0)
    at = dict(enumerate(formation.places)) | {3: formation.places[3] + Point(0.0, 4.0)}

    assert formation.place(Reference.UNIT_CENTRE, 1, at, 0.0) == formation.places[1] + Point(0.0, 1.0)
    assert formation.place(Reference.LEADER, 3, at, 0.0) == formation.places[3]
    assert formation.place(Reference.NEIGHBOUR, 3, at, 0.0) == formation.places[3]


def test_who_is_not_known_is_left_out_of_the_unit_centre_with_its_place() -> None:
    formation = wedge(5, 2.0)
    at = {number: place for number, place in enumerate(formation.places) if number != 3}

    assert abs(formation.place(Reference.UNIT_CENTRE, 1, at, 0.0) - formation.places[1]) < 1e-12


def test_a_leader_keeps_no_place_and_the_unit_centre_has_none() -> None:
    formation = line(3, 1.0)

    assert formation.keepers(Reference.UNIT_CENTRE) == (0, 1, 2)
    assert formation.keepers(Reference.LEADER) == formation.keepers(Reference.NEIGHBOUR) == (1, 2)


def test_a_formation_starts_with_its_centre_or_its_leader_on_the_course() -> None:
    """A line of three along y: its leader is its centre; a column of three is led by the one in front."""
    start = Point(5.0, 5.0)

    assert line(3, 1.0).start(Reference.LEADER, 1, start, 0.0) == Point(5.0, 6.0)
    assert column(3, 1.0).start(Reference.LEADER, 1, start, 0.0) == Point(4.0, 5.0)
    assert column(3, 1.0).start(Reference.UNIT_CENTRE, 1, start, 0.0) == start


def test_a_formation_of_ones_own_follows_the_number_before() -> None:
    formation = Formation((Point(0, 0), Point(-3, 1), Point(-3, -1)))

    assert formation.neighbours == (0, 0, 1)
    assert hypot(*mean(formation.places)) < 1e-12


def test_the_names_that_scenarios_take_are_those_that_there_are() -> None:
    assert get_args(FormationName) == tuple(FORMATIONS)
    assert get_args(ReferenceName) == tuple(reference.value for reference in Reference)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Formation(()), "a formation has at least one place"),
        (lambda: line(0, 1.0), "a formation has at least one robot, not 0"),
        (lambda: diamond(-1, 1.0), "a formation has at least one robot, not -1"),
        (lambda: wedge(4, 0.0), "a spacing is a finite number > 0, not 0.0"),
        (lambda: Formation((Point(0, 0), Point(1, 0)), (0,)), "a neighbour for each, not 1"),
        (
            lambda: Formation((Point(0, 0), Point(1, 0)), (0, 1)),
            "the neighbour of robot 1 is one with a lower",
        ),
        (lambda: Formation((Point(0, float("nan")),)), "a place of a formation has finite coordinates"),
        (
            lambda: line(3, 1.0).origin(Reference.LEADER, 1, {1: Point(0, 0)}, 0.0),
            "robot 1 knows no position",
        ),
        (
            lambda: as_formation_task(4, RING, "leader", "a", {}),
            "one of line, column, diamond, wedge, or a list of",
        ),
        (
            lambda: as_formation_task(4, "line", BOSS, "a", {}),
            "one of unit-centre, leader, neighbour, not 'boss'",
        ),
        (lambda: as_formation_task(4, "line", "leader", "a", {"b": []}), "a course is one of b, not 'a'"),
        (
            lambda: as_formation_task(4, "line", "leader", "a", {"a": [[0, 0]]}),
            "at least two waypoints, not 1",
        ),
        (
            lambda: as_formation_task(4, [[0, 0]], "leader", "a", {}),
            "a formation of 4 robots has 4 places, not 1",
        ),
        (
            lambda: as_formation_task(1, [[0]], "leader", "a", {}),
            r"a formation is a list of points \[x, y\] in metres",
        ),
        (
            lambda: as_formation_task(1, [[0, 0]], "leader", "a", {"a": [[0, 0], [0, 0]]}),
            "is there twice in a row",
        ),
    ],
)
def test_what_is_no_formation_is_refused(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=says):
        make()
