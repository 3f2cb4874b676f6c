"""The study of the convoy: what it measures, its cases, and its pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.convoy import Setup, run_twin
from kumi.convoy.cases import CASES
from kumi.convoy.causes import Cause, metric_of
from kumi.convoy.study import ConvoyStudy, growth, in_windows
from kumi.study import StudyError, vary
from kumi.study.files import Changes, load_study
from tests.commands import kumi


@given(
    st.lists(st.tuples(st.floats(0.01, 5.0), st.floats(0.0, 50.0)), min_size=1, max_size=30),
    st.integers(1, 20),
)
def test_windows_keep_the_integral(changes: list[tuple[float, float]], count: int) -> None:
    """The mean of all windows is the mean over time, whatever their number."""
    time, history = 0.0, []
    for wait, value in changes:
        time += wait
        history.append((time, value))
    end = time + 1.0
    integral = sum(
        value * (after - at)
        for (at, value), (after, _) in zip(history, [*history[1:], (end, 0.0)], strict=True)
    )

    windows = in_windows(history, end, count)

    assert len(windows) == count
    assert sum(value for _, value in windows) / count == pytest.approx(integral / end)


def test_growth_is_what_a_line_rises() -> None:
    assert growth([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) == pytest.approx(4.0)
    assert growth([(0.0, 1.0), (1.0, 9.0), (2.0, 1.0)]) == pytest.approx(0.0)
    assert growth([(0.0, 1.0), (1.0, 3.0)]) is None


def test_a_run_measures_what_the_twin_tells_and_models_tell_the_same() -> None:
    study = ConvoyStudy(robots=5, steps=60)
    measured = run_twin(Setup(robots=5, steps=60), 0)

    ran, by_models = study.run(0), ConvoyStudy(robots=5, steps=60, twin=False).run(0)

    assert ran.metrics["error"] == measured.error
    assert ran.metrics["speed"] == pytest.approx(100.0 * measured.speed)
    assert len(ran.series["error"]) == 200
    for name, value in ran.metrics.items():
        assert value == by_models.metrics[name] or value == pytest.approx(by_models.metrics[name], rel=1e-6)
    assert not study.run(1).series, "E(t) is kept of the first seed"


def test_a_run_that_broke_up_counts_and_is_told_apart() -> None:
    study = ConvoyStudy(robots=10, dnf=0.5, anf=0.5, steps=400)

    metrics = study.run(1).metrics

    assert metrics["broke_up"] == 1.0
    assert metrics["broke_up_at"] is not None
    assert metrics["error_held"] is None
    assert metrics["growth"] is None


def test_each_break_up_counts_under_one_cause_and_says_who_where_and_when() -> None:
    rough = ConvoyStudy(robots=8, steps=300, dnf=0.4, anf=0.3, field_side=6.0)
    runs = [rough.run(seed).metrics for seed in range(6)]

    for metrics in runs:
        counted = [metrics[metric_of(cause)] for cause in Cause]
        assert sum(map(bool, counted)) == metrics["broke_up"]
        assert (metrics["why"] is None) is (not metrics["broke_up"])
        if metrics["broke_up"]:
            cause = next(cause for cause in Cause if metrics[metric_of(cause)])
            assert str(metrics["why"]).startswith(f"{cause}: robot ")
    assert any(metrics["broke_up"] for metrics in runs)


def test_each_case_changes_what_it_says() -> None:
    assert ConvoyStudy(case="robots 40").setup.robots == 40
    assert ConvoyStudy(case="desired 0.6").setup.rules.desired == 0.6
    assert ConvoyStudy(case="noise 0.2 0.1", steps=7).setup == Setup(dnf=0.2, anf=0.1, steps=7)
    for name in CASES:
        assert ConvoyStudy(case=name).setup.robots >= 10


def test_all_lengths_doubled_double_the_error() -> None:
    """The error is a length like the others; the angle for each centimetre is halved with it."""
    one, two = (
        ConvoyStudy(case=case, steps=120, robots=10).run(3).metrics
        for case in ("step 0.3", "lengths doubled")
    )

    assert isinstance(one["error"], float)
    assert two["error"] == pytest.approx(2.0 * one["error"], rel=0.1)


@pytest.mark.slow
def test_the_paper_has_it_right_that_noise_and_number_raise_the_error_and_time_does_not() -> None:
    """Weakly rising in noise, rising in N, and no growth in time, in runs that hold; on the same seeds."""

    def mean(case: str, metric: str) -> float:
        found = [ConvoyStudy(case=case, steps=300).run(seed).metrics[metric] for seed in range(6)]
        held = [one for one in found if isinstance(one, float)]
        assert len(held) >= 3
        return sum(held) / len(held)

    calm, middle, rough = (
        mean(case, "error_held") for case in ("noise 0.04 0.04", "noise 0.1 0.08", "noise 0.2 0.1")
    )
    few, many = mean("robots 10", "error_held"), mean("robots 40", "error_held")

    assert calm < middle < rough < 1.2 * calm
    assert few < many
    assert abs(mean("noise 0.1 0.08", "growth")) < 0.1 * middle


def test_the_shipped_study_has_cases_that_there_are() -> None:
    for study in (load_study("convoy"), load_study("convoy", Changes(quick=True))):
        assert {point["case"] for point in study.design.points} <= set(CASES)


@pytest.mark.slow
def test_the_map_over_both_noise_factors_is_drawn_and_reported(tmp_path: Path) -> None:
    """Few robots and steps, one message in a thousand lost: the map is of shares from 0 to 1."""
    out = tmp_path / "out"
    few = ("--set", "robots=5", "--set", "steps=60", "--set", "message_loss=0.001", "--seeds", "2")

    done = kumi("study", "convoy-noise", "--quick", *few, "--json", "--workers", "1", "-o", str(out))
    kumi("report", str(out))

    told = json.loads(done.stdout)
    assert len(told["table"]) == 16
    assert any(row["metrics"]["by_lost_message"]["mean"] > 0.0 for row in told["table"])
    assert "map-noise" in {Path(path).stem for path in told["pictures"]}
    report = (out / "report" / "report.md").read_text()
    assert "## Maps" in report
    assert "**by_lost_message, share of runs**" in report
    assert (out / "report" / "pictures" / "broke_up-over-dnf-and-anf.png").stat().st_size > 1000


def test_a_case_that_there_is_not_is_named() -> None:
    with pytest.raises(
        StudyError, match=r"'robot 40' is no case of the convoy's study; did you mean 'robots 40'\?"
    ):
        vary(ConvoyStudy(), seeds=range(1), case=["robot 40"])


@pytest.mark.slow
def test_the_command_prints_means_with_intervals_and_draws(tmp_path: Path) -> None:
    study = tmp_path / "few.toml"
    study.write_text(
        'name = "few"\nexperiment = "kumi.convoy.study:ConvoyStudy"\nseeds = 2\n'
        "[set]\nsteps = 60\n"
        '[vary]\ncase = ["noise 0.1 0.08", "noise 0.2 0.1", "robots 10", "robots 20"]\n'
    )

    done = kumi("study", str(study), "--json", "--workers", "1", "-o", str(tmp_path / "out"))

    told = json.loads(done.stdout)
    assert [row["parameters"]["case"] for row in told["table"]][:2] == ["noise 0.1 0.08", "noise 0.2 0.1"]
    error = told["table"][2]["metrics"]["error"]
    assert error["low"] < error["mean"] < error["high"]
    assert error["unit"] == "cm"
    drawn = {Path(path).stem for path in told["pictures"]}
    assert {"figure-08-snapshots", "figure-09-error", "figure-10-noise", "figure-11-robots"} <= drawn
    begins = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<svg"}
    assert {Path(path).suffix for path in told["pictures"]} == set(begins)
    assert all(Path(path).read_bytes().startswith(begins[Path(path).suffix]) for path in told["pictures"])
