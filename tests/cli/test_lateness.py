"""`kumi run` tells how late a run was that follows the wall clock, for people and for machines."""

from __future__ import annotations

import json

import pytest

from kumi.cli import main
from kumi.cli.lateness import lateness_text
from kumi.devs import Lateness
from kumi.devs.deadline_causes import Miss

QUICK = ["run", "random-movement", "--until", "0.4", "--set", "robots.count=5"]


def test_a_paced_run_has_a_histogram_of_all_its_instants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*QUICK, "--pace", "1", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)["lateness"]
    assert sum(one["instants"] for one in found["histogram"]) == found["instants"] > 0
    assert found["missed"] >= len(found["misses"])
    assert found["p50"] <= found["p99"] <= found["max"]


def test_a_run_as_fast_as_possible_is_not_late(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*QUICK, "--json"]) == 0

    assert "lateness" not in json.loads(capsys.readouterr().out)


def test_missed_deadlines_are_told_with_their_cause() -> None:
    lateness = Lateness()
    for late in (0.00005, 0.0005, 0.2):
        lateness.add(late)
    lateness.misses.add(Miss(1.5, 0.2, "the system woke the run 0.200 s late"))

    assert lateness_text(lateness).splitlines() == [
        "p50 0.501 ms, p99 200 ms, at most 200 ms",
        "  up to 0.1 ms ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 1",
        "    up to 1 ms ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 1",
        "     up to 1 s ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 1",
        "1 deadlines missed, of which the last:",
        "  t = 1.500 s came 0.200 s late: the system woke the run 0.200 s late",
    ]
