"""Studies by SLURM where it is not installed: jobs are handed to sbatch, and the workers that they start do the runs.

A command `sbatch` of our own takes its place, which runs each job on this machine; the jobs, their workers and what they
do are real. It shows what a job asks for, and lets jobs never begin. `test_real_slurm.py` has the rest.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, read_until, wait_for

ROOT = Path(__file__).parents[2]
SBATCH = """#!/bin/sh
[ "$1" = --test-only ] && exit 0
for job; do :; done
cp "$job" "$HERE/job.sh"
[ -n "$REFUSES" ] || setsid sh "$HERE/job.sh" > "$HERE/job.log" 2>&1 < /dev/null &
echo "Submitted batch job 1"
"""
STUDY = """
experiment = "tests.study.counting:Sum"
seeds = 4
"""


def begin(folder: Path, **settings: str) -> subprocess.Popen[str]:
    """Start a study on SLURM, where jobs begin at once, or never."""
    commands = folder / "bin"
    commands.mkdir()
    for name, text in {"sbatch": SBATCH, "scancel": "#!/bin/sh\n"}.items():
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    (folder / "sums.toml").write_text(STUDY)
    path = f"{commands}:{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "HERE": str(folder), **settings}
    command = [sys.executable, "-m", "kumi", "study", "sums.toml", "--on", "dask=slurm", "--workers", "1"]
    return subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.slow
def test_jobs_do_the_runs(tmp_path: Path) -> None:
    """Seeds 0 to 3: their mean is 1.5."""
    process = begin(tmp_path)

    out, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0, err
    assert "1.5 ±" in out
    assert "sums: waiting for workers on dask=slurm" in err
    assert "#SBATCH --cpus-per-task=1" in (tmp_path / "job.sh").read_text()


@pytest.mark.slow
def test_ctrl_c_ends_the_wait_for_jobs_that_do_not_begin(tmp_path: Path) -> None:
    process = begin(tmp_path, REFUSES="yes")
    try:
        wait_for((tmp_path / "job.sh").exists)
        read_until(process.stderr, "waiting for workers")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()

    assert process.returncode == 130
    assert err.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in err
