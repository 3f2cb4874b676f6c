"""Sensitivity: designs are run in any order, and their indices are those of functions one can do by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl
import pytest

from kumi.study.statistics import StatisticsError
from kumi.study.statistics.sensitivity import SamplingDesign, morris_design, sobol_design
from tests.statistics.folders import row_of

RANGES = {"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)}


def run(
    design: SamplingDesign, metric: Callable[[Mapping[str, float]], float], seeds: tuple[float, ...] = (0.0,)
) -> pl.DataFrame:
    """Run a design, the last row first, with as many seeds as there are errors to add."""
    rows = [
        row_of(0, **values, seed=seed, out=metric(values) + error)
        for values in design.rows[::-1]
        for seed, error in enumerate(seeds)
    ]
    return pl.DataFrame(rows)


def test_shares_of_variance_of_a_sum_are_its_squared_weights() -> None:
    """a + 2 b: variances 1/12 and 4/12, so shares of 0.2 and 0.8, and none of c; nothing acts together."""
    design = sobol_design(RANGES, 256)
    found = {one.parameter: one for one in design.indices(run(design, lambda v: v["a"] + 2 * v["b"]), "out")}

    assert list(found) == ["b", "a", "c"]
    for name, share in {"a": 0.2, "b": 0.8, "c": 0.0}.items():
        assert found[name].first.mean == pytest.approx(share, abs=0.02)
        assert found[name].total.mean == pytest.approx(share, abs=0.02)


def test_what_acts_together_is_in_the_total_only() -> None:
    """(a - 1/2) (b - 1/2) has no mean effect of either: all is acting together."""
    design = sobol_design(RANGES, 512)
    table = run(design, lambda v: (v["a"] - 0.5) * (v["b"] - 0.5))
    found = {one.parameter: one for one in design.indices(table, "out")}

    assert found["a"].first.mean == pytest.approx(0, abs=0.1)
    assert found["a"].total.mean == pytest.approx(1, abs=0.1)


def test_the_effects_of_a_sum_are_its_weights() -> None:
    """a - 3 b: over the whole range a changes it by 1, b by -3, wherever one stands."""
    design = morris_design(RANGES, 6)
    found = design.indices(run(design, lambda v: v["a"] - 3 * v["b"]), "out")

    assert [(one.parameter, round(one.effect.mean, 9), round(one.direction, 9)) for one in found] == [
        ("b", 3.0, -3.0),
        ("a", 1.0, 1.0),
        ("c", 0.0, 0.0),
    ]
    assert all(one.spread == pytest.approx(0, abs=1e-9) for one in found)


def test_effects_are_counted_over_the_whole_range() -> None:
    """The range of b is four times that of a, so its effect is, too."""
    ranges = {"a": (10, 40), "b": (0.0, 120.0)}
    design = morris_design(ranges, 4)
    found = {
        one.parameter: one.effect.mean
        for one in design.indices(run(design, lambda v: v["a"] + v["b"]), "out")
    }

    assert found["b"] == pytest.approx(120)
    assert found["a"] == pytest.approx(30, rel=0.05)


def test_a_range_of_whole_numbers_gives_whole_numbers() -> None:
    rows = sobol_design({"robots": (1, 4), "noise": (0.0, 0.2)}, 64).rows

    assert {row["robots"] for row in rows} == {1, 2, 3, 4}
    assert all(isinstance(row["robots"], int) and 0 <= row["noise"] <= 0.2 for row in rows)


def test_several_seeds_are_taken_by_their_mean() -> None:
    """Errors of -1 and 1 cancel."""
    design = morris_design(RANGES, 4)
    found = design.indices(run(design, lambda v: v["a"], seeds=(-1.0, 1.0)), "out")

    assert found[0].effect.mean == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_design_and_indices() -> None:
    one, other, third = (sobol_design(RANGES, 16, seed=seed) for seed in (0, 0, 1))
    table = run(one, lambda v: v["a"] * v["b"])

    assert one.rows == other.rows
    assert one.rows != third.rows
    assert one.indices(table, "out") == other.indices(table, "out")
    assert len(one.rows) == 16 * (3 + 2)
    assert len(morris_design(RANGES, 10).rows) == 10 * (3 + 1)


def test_a_row_that_was_not_run_is_named() -> None:
    design = morris_design({"a": (0, 3), "b": (0, 3)}, 2)
    table = run(design, lambda v: v["a"])
    first = tuple(design.rows[0].values())
    without = table.filter((pl.col("a") != first[0]) | (pl.col("b") != first[1]))

    with pytest.raises(
        StatisticsError,
        match=f"rows of the design have no 'out' in the table, such as a = {first[0]}, b = {first[1]}",
    ):
        design.indices(without, "out")


def test_a_metric_without_variance_has_no_shares() -> None:
    design = sobol_design(RANGES, 4)
    with pytest.raises(StatisticsError, match="'out' is 7 in every run: no variance, no shares of it"):
        design.indices(run(design, lambda _: 7.0), "out")


def test_designs_that_make_no_sense_are_refused() -> None:
    with pytest.raises(StatisticsError, match="100 samples are no power of two, such as 64"):
        sobol_design(RANGES, 100)
    with pytest.raises(StatisticsError, match="1 parameters make no design"):
        sobol_design({"a": (0, 1)})
    with pytest.raises(StatisticsError, match="the range of 'b', 2 to 1, is empty or not finite"):
        morris_design({"a": (0, 1), "b": (2, 1)})
    with pytest.raises(StatisticsError, match="1 trajectories have no spread"):
        morris_design(RANGES, 1)
