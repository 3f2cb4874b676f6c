"""A report never takes the runs in which something happened for all, and its pictures go into a paper as they are."""

from __future__ import annotations

import json
import re
import zlib
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from PIL import Image

from kumi.cli import main
from kumi.study.statistics import Censored, StatisticsError, log_rank
from kumi.study.statistics.effects import effects
from kumi.study.statistics.report import write_report
from kumi.study.statistics.sensitivity import morris_design
from kumi.study.statistics.tables import restricted, summary
from tests.statistics.folders import row_of, study_of, write_results

METRICS = {
    "error": {"unit": "cm", "about": "Mean error."},
    "gathered": {"unit": "s", "about": "When all were together.", "is_event_time": True},
}
RULES = ["zeal", "auction", "never tried", "calm"]


def runs(*, seeds: int = 12) -> list[dict[str, Any]]:
    """Return runs of 60 s: by zeal all gather, by auction 9 of 12, calmly none; one rule was not run at all."""
    slow = {"zeal": 1.0, "auction": 6.0, "calm": 100.0}
    rows = []
    for number, (rule, seed) in enumerate(product(slow, range(seeds))):
        time = slow[rule] * (seed + 1.5)
        rows.append(
            row_of(number, rule=rule, seed=seed, error=2.0 + seed, gathered=time if time <= 60 else None)
        )
    return rows


