"""Where are runs done? On the cores of this machine, or on a cluster.

All are behind the standard Executor interface. `local` is processes here. `dask` is a Dask cluster of processes here,
`dask=tcp://host:port` one that is running, `dask=slurm` jobs of SLURM by dask-jobqueue, which reads its settings from
Dask's own configuration. `ray` is Ray here, `ray=ADDRESS` a Ray cluster. A cluster that is not there is said at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kumi.study.errors import StudyError
from kumi.study.on_dask import dask_workers
from kumi.study.on_ray import ray_workers
from kumi.study.processes import Processes
from kumi.study.workers import Workers, cores

KINDS = "local, dask, dask=tcp://HOST:PORT, dask=slurm, ray and ray=ADDRESS"


@contextmanager
def workers_on(on: str = "local", count: int | None = None) -> Iterator[Workers]:
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
def local(count: int) -> Iterator[Workers]:
    """Open processes on this machine; they are ended with the block, whatever they do then."""
    processes = Processes(count)
    try:
        yield Workers(processes, count)
    finally:
        processes.shutdown(cancel_futures=True)
