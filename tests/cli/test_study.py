"""`kumi study`, as a person and as a script meet it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kumi.cli import main
from kumi.cli.study_progress import TimeLeft, duration
from kumi.cli.study_report import in_pages, words
from kumi.study import Results
from kumi.study.shipped_studies import shipped_studies
from kumi.study.statistics.intervals import proportion

SCENARIO = """
until = 20.0

[map]
width = 10.0
height = 10.0

[robots]
count = 3
program = "random-movement"
parameters = { width = 10.0, height = 10.0 }
"""
SUM = """
name = "sums"
experiment = "tests.study.counting:Sum"
seeds = 3

[set]
b = 100

[vary]
a = [1.0, 2.0]

[quick]
seeds = 1
set = { b = 7 }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def study(text: str, *options: str, name: str = "sums.toml") -> int:
    """Write a study and run it."""
    Path(name).write_text(text)
    return main(["study", name, "--workers", "1", *options])


def test_a_study_makes_a_folder_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Sums 101, 102, 103 and 102, 103, 104: means 102 and 103, and t of 2.48 for three values one apart."""
    assert study(SUM) == 0
    shown = capsys.readouterr()

    assert "sums: means with 95 % intervals" in shown.out
    assert re.search(r"│ +1 │ +3 │ +102\.0 ± 2\.5 │", shown.out)
    assert re.search(r"│ +2 │ +3 │ +103\.0 ± 2\.5 │", shown.out)
    assert "6 runs in sums.results" in shown.out
    assert "sums: 2 combinations in 6 runs; 1 worker; results in sums.results" in shown.err
    assert {path.name for path in Path("sums.results").iterdir()} == {
        "runs.jsonl",
        "results.parquet",
        "study.json",
    }


def test_columns_that_do_not_fit_go_on_in_another_table() -> None:
    """Columns take their words and 3 letters more: 1 + 4 + 5 + 5 is 15."""
    heads, rows = ["n", "aa", "bb", "a metric with a long name", "cc"], [["1", "2", "3", "4", "5"]]

    assert in_pages(heads, rows, 15, fixed=1) == [[0, 1, 2], [0, 3], [0, 4]]
    assert in_pages(heads, rows, 14, fixed=1) == [[0, 1], [0, 2], [0, 3], [0, 4]]
    assert in_pages(heads, rows, 100, fixed=1) == [[0, 1, 2, 3, 4]]


def test_a_share_is_told_with_its_bounds_and_a_mean_with_half_its_interval() -> None:
    """None of 10: Wilson's upper bound is 0.278. 5 of 10 is in the middle of its bounds."""
    assert words(proportion(0, 10)) == "0.00 [0.00, 0.28]"
    assert words(proportion(5, 10)) == "0.50 ± 0.26"


def test_json_is_one_object_with_means_and_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    assert study(SUM, "--json") == 0

    found = json.loads(capsys.readouterr().out)
    one = found["table"][0]

    assert found["is_complete"] is True
    assert found["runs"] == found["planned"] == 6
    assert one["parameters"] == {"a": 1.0}
    assert one["metrics"]["sum"]["mean"] == 102.0
    assert one["metrics"]["sum"]["high"] - 102.0 == pytest.approx(4.302652729 / 3**0.5)
    assert one["metrics"]["sum"]["unit"] == "m"


def test_the_same_command_does_nothing_again(capsys: pytest.CaptureFixture[str]) -> None:
    study(SUM)
    before = Path("sums.results/runs.jsonl").read_bytes()
    capsys.readouterr()

    assert study(SUM) == 0
    assert Path("sums.results/runs.jsonl").read_bytes() == before
    assert capsys.readouterr().err == ""


def test_a_folder_of_results_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    study(SUM)
    runs = Path("sums.results/runs.jsonl")
    runs.write_bytes(b"".join(runs.read_bytes().splitlines(keepends=True)[:2]))

    assert main(["study", "sums.results", "--workers", "1"]) == 0
    assert "6 runs, 2 of them done before" in capsys.readouterr().err
    assert len(Results.read("sums.results").runs) == 6


def test_a_row_is_run_again_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    Path("robots.toml").write_text(SCENARIO)
    study('scenario = "robots.toml"\nseeds = 2\n', name="wandering.toml")
    capsys.readouterr()

    assert main(["study", "wandering.results", "--row", "1"]) == 0
    assert "The same again." in capsys.readouterr().out


def test_a_row_that_comes_out_otherwise_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    study(SUM)
    runs = Path("sums.results/runs.jsonl")
    runs.write_text(runs.read_text().replace('"sum":101.0', '"sum":55.0'))
    capsys.readouterr()

    assert main(["study", "sums.results", "--row", "0"]) == 1
    shown = capsys.readouterr()

    assert "sum = 55.0, and 101.0 now" in shown.out
    assert "Not the same, and by the same versions." in shown.err


def test_a_row_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    study(SUM)
    capsys.readouterr()

    assert main(["study", "sums.results", "--row", "6"]) == 2
    assert capsys.readouterr().err == "Error: sums.results has no row 6; it has 6, from 0 to 5.\n"


