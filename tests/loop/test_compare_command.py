"""`kumi compare`: a scenario in simulated time or in real time, a report, one sentence for what is wrong, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumi.cli import main
from kumi.cli.compare import planted_words
from kumi.loop.comparing.planting import Planted
from tests.loop.compared import RANDOM

SHORT = ("--until", "30", "--runs", "1", "--workers", "1")


def test_the_command_tells_what_is_wrong_and_writes_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", RANDOM, *SHORT, "--motor", "0.9", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    report = (tmp_path / "report.md").read_text(encoding="utf-8")

    assert "The model is wrong: robot 1, motor: time for its way +11.1" in said
    assert f"report: {tmp_path / 'report.md'}" in said
    assert report.startswith("# Model and real robots, compared\n\nFive robots go to random places")
    assert "Planted in all emulated robots: motor 0.9." in report


def test_json_has_each_finding_with_its_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", RANDOM, *SHORT, "--clock", "1.01", "-o", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rates = [one for one in found["findings"] if (one["device"], one["what"]) == ("clock", "rate")]

    assert [one["verdict"] for one in rates] == ["wrong", "wrong"]
    assert all(one["low"] <= 1.0 <= one["high"] or abs(one["difference"] - 1.0) < 0.01 for one in rates)
    assert found["lateness"]["missed"] == 0
    assert found["runs"] == [{"seed": 0, "seconds": pytest.approx(30.0, abs=0.1), "end": "30 s are over"}]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--motor", "0"], "'0' is not a number greater than 0."),
        (["--sensor", "nose:dead"], "'nose:dead' names no sensor of a packet robot; it has front"),
        (["--sensor", "front:wide=1"], "'front:wide=1' is not a fault such as front:bias=0.05"),
        (["--clock-offset", "nan"], "--clock-offset is a number of seconds, not nan."),
        (["--latency", "-1"], "'-1' is not a number of at least 0."),
        (["--only", "nobody", "--motor", "0.9"], "there is no real robot 'nobody' to plant an error in"),
        (["--set", "robots.cuont=3"], "robots.cuont is unknown"),
    ],
)
def test_bad_options_are_said_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["compare", RANDOM, "-o", str(tmp_path), *options]) == 2
    assert said in capsys.readouterr().err


def test_a_comparison_that_tells_nothing_has_an_exit_code_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--until", "0.2", "--runs", "1", "-o", str(tmp_path)]

    assert main(["compare", RANDOM, *arguments]) == 3
    assert "nothing is judged: no real robot drove; let the runs go on for longer" in capsys.readouterr().err


@pytest.mark.slow
def test_robots_that_are_processes_are_compared_in_real_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tolerance of ten seconds: whatever else the machine does, no deadline is missed."""
    arguments = ["--paced", "--pace", "2", "--until", "24", "--runs", "1", "--set", "tolerance=10.0"]

    assert main(["compare", RANDOM, "--motor", "0.8", *arguments, "-o", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["lateness"]["instants"] > 100
    motors = [one for one in found["findings"] if one["device"] == "motor"]
    assert motors
    assert all(one["verdict"] == "wrong" and 15.0 < one["difference"] < 35.0 for one in motors)


@pytest.mark.slow
def test_missed_deadlines_are_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No machine wakes within a nanosecond of what it was asked for."""
    arguments = ["--paced", "--pace", "2", "--until", "8", "--runs", "1", "--set", "tolerance=1e-9"]

    assert main(["compare", RANDOM, *arguments, "-o", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert "nothing is judged: in 100 % of all drives the computer missed a deadline" in said
    assert "without --paced where all robots are emulated" in said


def test_every_error_that_was_planted_is_said() -> None:
    planted = Planted(0.9, ("front offset 0.1",), 1.01, 0.5, 0.2, "robot 1")

    assert planted_words(Planted(robot="robot 1")) == "No error was planted."
    assert planted_words(planted) == (
        "Planted in robot 1: sensor front offset 0.1, motor 0.9, clock 1.01, clock offset 0.5 s, latency 0.2 s."
    )
