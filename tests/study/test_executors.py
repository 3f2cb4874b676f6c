"""On a cluster the same results come out, bit for bit, and a worker that is killed costs its runs only, which are done again.

The clusters are real: processes of Dask and of Ray on this machine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from secrets import token_hex
from typing import Any

import distributed
import pytest

from kumi.devs.extras import MissingExtra
from kumi.study import Results, StudyError, vary
from kumi.study.executors import workers_on
from tests.study.counting import Sum, Wandering
from tests.study.ending import ROOT
from tests.waiting import free_port, wait_for


def killed(on: str, log: Path) -> tuple[Results, int]:
    """Do a study of 24 runs, and kill the worker that did the sixth of them while it does another."""
    dead: list[int] = []

    def kill() -> None:
        wait_for(lambda: log.exists() and len(log.read_text().splitlines()) >= 6)
        dead.append(int(log.read_text().split()[-1]))
        os.kill(dead[0], signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    results = vary(Sum(seconds=0.1, log=str(log)), a=[1.0, 2.0], seeds=range(12), on=on, workers=2)
    thread.join()
    return results, dead[0]


@pytest.mark.slow
@pytest.mark.parametrize("on", ["dask", "ray"])
def test_a_cluster_gives_the_same_results_and_outlives_a_worker(on: str, tmp_path: Path) -> None:
    """The worker that wrote the sixth line is killed; its runs are done by others, and the table is whole.

    It costs its own runs only: what another did is not done again, and who was there beside it goes on.
    """
    here = vary(Sum(), a=[1.0, 2.0], seeds=range(12), workers=1)

    there, dead = killed(on, tmp_path / "log")

    names = ["row", "a", "seed", "sum", "trace_hash", "outcome"]
    assert there.table.select(names).equals(here.table.select(names))
    assert not Path(f"/proc/{dead}").exists()
    lines = [line.rsplit(" ", 1) for line in (tmp_path / "log").read_text().splitlines()]
    done = [(run, worker) for run, worker in lines if worker != str(dead)]
    last = max(number for number, (_, worker) in enumerate(lines) if worker == str(dead))
    assert set(Counter(run for run, _ in done).values()) == {1}
    assert {worker for _, worker in lines[:last]} - {str(dead)} <= {worker for _, worker in lines[last:]}
    rows = zip(*(there.table[name] for name in ("a", "seed", "worker")), strict=True)
    kept = {(f"{a:g} 0 {seed}", worker) for a, seed, worker in rows}
    assert set(done) == {(run, worker) for run, worker in kept if worker != str(dead)}


@pytest.mark.slow
def test_robots_leave_the_same_trace_on_a_cluster_that_is_running(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler behind an address; without a worker it is of no use, and that is said."""
    monkeypatch.setattr("kumi.study.executors.FIRST_WORKER", 0.2)
    here = vary(Wandering(), robots=[2, 3], seeds=range(2), workers=2)
    dask: Any = distributed
    with dask.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None) as cluster:
        on = f"dask={cluster.scheduler_address}"

        with pytest.raises(StudyError, match=r"has no worker after 0\.2 s; start one with `dask worker`"):
            vary(Wandering(), on=on)
        cluster.scale(1)
        cluster.wait_for_workers(1)
        there = vary(Wandering(), robots=[2, 3], seeds=range(2), on=on)

    assert there.table.drop("wall_seconds").equals(here.table.drop("wall_seconds"))


ASKED = """
import sys
from kumi.study import vary
from tests.study.counting import Sum

print(vary(Sum(), a=[1.0, 2.0], seeds=range(2), on=sys.argv[1]).table["sum"].to_list())
"""


@pytest.mark.slow
def test_a_ray_cluster_is_found_by_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that `ray start` opened, with a token of its own, as Ray has it unless told otherwise."""
    port = free_port()
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", token_hex(16))
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", f"--port={port}"]
    command += ["--num-cpus=1", "--include-dashboard=false"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}  # workers import what they run
    with (tmp_path / "said").open("w") as said:
        cluster = subprocess.Popen(command, env=environment, stdout=said, stderr=said, start_new_session=True)
    try:
        wait_for(lambda: cluster.poll() is not None or "runtime started" in (tmp_path / "said").read_text())
        # A process reads its token once, so this one may have none.
        asked = [sys.executable, "-c", ASKED, f"ray=127.0.0.1:{port}"]
        done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    finally:
        cluster.terminate()
        cluster.wait()

    assert done.stdout == "[1.0, 2.0, 2.0, 3.0]\n", done.stderr


@pytest.mark.parametrize(
    ("on", "said"),
    [
        (
            "dask=tcp://127.0.0.1:{port}",
            "there is no Dask scheduler at tcp://127.0.0.1:.*: connection refused",
        ),
        ("ray=127.0.0.1:{port}", "there is no Ray cluster at 127.0.0.1:.*: connection refused"),
        ("dask=nowhere", "'nowhere' is no address of a Dask scheduler"),
        ("dask=tcp://127.0.0.1:x", "is no address of a Dask scheduler"),
        ("moon", "there is no place 'moon' to do runs on; there are local, dask"),
        ("local=3", "there is no place 'local=3'"),
    ],
)
def test_a_cluster_that_is_not_there_is_said_at_once(on: str, said: str, tmp_path: Path) -> None:
    log = tmp_path / "log"

    with pytest.raises(StudyError, match=said):
        vary(Sum(log=str(log)), on=on.format(port=free_port()))
    assert not log.exists()


def test_slurm_that_is_not_there_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(StudyError, match="there is no SLURM here: the command sbatch is not found"):
        vary(Sum(), on="dask=slurm")


def test_a_missing_package_is_said_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str, *_rest: Any) -> None:
        return None

    monkeypatch.setattr("kumi.devs.extras.find_spec", missing)

    with pytest.raises(MissingExtra, match=r"ray is not installed; `.* install 'ray>=2.40'` brings it"):
        vary(Sum(), on="ray")


def test_a_number_of_workers_is_positive() -> None:
    with pytest.raises(StudyError, match="workers is 0; it takes a number from 1 on"), workers_on("local", 0):
        pass