def test_a_quick_look_takes_other_values_and_another_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert study(SUM, "--quick") == 0

    assert Results.read("sums-quick.results").table["sum"].to_list() == [8.0, 9.0]
    assert "2 runs in sums-quick.results" in capsys.readouterr().out


def test_values_are_set_on_the_command_line_and_then_do_not_vary() -> None:
    assert study(SUM, "--set", "a=5", "--set", "b=0", "--seeds", "2", "-o", "five") == 0

    results = Results.read("five")
    assert results.varied == []
    assert results.table["sum"].to_list() == [5.0, 6.0]


def test_a_fresh_start_forgets_what_was_there(capsys: pytest.CaptureFixture[str]) -> None:
    study(SUM)
    changed = SUM.replace("b = 100", "b = 200")

    assert study(changed) == 2
    assert "configuration was b 100, and is b 200 now" in capsys.readouterr().err
    assert study(changed, "--fresh") == 0
    assert Results.read("sums.results").table["sum"].to_list()[0] == 201.0


def test_failed_runs_are_kept_and_done_again_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    text = SUM.replace("b = 100", "fails_on = 1")

    assert study(text) == 0
    shown = capsys.readouterr()
    assert "row 2 failed: RuntimeError: it was told to fail" in shown.err
    assert "2 (+1 failed)" in shown.out
    assert study(text) == 0
    assert "failed" not in capsys.readouterr().err
    assert study(text, "--again") == 0
    assert re.search("row [23] failed", capsys.readouterr().err)  # the first that is known to have failed


def test_any_field_of_a_scenario_varies_by_its_dotted_name() -> None:
    Path("robots.toml").write_text(SCENARIO)
    text = 'scenario = "robots.toml"\nmetrics = ["way", "end_time"]\n[vary]\nrobots.count = [1, 4]\nuntil = [5.0, 10.0]\n'

    assert study(text, name="counts.toml") == 0
    table = Results.read("counts.results").table

    assert table["end_time"].to_list() == [5.0, 10.0, 5.0, 10.0]
    assert table["way"][3] > table["way"][2] > 0.0
    assert table["robots.count"].to_list() == [1, 1, 4, 4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a study names an experiment or a scenario, one of them"),
        ("nme = 'x'", "sums.toml, line 1: nme is unknown; did you mean 'name'?"),
        ("experiment = 'x'", "experiment is 'x', and no such experiment ships; it takes one of your own as"),
        ("experiment = 'nowhere:X'", "'nowhere' cannot be imported: ModuleNotFoundError"),
        ("experiment = 'json:loads'", "json:loads is no experiment; it takes a subclass of Experiment"),
        (
            "experiment = 'tests.study.counting:Som'",
            "has no 'Som'; there are Ishigami, Needy, Sum and Wandering",
        ),
        (SUM.replace("a = [", "aa = ["), "'aa' is no parameter of Sum; did you mean 'a'"),
        (SUM.replace("a = [1.0, 2.0]", "a = 1.0"), "vary.a is 1.0; it takes a list of values"),
        (SUM.replace("b = 100", "b = 'x'"), 'set: b is "x"; it takes int'),
        (SUM.replace("seeds = 3", "seeds = 0"), "seeds is 0; it takes a number of seeds from 1 on"),
        (SUM.replace("seeds = 3", "seeds = 'many'"), 'seeds is "many"; it takes a number'),
        (SUM + "[stop]\nmetric = 'sum'\n", "stop: a precision needs `relative`"),
        (SUM + "[stop]\nmetrc = 'sum'\n", "stop.metrc is unknown; did you mean 'metric'?"),
        (SUM + "[stop]\nrelative = 0.1\n", "metric"),
        ("scenario = 'gatherin'", "there is no scenario 'gatherin'; did you mean 'gathering'?"),
        (
            "scenario = 'gathering'\nmetrics = ['collisions']",
            "'collisions' is no metric of a scenario; there are end_time",
        ),
        ("scenario = 'gathering'\nmetrics = ['contcts']", "did you mean 'contacts'?"),
        (
            "scenario = 'gathering'\n[vary]\nrobots.cuont = [1]",
            "robots.cuont is unknown; did you mean robots.count?",
        ),
        ("scenario = 'gathering'\n[vary]\nrobots.count = ['x']", 'robots.count is "x"; it takes'),
        (
            "scenario = 'gathering'\n[vary]\nseed = [1]",
            "the seed of a scenario comes from `seeds` of the study",
        ),
        ("scenario = 'gathering'\n[set]\npace = 1.0", "follows the wall clock, so its runs differ"),
        ("scenario = 'random-movement-in-the-loop'", "follows the wall clock, so its runs differ"),
    ],
)
def test_a_study_that_makes_no_sense_is_said_before_anything_runs(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert study(text) == 2
    shown = capsys.readouterr().err

    assert said in shown
    assert shown.startswith("Error: ")
    assert shown.count("\n") == 1
    assert not Path("sums.results").exists()


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("gatherin", "there is no study 'gatherin'; did you mean 'gathering'?"),
        ("no.toml", "no.toml: there is no such file"),
        (".", "is a folder without results: it has no study.json"),
    ],
)
def test_a_study_that_is_not_there_is_said(what: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", what]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("taken").touch()

    assert study(SUM, "-o", "taken") == 2
    assert "taken" in capsys.readouterr().err


@pytest.mark.slow
def test_a_disk_that_fills_up_is_said_and_what_was_done_is_kept() -> None:
    """A file may have 4,000 bytes: study.json fits, and of 200 runs about twenty do."""
    Path("sums.toml").write_text(SUM.replace("seeds = 3", "seeds = 100"))
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)); "
        "from kumi.cli import main; sys.exit(main(['study', 'sums.toml', '--workers', '1']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
    )

    assert done.returncode == 1
    assert (
        "a run cannot be kept in sums.results/runs.jsonl: file too large; those before it are kept"
        in done.stderr
    )
    assert "Traceback" not in done.stderr
    assert 3 < len(Results.read("sums.results").runs) < 100


