"""Tables of results: means by combination, and the effect of each parameter."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from kumi.study.statistics import StatisticsError, interval
from kumi.study.statistics.effects import effects
from kumi.study.statistics.tables import by_seed, estimate, summary
from tests.statistics.folders import row_of, rows_of


def table_of(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None)


def test_each_combination_has_a_mean_with_its_interval() -> None:
    """Ten robots: 5, 6, 7, 8, so 6.5."""
    found = summary(table_of(rows_of()), ["robots"], ["error", "broke_up"])
    first = found.row(0, named=True)

    assert found.columns == [
        "robots",
        "metric",
        "count",
        "missing",
        "mean",
        "low",
        "high",
        "error",
        "happened",
        "up_to",
    ]
    assert (first["robots"], first["metric"], first["count"], first["mean"]) == (10, "error", 4, 6.5)
    assert first["high"] == pytest.approx(interval([5, 6, 7, 8]).high)
    assert found.filter(pl.col("metric") == "broke_up")["mean"].to_list() == [0.0, 0.25, 0.25]


def test_failed_runs_and_missing_values_do_not_count_and_are_counted() -> None:
    """Of four runs one failed, one has no value and one no number; one alone has no bounds."""
    rows = [
        row_of(0, robots=1, seed=0, error=4.0),
        row_of(1, robots=1, seed=1, error=None),
        row_of(2, robots=1, seed=2, error=float("nan")),
        row_of(3, robots=1, seed=3, error=9.0) | {"outcome": "it ran out of time."},
    ]
    (only,) = summary(table_of(rows), ["robots"], ["error"]).to_dicts()

    assert (only["count"], only["missing"], only["mean"]) == (1, 2, 4.0)
    assert (only["low"], only["high"]) == (None, None)


def test_a_metric_of_texts_has_no_mean() -> None:
    rows = [row_of(seed, robots=1, seed=seed, error="far", found=None) for seed in range(3)]

    assert summary(table_of(rows), ["robots"], ["error", "found"]).is_empty()


def test_nothing_varied_is_one_combination() -> None:
    assert summary(table_of(rows_of([10])), [], ["error"])["mean"].to_list() == [6.5]


def test_a_claim_has_a_share() -> None:
    found = estimate(pl.Series([True, False, False, None]))

    assert found is not None
    assert found.count == 3
    assert found.mean == pytest.approx(1 / 3)


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(StatisticsError, match="the table has no column 'speed'; it has row, outcome"):
        summary(table_of(rows_of()), ["robots"], ["speed"])


def test_a_parameter_may_not_be_called_like_a_column_of_the_summary() -> None:
    rows = [row_of(seed, mean=1, seed=seed, error=1.0) for seed in range(3)]

    with pytest.raises(StatisticsError, match="'mean' is a column of a summary; give that parameter another"):
        summary(table_of(rows), ["mean"], ["error"])


def two_parameters() -> list[dict[str, Any]]:
    """Return runs whose error is robots + 100 · fast + 10 · seed; noise of the pair that cancels."""
    return [
        row_of(
            4 * fast + 2 * (robots > 1) + seed,
            robots=robots,
            fast=bool(fast),
            seed=seed,
            error=robots + 100.0 * fast + 10 * seed,
        )
        for fast in (0, 1)
        for robots in (1, 2)
        for seed in (0, 1)
    ]


def test_a_mean_by_seed_is_over_all_other_parameters() -> None:
    """One robot, seed 1: 11 and 111, so 61."""
    found = by_seed(table_of(two_parameters()), ["robots"], ["fast"], "error")

    assert {(robots, seed): mean for robots, seed, mean in found.iter_rows()} == {
        (1, 0): 51.0,
        (1, 1): 61.0,
        (2, 0): 52.0,
        (2, 1): 62.0,
    }


def test_a_seed_without_all_combinations_does_not_count() -> None:
    """Else it would compare unlike with unlike: seed 1 has no slow run with two robots."""
    rows = [row for row in two_parameters() if (row["robots"], row["fast"], row["seed"]) != (2, False, 1)]
    found = by_seed(table_of(rows), ["robots"], ["fast"], "error")

    assert set(found.select("robots", "seed").iter_rows()) == {(1, 0), (1, 1), (2, 0)}


def test_effects_are_of_pairs_with_the_same_seed() -> None:
    """What seeds share cancels: one more robot is 1, fast is 100, both without any spread."""
    found = effects(table_of(two_parameters()), ["robots", "fast"], ["error"])

    assert [(one.parameter, one.base, one.value, one.paired.difference.mean) for one in found] == [
        ("robots", 1, 2, 1.0),
        ("fast", False, True, 100.0),
    ]
    assert [one.paired.difference.count for one in found] == [2, 2]
    assert [one.p for one in found] == [0.0, 0.0]


def test_without_shared_seeds_there_are_no_effects() -> None:
    rows = [row_of(n, robots=1 + n // 3, seed=n, error=float(n)) for n in range(6)]

    assert effects(table_of(rows), ["robots"], ["error"]) == ()


def test_a_missing_value_of_a_parameter_is_a_value_too() -> None:
    """A parameter may be none in one combination."""
    rows = [
        row_of(2 * place + seed, limit=limit, seed=seed, error=float(seed + place))
        for place, limit in enumerate((None, 3.0))
        for seed in (0, 1)
    ]
    (one,) = effects(table_of(rows), ["limit"], ["error"])

    assert (one.base, one.value, one.paired.difference.mean) == (None, 3.0, 1.0)
    assert summary(table_of(rows), ["limit"], ["error"])["mean"].to_list() == [0.5, 1.5]