def stored(folder: Path, rows: list[dict[str, Any]], vary: dict[str, list[Any]], **others: Any) -> Path:
    """Write a folder of results in which what did not come is censored at 60 s."""
    write_results(folder, rows, study_of(vary, 12, METRICS, **others))
    lines = [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]
    for line in lines:
        if line["metrics"].get("gathered") is None:
            line["censored"] = {"gathered": 60.0}
    (folder / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("times") / "team.results"
    return write_report(stored(folder, runs(), {"rule": RULES}, units={"rule": "kind"})).html.parent


def test_it_says_in_how_many_runs_it_happened(report: Path) -> None:
    """By auction at 9, 15 … 57 s: the sixth at 39 s and the seventh at 45 s, so the median is between them."""
    text = (report / "report.md").read_text()

    assert "| rule | happened | share | median | mean up to 60 |" in text
    assert "| zeal | 12 of 12 | 1.00 [0.76, 1.00] | 7 [" in text
    assert "| auction | 9 of 12 | 0.75 [0.47, 0.91] | 42 [" in text
    assert "| calm | 0 of 12 | 0.00 [0.00, 0.24] | not reached | 60.0 [45.5, 60.0] |" in text
    assert "`gathered` is missing" not in text


def test_the_mean_of_the_runs_in_which_it_happened_stands_nowhere(report: Path) -> None:
    """By auction it is 33 s for nine runs; up to 60 s it is (9 · 33 + 3 · 60) / 12 = 39.75 s for all."""
    text = (report / "report.md").read_text()

    assert re.search(r"\| auction \|.*\| 40 ± 12 \|", text)
    assert "| 33" not in text
    assert "| rule | runs | error, cm |" in text


def test_rules_are_compared_by_the_log_rank_test(report: Path) -> None:
    text = (report / "report.md").read_text()

    assert "gathered, s (mean up to 60\u00a0s) (log-rank)" in text
    assert "p is by the log-rank test" in text


def test_an_effect_on_times_has_the_p_of_the_log_rank_test() -> None:
    table = pl.DataFrame(runs()).with_columns(
        pl.when(pl.col("gathered").is_null()).then(60.0).alias("censored_gathered")
    )
    sides = {
        rule: [Censored(60.0) if time is None else time for time in part["gathered"].to_list()]
        for (rule,), part in table.group_by("rule", maintain_order=True)
    }
    found = effects(table, ["rule"], ["gathered"])

    assert [(one.base, one.value, one.up_to) for one in found] == [
        ("zeal", "auction", 60.0),
        ("zeal", "calm", 60.0),
    ]
    assert [one.paired.p for one in found] == [
        log_rank(sides["zeal"], sides[other]).p for other in ("auction", "calm")
    ]
    assert found[0].paired.difference.mean == pytest.approx(39.75 - 7.0)


def test_a_summary_counts_what_happened_and_names_the_horizon() -> None:
    table = pl.DataFrame(runs()).with_columns(
        pl.when(pl.col("gathered").is_null()).then(60.0).alias("censored_gathered")
    )
    rows = summary(table, ["rule"], ["gathered", "error"]).to_dicts()

    assert [(row["happened"], row["count"], row["up_to"], row["mean"]) for row in rows[::2]] == [
        (12, 12, 60.0, 7.0),
        (9, 12, 60.0, 39.75),
        (0, 12, 60.0, 60.0),
    ]
    assert (rows[1]["happened"], rows[1]["up_to"]) == (None, None)


def test_combinations_with_other_deadlines_are_compared_up_to_the_earliest() -> None:
    """One was watched for 20 s and the other for 40 s; what is over before that is known for ever."""
    rows = [
        {"deadline": 20.0, "time": 5.0, "censored_time": None},
        {"deadline": 20.0, "time": None, "censored_time": 20.0},
        {"deadline": 40.0, "time": 30.0, "censored_time": None},
        {"deadline": 40.0, "time": None, "censored_time": 40.0},
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)

    assert restricted(table, ["deadline"])["time"].to_list() == [5.0, 20.0, 20.0, 20.0]
    assert restricted(table.filter(pl.col("time") != 0), ["deadline"])["time"].to_list() == [5.0, 30.0]


def test_sensitivity_is_that_of_the_restricted_mean() -> None:
    """The time is 100 times the speed, and runs end at 60 s: from there on it changes no more."""
    design = morris_design({"speed": (0.0, 1.0), "colour": (0.0, 1.0)}, trajectories=4)
    rows = [
        {
            **row,
            "seed": 0,
            "time": time if time <= 60 else None,
            "censored_time": None if time <= 60 else 60.0,
        }
        for row in design.rows
        for time in [100.0 * row["speed"]]
    ]

    assert max(design.responses(pl.DataFrame(rows, infer_schema_length=None), "time")) == 60.0


def words_of(picture: Path) -> list[str]:
    """Return the texts of a picture, in their order."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture.read_text())


def test_axes_and_legends_have_every_level_asked_for_in_order(report: Path) -> None:
    """Also the rule that was never run; the order is that of the study and not of the alphabet."""
    axis = words_of(report / "pictures" / "gathered-against-rule.svg")
    legend = words_of(report / "pictures" / "gathered-curve-by-rule.svg")

    assert [word for word in axis if word in RULES] == RULES
    assert [word for word in legend if word in RULES] == RULES


@pytest.mark.parametrize("levels", [[1, 2, 5, 1000], [3.0, 1.0, 2.0]])
def test_an_axis_of_numbers_has_every_level_too(levels: list[float], tmp_path: Path) -> None:
    """A level without a run keeps its place: here the last."""
    rows = [
        row_of(number, robots=many, seed=seed, error=float(many + seed), gathered=1.0)
        for number, (many, seed) in enumerate(product(levels[:-1], range(3)))
    ]
    folder = stored(tmp_path / "some.results", rows, {"robots": levels}, units={"robots": "each"})
    words = words_of(write_report(folder).html.parent / "pictures" / "error-against-robots.svg")

    assert {f"{level:g}" for level in levels} <= set(words)
    assert "robots, each" in words
    assert "error, cm" in words


@pytest.mark.parametrize(("columns", "points"), [(1, 252.0), (2, 515.52)])
def test_pictures_are_as_wide_as_columns_of_a_paper(columns: int, points: float, tmp_path: Path) -> None:
    """3.5 in and 7.16 in of 72 points each, in all three kinds; letters of 8 points, embedded in the PDF."""
    folder = stored(tmp_path / "some.results", runs(seeds=3), {"rule": RULES})
    assert main(["report", str(folder), "--columns", str(columns)]) == 0
    pictures = sorted((folder / "report" / "pictures").iterdir())

    assert {path.suffix for path in pictures} == {".pdf", ".svg", ".png"}
    for path in pictures:
        if path.suffix == ".svg":
            text = path.read_text()
            size = re.search(r'<svg [^>]*width="([\d.]+)pt" height="[\d.]+pt" viewBox="0 0 ([\d.]+)', text)
            assert size is not None
            assert [float(size[1]), float(size[2])] == pytest.approx([points, points])
            assert set(re.findall(r'font-size="([^"]*)"', text)) == {"8px"}
            assert all(
                one.startswith("Liberation Sans") for one in re.findall(r'font-family="([^"]*)"', text)
            )
            assert "<image" not in text
        elif path.suffix == ".pdf":
            data = path.read_bytes()
            box = re.search(rb"/MediaBox \[0 0 ([\d.]+) [\d.]+\]", data)
            assert box is not None
            assert float(box[1]) == pytest.approx(points, abs=0.01)
            assert b"/FontFile" in data
            assert set(re.findall(rb"/BaseFont /[A-Z]{6}\+(\w+)", data)) == {b"LiberationSans"}
            assert b"/Subtype /Image" not in data
        else:
            with Image.open(path) as picture:
                assert picture.size[0] == pytest.approx(points / 72 * 300, abs=1.5)


@pytest.mark.slow
def test_nothing_reaches_beyond_the_edge_of_a_picture(report: Path, tmp_path: Path) -> None:
    """The outermost rows and columns of pixels are white, with long names and many levels, too."""
    names = ["an auction with reservations", "a token that goes round", "consensus"]
    vary: dict[str, list[Any]] = {
        "rule": names,
        "loss": [0.0, 0.05, 0.1, 0.3, 0.5],
        "robots": [1, 2, 5, 10, 20, 50, 100, 1000],
    }
    rows = [
        row_of(
            number,
            **dict(zip(vary, values, strict=True)),
            seed=seed,
            error=1.0 + seed,
            gathered=2.0 * seed + 1,
        )
        for number, (*values, seed) in enumerate(product(names, vary["loss"], [1, 10, 1000], range(2)))
    ]
    crowded = write_report(stored(tmp_path / "many.results", rows, vary)).html.parent
    for path in [*(report / "pictures").glob("*.png"), *(crowded / "pictures").glob("*.png")]:
        with Image.open(path) as picture:
            plain = picture.convert("L")
            width, height = plain.size
            for edge in (
                (0, 0, width, 3),
                (0, height - 3, width, height),
                (0, 0, 3, height),
                (width - 3, 0, width, height),
            ):
                assert plain.crop(edge).getextrema() == (255, 255), (path.name, edge)


def test_a_picture_of_three_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StatisticsError, match="a picture goes over 1 or 2 columns, not 3"):
        write_report(stored(tmp_path / "some.results", runs(seeds=3), {"rule": RULES}), columns=3)


def test_a_pdf_has_its_words_as_letters(report: Path) -> None:
    """Text operators in the page, and no drawing of pixels."""
    data = (report / "pictures" / "gathered-curve-by-rule.pdf").read_bytes()
    streams = [part.split(b"endstream")[0].strip(b"\r\n") for part in data.split(b"stream\n")[1::1]]
    pages = b"".join(opened(one) for one in streams)

    assert re.search(rb"\bBT\b", pages)
    assert re.search(rb"\bT[Jj]\b", pages)


def opened(stream: bytes) -> bytes:
    """Return a stream unpacked, or nothing where it is not packed."""
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return b""
