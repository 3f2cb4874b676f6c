"""Studies by a real SLURM, of one node on this machine, where its programs are installed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kumi.study import Results
from tests.study.slurm import missing, said, slurm
from tests.waiting import PATIENCE, wait_for

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"SLURM is not installed here: there is no {missing()}"),
]
STUDY = """
experiment = "tests.study.counting:Sum"
seeds = 6
[set]
seconds = 1.0
log = "{log}"
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    with slurm(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


def begin(folder: Path, cluster: Mapping[str, str], *, on: str = "dask=slurm") -> subprocess.Popen[str]:
    """Start a study; what is done is in the file `done`."""
    (folder / "sums.toml").write_text(STUDY.format(log=folder / "done"), encoding="utf-8")
    command = [sys.executable, "-m", "kumi", "study", "sums.toml", "--on", on, "--workers", "2"]
    return subprocess.Popen(
        [*command, "-o", f"{on.partition('=')[0]}.results"],
        cwd=folder,
        env={**cluster, "PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_until_done(folder: Path, process: subprocess.Popen[str], runs: int) -> None:
    done = folder / "done"
    wait_for(
        lambda: (
            process.poll() is not None
            or (done.exists() and len(done.read_text("utf-8").splitlines()) >= runs)
        )
    )


def jobs(cluster: Mapping[str, str]) -> list[str]:
    return said(cluster, "squeue", "--noheader", "--format=%i").split()


def test_jobs_that_are_cancelled_cost_their_runs_only(tmp_path: Path, cluster: Mapping[str, str]) -> None:
    """After the second run both jobs are cancelled; others follow, and the results are those of this machine."""
    process = begin(tmp_path, cluster)
    wait_until_done(tmp_path, process, 2)
    cancelled = jobs(cluster)
    subprocess.run(["scancel", *cancelled], env=dict(cluster), check=True)
    out, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0, err
    assert len(cancelled) == 2
    assert "2.5 ±" in out
    here = begin(tmp_path, cluster, on="local")
    here.communicate(timeout=PATIENCE)
    rows = [
        [(run["seed"], run["trace_hash"]) for run in Results.read(tmp_path / f"{where}.results").runs]
        for where in ("dask", "local")
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 6
    assert jobs(cluster) == []


def test_a_job_that_slurm_does_not_take_is_said_at_once(tmp_path: Path, cluster: Mapping[str, str]) -> None:
    (tmp_path / "dask.yaml").write_text("jobqueue: {slurm: {memory: 9000 GB}}", encoding="utf-8")
    process = begin(tmp_path, {**cluster, "DASK_CONFIG": str(tmp_path)})
    _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 2
    assert "SLURM takes no such job: " in err
    assert "Traceback" not in err
    assert jobs(cluster) == []


def test_jobs_that_end_without_a_worker_are_told_of(tmp_path: Path, cluster: Mapping[str, str]) -> None:
    (tmp_path / "dask.yaml").write_text("jobqueue: {slurm: {python: /bin/false}}", encoding="utf-8")
    process = begin(tmp_path, {**cluster, "DASK_CONFIG": str(tmp_path)})
    _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 2
    assert "all SLURM jobs have ended, and there was no worker; see slurm-" in err
    assert "Traceback" not in err


def test_ctrl_c_ends_the_jobs(tmp_path: Path, cluster: Mapping[str, str]) -> None:
    process = begin(tmp_path, cluster)
    try:
        wait_until_done(tmp_path, process, 1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()

    assert process.returncode == 130
    assert "Traceback" not in err
    wait_for(lambda: jobs(cluster) == [])
