"""What does a robot's clock show, by the clock of the run?

A robot with a clock tells its milliseconds in each answer. They were read after the request had come over the line and
before the answer went out, so between two instants of the run: the sooner the answer came, the nearer they are. Of
each half second the answer that leaves the least doubt counts. A straight line through these is the robot's clock: its
slope is the rate, 1.0005 for one that gains half a second in a thousand, and its height the offset.

The middle between the two instants is taken, so a line that is slower in one direction than in the other, by more than
its bytes, shifts the offset by up to half the least doubt; the rate is not touched by that. Two bytes of milliseconds
begin anew after 65.5 s, so the offset is known but for whole times of that; an answer is expected more often.

A clock jumps where its robot was switched off and on, and where time stood still in the run. That shows by an answer
from beyond the two instants. From then on there is another line, of the same rate.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import sqrt

CLOCK_TICK = 1e-3
"""Seconds that the clock of a robot counts in."""
WRAP = 1 << 16
BUCKET = 0.5
"""Seconds of the run of which one answer counts."""
MOST_SAMPLES = 240
"""So many of them are remembered: two minutes."""
JUMP = 0.01
"""Seconds by which a clock is beyond the instants between which it must have been read, and so has jumped."""
DOUBTFUL = 2.0
"""An answer that leaves so many times the least doubt does not count."""


@dataclass(frozen=True)
class ClockFit:
    """A robot's clock by the clock of the run: it shows `offset` + `since` at `since`, and gains at `rate`.

    Errors are standard errors of the fit; `doubt` is half the shortest time in which an answer came, beyond what its
    bytes take, and bounds what an uneven line may add to the offset.
    """

    offset: float
    rate: float
    since: float
    offset_error: float
    rate_error: float
    doubt: float
    samples: int

    def shows(self, time: float) -> float:
        """Return what the robot's clock shows at a time of the run."""
        return self.since + self.offset + self.rate * (time - self.since)

    @property
    def slack(self) -> float:
        """How far the line itself may be off, where samples are."""
        return 5.0 * self.offset_error + self.doubt

    def time_of(self, shown: float) -> float:
        """Return the time of the run at which the robot's clock shows something."""
        return self.since + (shown - self.since - self.offset) / self.rate


@dataclass(frozen=True, slots=True)
class _Sample:
    line: int
    time: float
    shown: float
    doubt: float


class ClockWatch:
    """Learns a robot's clock from its answers."""

    def __init__(self) -> None:
        self._samples: deque[_Sample] = deque(maxlen=MOST_SAMPLES)
        self._fit: ClockFit | None = None
        self._line = 0
        self._shown: float | None = None
        self._heard = 0.0

    @property
    def fit(self) -> ClockFit | None:
        """What is known of the clock; None before three half seconds have told."""
        if self._fit is None:
            self._fit = _fitted(self._samples)
        return self._fit

    def jump(self) -> None:
        """Take note that the clock will show something else from now on: time stood still in the run."""
        self._line += 1
        self._fit = None

    def take(self, raw: int, earliest: float, latest: float) -> float:
        """Take what the clock showed between two instants of the run; return when that was, as well as is known."""
        shown = self._unwrapped(raw, latest)
        fit = self.fit if self._samples and self._samples[-1].line == self._line else None
        if fit is not None and not (
            fit.shows(earliest) - JUMP - fit.slack <= shown <= fit.shows(latest) + JUMP + fit.slack
        ):
            self._line += 1
            fit = None
        middle = (earliest + latest) / 2
        self._add(_Sample(self._line, middle, shown, max(0.0, (latest - earliest) / 2)))
        self._shown, self._heard = shown, latest
        at = middle if fit is None else fit.time_of(shown)
        return min(max(at, earliest), latest)

    def _unwrapped(self, raw: int, now: float) -> float:
        """Return the milliseconds in full, counted on from those before; a tick is over when it is shown."""
        shown = (raw + 0.5) * CLOCK_TICK
        if self._shown is None:
            return shown
        expected = self._shown + (now - self._heard)
        whole = WRAP * CLOCK_TICK
        return shown + whole * round((expected - shown) / whole)

    def _add(self, sample: _Sample) -> None:
        last = self._samples[-1] if self._samples else None
        is_same = last is not None and last.line == sample.line
        if last is not None and is_same and int(last.time / BUCKET) == int(sample.time / BUCKET):
            if sample.doubt >= last.doubt:
                return
            self._samples.pop()
        self._samples.append(sample)
        self._fit = None


def _fitted(samples: deque[_Sample]) -> ClockFit | None:
    """Return the line of least squares through the samples that leave little doubt, of one rate after all jumps."""
    if not samples:
        return None
    least = min(one.doubt for one in samples)
    last = samples[-1].line
    good = [one for one in samples if one.doubt <= DOUBTFUL * max(least, CLOCK_TICK) or one is samples[-1]]
    lines = {line: [one for one in good if one.line == line] for line in {one.line for one in good}}
    means = {line: _mean_of(of) for line, of in lines.items()}
    freedom = len(good) - len(lines) - 1
    spread = sum((one.time - means[one.line][0]) * (one.time - means[one.line][0]) for one in good)
    if freedom < 1 or spread == 0.0:
        return None
    gaps = [(one.time - means[one.line][0], one.shown - one.time - means[one.line][1]) for one in good]
    gain = sum(time * off for time, off in gaps) / spread
    rest = sum((off - gain * time) * (off - gain * time) for time, off in gaps)
    # A tick is a tick: what is rounded away cannot be told, however well the line fits.
    noise = sqrt(rest / freedom + CLOCK_TICK * CLOCK_TICK / 12)
    middle, mean = means[last]
    count = len(lines[last])
    return ClockFit(mean, 1.0 + gain, middle, noise / sqrt(count), noise / sqrt(spread), least, len(good))


def _mean_of(samples: list[_Sample]) -> tuple[float, float]:
    """Return the mean time of samples, and by how much the clock was ahead then."""
    count = len(samples)
    return sum(one.time for one in samples) / count, sum(one.shown - one.time for one in samples) / count
