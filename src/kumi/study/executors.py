"""Where are runs done: on the cores of this machine, or on a cluster of Dask, Ray or SLURM?

All are behind the standard Executor interface. `local` is processes here. `dask` is a Dask cluster of processes here,
`dask=tcp://host:port` one that is running, `dask=slurm` jobs of SLURM by dask-jobqueue, which reads its settings from
Dask's own configuration. `ray` is Ray here, `ray=ADDRESS` a Ray cluster. A cluster that is not there is said at once.

Dask hands the run of a worker that died to another one by itself. A run that brings several down comes back as
KilledWorker, and the study hands it out again, so often and no more.

Ray hands the run of a worker that died to another one by itself. One that brings several down comes back as an error,
and the study hands it out again, so often and no more.

SLURM is asked first whether it would take such a job, so that one it refuses is said at once, in its own words. Then jobs
are handed in, and the first worker is waited for as long as SLURM has a job in its queue: it has its own pace. A job that
ends, because it was cancelled or its time is over, is followed by another.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ParamSpec, TypeVar

from kumi.devs.extras import need
from kumi.devs.interrupts import handlers_kept
from kumi.study.errors import StudyError
from kumi.study.processes import Processes, StudyWorkers, check_answers, cores

KINDS = "local, dask, dask=tcp://HOST:PORT, dask=slurm, ray and ray=ADDRESS"


@contextmanager
def workers_on(on: str = "local", count: int | None = None) -> Iterator[StudyWorkers]:
    """Open an executor, and end it with the block."""
    if count is not None and count < 1:
        raise StudyError(f"workers is {count}; it takes a number from 1 on")
    kind, _, address = on.partition("=")
    match kind:
        case "local" if not address:
            opened = local(count or cores())
        case "dask":
            opened = dask_workers(address, count)
        case "ray":
            opened = ray_workers(address, count)
        case _:
            raise StudyError(f"there is no place {on!r} to do runs on; there are {KINDS}")
    with opened as workers:
        yield workers


@contextmanager
def local(count: int) -> Iterator[StudyWorkers]:
    """Open processes on this machine; they are ended with the block, whatever they do then."""
    processes = Processes(count)
    try:
        yield StudyWorkers(processes, count)
    finally:
        processes.shutdown(cancel_futures=True)


SCHEDULER_TIMEOUT = 10.0
"""Seconds for a scheduler to answer."""
FIRST_WORKER = 60.0
"""Seconds for the first worker to be there."""


@contextmanager
def dask_workers(address: str, count: int | None) -> Iterator[StudyWorkers]:
    """Open a client; a cluster that was made for it ends with the block, one that was there goes on."""
    need("dask", "distributed")
    from dask import distributed

    # A worker that dies is no news: its runs are done again. Nor is what is under way in Dask's event loop when a study ends.
    for name in ("distributed", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        client = stack.enter_context(connected(stack, address, count))
        threads = sum(one["nthreads"] for one in client.scheduler_info(n_workers=-1)["workers"].values())
        executor = client.get_executor(pure=False)
        stack.callback(executor.shutdown, wait=False)
        yield StudyWorkers(executor, count or threads, (distributed.KilledWorker, CancelledError))


def connected(stack: ExitStack, address: str, count: int | None) -> Any:
    """Return a client of the cluster that is meant, with at least one worker."""
    from dask import distributed

    dask: Any = distributed  # its classes are not typed

    if address == "slurm":
        return on_slurm(stack, count or cores())
    if address:
        check_answers(address, "Dask scheduler", "`dask scheduler`", SCHEDULER_TIMEOUT)
        try:
            return with_worker(dask.Client(address, timeout=SCHEDULER_TIMEOUT), f"at {address}", FIRST_WORKER)
        except (OSError, ValueError) as error:
            raise StudyError(f"what is at {address} is no Dask scheduler of this version: {error}") from error
    cluster = dask.LocalCluster(
        n_workers=count or cores(),
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    return dask.Client(stack.enter_context(cluster))


def with_worker(client: Any, where: str, seconds: float) -> Any:
    """Return the client when the first worker is there, or say that there is none."""
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError as error:
        client.close()
        raise StudyError(
            f"the Dask cluster {where} has no worker after {seconds:g} s; start one with `dask worker`"
        ) from error
    except BaseException:
        client.close()
        raise
    return client


P = ParamSpec("P")
T = TypeVar("T")

"""Seconds for a cluster to answer."""


@contextmanager
def ray_workers(address: str, count: int | None) -> Iterator[StudyWorkers]:
    """Open Ray, or connect to a cluster, for the time of the block."""
    need("ray", "ray")
    import ray
    from ray.exceptions import NodeDiedError, ObjectLostError, RaySystemError, WorkerCrashedError

    if address and address != "auto":
        check_answers(address, "Ray cluster", "`ray start --head`", SCHEDULER_TIMEOUT)
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if not address:
        settings |= {"num_cpus": count or cores(), "include_dashboard": False}
    try:
        with handlers_kept():  # it would leave one of its own for a request to terminate
            ray.init(address=address or "local", **settings)
    except (OSError, ConnectionError, RuntimeError, ValueError) as error:
        where = (
            f" at {address}, where a cluster with a token asks for the same RAY_AUTH_TOKEN" if address else ""
        )
        raise StudyError(f"Ray cannot be opened{where}: {error}") from error
    try:
        resources: Any = ray.cluster_resources
        cpus = int(resources().get("CPU", 1))
        yield StudyWorkers(
            RayExecutor(), count or cpus, (WorkerCrashedError, NodeDiedError, ObjectLostError, RaySystemError)
        )
    finally:
        ray.shutdown()


class RayExecutor(Executor):
    """Ray behind the standard interface."""

    def __init__(self) -> None:
        import ray

        self._call: Any = ray.remote(call)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a call done somewhere."""
        future: Future[T] = self._call.remote(fn, args, kwargs).future()
        return future


def call(function: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    """Do a call, over there."""
    return function(*args, **kwargs)


JOB = {"cores": 1, "memory": "2 GB"}
"""What a job asks for, unless Dask's configuration says otherwise."""
LOOK_PERIOD = 2.0
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
            client.wait_for_workers(1, timeout=LOOK_PERIOD)
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
