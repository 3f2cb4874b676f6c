"""What came of the real robots of a run: the drift of their counterparts, their clocks, and who was lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kumi.geometry import Pose
from kumi.link.clocks import ClockFit
from kumi.loop.devices import RealRobot

CENTIMETRES = 100.0
"""In a metre."""


@dataclass(frozen=True)
class LostRobot:
    """A robot that disappeared: its number, its name, when, and why."""

    number: int
    name: str
    time: float
    reason: str


@dataclass(frozen=True)
class SensorAgreement:
    """How often a hil sensor and its virtual twin both saw something, and how many centimetres more it read on the mean."""

    count: int
    mean: float


@dataclass(frozen=True)
class RealOutcome:
    """What a run showed of a real robot; lengths in centimetres.

    `drift` is how far its counterpart was from where the robot truly was, on the mean over looks at it while it
    stood, and `last_drift` at the last of them. The two with `reckoned` are what they would be without a tracking source: how far
    the robot was from where it believed to be. None where nobody knows the truth.
    """

    number: int
    name: str
    port: str
    drift: float | None
    last_drift: float | None
    reckoned_drift: float | None
    last_reckoned_drift: float | None
    overlaps: int
    clock: ClockFit | None
    is_there: bool
    readings: Mapping[str, SensorAgreement] = field(default_factory=dict)
    other_speeds: tuple[str, ...] = ()
    """Sentences that tell where it drove at another speed than the scenario or its program asks for."""


class Sampler:
    """Looks now and then how far counterparts and beliefs are from the truth."""

    def __init__(self, real: Mapping[int, RealRobot], truth: Callable[[int], Pose | None]) -> None:
        self._real, self._truth = real, truth
        self.drifts: dict[int, list[float]] = {number: [] for number in real}
        """Of each real robot, how far its counterpart is off, in metres, look by look."""
        self.reckoned: dict[int, list[float]] = {number: [] for number in real}
        """And how far it is from where it believes it is."""

    def look(self) -> None:
        """Look once at those that stand: what moves is elsewhere by the time that it is asked."""
        for number in self._real:
            self.look_at(number)

    def look_at(self, number: int) -> None:
        """Look at one that stands."""
        one = self._real[number]
        if one.counterpart is None or one.body.is_moving:
            return
        truth = self._truth(number)
        if truth is not None:
            if one.counterpart.is_told:
                self.drifts[number].append(truth.position.distance_to(one.counterpart.twin.position))
            self.reckoned[number].append(truth.position.distance_to(one.body.position))


def outcome_of(one: RealRobot, name: str, port: str, sampler: Sampler) -> RealOutcome:
    """Sum up what was seen of a robot."""
    drifts, reckoned = sampler.drifts[one.number], sampler.reckoned[one.number]
    found = {sensor: compared.differences for sensor, compared in one.compared.items()}
    return RealOutcome(
        number=one.number,
        name=name,
        port=port,
        drift=_mean(drifts),
        last_drift=_mean(drifts[-1:]),
        reckoned_drift=_mean(reckoned),
        last_reckoned_drift=_mean(reckoned[-1:]),
        overlaps=0 if one.counterpart is None else one.counterpart.overlaps,
        clock=None if one.body.clock is None else one.body.clock.fit,
        is_there=one.body.is_there,
        readings={sensor: SensorAgreement(len(of), _mean(of) or 0.0) for sensor, of in found.items() if of},
        other_speeds=tuple(one.body.other_speeds.values()),
    )


def _mean(lengths: list[float]) -> float | None:
    """Return the mean in centimetres; None where there is nothing."""
    return CENTIMETRES * sum(lengths) / len(lengths) if lengths else None
