"""Processes as an executor: the standard interface, and a death that costs one call only."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest

from kumi.study.processes import Processes, WorkerDied
from tests.waiting import wait_for


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Give two processes."""
    found = Processes(2)
    yield found
    found.shutdown(cancel_futures=True)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def come(path: str) -> str:
    while not Path(path).exists():
        time.sleep(0.01)
    return path


def test_they_are_an_executor(processes: Processes) -> None:
    assert isinstance(processes, Executor)
    assert list(processes.map(divmod, [7, 9], [2, 4])) == [(3, 1), (2, 1)]


def test_an_error_comes_back(processes: Processes) -> None:
    with pytest.raises(ZeroDivisionError):
        processes.submit(divmod, 1, 0).result()


def test_a_death_costs_its_own_call_only(processes: Processes, tmp_path: Path) -> None:
    """The other call goes on, and a new process takes the place of the dead one."""
    flag = tmp_path / "flag"
    other = processes.submit(come, str(flag))
    before = set(processes.processes)

    with pytest.raises(WorkerDied, match="was ended by SIGKILL"):
        processes.submit(die).result()
    assert processes.submit(divmod, 7, 2).result() == (3, 1)
    flag.touch()

    assert other.result() == str(flag)
    assert len(before & set(processes.processes)) == 1


def test_ending_does_not_wait_for_what_is_under_way(tmp_path: Path) -> None:
    processes = Processes(1)
    future = processes.submit(come, str(tmp_path / "never"))
    wait_for(future.running)

    processes.shutdown(cancel_futures=True)

    assert isinstance(future.exception(), WorkerDied)
    with pytest.raises(RuntimeError, match="told to end"):
        processes.submit(divmod, 1, 1)
