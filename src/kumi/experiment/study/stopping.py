"""Which runs are due, and when are there enough?

Without a rule, all rows of the design. With one, seeds are added to each combination by itself until the interval of
a metric is narrow enough. It is looked at after a first number of seeds, and again each time that number has grown by a
quarter. When to look depends on the number of seeds alone, so the same runs are made on however many cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

from kumi.experiment.statistics import interval
from kumi.experiment.study.design import Design, Row
from kumi.experiment.study.errors import StudyError
from kumi.experiment.study.tasks import FINISHED

GROWTH = 1.25


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Add seeds until the interval of a metric is narrow enough: a share of its mean, or a half width as it is."""

    metric: str
    relative: float | None = None
    absolute: float | None = None
    level: float = 0.95
    at_least: int = 10
    at_most: int = 1000

    def __post_init__(self) -> None:
        for name in ("relative", "absolute"):
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value > 0):
                raise StudyError(f"stop.{name} is {value!r}; it takes a number above 0")
        if self.relative is None and self.absolute is None:
            raise StudyError(
                "stop takes `relative`, a share of the mean, or `absolute`, a half width, or both"
            )
        if not 0 < self.level < 1:
            raise StudyError(f"stop.level is {self.level!r}; it takes a number between 0 and 1, such as 0.95")
        if not 2 <= self.at_least <= self.at_most:
            raise StudyError(
                f"stop.at_least is {self.at_least} and stop.at_most {self.at_most}; an interval takes 2 runs, and at_most is no less"
            )

    def is_met_by(self, values: list[float]) -> bool:
        """Tell whether the interval of these values is narrow enough."""
        if len(values) < 2:
            return False
        found = interval(values, self.level)
        if self.absolute is not None and found.half_width <= self.absolute:
            return True
        return self.relative is not None and found.half_width <= self.relative * abs(found.mean)


class Plan:
    """The rows that are due, as results come in."""

    def __init__(self, design: Design, stop: Stop | None = None) -> None:
        self.design = design
        self.stop = stop
        self._points = design.points
        self._done: dict[int, dict[int, float | None]] = {number: {} for number in range(len(self._points))}
        self._targets = [len(design.seeds) if stop is None else min(stop.at_least, len(design.seeds))] * len(
            self._points
        )

    @property
    def most(self) -> int:
        """How many runs there are at most."""
        return len(self.design.seeds) * len(self._points)

    @property
    def planned(self) -> int:
        """How many runs there are as far as is known."""
        return sum(self._targets)

    @property
    def done(self) -> int:
        """How many of those are done."""
        return self.planned - sum(self.left)

    @property
    def left(self) -> list[int]:
        """How many runs of each combination are still to be done, as far as is known."""
        return [
            target - sum(turn < target for turn in self._done[point])
            for point, target in enumerate(self._targets)
        ]

    def begin(self, done: Mapping[int, dict[str, Any]]) -> list[Row]:
        """Take over the runs that are done already, and return those that are due."""
        for run in done.values():
            self._note(run)
        for point in range(len(self._points)):
            while self._look(point):
                continue
        return [row for row in self.design.rows if self._is_due(row) and row.number not in done]

    def take(self, run: Mapping[str, Any]) -> list[Row]:
        """Take a run, and return those that have become due by it."""
        point = self._note(run)
        before = self._targets[point]
        if not self._look(point):
            return []
        return [self._row(turn, point) for turn in range(before, self._targets[point])]

    def _is_due(self, row: Row) -> bool:
        return row.number // len(self._points) < self._targets[row.point]

    def _row(self, turn: int, point: int) -> Row:
        number = turn * len(self._points) + point
        return Row(number, point, self._points[point], self.design.seeds[turn])

    def _note(self, run: Mapping[str, Any]) -> int:
        row: int = run["row"]
        turn, point = divmod(row, len(self._points))
        value = run["metrics"].get(self.stop.metric) if self.stop and run["outcome"] == FINISHED else None
        self._done[point][turn] = value
        return point

    def _look(self, point: int) -> bool:
        """Look whether a combination has runs enough; if it has all that were due and they are not, add more."""
        target, most = self._targets[point], len(self.design.seeds)
        if (
            self.stop is None
            or target >= most
            or any(turn not in self._done[point] for turn in range(target))
        ):
            return False
        if self.stop.is_met_by(numbers(self._done[point][turn] for turn in range(target))):
            return False
        self._targets[point] = min(most, ceil(target * GROWTH))
        return True


def numbers(values: Iterable[Any]) -> list[float]:
    """Return the finite numbers among some values."""
    return [float(one) for one in values if isinstance(one, int | float) and isfinite(one)]
