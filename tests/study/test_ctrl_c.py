"""Ctrl-C, or a request to terminate, ends a study cleanly, with all finished runs kept."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from kumi.study import Results
from kumi.study.results import read_runs
from tests.study.ending import STUDY, alive, begin, children
from tests.waiting import PATIENCE, wait_for


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_ends_a_study_cleanly_and_keeps_its_runs(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "killed.toml").write_text(STUDY)
    results = tmp_path / "killed.results"
    process = begin(tmp_path)
    wait_for(lambda: len(read_runs(results)) >= 3 or process.poll() is not None)
    workers = children(process.pid)

    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)

    kept = Results.read(results)
    assert process.returncode == code
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
