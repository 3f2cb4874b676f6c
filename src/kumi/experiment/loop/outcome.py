"""What came of a run with real robots: the convoy, the drift of counterparts, clocks, lateness, and who was lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from kumi.experiment.convoy.setup import CENTIMETRES
from kumi.experiment.loop.fleet import Fleet
from kumi.experiment.loop.frame import Frame, Glance, Motion
from kumi.experiment.loop.team import LoopConvoy, RealRobot
from kumi.kernel import Lateness, Simulation
from kumi.link.clocks import ClockFit


@dataclass(frozen=True)
class Loss:
    """A robot that disappeared: its number, when, and why."""

    number: int
    time: float
    reason: str


@dataclass(frozen=True)
class RealOutcome:
    """What a run showed of a real robot; lengths in centimetres.

    `drift` is how far its counterpart was from where the robot truly was, on the mean over looks a tenth of a second
    apart, and `last_drift` at the end. The two with `reckoned` are what they would be without a tracking source: how far
    the robot was from where it believed to be. None where nobody knows the truth.
    """

    number: int
    port: str
    error: float
    drift: float | None
    last_drift: float | None
    reckoned_drift: float | None
    last_reckoned_drift: float | None
    overlaps: int
    clock: ClockFit | None
    is_there: bool


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


class Sampler:
    """Looks now and then how far counterparts and beliefs are from the truth."""

    def __init__(self, real: Mapping[int, RealRobot], fleet: Fleet | None) -> None:
        self._real, self._fleet = real, fleet
        self.drifts: dict[int, list[float]] = {number: [] for number in real}
        """Of each real robot, how far its counterpart is off, in metres, look by look."""
        self.reckoned: dict[int, list[float]] = {number: [] for number in real}
        """And how far it is from where it believes to be."""

    def look(self) -> None:
        """Look once at those that stand: what moves is elsewhere by the time that it is asked."""
        if self._fleet is None:
            return
        for number, one in self._real.items():
            truth = self._fleet.truth(number)
            if truth is not None and one.counterpart is not None and not one.body.is_moving:
                if one.counterpart.is_told:
                    self.drifts[number].append(truth.position.distance_to(one.counterpart.twin.position))
                self.reckoned[number].append(truth.position.distance_to(one.body.position))


class Ended(Protocol):
    """What is asked of a run that is over."""

    simulation: Simulation
    begin: float
    convoy: LoopConvoy
    frame: Frame
    fleet: Fleet | None
    real: dict[int, RealRobot]
    sampler: Sampler
    losses: list[Loss]
    end: str
    is_interrupted: bool
    is_broken_off: bool


def outcome_of(run: Ended) -> LoopOutcome:
    """Sum a run up."""
    frame, convoy = run.frame, run.convoy
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
        real=tuple(_real(run, one) for _, one in sorted(run.real.items())),
        losses=tuple(run.losses),
        lateness=run.simulation.lateness,
        trace_hash=run.simulation.trace_hash,
        motions=tuple(frame.logbook.motions),
        glances=tuple(frame.logbook.glances),
        real_eyes=frozenset(one.number - 1 for one in run.real.values() if one.choices.infrared != "virtual"),
    )


def _real(run: Ended, one: RealRobot) -> RealOutcome:
    assert run.fleet is not None
    drifts, reckoned = run.sampler.drifts[one.number], run.sampler.reckoned[one.number]
    counterpart = one.counterpart
    return RealOutcome(
        number=one.number,
        port=run.fleet.ports[one.number],
        error=CENTIMETRES * run.frame.errors.errors[one.number - 1],
        drift=_mean(drifts),
        last_drift=_mean(drifts[-1:]),
        reckoned_drift=_mean(reckoned),
        last_reckoned_drift=_mean(reckoned[-1:]),
        overlaps=0 if counterpart is None else counterpart.overlaps,
        clock=None if one.body.clock is None else one.body.clock.fit,
        is_there=one.body.is_there,
    )


def _mean(lengths: list[float]) -> float | None:
    """Return the mean in centimetres; None where there is nothing."""
    return CENTIMETRES * sum(lengths) / len(lengths) if lengths else None
