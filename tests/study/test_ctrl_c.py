"""Ctrl-C, or a request to terminate, ends a study cleanly, with all finished runs kept."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from kumi.experiment.study import Results
from kumi.experiment.study.journal import read_runs
from tests.study.ending import STUDY, alive, begin, children


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_a_study_cleanly_and_keeps_its_runs(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "killed.toml").write_text(STUDY)
    results = tmp_path / "killed.results"
    process = begin(tmp_path)
    while len(read_runs(results)) < 3:
        time.sleep(0.01)
    workers = children(process.pid)

    process.send_signal(number)
    out, err = process.communicate(timeout=30)

    kept = Results.read(results)
    assert process.returncode == 130
    assert (
        f"Ended with {len(kept.runs)} of 45 runs, which are kept in killed.results; the same command goes on."
        in err
    )
    assert "Traceback" not in err
    assert 3 <= len(kept.runs) < 45
    assert kept.table.height == len(kept.runs)
    assert (results / "results.parquet").exists()
    assert alive(workers) == []
    assert "a" in out
