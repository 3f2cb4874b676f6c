"""A report says what the results say, needs nothing but them, and says plainly what is missing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from PIL import Image

from kumi.cli import main
from kumi.devs.extras import MissingExtra, need
from kumi.study.statistics.report import write_report
from kumi.study.statistics.report.stored import read_results
from kumi.study.statistics.report.words import values
from tests.statistics.folders import METRICS, row_of, rows_of, study_of, write_results

VOID = {"meta"}


class Page(HTMLParser):
    """Reads a page and notes what is wrong with its tags, its names, and what it fetches."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += [] if tag in VOID else [tag]
        for name, value in attrs:
            self.names += [value or ""] if name == "id" else []
            is_outside = name in {"src", "href", "xlink:href"} and not str(value).startswith("#")
            self.wrong += (
                [f"{tag} {name}={value}"] if is_outside or tag in {"script", "link", "iframe"} else []
            )

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag}")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a report on three sizes of a team, with four seeds each and a series."""
    rows = rows_of()
    for row in rows:
        row["series_error"] = [[0, 0.0], [1, row["error"]], [2, row["error"]]]
    folder = write_results(tmp_path_factory.mktemp("whole") / "team.results", rows)
    return write_report(folder).html.parent


def section(report: Path, title: str) -> str:
    """Return a part of the Markdown."""
    text = (report / "report.md").read_text()
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def test_it_tells_what_was_asked(report: Path) -> None:
    asked = section(report, "What was asked")

    assert "The experiment is `my_module:Team`." in asked
    assert "4 seeds for each of 3 combinations of `robots` = 10, 20, 40." in asked
    assert "12 runs are in the results: 12 finished." in asked
    assert "| error | cm | Mean error of the team. |" in asked
    assert "| spacing | 0.5 |" in asked


def test_it_gives_means_with_intervals_for_each_combination(report: Path) -> None:
    """5, 6, 7, 8: mean 6.5, error √(5/12), t of 3 degrees 3.182, so 2.05."""
    means = section(report, "Means")

    assert "| robots | runs | error, cm | broke_up, share of runs |" in means
    assert "| 10 | 4 | 6.5 ± 2.1 | 0.00 [0.00, 0.49] |" in means
    assert "| 20 | 4 | 11.5 ± 2.1 | 0.25 [0.05, 0.70] |" in means


@pytest.mark.slow
def test_of_many_combinations_two_hundred_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    many = list(range(1, 204))
    folder = write_results(tmp_path / "team.results", rows_of(many, 1), study_of({"robots": many}, 1))

    means = section(write_report(folder).html.parent, "Means")

    assert len(re.findall(r"^\| \d+ \| 1 \|", means, re.MULTILINE)) == 200
    assert "And 3 more combinations, which the results hold." in means


def test_it_compares_in_pairs_and_corrects_for_their_number(report: Path) -> None:
    """Each seed gains 5 from 10 to 20 robots. One claim of four changes: p = 0.391, twice that corrected."""
    compared = section(report, "Comparisons")

    assert "| robots | 10 → 20 | error, cm | 5 ± 0 | 4 | < 0.001 | 0.125 | 0.125 | yes |" in compared
    assert (
        "| robots | 10 → 40 | broke_up, share of runs | 0.25 ± 0.80 | 4 | 0.782 | 1.000 | 1.000 | not found |"
        in compared
    )


def test_it_fits_laws_of_growth(report: Path) -> None:
    """Half the robots and the mean of the seeds, 1.5: a line."""
    assert "| robots | error, cm | y = 1.5 + 0.5 · N (linear) |" in section(report, "Growth")


def test_it_tells_how_to_do_it_again(report: Path) -> None:
    made = section(report, "How it was made, and how to do it again")

    assert "`kumi study team.results --row 0`. It must give the trace hash `0000000000000000`." in made
    assert "| kumi | 0.1.0 |" in made
    assert "| machine | a machine |" in made
    assert "| time of all runs | 3.0 s |" in made


def test_pictures_lie_beside_the_text_and_can_be_opened(report: Path) -> None:
    linked = re.findall(r"\]\((pictures/[^)]+)\)", (report / "report.md").read_text())

    assert linked == [
        "pictures/error-against-robots.png",
        "pictures/broke_up-against-robots.png",
        "pictures/error-in-time-by-robots.png",
    ]
    for name in linked:
        with Image.open(report / name) as picture:
            assert min(picture.size) > 400
        assert (report / name).with_suffix(".svg").read_text().startswith("<svg")


