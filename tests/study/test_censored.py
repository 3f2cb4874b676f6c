"""A time that did not come is kept as what it is, from the metric to the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from kumi.cli import main
from kumi.study import Experiment, ExperimentStage, FirstTime, MetricColumn, Ran, Results, StopRule, vary
from kumi.study.design import Design
from kumi.study.rerun import run_again
from kumi.study.run import Frame
from kumi.study.statistics import Censored, interval
from kumi.study.stopping import RowPlan
from kumi.study.summary import summary
from kumi.view.study import described_study
from tests.study.counting import Wandering


@dataclass(frozen=True, kw_only=True)
class Gathering(Experiment):
    """A team that is gathered after 10 s for each seed and robot, unless the deadline comes before."""

    parameter_units: ClassVar = {"robots": "robots", "deadline": "s"}

    robots: int = 1
    deadline: float = 35.0

    def run(self, seed: int) -> Ran:
        time = 10.0 * (seed + 1) * self.robots
        reached: float | Censored = time if time <= self.deadline else Censored(self.deadline)
        return Ran({"gathered": reached, "way": time}, f"{seed:x}", measures={"gathered": MetricColumn("s")})


@dataclass(frozen=True, kw_only=True)
class Told(Wandering):
    """One that makes its columns itself."""

    def analysis(self, metrics: Mapping[str, FirstTime]) -> dict[str, Any]:
        return {"first": metrics["first"].result, "twice": 2}


@pytest.mark.parametrize("kind", [Wandering, Told])
def test_a_first_time_that_never_came_is_censored_at_the_end_of_the_run(kind: type[Wandering]) -> None:
    """A robot alone touches nobody; what an experiment makes of None itself is censored as well."""
    ran = Frame(kind(robots=1, deadline=7.0), 0).run()

    assert ran.metrics["first"] == Censored(7.0)
    assert ran.measures["first"].is_event_time
    assert not ran.measures["first"].may_be_missing


def test_as_long_as_a_run_lasts_a_first_time_that_has_not_come_is_none() -> None:
    """So `over` may ask whether it has."""
    assert FirstTime("first", of=ExperimentStage().contacts).result is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four seeds of one and of two robots by 35 s: 10, 20, 30 and never; 20 and three times never."""
    vary(Gathering(), robots=[1, 2], seeds=range(4), folder=tmp_path / "team", workers=1)
    return tmp_path / "team"


def test_the_journal_and_the_table_have_when_a_run_ended(folder: Path) -> None:
    results = Results.read(folder)

    assert results.table["gathered"].to_list() == [10.0, 20.0, 20.0, None, 30.0, None, None, None]
    assert results.table["censored_gathered"].to_list() == [None, None, None, 35.0, None, 35.0, 35.0, 35.0]
    assert results.study["metrics"]["gathered"] == {"unit": "s", "about": "", "is_event_time": True}
    assert results.study["units"] == {"robots": "robots", "deadline": "s"}
    assert "censored" not in results.runs[0]
    lines = map(
        json.loads, (folder / "runs.jsonl").read_text().splitlines()
    )  # in the order in which runs ended
    assert {line["row"]: line.get("censored") for line in lines}[3] == {"gathered": 35.0}


def test_where_no_run_is_censored_the_column_is_there_and_empty() -> None:
    """So whoever reads the table need not ask."""
    table = vary(Wandering(robots=3, deadline=200.0), seeds=range(2), workers=1).table
    assert table["censored_first"].to_list() == [None, None]


def test_no_mean_is_that_of_the_runs_in_which_it_came(folder: Path) -> None:
    """One robot: 10, 20, 30 and 35 s at least, so 23.75 up to 35 s; the mean of those that came would be 20."""
    one, two = summary(Results.read(folder))

    assert (one.times["gathered"].happened, one.times["gathered"].count) == (3, 4)
    assert one.means["gathered"].mean == 23.75
    assert one.up_to["gathered"] == 35.0
    assert two.means["gathered"].mean == (20 + 3 * 35) / 4


