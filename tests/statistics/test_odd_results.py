"""Whatever a study left, a report is made of it: no value, name or gap ends it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kumi.study.statistics.report import compose
from kumi.study.statistics.report.contents import as_markdown
from kumi.study.statistics.report.stored import read_results
from tests.statistics.folders import row_of, study_of, write_results

ODD = [
    None,
    0,
    -1,
    2.5,
    1e99,
    1e-300,
    float("nan"),
    float("inf"),
    True,
    "x",
    "<&>|`",
    10**20,
    [1, 2],
    {"a": 1},
]
VALUES: st.SearchStrategy[list[Any]] = st.sampled_from(
    [[1.0, 2.0, 3.0], [True, False, None], [5], [None], ["t"], [1e-12, 1e12], ODD]
)
PARAMETERS = st.lists(
    st.sampled_from([0, 1, 3.5, -1, "a", True, None, [1, 2], 1e6, 10**18]), min_size=1, max_size=3
)
NAMES = st.lists(
    st.sampled_from(["robots", "mean", "x", "group", "time", "a/b", "count"]), max_size=3, unique=True
)


# An example that fails is told as it was found: to make it smaller takes minutes.
@settings(max_examples=30, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.data(), NAMES, st.integers(1, 3))
def test_a_report_is_made_of_whatever_is_there(data: st.DataObject, names: list[str], seeds: int) -> None:
    vary = {name: data.draw(PARAMETERS) for name in names}
    metrics = {name: data.draw(VALUES) for name in ("error", "low")}
    rows: list[dict[str, Any]] = []
    for number, (*values, seed) in enumerate(product(*vary.values(), range(seeds))):
        found = {name: data.draw(st.sampled_from(many)) for name, many in metrics.items()}
        row = row_of(number, **dict(zip(vary, values, strict=True)), seed=seed, **found)
        row["series_e"] = [[time, data.draw(st.sampled_from([0.5, None]))] for time in range(number % 4)]
        rows.append(row | {"outcome": data.draw(st.sampled_from(["finished", "finished", "lost."]))})
    with TemporaryDirectory() as folder:
        results = read_results(
            write_results(Path(folder), rows, study_of(vary, seeds, {key: {} for key in metrics}))
        )

    text = as_markdown(compose(results))

    assert f"{sum(row['outcome'] == 'finished' for row in rows)} finished" in text
    assert text.count("| lost. |") == sum(row["outcome"] == "lost." for row in rows)


def test_a_group_whose_runs_never_overlap_in_time_draws_nothing_and_ends_nothing(tmp_path: Path) -> None:
    rows = [row_of(number, robots="few", seed=number) for number in range(3)]
    for number, row in enumerate(rows):
        row["series_e"] = [[2 * number, 0.5], [2 * number + 1, 0.5]]
    more = row_of(3, robots="many", seed=0) | {"series_e": [[0, 0.5], [5, 0.5]]}
    results = read_results(
        write_results(tmp_path, [*rows, more], study_of({"robots": ["few", "many"]}, 3, {}))
    )

    figures = [figure.caption for section in compose(results).sections for figure in section.figures]
    assert figures == ["e in time, by robots."]
