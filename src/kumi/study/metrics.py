"""What is measured of a run, exactly in time?

A metric is a model: what it measures reaches it as input at the instant at which it happens, so nothing is sampled and
nothing falls between two samples. `of` says what it is coupled to, and `value` makes a number of what comes:

    TimeMean("moving", of=stage.motions, value=lambda _: sum(body.is_moving for body in stage.world.bodies))

A metric of your own is a subclass with `take`, which is given each value, and `result`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

from kumi.contract.published import Shown
from kumi.devs import Atomic
from kumi.study.sources import FrameError, Origin
from kumi.study.statistics import Censored

Measured: TypeAlias = bool | int | float | str | Censored | None
"""What a metric may come to; None where there was nothing to measure, `Censored` where a time had not come by the end."""


class Metric(Atomic):
    """Hears what it is coupled to, and comes to a result; None means that it got no data.

    `unit` and `about` stand in reports. `may_be_missing` says that no data is a result, too. `changed` tells those who
    decide whether the run is over. A metric that `is_event_time` comes to the instant of something that need not happen;
    where it comes to None, the results say that the time is censored at the end of the run.
    """

    is_event_time: ClassVar[bool] = False

    def __init__(
        self,
        name: str,
        of: Origin | Sequence[Origin],
        *,
        value: Callable[[Any], Any] | None = None,
        unit: str = "",
        about: str = "",
        may_be_missing: bool = False,
    ) -> None:
        super().__init__(name)
        self.origins: tuple[Origin, ...] = tuple(of) if isinstance(of, Sequence) else (of,)
        if not self.origins:
            raise FrameError(f"metric {name!r} is coupled to nothing, so it would never get data")
        self.unit = unit
        self.about = about
        self.may_be_missing = may_be_missing
        self.is_awaited = False  # whether somebody wants to know when it changes
        self.values = self.add_input("values", object)
        self.changed = self.add_output("changed", str)
        self.shows: Callable[[str, Shown], object] | None = None  # tells those who look at the run
        self._value = value

    def external(self) -> None:
        """Take all that came."""
        value = self._value
        for told in self.values:
            self.take(told if value is None else value(told))
        if self.is_awaited:
            self.hold(0.0)
        if self.shows is not None:
            for name, result in self.results.items():
                self.shows(name, in_view(result))

    def output(self) -> None:
        """Tell that it changed."""
        self.changed.send(self.name)

    def internal(self) -> None:
        """Wait for more."""
        self.rest()

    def take(self, value: Any) -> None:
        """Take one value, now."""
        raise NotImplementedError(f"{type(self).__name__} is a metric without take(value)")

    @property
    def result(self) -> Measured:
        """What it has come to by now."""
        raise NotImplementedError(f"{type(self).__name__} is a metric without a result")

    @property
    def results(self) -> dict[str, Measured]:
        """What it has come to, by the names of columns; most have one, which is their own name."""
        return {self.name: self.result}


def in_view(result: Measured) -> Shown:
    """Return what a metric came to as it is shown: a time that has not come is not."""
    if result is None or isinstance(result, bool | str):
        return result
    return None if isinstance(result, Censored) else float(result)


class Counter(Metric):
    """How often something happened; with `value`, how often that was true."""

    count = 0

    def take(self, value: Any) -> None:
        """Count it unless its value is false."""
        self.count += value is not False

    @property
    def result(self) -> int:
        """The count so far."""
        return self.count


class Total(Metric):
    """The sum of the values."""

    total: float = 0

    def take(self, value: float) -> None:
        """Add it."""
        self.total += value

    @property
    def result(self) -> float:
        """The sum so far."""
        return self.total


class Mean(Metric):
    """The mean of the values, each counting the same, however long it stood."""

    count = 0
    total = 0.0

    def take(self, value: float) -> None:
        """Take it into the mean."""
        self.count += 1
        self.total += value

    @property
    def result(self) -> float | None:
        """The mean so far."""
        return self.total / self.count if self.count else None


class TimeMean(Metric):
    """The mean over time of a value that stands until the next one comes.

    `start` is the value from the beginning on; without one, time counts from the first value. Time before `since`
    seconds does not count, nor does what came in it, except that its last value still stands then.
    """

    def __init__(
        self,
        name: str,
        of: Origin | Sequence[Origin],
        *,
        start: float | None = None,
        since: float = 0.0,
        **others: Any,
    ) -> None:
        super().__init__(name, of, **others)
        self.latest = start
        self.since = since
        self._integral = 0.0
        self._length = 0.0
        self._at = 0.0

    def take(self, value: float) -> None:
        """Let the former value end here."""
        self._count_time()
        self.latest = value

    def _count_time(self) -> None:
        now = self.now
        if self.latest is not None:
            stood = max(0.0, now - max(self._at, self.since))
            self._integral += self.latest * stood
            self._length += stood
        self._at = now

    @property
    def result(self) -> float | None:
        """The mean until now; of no time at all, the value that stands."""
        self._count_time()
        return self._integral / self._length if self._length > 0.0 else self.latest


class Extreme(Metric):
    """The greatest or the smallest value, and when it first came."""

    _factor = 1.0

    def __init__(self, name: str, of: Origin | Sequence[Origin], **others: Any) -> None:
        super().__init__(name, of, **others)
        self.extreme: float | None = None
        self.at: float | None = None

    def take(self, value: float) -> None:
        """Keep it if it goes beyond all others."""
        if self.extreme is None or self._factor * value > self._factor * self.extreme:
            self.extreme, self.at = value, self.now

    @property
    def result(self) -> float | None:
        """The greatest, or smallest, so far."""
        return self.extreme


class Maximum(Extreme):
    """The greatest value; `at` is when it first came."""


class Minimum(Extreme):
    """The smallest value; `at` is when it first came."""

    _factor = -1.0


class Latest(Metric):
    """The value that came last."""

    def __init__(self, name: str, of: Origin | Sequence[Origin], **others: Any) -> None:
        super().__init__(name, of, **others)
        self.latest: Measured = None

    def take(self, value: Measured) -> None:
        """Keep it."""
        self.latest = value

    @property
    def result(self) -> Measured:
        """The last one."""
        return self.latest


class FirstTime(Metric):
    """When something first happened; with `value`, when that was first true. It may never happen."""

    is_event_time = True

    def __init__(self, name: str, of: Origin | Sequence[Origin], **others: Any) -> None:
        super().__init__(name, of, **{"unit": "s", **others})
        self.instant: float | None = None

    def take(self, value: Any) -> None:
        """Keep the instant of the first."""
        if self.instant is None and value is not False:
            self.instant = self.now

    @property
    def result(self) -> float | None:
        """The instant, in seconds; None as long as it has not happened."""
        return self.instant
