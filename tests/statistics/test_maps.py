"""Maps in a report: each metric over two parameters, as a picture and as a table."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import polars as pl
import pytest

from kumi.study.statistics.report.charts import heat_map
from kumi.study.statistics.report.paper import Paper, svg
from kumi.study.statistics.report.plots import maps
from kumi.study.statistics.report.stored import StoredStudy, read_results
from tests.statistics.folders import row_of, study_of, write_results

DNF, ANF = [0.0, 0.1, 0.2], [0.0, 0.5, 1.0]


def results_of(folder: Path, dnf: list[float], anf: list[float]) -> StoredStudy:
    """Return runs of two seeds whose error is 10 dnf + 100 anf and the seed, and of which one breaks up at dnf 0.2."""
    rows = [
        row_of(
            number, dnf=d, anf=a, seed=seed, error=10 * d + 100 * a + seed, broke_up=d == 0.2 and seed == 0
        )
        for number, (d, a, seed) in enumerate(product(dnf, anf, range(2)))
    ]
    return read_results(write_results(folder, rows, study_of({"dnf": dnf, "anf": anf}, 2)))


def test_a_map_has_the_mean_of_each_two_values_at_its_place(tmp_path: Path) -> None:
    """Errors of both seeds differ by 1: the half width is 12.706 / 2, and 6.4 to two digits."""
    section = maps(results_of(tmp_path, DNF, ANF), 0.95)

    assert section is not None
    error, broke_up = section.sheets
    assert error.head == ("anf \\ dnf", "0", "0.1", "0.2")
    assert error.rows[1] == ("0.5", "50.5 ± 6.4", "51.5 ± 6.4", "52.5 ± 6.4")
    assert [row[1][:4] for row in broke_up.rows] == ["0.00"] * 3
    assert [row[3][:4] for row in broke_up.rows] == ["0.50"] * 3
    assert [figure.name for figure in section.figures] == [
        "error-over-dnf-and-anf",
        "broke_up-over-dnf-and-anf",
    ]


@pytest.mark.parametrize(("dnf", "anf"), [(DNF, ANF[:2]), (DNF[:1], ANF)])
def test_where_a_parameter_has_fewer_than_three_values_there_is_no_map(
    tmp_path: Path, dnf: list[float], anf: list[float]
) -> None:
    assert maps(results_of(tmp_path, dnf, anf), 0.95) is None


def test_cells_are_coloured_by_one_scale_and_hold_their_numbers() -> None:
    """Three cells of two panels; the largest share stands on the lightest colour, so in black."""
    table = pl.DataFrame(
        {"x": [0.0, 0.1, 0.0], "y": [1, 1, 1], "mean": [0.0, 1.0, 0.25], "panel": ["a", "a", "b"]}
    )

    drawn = svg(heat_map(table, "share", "dnf", "anf", is_share=True, paper=Paper()))

    for number in ("0.00", "1.00", "0.25"):
        assert f">{number}</text>" in drawn
    assert "#fde725" in drawn or "rgb(253, 231, 37)" in drawn
    assert "#440154" in drawn or "rgb(68, 1, 84)" in drawn


def test_a_map_of_one_value_can_be_drawn() -> None:
    table = pl.DataFrame({"x": [0.0], "y": [1.0], "mean": [7.5]})

    assert ">7.5</text>" in svg(heat_map(table, "error", "dnf", "anf", paper=Paper()))
