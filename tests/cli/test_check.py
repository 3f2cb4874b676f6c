"""`kumi check` says whether a protocol keeps its promise, and shows the smallest way in which it does not."""

from __future__ import annotations

import json
import multiprocessing
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kumi.checking.cases import shipped_cases
from kumi.cli.main import main
from kumi.recording import RunFile
from tests.waiting import PATIENCE

Check = Callable[..., tuple[int, str]]

SAMPLE = "tests.checking.sample:CASE"
FILE = f"{Path(__file__).parents[1] / 'checking' / 'sample.py'}:CASE"


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Run `kumi check` in this process, and return its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main(["check", *arguments])
        told = capsys.readouterr()
        assert told.err == ""
        return code, told.out

    return run


def test_a_sound_protocol_is_told_with_what_was_tried() -> None:
    """On all cores, as a person calls it."""
    options = ["--runs", "40", "--nodes", "3", "--faults", "crash,loss"]
    command = [sys.executable, "-m", "kumi", "check", FILE, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)

    assert done.stdout.startswith("sample with 3 nodes: all promises were kept in 40 runs.\n")
    assert re.search(r"distinct schedules +│ +\d+ │", done.stdout)
    assert re.search(r"faults: crash +│ +\d+ │", done.stdout)
    assert "partition" not in done.stdout
    assert done.stderr == ""


def test_json_is_one_object_with_the_numbers(check: Check) -> None:
    code, out = check(SAMPLE, "--runs", "20", "--jobs", "1", "--json")
    told = json.loads(out)

    assert code == 0
    assert {"protocol", "nodes", "runs", "violations", "faults_injected", "seconds"} <= set(told)
    assert (told["nodes"], told["runs"], told["violations"]) == (5, 20, 0)
    assert told["faults_by_kind"]["loss"] > 0
    assert told["faults_injected"] == sum(told["faults_by_kind"].values())
    assert told["distinct_schedules"] == 20


def test_a_violation_is_told_shrunk_and_written_to_a_run_file(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out = check(SAMPLE, "--mutant", "no-memory", "--runs", "50", "--jobs", "1")
    seed = re.search(r"no duplication is broken at seed (\d+), run (\d+)\.", out)

    assert code == 1
    assert seed is not None
    assert int(seed[2]) == int(seed[1]) + 1
    assert re.search(r"^  \d delivered Word\(.*\) at [\d.]+ s and at [\d.]+ s$", out, re.MULTILINE)
    assert re.search(r"^1 fault is enough, with \d nodes \(\d+ runs to find out\):$", out, re.MULTILINE)
    assert f"--seed {seed[1]} --runs 1 --mutant no-memory" in out
    path = tmp_path / f"sample-{seed[1]}.kumi"
    assert f"run file: {path.name}" in out
    assert main(["log", str(path)]) == 0
    assert "violation of no duplication" in capsys.readouterr().out.splitlines()[-1]


def test_the_seed_that_is_told_fails_again(check: Check, tmp_path: Path) -> None:
    path = str(tmp_path / "run.kumi")
    options = ("--mutant", "no-retransmission", "--json", "--jobs", "1", "-o", path)
    first = json.loads(check(SAMPLE, "--runs", "50", *options)[1])
    again = json.loads(check(SAMPLE, "--seed", str(first["seed"]), "--runs", "1", *options)[1])

    assert again["violations"] == first["violations"] == 1
    for key in ("seed", "rule", "story", "schedule", "smallest_nodes"):
        assert again[key] == first[key]
    assert RunFile(path).summary is not None


def test_beyond_the_bound_safety_alone_is_told(check: Check) -> None:
    code, out = check(SAMPLE, "--beyond", "--runs", "5", "--jobs", "1")

    assert code == 0
    assert out.startswith("sample with 5 nodes, one crash beyond what it can bear: safety held in 5 runs.\n")


def test_the_list_names_every_protocol_its_promise_faults_and_mutants(check: Check) -> None:
    told = json.loads(check("--list", "--json")[1])
    text = check("--list")[1]

    assert [row["protocol"] for row in told] == list(shipped_cases())
    for row in told:
        assert row["promise"]
        assert len(row["mutants"]) >= 2, row["protocol"]
        assert row["protocol"] in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["perfect-lnks"], "there is no protocol 'perfect-lnks' to check; did you mean 'perfect-links'"),
        (["xyz"], "there is no protocol 'xyz' to check; there are perfect-links, "),
        ([SAMPLE, "--mutant", "fast"], "no mutant 'fast'; there are no-retransmission, no-memory."),
        ([SAMPLE, "--faults", "fire"], "there is no fault 'fire'; there are loss, "),
        ([SAMPLE, "--faults", "amnesia"], "promises nothing under amnesia; it allows loss, "),
        ([SAMPLE, "--nodes", "1"], "--nodes takes a whole number of at least 2, not '1'."),
        ([SAMPLE, "--nodes", "many"], "--nodes takes a whole number of at least 2, not 'many'."),
        ([SAMPLE, "--runs", "0"], "--runs takes a whole number of at least 1, not '0'."),
        ([SAMPLE, "--seed", "-1"], "--seed takes a whole number of at least 0, not '-1'."),
        ([SAMPLE, "--jobs", "0"], "--jobs takes a whole number of at least 1, not '0'."),
        ([], "say which PROTOCOL to check"),
        (["nowhere:CASE"], "cannot be imported"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["check", *arguments])
    told = capsys.readouterr()

    assert code == 2
    assert words in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


@pytest.mark.slow
def test_ctrl_c_ends_the_search_and_all_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a person pressed it when the first runs are done, of a million."""

    def press(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kumi.checking.search.Coverage.merge", press)

    assert main(["check", SAMPLE, "--runs", "1000000", "--jobs", "2"]) == 130
    assert multiprocessing.active_children() == []