def test_the_page_is_one_whole_file_that_fetches_nothing(report: Path) -> None:
    text = (report / "report.html").read_text()
    page = Page(text)

    assert page.wrong == []
    assert page.open == []
    assert len(page.names) == len(set(page.names))
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(page.names)
    assert text.count("<figure") == 3
    assert "6.5 ± 2.1" in text
    assert {address.split("/")[2] for address in re.findall(r"https?://[^\"\s)]+", text)} == {"www.w3.org"}


def test_the_same_results_give_the_same_report(report: Path, tmp_path: Path) -> None:
    write_report(report.parent, tmp_path)

    for name in ("report.html", "report.md", "pictures/error-against-robots.png"):
        assert (tmp_path / name).read_bytes() == (report / name).read_bytes()


def reported(folder: Path, rows: list[dict[str, Any]], study: dict[str, Any] | None = None) -> str:
    """Return the Markdown of a report on some runs."""
    return write_report(write_results(folder / "some.results", rows, study)).markdown.read_text()


def test_failed_runs_are_listed(tmp_path: Path) -> None:
    failed = {"row": 9, "robots": 40, "seed": 1, "outcome": "robot 3 left the field.", "trace_hash": None}
    rows = [row for row in rows_of() if row["row"] != 9]
    text = reported(tmp_path, [*rows, failed])

    assert "12 runs are in the results: 11 finished, 1 failed." in text
    assert "| 9 | 40 | 1 | robot 3 left the field. |" in text
    assert "| 40 | 3 |" in text


def test_if_all_failed_it_says_so_and_why(tmp_path: Path) -> None:
    rows = [{"row": seed, "robots": 10, "seed": seed, "outcome": "no room."} for seed in range(2)]
    text = reported(tmp_path, rows)

    assert "2 runs are in the results: 0 finished, 2 failed." in text
    assert "The study asks for 12; the others have not been run." in text
    assert "| 1 | 10 | 1 | no room. |" in text
    assert "## Means" not in text


def test_one_run_has_no_interval_and_says_so(tmp_path: Path) -> None:
    text = reported(tmp_path, rows_of([10], 1), study_of({}, 1))

    assert "1 seed of one combination; nothing was varied." in text
    assert "1 run is in the results: 1 finished." in text
    assert "5 (one value, no interval)" in text
    assert "## Comparisons" not in text


def test_missing_values_texts_and_metrics_without_data_are_told(tmp_path: Path) -> None:
    metrics = {**METRICS, "word": {}, "never": {"unit": "s"}, "absent": {}}
    rows = [{**row, "word": "far", "never": None} for row in rows_of()]
    rows[0]["error"], rows[1]["error"] = None, float("nan")
    text = reported(tmp_path, rows, study_of({"robots": [10, 20, 40]}, 4, metrics))

    assert "`error` is missing in 2 of 12 finished runs; means are over the others." in text
    assert "7.5 ± 6.4 (2 of 4)" in text
    assert "`word` is not a number, such as 'far'; it has no mean." in text
    assert "`never` has no value in any finished run." in text
    assert "`absent` has no value in any finished run." in text


def test_words_and_lists_can_be_varied_too(tmp_path: Path) -> None:
    """A list is shown as its text; signs that mean something in a page or a chart are only signs."""
    vary: dict[str, list[Any]] = {"rule.name": ["<b>", "a|b"], "noise": [[0.1, 0.2], [0.3, 0.4]]}
    rows = [
        row_of(number, **{"rule.name": rule, "noise": noise, "seed": seed, "error": 1.0 + seed + number})
        for number, (rule, noise, seed) in enumerate(
            (rule, noise, seed) for rule in vary["rule.name"] for noise in vary["noise"] for seed in (0, 1)
        )
    ]
    text = reported(tmp_path, rows, study_of(vary, 2))
    page = (tmp_path / "some.results" / "report" / "report.html").read_text()

    assert "| a\\|b | [0.3, 0.4] | 2 |" in text
    assert "(pictures/error-against-rule.name.png)" in text
    assert "<td>&lt;b&gt;</td>" in page
    assert Page(page).wrong == []


