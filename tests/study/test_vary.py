"""An experiment varied from Python: every combination, kept, gone on with, and the same everywhere."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kumi.study import Experiment, FolderError, Results, Stopped, StopRule, StudyError, vary
from kumi.study.design import Design
from kumi.study.executors import workers_on
from kumi.study.study import Study, StudySession
from kumi.study.subjects import subject_of
from tests.study.counting import Sum, Wandering


def sums(results: Results) -> list[tuple[Any, ...]]:
    return results.table.select("row", "a", "seed", "sum").rows()


def test_every_combination_is_run_with_every_seed() -> None:
    """The seeds go slowest, so that a study that is cut short has looked at everything alike."""
    results = vary(Sum(b=100), a=[10.0, 20.0], seeds=range(2), workers=2)

    assert sums(results) == [
        (0, 10.0, 0, 110.0),
        (1, 20.0, 0, 120.0),
        (2, 10.0, 1, 111.0),
        (3, 20.0, 1, 121.0),
    ]
    assert results.varied == ["a"]
    assert results.metrics == ["sum", "worker"]
    assert results.parameters["b"] == 100
    assert results.study["metrics"]["sum"] == {"unit": "m", "about": "the sum"}


def test_the_last_parameter_goes_fastest() -> None:
    results = vary(Sum(), a=[1.0, 2.0], b=[10, 20], workers=1)

    assert results.table["sum"].to_list() == [11.0, 21.0, 12.0, 22.0]


def test_a_parameter_of_a_parameter_varies_by_its_dotted_name() -> None:
    results = vary(Sum(b=1), {"rules.gain": [0.5, 2.0]}, workers=1)

    assert results.table.select("rules.gain", "sum").rows() == [(0.5, 0.5), (2.0, 2.0)]


def test_a_number_of_workers_makes_no_difference() -> None:
    one, three = (vary(Wandering(), robots=[2, 3], seeds=range(3), workers=count) for count in (1, 3))

    assert one.table.drop("wall_seconds").equals(three.table.drop("wall_seconds"))
    assert len(set(one.table["trace_hash"])) == 6


def test_a_folder_keeps_results_and_no_run_is_done_twice(tmp_path: Path) -> None:
    folder, log = tmp_path / "results", tmp_path / "log"
    experiment = Sum(log=str(log))
    first = vary(experiment, a=[1.0, 2.0], seeds=range(2), folder=folder)

    again = vary(experiment, a=[1.0, 2.0], seeds=range(2), folder=folder)
    more = vary(experiment, a=[1.0, 2.0], seeds=range(3), folder=folder)

    assert sums(first) == sums(again) == sums(more)[:4]
    assert len(log.read_text().splitlines()) == 6
    assert sums(Results.read(folder)) == sums(more)


def test_the_parquet_file_is_the_table(tmp_path: Path) -> None:
    import polars as pl

    results = vary(Sum(), a=[1.0, 2.0], folder=tmp_path / "results")

    assert pl.read_parquet(tmp_path / "results" / "results.parquet").equals(results.table)


def test_a_run_that_fails_is_kept_with_its_reason() -> None:
    table = vary(Sum(fails_on=1), seeds=range(3)).table

    assert table["outcome"].to_list() == ["finished", "RuntimeError: it was told to fail", "finished"]
    assert table["sum"].to_list() == [0.0, None, 2.0]


def test_a_run_whose_process_dies_is_done_again(tmp_path: Path) -> None:
    """Killed once: another process does it, and nothing else is lost."""
    results = vary(Sum(dies_on=2, dies_until=str(tmp_path / "flag")), seeds=range(6), workers=2)

    assert results.table["sum"].to_list() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_short_runs_that_share_a_task_with_a_deadly_one_are_not_lost(tmp_path: Path) -> None:
    """The one that kills is given up by itself; all others are done, and each is written down once."""
    folder = tmp_path / "results"
    table = vary(Sum(dies_on=150), seeds=range(300), workers=2, folder=folder).table

    assert table["row"].to_list() == list(range(300))
    assert [row for row, outcome in enumerate(table["outcome"]) if outcome != "finished"] == [150]
    assert len((folder / "runs.jsonl").read_text().splitlines()) == 300


def test_a_run_that_is_told_is_on_the_disk(tmp_path: Path) -> None:
    """Whoever hears of a run finds it in the file, and it was synchronised after it was written."""
    folder = tmp_path / "results"
    session = StudySession(Study("sums", subject_of(Sum()), Design({}, tuple(range(60)))), folder)
    told: list[int] = []
    writes = {"written": 0, "synced": 0}

    with session.open() as journal:  # type: ignore[union-attr]  # there is a folder
        write, sync = journal.write, journal.sync

        def count(run: dict[str, Any]) -> int:
            writes["written"] += 1
            return write(run)

        def settle() -> None:
            sync()
            writes["synced"] = writes["written"]

        journal.write, journal.sync = count, settle  # type: ignore[method-assign]
        with workers_on("local", 2) as workers:
            session.plan.begin(session.done)

            def hear(run: dict[str, Any]) -> None:
                told.append(run["row"])
                assert len(told) <= writes["synced"]

            session.run(journal, workers, hear)
    assert sorted(told) == list(range(60))


def test_a_run_that_kills_every_process_is_given_up() -> None:
    outcomes = vary(Sum(dies_on=1), seeds=range(3), workers=2).table["outcome"].to_list()

    assert outcomes[0] == outcomes[2] == "finished"
    assert outcomes[1] == "given up after 3 attempts: the process that did it was ended by SIGKILL"


def test_a_study_whose_first_runs_all_fail_ends_with_the_reason(tmp_path: Path) -> None:
    log = tmp_path / "log"

    with pytest.raises(Stopped, match="all of the first 8 runs failed; the first with: RuntimeError: told"):
        vary(Failing(log=str(log)), seeds=range(1000), workers=1)
    assert len(log.read_text().splitlines()) <= 10  # the first 8, and what was handed out by then


@dataclass(frozen=True, kw_only=True)
class Failing(Sum):
    """Fails always."""

    def run(self, seed: int) -> Any:
        super().run(seed)
        raise RuntimeError("told to fail")


def test_a_metric_without_data_ends_the_study_before_hours_are_spent() -> None:
    with pytest.raises(Stopped, match="metric 'sum' got no data in any of the first 8 runs; couple it to"):
        vary(Sum(missing=True), seeds=range(1000), workers=1)


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ({"bb": [1]}, "'bb' is no parameter of Sum; did you mean 'b'"),
        ({"zzz": [1]}, "'zzz' is no parameter of Sum; it has a, b, deadline"),
        ({"rules.gian": [1]}, "'rules.gian' is no parameter of Rules; did you mean 'rules.gain'"),
        ({"a.b": [1]}, "a has no parameters of its own, such as 'b'"),
        ({"b": [1.5]}, "b is 1.5; it takes int"),
        ({"a": ["x"]}, 'a is "x"; it takes float'),
        ({"a": [1.0, 1001.0]}, "a = 1001.0: a is at most 1000, not 1001.0"),
        ({"a": []}, "vary.a is an empty list"),
        ({"a": [1.0, 1.0]}, "vary.a has a value twice"),
    ],
)
def test_what_makes_no_sense_is_said_before_the_first_run(
    lists: dict[str, Any], said: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"

    with pytest.raises(StudyError, match=said):
        vary(Sum(log=str(log)), lists)
    assert not log.exists()


def test_what_is_no_experiment_is_refused() -> None:
    with pytest.raises(StudyError, match="a study varies an Experiment, not 3"):
        vary(3)  # type: ignore[arg-type]


def test_an_experiment_without_a_stage_says_so() -> None:
    with pytest.raises(Stopped, match=r"says neither stage\(stage\) nor run\(seed\)"):
        vary(Empty())


@dataclass(frozen=True, kw_only=True)
class Empty(Experiment):
    """Says nothing."""


def test_another_design_is_not_mixed_into_a_folder(tmp_path: Path) -> None:
    vary(Sum(), a=[1.0], folder=tmp_path)

    with pytest.raises(FolderError, match=r"of another study: vary was a \[1.0\], and is a \[2.0\] now"):
        vary(Sum(), a=[2.0], folder=tmp_path)
    with pytest.raises(FolderError, match=r"of another study: configuration was b 0, and is b 1 now"):
        vary(Sum(b=1), a=[1.0], folder=tmp_path)
    with pytest.raises(
        FolderError, match=r"other seeds: \[0\], and now \[5\]; only more may come after them"
    ):
        vary(Sum(), a=[1.0], seeds=[5], folder=tmp_path)


def test_results_of_another_version_are_not_mixed(tmp_path: Path) -> None:
    vary(Sum(), folder=tmp_path)
    record = tmp_path / "study.json"
    text = record.read_text()

    record.write_text(text.replace('"kumi": "', '"kumi": "9.'))
    with pytest.raises(FolderError, match=r"from another version: kumi was 9.* and is"):
        vary(Sum(), folder=tmp_path)
    record.write_text(text.replace('"format": 1', '"format": 7'))
    with pytest.raises(
        FolderError, match="was written in format 7 by another version of kumi; this one reads format 1"
    ):
        Results.read(tmp_path)


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"is no results folder: it has no study.json"):
        Results.read(tmp_path)


@pytest.mark.slow
def test_a_script_without_a_guard_varies_its_own_class(tmp_path: Path) -> None:
    """Also one that was typed in: its class is nowhere to be imported from."""
    script = """