@pytest.mark.slow
def test_on_a_terminal_a_bar_shows_how_far_it_is_and_how_long_it_takes() -> None:
    Path("sums.toml").write_text(SUM.replace("seeds = 3", "seeds = 20").replace("b = 100", "seconds = 0.05"))
    leader, follower = pty.openpty()
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "TERM": "xterm",
        "COLUMNS": "120",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "kumi", "study", "sums.toml", "--workers", "2"],
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env=environment,
    )
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 65536):
            shown += part
    except OSError:  # the other end is gone
        pass
    os.close(leader)
    assert process.wait() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())

    assert "sums: 2 combinations in 40 runs; 2 workers; results in sums.results" in text
    assert re.search(r"sums \[=*>? *\].* of 40 runs, about \d+ s left", text)


def test_every_study_that_ships_is_sound() -> None:
    from kumi.study.files import Changes, load_study

    for name in shipped_studies():
        load_study(name).check()
        load_study(name, Changes(quick=True)).check()


NEEDY = 'experiment = "tests.study.counting:Needy"\n'


def test_a_parameter_without_a_default_is_given_or_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert study(NEEDY) == 2
    assert "'size' of Needy has no default; give it a value in [set]" in capsys.readouterr().err
    assert study(NEEDY + "[set]\nsize = [3, 4]\n") == 0

    assert Results.read("sums.results").table["area"].to_list() == [12]


def test_a_row_whose_metric_is_no_number_is_the_same_again() -> None:
    study(NEEDY + "[set]\nsize = [3, 4]\n")

    assert main(["study", "sums.results", "--row", "0"]) == 0


def test_what_is_no_number_and_no_text_is_no_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert study(NEEDY + "[set]\nsize = [3, 4]\nrubbish = true\n") == 1
    assert "metric 'area' is a number, a text, Censored or None, not [1, 2]" in capsys.readouterr().err


def test_a_disk_too_small_for_the_rest_is_said_after_the_first_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run takes more than 100 bytes, so 199 more take more than 1,000."""
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))

    assert study(SUM, "--seeds", "100") == 1
    assert "has 1 kB left, and 199 more runs take about" in capsys.readouterr().err
    assert len(Results.read("sums.results").runs) == 1


def test_fewer_seeds_than_before_are_complete_only_if_theirs_are_done() -> None:
    """Of 6 runs the last 3 are there; with one seed, the 2 of the first seed are due."""
    study(SUM)
    runs = Path("sums.results/runs.jsonl")
    runs.write_bytes(b"".join(runs.read_bytes().splitlines(keepends=True)[3:]))

    assert study(SUM, "--seeds", "1") == 0
    assert sorted(run["row"] for run in Results.read("sums.results").runs) == [0, 1, 3, 4, 5]


def test_the_time_left_is_told_by_combinations() -> None:
    """Runs of the first take 1 s and of the second 10 s; of a third none is known, so the mean of all: 4 s."""
    estimate = TimeLeft(3)
    for row, seconds in ((0, 1.0), (3, 1.0), (1, 10.0)):
        estimate.take({"row": row, "wall_seconds": seconds})

    assert estimate.left([5, 2, 1]) == 5 * 1.0 + 2 * 10.0 + 1 * 4.0
    assert [duration(seconds) for seconds in (0.2, 59.4, 61.0, 3725.0)] == ["1 s", "59 s", "01:01", "1:02:05"]


def records(folder: str) -> Any:
    return json.loads(Path(folder, "study.json").read_text())


def test_the_record_says_all_that_runs_have_in_common() -> None:
    study(SUM)
    record = records("sums.results")

    assert record["experiment"] == "tests.study.counting:Sum"
    assert record["configuration"]["b"] == 100
    assert record["configuration"]["rules.gain"] == 1.0
    assert record["vary"] == {"a": [1.0, 2.0]}
    assert record["seeds"] == [0, 1, 2]
    assert {"kumi", "kumi_code", "python", "numpy", "polars"} <= set(record["versions"])
    assert record["machine"]["cores"] == os.cpu_count()