def test_a_study_that_was_killed_is_reported_as_far_as_it_came(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "cut.results", rows_of([10, 20]))
    with (folder / "runs.jsonl").open("a") as lines:
        lines.write('{"row": 8, "seed": 0, "parame')

    text = write_report(folder).markdown.read_text()

    assert (
        "8 runs are in the results: 8 finished. The study asks for 12; the others have not been run." in text
    )


def test_a_scenario_is_shown_whole_with_what_was_set(tmp_path: Path) -> None:
    configuration = {"scenario": "[robots]\ncount = 3\n", "file": "hall", "set": {"robots.count": 5}}
    study = study_of({}, 4, configuration=configuration, experiment="scenario:0123", machine={"cores": 2})
    text = reported(tmp_path, rows_of([10]), study)

    assert "The experiment is the scenario `hall`." in text
    assert "| machine | cores: 2 |" in text
    assert "| robots.count | 5 |" in text
    assert "```toml\n[robots]\ncount = 3\n```" in text


def test_a_rule_by_which_seeds_were_added_is_told_with_what_it_costs(tmp_path: Path) -> None:
    """The seeds that it did not need are not missing."""
    stop = {"metric": "error", "relative": 0.05, "absolute": 0.5, "level": 0.95, "at_most": 400}
    text = reported(tmp_path, rows_of([10]), study_of({}, 400, stop=stop))

    assert "the 95 % interval of `error` was at most 5 % of its mean or 0.5, or all seeds were used" in text
    assert "somewhat fewer than 95 % of such intervals" in text
    assert "have not been run" not in text


def test_a_metric_that_never_changes_is_named_and_left_out_of_comparisons(tmp_path: Path) -> None:
    """Else it would count among those for which p is corrected."""
    rows = [{**row, "end_time": 20.0} for row in rows_of()]
    text = reported(
        tmp_path, rows, study_of({"robots": [10, 20, 40]}, 4, {**METRICS, "end_time": {"unit": "s"}})
    )

    assert "`end_time` is 20 wherever it has a value; it is neither drawn nor compared." in text
    assert "| 10 | 4 | 6.5 ± 2.1 | 0.00 [0.00, 0.49] | 20 ± 0 |" in text
    assert "for all 4 rows" in text


def test_where_no_seed_has_all_combinations_nothing_is_averaged(tmp_path: Path) -> None:
    """Seed 0 finished with c = 2 alone, and seed 1 with c = 1: no mean over c is of like with like."""
    vary: dict[str, list[Any]] = {"a": [1, 2], "b": [1, 2], "c": [1, 2]}
    rows = [
        row_of(number, a=a, b=b, c=c, seed=seed, error=float(number)) | {"outcome": outcome}
        for number, (a, b, c, seed) in enumerate(product((1, 2), (1, 2), (1, 2), (0, 1)))
        for outcome in ["lost." if c == seed + 1 else "finished"]
    ]
    text = reported(tmp_path, rows, study_of(vary, 2))

    assert "| 1 | 1 | 1 | 1 | 1 (one value, no interval) |" in text
    assert "error-against-c.png" in text
    assert "error-against-a.png" not in text
    assert "No two values of a parameter share two seeds or more" in text


def test_series_that_make_no_sense_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [{**row, "series_e": [[0, 1.0], [1, 2.0], [2, 2.0]]} for row in rows_of([10])]
    rows[0]["series_e"], rows[1]["series_e"] = [[1, 0.0], [0, 0.0]], [[0, None], [1, float("nan")]]
    text = reported(tmp_path, rows, study_of({}, 4))

    assert (
        "`e` is left out of 2 runs, where its times go back or something in it is not a finite number."
        in text
    )
    assert "(pictures/e-in-time.png)" in text