def test_the_terminal_says_how_many_of_how_many(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The median of 10, 20, 30 and never lies between the two in the middle."""
    assert main(["study", str(folder)]) == 0
    shown = capsys.readouterr().out

    assert "3 of 4, median 25 [10, –]" in shown
    assert "1 of 4, median not reached" in shown
    assert "gathered: in how many runs it happened, and the median by Kaplan and Meier" in shown


def test_a_machine_reads_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", str(folder), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["table"][0]

    assert "gathered" not in first["metrics"]
    assert first["times"]["gathered"]["happened"] == 3
    assert first["times"]["gathered"]["count"] == 4
    assert first["times"]["gathered"]["median"] == {"time": 25.0, "low": 10.0, "high": None}
    assert first["times"]["gathered"]["restricted_mean"]["up_to"] == 35.0
    assert first["times"]["gathered"]["restricted_mean"]["mean"] == 23.75


def test_a_metric_that_is_missing_in_some_runs_says_of_how_many_its_mean_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    vary(Sometimes(), seeds=range(6), folder="some", workers=1)

    assert main(["study", "some"]) == 0
    assert "2.0 ± 5.0 (3 of 6)" in capsys.readouterr().out


@dataclass(frozen=True, kw_only=True)
class Sometimes(Experiment):
    """A metric that half of the runs do not have: 0, 2 and 4 for even seeds, so a standard error of 2 / √3."""

    def run(self, seed: int) -> Ran:
        return Ran({"found": float(seed) if seed % 2 == 0 else None}, f"{seed:x}")


def test_a_censored_run_comes_out_the_same_again(folder: Path) -> None:
    again = run_again(Results.read(folder), 3)

    assert again.is_same
    assert again.now["censored"] == {"gathered": 35.0}


def test_a_rule_that_adds_seeds_looks_at_the_restricted_mean() -> None:
    """10, 20 and 35 s at least: not narrow. Without a run in which it came, nothing is known yet."""
    rule = StopRule(metric="gathered", absolute=30.0, at_least=3, at_most=9)
    narrow = interval([10.0, 20.0, 35.0]).half_width

    assert narrow == pytest.approx(31.3, abs=0.1)
    assert planned(rule, [10.0, 20.0, None]) > 3
    assert planned(StopRule(metric="gathered", absolute=32.0, at_least=3, at_most=9), [10.0, 20.0, None]) == 3
    assert planned(rule, [None, None, None]) > 3


def planned(rule: StopRule, times: list[float | None]) -> int:
    """Return how many runs a rule asks for after some."""
    plan = RowPlan(Design({}, tuple(range(9))), rule)
    runs: list[dict[str, Any]] = [
        {
            "row": row,
            "outcome": "finished",
            "metrics": {"gathered": time},
            **({"censored": {"gathered": 35.0}} if time is None else {}),
        }
        for row, time in enumerate(times)
    ]
    plan.begin({run["row"]: run for run in runs})
    return plan.planned


def test_the_page_is_told_of_runs_that_ended_without_it(folder: Path) -> None:
    told = described_study(Results.read(folder))

    assert told["metrics"]["gathered"]["upTo"] == 35.0
    assert told["runs"][3]["censored"] == {"gathered": 35.0}
    assert told["points"][0]["means"]["gathered"]["came"] == "3 of 4, median 25 [10, –]"
    assert told["levels"] == {"robots": [1, 2]}


@pytest.mark.slow
def test_a_scenario_tells_since_when_nobody_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Robots that wander for ever never stand still for good."""
    monkeypatch.chdir(tmp_path)
    Path("walk.toml").write_text(
        'scenario = "gathering"\nmetrics = ["still_since"]\nseeds = 2\n[set]\nuntil = 5.0\nrobots.count = 3\n'
    )

    assert main(["study", "walk.toml", "--workers", "1"]) == 0
    table = Results.read("walk.results").table
    assert [
        (time is None) == (end == 5.0)
        for time, end in zip(table["still_since"], table["censored_still_since"], strict=True)
    ] == [True, True]
