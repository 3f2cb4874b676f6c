"""Studies over combinations that are listed or drawn: kept, gone on with, run again, and told as indices."""

from __future__ import annotations

import json
from collections import Counter
from math import pi
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kumi.cli import main
from kumi.study import Results, StudyError, vary
from kumi.study.results import read_runs
from kumi.study.statistics.report import write_report
from kumi.study.statistics.sensitivity import design_from, morris_design, sobol_design
from tests.study.counting import Ishigami, Sum
from tests.study.ending import ROWS, begin
from tests.waiting import PATIENCE, wait_for

RANGES = dict.fromkeys("xyz", (-pi, pi))
SHARES = {"x": (0.314, 0.558), "y": (0.442, 0.442), "z": (0.0, 0.244)}
DRAWN = """
experiment = "tests.study.counting:Ishigami"
[sensitivity]
method = "sobol"
samples = {samples}
ranges = {{ x = [-3.14, 3.14], y = [-3.14, 3.14], z = [-3.14, 3.14] }}
"""


def test_combinations_that_are_listed_are_run_with_every_seed() -> None:
    rows = [{"a": 1.0, "b": 10}, {"a": 2.0, "b": 20}]
    results = vary(Sum(), rows=rows, seeds=range(2), workers=1)

    found = results.table.select("row", "a", "b", "seed", "sum").rows()
    assert found == [
        (0, 1.0, 10, 0, 11.0),
        (1, 2.0, 20, 0, 22.0),
        (2, 1.0, 10, 1, 12.0),
        (3, 2.0, 20, 1, 23.0),
    ]
    assert results.varied == ["a", "b"]
    assert results.study["rows"] == rows


def test_a_combination_that_is_listed_twice_is_run_once() -> None:
    results = vary(Sum(), rows=[{"a": 1.0, "b": 1}, {"b": 1, "a": 1.0}, {"a": 2.0, "b": 1}], workers=1)

    assert results.table["sum"].to_list() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rows": []}, "rows is a list of combinations, each with a value for one parameter or more"),
        ({"rows": 3}, "rows is 3; it takes a list of combinations"),
        ({"rows": [3]}, "one of the rows is 3; it takes a value for each parameter, by name"),
        ({"rows": [{"a": 1.0}, {"b": 1}]}, "the first has a, row 1 b"),
        ({"rows": [{"aa": 1.0}]}, "'aa' is no parameter of Sum; did you mean 'a'"),
        ({"rows": [{"a": 1.0}], "b": [1, 2]}, "a study has rows or lists of values, not both: rows, and b"),
    ],
)
def test_rows_that_make_no_sense_are_said_before_the_first_run(given: Any, said: str, tmp_path: Path) -> None:
    log = tmp_path / "log"

    with pytest.raises(StudyError, match=said):
        vary(Sum(log=str(log)), **given)
    assert not log.exists()


@pytest.mark.slow
def test_shares_of_a_function_whose_shares_are_known() -> None:
    """Ishigami: x explains 0.314 alone and 0.558 with others, y 0.442 either way, z nothing alone and 0.244."""
    design = sobol_design(RANGES, 1024)
    runs = [{**row, "seed": 0, **Ishigami(**row).run(0).metrics} for row in design.rows]

    found = {one.parameter: one for one in design.indices(pl.DataFrame(runs), "out")}
    for name, (alone, total) in SHARES.items():
        assert found[name].first.mean == pytest.approx(alone, abs=0.02)
        assert found[name].total.mean == pytest.approx(total, abs=0.02)


def test_a_study_of_drawn_combinations_gives_shares_whose_intervals_hold_the_true_ones() -> None:
    design = sobol_design(RANGES, 128)
    results = vary(Ishigami(), rows=design, workers=2)

    for one in design.indices(results.table, "out"):
        alone, total = SHARES[one.parameter]
        assert alone in one.first
        assert total in one.total
    assert results.study["sensitivity"] == design.record
    assert design_from(json.loads(json.dumps(design.record))).rows == design.rows


def test_a_report_of_a_drawn_study_has_its_indices_with_intervals(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    vary(Ishigami(), rows=morris_design(RANGES, 4), folder=folder, workers=1)

    text = write_report(folder).markdown.read_text()
    assert "4 trajectories by the method of Morris, over `x` from -3.14159 to 3.14159;" in text
    assert "| parameter | effect | direction | spread |" in text
    assert "| z |" in text
    assert (folder / "report" / "pictures" / "out-sensitivity.png").stat().st_size > 1000


def test_a_report_says_what_is_missing_of_a_drawn_study_that_was_cut_short(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    vary(Ishigami(), rows=sobol_design(RANGES, 8), folder=folder, workers=1)
    lines = (folder / "runs.jsonl").read_text().splitlines(keepends=True)
    (folder / "runs.jsonl").write_text("".join(lines[:-3]))

    text = write_report(folder).markdown.read_text()
    assert f"The study asks for {len(lines)}; the others have not been run." in text
    assert "`out` has no indices: 3 of 40 rows of the design have no 'out' in the table" in text


def test_a_study_file_draws_its_combinations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drawn.toml").write_text(DRAWN.format(samples=16))

    assert main(["study", "drawn.toml", "--workers", "1", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["runs"] == 16 * 5
    assert {one["parameter"] for one in out["sensitivity"]["out"]} == {"x", "y", "z"}
    assert set(out["sensitivity"]["out"][0]["total"]) == {"mean", "low", "high"}
    assert main(["study", "drawn.results", "--row", "17"]) == 0
    assert "The same again." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DRAWN.format(samples=48), "48 samples are no power of two"),
        (
            DRAWN.format(samples=8).replace("sobol", "guess"),
            "method is 'guess'; it takes 'morris' or 'sobol'",
        ),
        (
            DRAWN.format(samples=8).replace("samples", "sample"),
            "'sample' is unknown; sobol takes method, samples",
        ),
        (DRAWN.format(samples=8).replace("3.14]", "]"), "the range of 'x' is [-3.14]; it takes two numbers"),
        (DRAWN.format(samples=8) + "[vary]\nx = [1.0]\n", "this one has vary and sensitivity"),
        (DRAWN.format(samples=8).replace("z =", "w ="), "'w' is no parameter of Ishigami"),
    ],
)
def test_a_drawn_study_that_makes_no_sense_is_refused(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "drawn.toml").write_text(text)

    assert main(["study", str(tmp_path / "drawn.toml"), "-o", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_study_of_rows_that_was_killed_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    (tmp_path / "killed.toml").write_text(ROWS)
    results = tmp_path / "killed.results"
    process = begin(tmp_path)
    wait_for(lambda: process.poll() is not None or len(read_runs(results)) >= 5)
    process.kill()
    process.communicate()
    kept = read_runs(results)

    again = begin(tmp_path)
    again.communicate(timeout=PATIENCE)

    now = read_runs(results)
    assert again.returncode == 0
    assert now[: len(kept)] == kept
    assert Counter(run["row"] for run in now) == dict.fromkeys(range(30), 1)
    sums = Results.read(results).table["sum"].to_list()
    assert sums == [total + seed for seed in range(15) for total in (1.0, 7.0)]