@pytest.mark.slow
def test_no_sign_in_a_name_hurts(tmp_path: Path) -> None:
    """A parameter and metrics with names that also mean something to tables, charts or folders."""
    vary: dict[str, list[Any]] = {"mean": [1, 2], "group": ["a", None], "x/y": [True, False]}
    rows = [
        row_of(number, **dict(zip(vary, values, strict=True)), seed=seed, low=float(number), count=number % 3)
        for number, (*values, seed) in enumerate(product(*vary.values(), (0, 1)))
    ]
    text = reported(tmp_path, rows, study_of(vary, 2, {"low": {}, "count": {}}))

    assert "| 1 | a | true | 2 | 0.5 ± 6.4 | 0.5 ± 6.4 |" in text
    assert "(pictures/low-against-x~2Fy.png)" in text
    assert len(list((tmp_path / "some.results" / "report" / "pictures").glob("*.png"))) == 6


def test_the_table_serves_where_the_lines_are_gone(tmp_path: Path) -> None:
    """Series are lists of pairs in the lines, and of structs in the table; both read alike."""
    rows = [{**row, "series_e": [[0.0, 1.0], [1.0, 2.0]]} for row in rows_of()]
    folder = write_results(tmp_path / "team.results", rows)
    by_lines = read_results(folder)
    structs = [{**row, "series_e": [{"t": 0.0, "value": 1.0}, {"t": 1.0, "value": 2.0}]} for row in rows]
    pl.DataFrame(structs).write_parquet(folder / "results.parquet")
    (folder / "runs.jsonl").unlink()
    by_table = read_results(folder)

    assert by_table.table.select(by_lines.table.columns).equals(by_lines.table)
    assert by_table.series == by_lines.series == {"series_e": [[(0.0, 1.0), (1.0, 2.0)]] * 12}


def test_the_command_writes_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_results(tmp_path / "one.results", rows_of([10]), study_of({}, 4))
    code = main(["report", str(folder), "-o", str(tmp_path / "out"), "--level", "0.5"])

    assert code == 0
    assert capsys.readouterr().out == (
        f"report: {tmp_path / 'out' / 'report.html'}\nas text: {tmp_path / 'out' / 'report.md'}\n"
    )
    assert "50 % confidence interval" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"study.json": None}, "holds no results: a folder of results has a file study.json."),
        ({"study.json": '{"format": 2}'}, "study.json is of format 2; this kumi reads format 1."),
        ({"study.json": "{"}, "study.json is no JSON: "),
        ({"study.json": "[]"}, "study.json is of format None; this kumi reads format 1."),
        (
            {"study.json": '{"format": 1, "vary": [1]}'},
            "study.json: 'vary' must be a table of names, not [1].",
        ),
        ({"runs.jsonl": ""}, "holds no run yet; there is nothing to report."),
        ({"runs.jsonl": None}, "holds neither runs.jsonl nor results.parquet: no run was finished."),
        ({"runs.jsonl": '{"row": 0}\n{"row"\n'}, "runs.jsonl, line 2, is no JSON: "),
        ({"runs.jsonl": '{"seed": 3}\n'}, "runs.jsonl, line 1, is no run: it must be an object with a row."),
        ({"runs.jsonl": None, "results.parquet": "no"}, "results.parquet cannot be read as Parquet: "),
    ],
)
def test_what_is_no_folder_of_results_is_refused_in_a_sentence(
    files: dict[str, str | None], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_results(tmp_path / "bad.results", rows_of())
    for name, text in files.items():
        (folder / name).write_text(text or "")
        if text is None:
            (folder / name).unlink()
    code = main(["report", str(folder)])
    told = capsys.readouterr().err

    assert code == 2
    assert said in told
    assert told.startswith("Error: ")
    assert "Traceback" not in told
    assert not (folder / "report").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "'nowhere' is not a folder; give the folder of results that `kumi study` has made."),
        (["nowhere", "--level", "95"], "'95' is not a level between 0 and 1, such as 0.95."),
    ],
)
def test_wrong_use_is_said(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_missing_extra_is_named_with_the_command_that_brings_it() -> None:
    with pytest.raises(MissingExtra) as missing:
        need("study", "polars", "not_there")

    assert str(missing.value).startswith("not_there is not installed; `")


@pytest.mark.parametrize("count", [0, 1, 11, 12, 13, 100])
def test_at_most_twelve_values_are_written_with_the_first_and_the_last(count: int) -> None:
    said = values(range(count)).split(", ") if count else []

    if count <= 12:
        assert said == [str(one) for one in range(count)]
    else:
        assert said == [*map(str, range(10)), "…", str(count - 1)]
