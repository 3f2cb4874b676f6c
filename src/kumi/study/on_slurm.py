"""Runs on a Dask cluster of SLURM jobs, each with one worker.

SLURM is asked first whether it would take such a job, so that one it refuses is said at once, in its own words. Then jobs
are handed in, and the first worker is waited for as long as SLURM has a job in its queue: it has its own pace. A job that
ends, because it was cancelled or its time is over, is followed by another.
"""

from __future__ import annotations

import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kumi.devs.extras import need
from kumi.devs.interrupts import handlers_kept
from kumi.study.errors import StudyError

JOB = {"cores": 1, "memory": "2 GB"}
"""What a job asks for, unless Dask's configuration says otherwise."""
LOOK_EVERY = 2.0
"""Seconds between two looks whether jobs are still there while no worker is."""


def on_slurm(stack: ExitStack, count: int) -> Any:
    """Return a client of a cluster of so many jobs, one of which runs; they are cancelled when the stack is closed."""
    need("dask", "dask_jobqueue")
    if shutil.which("sbatch") is None:
        raise StudyError(
            "there is no SLURM here: the command sbatch is not found; --on dask uses this machine"
        )
    with handlers_kept():  # the import would leave one that exits with 0
        import dask
        from dask.distributed import Client
        from dask_jobqueue.slurm import SLURMCluster

    unsaid = {
        name: value for name, value in JOB.items() if dask.config.get(f"jobqueue.slurm.{name}", None) is None
    }
    make: Any = SLURMCluster  # neither is typed
    client: Any = Client
    cluster = stack.enter_context(make(**unsaid))
    check_taken(cluster.job_script())
    cluster.scale(jobs=count)
    found = client(cluster)
    try:
        wait_for_worker(found, cluster)
    except BaseException:
        found.close()
        raise
    cluster.adapt(minimum_jobs=count, maximum_jobs=count)
    return found


def check_taken(script: str) -> None:
    """Ask SLURM whether it would take a job; raise StudyError with what it says where it would not."""
    with TemporaryDirectory(prefix="kumi-slurm-") as folder:
        path = Path(folder) / "job.sh"
        path.write_text(script, encoding="utf-8")
        asked = said_by("sbatch", "--test-only", str(path))
    if asked.returncode != 0:
        reasons = [
            line.removeprefix("sbatch: ")
            .removeprefix("error: ")
            .removeprefix("allocation failure: ")
            .rstrip(".")
            for line in asked.stderr.splitlines()
            if line.strip()
        ]
        raise StudyError(
            f"SLURM takes no such job: {'; '.join(reasons) or 'it says nothing'}; what a job asks for is "
            "jobqueue.slurm in Dask's configuration"
        )


def wait_for_worker(client: Any, cluster: Any) -> None:
    """Wait until a worker is there, or raise StudyError where no job is left that could start one."""
    while True:
        try:
            client.wait_for_workers(1, timeout=LOOK_EVERY)
        except TimeoutError:
            ended = ended_jobs(cluster)
        else:
            return
        if ended:
            raise StudyError(
                f"all SLURM jobs have ended, and there was no worker; see slurm-{ended[0]}.out, or "
                f"`sacct -j {ended[0]}`"
            )


def ended_jobs(cluster: Any) -> list[str]:
    """Return the numbers of the jobs if SLURM has none of them in its queue any more."""
    jobs = [str(job.job_id) for job in cluster.workers.values() if getattr(job, "job_id", None)]
    if not jobs or shutil.which("squeue") is None:
        return []
    asked = said_by("squeue", "--noheader", "--format=%i", "--jobs", ",".join(jobs))
    # Of jobs that ended long ago it says that their numbers are invalid.
    is_known = asked.returncode == 0 or "Invalid job id" in asked.stderr
    return jobs if is_known and not asked.stdout.strip() else []


def said_by(*command: str) -> subprocess.CompletedProcess[str]:
    """Return what a command of SLURM says."""
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # it is SLURM's own
