"""What came of a run of a convoy with real robots: its errors, its real robots, lateness, and who was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kumi.convoy.loop.frame import Frame, Glance, Motion
from kumi.convoy.loop.team import LoopConvoy
from kumi.convoy.setup import CENTIMETRES
from kumi.devs import Lateness, Simulation
from kumi.loop.outcome import Loss, RealOutcome
from kumi.loop.real_robots import Crew


@dataclass(frozen=True)
class LoopOutcome:
    """What a run showed: errors in centimetres, speeds in metres a second, times in seconds."""

    end: str
    time: float
    steps: int
    error: float
    largest_error: float
    speed: float
    adjustments: float
    times_lost: int
    avoided: int
    is_interrupted: bool
    is_broken_off: bool
    """Whether it ended because nobody moved any more."""
    real: tuple[RealOutcome, ...]
    losses: tuple[Loss, ...]
    lateness: Lateness
    trace_hash: str
    motions: tuple[Motion, ...]
    glances: tuple[Glance, ...]
    real_eyes: frozenset[int]
    """Which robots look with infrared of their own, from 0."""


class Ended(Protocol):
    """What is asked of a run that is over."""

    simulation: Simulation
    begin: float
    convoy: LoopConvoy
    frame: Frame
    crew: Crew
    end: str
    is_broken_off: bool

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody ended it."""


def outcome_of(run: Ended) -> LoopOutcome:
    """Sum a run up."""
    frame, convoy, real = run.frame, run.convoy, run.crew.real
    time = run.simulation.now - run.begin
    followers = convoy.followers
    return LoopOutcome(
        end=run.end,
        time=time,
        steps=convoy.leader.steps,
        error=CENTIMETRES * frame.errors.integral / max(time, 1e-9),
        largest_error=CENTIMETRES * frame.errors.largest,
        speed=frame.acceptor.way / max(time, 1e-9),
        adjustments=sum(one.adjustments for one in followers) / max(1, sum(one.steps for one in followers)),
        times_lost=sum(one.times_lost for one in followers),
        avoided=sum(one.avoid.avoided for one in convoy.robots),
        is_interrupted=run.is_interrupted,
        is_broken_off=run.is_broken_off,
        real=run.crew.outcomes(),
        losses=tuple(run.crew.losses),
        lateness=run.simulation.lateness,
        trace_hash=run.simulation.trace_hash,
        motions=tuple(frame.logbook.motions),
        glances=tuple(frame.logbook.glances),
        real_eyes=frozenset(
            number - 1 for number, one in real.items() if one.choices["infrared"] != "virtual"
        ),
    )
