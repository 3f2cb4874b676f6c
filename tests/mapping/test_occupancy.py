"""A beam speaks for free along its way and for occupied where it ends, and for nothing else."""

from __future__ import annotations

from math import cos, inf, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.geometry import Point, Pose
from kumi.mapping import Beam, Drawing, RangeModel
from kumi.mapping.scan import Scan
from tests.mapping.sketches import scan

MODEL = RangeModel(reach=1.0)
AHEAD = [Beam(0.0, 0.0, 0.0)]


def drawn(pose: Pose, *ranges: float | None, model: RangeModel = MODEL, times: int = 1) -> Drawing:
    """Return what one beam straight ahead draws."""
    drawing = Drawing(model, AHEAD)
    for _ in range(times):
        drawing.add(pose, Scan(0.0, 0.0, 0.0, ranges))
    return drawing


def crossed(x: float, y: float, direction: float, length: float, cell: float) -> set[tuple[int, int]]:
    """Return the (column, row) of cells along a beam by looking at very many places: slow and plain."""
    ways = np.linspace(0.0, length, 1500)
    columns = np.floor((x + ways * cos(direction)) / cell).astype(int)
    rows = np.floor((y + ways * sin(direction)) / cell).astype(int)
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def test_a_beam_of_half_a_metre_frees_nine_cells_and_occupies_the_eleventh() -> None:
    """It starts at the left side of a cell and ends in the middle of another; 2 cm of error stay in that cell."""
    found = drawn(Pose(Point(0.0, 0.025)), 0.525).map

    assert (found.column, found.row, found.shape[0]) == (0, 0, 1)
    assert found.evidence[0, :9].max() < -0.5
    assert found.evidence[0, 10] == found.evidence.max() > 1.0
    assert found.shape[1] <= 14


def test_a_beam_that_met_nothing_frees_all_its_way_and_no_more() -> None:
    found = drawn(Pose(Point(0.0, 0.025)), inf).map

    assert found.shape == (1, 20)
    assert found.evidence == pytest.approx(-0.6, abs=0.01)


@pytest.mark.parametrize("reading", [None, 0.1, 0.05])
def test_no_reading_and_one_too_near_say_nothing(reading: float | None) -> None:
    """What reads as the least that can be measured may be nearer still."""
    assert drawn(Pose(Point(0.0, 0.0)), reading).map.known.sum() == 0


def test_evidence_adds_up_to_a_limit() -> None:
    once, often = (drawn(Pose(Point(0.0, 0.025)), inf, times=times).map.evidence for times in (1, 50))

    assert np.all(often == -6.0)
    assert drawn(Pose(Point(0.0, 0.025)), inf, times=3).map.evidence == pytest.approx(3 * once)


@settings(max_examples=30)
@given(st.integers(-150, 150), st.integers(-150, 150), st.integers(-300, 300), st.floats(0.2, 0.99))
def test_only_cells_that_the_beam_crosses_are_told_about(i: int, j: int, k: int, reading: float) -> None:
    """Also below and to the left of the origin. No start lies on a line between cells, nor does a beam go along one."""
    x, y, direction = 0.013 * i + 0.0071, 0.013 * j + 0.0037, 0.0104 * k + 0.0031
    found = drawn(Pose(Point(x, y), direction), reading).map
    spread = MODEL.deviation + MODEL.share * reading
    reach = crossed(x, y, direction, reading + 3.6 * spread, MODEL.cell)
    sure = crossed(x, y, direction, reading - 4 * spread, MODEL.cell)
    told, freed = (
        {(column + found.column, row + found.row) for row, column in np.argwhere(cells).tolist()}
        for cells in (found.evidence != 0, found.evidence < 0)
    )

    # A beam may cut off less of a cell than the oracle sees, or than can be counted.
    assert len(told - reach) <= 1
    assert len(sure - freed) <= 3


def test_a_reading_is_likeliest_where_the_map_has_a_wall() -> None:
    """A wall at one metre, seen often: a reading of 1 m beats those a decimetre off, by far."""
    drawing = drawn(Pose(Point(0.0, 0.025)), 0.775, times=20)
    at = {
        reading: drawing.likelihood(Pose(Point(0.0, 0.025)), Scan(0, 0, 0, (reading,)))
        for reading in (0.6, 0.775, 0.95)
    }

    assert at[0.775] > 20 * at[0.6]
    assert at[0.775] > 20 * at[0.95]


def test_likelihoods_of_all_readings_sum_to_one() -> None:
    """Densities of hits and the share of beams that meet nothing, over an unknown map."""
    drawing = Drawing(RangeModel(reach=1.0, stray=0.0, min_reach=0.0), AHEAD)
    pose = Pose(Point(0.0, 0.025))
    hits = np.linspace(0.0005, 0.9995, 1000)
    total = sum(drawing.likelihood(pose, Scan(0, 0, 0, (float(hit),))) for hit in hits) * 0.001

    assert total + drawing.likelihood(pose, Scan(0, 0, 0, (inf,))) == pytest.approx(1.0, abs=0.03)


def test_the_number_of_ranges_is_that_of_the_beams() -> None:
    with pytest.raises(ValueError, match="a range for each of the 6 beams, not 2"):
        Drawing().add(Pose(Point(0.0, 0.0)), Scan(0.0, 0.0, 0.0, (0.5, 0.5)))


def test_a_model_is_made_of_numbers_of_at_least_0() -> None:
    with pytest.raises(ValueError, match="deviation is a finite number of at least 0, not -1"):
        RangeModel(deviation=-1)


@pytest.mark.parametrize(
    ("numbers", "rule"),
    [
        ({"cell": 0.0}, "cell is greater than 0"),
        ({"reach": 0.1}, "reach is greater than min_reach"),
        ({"prior": 1.0}, "prior is between 0 and 1"),
        ({"most": 100.0}, "most is greater than 0 and at most 60 nats"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(numbers: dict[str, float], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        RangeModel(**numbers)


@pytest.mark.parametrize("far", [1e7, 1e300])
def test_a_place_far_from_all_others_is_refused(far: float) -> None:
    """Before memory runs out."""
    drawing = drawn(Pose(Point(0.0, 0.0)), 0.5)
    with pytest.raises(ValueError, match="far"):
        drawing.add(Pose(Point(far, far)), Scan(0.0, 0.0, 0.0, (0.5,)))


def test_six_beams_see_a_corridor() -> None:
    """Walls 0.4 m to both sides of the platform, nothing ahead within reach."""
    drawing = Drawing()
    for step in range(30):
        drawing.add(Pose(Point(0.02 * step, 0.0)), scan(inf, 0.566, 0.4, inf, 0.4, 0.566))
    found = drawing.map
    row_of = {y: found.cell_at((0.3, y))[0] for y in (0.5, -0.5, 0.0)}

    assert all(
        found.occupied[row_of[y] - 1 : row_of[y] + 2, found.cell_at((0.3, 0))[1]].any() for y in (0.5, -0.5)
    )
    assert found.free[row_of[0.0], found.cell_at((0.9, 0))[1]]
