"""Runs of a study that are made again, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from kumi.study import Results
from kumi.study.executors import workers_on
from kumi.study.files import load_study
from kumi.study.study import StudySession, conduct
from kumi.view import replays
from kumi.view.replays import Replays
from tests.waiting import wait_for


def results_without_end(folder: Path) -> Results:
    """Return results whose runs took a second, and would take for ever now."""
    study = folder / "walk.toml"
    study.write_text('scenario = "random-movement"\nmetrics = ["events"]\nseeds = 2\n[set]\nuntil = 1.0\n')
    conduct(StudySession(load_study(str(study)), folder / "results"), lambda: workers_on("local", 1))
    design = folder / "results" / "study.json"
    design.write_text(design.read_text().replace('"until": 1.0', '"until": 1e12'))
    return Results.read(folder / "results")


def test_a_run_is_made_once_and_apart_from_ctrl_c_and_ends_with_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """A process for each row, as long as there is room; Ctrl-C at the terminal is for the server alone."""
    monkeypatch.setattr(replays, "MOST_AT_ONCE", 1)
    asked = Replays(results_without_end(tmp_path))
    request.addfinalizer(asked.close)
    before = set(multiprocessing.active_children())

    assert asked.state(0) == {"state": "unknown"}
    assert asked.begin(0)["state"] == "running"
    (process,) = set(multiprocessing.active_children()) - before
    assert process.pid is not None
    assert asked.begin(0)["state"] == "running"
    assert set(multiprocessing.active_children()) - before == {process}

    refused = asked.begin(1)
    assert (refused["state"], refused["sentence"]) == (
        "failed",
        "1 runs are on their way already; ask again when one of them is done.",
    )
    assert asked.state(1) == {"state": "unknown"}

    first = asked.state(0)["time"]
    wait_for(lambda: (asked.state(0)["time"] or 0.0) > (first or 0.0))
    assert os.getsid(process.pid) == process.pid
    assert asked.path(0).with_suffix(".part.kumi").exists()

    asked.close()
    wait_for(lambda: asked.state(0)["state"] == "failed")
    assert asked.state(0)["sentence"] == "The process of the run ended before the run did."
    assert not list(asked.path(0).parent.iterdir())
    with pytest.raises(KeyError):
        asked.begin(77)
