"""Runs on a Dask cluster: one here, one that is running, or one of SLURM jobs.

Dask hands the run of a worker that died to another one by itself. A run that brings several down comes back as
KilledWorker, and the study hands it out again, so often and no more.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from typing import Any

from kumi.devs.extras import need
from kumi.study.errors import StudyError
from kumi.study.on_slurm import on_slurm
from kumi.study.workers import Workers, check_answers, cores

PATIENCE = 10.0
"""Seconds for a scheduler to answer."""
FIRST_WORKER = 60.0
"""Seconds for the first worker to be there."""


@contextmanager
def dask_workers(address: str, count: int | None) -> Iterator[Workers]:
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
        yield Workers(executor, count or threads, (distributed.KilledWorker, CancelledError))


def connected(stack: ExitStack, address: str, count: int | None) -> Any:
    """Return a client of the cluster that is meant, with at least one worker."""
    from dask import distributed

    dask: Any = distributed  # its classes are not typed

    if address == "slurm":
        return on_slurm(stack, count or cores())
    if address:
        check_answers(address, "Dask scheduler", "`dask scheduler`", PATIENCE)
        try:
            return with_worker(dask.Client(address, timeout=PATIENCE), f"at {address}", FIRST_WORKER)
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