from dataclasses import dataclass
from kumi.study import Experiment, Ran, vary

@dataclass(frozen=True, kw_only=True)
class Twice(Experiment):
    x: float = 0.0
    def run(self, seed):
        return Ran({"twice": 2 * self.x}, "")

print(vary(Twice(), x=[1.0, 2.5], workers=2).table["twice"].to_list())
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("[2.0, 5.0]\n", "")


def test_seeds_are_added_until_the_interval_is_narrow_enough() -> None:
    """Sums of a seed 0, 1, 2, … have a deviation that grows as their mean does: the interval narrows as 1/√n."""
    stop = StopRule(metric="sum", relative=0.3, at_least=4, at_most=500)
    one, three = (vary(Sum(), a=[0.0, 1000.0], stop=stop, workers=count) for count in (1, 3))

    counts = one.table.group_by("a", maintain_order=True).len().rows()
    assert dict(counts)[1000.0] == 4  # the mean is so large that four are enough
    assert 10 < dict(counts)[0.0] < 60
    assert sums(one) == sums(three)


def test_at_most_so_many_seeds_are_added() -> None:
    stop = StopRule(metric="sum", absolute=1e-9, at_least=2, at_most=7)

    assert len(vary(Sum(), stop=stop).table) == 7


def test_a_rule_over_an_unknown_metric_is_said_after_the_first_run() -> None:
    with pytest.raises(
        StudyError, match=r"stop\.metric is 'som', and there is no such metric; there are sum and worker"
    ):
        vary(Sum(), stop=StopRule(metric="som", relative=0.1))
