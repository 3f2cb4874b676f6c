"""`kumi bench devstone` tells a person or a machine what was counted, and fails when it is wrong."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest
from click.testing import CliRunner

from kumi.cli.bench import bench
from kumi.testing import devstone as stones
from kumi.testing.devstone import DevstoneMeasurement, WiringKind, closed_form
from tests.commands import kumi

KEYS = [
    "kind",
    "width",
    "depth",
    "atomics",
    "couplings",
    "internal",
    "external",
    "events",
    "build_seconds",
    "run_seconds",
]


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would, and return what it said."""
    return kumi("bench", *arguments)


def test_json_is_one_object_with_ten_keys() -> None:
    said = call("devstone", "--kind", "HO", "--width", "50", "--depth", "50", "--json")
    result = json.loads(said.stdout)
    right = closed_form(WiringKind.HO, 50, 50)

    assert (said.returncode, said.stderr) == (0, "")
    assert list(result) == KEYS
    assert (result["kind"], result["width"], result["depth"]) == ("HO", 50, 50)
    assert (result["atomics"], result["couplings"]) == (right.atomics, right.couplings)
    assert (result["internal"], result["external"], result["events"]) == (60_026, 60_026, 60_026)
    assert result["build_seconds"] > 0.0
    assert result["run_seconds"] > 0.0


def test_several_seeds_and_a_kind_in_small_letters() -> None:
    said = call("devstone", "--kind", "homod", "--width", "5", "--depth", "6", "--seeds", "2", "--json")
    result = json.loads(said.stdout)

    assert (result["kind"], result["internal"], result["external"]) == ("HOmod", 1_422, 1_422)


def test_a_person_reads_a_table_and_that_all_is_right() -> None:
    said = call("devstone", "--kind", "HI", "--width", "7", "--depth", "7")

    assert (said.returncode, said.stderr) == (0, "")
    for words in ("DEVStone HI (7, 7), 1 seed", "127", "90", "million transitions per second"):
        assert words in said.stdout
    assert "All counts equal the closed forms." in said.stdout


def test_it_runs_without_options() -> None:
    assert call("devstone").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--width", "0"), "'--width': '0' is not a whole number of at least 1"),
        (("--depth", "-3"), "'--depth': '-3' is not a whole number of at least 1"),
        (("--seeds", "0"), "'--seeds': '0' is not a whole number of at least 1"),
        (("--kind", "HA"), "'--kind': the kind of a DEVStone model is one of LI, HI, HO, HOmod, not HA."),
        (("--width", "wide"), "'--width': 'wide' is not a whole number of at least 1"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], words: str) -> None:
    said = call("devstone", *arguments)

    assert said.returncode == 2
    assert words in said.stderr
    assert "Traceback" not in said.stderr


def test_help_teaches() -> None:
    said = call("devstone", "--help")

    assert said.returncode == 0
    assert "compare its counts with the closed forms" in said.stdout
    assert "kumi bench devstone --kind HI --width 300 --depth 300" in said.stdout


def test_a_wrong_count_fails_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is still shown, so that one can see what was counted."""
    honest = stones.measure

    def lying(kind: WiringKind, width: int, depth: int, seeds: int) -> DevstoneMeasurement:
        measurement = honest(kind, width, depth, seeds)
        return replace(measurement, counts=replace(measurement.counts, events=4))

    monkeypatch.setattr("kumi.cli.bench.measure", lying)
    said = CliRunner().invoke(bench, ["devstone", "--kind", "LI", "--width", "3", "--depth", "3"])

    assert said.exit_code == 1
    assert "events: counted 4, but the closed form gives 5." in said.output
    assert "All counts equal" not in said.output
