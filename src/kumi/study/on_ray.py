"""Runs on Ray: here, or on a cluster.

Ray hands the run of a worker that died to another one by itself. One that brings several down comes back as an error,
and the study hands it out again, so often and no more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from kumi.devs.extras import need
from kumi.devs.interrupts import handlers_kept
from kumi.study.errors import StudyError
from kumi.study.workers import Workers, check_answers, cores

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 10.0
"""Seconds for a cluster to answer."""


@contextmanager
def ray_workers(address: str, count: int | None) -> Iterator[Workers]:
    """Open Ray, or connect to a cluster, for the time of the block."""
    need("ray", "ray")
    import ray
    from ray.exceptions import NodeDiedError, ObjectLostError, RaySystemError, WorkerCrashedError

    if address and address != "auto":
        check_answers(address, "Ray cluster", "`ray start --head`", PATIENCE)
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
        yield Workers(
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
