"""Two emulated robots in a convoy, and what became of their processes."""

from __future__ import annotations

import os

from kumi.convoy.loop import LoopRun
from kumi.loop import Choices, Emulated, Real

ROBOT_2 = Real(
    2,
    Choices("hil", infrared="virtual", whiskers="real"),
    emulated=Emulated(clock_rate=1.002, clock_offset=3.0),
)
ROBOT_3 = Real(
    3,
    Choices("hil", infrared="real", whiskers="real"),
    emulated=Emulated(line="tcp", clock_rate=0.999, clock_offset=20.0, skid="uniform:0.05"),
)


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def pids(run: LoopRun) -> list[int]:
    assert run.crew.fleet is not None
    return [one.process.pid for one in run.crew.fleet.processes.values()]
