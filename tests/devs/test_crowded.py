"""A turn is told to be too long by what it takes for itself, not by what others take of the processor."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kumi.devs.turn_watchdog import spent
from tests.waiting import read_line

SCRIPT = """
import time
import kumi


async def think() -> None:
    begun = time.thread_time()
    while time.thread_time() - begun < 1.0:
        pass


kumi.run(think, patience=1.6)
print("done")
"""
CROWD = 8


@pytest.mark.slow
def test_a_program_that_has_to_share_the_processor_is_not_told_to_be_slow() -> None:
    """Eight others on its core: a second of work takes some nine seconds of wall time."""
    only = f"import os; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
    busy = [sys.executable, "-c", only + "print('on', flush=True)\nwhile True: pass"]
    crowd = [subprocess.Popen(busy, stdout=subprocess.PIPE) for _ in range(CROWD)]
    try:
        for one in crowd:
            assert read_line(one.stdout) == b"on\n"
        done = subprocess.run(
            [sys.executable, "-c", only + SCRIPT], capture_output=True, text=True, check=False
        )
    finally:
        for one in crowd:
            one.kill()
            one.communicate()

    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


@pytest.mark.parametrize(
    ("computed", "waited", "counts"),
    [
        (0.25, 0.0, 0.25),
        (0.1, 0.0, 0.1),
        (0.1, 0.15, 0.1),
        (0.001, 0.249, 0.001),
        (0.0, 0.25, 0.0),
        (0.3, 2.0, 0.25),
        (0.0, 0.0, 0.25),
        (0.001, 0.003, 0.25),
    ],
)
def test_who_waits_for_the_processor_takes_nothing_and_who_sleeps_takes_all(
    computed: float, waited: float, counts: float
) -> None:
    """Of a quarter of a second between two looks; who has and wants the processor for less than a fiftieth of it sleeps."""
    assert spent(0.25, computed, waited) == counts
