"""By how much is a device of a robot off, and is that more than matters?

Each kind of finding takes the evidence of one robot from all runs and estimates a difference from the model, with an
interval, and with p of the test whether it is beyond its margin:

- motor: how far its wheel went over how far it was told to go, in a fit over all that was driven;
- encoder and steering: how far and by how much the robot truly went and turned, against its own reckoning, way by way;
- clock: the line through what it showed; link: what a tenth of all questions took at most, beyond their bytes;
- rangers: a line through what was read against what should have been; what they missed, and how they spread;
- bumper: how many of the contacts it did not tell.

An encoder that counts too much makes a motor seem too fast; so where the encoder is found wrong and it is known where the
robot truly was, the motor is judged by true ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import degrees, sqrt

import numpy as np

from kumi.link.clocks import CLOCK_TICK, WRAP
from kumi.loop.comparing.evidence import ClockFinding, Evidence
from kumi.loop.comparing.kinds import (
    ANGLE,
    ANGLE_SCALE,
    BEND,
    ENCODER,
    LATENCY,
    MOTOR,
    OFFSET,
    RATE,
    REPEATED_QUESTIONS,
    TURN_RATIO,
    UNFELT,
    EstimateKind,
    RangerKind,
    standing,
)
from kumi.loop.comparing.looks import RangerLook
from kumi.study.statistics import Interval, interval, line_through, p_farther, proportion, ratio_of
from kumi.study.statistics.intervals import LEVEL, around
from kumi.study.statistics.trials import at_least, largest_below

PER_CENT = 100.0
CENTIMETRES = 100.0
MILLISECONDS = 1000.0

FEWEST_DRIVES = 5
FEWEST_WAYS = 5
FEWEST_LOOKS = 12
"""Fewer say too little."""
SHORTEST_WAY = 0.1
"""Metres below which a way says little of an encoder."""
DEAD_FROM = 0.9
"""The share of drives without a count from which on a wheel seems not to turn at all."""
LEAST_TURN = 0.3
"""Radians below which a turn says little."""
SURE_REACH = 0.75
"""Share of its reach within which a ranger has to see something, also one that reads a third too far."""
WIDE_LOOKS, WIDE_ANGLES = 8.0, 20.0
"""Centimetres and degrees that values have to be apart, so that a slope is told."""
LONG_DRIVE = 0.2
"""Metres that drives which count as one are long, at least."""
RESPONSE = 0.005
"""Seconds by which the beginning and the end of a drive may differ on a computer that keeps up with the wall clock."""
QUICK_SECONDS = 0.1
"""The share of all questions whose slowest tells what the line takes; others waited for the computer, too."""


@dataclass(frozen=True)
class EstimatedDifference:
    """A difference from the model with its interval, in the unit of its kind, and p that it is beyond the margin."""

    robot: str
    kind: EstimateKind
    off: Interval
    p: float


@dataclass(frozen=True)
class Unjudged:
    """A device of which too little is known, and why."""

    robot: str
    device: str
    reason: str


Found = EstimatedDifference | Unjudged


def estimates(robot: str, runs: Sequence[Evidence], level: float = LEVEL) -> Iterator[Found]:
    """Give all that can be said of the devices of a robot, and what cannot."""
    estimator = _Estimator(robot, runs, level)
    yield from estimator.drive()
    yield from estimator.clock()
    yield from estimator.link()
    yield from estimator.bumper()
    for name in sorted({name for one in runs for name in one.looks}):
        yield from estimator.ranger(name)


class _Estimator:
    """Estimates what is off of one robot."""

    def __init__(self, robot: str, runs: Sequence[Evidence], level: float) -> None:
        self._robot, self._runs, self._level = robot, runs, level
        self._drives = [drive for one in runs for drive in one.drives]
        self._ways = [way for one in runs for way in one.ways]

    def drive(self) -> Iterator[Found]:
        """Estimate motor, encoder and steering."""
        straight = [way for way in self._ways if not way.is_spin and way.reckoned >= SHORTEST_WAY]
        spins = [way for way in self._ways if way.is_spin and abs(way.reckoned_turn) >= LEAST_TURN]
        encoder = self._mean(ENCODER, [PER_CENT * (way.true / way.reckoned - 1.0) for way in straight])
        yield from self._standing()
        is_encoder_wrong = isinstance(encoder, EstimatedDifference) and encoder.p <= 1.0 - self._level
        yield self._motor(by_truth=is_encoder_wrong)
        yield encoder
        bends = [degrees(way.true_turn - way.reckoned_turn) / way.length for way in straight]
        yield self._mean(BEND, bends)
        if is_encoder_wrong:
            yield Unjudged(
                self._robot, "turn of the steering", "its encoder is wrong, by which it reckons turns"
            )
        elif spins:
            yield self._mean(
                TURN_RATIO, [PER_CENT * (way.true_turn / way.reckoned_turn - 1.0) for way in spins]
            )
        yield from self._angles()

    def _angles(self) -> Iterator[Found]:
        """Hold the angles that the front wheel tells against those that it was told."""
        pairs = [(degrees(told), degrees(tells - told)) for one in self._runs for told, tells in one.angles]
        if len(pairs) >= FEWEST_WAYS:
            yield from self._sloped(ANGLE, ANGLE_SCALE, pairs, WIDE_ANGLES)

    def _motor(self, *, by_truth: bool) -> Found:
        """Hold what was driven against what was told; a motor with a slope of 0.9 needs 1/0.9 of the time."""
        if by_truth:
            ways = [
                way for way in self._ways if way.is_free and not way.is_spin and way.reckoned >= SHORTEST_WAY
            ]
            true = [way.true * way.length / way.reckoned for way in ways]
            shares = [PER_CENT * (way.told / one - 1.0) for way, one in zip(ways, true, strict=True) if one]
            return self._mean(MOTOR, shares)
        pieces = self._pieces()
        if len(pieces) < FEWEST_DRIVES:
            few = f"{len(pieces)} pieces of {LONG_DRIVE:g} m that it drove unhindered are too few"
            return Unjudged(self._robot, MOTOR.device, few)
        slope = self._slope(pieces)
        if slope.low <= 0.0:
            return Unjudged(self._robot, MOTOR.device, "its wheel does not go by what the motor is told")
        off = PER_CENT * (1.0 / slope.mean - 1.0)
        error = PER_CENT * slope.error / (slope.mean * slope.mean)
        bounds = sorted(PER_CENT * (1.0 / end - 1.0) for end in (slope.low, slope.high))
        found = Interval(off, bounds[0], bounds[1], self._level, slope.count, error)
        return self._estimate(MOTOR, found, slope.count - 2)

    def _pieces(self) -> list[tuple[float, float, int]]:
        """Return what was told, what was driven, and in how many drives; those that follow each other count as one.

        So what an encoder rounds at rests in between does not count.
        """
        pieces: list[tuple[float, float, int]] = []
        for one in self._runs:
            told, driven, count = 0.0, 0.0, 0
            for drive in one.drives:
                if not drive.why:
                    told, driven, count = told + drive.told, driven + drive.driven, count + 1
                if told >= LONG_DRIVE:
                    pieces.append((told, driven, count))
                    told, driven, count = 0.0, 0.0, 0
        return pieces

    def _slope(self, pieces: Sequence[tuple[float, float, int]]) -> Interval:
        """Return by how much what was driven grows with what was told.

        What beginning and end of a drive may differ by is in the interval.
        """
        fastest = max(one.told / one.seconds for one in self._drives if one.seconds > 0.0)
        response = RESPONSE if any(one.is_paced for one in self._runs) else CLOCK_TICK
        each = sum(count for _, _, count in pieces) / len(pieces)
        told_ways, ways = [piece[0] for piece in pieces], [piece[1] for piece in pieces]
        return ratio_of(told_ways, ways, self._level, by=each * response * fastest)

    def _sloped(
        self, offset: EstimateKind, scale: EstimateKind, pairs: Sequence[tuple[float, float]], wide: float
    ) -> Iterator[EstimatedDifference]:
        """Estimate by how much values are off on the mean, and how that grows, if they are far enough apart."""
        values = [x for x, _ in pairs]
        if max(values) - min(values) < wide:
            yield self._estimate(offset, interval([y for _, y in pairs], self._level), len(pairs) - 1)
            return
        line = line_through(values, (y for _, y in pairs), self._level)
        yield self._estimate(offset, line.height, len(pairs) - 2)
        slope = line.slope
        found = Interval(
            PER_CENT * slope.mean,
            PER_CENT * slope.low,
            PER_CENT * slope.high,
            slope.level,
            slope.count,
            PER_CENT * slope.error,
        )
        yield self._estimate(scale, found, len(pairs) - 2)

    @property
    def _never_counted(self) -> tuple[int, int]:
        """How many drives went without a count, and of how many; what was blocked by a contact does not count."""
        told = [one for one in self._drives if one.told >= SHORTEST_WAY and one.why != "contact"]
        return sum(one.driven < SHORTEST_WAY / 10.0 for one in told), len(told)

    @property
    def _is_dead(self) -> bool:
        """Whether the wheel does not seem to turn at all."""
        still, of = self._never_counted
        return still > DEAD_FROM * of

    def _standing(self) -> Iterator[Found]:
        """Tell of a wheel that never turns: the motor, or who counts; true ways tell which."""
        if not self._is_dead:
            return
        device = "motor or encoder"
        if all(one.is_seen for one in self._runs):
            uncounted = [
                way
                for way in self._ways
                if way.reckoned < SHORTEST_WAY / 10.0
                and (way.true > SHORTEST_WAY / 2.0 or abs(way.true_turn - way.reckoned_turn) > LEAST_TURN)
            ]
            device = "encoder" if uncounted else "motor" if self._ways else device
        yield self._share(standing(device), *self._never_counted)

    def clock(self) -> Iterator[Found]:
        """Estimate rate and offset of the clock."""
        clocks = [one.clock for one in self._runs if one.clock is not None]
        if not clocks:
            yield Unjudged(self._robot, RATE.device, "it told too little of its time")
            return
        rates = [
            (PER_CENT * (one.found.rate / one.rate - 1.0), PER_CENT * one.found.rate_error) for one in clocks
        ]
        yield self._weighed(RATE, rates)
        offsets = [_offset(one) for one in clocks if one.offset is not None]
        if offsets:
            yield self._weighed(OFFSET, offsets)
        else:
            yield Unjudged(self._robot, "offset of the clock", "nobody knows when the robot was switched on")

    def link(self) -> Iterator[Found]:
        """Estimate what the link takes."""
        waits = sorted(MILLISECONDS * wait for one in self._runs for wait in one.waits)
        again = sum(one.asked_again for one in self._runs)
        if len(waits) >= FEWEST_LOOKS:
            yield self._quantile(LATENCY, waits)
        if waits or again:
            yield self._share(REPEATED_QUESTIONS, again, again + len(waits))

    def bumper(self) -> Iterator[Found]:
        """Estimate how many contacts were not felt; a wheel that stands of which the encoder tells nothing is none."""
        felt = sum(one.why == "contact" for one in self._drives)
        unfelt = 0 if self._is_dead else sum(one.why == "stall" for one in self._drives)
        if felt + unfelt:
            yield self._share(UNFELT, unfelt, felt + unfelt)
        else:
            yield Unjudged(self._robot, UNFELT.device, "it touched nothing")

    def ranger(self, name: str) -> Iterator[Found]:
        """Estimate what is off with the readings of a ranger."""
        looks = [look for one in self._runs for look in one.looks.get(name, ())]
        kinds = RangerKind(name, CENTIMETRES * max(look.step for look in looks))
        near = [look for look in looks if _is_near(look)]
        far = [look for look in looks if look.true is None]
        if max(len(near), len(far)) < FEWEST_LOOKS:
            yield Unjudged(self._robot, name, f"it had a clear view of something {len(near)} times")
        if len(far) >= FEWEST_LOOKS:
            yield self._share(kinds.imagined, sum(look.read is not None for look in far), len(far))
        if len(near) < FEWEST_LOOKS:
            return
        yield self._share(kinds.missed, sum(look.read is None for look in near), len(near))
        pairs = [
            (CENTIMETRES * look.true, CENTIMETRES * (look.read - look.true))
            for look in near
            if look.true is not None and look.read is not None
        ]
        if len(pairs) >= FEWEST_LOOKS:
            yield from self._sloped(kinds.offset, kinds.scale, pairs, WIDE_LOOKS)
            yield self._spread(kinds.spread, pairs)

    def _spread(self, kind: EstimateKind, pairs: Sequence[tuple[float, float]]) -> EstimatedDifference:
        """Estimate how far readings lie from their line; the error is that of a variance of any distribution."""
        x, y = np.array(pairs).T
        line = np.polynomial.Polynomial.fit(x, y, 1 if x.max() - x.min() >= WIDE_LOOKS else 0)
        rest = y - line(x)
        count, variance = len(rest), float(rest @ rest) / (len(rest) - 2)
        spread, fourth = sqrt(variance), float((rest**4).mean())
        error = sqrt(max(fourth - variance * variance, 0.0) / count) / (2.0 * spread) if spread else 0.0
        return self._estimate(kind, around(spread, error, count - 2, self._level, count), count - 2)

    def _mean(self, kind: EstimateKind, values: Sequence[float]) -> Found:
        if len(values) < FEWEST_WAYS:
            seen = all(one.is_seen for one in self._runs)
            few = f"{len(values)} ways from one rest to the next are too few"
            why = few if seen else "nobody knows where it truly was"
            return Unjudged(self._robot, kind.device, why)
        return self._estimate(kind, interval(values, self._level), len(values) - 1)

    def _weighed(self, kind: EstimateKind, values: Sequence[tuple[float, float]]) -> EstimatedDifference:
        """Join estimates of several runs, each with its standard error, by their weights."""
        weights = [1.0 / (error * error) if error > 0.0 else 1e18 for _, error in values]
        mean = sum(weight * value for weight, (value, _) in zip(weights, values, strict=True)) / sum(weights)
        error = 1.0 / sqrt(sum(weights))
        return self._estimate(kind, around(mean, error, 1e9, self._level, len(values)), 1e9)

    def _estimate(self, kind: EstimateKind, off: Interval, freedom: float) -> EstimatedDifference:
        return EstimatedDifference(
            self._robot, kind, off, p_farther(off.mean, off.error, freedom, kind.margin)
        )

    def _share(self, kind: EstimateKind, count: int, of: int) -> EstimatedDifference:
        """Estimate a share that should be none."""
        share = proportion(count, of, self._level)
        found = Interval(
            PER_CENT * share.mean,
            PER_CENT * share.low,
            PER_CENT * share.high,
            self._level,
            of,
            PER_CENT * share.error,
        )
        return EstimatedDifference(self._robot, kind, found, at_least(count, of, kind.margin / PER_CENT))

    def _quantile(self, kind: EstimateKind, values: Sequence[float]) -> EstimatedDifference:
        """Estimate the value that the quickest share stays below, with the interval that order alone gives."""
        count = len(values)
        tail = (1.0 - self._level) / 2.0
        low = max(0, largest_below(count, QUICK_SECONDS, tail))
        high = min(count - 1, count - 1 - largest_below(count, 1.0 - QUICK_SECONDS, tail))
        below = sum(value <= kind.margin for value in values)
        p = 1.0 - at_least(below + 1, count, QUICK_SECONDS)
        middle = values[min(count - 1, int(QUICK_SECONDS * count))]
        found = Interval(middle, min(values[low], middle), max(values[high], middle), self._level, count, 0.0)
        return EstimatedDifference(self._robot, kind, found, p)


def _is_near(look: RangerLook) -> bool:
    return look.true is not None and 0.05 < look.true <= SURE_REACH * look.reach


def _offset(clock: ClockFinding) -> tuple[float, float]:
    """Return how far a clock is off at the beginning, but for whole times of its counter, and the standard error."""
    assert clock.offset is not None
    fit, whole = clock.found, WRAP * CLOCK_TICK
    begin = fit.offset - (fit.rate - 1.0) * fit.since
    off = begin - clock.offset
    off -= whole * round(off / whole)
    return off, sqrt(fit.offset_error**2 + (fit.rate_error * fit.since) ** 2 + (fit.doubt / 2.0) ** 2)
