"""Experiments that tests of studies run: small, quick, and with everything known beforehand."""

from __future__ import annotations

import math
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kumi import sleep
from kumi.contract import Blocked
from kumi.robot import Robot
from kumi.study import Counter, Experiment, ExperimentStage, FirstTime, MetricColumn, Ran, TimeMean


@dataclass(frozen=True)
class Rules:
    """Parameters inside a parameter."""

    gain: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Sum(Experiment):
    """What is a + b·gain plus the seed? Each run leaves a line in `log`, takes `seconds` of wall time, and may fail."""

    a: float = 0.0
    b: int = 0
    rules: Rules = field(default_factory=Rules)
    seconds: float = 0.0
    fails_on: int = -1
    dies_on: int = -1
    dies_until: str = ""
    missing: bool = False
    log: str = ""

    def __post_init__(self) -> None:
        if self.a > 1000:
            raise ValueError(f"a is at most 1000, not {self.a!r}")

    def run(self, seed: int) -> Ran:
        time.sleep(self.seconds)
        if seed == self.fails_on:
            raise RuntimeError("it was told to fail")
        if seed == self.dies_on and not (self.dies_until and Path(self.dies_until).exists()):
            if self.dies_until:
                Path(self.dies_until).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.log:
            with Path(self.log).open("a") as log:
                log.write(f"{self.a:g} {self.b} {seed} {os.getpid()}\n")
        total = self.a + self.b * self.rules.gain + seed
        found = {"sum": None if self.missing else total, "worker": str(os.getpid())}
        return Ran(
            found, f"{total!r}", measures={"sum": MetricColumn("m", "the sum"), "worker": MetricColumn()}
        )


@dataclass(frozen=True, kw_only=True)
class Ishigami(Experiment):
    """sin x + 7 sin² y + 0.1 z⁴ sin x, whose shares of variance are known; nothing of chance."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

    def run(self, seed: int) -> Ran:
        out = math.sin(self.x) + 7 * math.sin(self.y) ** 2 + 0.1 * self.z**4 * math.sin(self.x)
        return Ran({"out": out}, out.hex(), measures={"out": MetricColumn("", "the function")})


@dataclass(frozen=True, kw_only=True)
class Needy(Experiment):
    """Has a parameter without a default, a tuple, and a metric that is one of numpy's numbers, or none at all."""

    size: tuple[int, int]
    rubbish: bool = False

    def run(self, seed: int) -> Ran:
        area = np.int64(self.size[0]) * self.size[1]
        metrics: dict[str, Any] = {"area": [1, 2] if self.rubbish else area, "none": float("nan")}
        return Ran(metrics, "")


async def wander(robot: Robot) -> None:
    """Go to and fro, with pauses of chance."""
    while True:
        with suppress(Blocked):
            await robot.move_to((robot.chance.uniform(0, 5), robot.chance.uniform(0, 5)), speed=1.0)
        await sleep(robot.chance.uniform(0, 1))


@dataclass(frozen=True, kw_only=True)
class Wandering(Experiment):
    """How often do wandering robots meet?"""

    robots: int = 2
    deadline: float = 100.0

    def stage(self, stage: ExperimentStage) -> None:
        for number in range(self.robots):
            stage.add(wander, at=(float(number), 0.0))

    def watch(self, stage: ExperimentStage) -> dict[str, Counter | TimeMean | FirstTime]:
        return {
            "contacts": Counter("contacts", of=stage.contacts),
            "first": FirstTime("first", of=stage.contacts),
            "moving": TimeMean(
                "moving", of=stage.motions, value=lambda body: float(body.is_moving), start=0.0
            ),
        }
